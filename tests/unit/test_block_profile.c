/* How often blocks ran: random walks over made-up programs whose counts are known, mappings of
 * processes, builds that do not fit. */
#include "blocks/block_profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "../lib/perfmake.h"
#include "../lib/rng.h"
#include "../lib/sessions.h"
#include "image/elf/elf_const.h"
#include "image/input.h"

enum {
	TEXT = 0x2000,
	FUNCTIONS = 40,
	BLOCKS = 12,     /* of a function */
	BLOCK_SIZE = 16, /* places with code; some blocks have no bytes */
	GAP = 8,         /* between functions */
	BRANCH_AT = 14,  /* in a block: its last instruction */
	CALL_AT = 4,     /* in a block that calls and goes on ... */
	CALL_END = 9,    /* ... from here */
	STACK = 32,
	DEPTH = 20,
	FUNCTION_SIZE = BLOCKS * BLOCK_SIZE + GAP,
	TEXT_SIZE = FUNCTIONS * FUNCTION_SIZE,
	LOAD = 0x7f0000000000,
};

static const uint8_t id_bytes[20] = { 9, 8, 7 };
static const struct bytes id = { id_bytes, sizeof id_bytes };

/* What a block ends in. */
enum kind { FALL, JUMP, CONDITION, RETURN, CALL_INSIDE, CALL_LAST, EMPTY };

struct block {
	enum kind kind;
	unsigned target; /* block of the function, or function */
	uint64_t addr;
};

/* A program, its walk and what is known of it. */
struct walk {
	struct rng rng;
	struct block blocks[FUNCTIONS][BLOCKS];
	uint64_t counts[FUNCTIONS * BLOCKS]; /* from the first branch to the last */
	uint64_t falls[FUNCTIONS * BLOCKS];
	VEC(struct perf_branch) branches; /* all */
	VEC(unsigned) entered;            /* since the last branch: function * BLOCKS + block */
	struct {
		unsigned function, block;
		bool last; /* the call ended its block */
	} stack[DEPTH];
	unsigned depth;
};

/* ---- programs -------------------------------------------------------------------------------- */

static void make_program(struct walk *w)
{
	static const enum kind kinds[] = { FALL,        JUMP,      CONDITION, CONDITION,
					   CALL_INSIDE, CALL_LAST, EMPTY,     RETURN };
	for (unsigned f = 0; f < FUNCTIONS; f++) {
		uint64_t addr = TEXT + f * FUNCTION_SIZE;
		for (unsigned i = 0; i < BLOCKS; i++) {
			struct block *b = &w->blocks[f][i];
			b->kind = i == BLOCKS - 1 ? RETURN
				  : i == 0        ? FALL
						  : kinds[rng_below(&w->rng, COUNT_OF(kinds))];
			/* Backwards or forwards; never to the entry. */
			b->target = 1 + (unsigned)rng_below(&w->rng, BLOCKS - 1);
			if (b->kind == CALL_INSIDE || b->kind == CALL_LAST)
				b->target = (unsigned)rng_below(&w->rng, FUNCTIONS);
			b->addr = addr;
			addr += b->kind == EMPTY ? 0 : BLOCK_SIZE;
		}
	}
}

static uint32_t flags_of(enum kind kind)
{
	if (kind == RETURN)
		return BBMAP_RETURN;
	return kind == JUMP ? 0 : BBMAP_FALL_THROUGH;
}

