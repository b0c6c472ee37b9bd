/* Maps of every linker, small and odd ones. */
#include "image/linkmap_image.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

static struct notes notes;

static int begin(void **state)
{
	(void)state;
	notes_init(&notes);
	return 0;
}

static int end(void **state)
{
	(void)state;
	notes_release(&notes);
	return 0;
}

static struct linkmap parse(const char *text)
{
	struct linkmap lm;
	struct heft_err err = { 0 };
	const struct bytes bytes = { (const uint8_t *)text, strlen(text) };
	if (!linkmap_parse(&lm, "x.map", bytes, &notes, &err))
		fail_msg("%s", err.text);
	return lm;
}

static void assert_text(struct str s, const char *expected)
{
	if (!str_eq(s, str_of(expected)))
		fail_msg("\"" STR_FMT "\" is not \"%s\"", STR_ARG(s), expected);
}

/* "NAME ADDR SIZE" of a section. */
static void assert_section(const struct linkmap *lm, size_t i, const char *expected)
{
	char text[200];
	assert_true(i < lm->sections.count);
	const struct linkmap_section *s = &lm->sections.data[i];
	snprintf(text, sizeof text, STR_FMT " %" PRIx64 " %" PRIx64,
		 STR_ARG(linkmap_text(lm, s->name)), s->addr, s->size);
	assert_string_equal(text, expected);
}

/* "ADDR SIZE KIND NAME OBJECT" of a piece. */
static void assert_piece(const struct linkmap *lm, size_t i, const char *expected)
{
	static const char *const kinds[] = { "object", "common", "merged", "internal", "fill" };
	char text[300];
	assert_true(i < lm->pieces.count);
	const struct linkmap_piece *p = &lm->pieces.data[i];
	snprintf(text, sizeof text, "%" PRIx64 " %" PRIx64 " %s " STR_FMT " " STR_FMT, p->addr,
		 p->size, kinds[p->kind], STR_ARG(linkmap_piece_name(lm, p)),
		 STR_ARG(linkmap_object(lm, p->object)));
	assert_string_equal(text, expected);
}

/* "PIECE ADDR SIZE NAME" of a symbol. */
static void assert_symbol(const struct linkmap *lm, size_t i, const char *expected)
{
	char text[300];
	assert_true(i < lm->symbols.count);
	const struct linkmap_symbol *s = &lm->symbols.data[i];
	snprintf(text, sizeof text, "%d %" PRIx64 " %" PRIx64 " " STR_FMT, (int)(int32_t)s->piece,
		 s->addr, s->size, STR_ARG(linkmap_symbol_name(lm, s)));
	assert_string_equal(text, expected);
}

/* ---- GNU ld ---------------------------------------------------------------------- */

#define GNU_HEAD                                                                                   \
	"\nMemory Configuration\n\n"                                                               \
	"Name             Origin             Length             Attributes\n"                      \
	"*default*        0x0000000000000000 0xffffffffffffffff\n\n"                               \
	"Linker script and memory map\n\n"                                                         \
	"LOAD /usr/lib/crt1.o\nLOAD dir with blanks/0x10 x.o\nSTART GROUP\nEND GROUP\n"

static void gnu_pieces_have_a_line_or_two(void **state)
{
	(void)state;
	struct linkmap lm = parse(
		GNU_HEAD
		"\n"
		".text           0x0000000000001060       0x60 load address 0x0000000000000060\n"
		" *(.text.unlikely .text.*_unlikely .text.unlikely.*)\n"
		" KEEP (*(SORT_BY_NAME(.text.sorted.*)))\n"
		" .text.f        0x0000000000001060       0x10 dir with blanks/x (1).o\n"
		"                0x0000000000001060                f\n"
		" .text._ZN3foo3barEv\n"
		"                0x0000000000001070       0x20 libx.a(y.o)\n"
		"                0x0000000000001070                std::map<int, char "
		"(*)(int)>::operator=(S const&)\n"
		"                0x0000000000001070                ns::operator\"\" _x(unsigned "
		"long long)\n"
		" *fill*         0x0000000000001090        0xe 9090\n"
		" .text.stub     0x000000000000109e        0x2 linker stubs\n"
		" .text.g        0x00000000000010a0       0x20 /tmp/ccAbc1.ltrans0.ltrans.o\n");
	assert_int_equal(lm.linker, LINKMAP_GNU);
	assert_int_equal(lm.sections.count, 1);
	assert_section(&lm, 0, ".text 1060 60");
	assert_int_equal(lm.pieces.count, 5);
	assert_piece(&lm, 0, "1060 10 object .text.f dir with blanks/x (1).o");
	assert_piece(&lm, 1, "1070 20 object .text._ZN3foo3barEv libx.a(y.o)");
	assert_piece(&lm, 2, "1090 e fill *fill* ");
	assert_piece(&lm, 3, "109e 2 internal .text.stub linker stubs");
	assert_piece(&lm, 4, "10a0 20 object .text.g ltrans0.ltrans.o");
	assert_int_equal(lm.symbols.count, 3);
	assert_symbol(&lm, 0, "0 1060 0 f");
	assert_symbol(&lm, 1, "1 1070 0 std::map<int, char (*)(int)>::operator=(S const&)");
	assert_symbol(&lm, 2, "1 1070 0 ns::operator\"\" _x(unsigned long long)");
	assert_int_equal(notes.count, 0);
	linkmap_release(&lm);
}

