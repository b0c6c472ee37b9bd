/* .size and .sizediff files: what is read is written again byte for byte. */
#include "snapshot/sizefile.h"

#include "base/gzip.h"
#include "base/text.h"
#include "image/kinds.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static const char json_one[] = "{\n"
			       "  \"has_components\": true,\n"
			       "  \"has_disassembly\": true,\n"
			       "  \"has_padding\": false,\n"
			       "  \"metadata\": {\n"
			       "    \"elf_build_id\": \"0123abcd\",\n"
			       "    \"elf_mtime\": 1500000000,\n"
			       "    \"git_revision\": \"abc\",\n"
			       "    \"gn_args\": [\n"
			       "      \"is_debug=false\",\n"
			       "      \"name=\\u00e9\\ud83d\\ude00\"\n"
			       "    ],\n"
			       "    \"unknown\": {\n"
			       "      \"pi\": 3.25\n"
			       "    }\n"
			       "  },\n"
			       "  \"metrics_by_file\": {\n"
			       "    \"libx.so\": {\n"
			       "      \"COUNT/Relocations\": 12,\n"
			       "      \"SIZE/.text\": 90\n"
			       "    }\n"
			       "  },\n"
			       "  \"section_sizes\": {\n"
			       "    \".bss\": 16,\n"
			       "    \".other\": 60,\n"
			       "    \".rodata\": 70,\n"
			       "    \".text\": 60\n"
			       "  }\n"
			       "}";

static const char body_one[] = "3\n"
			       "\t\n"
			       "a.o\tsrc/a.cc\n"
			       "b.o\tsrc/b.cc\n"
			       "3\n"
			       "\n"
			       "Core\n"
			       "Net\n"
			       ".rodata\t.text\t.bss\t.other\n"
			       "4\t5\t1\t2\n"
			       "8192 0 16 0\n"
			       "4096 32 48 0 7\n"
			       "12288\n"
			       "0 0\n"
			       "6 6 0 24\n"
			       "30 40 7 7 13\n"
			       "16\n"
			       "24 36\n"
			       "1 1 -2 1\n"
			       "1 0 0 1 -2\n"
			       "1\n"
			       "0 0\n"
			       "1 1 -2 1\n"
			       "1 0 0 1 -2\n"
			       "1\n"
			       "0 0\n"
			       "\"hello\"\t02\n"
			       "\"hello\"\n"
			       "** symbol gap 0\n"
			       "kTable\t1\n"
			       "ns::Foo<int>::bar(int)\n"
			       "main\t4\n"
			       "same1(int)\t02\t40\n"
			       "same2(int)\n"
			       "** .text (unattributed)\n"
			       "zeros\n"
			       "** ELF Section: .rela.dyn\n"
			       "Overhead: ELF file\n"
			       "5 6\n"
			       "16\n"
			       "mov eax, 1\n ret\n"
			       "3\nnop";

static void add_file(struct text *t, const char *version, const char *json, const char *body)
{
	text_add(t, str_of("# Created by //tools/binary_size\n"));
	text_add(t, str_of(version));
	text_add_char(t, '\n');
	text_add_number(t, strlen(json));
	text_add_char(t, '\n');
	text_add(t, str_of(json));
	text_add_char(t, '\n');
	text_add(t, str_of(body));
}

static struct bytes bytes_of(const struct text *t)
{
	return (struct bytes){ (const uint8_t *)t->p, t->len };
}

static bool read_file(struct snapshot *s, const char *version, const char *json, const char *body,
		      struct heft_err *err)
{
	struct text t = { 0 };
	add_file(&t, version, json, body);
	const bool ok = sizefile_read(s, "x.size", bytes_of(&t), NULL, err);
	text_release(&t);
	return ok;
}