static struct bytes make_image(const struct walk *w, struct bytes build_id)
{
	struct elfgen g = elfgen_make(64, false, ET_DYN, EM_X86_64);
	static const uint8_t code[TEXT_SIZE];
	struct elfgen_out o = { 0 };
	const uint32_t text = elfgen_section(&g, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR,
					     TEXT, code, TEXT_SIZE);
	elfgen_load(&g, PF_R | PF_X, text);
	for (unsigned f = 0; f < FUNCTIONS; f++) {
		elfgen_put(&o, 2, 2);
		elfgen_put(&o, 8, w->blocks[f][0].addr);
		elfgen_put_uleb(&o, BLOCKS);
		for (unsigned i = 0; i < BLOCKS; i++) {
			elfgen_put_uleb(&o, i);
			elfgen_put_uleb(&o, 0);
			elfgen_put_uleb(&o, w->blocks[f][i].kind == EMPTY ? 0 : BLOCK_SIZE);
			elfgen_put_uleb(&o, flags_of(w->blocks[f][i].kind));
		}
	}
	elfgen_section(&g, ".llvm_bb_addr_map", SHT_LLVM_BB_ADDR_MAP, 0, 0, o.bytes.data,
		       o.bytes.count);
	o.bytes.count = 0;
	elfgen_put(&o, 4, 4);
	elfgen_put(&o, 4, build_id.size);
	elfgen_put(&o, 4, 3); /* NT_GNU_BUILD_ID */
	elfgen_put_bytes(&o, "GNU", 4);
	elfgen_put_bytes(&o, build_id.p, build_id.size);
	elfgen_section(&g, ".note.gnu.build-id", SHT_NOTE, SHF_ALLOC, 0x1000, o.bytes.data,
		       o.bytes.count);
	vec_release(&o.bytes);
	return elfgen_finish(&g);
}

/* ---- walks ----------------------------------------------------------------------------------- */

static void enter(struct walk *w, unsigned function, unsigned block)
{
	vec_push(&w->entered, function * BLOCKS + block);
}

/* What ran since the branch before counts, but in front of the first. */
static void branch(struct walk *w, uint64_t from, uint64_t to)
{
	for (size_t i = 0; w->branches.count > 0 && i < w->entered.count; i++)
		w->counts[w->entered.data[i]]++;
	w->entered.count = 0;
	vec_push(&w->branches, (struct perf_branch){ from, to, rng_once_in(&w->rng, 10) });
}

static void call(struct walk *w, unsigned *f, unsigned *i, uint64_t at, bool last)
{
	const unsigned target = w->blocks[*f][*i].target;
	w->stack[w->depth].function = *f;
	w->stack[w->depth].block = *i;
	w->stack[w->depth++].last = last;
	branch(w, w->blocks[*f][*i].addr + at, w->blocks[target][0].addr);
	*f = target;
	*i = 0;
	enter(w, *f, *i);
}

static void go_on(struct walk *w, unsigned f, unsigned *i)
{
	w->falls[f * BLOCKS + *i] += w->branches.count > 0;
	enter(w, f, ++*i);
}

static void jump(struct walk *w, unsigned f, unsigned *i)
{
	const unsigned target = w->blocks[f][*i].target;
	branch(w, w->blocks[f][*i].addr + BRANCH_AT, w->blocks[f][target].addr);
	/* A branch to a place where several blocks start is one to the first of them. */
	for (*i = target; *i > 0 && w->blocks[f][*i - 1].addr == w->blocks[f][*i].addr;)
		--*i;
	enter(w, f, *i);
}

static void leave(struct walk *w, unsigned *f, unsigned *i)
{
	const uint64_t from = w->blocks[*f][*i].addr + BRANCH_AT;
	if (w->depth == 0) { /* the caller is elsewhere, and calls again */
		branch(w, from, 0x1);
		*f = (unsigned)rng_below(&w->rng, FUNCTIONS);
		*i = 0;
		branch(w, 0x2, w->blocks[*f][0].addr);
		enter(w, *f, 0);
		return;
	}
	w->depth--;
	*f = w->stack[w->depth].function;
	*i = w->stack[w->depth].block;
	const bool last = w->stack[w->depth].last;
	branch(w, from, w->blocks[*f][*i].addr + (last ? BLOCK_SIZE : CALL_END));
	go_on(w, *f, i);
}

/* Walks until there are `count` branches at least. */
static void walk(struct walk *w, size_t count)
{
	unsigned f = 0, i = 0;
	enter(w, f, i);
	while (w->branches.count < count) {
		enum kind kind = w->blocks[f][i].kind;
		const bool deep = w->depth == DEPTH;
		if (kind == CONDITION && rng_once_in(&w->rng, 2))
			kind = JUMP;
		/* Random programs may have no way out; a few steps back to the end are one. */
		if (rng_once_in(&w->rng, 200) && kind == JUMP)
			w->blocks[f][i].target = BLOCKS - 1;
		switch (kind) {
		case JUMP: jump(w, f, &i); break;
		case RETURN: leave(w, &f, &i); break;
		case CALL_INSIDE:
			if (deep)
				go_on(w, f, &i);
			else
				call(w, &f, &i, CALL_AT, false);
			break;
		case CALL_LAST:
			if (deep)
				go_on(w, f, &i);
			else
				call(w, &f, &i, BRANCH_AT, true);
			break;
		default: go_on(w, f, &i);
		}
	}
}

