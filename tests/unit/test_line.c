/* Opcodes of hand-assembled line programs of every version. */
#include "../lib/line_maker.h"

/* ---- opcodes ------------------------------------------------------------------------ */

static void every_version_and_width_gives_the_same_rows(void **state)
{
	(void)state;
	struct maker m = { 0 };
	for (unsigned i = 0; i < 4 * 2 * 2 * 8; i++) {
		const struct shape s = { .version = (uint16_t)(2 + i % 4),
					 .offset_size = i & 4 ? 8 : 4,
					 .big_endian = i & 8,
					 .address_size = (uint8_t)(1 + i / 16) };
		blob_zeros(&m.b, 3); /* another program's */
		begin_plain(&m, s);
		op_with(&m, DW_LNS_advance_line, 9);
		op(&m, DW_LNS_copy);
		op(&m, 13 + 5 + 14 * 3 + 2);
		op_with(&m, DW_LNS_advance_pc, 4);
		end_sequence(&m);
		open_and_read(&m);
		assert_int_equal(m.count, 3);
		expect_row(&m, 0, ADDR, 10);
		expect_row(&m, 1, ADDR + 3, 12);
		expect_row(&m, 2, ADDR + 7, 12);
		assert_int_equal(m.rows[0].start, m.body);
		assert_int_equal(m.rows[2].off, m.b.size);
		assert_int_equal(m.p.size, m.b.size - 3);
		assert_int_equal(m.p.header_size, m.body - 3);
		assert_int_equal(m.p.version, s.version);
		assert_int_equal(m.p.address_size, s.address_size);
		assert_int_equal(m.notes.count, 0);
		done(&m);
	}
}

static void special_opcodes_divide_by_any_line_range(void **state)
{
	(void)state;
	struct maker m = { 0 };
	for (unsigned range = 1; range < 256; range++) {
		for (unsigned code = 13; code < 256; code += 1 + code % 7) {
			begin_plain(&m,
				    (struct shape){ .version = 4, .line_range = (uint8_t)range });
			op(&m, (uint8_t)code);
			open_and_read(&m);
			assert_int_equal(m.rows[0].addr, ADDR + (code - 13) / range);
			assert_int_equal(m.rows[0].line, 1u + (uint32_t)-5 + (code - 13) % range);
			done(&m);
		}
	}
}

static void standard_opcodes_set_their_registers(void **state)
{
	(void)state;
	struct maker m = { 0 };
	begin_plain(&m, (struct shape){ .version = 3, .line_range = 11 });
	op(&m, DW_LNS_copy);
	op_with(&m, DW_LNS_set_file, 300);
	op_with(&m, DW_LNS_set_column, 70);
	op(&m, DW_LNS_negate_stmt);
	op(&m, DW_LNS_set_basic_block);
	op(&m, DW_LNS_set_prologue_end);
	op(&m, DW_LNS_set_epilogue_begin);
	op_with(&m, DW_LNS_set_isa, 1000);
	op(&m, DW_LNS_advance_line);
	op(&m, 0x7f); /* -1 */
	op(&m, DW_LNS_copy);
	op(&m, DW_LNS_const_add_pc);
	op(&m, DW_LNS_copy);
	op(&m, DW_LNS_fixed_advance_pc);
	blob_uint(&m.b, 0x1234, 2);
	op(&m, DW_LNS_copy);
	op_with(&m, DW_LNS_set_file, UINT64_C(1) << 40);
	end_sequence(&m);
	op(&m, DW_LNS_copy);
	open_and_read(&m);
	assert_int_equal(m.count, 7);
	assert_true(m.rows[0].file == 1 && m.rows[0].column == 0 && m.rows[0].is_stmt);
	assert_true(m.rows[1].file == 300 && m.rows[1].column == 70 && !m.rows[1].is_stmt);
	assert_int_equal(m.rows[1].line, 0);
	assert_int_equal(m.rows[2].addr, ADDR + (255 - 13) / 11);
	assert_int_equal(m.rows[3].addr, ADDR + (255 - 13) / 11 + 0x1234);
	assert_true(m.rows[4].end_sequence && m.rows[4].file == UINT32_MAX);
	/* A new sequence begins with what a program begins with. */
	assert_true(m.rows[5].addr == 0 && m.rows[5].file == 1 && m.rows[5].line == 1);
	assert_true(m.rows[5].is_stmt && !m.rows[5].end_sequence && m.rows[6].end_sequence);
	done(&m);
}

