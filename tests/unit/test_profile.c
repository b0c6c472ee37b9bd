#include "heft.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "../lib/elfgen.h"
#include "../lib/sessions.h"
#include "base/text.h"
#include "image/elf/elf_const.h"

/* ---- files ------------------------------------------------------------------------------ */

static char folder[] = "/tmp/heft-test-XXXXXX";

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int remove_folder(void **state)
{
	(void)state;
	char command[100];
	snprintf(command, sizeof command, "rm -rf '%s'", folder);
	return chdir("/") == 0 ? system(command) : -1;
}

static void write_file(const char *path, struct bytes b)
{
	FILE *f = fopen(path, "wb");
	assert_non_null(f);
	assert_int_equal(fwrite(b.p, 1, b.size, f), b.size);
	fclose(f);
}

static void write_text(const char *path, const char *text)
{
	write_file(path, (struct bytes){ (const uint8_t *)text, strlen(text) });
}

static const uint8_t zeros[8192];

/* .text at 0x1000 with _Z3fooi (64 bytes) and main (32, then 4 bytes nobody has), .data at 0x2000
 * with `table` (100 bytes of 200), .bss at 0x3000 with `big` (300 bytes). */
static void write_program(const char *path, uint64_t foo_size, bool build_id)
{
	static const uint8_t note[] = { 4, 0, 0,   0,   4,   0, 0,    0,    3,    0,
					0, 0, 'G', 'N', 'U', 0, 0xaa, 0xbb, 0xcc, 0xdd };
	struct elfgen g = elfgen_make(64, false, ET_EXEC, EM_NONE);
	const uint32_t text = elfgen_section(&g, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR,
					     0x1000, zeros, foo_size + 36);
	const uint32_t data = elfgen_section(&g, ".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE,
					     0x2000, zeros, 200);
	const uint32_t bss = elfgen_section(&g, ".bss", SHT_NOBITS, SHF_ALLOC | SHF_WRITE, 0x3000,
					    NULL, 300);
	if (build_id) {
		const uint32_t n = elfgen_section(&g, ".note.gnu.build-id", SHT_NOTE, 0, 0, note,
						  sizeof note);
		g.sections.data[n].align = 4;
	}
	elfgen_load(&g, PF_R | PF_X, text);
	elfgen_load(&g, PF_R | PF_W, data);
	elfgen_load(&g, PF_R | PF_W, bss);
	elfgen_symbol(&g, "_Z3fooi", 0x1000, foo_size, STB_GLOBAL << 4 | STT_FUNC, (uint16_t)text);
	elfgen_symbol(&g, "main", 0x1000 + foo_size, 32, STB_GLOBAL << 4 | STT_FUNC,
		      (uint16_t)text);
	elfgen_symbol(&g, "table", 0x2000, 100, STB_LOCAL << 4 | STT_OBJECT, (uint16_t)data);
	elfgen_symbol(&g, "big", 0x3000, 300, STB_GLOBAL << 4 | STT_OBJECT, (uint16_t)bss);
	const struct bytes b = elfgen_finish(&g);
	write_file(path, b);
	mem_free((void *)(uintptr_t)b.p);
}

/* ---- helpers ------------------------------------------------------------------------------ */

static struct heft_err err;
static struct heft_session *session; /* of the last profile */

static struct heft_profile *profile_of(const char *source)
{
	heft_session_free(session);
	session = heft_session_new();
	struct heft_profile *p = heft_profile_new(session);
	heft_profile_set_rows(p, 0);
	if (source)
		assert_true(heft_profile_add_source(p, source, &err));
	return p;
}

static void add_file(struct heft_profile *p, const char *path, enum heft_role role)
{
	assert_true(heft_profile_add_file(p, path, role, &err));
}

static void run(struct heft_profile *p)
{
	if (!heft_profile_run(p, &err))
		fail_msg("%s", err.text);
}

static struct heft_profile *measured(const char *source)
{
	write_program("prog", 64, false);
	struct heft_profile *p = profile_of(source);
	add_file(p, "prog", HEFT_INPUT);
	heft_profile_set_flags(p, HEFT_PROFILE_RANGES);
	return p;
}

static const struct heft_row *child(const struct heft_row *row, const char *label)
{
	for (size_t i = 0; i < row->child_count; i++)
		if (strcmp(row->children[i]->label, label) == 0)
			return row->children[i];
	return NULL;
}

static void assert_row(const struct heft_profile *p, const char *label, uint64_t file, uint64_t vm)
{
	const struct heft_row *row = child(heft_profile_table(p)->top, label);
	if (!row)
		fail_msg("no row %s", label);
	assert_int_equal(row->now[HEFT_SIZE_FILE], file);
	assert_int_equal(row->now[HEFT_SIZE_VM], vm);
}