/* A sample each `step` branches, with those before it. */
static void put_samples(const struct walk *w, struct perfmake *m, size_t step)
{
	struct perf_branch stack[STACK];
	for (size_t end = STACK; end <= w->branches.count; end += step) {
		for (size_t i = 0; i < STACK; i++) {
			stack[i] = w->branches.data[end - 1 - i];
			stack[i].from += LOAD;
			stack[i].to += LOAD;
		}
		perfmake_sample(m, 7, 100 + end, stack[0].to, stack, STACK);
	}
}

/* ---- the fixture ----------------------------------------------------------------------------- */

struct fixture {
	struct walk walk;
	struct bytes file;
	struct input input;
	struct notes notes;
	struct blockmap map;
	struct profile profile;
	struct heft_err err;
	char path[40];
};

static void fixture_open(struct fixture *f, uint64_t seed)
{
	memset(f, 0, sizeof *f);
	f->walk.rng.state = seed;
	make_program(&f->walk);
	f->file = make_image(&f->walk, id);
	notes_init(&f->notes);
	assert_true(input_parse(&f->input, "/opt/test", f->file, &f->notes, NULL));
	blockmap_read(&f->map, &f->input.images[0], NULL, &f->notes);
	assert_int_equal(f->map.blocks.count, FUNCTIONS * BLOCKS);
	assert_int_equal(f->notes.count, 0);
}

/* `ret_path` gets the name of a new file. */
static void write_file(char ret_path[40], struct bytes bytes)
{
	strcpy(ret_path, "/tmp/heft-test-XXXXXX");
	const int fd = mkstemp(ret_path);
	assert_true(fd >= 0);
	assert_true(write(fd, bytes.p, bytes.size) == (ssize_t)bytes.size);
	close(fd);
}

static bool fixture_profile(struct fixture *f, struct bytes samples, enum samples_form form,
			    bool force)
{
	write_file(f->path, samples);
	const struct profile_wish wish = { f->path, form, force };
	const bool ok = profile_read(&f->profile, &f->map, &wish, &f->notes, &f->err);
	unlink(f->path);
	return ok;
}

static bool fixture_perf(struct fixture *f, struct perfmake *m, bool force)
{
	const struct bytes file = perfmake_finish(m);
	const bool ok = fixture_profile(f, file, SAMPLES_PERF, force);
	mem_free((void *)(uintptr_t)file.p);
	return ok;
}

static void fixture_close(struct fixture *f)
{
	profile_release(&f->profile);
	blockmap_release(&f->map);
	input_close(&f->input);
	notes_release(&f->notes);
	vec_release(&f->walk.branches);
	vec_release(&f->walk.entered);
	mem_free((void *)(uintptr_t)f->file.p);
}

/* Where text lies in the file of make_image is the generator's business. */
static uint64_t text_off(const struct fixture *f)
{
	return image_section_find(&f->input.images[0], ".text")->off;
}

static struct perfmake begin(struct fixture *f, const char *name, struct bytes with_id)
{
	struct perfmake m = perfmake_begin(false, PERFMAKE_BRANCHES | PERFMAKE_HW_INDEX);
	perfmake_exec(&m, 7, 1, "test");
	perfmake_map(&m, &(struct perfmake_map){ 7, 2, LOAD + TEXT, TEXT_SIZE, text_off(f), name,
						 with_id });
	return m;
}

/* ---- tests ----------------------------------------------------------------------------------- */

static double overlap(const uint64_t *a, const uint64_t *b, size_t count)
{
	double sum_a = 0, sum_b = 0, sum = 0;
	for (size_t i = 0; i < count; i++) {
		sum_a += (double)a[i];
		sum_b += (double)b[i];
	}
	for (size_t i = 0; i < count; i++) {
		const double x = (double)a[i] / sum_a, y = (double)b[i] / sum_b;
		sum += x < y ? x : y;
	}
	return sum;
}

