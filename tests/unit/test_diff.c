/* Diffs of snapshots: the pairs of SuperSize's passes and of heft's own, values, rows, .sizediff
 * files. */
#include "compare/diff_rows.h"
#include "compare/match.h"
#include "snapshot/sizefile.h"

#include <math.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../lib/rng.h"
#include "../lib/snapmaker.h"

struct fixture {
	struct snapshot before, after;
	struct snapshot_diff diff;
};

#define SETUP(f, old, new_, supersize)                                                             \
	struct fixture f;                                                                          \
	snapmaker_make(&(f).before, old, COUNT_OF(old));                                           \
	snapmaker_make(&(f).after, new_, COUNT_OF(new_));                                          \
	diff_init(&(f).diff, &(f).before, &(f).after, supersize)

static void teardown(struct fixture *f)
{
	diff_release(&f->diff);
	snapshot_release(&f->before);
	snapshot_release(&f->after);
}

static unsigned count(const struct snapshot_diff *d, enum heft_change change)
{
	unsigned n = 0;
	for (size_t i = 0; i < d->pairs.count; i++)
		n += d->pairs.data[i].change == change;
	if (change == HEFT_ADDED)
		n += (unsigned)d->paddings.count;
	return n;
}

/* Size, padding and PSS over all pairs, the sums of padding included. */
static struct diff_value sum(const struct snapshot_diff *d)
{
	struct diff_value all = { 0 };
	for (size_t i = 0; i < d->pairs.count; i++) {
		const struct diff_value v = diff_value(d, &d->pairs.data[i]);
		all.size += v.size;
		all.padding += v.padding;
		all.pss += v.pss;
	}
	for (size_t i = 0; i < d->paddings.count; i++) {
		all.size += d->paddings.data[i].size;
		all.padding += d->paddings.data[i].size;
		all.pss += (double)d->paddings.data[i].size;
	}
	return all;
}

static void check_counts(const struct snapshot_diff *d, unsigned added, unsigned removed,
			 unsigned changed, unsigned unchanged)
{
	assert_int_equal(count(d, HEFT_ADDED), added);
	assert_int_equal(count(d, HEFT_REMOVED), removed);
	assert_int_equal(count(d, HEFT_CHANGED), changed);
	assert_int_equal(count(d, HEFT_UNCHANGED), unchanged);
}

static const struct made some[] = {
	{ ".text", 0x1000, 10, 0, "a(int)", "a.c", "a.o", NULL, 0 },
	{ ".text", 0x100a, 20, 2, "b", "a.c", "a.o", NULL, 3 },
	{ ".text", 0x100a, 20, 2, "c", "b.c", "b.o", NULL, 0 },
	{ ".text", 0x100a, 20, 2, "d", "c.c", "c.o", NULL, 0 },
	{ ".rodata", 0x2000, 6, 0, "\"hello\"", "a.c", "a.o", NULL, 0 },
	{ ".rodata", 0x2006, 4, 0, "string literal", "a.c", "a.o", NULL, 0 },
	{ ".other", 0, 0, 100, "Overhead: ELF file", NULL, NULL, NULL, 0 },
};

static void a_snapshot_does_not_differ_from_itself(void **state)
{
	(void)state;
	for (int supersize = 0; supersize < 2; supersize++) {
		SETUP(f, some, some, supersize);
		check_counts(&f.diff, 0, 0, 0, COUNT_OF(some));
		assert_int_equal(sum(&f.diff).size, 0);
		teardown(&f);
	}
}

static void one_alias_less_changes_the_others_by_no_byte(void **state)
{
	static const struct made old[] = {
		{ ".text", 16, 30, 0, "a", "a.c", NULL, NULL, 3 },
		{ ".text", 16, 30, 0, "b", "a.c", NULL, NULL, 0 },
		{ ".text", 16, 30, 0, "c", "a.c", NULL, NULL, 0 },
	};
	static const struct made new_[] = {
		{ ".text", 16, 30, 0, "a", "a.c", NULL, NULL, 2 },
		{ ".text", 16, 30, 0, "b", "a.c", NULL, NULL, 0 },
	};
	(void)state;
	SETUP(f, old, new_, true);
	check_counts(&f.diff, 0, 1, 2, 0);
	assert_true(fabs(sum(&f.diff).pss) < 1e-9);
	teardown(&f);
}