/* Read and written, the text is what it was. */
static void check_round_trip(const char *version, const char *json, const char *body)
{
	struct heft_err err = { 0 };
	struct snapshot s;
	struct sizefile_out out = { { 0 } };
	struct text want = { 0 };
	struct bytes got;
	add_file(&want, version, json, body);
	if (!sizefile_read(&s, "x.size", bytes_of(&want), NULL, &err))
		fail_msg("%s", err.text);
	assert_true(sizefile_write(&out, &s, &err));
	const struct bytes packed = { out.bytes.data, out.bytes.count };
	assert_int_equal(file_format_of(packed, NULL)->kind, KIND_SIZE);
	assert_true(gzip_unpack(packed, 1 << 20, &got, NULL, &err));
	assert_int_equal(got.size, want.len);
	assert_memory_equal(got.p, want.p, want.len);
	mem_free((void *)(uintptr_t)got.p);
	vec_release(&out.bytes);
	text_release(&want);
	snapshot_release(&s);
}

static void a_file_of_one_container_comes_out_as_it_went_in(void **state)
{
	(void)state;
	check_round_trip("Size File Format v1", json_one, body_one);
}

static const char json_two[] = "{\n"
			       "  \"build_config\": {\n"
			       "    \"title\": \"two\"\n"
			       "  },\n"
			       "  \"containers\": [\n"
			       "    {\n"
			       "      \"metadata\": {},\n"
			       "      \"metrics_by_file\": {},\n"
			       "      \"name\": \"liba.so\",\n"
			       "      \"section_sizes\": {\n"
			       "        \".text\": 8\n"
			       "      }\n"
			       "    },\n"
			       "    {\n"
			       "      \"metadata\": {},\n"
			       "      \"metrics_by_file\": {},\n"
			       "      \"name\": \"libb.so\",\n"
			       "      \"section_sizes\": {}\n"
			       "    }\n"
			       "  ],\n"
			       "  \"has_components\": false,\n"
			       "  \"has_disassembly\": false,\n"
			       "  \"has_padding\": true,\n"
			       "  \"later\": []\n"
			       "}";

/* The addresses are those of a kernel. */
static const char body_two[] =
	"1\n\t\n<0>.text\t<1>.other\n2\t1\n18446744071578845184 -16\n0\n8 4\n99\n0 0\n99\n0 0\n0\n"
	"f\ng\t20\nOverhead: ELF file\n";

static void several_containers_and_stored_padding_come_out_as_they_went_in(void **state)
{
	(void)state;
	check_round_trip("Size File Format v1.1", json_two, body_two);
}

static const struct snap_symbol *symbol(const struct snapshot *s, const char *name)
{
	for (size_t i = 0; i < s->symbols.count; i++)
		if (str_eq(snapshot_text(s, s->symbols.data[i].full_name), str_of(name)))
			return &s->symbols.data[i];
	fail_msg("no symbol %s", name);
	return NULL;
}

static void padding_is_the_gap_to_the_symbol_before(void **state)
{
	(void)state;
	struct heft_err err;
	struct snapshot s;
	int64_t total = 0, padding = 0;
	assert_true(read_file(&s, "Size File Format v1", json_one, body_one, &err));
	assert_int_equal(symbol(&s, "main")->padding, 2);
	assert_int_equal(symbol(&s, "same2(int)")->padding, 8);
	assert_int_equal(symbol(&s, "same2(int)")->alias_place, 1);
	assert_int_equal(symbol(&s, "Overhead: ELF file")->size, 0);
	assert_int_equal(symbol(&s, "Overhead: ELF file")->padding, 36);
	for (size_t i = 0; i < s.symbols.count; i++) {
		const struct snap_symbol *y = &s.symbols.data[i];
		const bool bss = !s.sections.data[y->section].in_file;
		const int64_t n = y->alias_place == 0 && !bss;
		total += n * ((int64_t)y->size + y->padding);
		padding += n * y->padding;
	}
	assert_int_equal(total, 200);
	assert_int_equal(padding, 56);
	assert_string_equal(s.build_config.data[0].key, "git_revision");
	snapshot_release(&s);
}