static void stacks_that_leave_nothing_out_give_exact_counts(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 8; seed++) {
		struct fixture f;
		fixture_open(&f, seed);
		walk(&f.walk, STACK + 2000 * (STACK - 1));
		/* What ran behind the last sampled branch does not count. */
		f.walk.branches.count = STACK + 2000 * (STACK - 1);
		struct perfmake m = begin(&f, "/opt/test", id);
		put_samples(&f.walk, &m, STACK - 1);
		assert_true(fixture_perf(&f, &m, false));
		assert_int_equal(f.notes.count, 0);
		assert_false(f.profile.estimated);
		assert_int_equal(f.profile.range_refused, 0);
		assert_int_equal(f.profile.range_unmapped, 0);
		for (size_t i = 0; i < FUNCTIONS * BLOCKS; i++)
			assert_true(f.profile.counts[i] == f.walk.counts[i]);
		assert_true(overlap(f.profile.falls, f.walk.falls, FUNCTIONS * BLOCKS) > 0.9995);
		fixture_close(&f);
	}
}

static void sparse_stacks_overlap_with_exact_counts(void **state)
{
	struct fixture f;
	(void)state;
	fixture_open(&f, 77);
	walk(&f.walk, 4000000);
	struct perfmake m = begin(&f, "/opt/test", id);
	put_samples(&f.walk, &m, 37);
	assert_true(fixture_perf(&f, &m, false));
	const double blocks = overlap(f.profile.counts, f.walk.counts, FUNCTIONS * BLOCKS);
	const double falls = overlap(f.profile.falls, f.walk.falls, FUNCTIONS * BLOCKS);
	print_message("overlap: blocks %.5f, falls %.5f\n", blocks, falls);
	assert_true(blocks >= 0.999 && falls >= 0.999);
	fixture_close(&f);
}

static uint64_t sum_counts(const struct fixture *f)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < f->map.blocks.count; i++)
		sum += f->profile.counts[i];
	return sum;
}

/* A loop in block 3 of function 0, seen `times` times. */
static void put_loop(struct perfmake *m, const struct fixture *f, uint32_t pid, uint64_t time,
		     uint64_t load, size_t times)
{
	const uint64_t start = load + f->walk.blocks[0][3].addr;
	const struct perf_branch turn = { start + BRANCH_AT, start, false };
	const struct perf_branch stack[] = { turn, turn };
	for (size_t i = 0; i < times; i++)
		perfmake_sample(m, pid, time, start, stack, COUNT_OF(stack));
}

static size_t loop_count(const struct fixture *f)
{
	/* Of blocks that start together a branch leads to the first. */
	size_t i = 3;
	while (i > 0 && f->walk.blocks[0][i - 1].addr == f->walk.blocks[0][i].addr)
		i--;
	return f->profile.counts[i];
}

static void put_text_map(struct perfmake *m, const struct fixture *f, uint32_t pid, uint64_t time,
			 uint64_t load, const char *name)
{
	perfmake_map(m, &(struct perfmake_map){
				pid, time, load + TEXT, TEXT_SIZE, text_off(f), name, { 0 } });
}

static void another_build_is_refused_unless_forced(void **state)
{
	static const uint8_t other[20] = { 0xab, 0xcd };
	struct fixture f;
	(void)state;
	for (int in_table = 0; in_table < 2; in_table++) {
		for (int force = 0; force < 2; force++) {
			const struct bytes other_id = { other, sizeof other };
			fixture_open(&f, 1);
			struct perfmake m = begin(&f, "/elsewhere/test",
						  in_table ? (struct bytes){ 0 } : other_id);
			put_loop(&m, &f, 7, 50, LOAD, 3);
			if (in_table)
				perfmake_build_id(&m, "/elsewhere/test", other_id);
			assert_int_equal(fixture_perf(&f, &m, force), force);
			if (force) {
				assert_int_equal(loop_count(&f), 3);
			} else {
				assert_int_equal(f.err.code, HEFT_EARG);
				assert_non_null(strstr(f.err.text, "abcd0000"));
				assert_non_null(strstr(f.err.text, "09080700"));
			}
			fixture_close(&f);
		}
	}
}

