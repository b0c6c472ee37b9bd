/* perf.data of all forms, and what is damaged in them. */
#include "blocks/perfdata.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../lib/perfmake.h"
#include "../lib/rng.h"

enum { STACK = 32 };

struct fixture {
	struct bytes file;
	struct notes notes;
	struct perfdata perf;
};

static bool fixture_try(struct fixture *f, struct bytes file, struct heft_err *err)
{
	memset(f, 0, sizeof *f);
	f->file = file;
	notes_init(&f->notes);
	return perfdata_open(&f->perf, "test", file, &f->notes, err);
}

static void fixture_open(struct fixture *f, struct bytes file)
{
	assert_true(fixture_try(f, file, NULL));
}

static void fixture_close(struct fixture *f)
{
	perfdata_close(&f->perf);
	notes_release(&f->notes);
	mem_free((void *)(uintptr_t)f->file.p);
}

static const uint8_t id_bytes[20] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 };
static const struct bytes id = { id_bytes, sizeof id_bytes };

static void make_stack(struct perf_branch *ret, uint64_t seed)
{
	struct rng rng = { seed };
	for (size_t i = 0; i < STACK; i++)
		ret[i] = (struct perf_branch){ rng_next(&rng), rng_next(&rng),
					       rng_once_in(&rng, 5) };
}

static void fill(struct perfmake *m, unsigned flags, size_t samples)
{
	struct perf_branch stack[STACK];
	perfmake_exec(m, 7, 10, "prog");
	perfmake_map(m, &(struct perfmake_map){ 7, 20, 0x40000, 0x1000, 0x2000, "/bin/a", { 0 } });
	perfmake_map(m, &(struct perfmake_map){ 7, 30, 0x50000, 0x1000, 0, "/bin/b", id });
	perfmake_fork(m, 8, 7, 40);
	for (size_t i = 0; i < samples; i++) {
		make_stack(stack, i);
		perfmake_sample(m, 7, 100 + i, 0x40010 + i, stack,
				flags & PERFMAKE_BRANCHES ? i % (STACK + 1) : 0);
	}
	perfmake_lost(m, 5);
}

static struct perf_event expect(struct fixture *f, enum perf_type type)
{
	struct perf_event e;
	assert_true(perfdata_next(&f->perf, &e));
	assert_int_equal(e.type, type);
	return e;
}

static void expect_name(const struct perf_event *e, const char *name)
{
	assert_true(str_eq(e->name, str_of(name)));
}

static void expect_id(const struct perf_event *e)
{
	assert_int_equal(e->build_id.size, id.size);
	assert_memory_equal(e->build_id.p, id.p, id.size);
}

static void expect_maps(struct fixture *f)
{
	struct perf_event e = expect(f, PERF_COMM);
	expect_name(&e, "prog");
	assert_true(e.exec && e.has_time && e.time == 10 && e.pid == 7);
	e = expect(f, PERF_MAP);
	expect_name(&e, "/bin/a");
	assert_true(e.addr == 0x40000 && e.size == 0x1000 && e.file_off == 0x2000);
	assert_true(e.has_time && e.time == 20 && e.build_id.size == 0);
	e = expect(f, PERF_MAP);
	expect_name(&e, "/bin/b");
	expect_id(&e);
	e = expect(f, PERF_FORK);
	assert_true(e.pid == 8 && e.parent == 7 && e.time == 40);
}

static void expect_samples(struct fixture *f, unsigned flags, size_t samples)
{
	struct perf_branch stack[STACK];
	for (size_t i = 0; i < samples; i++) {
		const struct perf_event e = expect(f, PERF_SAMPLE);
		make_stack(stack, i);
		assert_true(e.pid == 7 && e.tid == 7 && e.has_time && e.time == 100 + i);
		assert_true(e.has_ip && e.ip == 0x40010 + i && e.period == 1 && e.weight == 1);
		assert_int_equal(e.has_branches, (flags & PERFMAKE_BRANCHES) != 0);
		assert_int_equal(e.branch_count, flags & PERFMAKE_BRANCHES ? i % (STACK + 1) : 0);
		for (uint64_t k = 0; k < e.branch_count; k++) {
			const struct perf_branch b = perf_branch_get(&e, k);
			assert_true(b.from == stack[k].from && b.to == stack[k].to &&
				    b.mispredicted == stack[k].mispredicted);
		}
	}
	const struct perf_event e = expect(f, PERF_LOST);
	assert_int_equal(e.lost, 5);
}