static void damage_names_the_line(void **state)
{
	(void)state;
	static const struct {
		const char *version, *json, *body, *text;
	} cases[] = {
		{ "Size File Format v2", "{}", "", "line 2: a version" },
		{ "Size File Format v1", "{", "", "line 4: a JSON object" },
		{ "Size File Format v1", "{}", "9\n", "line 5: a count is larger" },
		{ "Size File Format v1", "{}", "1\n\t\n.text\n1\n500000000\n",
		  "line 10: the file ends" },
		{ "Size File Format v1", "{}", "1\n\t\n.text\t.text\n1\t1\n",
		  "a segment occurs twice" },
		{ "Size File Format v1", "{}", "1\n\t\n.text\n2\n5 0\n8 8\n0 0\na\nb\n",
		  "line 13: two symbols at one address" },
		{ "Size File Format v1", "{}", "1\n\t\n.text\n2\n5 1\n8 2\n0 0\na\nb\n",
		  "line 13: a symbol lies inside" },
		{ "Size File Format v1", "{}", "1\n\t\n.text\n1\n5\n8\n4\na\n",
		  "line 11: a path index" },
		{ "Size File Format v1",
		  "{\"heft\": {\"sections\": [{\"symbols\": 1, \"name\": \".text\", "
		  "\"native\": true, \"in_file\": true, \"sums\": \"5g\"}]}}",
		  "1\n\t\n.text\n1\n5\n8\n0\na\n", "the sections noted by heft" },
	};
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct heft_err err = { 0 };
		struct snapshot s;
		assert_false(read_file(&s, cases[i].version, cases[i].json, cases[i].body, &err));
		if (!strstr(err.text, cases[i].text))
			fail_msg("'%s' lacks '%s'", err.text, cases[i].text);
	}
}

/* A function f of ten bytes and four charges: three of f, of which one is larger in memory. */
#define JSON_CHARGES                                                                               \
	"{\n  \"has_components\": false,\n  \"has_disassembly\": false,\n  \"has_padding\": "      \
	"false,\n  \"heft\": {\n    \"exact_names\": false,\n    \"sections\": [\n      "          \
	"{\"container\": 0, \"size\": 10, \"symbols\": 1, \"name\": \".text\", \"native\": true, " \
	"\"in_file\": true, \"in_memory\": true, \"code\": true}\n    ],\n    \"charges\": 4\n  "  \
	"},\n"                                                                                     \
	"  \"metadata\": {},\n  \"metrics_by_file\": {},\n  \"section_sizes\": {\n    \".text\": " \
	"10\n  "                                                                                   \
	"}\n}"
#define BODY_CHARGES "1\n\t\n.text\n1\n16\n10\n0\nf\n2\n3\n[text]\n[eh]\n[none]\n"
#define FOUR_ZEROS   "0*4\n0*4\n0*4\n0*4\n"

static void equal_numbers_of_charges_are_one_number(void **state)
{
	(void)state;
	static const char numbers[] = "10 6 6 2\n0*2 -1 0\n1 0*2 -1\n0*3 2\n0*4\n1 2*2 1\n";
	struct text body = { 0 };
	struct heft_err err = { 0 };
	struct snapshot s;
	text_add(&body, STR(BODY_CHARGES));
	text_add(&body, str_of(numbers));
	text_add(&body, STR(FOUR_ZEROS));
	text_add_char(&body, '\0');
	assert_true(read_file(&s, "Size File Format v1", JSON_CHARGES, body.p, &err));
	assert_int_equal(s.charges.data[2].package, 0); /* An earlier version wrote it. */
	snapshot_release(&s);
	body.len--;
	text_add(&body, STR("0*3 2\n"));
	text_add_char(&body, '\0');
	check_round_trip("Size File Format v1", JSON_CHARGES, body.p);
	assert_true(read_file(&s, "Size File Format v1", JSON_CHARGES, body.p, &err));
	assert_int_equal(s.charges.count, 4);
	assert_int_equal(s.charges.data[2].file, 6);
	assert_int_equal(s.charges.data[2].vm, 7);
	assert_int_equal(s.charges.data[2].symbol, 0);
	assert_true(str_eq(snapshot_text(&s, s.charges.data[2].source), STR("[eh]")));
	assert_true(str_eq(snapshot_text(&s, s.charges.data[3].name), STR("[none]")));
	assert_int_equal(s.charges.data[3].symbol, SNAP_NO_SYMBOL);
	assert_true(str_eq(snapshot_text(&s, s.charges.data[3].package), STR("[eh]")));
	snapshot_release(&s);
	text_release(&body);
}

