/* Headers of hand-assembled line programs: tables of files, damage; and the names of sections. */
#include "../lib/line_maker.h"

/* ---- tables -------------------------------------------------------------------------- */

static void names_of_old_versions_are_counted_from_one(void **state)
{
	(void)state;
	struct maker m = { 0 };
	begin(&m, (struct shape){ .version = 3 });
	blob_text(&m.b, "inc");
	blob_text(&m.b, "/usr/include");
	blob_u8(&m.b, 0);
	for (unsigned dir = 0; dir < 4; dir++) {
		blob_text(&m.b, "x.h");
		blob_u8(&m.b, dir);
		uleb(&m, 1u << 30);
		uleb(&m, 1000);
	}
	blob_u8(&m.b, 0);
	body(&m);
	open_and_read(&m);
	assert_int_equal(m.p.dirs.count, 3);
	assert_int_equal(m.p.files.count, 5);
	expect_path(&m, 0, "");
	expect_path(&m, 1, "/comp/x.h");
	expect_path(&m, 2, "/comp/inc/x.h");
	expect_path(&m, 3, "/usr/include/x.h");
	expect_path(&m, 4, "/comp/x.h"); /* there is no directory 3 */
	expect_path(&m, 5, "");
	expect_path(&m, UINT64_MAX, "");
	assert_int_equal(m.notes.count, 0);
	done(&m);
}

static void field(struct maker *m, uint64_t content, uint64_t form)
{
	uleb(m, content);
	uleb(m, form);
}

/* Two directories as plain strings, and a path of `form` to come. */
static void begin_forms(struct maker *m, struct shape s, uint64_t form)
{
	s.version = 5;
	begin(m, s);
	op(m, 1);
	field(m, DW_LNCT_path, DW_FORM_string);
	op(m, 2);
	blob_text(&m->b, "/v5");
	blob_text(&m->b, "sub");
	op(m, 2);
	field(m, DW_LNCT_path, form);
	field(m, DW_LNCT_directory_index, DW_FORM_udata);
	op(m, 1);
}

static void names_of_version_five_come_in_every_form(void **state)
{
	(void)state;
	static const char str[] = "?\0s.c", line_str[] = "??\0l.c", sup_str[] = "\0p.c";
	static const struct {
		uint64_t form;
		unsigned width; /* 0: an offset */
		uint64_t value;
		const char *want;
	} cases[] = {
		{ DW_FORM_line_strp, 0, 3, "/v5/sub/l.c" },
		{ DW_FORM_strp, 0, 2, "/v5/sub/s.c" },
		{ DW_FORM_strp_sup, 0, 1, "/v5/sub/p.c" },
		{ DW_FORM_strx, 1, 1, "/v5/sub/s.c" },
		{ DW_FORM_strx1, 1, 1, "/v5/sub/s.c" },
		{ DW_FORM_strx2, 2, 1, "/v5/sub/s.c" },
		{ DW_FORM_strx3, 3, 1, "/v5/sub/s.c" },
		{ DW_FORM_strx4, 4, 1, "/v5/sub/s.c" },
		{ DW_FORM_strx4, 4, 2, "" },
		{ DW_FORM_line_strp, 0, 7, "" },
		{ DW_FORM_strp_sup, 0, 99, "" },
		{ DW_FORM_strx4, 4, UINT32_MAX, "" },
	};
	for (size_t i = 0; i < COUNT_OF(cases) * 4; i++) {
		const size_t k = i / 4;
		struct maker m = { 0 };
		const struct shape s = { .offset_size = i & 1 ? 8 : 4, .big_endian = i & 2 };
		struct blob offsets = { .big_endian = s.big_endian };
		struct dwarf sup = { 0 };
		begin_forms(&m, s, cases[k].form);
		blob_uint(&m.b, cases[k].value, cases[k].width ? cases[k].width : s.offset_size);
		uleb(&m, 1);
		body(&m);
		blob_zeros(&offsets, 8 + s.offset_size); /* base 8, index 0 */
		blob_uint(&offsets, 2, s.offset_size);
		sup.bytes[DW_STR] = (struct bytes){ (const uint8_t *)sup_str, sizeof sup_str };
		give(&m, DW_STR_OFFSETS, blob_bytes(&offsets));
		give(&m, DW_STR, (struct bytes){ (const uint8_t *)str, sizeof str });
		give(&m, DW_LINE_STR, (struct bytes){ (const uint8_t *)line_str, sizeof line_str });
		m.d.sup = &sup;
		open_and_read(&m);
		assert_int_equal(m.p.files.count, 1);
		expect_path(&m, 0, cases[k].want);
		if (cases[k].want[0] == '\0')
			expect_note(&m, "names of files are missing");
		else
			assert_int_equal(m.notes.count, 0);
		done(&m);
	}
}