static void addresses_count_in_instructions_but_for_fixed_steps(void **state)
{
	(void)state;
	struct maker m = { 0 };
	begin_plain(&m, (struct shape){ .version = 4, .min_inst = 4 });
	op(&m, 13 + 5 + 14 * 2);
	op_with(&m, DW_LNS_advance_pc, 3);
	op(&m, DW_LNS_copy);
	op(&m, DW_LNS_fixed_advance_pc);
	blob_uint(&m.b, 6, 2);
	end_sequence(&m);
	open_and_read(&m);
	expect_row(&m, 0, ADDR + 8, 1);
	expect_row(&m, 1, ADDR + 20, 1);
	expect_row(&m, 2, ADDR + 26, 1);
	done(&m);
}

static void wide_instruction_words_have_an_operation_index(void **state)
{
	(void)state;
	struct maker m = { 0 };
	begin_plain(&m, (struct shape){ .version = 4, .min_inst = 16, .max_ops = 3 });
	op(&m, 13 + 5 + 14 * 2);
	op(&m, 13 + 5 + 14 * 2);
	op_with(&m, DW_LNS_advance_pc, 7);
	op(&m, DW_LNS_copy);
	op(&m, DW_LNS_fixed_advance_pc);
	blob_uint(&m.b, 2, 2);
	end_sequence(&m);
	open_and_read(&m);
	expect_row(&m, 0, ADDR, 1);
	assert_int_equal(m.rows[0].op_index, 2);
	expect_row(&m, 1, ADDR + 16, 1);
	assert_int_equal(m.rows[1].op_index, 1);
	expect_row(&m, 2, ADDR + 16 + 32, 1);
	assert_int_equal(m.rows[2].op_index, 2);
	expect_row(&m, 3, ADDR + 16 + 32 + 2, 1);
	assert_int_equal(m.rows[3].op_index, 0);
	done(&m);
}

static void rows_may_begin_as_no_statements(void **state)
{
	(void)state;
	struct maker m = { 0 };
	begin_plain(&m, (struct shape){ .version = 2 });
	blob_patch(&m.b, m.lengths_end + 1, 0, 1);
	op(&m, DW_LNS_copy);
	op(&m, DW_LNS_negate_stmt);
	end_sequence(&m);
	op(&m, DW_LNS_copy);
	open_and_read(&m);
	assert_int_equal(m.count, 4);
	assert_true(!m.rows[0].is_stmt && m.rows[1].is_stmt && !m.rows[2].is_stmt);
	done(&m);
}

static void addresses_stay_within_their_size(void **state)
{
	(void)state;
	struct maker m = { 0 };
	begin_plain(&m, (struct shape){ .version = 2, .address_size = 4 });
	op_with(&m, DW_LNS_advance_pc, UINT32_MAX);
	op(&m, DW_LNS_copy);
	op_with(&m, DW_LNS_advance_pc, 2);
	end_sequence(&m);
	open_and_read(&m);
	expect_row(&m, 0, ADDR - 1, 1);
	expect_row(&m, 1, ADDR + 1, 1);
	done(&m);
}

static void opcodes_without_a_meaning_are_passed_over(void **state)
{
	(void)state;
	struct maker m = { 0 };
	begin_plain(&m, (struct shape){ .version = 4, .opcode_base = 16 });
	op(&m, 13);
	uleb(&m, 1);
	uleb(&m, 1u << 20);
	extended(&m, 0x80, 3);
	blob_u8(&m.b, DW_LNS_copy);
	blob_uint(&m.b, 0x0101, 2);
	extended(&m, DW_LNE_set_discriminator, 1);
	op(&m, 77);
	blob_zeros(&m.b, 2); /* an extended opcode of no bytes */
	op(&m, 16 + 5 + 14 * 2 + 3);
	extended(&m, DW_LNE_end_sequence, 2);
	blob_uint(&m.b, 0x0101, 2);
	open_and_read(&m);
	assert_int_equal(m.count, 2);
	expect_row(&m, 0, ADDR + 2, 4);
	expect_row(&m, 1, ADDR + 2, 4);
	assert_int_equal(m.rows[1].off, m.b.size);
	assert_int_equal(m.notes.count, 0);
	done(&m);
}