static void damaged_charges_are_refused(void **state)
{
	(void)state;
	static const struct {
		const char *numbers, *text;
	} cases[] = {
		{ "10*4\n", "missing or damaged" },
		{ "10 6 6 2\n0*5\n", "missing or damaged" },
		{ "10 6 6 2\n0*0 0*4\n", "missing or damaged" },
		{ "10 6 6 2\n0*-1 0*4\n", "missing or damaged" },
		{ "10 6 6 2\n0*99999999999999999999\n", "missing or damaged" },
		{ "10 6 6 2\n0*4 0\n", "more numbers than charges" },
		{ "10 6 6 2\n0*4\n1*4\n", "out of range" },
		{ "10 6 6 2\n0*4\n0*4\n0*4\n", "out of range" },
		{ "10 6 6 2\n0*4\n0*4\n2*2 1 1\n", "out of range" },
		{ "10 6 6 2\n0*4\n0*4\n3*4\n4*4\n", "out of range" },
	};
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct text body = { 0 };
		struct heft_err err = { 0 };
		struct snapshot s;
		text_add(&body, STR(BODY_CHARGES));
		text_add(&body, str_of(cases[i].numbers));
		text_add(&body, STR(FOUR_ZEROS FOUR_ZEROS));
		text_add_char(&body, '\0');
		if (read_file(&s, "Size File Format v1", JSON_CHARGES, body.p, &err))
			fail_msg("case %zu is read", i);
		if (!strstr(err.text, cases[i].text))
			fail_msg("'%s' lacks '%s'", err.text, cases[i].text);
		text_release(&body);
	}
}

static void a_small_file_that_unpacks_to_far_more_is_refused(void **state)
{
	const size_t size = (size_t)5 << 20;
	uint8_t *plain = mem_zeroed(size, 1);
	struct bytes packed;
	struct heft_err err = { 0 };
	struct snapshot s;
	(void)state;
	assert_true(gzip_pack((struct bytes){ plain, size }, &packed, &err));
	assert_false(sizefile_read(&s, "x.size", packed, NULL, &err));
	assert_non_null(strstr(err.text, "x.size: gzip: "));
	assert_non_null(strstr(err.text, "packed bytes become more than 4194304"));
	mem_free((void *)(uintptr_t)packed.p);
	mem_free(plain);
}

static void a_cut_file_is_refused_at_any_place(void **state)
{
	(void)state;
	struct text t = { 0 };
	add_file(&t, "Size File Format v1", json_one, body_one);
	for (size_t size = 0; size < t.len; size++) {
		struct heft_err err = { 0 };
		struct snapshot s;
		const struct bytes b = { (const uint8_t *)t.p, size };
		if (sizefile_read(&s, "x.size", b, NULL, &err))
			fail_msg("read with %zu of %zu bytes", size, t.len);
	}
	text_release(&t);
}

static void names_are_written_in_ascii_without_tabs(void **state)
{
	(void)state;
	struct heft_err err;
	struct snapshot s;
	struct sizefile_out out = { { 0 } };
	struct bytes got;
	snapshot_init(&s);
	vec_push(&s.containers, (struct snap_container){ .name = "" });
	vec_push(&s.symbols,
		 (struct snap_symbol){ .size = 4,
				       .addr = 16,
				       .full_name = intern_add(&s.texts, STR("caf\xc3\xa9\tx")),
				       .section = snapshot_section(&s, 0, ".text") });
	snapshot_finish(&s);
	assert_true(sizefile_write(&out, &s, &err));
	assert_true(gzip_unpack((struct bytes){ out.bytes.data, out.bytes.count }, 1 << 20, &got,
				NULL, &err));
	char *text = mem_zeroed(1, got.size + 1);
	memcpy(text, got.p, got.size);
	assert_non_null(strstr(text, "\ncaf\\xc3\\xa9\\x09x\n"));
	mem_free(text);
	mem_free((void *)(uintptr_t)got.p);
	vec_release(&out.bytes);
	snapshot_release(&s);
}

/* ---- finishing ------------------------------------------------------------------------------- */