static void other_contents_are_skipped_by_their_forms(void **state)
{
	(void)state;
	struct maker m = { 0 };
	begin(&m, (struct shape){ .version = 5 });
	op(&m, 1);
	field(&m, DW_LNCT_path, DW_FORM_string);
	op(&m, 1);
	blob_text(&m.b, "/v5");
	op(&m, 15);
	field(&m, DW_LNCT_timestamp, DW_FORM_data4);
	field(&m, DW_LNCT_size, DW_FORM_data8);
	field(&m, DW_LNCT_timestamp, DW_FORM_block);
	field(&m, DW_LNCT_MD5, DW_FORM_data16);
	field(&m, 0x2001, DW_FORM_line_strp); /* LLVM's source text; the section is not there */
	field(&m, 0x2001, DW_FORM_string);
	field(&m, 0x3000, DW_FORM_block1);
	field(&m, 0x3000, DW_FORM_block2);
	field(&m, 0x3000, DW_FORM_block4);
	field(&m, 0x3000, DW_FORM_sdata);
	field(&m, 0x3000, DW_FORM_sec_offset);
	field(&m, 0x3000, DW_FORM_data1);
	field(&m, 0x3000, DW_FORM_flag_present);
	field(&m, DW_LNCT_path, DW_FORM_string);
	field(&m, DW_LNCT_directory_index, DW_FORM_data2);
	op(&m, 2);
	for (int i = 0; i < 2; i++) {
		blob_zeros(&m.b, 4 + 8);
		op(&m, 2);
		blob_zeros(&m.b, 2 + 16 + 4);
		blob_text(&m.b, "int x;");
		op(&m, 1);
		op(&m, 9);
		blob_uint(&m.b, 1, 2);
		op(&m, 9);
		blob_uint(&m.b, 1, 4);
		op(&m, 9);
		op(&m, 0x7f);
		blob_zeros(&m.b, 4 + 1);
		blob_text(&m.b, i == 0 ? "a.c" : "b.c");
		blob_uint(&m.b, 0, 2);
	}
	body(&m);
	open_and_read(&m);
	expect_path(&m, 0, "/v5/a.c");
	expect_path(&m, 1, "/v5/b.c");
	assert_int_equal(m.notes.count, 0);
	done(&m);
}

static void version_five_without_a_directory_uses_the_units(void **state)
{
	(void)state;
	struct maker m = { 0 };
	begin(&m, (struct shape){ .version = 5 });
	blob_zeros(&m.b, 2);
	op(&m, 1);
	field(&m, DW_LNCT_path, DW_FORM_string);
	op(&m, 1);
	blob_text(&m.b, "x.c");
	body(&m);
	open_and_read(&m);
	expect_path(&m, 0, "/comp/x.c");
	done(&m);
}

static void a_file_table_alone_may_be_damaged(void **state)
{
	(void)state;
	static const uint64_t forms[] = { DW_FORM_indirect, DW_FORM_implicit_const, 0,
					  UINT64_C(0x1000000000008) };
	struct maker m = { 0 };
	for (size_t i = 0; i < COUNT_OF(forms); i++) {
		begin_forms(&m, (struct shape){ 0 }, forms[i]);
		blob_text(&m.b, "x.c");
		op(&m, 0);
		body(&m);
		a_sequence(&m, ADDR, 7);
		open_and_read(&m);
		assert_int_equal(m.count, 3);
		assert_int_equal(m.p.files.count, 0);
		assert_int_equal(m.p.dirs.count, 2);
		expect_note(&m, "table of files");
		done(&m);
	}
}

static void a_count_of_entries_is_not_believed(void **state)
{
	(void)state;
	struct maker m = { 0 };
	for (int form = 0; form < 3; form++) {
		begin(&m, (struct shape){ .version = 5 });
		if (form > 0)
			op(&m, 1);
		if (form == 1)
			field(&m, DW_LNCT_path, DW_FORM_flag_present);
		else if (form == 2)
			field(&m, DW_LNCT_path, DW_FORM_string);
		else
			op(&m, 0);
		uleb(&m, UINT64_C(1) << 62);
		blob_zeros(&m.b, 8);
		body(&m);
		a_sequence(&m, ADDR, 7);
		open_and_read(&m);
		assert_int_equal(m.count, 3);
		assert_true(m.p.dirs.count <= 8 && m.p.dirs.cap <= 64);
		expect_note(&m, "table of files");
		done(&m);
	}
}

/* ---- damage -------------------------------------------------------------------------- */

static void expect_refused(struct maker *m, uint64_t size, const char *why)
{
	assert_false(try_open(m, size));
	expect_note(m, "cannot be read");
	expect_note(m, why);
	assert_null(m->p.dirs.data);
	notes_release(&m->notes);
	notes_init(&m->notes);
}

