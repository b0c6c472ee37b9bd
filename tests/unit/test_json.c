#include "../lib/rows.h"

#include "../lib/json_check.h"

#include "base/digits.h"
#include "base/json.h"

static void capture_piece(void *ctx, const char *p, size_t size)
{
	capture_write(ctx, p, size);
}

static struct json json_to(struct capture *c)
{
	return (struct json){ .put = capture_piece, .ctx = c };
}

static void expect_captured(struct capture *c, const char *expected)
{
	assert_string_equal(captured(c), expected);
	assert_true(json_is_valid((struct str){ c->text.data, c->text.count }));
	vec_release(&c->text);
}

static void the_checker_knows_wrong_documents(void **state)
{
	(void)state;
	static const char *const wrong[] = {
		"",       "{",        "[1,]",      "{\"a\"}", "{\"a\":1,}", "[1 2]",   "01",
		"\"\n\"", "\"\xff\"", "{\"a\":1]", "nul",     "{}{}",       "\"\\x\"", "\"\\u12\"",
		"[",      "-",        "\"abc",     "[1],",    "{1:2}",
	};
	static const char *const right[] = {
		"{}", "[]", "0", "[[], {}, {\"a\": [1, 2]}]", " {\"\\u00e9\": null, \"b\": true}\n",
	};
	for (size_t i = 0; i < COUNT_OF(wrong); i++)
		assert_false(json_is_valid(str_of(wrong[i])));
	for (size_t i = 0; i < COUNT_OF(right); i++)
		assert_true(json_is_valid(str_of(right[i])));
}

static void commas_come_by_themselves(void **state)
{
	(void)state;
	struct capture c = { 0 };
	struct json j = json_to(&c);
	json_open(&j, '{');
	json_member_uint(&j, "a", 1);
	json_key(&j, "b");
	json_open(&j, '[');
	json_bool(&j, true);
	json_null(&j);
	json_open(&j, '{');
	json_close(&j, '}');
	json_open(&j, '[');
	json_close(&j, ']');
	json_close(&j, ']');
	json_member_bool(&j, "c", false);
	json_line(&j);
	json_member_uint(&j, "d", UINT64_MAX);
	json_line(&j);
	json_close(&j, '}');
	expect_captured(&c, "{\"a\": 1, \"b\": [true, null, {}, []], \"c\": false,\n"
			    " \"d\": 18446744073709551615\n"
			    "}");
}

static void the_form_of_python_has_a_line_for_each_value(void **state)
{
	(void)state;
	struct capture c = { 0 };
	struct json j = json_to(&c);
	j.indented = true;
	json_open(&j, '{');
	json_key(&j, "a");
	json_open(&j, '[');
	json_close(&j, ']');
	json_key(&j, "b");
	json_open(&j, '[');
	json_int(&j, INT64_MIN);
	json_open(&j, '{');
	j.indented = false;
	json_member_uint(&j, "c", 1);
	json_member_bool(&j, "d", true);
	json_close(&j, '}');
	j.indented = true;
	json_text(&j, STR("\xc3\xa9\xf0\x9f\x98\x80\x7f"));
	json_close(&j, ']');
	json_close(&j, '}');
	expect_captured(
		&c, "{\n  \"a\": [],\n  \"b\": [\n    -9223372036854775808,\n"
		    "    {\"c\": 1, \"d\": true},\n    \"\\u00e9\\ud83d\\ude00\\u007f\"\n  ]\n}");
}

static void expect_member(struct str text, const char *expected)
{
	struct capture c = { 0 };
	struct json j = json_to(&c);
	json_open(&j, '{');
	json_member_text(&j, "x", text);
	json_close(&j, '}');
	expect_captured(&c, expected);
}

static void text_is_escaped_and_utf8_goes_through(void **state)
{
	(void)state;
	expect_member(STR(""), "{\"x\": \"\"}");
	expect_member(STR("a\"b\\c/d"), "{\"x\": \"a\\\"b\\\\c/d\"}");
	expect_member(STR("\b\f\n\r\t\x01\x1b\x7f"),
		      "{\"x\": \"\\b\\f\\n\\r\\t\\u0001\\u001b\\u007f\"}");
	expect_member(STR("a\0b"), "{\"x\": \"a\\u0000b\"}");
	expect_member(STR("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"),
		      "{\"x\": \"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"}");
}

