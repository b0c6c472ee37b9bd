/* Maps in gcc's assembly. */
#include "blocks/gccmap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

static char *filtered(const char *in, uint64_t *functions)
{
	struct text t = { 0 };
	*functions = gccmap_filter(str_of(in), &t);
	text_add_char(&t, '\0');
	return t.p;
}

static void expect(const char *in, const char *want, uint64_t functions)
{
	uint64_t count;
	char *got = filtered(in, &count);
	assert_string_equal(got, want);
	assert_int_equal(count, functions);
	mem_free(got);
}

#define HEAD "\t.text\n\t.type\tf, @function\nf:\n"

static void blocks_get_labels_around_their_instructions(void **state)
{
	(void)state;
	expect(HEAD "# BLOCK 2, count:1\n# PRED: ENTRY [always] (FALLTHRU)\n\ttestl\t%edi, %edi\n"
		    "# SUCC: 4 [50%] (CAN_FALLTHRU) 3 [50%] (FALLTHRU,CAN_FALLTHRU)\n\tje\t.L2\n"
		    "# BLOCK 4, count:1\n\t.p2align 4\n.L2:\n# SUCC: EXIT [always]  count:1 "
		    "(estimated locally)\n"
		    "\tret\n\t.size\tf, .-f\n",
	       HEAD "# BLOCK 2, count:1\n# PRED: ENTRY [always] "
		    "(FALLTHRU)\n.LHEFTB0:\n\ttestl\t%edi, %edi\n"
		    "# SUCC: 4 [50%] (CAN_FALLTHRU) 3 [50%] "
		    "(FALLTHRU,CAN_FALLTHRU)\n\tje\t.L2\n.LHEFTE0:\n"
		    "# BLOCK 4, count:1\n\t.p2align 4\n.L2:\n# SUCC: EXIT [always]  count:1 "
		    "(estimated locally)\n"
		    ".LHEFTB1:\n\tret\n.LHEFTE1:\n\t.size\tf, .-f\n"
		    "\t.pushsection .llvm_bb_addr_map,\"o\",@0x6fff4c0a,.text\n\t.byte 2, 0\n"
		    "\t.dc.a .LHEFTB0\n\t.uleb128 2\n"
		    "\t.uleb128 2, .LHEFTB0-.LHEFTB0, .LHEFTE0-.LHEFTB0, 8\n"
		    "\t.uleb128 4, .LHEFTB1-.LHEFTE0, .LHEFTE1-.LHEFTB1, 1\n\t.popsection\n",
	       1);
}

/* What a line of the result says of a block. */
static void expect_line(const char *in, const char *line)
{
	uint64_t count;
	char *got = filtered(in, &count);
	if (!strstr(got, line))
		fail_msg("no '%s' in:\n%s", line, got);
	mem_free(got);
}

static void flags_are_those_of_the_edges(void **state)
{
	(void)state;
	expect_line(HEAD "# BLOCK 2\n# SUCC: EXIT [always] (ABNORMAL,SIBCALL)\n\tjmp\tg\n",
		    ".LHEFTE0-.LHEFTB0, 3\n");
	expect_line(HEAD
		    "# BLOCK 2\n# SUCC: 3 [9%] (FALLTHRU) EXIT [1%] (ABNORMAL,SIBCALL)\n\tje\tg\n",
		    ".LHEFTE0-.LHEFTB0, 11\n");
	expect_line(HEAD "# BLOCK 7\n# PRED: 3 (ABNORMAL,ABNORMAL_CALL,EH)\n# SUCC:\n\tcall\tg\n",
		    "\t.uleb128 7, .LHEFTB0-.LHEFTB0, .LHEFTE0-.LHEFTB0, 4\n");
	expect_line(HEAD
		    "# BLOCK 6\n# PRED: 3 (ABNORMAL,ABNORMAL_CALL,EH)\n.L1:\n# SUCC: 7 (FALLTHRU)\n"
		    "# BLOCK 7\n# PRED: 6 (FALLTHRU)\n# SUCC:\n\tcall\tg\n",
		    "\t.uleb128 7, .LHEFTB1-.LHEFTB1, .LHEFTE1-.LHEFTB1, 4\n");
	expect_line(HEAD "# BLOCK 2\n# SUCC: 3 [50%]\n\tnotrack jmp\t*%rax\n",
		    ".LHEFTE0-.LHEFTB0, 16\n");
	expect_line(HEAD "// BLOCK 2\n// SUCC: 3 [50%]\n\tbr\tx1\n", ".LHEFTE0-.LHEFTB0, 16\n");
}

static void a_cold_part_is_a_further_range(void **state)
{
	(void)state;
	expect_line(
		HEAD
		"# BLOCK 2\n\tnop\n\t.section\t.text.unlikely,\"ax\",@progbits\n"
		"\t.type\tf.cold, @function\nf.cold:\n# BLOCK 3\n\tud2\n\t.text\n\t.size\tf, .-f\n",
		"\t.byte 2, 8\n\t.uleb128 2\n\t.dc.a .LHEFTB0\n\t.uleb128 1\n"
		"\t.uleb128 2, .LHEFTB0-.LHEFTB0, .LHEFTE0-.LHEFTB0, 0\n"
		"\t.dc.a .LHEFTB1\n\t.uleb128 1\n"
		"\t.uleb128 3, .LHEFTB1-.LHEFTB1, .LHEFTE1-.LHEFTB1, 0\n");
}

static void a_table_inside_a_function_is_no_end(void **state)
{
	(void)state;
	expect_line("\t.section\t.text.startup,\"ax\",@progbits\n\t.type\tf, @function\nf:\n"
		    "# BLOCK 2\n\tjmp\t*%rax\n\t.section\t.rodata\n\t.long 1\n"
		    "\t.section\t.text.startup\n# BLOCK 3\n\tret\n\t.size\tf, .-f\n",
		    "\t.dc.a .LHEFTB0\n\t.uleb128 2\n");
}

static void groups_are_joined(void **state)
{
	(void)state;
	expect_line("\t.section\t.text.f,\"axG\",@progbits,f,comdat\n\t.type\tf, @function\nf:\n"
		    "# BLOCK 2\n\tnop\n",
		    ".llvm_bb_addr_map,\"oG\",@0x6fff4c0a,.text.f,f,comdat\n");
}

static void inline_assembly_is_code(void **state)
{
	(void)state;
	expect_line(HEAD "# BLOCK 2\n#APP\n# 3 \"t.c\" 1\n1:\n .byte 1\n# BLOCK 9\n#NO_APP\n# "
			 "BLOCK 3\n\tret\n",
		    "# BLOCK 2\n.LHEFTB0:\n#APP\n# 3 \"t.c\" 1\n1:\n .byte 1\n# BLOCK "
		    "9\n#NO_APP\n.LHEFTE0:\n");
}

static void what_has_no_blocks_stays_as_it_is(void **state)
{
	static const char *const texts[] = { "", "\tret", "f:\n\tret\n", "# BLOCK 2\n",
					     "\t.data\n# BLOCK 3, x\nx:\t.long 1\n" };
	(void)state;
	for (size_t i = 0; i < COUNT_OF(texts); i++)
		expect(texts[i], texts[i], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_get_labels_around_their_instructions),
		cmocka_unit_test(flags_are_those_of_the_edges),
		cmocka_unit_test(a_cold_part_is_a_further_range),
		cmocka_unit_test(a_table_inside_a_function_is_no_end),
		cmocka_unit_test(groups_are_joined),
		cmocka_unit_test(inline_assembly_is_code),
		cmocka_unit_test(what_has_no_blocks_stays_as_it_is),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