static void gnu_sections_have_a_line_or_two_or_no_contents(void **state)
{
	(void)state;
	struct linkmap lm = parse(GNU_HEAD "\n"
					   ".hash\n"
					   " *(.hash)\n"
					   "\n"
					   ".note.gnu.property\n"
					   "                0x0000000000000370       0x20\n"
					   " .note.gnu.property\n"
					   "                0x0000000000000370       0x20 a.o\n"
					   "\n"
					   "/DISCARD/\n"
					   " *(.note.GNU-stack)\n"
					   "\n"
					   ".tbss           0x0000000000000390        0x4\n"
					   " .tbss.z        0x0000000000000390        0x4 a.o\n"
					   "                0x0000000000000390                z\n"
					   "OUTPUT(x elf64-x86-64)\n");
	assert_int_equal(lm.sections.count, 2);
	assert_section(&lm, 0, ".note.gnu.property 370 20");
	assert_section(&lm, 1, ".tbss 390 4");
	assert_true(lm.sections.data[1].tls);
	assert_int_equal(lm.sections.data[1].first_piece, 1);
	assert_int_equal(lm.sections.data[1].piece_count, 1);
	assert_symbol(&lm, 0, "1 390 0 z");
	assert_int_equal(notes.count, 0);
	linkmap_release(&lm);
}

static void gnu_merged_pieces_end_where_the_next_one_begins(void **state)
{
	(void)state;
	struct linkmap lm = parse(
		GNU_HEAD ".rodata         0x0000000000002000       0x48\n"
			 " .rodata.main.str1.1\n"
			 "                0x0000000000002000       0x18 a.o\n"
			 "                                         0x1a (size before relaxing)\n"
			 " .rodata.f.str1.1\n"
			 "                0x0000000000002018       0x20 b.o\n"
			 " .rodata.empty  0x0000000000002018        0x0 b.o\n"
			 " .rodata.table  0x0000000000002018       0x30 b.o\n"
			 " .rodata.cst16  0x0000000000002048       0x10 libl.a(l.o)\n");
	assert_piece(&lm, 0, "2000 18 merged .rodata.main.str1.1 a.o");
	assert_int_equal(lm.pieces.data[0].input_size, 0x1a);
	assert_piece(&lm, 1, "2018 0 merged .rodata.f.str1.1 b.o");
	assert_int_equal(lm.pieces.data[1].input_size, 0x20);
	assert_piece(&lm, 2, "2018 0 object .rodata.empty b.o");
	assert_piece(&lm, 3, "2018 30 object .rodata.table b.o");
	assert_piece(&lm, 4, "2048 0 merged .rodata.cst16 libl.a(l.o)");
	assert_int_equal(notes.count, 0);
	linkmap_release(&lm);
}

static void gnu_scripts_define_symbols_and_data(void **state)
{
	(void)state;
	struct linkmap lm = parse(
		GNU_HEAD
		"                [!provide]                        PROVIDE (__executable_start = "
		"0x0)\n"
		"                0x0000000000000350                . = (0x0 + SIZEOF_HEADERS)\n"
		".data           0x0000000000000350       0x10\n"
		"                0x0000000000000350                PROVIDE (start = .)\n"
		" .data          0x0000000000000350        0x8 a.o\n"
		"                0x0000000000000350                first\n"
		"                0x0000000000000358        0x4 LONG 0x1\n"
		" FILL mask 0x90\n"
		"                0x000000000000035c                PROVIDE_HIDDEN (mid = .)\n"
		"                0x000000000000035c                stack_size = 0x400\n"
		"                0x0000000000000001                ASSERT ((. < 0x400), too "
		"large)\n"
		" *fill*         0x000000000000035c        0x4 \n"
		"                0x0000000000000360                _edata = .\n"
		"                0x0000000000000360                . = ALIGN (0x8)\n");
	assert_int_equal(lm.pieces.count, 3);
	assert_piece(&lm, 1, "358 4 internal LONG 0x1 ");
	assert_piece(&lm, 2, "35c 4 fill *fill* ");
	assert_int_equal(lm.symbols.count, 4);
	assert_symbol(&lm, 0, "0 350 0 first");
	assert_symbol(&lm, 1, "-1 350 0 start");
	assert_symbol(&lm, 2, "-1 35c 0 mid");
	assert_symbol(&lm, 3, "-1 360 0 _edata");
	assert_int_equal(notes.count, 0);
	linkmap_release(&lm);
}