static void the_build_id_outweighs_the_name(void **state)
{
	struct fixture f;
	(void)state;
	fixture_open(&f, 1);
	struct perfmake m = begin(&f, "/renamed", (struct bytes){ 0 });
	perfmake_build_id(&m, "/renamed", id);
	put_text_map(&m, &f, 9, 2, LOAD, "/opt/test"); /* perhaps another build */
	put_loop(&m, &f, 7, 50, LOAD, 3);
	put_loop(&m, &f, 9, 50, LOAD, 5);
	assert_true(fixture_perf(&f, &m, false));
	assert_int_equal(loop_count(&f), 3);
	assert_int_equal(f.profile.samples, 8);
	assert_int_equal(f.profile.samples_inside, 3);
	fixture_close(&f);
}

static void without_build_ids_the_path_counts_and_then_the_name(void **state)
{
	struct fixture f;
	(void)state;
	for (int exact = 0; exact < 2; exact++) {
		fixture_open(&f, 1);
		struct perfmake m = begin(&f, "/other/place/test (deleted)", (struct bytes){ 0 });
		put_text_map(&m, &f, 9, 2, LOAD, exact ? "/opt/test" : "/unlike");
		put_loop(&m, &f, 7, 50, LOAD, 3);
		put_loop(&m, &f, 9, 50, LOAD, 5);
		assert_true(fixture_perf(&f, &m, false));
		assert_int_equal(loop_count(&f), exact ? 5 : 3);
		fixture_close(&f);
	}
}

static void what_was_never_mapped_is_refused(void **state)
{
	struct fixture f;
	(void)state;
	fixture_open(&f, 1);
	struct perfmake m = begin(&f, "/unlike", (struct bytes){ 0 });
	put_loop(&m, &f, 7, 50, LOAD, 3);
	assert_false(fixture_perf(&f, &m, true));
	assert_non_null(strstr(f.err.text, "nothing was mapped from /opt/test"));
	fixture_close(&f);
}

static void mappings_hold_for_their_process_and_time(void **state)
{
	const uint64_t moved = LOAD + 0x100000;
	struct fixture f;
	(void)state;
	fixture_open(&f, 1);
	struct perfmake m = perfmake_begin(false, PERFMAKE_BRANCHES);
	put_loop(&m, &f, 7, 30, LOAD, 1); /* earlier in the file than its mapping */
	put_loop(&m, &f, 7, 5, LOAD, 10); /* before it was mapped */
	perfmake_exec(&m, 7, 1, "test");
	put_text_map(&m, &f, 7, 20, LOAD, "/opt/test");
	perfmake_fork(&m, 8, 7, 40);
	put_loop(&m, &f, 8, 50, LOAD, 100); /* the child has it too */
	put_loop(&m, &f, 8, 35, LOAD, 10);
	perfmake_exec(&m, 8, 60, "sh");
	put_loop(&m, &f, 8, 70, LOAD, 10); /* no longer */
	put_text_map(&m, &f, 8, 80, moved, "/opt/test");
	put_loop(&m, &f, 8, 90, moved, 1000);
	put_text_map(&m, &f, 7, 80, LOAD, "/lib/other"); /* in its place */
	put_loop(&m, &f, 7, 90, LOAD, 10);
	assert_true(fixture_perf(&f, &m, false));
	assert_int_equal(loop_count(&f), 1101);
	fixture_close(&f);
}

static void part_of_a_mapping_may_be_replaced(void **state)
{
	struct fixture f;
	(void)state;
	fixture_open(&f, 1);
	struct perfmake m = begin(&f, "/opt/test", id);
	perfmake_map(&m,
		     &(struct perfmake_map){ 7, 10, LOAD + TEXT + 0x800, 0x400, 0, "/x", { 0 } });
	put_loop(&m, &f, 7, 50, LOAD, 3);
	const struct perf_branch inside = { LOAD + TEXT + 0x900, LOAD + TEXT + 0x900, false };
	perfmake_sample(&m, 7, 50, 0, &inside, 1);
	const struct perf_branch behind = { LOAD + TEXT + 0xd00, LOAD + TEXT + 0xd00, false };
	perfmake_sample(&m, 7, 50, 0, &behind, 1);
	assert_true(fixture_perf(&f, &m, false));
	assert_int_equal(loop_count(&f), 3);
	assert_int_equal(f.profile.samples_inside, 4);
	fixture_close(&f);
}