static void aliases_in_other_lists_change_but_not_in_sum(void **state)
{
	static const struct made old[] = {
		{ ".text", 16, 30, 0, "a1", "a.c", NULL, NULL, 2 },
		{ ".text", 16, 30, 0, "a2", "a.c", NULL, NULL, 0 },
		{ ".text", 64, 30, 0, "b1", "a.c", NULL, NULL, 3 },
		{ ".text", 64, 30, 0, "b2", "a.c", NULL, NULL, 0 },
		{ ".text", 64, 30, 0, "b3", "a.c", NULL, NULL, 0 },
	};
	static const struct made new_[] = {
		{ ".text", 16, 30, 0, "a1", "a.c", NULL, NULL, 3 },
		{ ".text", 16, 30, 0, "a2", "a.c", NULL, NULL, 0 },
		{ ".text", 16, 30, 0, "b1", "a.c", NULL, NULL, 0 },
		{ ".text", 64, 30, 0, "b2", "a.c", NULL, NULL, 2 },
		{ ".text", 64, 30, 0, "b3", "a.c", NULL, NULL, 0 },
	};
	(void)state;
	SETUP(f, old, new_, true);
	check_counts(&f.diff, 0, 0, 4, 1);
	assert_true(fabs(sum(&f.diff).pss) < 1e-9);
	assert_int_equal(sum(&f.diff).size, 0);
	teardown(&f);
}

static void check_one(const struct made *old, const struct made *new_, bool supersize,
		      enum heft_change want)
{
	struct fixture f;
	snapmaker_make(&f.before, old, 1);
	snapmaker_make(&f.after, new_, 1);
	diff_init(&f.diff, &f.before, &f.after, supersize);
	if (want == HEFT_ADDED) { /* and removed: no pair */
		assert_int_equal(count(&f.diff, HEFT_ADDED), 1);
		assert_int_equal(count(&f.diff, HEFT_REMOVED), 1);
	} else {
		assert_int_equal(f.diff.pairs.count, 1);
		assert_int_equal(f.diff.pairs.data[0].change, want);
	}
	teardown(&f);
}

#define SYMBOL(section, size, name, source)                                                        \
	&(struct made){ section, 16, size, 0, name, source, NULL, NULL, 0 }

static void supersize_pairs_by_name_path_and_section(void **state)
{
	(void)state;
	/* Another section letter; one letter of two sections. */
	check_one(SYMBOL(".text", 8, "x", "a.c"), SYMBOL(".data", 8, "x", "a.c"), true, HEFT_ADDED);
	check_one(SYMBOL(".data.rel.ro", 8, "x", "a.c"),
		  SYMBOL(".data.rel.ro.local", 8, "x", "a.c"), true, HEFT_UNCHANGED);
	/* Parameters, and parameters with path. */
	check_one(SYMBOL(".text", 8, "f(int)", "a.c"), SYMBOL(".text", 8, "f(long)", "a.c"), true,
		  HEFT_UNCHANGED);
	check_one(SYMBOL(".text", 8, "f(int)", "a.c"), SYMBOL(".text", 9, "f(long)", "a.c"), true,
		  HEFT_CHANGED);
	check_one(SYMBOL(".text", 8, "f(int)", "a.c"), SYMBOL(".text", 8, "f(long)", "b.c"), true,
		  HEFT_ADDED);
	/* Path alone: names that are one everywhere. */
	check_one(SYMBOL(".text", 8, "f", "a.c"), SYMBOL(".text", 8, "f", "b.c"), true,
		  HEFT_UNCHANGED);
	check_one(SYMBOL(".text", 8, "f.x", "a.c"), SYMBOL(".text", 8, "f.x", "b.c"), true,
		  HEFT_ADDED);
	check_one(SYMBOL(".rodata", 8, "string literal", "a.c"),
		  SYMBOL(".rodata", 8, "string literal", "b.c"), true, HEFT_ADDED);
	check_one(SYMBOL(".rodata", 8, "\"text\"", "a.c"), SYMBOL(".rodata", 8, "\"text\"", "b.c"),
		  true, HEFT_UNCHANGED);
	check_one(SYMBOL(".rodata", 8, "\"text\"", "a.c"), SYMBOL(".rodata", 9, "\"text\"", "b.c"),
		  true, HEFT_ADDED);
}

static void unstable_numbers_do_not_part_symbols(void **state)
{
	(void)state;
	check_one(SYMBOL(".text", 8, "* symbol gap 1 (end of section)", NULL),
		  SYMBOL(".text", 8, "* symbol gap 2 (end of section)", NULL), true,
		  HEFT_UNCHANGED);
	check_one(SYMBOL(".text", 8, "** symbol gap 1", NULL),
		  SYMBOL(".text", 8, "** symbol gap 22", NULL), true, HEFT_UNCHANGED);
	check_one(SYMBOL(".rodata", 8, ".L__unnamed_1193", "a.c"),
		  SYMBOL(".rodata", 8, ".L__unnamed_7", "a.c"), true, HEFT_UNCHANGED);
	check_one(SYMBOL(".rodata", 8, ".L.ref.tmp.2", "a.c"),
		  SYMBOL(".rodata", 8, ".L.ref.tmp", "a.c"), true, HEFT_UNCHANGED);
	check_one(SYMBOL(".dex.method", 8, "Foo$3#this$0", "a.c"),
		  SYMBOL(".dex.method", 8, "Foo$4#this$11", "a.c"), true, HEFT_UNCHANGED);
}