static const char gnu_front[] = "Archive member included to satisfy reference by file (symbol)\n"
				"\n"
				"libl.a(l.o)                   a.o (lib_fn)\n"
				"\n"
				"As-needed library included to satisfy reference by file (symbol)\n"
				"\n"
				"libc.so.6                     a.o (puts@@GLIBC_2.2.5)\n"
				"\n"
				"Allocating common symbols\n"
				"Common symbol       size              file\n"
				"\n"
				"small               0x4               a.o\n"
				"a_name_of_more_than_twenty_characters\n"
				"                    0x3e8             dir/b c.o\n"
				"\n"
				"Discarded input sections\n"
				"\n"
				" .note.GNU-stack\n"
				"                0x0000000000000000        0x0 a.o\n"
				" .text.dead     0x0000000000000000       0x1c libl.a(l.o)\n";

static const char gnu_common[] = ".bss            0x0000000000004040      0x428\n"
				 " *(.bss .bss.*)\n"
				 " *(COMMON)\n"
				 " *fill*         0x0000000000004040        0x4 \n"
				 " COMMON         0x0000000000004044        0x4 a.o\n"
				 "                0x0000000000004044                small\n"
				 "\n"
				 "Cross Reference Table\n"
				 "\n"
				 "Symbol                                            File\n"
				 "main                                              a.o\n"
				 " .text          0x0000000000004044        0x4 a.o\n";

static void gnu_tables_in_front_are_read(void **state)
{
	(void)state;
	char text[4000];
	snprintf(text, sizeof text, "%s%s%s", gnu_front, GNU_HEAD, gnu_common);
	struct linkmap lm = parse(text);
	assert_int_equal(lm.commons.count, 2);
	assert_text(linkmap_text(&lm, lm.commons.data[0].name), "small");
	assert_text(linkmap_text(&lm, lm.commons.data[1].name),
		    "a_name_of_more_than_twenty_characters");
	assert_int_equal(lm.commons.data[1].size, 0x3e8);
	assert_text(linkmap_object(&lm, lm.commons.data[1].object), "dir/b c.o");
	assert_int_equal(lm.discarded.count, 2);
	assert_text(linkmap_piece_name(&lm, &lm.discarded.data[1]), ".text.dead");
	assert_int_equal(lm.discarded.data[1].input_size, 0x1c);
	assert_text(linkmap_object(&lm, lm.discarded.data[1].object), "libl.a(l.o)");
	assert_int_equal(lm.pieces.count, 2);
	assert_piece(&lm, 1, "4044 4 common COMMON a.o");
	assert_int_equal(notes.count, 0);
	linkmap_release(&lm);
}

/* ---- gold ------------------------------------------------------------------------ */

static void gold_names_its_own_pieces(void **state)
{
	(void)state;
	struct linkmap lm = parse("Memory map\n"
				  "\n"
				  " ** file header\n"
				  "                0x0000000000000000       0x40\n"
				  " ** segment headers\n"
				  "                0x0000000000000040      0x268\n"
				  "\n"
				  ".rodata         0x0000000000000880       0x68\n"
				  " ** merge strings\n"
				  "                0x0000000000000880       0x27\n"
				  " .rodata.str    0xffffffffffffffff       0x12 a.o\n"
				  " ** fill        0x00000000000008a7       0x19\n"
				  " .rodata.table  0x00000000000008c0       0x28 a.o\n"
				  "                0x00000000000008c0                table\n"
				  "\n"
				  ".tdata          0x0000000000001db8        0x4\n"
				  " .tdata.tls_i   0x0000000000001db8        0x4 a.o\n"
				  "                0x0000000000000000                tls_i\n"
				  "\n"
				  ".tbss           0x0000000000001dbc        0x4\n"
				  " .tbss.tls_z    0x0000000000001dbc        0x4 a.o\n"
				  "                0x0000000000000004                tls_z\n"
				  "\n"
				  ".bss            0x0000000000002040      0x42c\n"
				  " ** common      0x0000000000002080      0x3ec\n");
	assert_int_equal(lm.linker, LINKMAP_GOLD);
	assert_section(&lm, 0, "file header 0 40");
	assert_section(&lm, 1, "segment headers 40 268");
	assert_true(lm.sections.data[0].header && lm.sections.data[1].header);
	assert_false(lm.sections.data[2].header);
	assert_piece(&lm, 2, "880 27 merged merge strings ");
	assert_piece(&lm, 3, "8a7 0 merged .rodata.str a.o");
	assert_int_equal(lm.pieces.data[3].input_size, 0x12);
	assert_piece(&lm, 4, "8a7 19 fill fill ");
	assert_piece(&lm, 5, "8c0 28 object .rodata.table a.o");
	assert_piece(&lm, 8, "2080 3ec common common ");
	assert_symbol(&lm, 1, "6 1db8 0 tls_i");
	assert_symbol(&lm, 2, "7 1dbc 0 tls_z");
	assert_int_equal(notes.count, 0);
	linkmap_release(&lm);
}