static void runs_that_cannot_be_are_refused(void **state)
{
	struct fixture f;
	(void)state;
	fixture_open(&f, 1);
	struct perfmake m = begin(&f, "/opt/test", id);
	/* From one function into the next, past its return; backwards; where no block is. */
	const uint64_t first = LOAD + f.walk.blocks[0][0].addr,
		       next = LOAD + f.walk.blocks[1][0].addr;
	const struct perf_branch ends[][2] = {
		{ { next + BRANCH_AT, 1, false }, { 2, first, false } },
		{ { first, 1, false }, { 2, first + BRANCH_AT, false } },
		{ { next + BRANCH_AT, 1, false }, { 2, next - 2, false } },
	};
	for (size_t i = 0; i < COUNT_OF(ends); i++)
		perfmake_sample(&m, 7, 50, 0, ends[i], 2);
	assert_true(fixture_perf(&f, &m, false));
	assert_int_equal(f.profile.range_weight, 3);
	assert_int_equal(f.profile.range_refused, 2);
	assert_int_equal(f.profile.range_unmapped, 1);
	assert_int_equal(sum_counts(&f), 0);
	assert_int_equal(f.notes.count, 1); /* too many of them */
	fixture_close(&f);
}

static const struct profile_edge *edge_of(const struct fixture *f, uint32_t from, uint32_t to)
{
	for (size_t i = 0; i < f->profile.edges.count; i++)
		if (f->profile.edges.data[i].from == from && f->profile.edges.data[i].to == to)
			return &f->profile.edges.data[i];
	return NULL;
}

static void edges_are_jumps_calls_and_returns(void **state)
{
	struct fixture f;
	(void)state;
	fixture_open(&f, 1);
	struct perfmake m = begin(&f, "/opt/test", id);
	const uint64_t back = LOAD + f.walk.blocks[0][BLOCKS - 1].addr;
	const uint64_t entry = LOAD + f.walk.blocks[2][0].addr;
	const struct perf_branch stack[] = {
		{ back, entry + 4, true },               /* a return into the middle */
		{ entry + CALL_AT, LOAD + TEXT, false }, /* a call */
		{ 5, entry, false },                     /* from elsewhere */
	};
	perfmake_sample(&m, 7, 50, 0, stack, COUNT_OF(stack));
	assert_true(fixture_perf(&f, &m, false));
	assert_int_equal(f.profile.edges.count, 3);
	const struct profile_edge *e = edge_of(&f, BLOCKS - 1, 2 * BLOCKS);
	assert_true(e && e->kind == EDGE_RETURN && e->count == 1 && e->mispredicted == 1);
	e = edge_of(&f, 2 * BLOCKS, 0);
	assert_true(e && e->kind == EDGE_CALL && e->mispredicted == 0);
	e = edge_of(&f, BBINDEX_NONE, 2 * BLOCKS);
	assert_true(e && e->kind == EDGE_CALL);
	fixture_close(&f);
}

static void samples_without_branches_are_an_estimate(void **state)
{
	static const char text[] = "2000 5\n2001\n2010 2\n999999\n";
	struct fixture f;
	(void)state;
	fixture_open(&f, 1);
	assert_true(fixture_profile(&f, (struct bytes){ (const uint8_t *)text, strlen(text) },
				    SAMPLES_ADDRESSES, false));
	assert_true(f.profile.estimated);
	assert_int_equal(f.profile.counts[0], 6);
	assert_int_equal(sum_counts(&f), 8);
	assert_int_equal(f.profile.samples, 9);
	assert_int_equal(f.profile.samples_inside, 8);
	assert_int_equal(f.notes.count, 1);
	fixture_close(&f);
}