static void assert_error(bool ok, enum heft_code code, const char *words)
{
	assert_false(ok);
	assert_int_equal(err.code, code);
	if (!strstr(err.text, words))
		fail_msg("\"%s\" does not say \"%s\"", err.text, words);
	assert_null(strchr(err.text, '\n'));
}

/* ---- rows ---------------------------------------------------------------------------------- */

static void sections_is_what_is_measured_if_nothing_is_said(void **state)
{
	struct heft_profile *p = measured(NULL);
	struct heft_file_info info = { .size = sizeof info };
	(void)state;
	run(p);
	assert_row(p, ".text", 100, 100);
	assert_row(p, ".bss", 0, 300);
	assert_true(heft_profile_file(p, 0, &info, NULL));
	assert_int_equal(heft_profile_table(p)->top->now[HEFT_SIZE_FILE], info.file_size);
	assert_int_equal(heft_profile_table(p)->top->now[HEFT_SIZE_VM], 600);
	assert_int_equal(info.vm_size, 600);
	assert_string_equal(info.path, "prog");
	assert_non_null(strstr(info.format, "ELF 64-bit LSB executable"));
	assert_false(heft_profile_file(p, 1, &info, NULL));
	assert_false(heft_profile_is_diff(p));
	heft_profile_free(p);
}

/* An entry of .symtab is 24 bytes; the names take theirs with the NUL. */
static void a_symbol_owns_its_code_its_entry_and_its_name(void **state)
{
	struct heft_profile *p = measured("rawsymbols");
	(void)state;
	run(p);
	assert_row(p, "_Z3fooi", 64 + 24 + 8, 64);
	assert_row(p, "main", 32 + 4 + 24 + 5, 36); /* 4: padding behind it */
	assert_row(p, "big", 24 + 4, 300);
	assert_row(p, "[section .data]", 100, 100);
	heft_profile_free(p);
}

/* lld gives functions that it proves empty the address of the next function, and no size. */
static void a_label_at_a_function_does_not_own_what_pads_it(void **state)
{
	struct elfgen g = elfgen_make(64, false, ET_EXEC, EM_NONE);
	const uint16_t text = (uint16_t)elfgen_section(
		&g, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, zeros, 64);
	elfgen_load(&g, PF_R | PF_X, text);
	elfgen_symbol(&g, "f", 0x1000, 25, STB_GLOBAL << 4 | STT_FUNC, text);
	elfgen_symbol(&g, "empty", 0x1000, 0, STB_GLOBAL << 4 | STT_FUNC, text);
	elfgen_symbol(&g, "g", 0x1020, 32, STB_GLOBAL << 4 | STT_FUNC, text);
	const struct bytes b = elfgen_finish(&g);
	struct heft_profile *p = profile_of("rawsymbols");
	(void)state;
	write_file("labels", b);
	mem_free((void *)(uintptr_t)b.p);
	add_file(p, "labels", HEFT_INPUT);
	run(p);
	assert_row(p, "f", 32 + 24 + 2, 32);
	assert_row(p, "g", 32 + 24 + 2, 32);
	heft_profile_free(p);
}

static void demangling_is_a_matter_of_the_source_and_the_setting(void **state)
{
	static const struct {
		const char *source;
		enum heft_demangle style;
		const char *label;
	} cases[] = {
		{ "symbols", HEFT_NAMES_SHORT, "foo()" },
		{ "symbols", HEFT_NAMES_FULL, "foo(int)" },
		{ "symbols", HEFT_NAMES_RAW, "_Z3fooi" },
		{ "fullsymbols", HEFT_NAMES_RAW, "foo(int)" },
		{ "shortsymbols", HEFT_NAMES_FULL, "foo()" },
		{ "rawsymbols", HEFT_NAMES_FULL, "_Z3fooi" },
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct heft_profile *p = measured(cases[i].source);
		heft_session_set_demangle(session, cases[i].style);
		run(p);
		assert_row(p, cases[i].label, 96, 64);
		heft_profile_free(p);
	}
}

static void two_sources_make_two_levels(void **state)
{
	struct heft_profile *p = measured("sections");
	(void)state;
	assert_true(heft_profile_add_source(p, "symbols", &err));
	run(p);
	const struct heft_row *text = child(heft_profile_table(p)->top, ".text");
	assert_int_equal(text->child_count, 2);
	assert_int_equal(child(text, "foo()")->now[HEFT_SIZE_FILE], 64);
	assert_int_equal(child(text, "main")->now[HEFT_SIZE_VM], 36);
	assert_int_equal(child(text, "main")->child_count, 0);
	heft_profile_free(p);
}