static void gold_is_told_from_gnu_ld_by_the_memory_map(void **state)
{
	(void)state;
	char text[4000];
	snprintf(text, sizeof text, "%s\nMemory map\n\n.text           0x10 0x20\n", gnu_front);
	struct linkmap lm = parse(text);
	assert_int_equal(lm.linker, LINKMAP_GOLD);
	assert_int_equal(lm.commons.count, 2);
	assert_section(&lm, 0, ".text 10 20");
	linkmap_release(&lm);
}

/* ---- lld and mold ------------------------------------------------------------------- */

#define LLD_HEAD "             VMA              LMA     Size Align Out     In      Symbol\n"

static void lld_columns_are_read(void **state)
{
	(void)state;
	struct linkmap lm = parse(
		LLD_HEAD
		"            18a0             18a0       40    16 .text\n"
		"            18a0             18a0       22    16         dir (1)/x:y.o:(.text)\n"
		"            18a0             18a0       22     1                 std::f<(E)1>(int "
		"(*)(char))\n"
		"            18a0             18a0        0     1                 folded\n"
		"            18c2             18c2        0     1         crti.o:(.text)\n"
		"            18d0             18d0       10    16         "
		"libl.a(l.o):(.text.hot.g)\n"
		"            18e0             18e0       20     8 .eh_frame\n"
		"            18e0             18e0       1c     1         a.o:(.eh_frame+0x2c)\n"
		"            2000             2000       20     1 .rodata\n"
		"            2000             2000       20     1         <internal>:(.rodata)\n"
		"            3000             3000        8     1 .bss\n"
		"            3000             3000        4     4         a.o:(COMMON)\n"
		"            3008             3008        0     1 _end = .\n"
		"            3008             3008        0     1 PROVIDE_HIDDEN(__hidden_end = "
		".)\n"
		"            3008             3008        0     1 . = ALIGN(8)\n"
		"               0                0       42     1 .comment\n"
		"               0                0       42     1         <internal>:(.comment)\n");
	assert_int_equal(lm.linker, LINKMAP_LLD);
	assert_int_equal(lm.sections.count, 5);
	assert_section(&lm, 0, ".text 18a0 40");
	assert_int_equal(lm.sections.data[0].align_log2, 4);
	assert_piece(&lm, 0, "18a0 22 object .text dir (1)/x:y.o");
	assert_piece(&lm, 1, "18c2 0 object .text crti.o");
	assert_piece(&lm, 2, "18d0 10 object .text.hot.g libl.a(l.o)");
	assert_int_equal(lm.pieces.data[2].align_log2, 4);
	assert_piece(&lm, 3, "18e0 1c object .eh_frame a.o");
	assert_piece(&lm, 4, "2000 20 merged .rodata ");
	assert_piece(&lm, 5, "3000 4 common COMMON a.o");
	assert_symbol(&lm, 0, "0 18a0 22 std::f<(E)1>(int (*)(char))");
	assert_symbol(&lm, 1, "0 18a0 0 folded");
	assert_symbol(&lm, 2, "-1 3008 0 _end");
	assert_symbol(&lm, 3, "-1 3008 0 __hidden_end");
	assert_int_equal(notes.count, 0);
	linkmap_release(&lm);
}

static void gnu_rounds_sections_of_pe_programs(void **state)
{
	(void)state;
	struct linkmap lm = parse(
		GNU_HEAD "\n"
			 ".text           0x0000000140001000     0x7e00\n"
			 " .text          0x0000000140001000      0x510 crt2.o\n"
			 ".idata          0x000000014000f000      0x800\n"
			 " .idata$2       0x000000014000f000       0x14 libkernel32.a(h.o)\n");
	assert_int_equal(linkmap_find_section(&lm, STR(".text"), 0x140001000, 0x7c68), 0);
	assert_int_equal(linkmap_find_section(&lm, STR(".text"), 0x140001000, 0x7e00), 0);
	assert_int_equal(linkmap_find_section(&lm, STR(".text"), 0x140001000, 0x7f00),
			 LINKMAP_NONE);
	assert_int_equal(linkmap_find_section(&lm, STR(".text"), 0x140001000, 0x6e00),
			 LINKMAP_NONE);
	linkmap_release(&lm);
	lm = parse(GNU_HEAD "\n"
			    ".text           0x0000000000401000     0x7e00\n"
			    " .text          0x0000000000401000      0x510 crt1.o\n");
	assert_int_equal(linkmap_find_section(&lm, STR(".text"), 0x401000, 0x7c68), LINKMAP_NONE);
	linkmap_release(&lm);
}

