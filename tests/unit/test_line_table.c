/* Rows of line programs kept for looking addresses up. */
#include "../lib/line_maker.h"
#include "debug/line_table.h"

struct table {
	struct maker m;
	struct line_table t;
	struct intern paths;
};

/* A program of three files, up to its opcodes. */
static void begin_table(struct table *w)
{
	memset(w, 0, sizeof *w);
	begin(&w->m, (struct shape){ .version = 4 });
	blob_u8(&w->m.b, 0);
	for (unsigned i = 0; i < 3; i++) {
		const char name[] = { (char)('a' + i), '.', 'c', '\0' };
		blob_text(&w->m.b, name);
		blob_zeros(&w->m.b, 3);
	}
	blob_u8(&w->m.b, 0);
	body(&w->m);
}

static void read_table(struct table *w)
{
	struct maker *m = &w->m;
	end(m);
	notes_init(&m->notes);
	m->d = (struct dwarf){ .path = "test", .notes = &m->notes };
	give(m, DW_LINE, blob_bytes(&m->b));
	struct unit u = { .dwarf = &m->d,
			  .line_off = m->start,
			  .address_size = 8,
			  .comp_dir = STR("/comp"),
			  .str_offsets_base = DW_NO_OFFSET };
	assert_true(line_table_read(&w->t, &u, &w->paths));
}

static void drop(struct table *w)
{
	line_table_release(&w->t);
	intern_release(&w->paths);
	notes_release(&w->m.notes);
}

/* A row `addr` bytes and `lines` lines on. */
static void row(struct maker *m, uint64_t addr, unsigned lines)
{
	op_with(m, DW_LNS_advance_pc, addr);
	op_with(m, DW_LNS_advance_line, lines);
	op(m, DW_LNS_copy);
}

/* line 0: no row covers the address. */
static void expect(struct table *w, uint64_t addr, uint32_t line)
{
	const struct line_place *p = line_table_find(&w->t, addr);
	assert_int_equal(p ? p->line : 0, line);
}

static void a_row_covers_what_follows_up_to_the_next(void **state)
{
	(void)state;
	struct table w;
	begin_table(&w);
	set_address(&w.m, 0x1000);
	row(&w.m, 0, 9);  /* 0x1000: 10 */
	row(&w.m, 4, 5);  /* 0x1004: 15 */
	row(&w.m, 0, 5);  /* the same address: 20 counts */
	row(&w.m, 4, 0);  /* 0x1008: the same line */
	row(&w.m, 8, 10); /* 0x1010: 30 */
	op_with(&w.m, DW_LNS_advance_pc, 0x10);
	end_sequence(&w.m);
	set_address(&w.m, 0x800); /* a sequence in front, later in the program */
	row(&w.m, 0, 49);
	op_with(&w.m, DW_LNS_advance_pc, 8);
	end_sequence(&w.m);
	read_table(&w);
	/* In any order, for the place found last is where the next search begins. */
	for (unsigned i = 0; i < 2; i++) {
		expect(&w, 0x1011, 30);
		expect(&w, 0xfff, 0);
		expect(&w, 0x1000, 10);
		expect(&w, 0x1003, 10);
		expect(&w, 0x101f, 30);
		expect(&w, 0x1004, 20);
		expect(&w, 0x100f, 20);
		expect(&w, 0x1020, 0);
		expect(&w, 0x800, 50);
		expect(&w, 0x807, 50);
		expect(&w, 0x808, 0);
	}
	assert_int_equal(w.t.rows.count, 4);
	assert_int_equal(w.t.sequences.count, 2);
	drop(&w);
}

static void every_row_of_a_long_sequence_is_found(void **state)
{
	(void)state;
	struct table w;
	begin_table(&w);
	set_address(&w.m, 0x1000);
	for (unsigned i = 0; i < 300; i++)
		row(&w.m, 1 + i % 5, 1);
	op_with(&w.m, DW_LNS_advance_pc, 1);
	end_sequence(&w.m);
	read_table(&w);
	for (unsigned step = 1; step < 300; step += 7) {
		uint64_t addr = 0x1000;
		uint32_t line = 1;
		for (unsigned i = 0; i < 300; i++) {
			addr += 1 + i % 5;
			line++;
			if (i % step == 0)
				expect(&w, addr, line);
		}
	}
	drop(&w);
}

static void rows_that_go_back_are_left_out(void **state)
{
	(void)state;
	struct table w;
	begin_table(&w);
	set_address(&w.m, 0x1000);
	row(&w.m, 0, 9);
	set_address(&w.m, 0x900);
	row(&w.m, 0, 1);
	set_address(&w.m, 0x1008);
	row(&w.m, 0, 4);
	op_with(&w.m, DW_LNS_advance_pc, 8);
	end_sequence(&w.m);
	read_table(&w);
	expect(&w, 0x900, 0);
	expect(&w, 0x1007, 10);
	expect(&w, 0x1008, 15);
	drop(&w);
}

static void paths_are_absolute_and_the_same_every_time(void **state)
{
	(void)state;
	struct table w;
	begin_table(&w);
	set_address(&w.m, 0x1000);
	op_with(&w.m, DW_LNS_set_file, 2);
	row(&w.m, 0, 1);
	op_with(&w.m, DW_LNS_advance_pc, 8);
	end_sequence(&w.m);
	read_table(&w);
	const char *b = line_table_path(&w.t, 2, &w.paths);
	assert_string_equal(b, "/comp/b.c");
	assert_string_equal(line_table_path(&w.t, 1, &w.paths), "/comp/a.c"); /* in no row */
	assert_ptr_equal(line_table_path(&w.t, 2, &w.paths), b);
	assert_string_equal(line_table_path(&w.t, 4, &w.paths), "");
	assert_string_equal(line_table_path(&w.t, UINT32_MAX, &w.paths), "");
	drop(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_row_covers_what_follows_up_to_the_next),
		cmocka_unit_test(every_row_of_a_long_sequence_is_found),
		cmocka_unit_test(rows_that_go_back_are_left_out),
		cmocka_unit_test(paths_are_absolute_and_the_same_every_time),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