static void the_same_file_twice_counts_twice(void **state)
{
	struct heft_profile *p = measured("sections");
	(void)state;
	add_file(p, "prog", HEFT_INPUT);
	run(p);
	assert_row(p, ".text", 200, 200);
	assert_int_equal(heft_profile_file_count(p), 2);
	heft_profile_free(p);
}

static void a_base_makes_a_diff(void **state)
{
	struct heft_profile *p = measured("symbols");
	(void)state;
	write_program("old", 48, false);
	add_file(p, "old", HEFT_BASE);
	run(p);
	assert_true(heft_profile_is_diff(p));
	const struct heft_row *top = heft_profile_table(p)->top;
	assert_string_equal(top->children[0]->label, "foo()");
	assert_int_equal(top->children[0]->now[HEFT_SIZE_VM], 64);
	assert_int_equal(top->children[0]->base[HEFT_SIZE_VM], 48);
	assert_null(child(top, "main"));
	heft_profile_free(p);
}

/* Code, and behind it what fills a page. */
static void write_padded(const char *path, uint64_t text, uint64_t padding)
{
	struct elfgen g = elfgen_make(64, false, ET_EXEC, EM_NONE);
	const uint32_t code = elfgen_section(&g, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR,
					     0x1000, zeros, text);
	const uint32_t fill = elfgen_section(&g, ".relro_padding", SHT_NOBITS,
					     SHF_ALLOC | SHF_WRITE, 0x3000, NULL, padding);
	elfgen_load(&g, PF_R | PF_X, code);
	elfgen_load(&g, PF_R | PF_W, fill);
	const struct bytes b = elfgen_finish(&g);
	write_file(path, b);
	mem_free((void *)(uintptr_t)b.p);
}

static void what_fills_a_page_does_not_lead_a_diff(void **state)
{
	struct heft_profile *p = profile_of("sections");
	(void)state;
	write_padded("new", 100, 3000);
	write_padded("old", 120, 20);
	add_file(p, "new", HEFT_INPUT);
	add_file(p, "old", HEFT_BASE);
	run(p);
	const struct heft_row *top = heft_profile_table(p)->top;
	assert_non_null(child(top, ".text"));
	assert_string_equal(top->children[top->child_count - 1]->label, ".relro_padding");
	heft_profile_free(p);
}

static void the_limit_sums_up_the_rest(void **state)
{
	struct heft_profile *p = measured("rawsymbols");
	(void)state;
	heft_profile_set_rows(p, 1);
	heft_profile_set_sort_domain(p, HEFT_VM);
	run(p);
	const struct heft_row *top = heft_profile_table(p)->top;
	assert_int_equal(top->child_count, 2);
	assert_string_equal(top->children[0]->label, "big");
	assert_true(top->children[1]->others);
	assert_int_equal(top->children[0]->now[HEFT_SIZE_FILE] +
				 top->children[1]->now[HEFT_SIZE_FILE],
			 top->now[HEFT_SIZE_FILE]);
	heft_profile_free(p);
}

static bool put_text(void *ctx, const void *data, size_t size)
{
	/* The text outlives the handle whose call writes. */
	struct memory *mine = memory_enter(NULL);
	text_add(ctx, (struct str){ data, size });
	memory_enter(mine);
	return true;
}

/* Rows for stores of the fixture by sections and symbols. */
static struct text stored(unsigned flags, enum heft_format format)
{
	struct text ret = { 0 };
	const struct heft_write_opts opts = { .size = sizeof opts, .format = format };
	struct heft_profile *p = measured("sections");
	assert_true(heft_profile_add_source(p, "rawsymbols", &err));
	heft_profile_set_flags(p, flags);
	heft_profile_set_rows(p, flags & HEFT_PROFILE_LEVELWISE ? 1 : 0);
	run(p);
	assert_true(heft_profile_write(p, &opts, &(struct heft_sink){ put_text, &ret }, &err));
	heft_profile_free(p);
	return ret;
}

static void rows_of_levels_go_to_stores_as_all_rows_do(void **state)
{
	struct text all = stored(0, HEFT_NDJSON),
		    walked = stored(HEFT_PROFILE_LEVELWISE, HEFT_NDJSON);
	(void)state;
	assert_true(all.len > 100);
	assert_int_equal(all.len, walked.len);
	assert_memory_equal(all.p, walked.p, all.len);
	text_release(&all);
	text_release(&walked);
}

static bool put_nowhere(void *ctx, const void *data, size_t size)
{
	(void)ctx, (void)data, (void)size;
	return true;
}