static void add(struct snapshot *s, const char *section, const char *name, uint64_t addr,
		uint64_t size)
{
	vec_push(&s->symbols,
		 (struct snap_symbol){ .addr = addr,
				       .size = size,
				       .full_name = intern_add(&s->texts, str_of(name)),
				       .section = snapshot_section(s, 0, section) });
}

static void finishing_sorts_and_joins_aliases(void **state)
{
	(void)state;
	struct snapshot s;
	double pss = 0;
	snapshot_init(&s);
	vec_push(&s.containers, (struct snap_container){ .name = "" });
	add(&s, ".other", "** ELF Section: .comment", 0, 7);
	add(&s, ".text", "first", 0x1000, 0x20);
	add(&s, ".text", "b", 0x1020, 8);
	add(&s, ".text", "a", 0x1020, 8);
	add(&s, ".text", "mark", 0x1020, 0);
	add(&s, ".text", "end", 0x1028, 16);
	add(&s, ".rodata", "table", 0x500, 16);
	snapshot_finish(&s);
	static const char *const order[] = {
		"table", "first", "mark", "a", "b", "end", "** ELF Section: .comment"
	};
	for (size_t i = 0; i < COUNT_OF(order); i++)
		assert_ptr_equal(symbol(&s, order[i]), &s.symbols.data[i]);
	assert_int_equal(symbol(&s, "a")->alias_count, 2);
	assert_int_equal(symbol(&s, "mark")->alias_count, 1);
	for (size_t i = 1; i < 6; i++)
		pss += snap_pss(&s.symbols.data[i]);
	assert_int_equal((int)pss, 0x38);
	assert_false(s.stored_padding);
	snapshot_release(&s);
}

static void paddings_are_stated_where_they_are_no_gaps(void **state)
{
	(void)state;
	struct snapshot s;
	snapshot_init(&s);
	vec_push(&s.containers, (struct snap_container){ .name = "" });
	add(&s, ".text", "outer", 0x1000, 0x20);
	add(&s, ".text", "inner", 0x1010, 0);
	snapshot_finish(&s);
	assert_true(s.stored_padding);
	snapshot_release(&s);
}

/* ---- differences ----------------------------------------------------------------------------- */

static void both_halves_of_a_sizediff_come_back(void **state)
{
	(void)state;
	static const char *const removed[] = { "old.c", NULL }, *const added[] = { NULL };
	struct heft_err err;
	struct snapshot a, b, a2, b2;
	struct sizefile_out out = { { 0 } };
	assert_true(read_file(&a, "Size File Format v1.1", json_two, body_two, &err));
	assert_true(read_file(&b, "Size File Format v1.1", json_two, body_two, &err));
	assert_true(sizediff_write(&out, &a, &b, removed, added, &err));
	const struct bytes file = { out.bytes.data, out.bytes.count };
	assert_int_equal(file_format_of(file, NULL)->kind, KIND_SIZEDIFF);
	if (!sizediff_read(&a2, &b2, "x.sizediff", file, NULL, &err))
		fail_msg("%s", err.text);
	assert_int_equal(a2.symbols.count, 3);
	assert_true(b2.sparse);
	assert_false(sizediff_read(&a2, &b2, "x", (struct bytes){ file.p, 60 }, NULL, &err));
	vec_release(&out.bytes);
	snapshot_release(&a);
	snapshot_release(&b);
	snapshot_release(&a2);
	snapshot_release(&b2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_of_one_container_comes_out_as_it_went_in),
		cmocka_unit_test(several_containers_and_stored_padding_come_out_as_they_went_in),
		cmocka_unit_test(padding_is_the_gap_to_the_symbol_before),
		cmocka_unit_test(damage_names_the_line),
		cmocka_unit_test(equal_numbers_of_charges_are_one_number),
		cmocka_unit_test(damaged_charges_are_refused),
		cmocka_unit_test(a_small_file_that_unpacks_to_far_more_is_refused),
		cmocka_unit_test(a_cut_file_is_refused_at_any_place),
		cmocka_unit_test(names_are_written_in_ascii_without_tabs),
		cmocka_unit_test(finishing_sorts_and_joins_aliases),
		cmocka_unit_test(paddings_are_stated_where_they_are_no_gaps),
		cmocka_unit_test(both_halves_of_a_sizediff_come_back),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