static void check(bool big_endian, unsigned flags, uint32_t packed)
{
	const size_t samples = 300;
	struct perfmake m = perfmake_begin(big_endian, flags);
	struct perf_event e;
	struct fixture f;
	fill(&m, flags, samples);
	if (packed)
		perfmake_pack(&m, packed);
	if (!(flags & PERFMAKE_PIPE))
		perfmake_build_id(&m, "/bin/a", id);
	fixture_open(&f, perfmake_finish(&m));
	for (int round = 0; round < 2; round++) {
		if (!(flags & PERFMAKE_PIPE)) {
			e = expect(&f, PERF_BUILD_ID);
			expect_name(&e, "/bin/a");
			expect_id(&e);
		}
		expect_maps(&f);
		expect_samples(&f, flags, samples);
		assert_false(perfdata_next(&f.perf, &e));
		assert_false(perfdata_next(&f.perf, &e));
		perfdata_rewind(&f.perf);
	}
	assert_int_equal(f.notes.count, 0);
	fixture_close(&f);
}

static void all_forms_give_the_same_events(void **state)
{
	static const uint32_t packed[] = { 0, 81, 83 };
	(void)state;
	for (unsigned flags = 0; flags <= (PERFMAKE_BRANCHES | PERFMAKE_HW_INDEX | PERFMAKE_PIPE);
	     flags++) {
		if (flags & PERFMAKE_HW_INDEX && !(flags & PERFMAKE_BRANCHES))
			continue;
		for (size_t i = 0; i < COUNT_OF(packed); i++) {
			check(false, flags, packed[i]);
			check(true, flags, packed[i]);
		}
	}
}

static void ids_tell_events_apart(void **state)
{
	static const unsigned forms[] = { 0, PERFMAKE_PIPE };
	struct perf_branch stack[STACK];
	(void)state;
	make_stack(stack, 1);
	for (size_t i = 0; i < COUNT_OF(forms); i++) {
		struct perfmake m = perfmake_begin(false, forms[i] | PERFMAKE_BRANCHES |
								  PERFMAKE_TWO_EVENTS);
		struct fixture f;
		perfmake_plain_sample(&m, 7, 1, 0x10);
		perfmake_sample(&m, 7, 2, 0x20, stack, 3);
		perfmake_plain_sample(&m, 7, 3, 0x30);
		fixture_open(&f, perfmake_finish(&m));
		struct perf_event e = expect(&f, PERF_SAMPLE);
		assert_true(!e.has_branches && e.ip == 0x10);
		e = expect(&f, PERF_SAMPLE);
		assert_true(e.has_branches && e.branch_count == 3 && e.ip == 0x20);
		e = expect(&f, PERF_SAMPLE);
		assert_true(!e.has_branches && e.ip == 0x30);
		fixture_close(&f);
	}
}

static void raw_bytes_behind_events_are_passed_over(void **state)
{
	struct perfmake m = perfmake_begin(false, PERFMAKE_PIPE);
	struct elfgen_out body = { 0 };
	struct fixture f;
	(void)state;
	elfgen_put(&body, 8, 24); /* size of the trace */
	for (int i = 0; i < 4; i++)
		elfgen_put(&body, 8, 0);
	perfmake_event(&m, 71, 0, &body);
	for (int i = 0; i < 3; i++)
		elfgen_put(&m.data, 8, UINT64_MAX);
	body.bytes.count = 0;
	elfgen_put(&body, 4, 13); /* rounded up to 16 */
	perfmake_event(&m, 66, 0, &body);
	for (int i = 0; i < 2; i++)
		elfgen_put(&m.data, 8, UINT64_MAX);
	perfmake_exec(&m, 3, 4, "behind");
	vec_release(&body.bytes);
	fixture_open(&f, perfmake_finish(&m));
	const struct perf_event e = expect(&f, PERF_COMM);
	expect_name(&e, "behind");
	assert_int_equal(f.notes.count, 0);
	fixture_close(&f);
}