static void hotness_is_by_share_of_all_counts(void **state)
{
	static const char text[] = "2000 60\n2010 31\n20c8 8\n20d8 1\n";
	struct fixture f;
	(void)state;
	fixture_open(&f, 1);
	/* Blocks of 16 bytes at known places. */
	assert_true(fixture_profile(&f, (struct bytes){ (const uint8_t *)text, strlen(text) },
				    SAMPLES_ADDRESSES, false));
	const struct hotness_limits l = profile_limits(&f.profile, &f.map);
	assert_int_equal(hotness_of(&l, 60), HOTNESS_HOT);
	assert_int_equal(hotness_of(&l, 31), HOTNESS_HOT); /* 60 are less than 90 % */
	assert_int_equal(hotness_of(&l, 8), HOTNESS_WARM);
	assert_int_equal(hotness_of(&l, 1), HOTNESS_COLD);
	assert_int_equal(hotness_of(&l, 0), HOTNESS_NEVER);
	fixture_close(&f);
}

static bool refuse(void *ctx, const void *data, size_t size)
{
	(void)ctx;
	(void)data;
	(void)size;
	return false;
}

static void check_public(struct heft_samples *s, const struct fixture *f)
{
	const struct heft_block_count *counts;
	struct heft_block_edge edge = { .size = sizeof edge };
	struct heft_err err;
	size_t count;
	const struct heft_samples_info *info = heft_samples_info(s);
	assert_true(info->samples == 3 && info->inside == 3 && info->runs == 3 && !info->estimated);
	assert_true(heft_samples_counts(s, 0, &counts, &count, NULL));
	assert_int_equal(count, BLOCKS);
	uint64_t sum = 0;
	for (size_t i = 0; i < count; i++) {
		sum += counts[i].count;
		assert_int_equal(counts[i].hotness, counts[i].count > 0 ? HEFT_HOT : HEFT_NEVER);
	}
	assert_true(sum >= 3);
	assert_false(heft_samples_counts(s, FUNCTIONS, &counts, &count, NULL));
	assert_true(heft_samples_edge(s, 0, &edge, NULL));
	assert_true(edge.to == f->walk.blocks[0][3].addr && edge.kind == HEFT_EDGE_JUMP);
	assert_int_equal(edge.count, 6);
	assert_false(heft_samples_edge(s, 1, &edge, NULL));
	assert_false(heft_samples_write(s, NULL, NULL, &(struct heft_sink){ refuse, NULL }, &err));
	assert_int_equal(err.code, HEFT_EIO);
}

static void the_library_gives_counts_and_edges(void **state)
{
	char image[40], samples[40];
	struct fixture f;
	struct heft_err err;
	(void)state;
	fixture_open(&f, 1);
	struct perfmake m = begin(&f, "/elsewhere", id);
	put_loop(&m, &f, 7, 50, LOAD, 3);
	const struct bytes file = perfmake_finish(&m);
	write_file(samples, file);
	write_file(image, f.file);
	struct heft_blocks *b = ALONE(heft_blocks_new);
	assert_null(heft_samples_new(b, samples, HEFT_SAMPLES_PERF, 0, &err));
	assert_true(heft_blocks_open(b, image, &err));
	assert_null(heft_samples_new(b, "/no/such/file", HEFT_SAMPLES_PERF, 0, &err));
	assert_int_equal(err.code, HEFT_EIO);
	struct heft_samples *s = heft_samples_new(b, samples, HEFT_SAMPLES_PERF, 0, &err);
	assert_non_null(s);
	check_public(s, &f);
	heft_samples_free(s);
	heft_blocks_free(b);
	unlink(image);
	unlink(samples);
	mem_free((void *)(uintptr_t)file.p);
	fixture_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stacks_that_leave_nothing_out_give_exact_counts),
		cmocka_unit_test(sparse_stacks_overlap_with_exact_counts),
		cmocka_unit_test(another_build_is_refused_unless_forced),
		cmocka_unit_test(the_build_id_outweighs_the_name),
		cmocka_unit_test(without_build_ids_the_path_counts_and_then_the_name),
		cmocka_unit_test(what_was_never_mapped_is_refused),
		cmocka_unit_test(mappings_hold_for_their_process_and_time),
		cmocka_unit_test(part_of_a_mapping_may_be_replaced),
		cmocka_unit_test(runs_that_cannot_be_are_refused),
		cmocka_unit_test(edges_are_jumps_calls_and_returns),
		cmocka_unit_test(samples_without_branches_are_an_estimate),
		cmocka_unit_test(hotness_is_by_share_of_all_counts),
		cmocka_unit_test(the_library_gives_counts_and_edges),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