static void rows_can_be_made_level_by_level(void **state)
{
	struct heft_profile *p = measured("sections");
	(void)state;
	assert_true(heft_profile_add_source(p, "rawsymbols", &err));
	heft_profile_set_flags(p, HEFT_PROFILE_LEVELWISE);
	heft_profile_set_rows(p, 1);
	run(p);
	const struct heft_row *text = child(heft_profile_table(p)->top, ".text");
	const size_t count = text->child_count;
	assert_true(count > 1);
	assert_null(text->children);
	assert_true(heft_profile_open_row(p, text, &err));
	assert_true(heft_profile_open_row(p, text, &err));
	assert_int_equal(text->child_count, count);
	uint64_t sum = 0;
	for (size_t i = 0; i < count; i++)
		sum += text->children[i]->now[HEFT_SIZE_VM];
	assert_int_equal(sum, text->now[HEFT_SIZE_VM]);
	assert_error(heft_profile_write(p, NULL, &(struct heft_sink){ put_nowhere, NULL }, &err),
		     HEFT_EARG, "level by level");
	heft_profile_free(p);
}

static uint32_t match_foo(void *ctx, const struct heft_row *row)
{
	assert_string_equal(ctx, "looks for foo");
	return strstr(row->label, "foo") != NULL;
}

static void rows_of_levels_can_be_filtered(void **state)
{
	static char ctx[] = "looks for foo";
	struct heft_row_filter filter = {
		.size = sizeof filter, .match = match_foo, .ctx = ctx, .wanted = 1
	};
	struct heft_profile *p = measured("sections");
	const struct heft_row *const *list;
	const uint64_t *now, *base;
	uint64_t count;
	size_t rows;
	(void)state;
	assert_true(heft_profile_add_source(p, "rawsymbols", &err));
	heft_profile_set_flags(p, HEFT_PROFILE_LEVELWISE);
	assert_error(heft_profile_filter_rows(p, &filter, &count, &err), HEFT_EARG,
		     "level by level");
	run(p);
	const struct heft_row *top = heft_profile_table(p)->top, *text = child(top, ".text");
	assert_true(heft_profile_filter_rows(p, &filter, &count, &err));
	assert_true(count > 0);
	assert_true(heft_profile_open_filtered(p, text, &list, &rows, &err));
	assert_int_equal(rows, 1);
	assert_string_equal(list[0]->label, "_Z3fooi");
	assert_null(text->children);
	assert_int_equal(heft_profile_filtered(p, text, &now, &base), HEFT_ROW_SHOWN);
	assert_int_equal(now[HEFT_SIZE_VM], 64);
	assert_int_equal(heft_profile_filtered(p, child(top, ".bss"), &now, &base),
			 HEFT_ROW_HIDDEN);
	assert_true(heft_profile_filter_rows(p, NULL, NULL, &err));
	assert_int_equal(heft_profile_filtered(p, text, &now, &base), HEFT_ROW_SHOWN);
	assert_ptr_equal(now, text->now);
	heft_profile_free(p);
}

static uint32_t match_parameter(void *ctx, const struct heft_row *row)
{
	(void)ctx;
	return strstr(row->label, "(int)") != NULL;
}

static void filters_of_rows_see_full_names_where_asked(void **state)
{
	struct heft_row_filter filter = { .size = sizeof filter,
					  .match = match_parameter,
					  .wanted = 1 };
	struct heft_profile *p = measured("sections");
	const struct heft_row *const *list;
	uint64_t count;
	size_t rows;
	(void)state;
	assert_true(heft_profile_add_source(p, "shortsymbols", &err));
	heft_profile_set_flags(p, HEFT_PROFILE_LEVELWISE);
	run(p);
	assert_true(heft_profile_filter_rows(p, &filter, &count, &err));
	assert_int_equal(count, 0);
	filter.in_full = 1;
	assert_true(heft_profile_filter_rows(p, &filter, &count, &err));
	assert_true(count > 0);
	const struct heft_row *text = child(heft_profile_table(p)->top, ".text");
	assert_true(heft_profile_open_filtered(p, text, &list, &rows, &err));
	assert_int_equal(rows, 1);
	assert_string_equal(list[0]->label, "foo()");
	heft_profile_free(p);
}

static void counting_tells_how_many_symbols_a_row_has(void **state)
{
	struct heft_profile *p = measured("sections");
	(void)state;
	heft_profile_set_flags(p, HEFT_PROFILE_COUNT);
	run(p);
	assert_int_equal(child(heft_profile_table(p)->top, ".text")->now[HEFT_SIZE_COUNT], 2);
	assert_int_equal(child(heft_profile_table(p)->top, ".bss")->now[HEFT_SIZE_COUNT], 1);
	heft_profile_free(p);
}

static void filters_keep_and_count_what_they_leave_out(void **state)
{
	struct heft_profile *p = measured("sections");
	(void)state;
	assert_true(heft_profile_include(p, "text|data", &err));
	assert_true(heft_profile_exclude(p, "^.text$", &err));
	run(p);
	const struct heft_row *top = heft_profile_table(p)->top;
	assert_int_equal(top->child_count, 1);
	assert_row(p, ".data", 200, 200);
	assert_int_equal(heft_profile_omitted(p, HEFT_SIZE_VM), 400);
	heft_profile_free(p);
}