static void objects_of_optimizers_are_named_after_their_modules(void **state)
{
	(void)state;
	struct linkmap lm = parse(
		LLD_HEAD
		"            18a0             18a0       40    16 .text\n"
		"            18a0             18a0        8     1         "
		"sub/app.lto.m.o:(.text.m)\n"
		"            18a8             18a8        8     1         sub/app.lto.lib.a(y.o at "
		"2560).o:(.text.y)\n"
		"            18b0             18b0        8     1         "
		"/tmp/app.lto.c-674df2.o:(.text.c)\n"
		"            18b8             18b8        8     1         app.lto.1.o:(.text.n)\n"
		"            18c0             18c0        8     1         app.lto.o:(.text.o)\n"
		"            18c8             18c8        8     1         "
		"/tmp/lto-llvm-230bb7.o:(.text.p)\n"
		"            18d0             18d0        8     1         "
		"out/c-674df2.o:(.text.q)\n");
	assert_piece(&lm, 0, "18a0 8 object .text.m sub/m.o");
	assert_piece(&lm, 1, "18a8 8 object .text.y sub/lib.a(y.o)");
	assert_piece(&lm, 2, "18b0 8 object .text.c c.o");
	assert_piece(&lm, 3, "18b8 8 object .text.n app.lto.1.o");
	assert_piece(&lm, 4, "18c0 8 object .text.o app.lto.o");
	assert_piece(&lm, 5, "18c8 8 object .text.p lto-llvm.o");
	assert_piece(&lm, 6, "18d0 8 object .text.q out/c-674df2.o");
	linkmap_release(&lm);
}

static void lld_lines_of_scripts_are_told_from_sections_and_pieces(void **state)
{
	(void)state;
	struct linkmap lm = parse(
		LLD_HEAD
		"               0                0    10000     1 . = 0x10000\n"
		"           10000            10000       cc    16 .text\n"
		"           10000            10000        0     1         start_text = .\n"
		"           10000            10000       10    16         a.o:(.text.f)\n"
		"           10010            10010       30     1         . = ALIGN ( 64 )\n"
		"           10040            10040        4     1         LONG ( 0x12345678 )\n"
		"           100fc            100fc        0     1 \n"
		"           100fc            100fc        0     1 ASSERT ( . < 0x100000, \"too "
		"big\" )\n");
	assert_int_equal(lm.sections.count, 1);
	assert_int_equal(lm.pieces.count, 3);
	assert_piece(&lm, 0, "10000 10 object .text.f a.o");
	assert_piece(&lm, 1, "10010 30 fill . = ALIGN ( 64 ) ");
	assert_piece(&lm, 2, "10040 4 internal LONG ( 0x12345678 ) ");
	assert_int_equal(lm.symbols.count, 1);
	assert_symbol(&lm, 0, "-1 10000 0 start_text");
	assert_int_equal(notes.count, 0);
	linkmap_release(&lm);
}

static void lld_prints_tls_symbols_as_offsets(void **state)
{
	(void)state;
	struct linkmap lm = parse(
		LLD_HEAD "            2af0             2af0        4     4 .tdata\n"
			 "            2af0             2af0        4     4         a.o:(.tdata.i)\n"
			 "               0                0        4     1                 i\n"
			 "            2af4             2af4        4     4 .tbss\n"
			 "            2af4             2af4        4     4         a.o:(.tbss.z)\n"
			 "               4                4        4     1                 z\n");
	assert_symbol(&lm, 0, "0 2af0 4 i");
	assert_symbol(&lm, 1, "1 2af4 4 z");
	linkmap_release(&lm);
}

static void lld_marks_of_arm_are_no_symbols(void **state)
{
	(void)state;
	struct linkmap lm = parse(
		LLD_HEAD
		"            1000             1000       20     4 .text\n"
		"            1000             1000       10     4         a.o:(.text.f)\n"
		"            1000             1000        0     1                 $t.0\n"
		"            1001             1001       10     1                 f\n"
		"            1008             1008        0     1                 $d.1\n"
		"            1010             1010       10     4         a.o:(.text.g)\n"
		"            1010             1010        0     1                 $x\n"
		"            1010             1010       10     1                 $_21::invoke()\n"
		"            1011             1011        0     1                 odd\n");
	assert_int_equal(lm.symbols.count, 3);
	assert_symbol(&lm, 0, "0 1000 10 f");
	assert_symbol(&lm, 1, "1 1010 10 $_21::invoke()");
	assert_symbol(&lm, 2, "1 1011 0 odd");
	linkmap_release(&lm);
}

