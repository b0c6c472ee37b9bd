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
    # A vendor's template for C: tables of what to copy and to clear, stack and heap without bytes, COPY.
    "copy tables": MEMORY + """__STACK_SIZE = 0x300; __HEAP_SIZE = 0x200;
ENTRY(start)
SECTIONS {
  .text : { KEEP(*(.vectors)) *(.text*) KEEP(*(.init)) KEEP(*(.fini)) *(.rodata*) *(.ov_*) KEEP(*(.table*)) } > FLASH
  .copy.table : { . = ALIGN(4); __copy_table_start__ = .; LONG (__etext) LONG (__data_start__)
    LONG ((__data_end__ - __data_start__) / 4) __copy_table_end__ = .; } > FLASH
  .zero.table : { . = ALIGN(4); __zero_table_start__ = .; LONG (__bss_start__) LONG ((__bss_end__ - __bss_start__) / 4)
    __zero_table_end__ = .; } > FLASH
  __etext = ALIGN(4);
  .data : AT (__etext) { __data_start__ = .; *(.data*) *(.ramfunc*) *(.ccm*) . = ALIGN(4); __data_end__ = .; } > RAM
  .bss : { . = ALIGN(4); __bss_start__ = .; *(.bss*) *(COMMON) *(.noinit*) . = ALIGN(4); __bss_end__ = .; } > RAM
  .heap (COPY) : { . = ALIGN(8); __end__ = .; PROVIDE(end = .); . = . + __HEAP_SIZE; . = ALIGN(8); __HeapLimit = .; } > RAM
  .stack (ORIGIN(RAM) + LENGTH(RAM) - __STACK_SIZE) (COPY) : { . = ALIGN(8); __StackLimit = .; . = . + __STACK_SIZE;
    . = ALIGN(8); __StackTop = .; } > RAM
  PROVIDE(__stack = __StackTop);
  ASSERT(__StackLimit >= __HeapLimit, "region RAM overflowed with stack")
""" + SPARE + "}\n",
    # Generated by a preprocessor: names of sections without a dot, sizes by symbols, a region for lists.
    "generated": """
_region_min_align = 32;
MEMORY
    {
    FLASH (rx) : ORIGIN = (@F@ + 0x200), LENGTH = (64 * 1K - 0x200 - 0x0)
    RAM (wx) : ORIGIN = @R@, LENGTH = ((16) << 10)
    IDT_LIST (wx) : ORIGIN = 0xFFFFF7FF, LENGTH = 2K
    }
ENTRY("start")
SECTIONS
    {
    rom_start :
        {
    . = 0x0; . = ALIGN(1 << LOG2CEIL(4 * 32)); _vector_start = .; KEEP(*(.vectors)) _vector_end = .;
        } > FLASH
    text :
        { __text_region_start = .; *(.text) *(".text.*") *(.ov_*) . = ALIGN(4); } > FLASH
    __text_region_end = .;
    initlevel : { __init_start = .; KEEP(*(SORT(.init_*))) __init_end = .; } > FLASH
    device_area : SUBALIGN(4) { _device_list_start = .; KEEP(*(SORT_BY_NAME(.table*))); _device_list_end = .; } > FLASH
    rodata : { *(.rodata) *(".rodata.*") . = ALIGN(4); } > FLASH
    __rodata_region_end = .;
    . = ALIGN(_region_min_align);
    .ramfunc : { __ramfunc_start = .; *(.ramfunc) *(".ramfunc.*") . = ALIGN(_region_min_align); __ramfunc_end = .; } > RAM AT > FLASH
    __ramfunc_size = __ramfunc_end - __ramfunc_start;
    datas : { __data_region_start = .; *(.data) *(".data.*") *(.ccm) } > RAM AT > FLASH
    bss (NOLOAD) : { . = ALIGN(4); __bss_start = .; *(.bss) *(".bss.*") *(COMMON) __bss_end = ALIGN(4); } > RAM AT > RAM
    noinit (NOLOAD) : { *(.noinit) *(".noinit.*") } > RAM AT > RAM
    _end = .; z_mapped_end = .;
    .last_ram_section (NOLOAD) : { _image_ram_end = .; } > RAM AT > RAM
""" + SPARE + "    }\n",
    # A chip that sees one memory at two addresses, and flash through a cache at others.
    "two buses": """MEMORY {
  iflash_seg (RX) : org = @F@ + 0x20, len = (0x10000 - 0x20)
  iram0_0_seg (RX) : org = @C@, len = 8K
  dram0_0_seg (RW) : org = @R@ + 0x400, len = 16K - 0x400
  dflash_seg (R) : org = @F@ + 0x10000 + 0x20, len = 0x10000 - 0x20
  rtc_slow_seg (RW) : org = @C@ + 0x4000, len = 0x1000 - 24
}
_heap_end = ORIGIN(dram0_0_seg) + LENGTH(dram0_0_seg);
REGION_ALIAS("default_code_seg", iflash_seg);
REGION_ALIAS("default_rodata_seg", dflash_seg);
SECTIONS {
  .rtc.bss (NOLOAD) : { *(.noinit*) } > rtc_slow_seg
  .iram0.vectors : { _iram_start = ABSOLUTE(.); KEEP(*(.vectors)); . = ALIGN(4); } > iram0_0_seg
  .iram0.text : { *(.ramfunc*) *(.ov_*) } > iram0_0_seg
  .iram0.text_end (NOLOAD) : { . = ALIGN(16); _iram_end = ABSOLUTE(.); } > iram0_0_seg
  .dram0.data : { _data_start = ABSOLUTE(.); *(.data*) *(.ccm*) . = ALIGN(4); _data_end = ABSOLUTE(.); } > dram0_0_seg
  .dram0.bss (NOLOAD) : { . = ALIGN(8); _bss_start = ABSOLUTE(.); *(.bss*) *(COMMON) . = ALIGN(8); } > dram0_0_seg
  .flash.appdesc : ALIGN(0x10) { KEEP(*(.table*)) } > default_rodata_seg
  .flash.rodata : ALIGN(0x10) { *(.rodata*) . = ALIGN(4); } > default_rodata_seg
  .flash.text : { _instruction_reserved_start = ABSOLUTE(.); *(.text*) . += 16; _text_end = ABSOLUTE(.); } > default_code_seg
  .dram0.heap_start (NOLOAD) : { . = ALIGN(8); _heap_start = ABSOLUTE(.); } > dram0_0_seg
""" + SPARE + "}\n",
    # An IDE writes it: tables of sections in flash, FILL in each, one .data and .bss a bank.
    "banks": MEMORY.replace("CCM", "RAM2") + """__top_RAM = @R@ + 0x4000;
SECTIONS {
  .text : ALIGN(4) {
    FILL(0xff)
    __vectors_start__ = ABSOLUTE(.); KEEP(*(.vectors))
    . = ALIGN(4); __section_table_start = .;
    __data_section_table = .; LONG(LOADADDR(.data)); LONG(ADDR(.data)); LONG(SIZEOF(.data));
    LONG(LOADADDR(.data_RAM2)); LONG(ADDR(.data_RAM2)); LONG(SIZEOF(.data_RAM2)); __data_section_table_end = .;
    __bss_section_table = .; LONG(ADDR(.bss)); LONG(SIZEOF(.bss)); __bss_section_table_end = .; __section_table_end = .;
    . = 0x400; PROVIDE(__CRP_WORD_START__ = .); KEEP(*(.table*)) PROVIDE(__CRP_WORD_END__ = .);
  } > FLASH
  .text : ALIGN(4) { *(.text*) *(.rodata .rodata.* .constdata) *(.ov_*) . = ALIGN(4); } > FLASH
  _etext = .;
  .data_RAM2 : ALIGN(4) { FILL(0xff) *(.ramfunc*) *(.ccm*) . = ALIGN(4); } > RAM2 AT>FLASH
  .uninit_RESERVED (NOLOAD) : ALIGN(4) { _start_uninit_RESERVED = .; . += 0x40; KEEP(*(.bss.$RESERVED*)) . = ALIGN(4); } > RAM
  .data : ALIGN(4) { FILL(0xff) _data = .; *(vtable) *(.data*) . = ALIGN(4); _edata = .; } > RAM AT>FLASH
  .bss : ALIGN(4) { _bss = .; *(.bss*) *(COMMON) . = ALIGN(4); _ebss = .; PROVIDE(end = .); } > RAM
  .noinit (NOLOAD) : ALIGN(4) { _noinit = .; *(.noinit*) . = ALIGN(4); _end_noinit = .; } > RAM
  PROVIDE(_pvHeapStart = DEFINED(__user_heap_base) ? __user_heap_base : .);
  PROVIDE(_vStackTop = DEFINED(__user_stack_top) ? __user_stack_top : __top_RAM - 0);
""" + SPARE + "}\n",
    # A second boot stage of 256 bytes in front, small memories for stacks, marks without contents.
    "boot stage": """MEMORY {
    FLASH(rx) : ORIGIN = @F@, LENGTH = 2048k
    RAM(rwx) : ORIGIN = @R@, LENGTH = 16k
    SCRATCH_X(rwx) : ORIGIN = @C@, LENGTH = 4k
    SCRATCH_Y(rwx) : ORIGIN = @C@ + 0x1000, LENGTH = 4k
}
ENTRY(start)
SECTIONS {
    .flash_begin : { __flash_binary_start = .; } > FLASH
    .boot2 : { __boot2_start__ = .; KEEP (*(.boot2)) BYTE(0x5a) . = __boot2_start__ + 256; __boot2_end__ = .; } > FLASH
    ASSERT(__boot2_end__ - __boot2_start__ == 256, "ERROR: the second stage must be 256 bytes in size")
    .text : { __logical_binary_start = .; KEEP (*(.vectors)) *(EXCLUDE_FILE(*libgcc.a: *libc.a:*lib_a-mem*.o) .text*) . = ALIGN(4);
        *(.eh_frame*) . = ALIGN(4); } > FLASH
    .rodata : { *(.rodata*) *(.table*) . = ALIGN(4); *(SORT_BY_ALIGNMENT(SORT_BY_NAME(.flashdata*))) . = ALIGN(4); } > FLASH
    __etext = .;
    .ram_vector_table (NOLOAD): { . = ALIGN(256); . += 192; } > RAM
    .data : { __data_start__ = .; *(vtable) *(.ramfunc*) *(.data*) . = ALIGN(4); __data_end__ = .; } > RAM AT> FLASH
    .uninitialized_data (NOLOAD): { . = ALIGN(4); *(.noinit*) } > RAM
    .scratch_x : { __scratch_x_start__ = .; *(.ccm*) . = ALIGN(4); } > SCRATCH_X AT > FLASH
    .scratch_y : { *(.ov_*) . = ALIGN(4); } > SCRATCH_Y AT > FLASH
    .bss : { . = ALIGN(4); *(SORT_BY_ALIGNMENT(SORT_BY_NAME(.bss*))) *(COMMON) . = ALIGN(4); } > RAM
    .heap (NOLOAD): { __end__ = .; . += 0x400; __HeapLimit = .; } > RAM
    .stack1_dummy (NOLOAD): { . += 0x800; } > SCRATCH_X
    .stack_dummy (NOLOAD): { . += 0x800; } > SCRATCH_Y
    .flash_end : { PROVIDE(__flash_binary_end = .); } > FLASH
""" + SPARE + "}\n",
    # Stacks as sections of their own, and a heap of all that is left.
    "heap of the rest": """MEMORY {
    flash0 (rx) : org = @F@, len = 64k
    flash1 (rx) : org = 0x00000000, len = 0
    ram0 (wx) : org = @R@, len = 16k
    ram4 (wx) : org = @C@, len = 8k
}
REGION_ALIAS("VECTORS_FLASH", flash0); REGION_ALIAS("VECTORS_FLASH_LMA", flash0);
REGION_ALIAS("TEXT_FLASH", flash0); REGION_ALIAS("DATA_RAM", ram0); REGION_ALIAS("DATA_RAM_LMA", flash0);
REGION_ALIAS("BSS_RAM", ram0); REGION_ALIAS("HEAP_RAM", ram0); REGION_ALIAS("MAIN_STACK_RAM", ram4);
__main_stack_size__ = 0x400; __process_stack_size__ = 512;
SECTIONS
{
    .vectors : ALIGN(1024) { __vectors_base__ = .; KEEP(*(.vectors)) __vectors_end__ = .; } > VECTORS_FLASH AT > VECTORS_FLASH_LMA
    .text : ALIGN_WITH_INPUT { __text_base__ = .; *(.text) *(.text.*) *(.ov_*) } > TEXT_FLASH AT > TEXT_FLASH
    .rodata : ALIGN(4) { *(.rodata) *(.rodata.*) *(.table) . = ALIGN(4); } > TEXT_FLASH AT > TEXT_FLASH
    .mstack (NOLOAD) : { . = ALIGN(8); __main_stack_base__ = .; . += __main_stack_size__; . = ALIGN(8); } > MAIN_STACK_RAM
    .pstack (NOLOAD) : { . = ALIGN(8); . += __process_stack_size__; . = ALIGN(8); } > MAIN_STACK_RAM
    .data : ALIGN(4) { PROVIDE(_data = .); *(.data) *(.data.*) *(.ramfunc) . = ALIGN(4); } > DATA_RAM AT > DATA_RAM_LMA
    .ram4_init : ALIGN(4) { *(.ccm) . = ALIGN(4); } > ram4 AT > DATA_RAM_LMA
    .bss (NOLOAD) : ALIGN(4) { *(.bss) *(.bss.*) *(COMMON) . = ALIGN(4); } > BSS_RAM
    .ram0 (NOLOAD) : ALIGN(4) { *(.noinit*) . = ALIGN(4); } > ram0
    .heap (NOLOAD) : { . = ALIGN(8); __heap_base__ = .; . = ORIGIN(HEAP_RAM) + LENGTH(HEAP_RAM); __heap_end__ = .; } > HEAP_RAM
""" + SPARE + "}\n",
    # Of a metal library: a program header a use, empty sections that align where bytes are stored.
    "load headers": """MEMORY {
    itim (arwx) : ORIGIN = @C@, LENGTH = 0x2000
    ram (arw!x) : ORIGIN = @R@, LENGTH = 0x4000
    rom (rx!wa) : ORIGIN = @F@, LENGTH = 0x10000
}
PHDRS { rom PT_LOAD; ram_init PT_LOAD; itim_init PT_LOAD; ram PT_LOAD; }
SECTIONS {
    __stack_size = DEFINED(__stack_size) ? __stack_size : 0x400;
    PROVIDE(__heap_size = DEFINED(__heap_size) ? __heap_size : 0x800);
    .init : { KEEP (*(.vectors)) } >rom :rom
    .text : { *(.text.unlikely .text.unlikely.*) *(.text .text.*) *(.ov_*) } >rom :rom
    .rodata : { *(.rdata) *(.rodata .rodata.*) *(.table) . = ALIGN(8); } >rom :rom
    . = ALIGN(4);
    .itim : ALIGN(8) { *(.ramfunc .ramfunc.*) . = ALIGN(8); } >itim AT>rom :itim_init
    .data : ALIGN(8) { *(.data .data.*) *(.ccm) . = ALIGN(8); PROVIDE( __global_pointer$ = . + 0x800 ); *(.sdata .sdata.*) . = ALIGN(8); } >ram AT>rom :ram_init
    PROVIDE( metal_segment_data_source_start = LOADADDR(.data) );
    .bss (NOLOAD): ALIGN(8) { *(.sbss*) *(.bss .bss.*) *(COMMON) *(.noinit) . = ALIGN(8); } >ram AT>ram :ram
    .stack (NOLOAD) : ALIGN(16) { . += __stack_size; } >ram :ram
    .heap (NOLOAD) : ALIGN(16) { . += __heap_size; } >ram :ram
""" + SPARE + "}\n",
    # A system's own words: lower case, symbols made absolute, tables of debug info listed one by one.
    "absolute symbols": """MEMORY
{
    /* the first page is the boot loader's */
    flash (rx)  : ORIGIN = @F@ + 4K, LENGTH = 60K
    sram (rwx)  : ORIGIN = @R@, LENGTH = 16K
    ccsram (rwx) : ORIGIN = @C@, LENGTH = 8K
}

ENTRY(start)
EXTERN(vectors)
SECTIONS
{
    .text : {
        _stext = ABSOLUTE(.);
        *(.vectors)
        . = ALIGN(32);
        _bootdelay_signature = ABSOLUTE(.); FILL(0x5d7d05c5) . += 8;
        *(.text .text.*) *(.ov_*) *(.fixup) *(.gnu.warning) *(.rodata .rodata.*) *(.table)
        _etext = ABSOLUTE(.);
        . = ALIGN(16);
    } > flash
    .init_section : { _sinit = ABSOLUTE(.); KEEP(*(.init_array .init_array.*)) _einit = ABSOLUTE(.); } > flash
    _eronly = ABSOLUTE(.);
    .data : { _sdata = ABSOLUTE(.); *(.data .data.*) *(.ccm) CONSTRUCTORS . = ALIGN(4); _edata = ABSOLUTE(.); } > sram AT > flash
    .ramfunc ALIGN(4): { _sramfuncs = .; *(.ramfunc .ramfunc.*) . = ALIGN(4); _eramfuncs = .; } > sram AT > flash
    _framfuncs = LOADADDR(.ramfunc);
    .bss : { _sbss = ABSOLUTE(.); *(.bss .bss.*) *(COMMON) . = ALIGN(4); _ebss = ABSOLUTE(.); } > sram
    .noinit (NOLOAD) : { *(.noinit) } > ccsram
    .stab 0 : { *(.stab) }
    .stabstr 0 : { *(.stabstr) }
    .debug_info 0 : { *(.debug_info) }
    .debug_line 0 : { *(.debug_line) }
""" + SPARE + "}\n",
    # Of a C library for small machines: data behind code where it is stored, sections for eeprom and fuses.
    "eeprom and fuses": """__TEXT_REGION_LENGTH__ = DEFINED(__TEXT_REGION_LENGTH__) ? __TEXT_REGION_LENGTH__ : 64K;
__DATA_REGION_LENGTH__ = DEFINED(__DATA_REGION_LENGTH__) ? __DATA_REGION_LENGTH__ : 0x4000;
MEMORY
{
  text   (rx)   : ORIGIN = @F@, LENGTH = __TEXT_REGION_LENGTH__
  data   (rw!x) : ORIGIN = @R@, LENGTH = __DATA_REGION_LENGTH__
  eeprom (rw!x) : ORIGIN = @C@, LENGTH = 4K
  fuse   (rw!x) : ORIGIN = @C@ + 0x10000, LENGTH = 3
}
SECTIONS
{
  .text   :
  { *(.vectors) KEEP(*(.vectors)) *(.progmem.gcc*) *(.table*) . = ALIGN(2); *(.trampolines) *(.trampolines*) *(.text) . = ALIGN(2);
    *(.text.*) *(.ov_*) . = ALIGN(2); _etext = . ; }  > text
  .data : { PROVIDE (__data_start = .) ; *(.data) *(.data*) *(.rodata) *(.rodata*) *(.gnu.linkonce.d*) *(.ramfunc) . = ALIGN(2);
    _edata = . ; PROVIDE (__data_end = .) ; } > data AT> text
  .bss : { PROVIDE (__bss_start = .) ; *(.bss) *(.bss*) *(COMMON) PROVIDE (__bss_end = .) ; } > data
  __data_load_start = LOADADDR(.data);
  .noinit (NOLOAD) : { PROVIDE (__noinit_start = .) ; *(.noinit*) PROVIDE (__noinit_end = .) ; _end = . ; } > data
  .eeprom : { KEEP(*(.ccm*)) __eeprom_end = . ; } > eeprom
  .fuse : { BYTE(0x62) BYTE(0xd9) BYTE(0xff) } > fuse
""" + SPARE + "}\n",
}
# Too small on purpose.
for region, least in (("FLASH", "64K"), ("RAM", "16K")):
    SCRIPTS[f"small {region}"] = SCRIPTS["plain"].replace(f"LENGTH = {least}", "LENGTH = 0x200")