/* ---- custom sources and the configuration file ------------------------------------------- */

static void a_custom_source_rewrites_labels(void **state)
{
	static const struct heft_rewrite rules[] = { { "^\\.(t)ext", "code \\1" },
						     { "^\\.[db]", "data" } };
	struct heft_profile *p = measured(NULL);
	(void)state;
	assert_true(heft_profile_define_source(p, "mine", "sections", rules, 2, &err));
	assert_true(heft_profile_add_source(p, "mine", &err));
	run(p);
	assert_row(p, "code t", 100, 100);
	assert_row(p, "data", 200, 500);
	heft_profile_free(p);
}

static void mistakes_in_custom_sources_are_told(void **state)
{
	const struct heft_rewrite good = { "a", "b" }, bad = { "(", "b" }, group = { "a", "\\1" };
	struct heft_profile *p = ALONE(heft_profile_new);
	(void)state;
	assert_error(heft_profile_define_source(p, "m", "nothing", &good, 1, &err), HEFT_EARG,
		     "no such data source: nothing");
	assert_error(heft_profile_define_source(p, "m", "symbols", &good, 1, &err), HEFT_EARG,
		     "depends on -C");
	assert_error(heft_profile_define_source(p, "m", "sections", &bad, 1, &err), HEFT_EARG, "(");
	assert_error(heft_profile_define_source(p, "m", "sections", &group, 1, &err), HEFT_EARG,
		     "\\1");
	assert_error(heft_profile_add_source(p, "m", &err), HEFT_EARG, "no such data source: m");
	heft_profile_free(p);
}

static void a_configuration_file_sets_what_it_says(void **state)
{
	struct heft_profile *p = ALONE(heft_profile_new);
	struct heft_config config = { .size = sizeof config };
	(void)state;
	write_program("prog", 64, false);
	write_text("conf", "filename: 'prog'\n"
			   "max_rows_per_level: 5\n"
			   "data_source: 'kind'\n"
			   "verbose_level: 2\n"
			   "custom_data_source: {\n"
			   "  name: 'kind' base_data_source: 'sections'\n"
			   "  rewrite: { pattern: '^\\\\.bss' replacement: 'empty' }\n"
			   "}\n");
	if (!heft_profile_config(p, "conf", &config, &err))
		fail_msg("%s", err.text);
	assert_true(config.has_rows);
	assert_false(config.has_demangle);
	assert_int_equal(config.verbose, 2);
	run(p);
	assert_row(p, "empty", 0, 300);
	heft_profile_free(p);
}

static void a_broken_configuration_file_is_refused(void **state)
{
	struct heft_profile *p = ALONE(heft_profile_new);
	(void)state;
	write_text("conf", "filename: 'prog'\nnonsense: 3\n");
	assert_error(heft_profile_config(p, "conf", NULL, &err), HEFT_EFORMAT, "conf:2:1:");
	assert_error(heft_profile_config(p, "none", NULL, &err), HEFT_EIO, "none");
	heft_profile_free(p);
}

/* ---- ranges and look-ups ------------------------------------------------------------------- */

struct walk {
	uint64_t at, holes, total;
	size_t count;
	bool labels_wrong;
};

static bool walk_range(void *ctx, uint64_t start, uint64_t size, const char *const *labels,
		       size_t label_count)
{
	struct walk *w = ctx;
	assert_int_equal(start, w->at);
	w->at += size;
	w->count++;
	if (!labels)
		w->holes += size;
	else
		w->total += size;
	w->labels_wrong = w->labels_wrong || (labels && label_count != 1);
	return true;
}

static void ranges_walk_the_whole_space_in_order(void **state)
{
	struct heft_profile *p = measured("sections");
	struct walk file = { 0 }, vm = { 0 };
	(void)state;
	run(p);
	assert_true(heft_profile_ranges(p, 0, HEFT_FILE, walk_range, &file));
	assert_int_equal(file.total, heft_profile_table(p)->top->now[HEFT_SIZE_FILE]);
	assert_int_equal(file.holes, 0);
	assert_true(heft_profile_ranges(p, 0, HEFT_VM, walk_range, &vm));
	assert_int_equal(vm.total, 600);
	assert_int_equal(vm.at, 0x3000 + 300);
	assert_int_equal(vm.count, 6);
	assert_false(file.labels_wrong || vm.labels_wrong);
	assert_false(heft_profile_ranges(p, 1, HEFT_VM, walk_range, &vm));
	heft_profile_free(p);
}