static void stable_texts_lose_dollar_numbers_and_the_end(void **state)
{
	static const char *const tests[][2] = {
		{ "a", "a" },  { "a1.2.3", "a" }, { "a$1b", "ab" }, { "a$b", "a$b" },    { "", "" },
		{ "123", "" }, { "$", "$" },      { "a1b", "a1b" }, { "x$12$3.4", "x" },
	};
	struct text t = { 0 };
	(void)state;
	for (size_t i = 0; i < COUNT_OF(tests); i++) {
		const struct str stable = match_stable(str_of(tests[i][0]), &t);
		assert_true(str_eq(stable, str_of(tests[i][1])));
	}
	text_release(&t);
}

static void padding_of_pairs_is_one_symbol_a_section(void **state)
{
	static const struct made old[] = {
		{ ".text", 16, 50, 1, "a", "a.c", NULL, NULL, 0 },
		{ ".text", 99, 50, 0, "b", "a.c", NULL, NULL, 0 },
	};
	static const struct made new_[] = {
		/* Its size with padding grew by 11, its padding by 20. */
		{ ".text", 16, 41, 21, "a", "a.c", NULL, NULL, 0 },
		{ ".text", 99, 61, 0, "b", "a.c", NULL, NULL, 0 },
	};
	(void)state;
	SETUP(f, old, new_, true);
	assert_int_equal(diff_value(&f.diff, &f.diff.pairs.data[0]).size, -9);
	assert_int_equal(diff_value(&f.diff, &f.diff.pairs.data[1]).size, 11);
	assert_int_equal(f.diff.paddings.count, 1);
	assert_int_equal(f.diff.paddings.data[0].size, 20);
	assert_int_equal(sum(&f.diff).size, 22);
	assert_int_equal(sum(&f.diff).padding, 20);
	check_counts(&f.diff, 1, 0, 2, 0);
	teardown(&f);
}

static void symbols_that_are_padding_change_by_it(void **state)
{
	static const struct made old[] = { { ".other", 0, 0, 100, "Overhead: ELF file", NULL, NULL,
					     NULL, 0 } };
	static const struct made new_[] = { { ".other", 0, 0, 130, "Overhead: ELF file", NULL, NULL,
					      NULL, 0 } };
	(void)state;
	SETUP(f, old, new_, true);
	const struct diff_value v = diff_value(&f.diff, &f.diff.pairs.data[0]);
	assert_int_equal(v.size, 30);
	assert_int_equal(v.padding, 30);
	assert_int_equal(f.diff.paddings.count, 0);
	check_counts(&f.diff, 0, 0, 1, 0);
	teardown(&f);
}

static void pairs_are_made_in_the_order_of_the_lists(void **state)
{
	static const struct made old[] = {
		{ ".text", 16, 8, 0, "f", "a.c", NULL, NULL, 0 },
		{ ".text", 32, 9, 0, "f", "a.c", NULL, NULL, 0 },
	};
	static const struct made new_[] = {
		{ ".text", 16, 7, 0, "f", "a.c", NULL, NULL, 0 },
		{ ".text", 32, 8, 0, "f", "a.c", NULL, NULL, 0 },
	};
	(void)state;
	SETUP(f, old, new_, true);
	/* The one of equal size first, then what is left. */
	assert_int_equal(f.diff.pairs.data[1].before, 0);
	assert_int_equal(f.diff.pairs.data[0].before, 1);
	check_counts(&f.diff, 0, 0, 1, 1);
	teardown(&f);
}

static void containers_of_other_names_share_nothing_in_supersize(void **state)
{
	(void)state;
	for (int supersize = 0; supersize < 2; supersize++) {
		SETUP(f, some, some, true);
		diff_release(&f.diff);
		f.after.containers.data[0].name = "libx.so";
		diff_init(&f.diff, &f.before, &f.after, supersize);
		assert_int_equal(count(&f.diff, HEFT_UNCHANGED), supersize ? 0 : COUNT_OF(some));
		teardown(&f);
	}
}

static void a_cold_part_is_not_taken_for_its_function(void **state)
{
	static const struct made old[] = {
		{ ".text", 16, 9, 0, "f()", "a.cc", NULL, NULL, 0 },
		{ ".text", 32, 90, 0, "f()", "a.cc", NULL, NULL, 0 },
	};
	static const struct made new_[] = { { ".text", 32, 80, 0, "f()", "a.cc", NULL, NULL, 0 } };
	struct fixture f;
	(void)state;
	snapmaker_make(&f.before, old, COUNT_OF(old));
	snapmaker_make(&f.after, new_, COUNT_OF(new_));
	f.before.symbols.data[0].flags = SNAP_CLONE | SNAP_UNLIKELY;
	diff_init(&f.diff, &f.before, &f.after, false);
	check_counts(&f.diff, 0, 1, 1, 0);
	for (size_t i = 0; i < f.diff.pairs.count; i++)
		if (f.diff.pairs.data[i].change == HEFT_REMOVED)
			assert_int_equal(f.diff.pairs.data[i].before, 0);
	teardown(&f);
}