static void lld_had_one_column_less_once(void **state)
{
	(void)state;
	struct linkmap lm = parse(
		"Address          Size             Align Out     In      Symbol\n"
		"0000000000201000 0000000000000015     4 .text\n"
		"0000000000201000 000000000000000e     4         /tmp/lto.tmp:(.text)\n"
		"0000000000201000 0000000000000000     0                 _start\n");
	assert_int_equal(lm.linker, LINKMAP_LLD);
	assert_section(&lm, 0, ".text 201000 15");
	assert_piece(&lm, 0, "201000 e object .text /tmp/lto.tmp");
	assert_symbol(&lm, 0, "0 201000 0 _start");
	linkmap_release(&lm);
}

static void mold_gives_sections_of_its_own_a_piece(void **state)
{
	(void)state;
	struct linkmap lm = parse(
		"               VMA       Size Align Out     In      Symbol\n"
		"                 0         64     8 EHDR\n"
		"              0x40        672     8 PHDR\n"
		"             0x700         40    32 .rodata\n"
		"             0x700         40    32         a.o:(.rodata.table)\n"
		"             0x700          0     0                 table\n"
		"             0x728         39     1 .rodata.str\n"
		"             0x760         16    16 .plt\n"
		"             0x780         64    64 .common\n"
		"             0x780          4     4         b.o:(.common)\n"
		"                 0       2944     8 SHDR\n");
	assert_int_equal(lm.linker, LINKMAP_MOLD);
	assert_int_equal(lm.sections.count, 7);
	assert_section(&lm, 1, "PHDR 40 2a0");
	assert_true(lm.sections.data[1].header && lm.sections.data[6].header);
	assert_piece(&lm, 2, "700 28 object .rodata.table a.o");
	assert_piece(&lm, 3, "728 27 merged .rodata.str ");
	assert_piece(&lm, 4, "760 10 internal .plt ");
	assert_piece(&lm, 5, "780 4 common .common b.o");
	assert_piece(&lm, 6, "0 b80 internal SHDR ");
	assert_symbol(&lm, 0, "2 700 0 table");
	assert_int_equal(notes.count, 0);
	linkmap_release(&lm);
}

/* ---- ld64 and MSVC ------------------------------------------------------------------- */

static void ld64_symbols_are_pieces(void **state)
{
	(void)state;
	struct linkmap lm = parse("# Path: /tmp/a.out\n"
				  "# Arch: x86_64\n"
				  "# Object files:\n"
				  "[  0] linker synthesized\n"
				  "[  1] /tmp/main.o\n"
				  "[  2] /tmp/libx.a(y z.o)\n"
				  "# Sections:\n"
				  "# Address\tSize    \tSegment\tSection\n"
				  "0x100003F50\t0x00000040\t__TEXT\t__text\n"
				  "0x100003FA0\t0x00000006\t__TEXT\t__cstring\n"
				  "# Symbols:\n"
				  "# Address\tSize    \tFile  Name\n"
				  "0x100003F50\t0x00000020\t[  1] _main\n"
				  "0x100003F70\t0x00000020\t[  2] -[Foo bar:with:]\n"
				  "0x100003F90\t0x00000000\t[  0] __end\n"
				  "0x100003FA0\t0x00000006\t[  1] literal string: hello\n"
				  "\n"
				  "# Dead Stripped Symbols:\n"
				  "#        \tSize    \tFile  Name\n"
				  "<<dead>> \t0x00000018\t[  2] _unused\n");
	assert_int_equal(lm.linker, LINKMAP_LD64);
	assert_section(&lm, 0, "__text 100003f50 40");
	assert_text(linkmap_text(&lm, lm.sections.data[0].segment), "__TEXT");
	assert_piece(&lm, 0, "100003f50 20 object __text /tmp/main.o");
	assert_piece(&lm, 1, "100003f70 20 object __text /tmp/libx.a(y z.o)");
	assert_piece(&lm, 2, "100003f90 0 internal __text ");
	assert_piece(&lm, 3, "100003fa0 6 merged __cstring /tmp/main.o");
	assert_symbol(&lm, 1, "1 100003f70 20 -[Foo bar:with:]");
	assert_symbol(&lm, 3, "3 100003fa0 6 literal string: hello");
	assert_int_equal(lm.discarded.count, 1);
	assert_text(linkmap_piece_name(&lm, &lm.discarded.data[0]), "_unused");
	assert_text(linkmap_object(&lm, lm.discarded.data[0].object), "/tmp/libx.a(y z.o)");
	assert_int_equal(notes.count, 0);
	linkmap_release(&lm);
}