static void bytes_that_are_no_utf8_are_replaced_and_given_in_hex(void **state)
{
	(void)state;
	expect_member(STR("a\xff"
			  "b"),
		      "{\"x\": \"a\\ufffdb\", \"x_hex\": \"61ff62\"}");
	/* Overlong, surrogate, above U+10FFFF, cut short, a lone continuation. */
	expect_member(STR("\xc0\xaf"), "{\"x\": \"\\ufffd\\ufffd\", \"x_hex\": \"c0af\"}");
	expect_member(STR("\xed\xa0\x80"),
		      "{\"x\": \"\\ufffd\\ufffd\\ufffd\", \"x_hex\": \"eda080\"}");
	expect_member(STR("\xf4\x90\x80\x80"),
		      "{\"x\": \"\\ufffd\\ufffd\\ufffd\\ufffd\", \"x_hex\": \"f4908080\"}");
	expect_member(STR("\xe2\x82"), "{\"x\": \"\\ufffd\\ufffd\", \"x_hex\": \"e282\"}");
	expect_member(STR("\x80"), "{\"x\": \"\\ufffd\", \"x_hex\": \"80\"}");
}

static void utf8_survives_encoding_and_decoding(void **state)
{
	(void)state;
	for (uint32_t c = 0; c <= 0x10ffff; c++) {
		char bytes[4];
		uint32_t back = 0x12345678;
		const unsigned n = utf8_encode(c, bytes);
		const unsigned got = utf8_decode((struct str){ bytes, n }, 0, &back);
		const bool surrogate = c >= 0xd800 && c < 0xe000;
		assert_int_equal(got, surrogate ? 0 : n);
		assert_int_equal(back, surrogate ? 0x12345678 : c);
		if (n > 1)
			assert_int_equal(utf8_decode((struct str){ bytes, n - 1 }, 0, &back), 0);
	}
}

static const char *const sources[] = { "sections", "symbols" };

static void expect_json(const struct report *r, const char *expected)
{
	struct capture c = { 0 };
	struct sink s = { .to = { capture_write, &c } };
	struct report made;
	sizes_report(&made, r);
	out_json(&made, &s);
	assert_true(sink_flush(&s));
	expect_captured(&c, expected);
}

static void a_report_is_one_document(void **state)
{
	(void)state;
	const struct heft_row a = row("main", 6, 7);
	struct heft_row b = row("[3 Others]", 4, 3);
	b.others = 3;
	const struct heft_row bss = row("b\xff", 0, 5);
	struct heft_row text = row(".text", 10, 10), top = row("TOTAL", 10, 15);
	CHILDREN(&text, &a, &b);
	CHILDREN(&top, &text, &bss);
	const struct report r = { .table.top = &top,
				  .table.levels = sources,
				  .table.level_count = 2 };
	expect_json(&r,
		    "{\"schema_version\": 2, \"heft\": \"" HEFT_VERSION "\", \"diff\": false, "
		    "\"sources\": [\"sections\", \"symbols\"], \"measure\": \"charged\",\n"
		    " \"files\": [],\n"
		    " \"notes\": [],\n"
		    " \"filtered\": false,\n"
		    " \"total\": {\"label\": \"TOTAL\", \"file\": 10, \"vm\": 15, \"children\": [\n"
		    "   {\"label\": \".text\", \"file\": 10, \"vm\": 10, \"children\": [\n"
		    "     {\"label\": \"main\", \"file\": 6, \"vm\": 7, \"children\": []},\n"
		    "     {\"label\": \"[3 Others]\", \"file\": 4, \"vm\": 3, \"others\": 3, "
		    "\"children\": []}]},\n"
		    "   {\"label\": \"b\\ufffd\", \"label_hex\": \"62ff\", \"file\": 0, \"vm\": 5, "
		    "\"children\": []}]}\n"
		    "}\n");
}

static void a_diff_has_both_sides_and_counts_on_request(void **state)
{
	(void)state;
	struct heft_row top = diff_row("TOTAL", UINT64_MAX, 2, 3, 4);
	set_count(&top, 5, 6);
	const struct report r = { .table.top = &top,
				  .table.levels = sources,
				  .table.level_count = 1,
				  .table.diff = true,
				  .table.measure_count = HEFT_SIZE_COUNT + 1 };
	expect_json(&r, "{\"schema_version\": 2, \"heft\": \"" HEFT_VERSION "\", \"diff\": true, "
			"\"sources\": [\"sections\"], \"measure\": \"charged\",\n"
			" \"files\": [],\n"
			" \"notes\": [],\n"
			" \"filtered\": false,\n"
			" \"total\": {\"label\": \"TOTAL\", \"file\": 18446744073709551615, "
			"\"vm\": 2, \"count\": 5, \"base_file\": 3, \"base_vm\": 4, "
			"\"base_count\": 6, \"children\": []}\n"
			"}\n");
}