static void add_charge(struct snapshot *s, const char *name, uint64_t bytes, uint32_t symbol)
{
	vec_push(&s->charges, (struct snap_charge){ .file = bytes,
						    .vm = bytes,
						    .name = snapmaker_text(s, name),
						    .symbol = symbol });
}

static uint64_t before_of(const struct snapshot_diff *d, uint64_t after)
{
	for (size_t i = 0; i < d->charges.list.count; i++)
		if (d->charges.list.data[i].file[1] == after)
			return d->charges.list.data[i].file[0];
	return UINT64_MAX;
}

static void data_after_a_symbol_follows_the_symbol_or_its_size(void **state)
{
	static const struct made old[] = { { ".text", 16, 90, 0, "f", "a.c", NULL, NULL, 0 } };
	static const struct made new_[] = { { ".text", 32, 90, 0, "g", "a.c", NULL, NULL, 0 } };
	struct fixture f;
	(void)state;
	snapmaker_make(&f.before, old, COUNT_OF(old));
	snapmaker_make(&f.after, new_, COUNT_OF(new_));
	add_charge(&f.before, "f", 90, 0);
	add_charge(&f.before, "(after f)", 40, SNAP_NO_SYMBOL);
	add_charge(&f.before, "(after x)", 500, SNAP_NO_SYMBOL);
	add_charge(&f.before, "(after y)", 60, SNAP_NO_SYMBOL);
	add_charge(&f.before, "(after z)", 60, SNAP_NO_SYMBOL);
	add_charge(&f.after, "g", 91, 0);
	add_charge(&f.after, "(after g)", 44, SNAP_NO_SYMBOL);
	add_charge(&f.after, "(after v)", 500, SNAP_NO_SYMBOL);
	add_charge(&f.after, "(after w)", 60, SNAP_NO_SYMBOL);
	diff_init(&f.diff, &f.before, &f.after, false);
	assert_int_equal(before_of(&f.diff, 91), 90);
	assert_int_equal(before_of(&f.diff, 44), 40);
	assert_int_equal(before_of(&f.diff, 500), 500);
	assert_int_equal(before_of(&f.diff, 60), 0); /* Two of the older side have that size. */
	teardown(&f);
}

static void moved_and_renamed_symbols_are_found(void **state)
{
	(void)state;
	check_one(SYMBOL(".text", 8, "f", "a.c"), SYMBOL(".text", 8, "f", "b.c"), false,
		  HEFT_MOVED);
	check_one(SYMBOL(".text", 8, "f", "src/a.c"), SYMBOL(".text", 9, "f", "lib/a.c"), false,
		  HEFT_MOVED);
	/* More of the path is known now. */
	check_one(SYMBOL(".text", 8, "f", "a.c"), SYMBOL(".text", 8, "f", "src/a.c"), false,
		  HEFT_UNCHANGED);
	/* Suffixes of clones and of Rust's hashes. */
	check_one(SYMBOL(".text", 8, "f.cold", "a.c"), SYMBOL(".text", 8, "f.cold.7", "b.c"), false,
		  HEFT_MOVED);
	check_one(SYMBOL(".text", 8, "f.llvm.123", "a.c"), SYMBOL(".text", 9, "f", "a.c"), false,
		  HEFT_CHANGED);
	check_one(SYMBOL(".text", 8, "a::f::h0123456789abcdef", "a.rs"),
		  SYMBOL(".text", 8, "a::f::hfedcba9876543210", "a.rs"), false, HEFT_UNCHANGED);
	/* Renamed: the same size and path; a name alike. */
	check_one(SYMBOL(".text", 80, "write_all", "a.c"), SYMBOL(".text", 80, "flush", "a.c"),
		  false, HEFT_RENAMED);
	check_one(SYMBOL(".data", 80, "config_table_old", "a.c"),
		  SYMBOL(".data", 80, "config_table_new", "a.c"), false, HEFT_RENAMED);
	check_one(SYMBOL(".text", 80, "net::Socket::open_now(int)", "a.c"),
		  SYMBOL(".text", 80, "net::Stream::open_now(int)", "b.c"), false, HEFT_RENAMED);
	/* Not: another size, little alike, too small, strings. */
	check_one(SYMBOL(".text", 80, "write_all", "a.c"), SYMBOL(".text", 81, "flush", "a.c"),
		  false, HEFT_ADDED);
	check_one(SYMBOL(".text", 80, "write_all", "a.c"), SYMBOL(".text", 80, "flush", "b.c"),
		  false, HEFT_ADDED);
	check_one(SYMBOL(".text", 4, "write_all", "a.c"), SYMBOL(".text", 4, "flush", "a.c"), false,
		  HEFT_ADDED);
	check_one(SYMBOL(".rodata", 80, "\"one text\"", "a.c"),
		  SYMBOL(".rodata", 80, "\"two text\"", "a.c"), false, HEFT_ADDED);
}