static void msvc_symbols_go_on_up_to_the_next(void **state)
{
	(void)state;
	struct linkmap lm = parse(
		" prog\r\n"
		"\r\n"
		" Timestamp is 5f0c1c3e (Mon Jul 13 10:33:02 2020)\r\n"
		"\r\n"
		" Preferred load address is 0000000140000000\r\n"
		"\r\n"
		" Start         Length     Name                   Class\r\n"
		" 0001:00000000 00000100H .text$mn                CODE\r\n"
		" 0001:00000100 00000020H .text$x                 CODE\r\n"
		" 0002:00000000 00000030H .rdata                  DATA\r\n"
		"\r\n"
		"  Address         Publics by Value              Rva+Base               "
		"Lib:Object\r\n"
		"\r\n"
		" 0000:00000000       __ImageBase                0000000140000000     "
		"<linker-defined>\r\n"
		" 0001:00000000       main                       0000000140001000 f   main.obj\r\n"
		" 0001:00000110       ?dtor$0@?0??f@@YAXXZ@4HA   0000000140001110 f   main.obj\r\n"
		" 0001:00000080       printf                     0000000140001080 f i "
		"LIBCMT:printf.obj\r\n"
		" 0002:00000000       table                      0000000140002000     main.obj\r\n"
		"\r\n"
		" entry point at        0001:00000000\r\n"
		"\r\n"
		" Static symbols\r\n"
		"\r\n"
		" 0001:00000040       helper                     0000000140001040 f   "
		"main.obj\r\n");
	assert_int_equal(lm.linker, LINKMAP_MSVC);
	assert_int_equal(lm.sections.count, 2);
	assert_section(&lm, 0, ".text 140001000 120");
	assert_section(&lm, 1, ".rdata 140002000 30");
	assert_int_equal(lm.pieces.count, 5);
	assert_piece(&lm, 0, "140001000 40 object .text$mn main.obj");
	assert_piece(&lm, 1, "140001040 40 object .text$mn main.obj");
	assert_piece(&lm, 2, "140001080 80 object .text$mn LIBCMT:printf.obj");
	assert_piece(&lm, 3, "140001110 10 object .text$x main.obj");
	assert_piece(&lm, 4, "140002000 30 object .rdata main.obj");
	assert_symbol(&lm, 0, "0 140001000 0 main");
	assert_symbol(&lm, 1, "1 140001040 0 helper");
	assert_symbol(&lm, 2, "2 140001080 0 printf");
	assert_symbol(&lm, 3, "3 140001110 0 ?dtor$0@?0??f@@YAXXZ@4HA");
	assert_symbol(&lm, 5, "-1 140000000 0 __ImageBase");
	assert_int_equal(notes.count, 0);
	linkmap_release(&lm);
}

/* ---- odd maps ---------------------------------------------------------------------- */

static void lines_out_of_order_are_sorted_with_their_symbols(void **state)
{
	(void)state;
	struct linkmap lm = parse(
		LLD_HEAD
		"            1000             1000       30     1 .text\n"
		"            1020             1020       10     1         a.o:(.text.c)\n"
		"            1020             1020       10     1                 c\n"
		"            1000             1000       18     1         a.o:(.text.a)\n"
		"            1000             1000       10     1                 a\n"
		"            1010             1010       10     1         a.o:(.text.b)\n"
		"            1010             1010       10     1                 b\n"
		"            2000             2000       10     1         a.o:(.text.far)\n");
	assert_piece(&lm, 0, "1000 10 object .text.a a.o");
	assert_piece(&lm, 1, "1010 10 object .text.b a.o");
	assert_piece(&lm, 2, "1020 10 object .text.c a.o");
	assert_piece(&lm, 3, "2000 0 object .text.far a.o");
	assert_symbol(&lm, 0, "0 1000 10 a");
	assert_symbol(&lm, 1, "1 1010 10 b");
	assert_symbol(&lm, 2, "2 1020 10 c");
	linkmap_release(&lm);
}

static void lines_not_understood_are_notes(void **state)
{
	(void)state;
	struct linkmap lm = parse(
		LLD_HEAD
		"            1000             1000       10     1         a.o:(.text.early)\n"
		"what is this\n"
		"            1000             1000       10     1 .text\n"
		"            1000             1000     zz10     1         a.o:(.text.a)\n"
		"            1000             1000       10     1         a.o:(.text.b)\n");
	assert_int_equal(lm.pieces.count, 1);
	assert_piece(&lm, 0, "1000 10 object .text.b a.o");
	assert_int_equal(notes.count, 1);
	assert_int_equal(notes.data[0].count, 3);
	assert_string_equal(notes.data[0].text, "line 2 of the linker map: a piece of no section");
	linkmap_release(&lm);
}