static void opcodes_above_a_low_base_are_special(void **state)
{
	(void)state;
	struct maker m = { 0 };
	begin_plain(&m, (struct shape){ .version = 2, .opcode_base = 4, .line_base = 1 });
	op(&m, DW_LNS_set_file); /* 4, and 4 is the base */
	op(&m, 4 + 14);
	open_and_read(&m);
	assert_int_equal(m.count, 3);
	expect_row(&m, 0, ADDR, 2);
	expect_row(&m, 1, ADDR + 1, 3);
	done(&m);
	begin_plain(&m, (struct shape){ .version = 5, .opcode_base = 1 });
	op(&m, 1 + 5 + 3);
	open_and_read(&m);
	expect_row(&m, 0, ADDR, 4);
	done(&m);
}

static void a_file_may_be_defined_between_opcodes(void **state)
{
	(void)state;
	struct maker m = { 0 };
	for (uint16_t version = 4; version <= 5; version++) {
		begin_plain(&m, (struct shape){ .version = version });
		extended(&m, DW_LNE_define_file, 7);
		blob_text(&m.b, "x.c");
		blob_u8(&m.b, 0);
		blob_uint(&m.b, 0x0505, 2);
		/* Cut short: no file. */
		extended(&m, DW_LNE_define_file, 3);
		blob_text(&m.b, "y.");
		for (int i = 0; i < 4; i++)
			op(&m, DW_LNS_copy);
		open_and_read(&m);
		assert_int_equal(m.count, 5);
		assert_int_equal(m.p.files.count, version == 4 ? 2 : 0);
		expect_path(&m, 1, version == 4 ? "/comp/x.c" : "");
		done(&m);
	}
}

/* ---- code that was thrown away ------------------------------------------------------- */

static void sequences_at_tombstones_are_passed_over(void **state)
{
	(void)state;
	struct maker m = { 0 };
	begin_plain(&m, (struct shape){ .version = 5 });
	m.b.size = m.body;
	a_sequence(&m, 0, 2);
	a_sequence(&m, UINT64_MAX, 3);
	const uint64_t live = m.b.size;
	a_sequence(&m, ADDR, 4);
	const uint64_t behind = m.b.size;
	a_sequence(&m, UINT64_MAX - 1, 5);
	a_sequence(&m, 1, 6);
	open_and_read(&m);
	assert_int_equal(m.count, 3);
	assert_int_equal(m.rows[0].line, 4);
	assert_int_equal(m.rows[0].start, live);
	assert_int_equal(m.rows[2].off, behind);
	/* Firmware may begin at 0. */
	line_release(&m.p);
	m.d.zero_is_code = true;
	open_and_read(&m);
	assert_int_equal(m.count, 6);
	assert_int_equal(m.rows[0].line, 2);
	done(&m);
}

static void a_tombstone_inside_a_sequence_ends_it(void **state)
{
	(void)state;
	struct maker m = { 0 };
	begin_plain(&m, (struct shape){ .version = 4, .address_size = 4 });
	op(&m, DW_LNS_copy);
	set_address(&m, UINT32_MAX);
	op(&m, DW_LNS_copy);
	const uint64_t live = m.b.size;
	set_address(&m, ADDR + 8);
	op(&m, DW_LNS_copy);
	end_sequence(&m);
	open_and_read(&m);
	assert_int_equal(m.count, 4);
	assert_true(m.rows[1].end_sequence && m.rows[1].addr == ADDR);
	assert_true(m.rows[2].addr == ADDR + 8 && m.rows[2].start == live);
	assert_true(m.rows[3].end_sequence);
	done(&m);
}

static void an_address_of_no_or_nine_bytes_hides_its_sequence(void **state)
{
	(void)state;
	struct maker m = { 0 };
	for (unsigned size = 0; size <= 9; size++) {
		begin_plain(&m, (struct shape){ .version = 4 });
		m.b.size = m.body;
		extended(&m, DW_LNE_set_address, size);
		for (unsigned i = 0; i < size; i++)
			op(&m, i == 0 ? ADDR : 0);
		op(&m, DW_LNS_copy);
		end_sequence(&m);
		open_and_read(&m);
		const bool readable = size >= 1 && size <= 8;
		assert_int_equal(m.count, readable ? 2 : 0);
		assert_int_equal(m.notes.count, readable ? 0 : 1);
		done(&m);
	}
}