static void a_look_up_tells_the_range_around_an_address(void **state)
{
	struct heft_profile *p = measured("sections");
	struct heft_place place = { .size = sizeof place };
	(void)state;
	assert_true(heft_profile_add_source(p, "symbols", &err));
	run(p);
	assert_true(heft_profile_lookup(p, 0, HEFT_VM, 0x1041, &place, NULL));
	assert_int_equal(place.start, 0x1040);
	assert_int_equal(place.bytes, 36);
	assert_int_equal(place.label_count, 2);
	assert_string_equal(place.labels[0], ".text");
	assert_string_equal(place.labels[1], "main");
	assert_true(heft_profile_lookup(p, 0, HEFT_FILE, 0, &place, NULL));
	assert_string_equal(place.labels[0], "[ELF Header]");
	assert_false(heft_profile_lookup(p, 0, HEFT_VM, 0x1064, &place, NULL));
	assert_false(heft_profile_lookup(p, 0, HEFT_VM, UINT64_MAX, &place, NULL));
	assert_false(heft_profile_lookup(p, 7, HEFT_VM, 0x1041, &place, NULL));
	heft_profile_free(p);
}

static void ranges_are_gone_unless_they_were_asked_for(void **state)
{
	struct heft_profile *p = profile_of("sections");
	struct heft_place place = { .size = sizeof place };
	struct walk w = { 0 };
	(void)state;
	write_program("prog", 64, false);
	add_file(p, "prog", HEFT_INPUT);
	run(p);
	assert_false(heft_profile_ranges(p, 0, HEFT_FILE, walk_range, &w));
	assert_false(heft_profile_lookup(p, 0, HEFT_FILE, 0, &place, NULL));
	heft_profile_free(p);
}

/* ---- trace ----------------------------------------------------------------------------------- */

struct traced {
	size_t count;
	char text[2000];
};

static bool trace_claim(void *ctx, const struct heft_claim *c)
{
	struct traced *t = ctx;
	const size_t used = strlen(t->text);
	t->count++;
	snprintf(t->text + used, sizeof t->text - used, "%s %s %d %llx+%llu %s (%s)\n", c->path,
		 c->source, (int)c->domain, (unsigned long long)c->start,
		 (unsigned long long)c->bytes, c->label, c->why);
	return true;
}

static void a_trace_tells_every_claim_of_an_address_in_order(void **state)
{
	struct heft_profile *p = measured("rawsymbols");
	struct traced t = { 0 };
	(void)state;
	heft_profile_set_trace(p, trace_claim, &t);
	heft_profile_trace_at(p, HEFT_VM, 0x1001);
	run(p);
	const char *symbol = strstr(t.text, "prog rawsymbols 2 1000+64 _Z3fooi (symbol table)\n");
	const char *section = strstr(t.text,
				     "prog rawsymbols 2 1000+100 [section .text] (fallback)\n");
	if (!symbol || !section)
		fail_msg("%s", t.text);
	assert_true(symbol < section);
	assert_null(strstr(t.text, "main"));
	heft_profile_free(p);
}

static void a_trace_without_addresses_tells_every_claim(void **state)
{
	struct heft_profile *p = measured("sections");
	struct traced t = { 0 };
	(void)state;
	heft_profile_set_trace(p, trace_claim, &t);
	run(p);
	assert_true(t.count > 10);
	heft_profile_free(p);
}

/* ---- archives, debug files ------------------------------------------------------------------- */

static void the_members_of_an_archive_are_told_apart(void **state)
{
	struct heft_profile *p = profile_of("armembers");
	(void)state;
	write_text("x.c", "int x[100] = { 1 }; int f(void) { return x[1]; }");
	assert_int_equal(system("cc -c x.c -o one.o && cp one.o two.o && ar rcs lib.a one.o two.o"),
			 0);
	add_file(p, "lib.a", HEFT_INPUT);
	run(p);
	const struct heft_row *one = child(heft_profile_table(p)->top, "one.o");
	const struct heft_row *two = child(heft_profile_table(p)->top, "two.o");
	assert_non_null(one);
	assert_non_null(two);
	assert_int_equal(one->now[HEFT_SIZE_FILE], two->now[HEFT_SIZE_FILE]);
	assert_true(one->now[HEFT_SIZE_VM] >= 400);
	assert_non_null(child(heft_profile_table(p)->top, "[AR Headers]"));
	heft_profile_free(p);
}

static void a_debug_file_must_belong_to_an_input(void **state)
{
	struct heft_profile *p = profile_of("symbols");
	(void)state;
	write_program("with-id", 64, true);
	write_program("prog", 128, false);
	add_file(p, "prog", HEFT_INPUT);
	heft_finder_add_debug_file(heft_session_finder(session), "with-id");
	assert_error(heft_profile_run(p, &err), HEFT_EARG, "aabbccdd");
	heft_profile_free(p);
	p = profile_of("symbols");
	add_file(p, "with-id", HEFT_INPUT);
	heft_finder_add_debug_file(heft_session_finder(session), "prog");
	assert_error(heft_profile_run(p, &err), HEFT_EARG, "no build ID");
	heft_profile_free(p);
}