static void numbers_at_the_edge_do_not_wrap(void **state)
{
	(void)state;
	struct linkmap lm = parse(
		LLD_HEAD "fffffffffffffff0 fffffffffffffff0       20     3 .text\n"
			 "fffffffffffffff8 fffffffffffffff8       20     1         a.o:(.text)\n"
			 "fffffffffffffff8 fffffffffffffff8 ffffffff     1                 f\n"
			 "ffffffffffffffff0 0 0 1 .too.many.digits\n");
	assert_section(&lm, 0, ".text fffffffffffffff0 f");
	assert_int_equal(lm.sections.data[0].align_log2, LINKMAP_NO_ALIGN);
	assert_piece(&lm, 0, "fffffffffffffff8 7 object .text a.o");
	assert_symbol(&lm, 0, "0 fffffffffffffff8 7 f");
	assert_int_equal(lm.sections.count, 1);
	assert_int_equal(notes.count, 2);
	linkmap_release(&lm);
}

static void expect_error(const char *text, const char *expected)
{
	struct linkmap lm;
	struct heft_err err = { 0 };
	const struct bytes bytes = { (const uint8_t *)text, strlen(text) };
	assert_false(linkmap_parse(&lm, "x.map", bytes, &notes, &err));
	assert_int_equal(err.code, HEFT_EFORMAT);
	assert_string_equal(err.text, expected);
}

static void a_file_that_is_no_map_is_an_error_with_a_line(void **state)
{
	(void)state;
	static const char none[] = "x.map is no linker map";
	expect_error("", none);
	expect_error("\n", none);
	expect_error("int main(void)\n{\n}\n", none);
	expect_error("\177ELF\2\1\1", none);
	expect_error("a\nb\nc\nd\ne\nf\ng\nh\nMemory map\n", none);
	expect_error(gnu_front, "x.map:20: the linker map ends before its memory map");
}

static void maps_are_opened_from_files(void **state)
{
	(void)state;
	char path[] = "/tmp/linkmap-XXXXXX";
	const int fd = mkstemp(path);
	FILE *f = fdopen(fd, "w");
	assert_non_null(f);
	fputs(LLD_HEAD "            1000             1000       10     1 .text\n", f);
	fclose(f);
	struct linkmap lm;
	struct heft_err err = { 0 };
	assert_true(linkmap_open(&lm, path, &notes, &err));
	assert_section(&lm, 0, ".text 1000 10");
	linkmap_release(&lm);
	assert_int_equal(truncate(path, 3), 0);
	assert_false(linkmap_open(&lm, path, &notes, &err));
	assert_int_equal(err.code, HEFT_EUNSUPPORTED);
	assert_string_equal(err.text + strlen(path),
			    " is too short for any kind; --map takes linker maps of GNU ld, gold, "
			    "lld, mold, ld64 and MSVC");
	unlink(path);
	assert_false(linkmap_open(&lm, path, &notes, &err));
	assert_int_equal(err.code, HEFT_EIO);
}

static void records_stay_small(void **state)
{
	(void)state;
	assert_true(sizeof(struct linkmap_piece) <= 48);
	assert_true(sizeof(struct linkmap_symbol) <= 32);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(gnu_pieces_have_a_line_or_two),
		TEST(gnu_sections_have_a_line_or_two_or_no_contents),
		TEST(gnu_merged_pieces_end_where_the_next_one_begins),
		TEST(gnu_scripts_define_symbols_and_data),
		TEST(gnu_tables_in_front_are_read),
		TEST(gold_names_its_own_pieces),
		TEST(gold_is_told_from_gnu_ld_by_the_memory_map),
		TEST(lld_columns_are_read),
		TEST(gnu_rounds_sections_of_pe_programs),
		TEST(objects_of_optimizers_are_named_after_their_modules),
		TEST(lld_lines_of_scripts_are_told_from_sections_and_pieces),
		TEST(lld_prints_tls_symbols_as_offsets),
		TEST(lld_marks_of_arm_are_no_symbols),
		TEST(lld_had_one_column_less_once),
		TEST(mold_gives_sections_of_its_own_a_piece),
		TEST(ld64_symbols_are_pieces),
		TEST(msvc_symbols_go_on_up_to_the_next),
		TEST(lines_out_of_order_are_sorted_with_their_symbols),
		TEST(lines_not_understood_are_notes),
		TEST(numbers_at_the_edge_do_not_wrap),
		TEST(a_file_that_is_no_map_is_an_error_with_a_line),
		TEST(maps_are_opened_from_files),
		TEST(records_stay_small),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