static void functions_between_the_same_neighbours_are_renamed(void **state)
{
	static const struct made old[] = {
		{ ".text", 16, 8, 0, "first", NULL, NULL, NULL, 0 },
		{ ".text", 24, 80, 0, "write_all", NULL, NULL, NULL, 0 },
		{ ".text", 104, 20, 0, "clear", NULL, NULL, NULL, 0 },
		{ ".text", 124, 8, 0, "last", NULL, NULL, NULL, 0 },
	};
	static const struct made new_[] = {
		{ ".text", 32, 8, 0, "first", NULL, NULL, NULL, 0 },
		{ ".text", 40, 80, 0, "flush", NULL, NULL, NULL, 0 },
		{ ".text", 120, 20, 0, "drop", NULL, NULL, NULL, 0 },
		{ ".text", 140, 8, 0, "last", NULL, NULL, NULL, 0 },
	};
	static const struct made other[] = {
		{ ".text", 32, 8, 0, "first", NULL, NULL, NULL, 0 },
		{ ".text", 40, 80, 0, "flush", NULL, NULL, NULL, 0 },
		{ ".text", 120, 24, 0, "drop", NULL, NULL, NULL, 0 },
		{ ".text", 144, 8, 0, "last", NULL, NULL, NULL, 0 },
	};
	(void)state;
	SETUP(f, old, new_, false);
	assert_int_equal(count(&f.diff, HEFT_RENAMED), 2);
	check_counts(&f.diff, 0, 0, 0, 2);
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(f.diff.pairs.data[i].before, i);
	teardown(&f);
	/* One size differs: nothing tells that the functions are the same. */
	SETUP(g, old, other, false);
	check_counts(&g.diff, 2, 2, 0, 2);
	teardown(&g);
}

static void data_of_functions_without_names_go_with_the_code(void **state)
{
	static const struct made old[] = {
		{ ".text", 16, 80, 0, "sub_10", NULL, NULL, NULL, 0 },
		{ ".text", 96, 80, 0, "sub_60", NULL, NULL, NULL, 0 },
		{ ".rodata", 256, 8, 0, "sub_10 [anonymous data]", NULL, NULL, NULL, 0 },
		{ ".rodata", 264, 8, 0, "sub_60 [anonymous data]", NULL, NULL, NULL, 0 },
	};
	static const struct made new_[] = {
		{ ".text", 32, 80, 0, "sub_20", NULL, NULL, NULL, 0 },
		{ ".text", 112, 80, 0, "sub_70", NULL, NULL, NULL, 0 },
		{ ".rodata", 256, 24, 0, "sub_20 [anonymous data]", NULL, NULL, NULL, 0 },
		{ ".rodata", 280, 8, 0, "sub_70 [anonymous data]", NULL, NULL, NULL, 0 },
	};
	(void)state;
	SETUP(f, old, new_, false);
	diff_release(&f.diff);
	for (size_t i = 0; i < 2; i++)
		f.before.symbols.data[i].contents.shape =
			f.after.symbols.data[1 - i].contents.shape = 7 + i;
	diff_init(&f.diff, &f.before, &f.after, false);
	/* The functions have changed places, and so have their data. */
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(f.diff.pairs.data[i].before, i ^ 1);
	check_counts(&f.diff, 0, 0, 1, 3);
	teardown(&f);
}

static void names_made_from_addresses_tell_nothing(void **state)
{
	(void)state;
	check_one(SYMBOL(".text", 800, "sub_1234", NULL), SYMBOL(".text", 900, "sub_1234", NULL),
		  false, HEFT_ADDED);
	check_one(SYMBOL(".text", 800, "sub_1234", NULL), SYMBOL(".text", 800, "sub_1234", NULL),
		  false, HEFT_UNCHANGED);
	assert_true(snap_is_made_up(STR("sub_12ab [anonymous data]")));
	assert_false(snap_is_made_up(STR("sub_system")));
	assert_false(snap_is_made_up(STR("sub_")));
}