static void a_build_id_is_told_in_hex(void **state)
{
	struct heft_profile *p = profile_of("sections");
	struct heft_file_info info = { .size = sizeof info };
	(void)state;
	write_program("with-id", 64, true);
	add_file(p, "with-id", HEFT_INPUT);
	run(p);
	assert_true(heft_profile_file(p, 0, &info, NULL));
	assert_string_equal(info.build_id, "aabbccdd");
	assert_string_equal(info.debug_path, "");
	heft_profile_free(p);
}

/* ---- errors ---------------------------------------------------------------------------------- */

static void assert_refused(const char *path, enum heft_code code, const char *words)
{
	struct heft_profile *p = profile_of("sections");
	add_file(p, path, HEFT_INPUT);
	memset(&err, 0, sizeof err);
	assert_error(heft_profile_run(p, &err), code, words);
	assert_int_equal(strncmp(err.text, path, strlen(path)), 0);
	assert_null(heft_profile_table(p));
	heft_profile_free(p);
}

static void what_cannot_be_read_is_named_with_its_reason(void **state)
{
	(void)state;
	write_text("text", "hello, world, this is no program\n");
	write_text("empty", "");
	write_file("cut", (struct bytes){ (const uint8_t *)"\177ELF\2\1\1", 7 });
	assert_refused("nothing", HEFT_EIO, "No such file");
	assert_refused("/tmp", HEFT_EARG, "directory");
	assert_refused("empty", HEFT_EFORMAT, "empty");
	assert_refused("text", HEFT_EUNSUPPORTED, "of no kind that heft knows");
	assert_refused("cut", HEFT_EFORMAT, "too short");
}

static void one_bad_input_ends_the_run(void **state)
{
	struct heft_profile *p = measured("sections");
	(void)state;
	add_file(p, "nothing", HEFT_INPUT);
	assert_error(heft_profile_run(p, &err), HEFT_EIO, "nothing");
	assert_null(heft_profile_table(p));
	heft_profile_free(p);
}

static void mistakes_of_the_caller_are_errors(void **state)
{
	struct heft_profile *p = ALONE(heft_profile_new);
	(void)state;
	assert_error(heft_profile_add_source(p, "nope", &err), HEFT_EARG,
		     "no such data source: nope");
	assert_error(heft_profile_add_source(p, "", &err), HEFT_EARG, "no such data source: ");
	assert_error(heft_profile_include(p, "(", &err), HEFT_EARG, "(");
	assert_error(heft_profile_run(p, &err), HEFT_EARG, "at least one file");
	assert_error(heft_profile_write(p, NULL, NULL, &err), HEFT_EARG, "not run");
	for (unsigned i = 0; i < 16; i++)
		assert_true(heft_profile_add_source(p, "sections", &err));
	assert_error(heft_profile_add_source(p, "sections", &err), HEFT_ELIMIT, "16");
	assert_false(heft_profile_add_source(p, "nope", NULL));
	heft_profile_free(p);
	heft_profile_free(NULL);
}

static void a_profile_runs_once(void **state)
{
	struct heft_profile *p = measured("sections");
	(void)state;
	run(p);
	assert_error(heft_profile_run(p, &err), HEFT_EARG, "once");
	assert_row(p, ".text", 100, 100);
	heft_profile_free(p);
}

static void an_odd_input_gives_notes_and_still_adds_up(void **state)
{
	struct elfgen g = elfgen_make(64, false, ET_EXEC, EM_NONE);
	struct heft_profile *p = profile_of("sections");
	struct heft_file_info info = { .size = sizeof info };
	(void)state;
	const uint32_t far = elfgen_section(&g, ".far", SHT_PROGBITS, 0, 0, NULL, 1000000);
	g.sections.data[far].off = 64;
	const struct bytes b = elfgen_finish(&g);
	write_file("odd", b);
	mem_free((void *)(uintptr_t)b.p);
	add_file(p, "odd", HEFT_INPUT);
	run(p);
	assert_int_equal(heft_session_note_count(session), 1);
	const struct heft_note *n = heft_session_note(session, 0);
	assert_string_equal(n->path, "odd");
	assert_non_null(strstr(n->text, "beyond the end of the file"));
	assert_int_equal(n->count, 1);
	assert_true(n->bytes > 900000);
	assert_null(heft_session_note(session, 1));
	assert_true(heft_profile_file(p, 0, &info, NULL));
	assert_int_equal(heft_profile_table(p)->top->now[HEFT_SIZE_FILE], info.file_size);
	heft_profile_free(p);
}

