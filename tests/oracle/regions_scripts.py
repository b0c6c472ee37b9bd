"""Linker scripts as firmware projects write them, for regions.py.

Each is a name and a text in which @F@ is the address of flash, @R@ that of RAM and @C@ that of a second RAM.
"""

MEMORY = """MEMORY
{
  FLASH (rx) : ORIGIN = @F@, LENGTH = 64K
  RAM (rwx) : ORIGIN = @R@, LENGTH = 16K
  CCM (rw) : ORIGIN = @C@, LENGTH = 8K
}
"""
REST = """  .noinit (NOLOAD) : { *(.noinit*) } > RAM
  .bss (NOLOAD) : { *(.bss*) *(COMMON) . = ALIGN(4); } > RAM
"""
# What nobody places stays out of the way.
SPARE = """  /DISCARD/ : { *(.comment) *(.note*) *(.ARM.attributes) *(.riscv.attributes) *(.eh_frame*) *(.ARM.ex*) }
"""

SCRIPTS = {
    "plain": MEMORY + """SECTIONS {
  .vectors : { KEEP(*(.vectors)) } > FLASH
  .text : { *(.text*) *(.rodata*) *(.ov_*) *(.table*) . = ALIGN(4); } > FLASH
  .data : { *(.data*) *(.ramfunc*) . = ALIGN(4); } > RAM AT> FLASH
  .ccm : { *(.ccm*) } > CCM AT> FLASH
""" + REST + SPARE + "}\n",
    "aliases": """MEMORY {
  FLASH : ORIGIN = @F@, LENGTH = 0x10000
  SRAM : ORIGIN = @R@, LENGTH = 0x4000
  TCM : ORIGIN = @C@, LENGTH = 8K
}
REGION_ALIAS("REGION_TEXT", FLASH);
REGION_ALIAS("REGION_RODATA", FLASH);
REGION_ALIAS("REGION_DATA", SRAM);
REGION_ALIAS("REGION_BSS", SRAM);
REGION_ALIAS("REGION_STACK", TCM);
_stack_size = 2K;
_heap_size = 0x800;
SECTIONS {
  .text ORIGIN(REGION_TEXT) : { KEEP(*(.vectors)) *(.text .text.*) *(.ov_*) } > REGION_TEXT
  .rodata : ALIGN(16) { *(.rodata .rodata.*) *(.table*) } > REGION_RODATA
  .data : ALIGN(8) { *(.data .data.* .ramfunc*) *(.ccm*) } > REGION_DATA AT> REGION_RODATA
  .bss (NOLOAD) : { *(.bss .bss.* .noinit* COMMON) } > REGION_BSS
  .heap (NOLOAD) : { . = . + _heap_size; } > REGION_BSS
  .stack (NOLOAD) : { . += _stack_size; } > REGION_STACK
""" + SPARE + "}\n",
    "overlays": MEMORY + """SECTIONS {
  .text : { KEEP(*(.vectors)) *(.text*) *(.rodata*) *(.table*) } > FLASH
  .data : { *(.data*) *(.ramfunc*) *(.ccm*) . = ALIGN(4); } > RAM AT> FLASH
  OVERLAY : NOCROSSREFS {
    .ov_one { *(.ov_one*) }
    .ov_two { *(.ov_two*) }
    .ov_three { *(.ov_three*) }
  } > RAM AT> FLASH
""" + REST + SPARE + "}\n",
    "overlays by hand": MEMORY + """SECTIONS {
  .text : { KEEP(*(.vectors)) *(.text*) *(.rodata*) *(.table*) } > FLASH
  .ov_one @C@ : AT (@F@ + 0x4000) { *(.ov_one*) }
  .ov_two @C@ : AT (LOADADDR(.ov_one) + SIZEOF(.ov_one)) { *(.ov_two*) }
  .ov_three @C@ : AT (LOADADDR(.ov_two) + SIZEOF(.ov_two)) { *(.ov_three*) }
  .data : { *(.data*) *(.ramfunc*) *(.ccm*) . = ALIGN(4); } > RAM AT> FLASH
""" + REST + SPARE + "}\n",
    "fill": MEMORY + """SECTIONS {
  .vectors : { KEEP(*(.vectors)) . = 0x400; FILL(0xdeadbeef) BYTE(1) . = ALIGN(64); } > FLASH =0xff
  .text : ALIGN(256) { *(.text*) . = ALIGN(128); *(.rodata*) *(.ov_*) LONG(0x12345678) } > FLASH =0xff
  .table : ALIGN(512) { *(.table*) } > FLASH
  .checksum : { QUAD(0) SHORT(1) BYTE(2) } > FLASH
  .data : ALIGN(32) { *(.data*) *(.ramfunc*) *(.ccm*) . = ALIGN(32); } > RAM AT> FLASH
""" + REST + SPARE + "}\n",
    "asserts": """_flash = @F@; _flash_size = 64 * 1024;
MEMORY {
  rom (rx) : org = @F@, len = 1 << 16
  ram (!rx) : o = @R@, l = (2 + 2) * 4K
}
PROVIDE(_heap = 512);
SECTIONS {
  . = ORIGIN(rom);
  .text : { KEEP(*(.vectors)) *(.text*) *(.rodata*) *(.ov_*) *(.table*) } > rom
  .data : { PROVIDE(__data = .); *(.data*) *(.ramfunc*) *(.ccm*) . = ALIGN(4); } > ram AT > rom
  .bss (NOLOAD) : { *(.bss*) *(COMMON) *(.noinit*) } > ram
  ASSERT(SIZEOF(.data) < LENGTH(ram) / 2, "data is too large")
  _left = ORIGIN(ram) + LENGTH(ram) - (ADDR(.bss) + SIZEOF(.bss));
  ASSERT(_left >= _heap, "no heap")
""" + SPARE + "}\n",
    "addresses": MEMORY + """SECTIONS {
  .boot @F@ : { KEEP(*(.vectors)) } > FLASH
  .text (@F@ + 0x1000) : { *(.text*) *(.rodata*) *(.ov_*) } > FLASH
  .table (ALIGN(0x800)) : { *(.table*) *(.trampolines*) } > FLASH
  .data (@R@ + 0x100) : AT (LOADADDR(.table) + SIZEOF(.table)) { *(.data*) *(.ramfunc*) *(.ccm*) } > RAM
""" + REST + SPARE + "}\n",
    "two flashes": """MEMORY {
  BOOT (rx) : ORIGIN = @F@, LENGTH = 4K
  APP (rx) : ORIGIN = ORIGIN(BOOT) + LENGTH(BOOT), LENGTH = 32K
  CONFIG (r) : ORIGIN = @F@ + 0xf000, LENGTH = 0x1000
  RAM (rwx) : ORIGIN = @R@, LENGTH = 16K
}
SECTIONS {
  .vectors : { KEEP(*(.vectors)) *(.text.startup*) } > BOOT
  .text : { *(.text*) *(.rodata*) *(.ov_*) } > APP
  .config : { KEEP(*(.table*)) } > CONFIG
  .data : { *(.data*) *(.ramfunc*) *(.ccm*) } > RAM AT> APP
""" + REST + SPARE + "}\n",
    "code in RAM": MEMORY + """SECTIONS {
  .vectors : { KEEP(*(.vectors)) } > FLASH
  .rodata : { *(.rodata*) *(.table*) } > FLASH
  .fast : ALIGN(8) { *(.text*) *(.ramfunc*) *(.ov_*) } > CCM AT> FLASH
  .data : { *(.data*) *(.ccm*) } > RAM AT> FLASH
""" + REST + SPARE + "}\n",
    "all in RAM": """MEMORY { RAM (rwx) : ORIGIN = @R@, LENGTH = 32K }
SECTIONS {
  .text : { KEEP(*(.vectors)) *(.text*) *(.ramfunc*) *(.ov_*) } > RAM
  .rodata : { *(.rodata*) *(.table*) } > RAM
  .data : { *(.data*) *(.ccm*) } > RAM
""" + REST + "  .stack (NOLOAD) : { . = ALIGN(8); . += 0x1000; } > RAM\n" + SPARE + "}\n",
    "program headers": MEMORY + """PHDRS { text PT_LOAD; data PT_LOAD; zero PT_LOAD; }
SECTIONS {
  .text : { KEEP(*(.vectors)) *(.text*) *(.rodata*) *(.ov_*) *(.table*) } > FLASH :text
  .data : { *(.data*) *(.ramfunc*) *(.ccm*) } > RAM AT> FLASH :data
  .noinit (NOLOAD) : { *(.noinit*) } > RAM :zero
  .bss (NOLOAD) : { *(.bss*) *(COMMON) . = ALIGN(4); } > RAM :zero
""" + SPARE + "}\n",
    "sorted": MEMORY + """SECTIONS {
  .text : { KEEP(*(SORT_NONE(.vectors))) *(SORT_BY_ALIGNMENT(.text*)) *(.ov_*) } > FLASH
  .rodata : SUBALIGN(16) { *(SORT_BY_NAME(.rodata.*) .rodata) *(.table*) } > FLASH
  .init_array : { KEEP(*(SORT_BY_INIT_PRIORITY(.init_array.*))) KEEP(*(.init_array)) } > FLASH
  .data : { *(EXCLUDE_FILE(*other*.o) .data*) *(.data*) *(.ramfunc*) *(.ccm*) } > RAM AT> FLASH
""" + REST + SPARE + "}\n",
    "external flash": """MEMORY {
  ITCM (xrw) : ORIGIN = @C@, LENGTH = 8K
  DTCM (rw) : ORIGIN = @R@, LENGTH = 16K
  QSPI (rx) : ORIGIN = @F@, LENGTH = 8M
}
SECTIONS {
  .header : { KEEP(*(.table*)) . = ALIGN(0x1000); } > QSPI
  .vectors : ALIGN(1024) { KEEP(*(.vectors)) } > QSPI
  .text : { *(.text*) *(.rodata*) } > QSPI
  .itcm : { . = ALIGN(4); *(.ramfunc*) *(.ov_*) . = ALIGN(4); } > ITCM AT> QSPI
  .dtcm : { *(.data*) } > DTCM AT> QSPI
  .ccm (NOLOAD) : { *(.ccm*) } > DTCM
""" + REST.replace("> RAM", "> DTCM") + SPARE + "}\n",
    "reserved ends": MEMORY.replace("16K", "16K - 256").replace("64K", "64K - 2K") + """
__stack = ORIGIN(RAM) + LENGTH(RAM);
SECTIONS {
  .text : { KEEP(*(.vectors)) *(.text*) *(.rodata*) *(.ov_*) *(.table*) *(.trampolines*) . = ALIGN(4); __etext = .; } > FLASH
  .data : AT (__etext) { *(.data*) *(.ramfunc*) *(.ccm*) . = ALIGN(4); } > RAM
""" + REST + "  ._user_heap_stack (NOLOAD) : { . = ALIGN(8); . = . + 0x200; . = . + 0x400; . = ALIGN(8); } > RAM\n" + SPARE + "}\n",
    "empty regions": MEMORY.replace("}", "  BKP (rw) : ORIGIN = @R@ + 0x100000, LENGTH = 4K\n  OTP (r) : ORIGIN = @F@ + 0x100000, "
                                        "LENGTH = 528\n}") + """SECTIONS {
  .text : { KEEP(*(.vectors)) *(.text*) *(.rodata*) *(.ov_*) *(.table*) } > FLASH
  .data : { *(.data*) *(.ramfunc*) *(.ccm*) } > RAM AT> FLASH
  .bkp (NOLOAD) : { *(.noinit*) } > BKP
""" + REST + SPARE + "}\n",
    "without >": MEMORY + """SECTIONS {
  .text : { KEEP(*(.vectors)) *(.text*) *(.rodata*) *(.ov_*) *(.table*) } > FLASH
  .data : { *(.data*) *(.ramfunc*) *(.ccm*) } > RAM AT> FLASH
  .bss : { *(.bss*) *(COMMON) *(.noinit*) }
  .tail (NOLOAD) : { . += 64; } > RAM
""" + SPARE + "}\n",
}
# Too small on purpose.
for region, least in (("FLASH", "64K"), ("RAM", "16K")):
    SCRIPTS[f"small {region}"] = SCRIPTS["plain"].replace(f"LENGTH = {least}", "LENGTH = 0x200")