static void a_short_event_is_noted_and_costs_itself(void **state)
{
	struct perfmake m = perfmake_begin(false, PERFMAKE_BRANCHES);
	struct elfgen_out body = { 0 };
	struct perf_event e;
	struct fixture f;
	(void)state;
	perfmake_exec(&m, 3, 4, "before");
	elfgen_put(&body, 8, 70);
	const uint64_t off = m.data.bytes.count;
	perfmake_event(&m, PERF_SAMPLE, 2, &body);
	perfmake_exec(&m, 3, 4, "behind");
	vec_release(&body.bytes);
	fixture_open(&f, perfmake_finish(&m));
	e = expect(&f, PERF_COMM);
	e = expect(&f, PERF_COMM);
	expect_name(&e, "behind");
	assert_false(perfdata_next(&f.perf, &e));
	assert_int_equal(f.notes.count, 1);
	assert_true(f.notes.data[0].offset == f.perf.data_off + off);
	fixture_close(&f);
}

static void a_stack_larger_than_its_event_is_left_out(void **state)
{
	struct perfmake m = perfmake_begin(false, PERFMAKE_BRANCHES);
	struct perf_branch stack[STACK];
	struct perf_event e;
	struct fixture f;
	(void)state;
	make_stack(stack, 1);
	perfmake_sample(&m, 7, 1, 0x10, stack, 2);
	/* behind the header: id, ip, pid, tid, time, period */
	m.data.bytes.data[8 + 40 + 7] = 0x80;
	fixture_open(&f, perfmake_finish(&m));
	assert_false(perfdata_next(&f.perf, &e));
	assert_int_equal(f.notes.count, 1);
	fixture_close(&f);
}

static void an_event_without_a_size_ends_the_walk(void **state)
{
	struct perfmake m = perfmake_begin(false, 0);
	struct perf_event e;
	struct fixture f;
	(void)state;
	perfmake_exec(&m, 3, 4, "before");
	const uint64_t off = m.data.bytes.count;
	elfgen_put(&m.data, 8, PERF_COMM);
	perfmake_exec(&m, 3, 4, "behind");
	fixture_open(&f, perfmake_finish(&m));
	expect(&f, PERF_COMM);
	assert_false(perfdata_next(&f.perf, &e));
	assert_int_equal(f.notes.count, 1);
	assert_true(f.notes.data[0].offset == f.perf.data_off + off);
	fixture_close(&f);
}

static void damaged_packed_records_cost_themselves(void **state)
{
	struct perfmake m = perfmake_begin(false, 0);
	struct perf_event e;
	struct fixture f;
	(void)state;
	for (int i = 0; i < 100; i++)
		perfmake_exec(&m, (uint32_t)(i * i), (uint64_t)(i * 7), "packed");
	perfmake_pack(&m, 83);
	m.data.bytes.data[20] ^= 0xff; /* of the zstd frame's header */
	perfmake_exec(&m, 3, 4, "plain");
	fixture_open(&f, perfmake_finish(&m));
	do
		assert_true(perfdata_next(&f.perf, &e));
	while (!str_eq(e.name, STR("plain")));
	assert_false(perfdata_next(&f.perf, &e));
	assert_true(f.notes.count >= 1);
	fixture_close(&f);
}