static void headers_that_make_no_sense_are_refused(void **state)
{
	(void)state;
	struct maker m = { 0 };
	begin_plain(&m, (struct shape){ .version = 4 });
	end(&m);
	const struct blob good = m.b;
	expect_refused(&m, 0, "outside");
	m.start = good.size;
	expect_refused(&m, good.size, "outside");
	m.start = UINT64_MAX;
	expect_refused(&m, good.size, "outside");
	m.start = 0;
	blob_patch(&m.b, 0, 0xfffffff0, 4); /* reserved */
	expect_refused(&m, good.size, "no length");
	static const uint16_t versions[] = { 0, 1, 7, 0xf006, 0xffff };
	for (size_t i = 0; i < COUNT_OF(versions); i++) {
		m.b = good;
		blob_patch(&m.b, 4, versions[i], 2);
		expect_refused(&m, good.size, "version");
	}
	m.b = good;
	blob_patch(&m.b, 6, good.size - 9, 4); /* by one byte */
	expect_refused(&m, good.size, "longer");
	m.b = good;
	blob_patch(&m.b, 6, 5, 4); /* no room for the opcode base */
	expect_refused(&m, good.size, "damaged");
	m.b = good;
	blob_patch(&m.b, 15, 0, 1); /* opcode base */
	expect_refused(&m, good.size, "damaged");
	done(&m);
}

static void an_address_size_that_cannot_be_is_the_units(void **state)
{
	(void)state;
	struct maker m = { 0 };
	for (unsigned size = 0; size < 256; size += 9) {
		begin_plain(&m, (struct shape){ .version = 5, .address_size = 4 });
		blob_patch(&m.b, 6, size, 1);
		open_and_read(&m);
		assert_int_equal(m.p.address_size, 4);
		done(&m);
	}
}

/* ---- sections ------------------------------------------------------------------------ */

static void sections_are_known_by_every_spelling(void **state)
{
	(void)state;
	enum dw_section which;
	bool dwo;
	for (size_t i = 0; i < DW_SECTIONS; i++) {
		assert_true(
			dw_section_of(str_of(dw_section_name((enum dw_section)i)), &which, &dwo));
		assert_true(which == (enum dw_section)i && !dwo);
	}
	assert_true(dw_section_of(STR(".zdebug_info"), &which, &dwo) && which == DW_INFO && !dwo);
	assert_true(dw_section_of(STR(".debug_line.dwo"), &which, &dwo) && which == DW_LINE && dwo);
	assert_true(dw_section_of(STR(".zdebug_str.dwo"), &which, &dwo) && which == DW_STR && dwo);
	const char *const others[] = {
		"",           ".text",          ".debug_",     ".debug_lines",
		".debug_lin", ".zdebug_",       ".debug_.dwo", ".debug_dwo",
		".gdb_inde",  ".debug_x_index", "debug_line",  ".zgdb_index"
	};
	for (size_t i = 0; i < COUNT_OF(others); i++)
		assert_false(dw_section_of(str_of(others[i]), &which, &dwo));
}

static void initial_lengths_say_the_size_of_offsets(void **state)
{
	(void)state;
	static const struct {
		uint32_t first;
		uint64_t want;
		uint8_t offset_size;
		bool ok;
	} cases[] = {
		{ 0, 0, 4, true },
		{ 0xffffffef, 0xffffffef, 4, true },
		{ 0xfffffff0, 0, 4, false },
		{ 0xfffffffe, 0, 4, false },
		{ 0xffffffff, 0x123456789, 8, true },
	};
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct blob b = { 0 };
		uint8_t size;
		blob_u32(&b, cases[i].first);
		blob_u64(&b, 0x123456789);
		struct reader r = reader_of(blob_bytes(&b), false);
		assert_int_equal(read_initial_length(&r, &size), cases[i].want);
		assert_int_equal(reader_ok(&r), cases[i].ok);
		assert_int_equal(size, cases[i].offset_size);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_old_versions_are_counted_from_one),
		cmocka_unit_test(names_of_version_five_come_in_every_form),
		cmocka_unit_test(other_contents_are_skipped_by_their_forms),
		cmocka_unit_test(version_five_without_a_directory_uses_the_units),
		cmocka_unit_test(a_file_table_alone_may_be_damaged),
		cmocka_unit_test(a_count_of_entries_is_not_believed),
		cmocka_unit_test(headers_that_make_no_sense_are_refused),
		cmocka_unit_test(an_address_size_that_cannot_be_is_the_units),
		cmocka_unit_test(sections_are_known_by_every_spelling),
		cmocka_unit_test(initial_lengths_say_the_size_of_offsets),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