static void files_notes_and_what_was_left_out_are_told(void **state)
{
	(void)state;
	const struct heft_row top = row("TOTAL", 1, 2);
	const struct heft_file_info files[] = {
		{ sizeof *files, "/bin/ls", "ELF", "00ff", "", 100, 200, HEFT_INPUT },
		{ sizeof *files, "old/\xfels", "ELF", "", "ls.debug", 90, 180, HEFT_BASE },
	};
	const struct heft_note notes[] = {
		{ "/bin/ls", "an odd \"thing\"", NULL, 64, 2, 30 },
		{ "/bin/ls", "another", NULL, HEFT_NO_OFFSET, 1, 0 },
	};
	const struct size_report sizes = {
		.filtered = true,
		.omitted_file = 7,
		.omitted_vm = 8,
		.files = files,
		.file_count = 2,
		.notes = notes,
		.note_count = 2,
	};
	const struct report r = {
		.table.top = &top,
		.table.levels = sources,
		.table.level_count = 1,
		.ctx = &sizes,
	};
	expect_json(&r, "{\"schema_version\": 2, \"heft\": \"" HEFT_VERSION "\", \"diff\": false, "
			"\"sources\": [\"sections\"], \"measure\": \"charged\",\n"
			" \"files\": [\n"
			"  {\"path\": \"/bin/ls\", \"role\": \"input\", \"format\": \"ELF\", "
			"\"build_id\": \"00ff\", \"debug_path\": \"\", \"size\": 100, "
			"\"vm_size\": 200},\n"
			"  {\"path\": \"old/\\ufffdls\", \"path_hex\": \"6f6c642ffe6c73\", "
			"\"role\": \"base\", \"format\": \"ELF\", \"build_id\": \"\", "
			"\"debug_path\": \"ls.debug\", \"size\": 90, \"vm_size\": 180}],\n"
			" \"notes\": [\n"
			"  {\"path\": \"/bin/ls\", \"text\": \"an odd \\\"thing\\\"\", "
			"\"offset\": 64, \"count\": 2, \"bytes\": 30},\n"
			"  {\"path\": \"/bin/ls\", \"text\": \"another\", \"offset\": null, "
			"\"count\": 1, \"bytes\": 0}],\n"
			" \"filtered\": true, \"omitted\": {\"file\": 7, \"vm\": 8},\n"
			" \"total\": {\"label\": \"TOTAL\", \"file\": 1, \"vm\": 2, "
			"\"children\": []}\n"
			"}\n");
}

/* The vectors of RFC 4648 section 10. */
static void base64_is_that_of_rfc_4648(void **state)
{
	static const char *const pairs[][2] = { { "", "" },
						{ "f", "Zg==" },
						{ "fo", "Zm8=" },
						{ "foo", "Zm9v" },
						{ "foob", "Zm9vYg==" },
						{ "fooba", "Zm9vYmE=" },
						{ "foobar", "Zm9vYmFy" } };
	char out[16];
	(void)state;
	for (size_t i = 0; i < COUNT_OF(pairs); i++) {
		const size_t size = strlen(pairs[i][0]);
		base64_text(out, (const uint8_t *)pairs[i][0], size);
		assert_string_equal(out, pairs[i][1]);
		assert_int_equal(base64_size(size), strlen(out) + 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_checker_knows_wrong_documents),
		cmocka_unit_test(commas_come_by_themselves),
		cmocka_unit_test(the_form_of_python_has_a_line_for_each_value),
		cmocka_unit_test(text_is_escaped_and_utf8_goes_through),
		cmocka_unit_test(bytes_that_are_no_utf8_are_replaced_and_given_in_hex),
		cmocka_unit_test(utf8_survives_encoding_and_decoding),
		cmocka_unit_test(base64_is_that_of_rfc_4648),
		cmocka_unit_test(a_report_is_one_document),
		cmocka_unit_test(a_diff_has_both_sides_and_counts_on_request),
		cmocka_unit_test(files_notes_and_what_was_left_out_are_told),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
