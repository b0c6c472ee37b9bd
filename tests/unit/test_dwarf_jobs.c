/* Units as jobs of several threads, on DWARF made byte by byte. */
#include "../lib/dwarf_maker.h"
#include "base/text.h"
#include "debug/die.h"
#include "debug/dwarf_const.h"
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
		text_add_char(&s->names, job->head.alone && unit_is_skeleton(u) ? '!' : ' ');
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

/* ---- line programs --------------------------------------------------------------------------- */

/* A program without opcodes; its only directory, "/d", has a name of this form. */
static void line_program(struct made *m, unsigned version, unsigned form)
{
	static const uint8_t body[] = { 1, 1,           1, 0xfb, 14, 1, /* no standard opcodes */
					1, DW_LNCT_path };
	const uint64_t start = m->in[DW_LINE].bytes.count;
	put(m, DW_LINE, 4, 0);
	put(m, DW_LINE, 2, version);
	put(m, DW_LINE, 2, 8); /* size of addresses, no segments */
	put(m, DW_LINE, 4, sizeof body + 7);
	elfgen_put_bytes(&m->in[DW_LINE], body, sizeof body);
	uleb(m, DW_LINE, form);
	put(m, DW_LINE, 1, 1);
	text(m, DW_LINE, "/d");
	put(m, DW_LINE, 2, 0); /* no files */
	m->in[DW_LINE].bytes.data[start] = (uint8_t)(m->in[DW_LINE].bytes.count - start - 4);
}

static void line_programs_are_listed_from_their_headers_alone_if_they_can_be(void **state)
{
	static const struct {
		unsigned version, form;
		bool alone;
	} cases[] = { { 5, DW_FORM_string, true },
		      { 4, DW_FORM_string, false },
		      { 5, DW_FORM_strx1, false },
		      { 5, DW_FORM_line_strp, true } };
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct made *m = start(false);
		line_use_vec uses = { 0 };
		line_program(m, 5, DW_FORM_string);
		put(m, DW_LINE, 4, 0); /* padding */
		const uint64_t second = m->in[DW_LINE].bytes.count;
		line_program(m, cases[i].version, cases[i].form);
		finish(m);
		assert_int_equal(line_uses_of_section(&m->dwarf, &uses), cases[i].alone);
		assert_int_equal(uses.count, cases[i].alone ? 2 : 0);
		if (cases[i].alone)
			assert_int_equal(uses.data[1].off, second);
		vec_release(&uses);
		drop(m);
	}
}

static void count_programs(void *ctx, struct line_job *job, unsigned worker)
{
	(void)ctx;
	(void)worker;
	for (size_t i = 0; i < job->count; i++) {
		struct line_program p;
		assert_true(line_job_open(job, &job->uses[i], &p));
		assert_int_equal(job->uses[i].mark % 2, 0);
		line_release(&p);
	}
}

static void take_programs(void *ctx, struct line_job *job)
{
	*(size_t *)ctx += job->count;
}

static void a_line_program_inside_another_is_left_out(void **state)
{
	enum { COUNT = 3000 };
	(void)state;
	struct made *m = start(false);
	line_use_vec uses = { 0 };
	size_t count = 0;
	for (unsigned i = 0; i < COUNT; i++) {
		const uint64_t off = m->in[DW_LINE].bytes.count;
		vec_push(&uses, (struct line_use){ off, STR(""), DW_NO_OFFSET, 8, 2 * i });
		vec_push(&uses, (struct line_use){ off + 4, STR(""), DW_NO_OFFSET, 8, 2 * i + 1 });
		line_program(m, 5, DW_FORM_string);
	}
	const struct line_jobs jobs = { .dwarf = finish(m),
					.uses = &uses,
					.threads = 3,
					.job_size = sizeof(struct line_job),
					.ctx = &count,
					.work = count_programs,
					.take = take_programs };
	line_jobs_run(&jobs);
	assert_int_equal(count, COUNT);
	assert_int_equal(m->notes.count, 1);
	vec_release(&uses);
	drop(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(units_and_notes_come_in_file_order_for_any_number_of_threads),
		cmocka_unit_test(a_section_is_loaded_once_and_its_note_comes_first),
		cmocka_unit_test(line_programs_are_listed_from_their_headers_alone_if_they_can_be),
		cmocka_unit_test(a_line_program_inside_another_is_left_out),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
