/* Units as jobs of several threads, on DWARF made byte by byte. */
#include "../lib/dwarf_maker.h"
#include "base/text.h"
#include "debug/die.h"
#include "debug/dwarf_jobs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

enum { UNITS = 60000 };

/* Units named by their number; every 1,000th uses an abbreviation that is not there, every 777th
 * is a skeleton. */
static struct made *make_units(void)
{
	static const unsigned top[] = { DW_AT_name,
					DW_FORM_strp,
					DW_AT_comp_dir,
					DW_FORM_string,
					DW_AT_dwo_name,
					DW_FORM_string,
					0 };
	struct made *m = start(false);
	abbrev(m, 1, DW_TAG_compile_unit, false, top);
	put(m, DW_ABBREV, 1, 0);
	for (unsigned i = 0; i < UNITS; i++) {
		const uint64_t at = m->in[DW_INFO].bytes.count;
		char name[16];
		snprintf(name, sizeof name, "%u", i);
		unit_start(m, 5, 8);
		m->in[DW_INFO].bytes.data[at + 6] = i % 777 ? DW_UT_compile : DW_UT_skeleton;
		if (i % 777 == 0)
			put(m, DW_INFO, 8, i);
		uleb(m, DW_INFO, i % 1000 ? 1 : 9);
		put(m, DW_INFO, 4, m->in[DW_STR].bytes.count);
		text(m, DW_STR, name);
		text(m, DW_INFO, "a directory whose name makes this unit as long as units are");
		text(m, DW_INFO, i % 777 ? "" : "x.dwo");
		unit_finish(m);
	}
	finish(m);
	return m;
}

struct seen {
	struct unit_job job;
	struct text names;
};

struct all {
	struct text names;
	size_t skeletons, misplaced;
};

static void work(void *ctx, struct unit_job *job, unsigned worker)
{
	struct seen *s = (struct seen *)job;
	struct all *all = ctx;
	(void)worker;
	text_set(&s->names, STR(""));
	for (size_t i = 0; i < job->units.count; i++) {
		struct unit *u = &job->units.data[i];
		if (!unit_open(u, &job->cache, NULL))
			continue;
		text_add(&s->names, u->name);
		text_add_char(&s->names, unit_job_skeleton(job, u) ? '!' : ' ');
		if (unit_is_skeleton(u) != job->head.alone)
			all->misplaced++;
	}
}

static void take(void *ctx, struct unit_job *job)
{
	struct all *all = ctx;
	text_add(&all->names, text_str(&((struct seen *)job)->names));
	all->skeletons += job->head.alone ? job->units.count : 0;
}

static void release(void *ctx, struct unit_job *job)
{
	(void)ctx;
	text_release(&((struct seen *)job)->names);
}

static struct all run(struct made *m, unsigned threads)
{
	struct all all = { 0 };
	const struct unit_jobs jobs = { .dwarf = &m->dwarf,
					.in = DW_INFO,
					.threads = threads,
					.job_size = sizeof(struct seen),
					.ctx = &all,
					.work = work,
					.take = take,
					.release = release };
	unit_jobs_run(&jobs);
	return all;
}

static void expected_names(struct text *ret)
{
	for (unsigned i = 0; i < UNITS; i++) {
		if (i % 1000 == 0)
			continue;
		text_add_number(ret, i);
		text_add_char(ret, i % 777 ? ' ' : '!');
	}
}

static void units_and_notes_come_in_file_order_for_any_number_of_threads(void **state)
{
	(void)state;
	struct made *m = make_units();
	struct text expected = { 0 };
	expected_names(&expected);
	assert_true(m->dwarf.size[DW_INFO] > 3 << 20);
	for (unsigned threads = 1; threads <= 5; threads++) {
		struct all all = run(m, threads);
		assert_true(str_eq(text_str(&all.names), text_str(&expected)));
		assert_int_equal(all.misplaced, 0);
		assert_int_equal(all.skeletons, (UNITS + 776) / 777);
		assert_int_equal(m->notes.count, 1);
		assert_int_equal(m->notes.data[0].count, threads * (UNITS / 1000));
		assert_non_null(strstr(m->notes.data[0].text, ".debug_info+0x0)"));
		text_release(&all.names);
	}
	text_release(&expected);
	drop(m);
}

/* ---- sections that are loaded when a job asks for them --------------------------------------- */

static struct bytes strings;
static unsigned loads;

static void load(struct dwarf *d, enum dw_section which, struct notes *notes)
{
	if (which != DW_STR)
		return;
	loads++;
	d->bytes[which] = strings;
	note(notes, d->path, HEFT_NO_OFFSET, 0, "loaded");
}

static void a_section_is_loaded_once_and_its_note_comes_first(void **state)
{
	(void)state;
	struct made *m = make_units();
	struct text expected = { 0 };
	expected_names(&expected);
	strings = m->dwarf.bytes[DW_STR];
	for (unsigned threads = 1; threads <= 5; threads++) {
		m->dwarf.loaded[DW_STR] = false;
		m->dwarf.bytes[DW_STR] = (struct bytes){ NULL, 0 };
		m->dwarf.load = load;
		loads = 0;
		notes_release(&m->notes);
		notes_init(&m->notes);
		struct all all = run(m, threads);
		assert_true(str_eq(text_str(&all.names), text_str(&expected)));
		assert_int_equal(loads, 1);
		assert_int_equal(m->notes.count, 2);
		assert_string_equal(m->notes.data[0].text, "loaded");
		text_release(&all.names);
	}
	text_release(&expected);
	drop(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(units_and_notes_come_in_file_order_for_any_number_of_threads),
		cmocka_unit_test(a_section_is_loaded_once_and_its_note_comes_first),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