static void what_has_no_name_is_known_by_its_neighbours(void **state)
{
	static const struct made old[] = {
		{ ".text", 0x1000, 100, 0, "f", NULL, NULL, NULL, 0 },
		{ ".text", 0x1100, 48, 0, "sub_1100", NULL, NULL, NULL, 0 },
		{ ".text", 0x1200, 64, 0, "sub_1200", NULL, NULL, NULL, 0 },
		{ ".text", 0x1300, 100, 0, "g", NULL, NULL, NULL, 0 },
		{ ".text", 0x1400, 64, 0, "sub_1400", NULL, NULL, NULL, 0 },
	};
	static const struct made new_[] = {
		{ ".text", 0x1040, 140, 0, "f", NULL, NULL, NULL, 0 },
		{ ".text", 0x1140, 64, 0, "sub_1140", NULL, NULL, NULL, 0 },
		{ ".text", 0x1340, 100, 0, "g", NULL, NULL, NULL, 0 },
		{ ".text", 0x1440, 64, 0, "sub_1440", NULL, NULL, NULL, 0 },
	};
	(void)state;
	SETUP(f, old, new_, false);
	assert_int_equal(count(&f.diff, HEFT_UNCHANGED), 3);
	assert_int_equal(count(&f.diff, HEFT_CHANGED), 1);
	assert_int_equal(count(&f.diff, HEFT_REMOVED), 1);
	assert_int_equal(f.diff.pairs.data[1].before, 2);
	assert_int_equal(f.diff.pairs.data[1].pass, MATCH_NEIGHBOURS);
	assert_int_equal(f.diff.pairs.data[3].before, 4);
	teardown(&f);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static const struct heft_row *row_at(const struct diff_rows *r, size_t i)
{
	assert_true(i < r->table.top->child_count);
	return r->table.top->children[i];
}

static const struct heft_row *row_named(const struct diff_rows *r, const char *label)
{
	for (size_t i = 0; i < r->table.top->child_count; i++)
		if (strcmp(row_at(r, i)->label, label) == 0)
			return row_at(r, i);
	fail_msg("no row %s", label);
	return NULL;
}

static double change(const struct heft_row *row, enum heft_diff_measure m)
{
	return row->now_exact[m] - row->base_exact[m];
}

static void what_moved_counts_where_it_was_and_where_it_is(void **state)
{
	static const struct made old[] = { { ".text", 16, 30, 0, "f", "x/a.c", NULL, NULL, 0 },
					   { ".text", 99, 7, 0, "g", "x/a.c", NULL, NULL, 0 } };
	static const struct made new_[] = { { ".text", 16, 40, 0, "f", "y/b.c", NULL, NULL, 0 },
					    { ".text", 99, 7, 0, "g", "x/a.c", NULL, NULL, 0 } };
	const struct heft_diff_query q = { sizeof q, HEFT_DIFF_BY_DIRECTORY, 0, 0, NULL, 0 };
	struct diff_rows r;
	(void)state;
	SETUP(f, old, new_, false);
	diff_rows_make(&r, &f.diff, &q);
	assert_int_equal(r.table.top->child_count, 2);
	assert_int_equal((int)row_named(&r, "x")->base_exact[HEFT_DIFF_OWN], 37);
	assert_int_equal((int)row_named(&r, "x")->now_exact[HEFT_DIFF_OWN], 7);
	assert_int_equal((int)row_named(&r, "y")->now_exact[HEFT_DIFF_OWN], 40);
	assert_int_equal((int)change(r.table.top, HEFT_DIFF_OWN), 10);
	assert_int_equal(row_named(&r, "x")->base[HEFT_DIFF_OWN], 37);
	assert_int_equal(row_named(&r, "x")->now[HEFT_DIFF_OWN], 7);
	assert_true(heft_row_number(&r.table, row_named(&r, "x"), HEFT_DIFF_OWN, HEFT_BASE) == 37);
	assert_true(isnan(heft_row_number(&r.table, r.table.top, HEFT_DIFF_CHARGED, HEFT_INPUT)));
	assert_int_equal(r.table.top->now[HEFT_DIFF_CHARGED], 0);
	diff_rows_release(&r);
	teardown(&f);
}

static void labels_are_what_rows_are_by(void **state)
{
	static const struct made one[] = { { ".text", 16, 30, 0, "a::B<x::y>::f(int)", "s/d/a.c",
					     "o/a.o", "Net", 0 } };
	static const char *const want[] = {
		"a::B<x::y>::f(int)", "s/d/a.c", "s/d", "o/a.o", "Net", ".text",
		"(the program)",      "a::B<>"
	};
	struct snapshot s;
	struct text work = { 0 };
	(void)state;
	snapmaker_make(&s, one, 1);
	for (size_t i = 0; i < COUNT_OF(want); i++) {
		const struct str label = snap_label(&s, &s.symbols.data[0], (enum heft_diff_by)i,
						    &work);
		assert_true(str_eq(label, str_of(want[i])));
	}
	text_release(&work);
	snapshot_release(&s);
}

static void rows_over_the_limit_become_one(void **state)
{
	static const struct made old[] = { { ".text", 16, 1, 0, "z", "a.c", NULL, NULL, 0 } };
	static const struct made new_[] = { { ".text", 16, 50, 0, "aa", "a.c", NULL, NULL, 0 },
					    { ".text", 99, 40, 0, "bb", "a.c", NULL, NULL, 0 },
					    { ".data", 199, 30, 0, "cc", "a.c", NULL, NULL, 0 } };
	struct heft_diff_query q = { sizeof q, HEFT_DIFF_BY_SYMBOL, 0, 1, NULL, 0 };
	struct diff_rows r;
	(void)state;
	SETUP(f, old, new_, false);
	diff_rows_make(&r, &f.diff, &q);
	assert_int_equal(r.table.top->child_count, 2);
	assert_string_equal(row_at(&r, 0)->label, "aa");
	assert_int_equal(row_at(&r, 1)->others, 3);
	assert_int_equal((int)change(row_at(&r, 1), HEFT_DIFF_OWN), 69);
	diff_rows_release(&r);
	q = (struct heft_diff_query){ sizeof q, HEFT_DIFF_BY_SYMBOL, 0, 0, "d", 0 };
	diff_rows_make(&r, &f.diff, &q);
	assert_int_equal(r.table.top->child_count, 1);
	assert_string_equal(row_at(&r, 0)->label, "cc");
	diff_rows_release(&r);
	q = (struct heft_diff_query){ sizeof q, HEFT_DIFF_BY_SYMBOL, 0, 0, NULL, 40 };
	diff_rows_make(&r, &f.diff, &q);
	assert_int_equal(r.table.top->child_count, 3);
	assert_int_equal(row_at(&r, 2)->others, 2);
	diff_rows_release(&r);
	teardown(&f);
}

/* ---- files ----------------------------------------------------------------------------------- */

static void a_sizediff_file_tells_the_same_counts(void **state)
{
	static const struct made old[] = {
		{ ".text", 0x1000, 10, 0, "same(int)", "a.c", "a.o", NULL, 0 },
		{ ".text", 0x100a, 20, 2, "b", "a.c", "a.o", NULL, 2 },
		{ ".text", 0x100a, 20, 2, "c", "b.c", "b.o", NULL, 0 },
		{ ".rodata", 0x2000, 6, 0, "\"gone\"", "gone.c", "a.o", NULL, 0 },
	};
	static const struct made new_[] = {
		{ ".text", 0x1000, 10, 8, "same(int)", "a.c", "a.o", NULL, 0 },
		{ ".text", 0x1010, 30, 2, "b", "a.c", "a.o", NULL, 0 },
		{ ".text", 0x1040, 20, 2, "c", "b.c", "b.o", NULL, 0 },
		{ ".text", 0x1060, 5, 0, "come", "come.c", "c.o", NULL, 0 },
	};
	struct snapshot halves[2], back[2];
	struct snapshot_diff again;
	struct sizefile_out out = { { 0 } };
	struct arena arena = { 0 };
	struct heft_err err;
	(void)state;
	SETUP(f, old, new_, true);
	check_counts(&f.diff, 2, 1, 2, 1);
	diff_halves(&f.diff, NULL, &halves[0], &halves[1]);
	const char *const *removed = diff_sources(&f.diff, HEFT_REMOVED, &arena);
	const char *const *added = diff_sources(&f.diff, HEFT_ADDED, &arena);
	assert_string_equal(removed[0], "gone.c");
	assert_null(removed[1]);
	assert_string_equal(added[0], "come.c");
	assert_null(added[1]);
	assert_true(sizediff_write(&out, &halves[0], &halves[1], removed, added, &err));
	if (!sizediff_read(&back[0], &back[1], "x.sizediff",
			   (struct bytes){ out.bytes.data, out.bytes.count }, NULL, &err))
		fail_msg("%s", err.text);
	snapshot_split_names(&back[0]);
	snapshot_split_names(&back[1]);
	diff_init(&again, &back[0], &back[1], true);
	/* The unchanged alone are not in the file; the padding is in it as a symbol. */
	check_counts(&again, 2, 1, 2, 0);
	assert_true(fabs(sum(&again).pss - sum(&f.diff).pss) < 1e-9);
	diff_release(&again);
	for (int i = 0; i < 2; i++) {
		snapshot_release(&halves[i]);
		snapshot_release(&back[i]);
	}
	vec_release(&out.bytes);
	arena_release(&arena);
	teardown(&f);
}

/* ---- anything -------------------------------------------------------------------------------- */

static const char *const sections[] = { ".text", ".rodata", ".data", ".bss", ".other" };
static const char *const names[] = {
	"f(int)",   "f(long)",        "g",          "ns::A<int>::h()",
	"x.cold",   "** gap 1",       "** gap 2",   "Overhead: ELF file",
	"\"text\"", "string literal", "sub_1234",   "",
	"t.123",    "a$1b",           "counter.12", "ns::A<long>::h()"
};
static const char *const paths[] = { NULL, "a.c", "d/a.c", "e/a.c", "d/b.c" };

/* Random symbols, with aliases; sorted as the file format wants them. */
static void make_random(struct snapshot *s, struct rng *r)
{
	const size_t n = rng_below(r, 60);
	uint64_t addr = 0x1000;
	snapmaker_init(s);
	for (size_t i = 0; i < n; i++) {
		const struct made m = { sections[rng_below(r, COUNT_OF(sections))],
					addr,
					rng_once_in(r, 8) ? 0 : rng_below(r, 64),
					0,
					names[rng_below(r, COUNT_OF(names))],
					paths[rng_below(r, COUNT_OF(paths))],
					paths[rng_below(r, COUNT_OF(paths))],
					NULL,
					0 };
		snapmaker_add(s, &m, 0);
		if (!rng_once_in(r, 3))
			addr += rng_below(r, 80);
	}
	snapshot_split_names(s);
	snapshot_finish(s);
}

static double total(const struct snapshot *s)
{
	double all = 0;
	for (size_t i = 0; i < s->symbols.count; i++)
		all += snap_pss(&s->symbols.data[i]);
	return all;
}

/* Every symbol of either side is in one pair. */
static void check_pairs(const struct snapshot_diff *d)
{
	uint8_t *old = mem_zeroed(d->before->symbols.count + 1, 1);
	uint8_t *new_ = mem_zeroed(d->after->symbols.count + 1, 1);
	size_t seen = 0;
	for (size_t i = 0; i < d->pairs.count; i++) {
		const struct diff_pair *p = &d->pairs.data[i];
		assert_true(p->before != DIFF_NONE || p->after != DIFF_NONE);
		if (p->before != DIFF_NONE) {
			assert_int_equal(old[p->before]++, 0);
			seen++;
		}
		if (p->after != DIFF_NONE) {
			assert_int_equal(new_[p->after]++, 0);
			seen++;
		}
	}
	assert_int_equal(seen, d->before->symbols.count + d->after->symbols.count);
	mem_free(old);
	mem_free(new_);
}

/* Rows add up to the change of the snapshots, padding included, however they are made. */
static void check_rows(const struct snapshot_diff *d, double want)
{
	for (int by = 0; by <= HEFT_DIFF_BY_PACKAGE; by++) {
		const struct heft_diff_query q = { sizeof q, (enum heft_diff_by)by, 0, 5, NULL, 0 };
		struct diff_rows r;
		double all = 0, delta = 0;
		diff_rows_make(&r, d, &q);
		const struct heft_row *top = r.table.top;
		const double sizes = change(top, HEFT_DIFF_OWN);
		for (size_t i = 0; i < top->child_count; i++) {
			delta += change(row_at(&r, i), HEFT_DIFF_OWN);
			all += change(row_at(&r, i), HEFT_DIFF_OWN) +
			       change(row_at(&r, i), HEFT_DIFF_PADDING);
		}
		assert_true(fabs(delta - sizes) < 1e-6);
		assert_true(fabs(sizes + change(top, HEFT_DIFF_PADDING) - want) < 1e-6);
		if (by != HEFT_DIFF_BY_SYMBOL)
			assert_true(fabs(all - want) < 1e-6);
		diff_rows_release(&r);
	}
}

static void sums_of_random_diffs_are_those_of_the_snapshots(void **state)
{
	struct rng r = { 1 };
	(void)state;
	for (int round = 0; round < 3000; round++) {
		struct snapshot a, b;
		struct snapshot_diff d;
		make_random(&a, &r);
		make_random(&b, &r);
		const double want = total(&b) - total(&a);
		diff_init(&d, &a, &b, true);
		check_pairs(&d);
		/* The sums of padding are rounded, one a section. */
		assert_true(fabs(sum(&d).pss - want) <= 0.5 * (double)COUNT_OF(sections) + 1e-6);
		diff_release(&d);
		diff_init(&d, &a, &b, false);
		check_pairs(&d);
		check_rows(&d, want);
		diff_release(&d);
		diff_init(&d, &a, &a, round % 2);
		assert_int_equal(count(&d, HEFT_UNCHANGED), a.symbols.count);
		diff_release(&d);
		snapshot_release(&a);
		snapshot_release(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_snapshot_does_not_differ_from_itself),
		cmocka_unit_test(one_alias_less_changes_the_others_by_no_byte),
		cmocka_unit_test(aliases_in_other_lists_change_but_not_in_sum),
		cmocka_unit_test(supersize_pairs_by_name_path_and_section),
		cmocka_unit_test(unstable_numbers_do_not_part_symbols),
		cmocka_unit_test(stable_texts_lose_dollar_numbers_and_the_end),
		cmocka_unit_test(padding_of_pairs_is_one_symbol_a_section),
		cmocka_unit_test(symbols_that_are_padding_change_by_it),
		cmocka_unit_test(pairs_are_made_in_the_order_of_the_lists),
		cmocka_unit_test(containers_of_other_names_share_nothing_in_supersize),
		cmocka_unit_test(a_cold_part_is_not_taken_for_its_function),
		cmocka_unit_test(data_after_a_symbol_follows_the_symbol_or_its_size),
		cmocka_unit_test(moved_and_renamed_symbols_are_found),
		cmocka_unit_test(functions_between_the_same_neighbours_are_renamed),
		cmocka_unit_test(data_of_functions_without_names_go_with_the_code),
		cmocka_unit_test(names_made_from_addresses_tell_nothing),
		cmocka_unit_test(what_has_no_name_is_known_by_its_neighbours),
		cmocka_unit_test(what_moved_counts_where_it_was_and_where_it_is),
		cmocka_unit_test(labels_are_what_rows_are_by),
		cmocka_unit_test(rows_over_the_limit_become_one),
		cmocka_unit_test(a_sizediff_file_tells_the_same_counts),
		cmocka_unit_test(sums_of_random_diffs_are_those_of_the_snapshots),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