/* ---- writing --------------------------------------------------------------------------------- */

static bool take(void *ctx, const void *data, size_t size)
{
	char *text = ctx;
	strncat(text, data, size);
	return true;
}

static bool refuse(void *ctx, const void *data, size_t size)
{
	(void)ctx;
	(void)data;
	(void)size;
	return false;
}

static void a_report_is_written_piece_by_piece(void **state)
{
	struct heft_profile *p = measured("sections");
	const struct heft_write_opts opts = { .size = sizeof opts, .format = HEFT_CSV };
	char text[4000] = "";
	const struct heft_sink to_text = { take, text }, refusing = { refuse, NULL };
	(void)state;
	run(p);
	assert_true(heft_profile_write(p, &opts, &to_text, &err));
	assert_int_equal(strncmp(text, "sections,vmsize,filesize\n", 25), 0);
	assert_non_null(strstr(text, "\n.text,100,100\n"));
	text[0] = '\0';
	assert_true(heft_profile_write(p, NULL, &to_text, &err));
	assert_non_null(strstr(text, "TOTAL"));
	assert_error(heft_profile_write(p, &opts, &refusing, &err), HEFT_EIO, "");
	heft_profile_free(p);
}

static void the_built_in_sources_are_listed_and_usable(void **state)
{
	const char *name, *text;
	size_t i = 0;
	(void)state;
	for (; heft_source(i, &name, &text); i++) {
		struct heft_profile *p = measured(name);
		struct heft_file_info info = { .size = sizeof info };
		run(p);
		assert_true(heft_profile_file(p, 0, &info, NULL));
		assert_int_equal(heft_profile_table(p)->top->now[HEFT_SIZE_FILE], info.file_size);
		assert_int_equal(heft_profile_table(p)->top->now[HEFT_SIZE_VM], info.vm_size);
		/* The memory of a machine has gaps between segments, too. */
		assert_true(info.vm_size == 600 || strcmp(name, "regions") == 0);
		assert_true(strlen(text) > 5);
		heft_profile_free(p);
	}
	assert_true(i >= 8);
	assert_int_equal(heft_source_count(), i);
	assert_true(strlen(heft_version()) > 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sections_is_what_is_measured_if_nothing_is_said),
		cmocka_unit_test(a_symbol_owns_its_code_its_entry_and_its_name),
		cmocka_unit_test(a_label_at_a_function_does_not_own_what_pads_it),
		cmocka_unit_test(demangling_is_a_matter_of_the_source_and_the_setting),
		cmocka_unit_test(two_sources_make_two_levels),
		cmocka_unit_test(the_same_file_twice_counts_twice),
		cmocka_unit_test(a_base_makes_a_diff),
		cmocka_unit_test(what_fills_a_page_does_not_lead_a_diff),
		cmocka_unit_test(the_limit_sums_up_the_rest),
		cmocka_unit_test(rows_can_be_made_level_by_level),
		cmocka_unit_test(rows_of_levels_can_be_filtered),
		cmocka_unit_test(filters_of_rows_see_full_names_where_asked),
		cmocka_unit_test(rows_of_levels_go_to_stores_as_all_rows_do),
		cmocka_unit_test(counting_tells_how_many_symbols_a_row_has),
		cmocka_unit_test(filters_keep_and_count_what_they_leave_out),
		cmocka_unit_test(a_custom_source_rewrites_labels),
		cmocka_unit_test(mistakes_in_custom_sources_are_told),
		cmocka_unit_test(a_configuration_file_sets_what_it_says),
		cmocka_unit_test(a_broken_configuration_file_is_refused),
		cmocka_unit_test(ranges_walk_the_whole_space_in_order),
		cmocka_unit_test(a_look_up_tells_the_range_around_an_address),
		cmocka_unit_test(ranges_are_gone_unless_they_were_asked_for),
		cmocka_unit_test(a_trace_tells_every_claim_of_an_address_in_order),
		cmocka_unit_test(a_trace_without_addresses_tells_every_claim),
		cmocka_unit_test(the_members_of_an_archive_are_told_apart),
		cmocka_unit_test(a_debug_file_must_belong_to_an_input),
		cmocka_unit_test(a_build_id_is_told_in_hex),
		cmocka_unit_test(what_cannot_be_read_is_named_with_its_reason),
		cmocka_unit_test(one_bad_input_ends_the_run),
		cmocka_unit_test(mistakes_of_the_caller_are_errors),
		cmocka_unit_test(a_profile_runs_once),
		cmocka_unit_test(an_odd_input_gives_notes_and_still_adds_up),
		cmocka_unit_test(a_report_is_written_piece_by_piece),
		cmocka_unit_test(the_built_in_sources_are_listed_and_usable),
	};
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