static void a_record_too_large_for_its_size_is_read_by_that_of_its_data(void **state)
{
	struct perfmake m = perfmake_begin(false, 0);
	struct perf_event e;
	struct fixture f;
	(void)state;
	perfmake_exec(&m, 3, 4, "packed");
	perfmake_pack(&m, 83);
	m.data.bytes.data[6] = m.data.bytes.data[7] = 0;
	/* such a record has no padding either */
	m.data.bytes.count = 16 + (size_t)m.data.bytes.data[8];
	perfmake_exec(&m, 3, 4, "behind");
	fixture_open(&f, perfmake_finish(&m));
	e = expect(&f, PERF_COMM);
	expect_name(&e, "packed");
	e = expect(&f, PERF_COMM);
	expect_name(&e, "behind");
	assert_false(perfdata_next(&f.perf, &e));
	fixture_close(&f);
}

static void a_recording_that_was_killed_is_read_to_its_end(void **state)
{
	struct perfmake m = perfmake_begin(false, 0);
	struct perf_event e;
	struct fixture f;
	(void)state;
	perfmake_exec(&m, 3, 4, "one");
	perfmake_exec(&m, 3, 4, "two");
	const struct bytes file = perfmake_finish(&m);
	elfgen_poke(file, 48, 8, false, 0); /* size of the data */
	fixture_open(&f, file);
	expect(&f, PERF_COMM);
	e = expect(&f, PERF_COMM);
	expect_name(&e, "two");
	assert_int_equal(f.notes.count, 1);
	fixture_close(&f);
}

static void a_file_cut_anywhere_is_read_as_far_as_it_goes(void **state)
{
	struct perfmake m = perfmake_begin(false, PERFMAKE_BRANCHES);
	(void)state;
	fill(&m, PERFMAKE_BRANCHES, 3);
	perfmake_build_id(&m, "/bin/a", id);
	const struct bytes whole = perfmake_finish(&m);
	for (uint64_t size = 0; size <= whole.size; size++) {
		uint8_t *copy = mem_alloc(size ? size : 1); /* of its own, for sanitizers */
		struct perf_event e;
		struct fixture f;
		size_t count = 0;
		memcpy(copy, whole.p, size);
		if (fixture_try(&f, (struct bytes){ copy, size }, NULL)) {
			while (perfdata_next(&f.perf, &e))
				count++;
			assert_true(size == whole.size ? count == 9 && f.notes.count == 0
						       : count < 9 && f.notes.count > 0);
		}
		fixture_close(&f);
	}
	mem_free((void *)(uintptr_t)whole.p);
}

static void other_files_are_refused(void **state)
{
	struct heft_err err;
	struct fixture f;
	(void)state;
	assert_false(perfdata_open(&f.perf, "x", (struct bytes){ (const uint8_t *)"ELF", 3 }, NULL,
				   &err));
	assert_int_equal(err.code, HEFT_EUNSUPPORTED);
	assert_false(perfdata_open(&f.perf, "x",
				   (struct bytes){ (const uint8_t *)"PERFFILE12345678", 16 }, NULL,
				   &err));
	assert_int_equal(err.code, HEFT_EUNSUPPORTED);
	assert_false(perfdata_open(&f.perf, "x",
				   (struct bytes){ (const uint8_t *)"PERFILE212345678", 16 }, NULL,
				   &err));
	assert_int_equal(err.code, HEFT_EFORMAT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_forms_give_the_same_events),
		cmocka_unit_test(ids_tell_events_apart),
		cmocka_unit_test(raw_bytes_behind_events_are_passed_over),
		cmocka_unit_test(a_short_event_is_noted_and_costs_itself),
		cmocka_unit_test(a_stack_larger_than_its_event_is_left_out),
		cmocka_unit_test(an_event_without_a_size_ends_the_walk),
		cmocka_unit_test(damaged_packed_records_cost_themselves),
		cmocka_unit_test(a_record_too_large_for_its_size_is_read_by_that_of_its_data),
		cmocka_unit_test(a_recording_that_was_killed_is_read_to_its_end),
		cmocka_unit_test(a_file_cut_anywhere_is_read_as_far_as_it_goes),
		cmocka_unit_test(other_files_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