/* ---- damage -------------------------------------------------------------------------- */

static void a_program_may_be_cut_anywhere(void **state)
{
	(void)state;
	struct maker m = { 0 }, whole = { 0 };
	for (uint16_t version = 2; version <= 5; version++) {
		begin_plain(&m, (struct shape){ .version = version });
		m.b.size = m.body;
		a_sequence(&m, ADDR, 7);
		a_sequence(&m, ADDR + 16, 70);
		end(&m);
		whole = m;
		assert_true(try_open(&whole, m.b.size));
		read_rows(&whole);
		assert_int_equal(whole.count, 6);
		for (uint64_t size = 0; size < m.b.size; size++) {
			assert_int_equal(try_open(&m, size), size >= m.body);
			if (size >= m.body)
				read_rows(&m);
			expect_note(&m, size > 3 ? "cut off" : "cannot be read");
			/* What is not there in the whole is the end of an open sequence. */
			for (size_t i = 0; i < m.count; i++)
				assert_true(m.rows[i].off == whole.rows[i].off ||
					    (i + 1 == m.count && m.rows[i].end_sequence));
			assert_true(m.count == 0 || m.rows[m.count - 1].end_sequence);
			line_release(&m.p);
			notes_release(&m.notes);
			notes_init(&m.notes);
		}
		done(&whole);
		done(&m);
	}
}

static void damage_ends_the_rows_with_one_note(void **state)
{
	(void)state;
	struct maker m = { 0 };
	struct line_row row;
	begin_plain(&m, (struct shape){ .version = 4 });
	op(&m, DW_LNS_copy);
	op(&m, 13 + 5 + 14);
	const uint64_t at = m.b.size;
	op(&m, 0);
	uleb(&m, 100); /* more than there is */
	blob_zeros(&m.b, 9);
	open_and_read(&m);
	assert_int_equal(m.count, 3);
	expect_row(&m, 1, ADDR + 1, 1);
	expect_row(&m, 2, ADDR + 1, 1);
	assert_false(line_next(&m.p, &row));
	expect_note(&m, "is damaged at");
	assert_int_equal(m.notes.count, 1);
	assert_int_equal(m.notes.data[0].bytes, m.b.size - at - 2);
	done(&m);
}

static void a_line_range_of_zero_ends_where_it_is_needed(void **state)
{
	(void)state;
	struct maker m = { 0 };
	for (int constant = 0; constant < 2; constant++) {
		begin_plain(&m, (struct shape){ .version = 4 });
		blob_patch(&m.b, m.lengths_end + 4, 0, 1);
		op_with(&m, DW_LNS_advance_pc, 2);
		op(&m, DW_LNS_copy);
		const uint64_t at = m.b.size;
		op(&m, constant ? DW_LNS_const_add_pc : 100);
		op(&m, DW_LNS_copy);
		open_and_read(&m);
		assert_int_equal(m.count, 2);
		expect_row(&m, 0, ADDR + 2, 1);
		expect_note(&m, "is damaged at");
		assert_int_equal(m.notes.data[0].bytes, m.b.size - at);
		done(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_version_and_width_gives_the_same_rows),
		cmocka_unit_test(special_opcodes_divide_by_any_line_range),
		cmocka_unit_test(standard_opcodes_set_their_registers),
		cmocka_unit_test(addresses_count_in_instructions_but_for_fixed_steps),
		cmocka_unit_test(wide_instruction_words_have_an_operation_index),
		cmocka_unit_test(rows_may_begin_as_no_statements),
		cmocka_unit_test(addresses_stay_within_their_size),
		cmocka_unit_test(opcodes_without_a_meaning_are_passed_over),
		cmocka_unit_test(opcodes_above_a_low_base_are_special),
		cmocka_unit_test(a_file_may_be_defined_between_opcodes),
		cmocka_unit_test(sequences_at_tombstones_are_passed_over),
		cmocka_unit_test(a_tombstone_inside_a_sequence_ends_it),
		cmocka_unit_test(an_address_of_no_or_nine_bytes_hides_its_sequence),
		cmocka_unit_test(a_program_may_be_cut_anywhere),
		cmocka_unit_test(damage_ends_the_rows_with_one_note),
		cmocka_unit_test(a_line_range_of_zero_ends_where_it_is_needed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
