/* How fast basic-block maps are decoded, loaded, indexed and looked up.
 *
 * usage: bench_bbmap [BLOCKS]      blocks of a made-up program of x86-64 (default: 1000000)
 *        bench_bbmap FILE          the blocks of a program
 *
 * The made-up program has the mix measured on sqlite -O2 (clang-19): 34 blocks a function, 18 bytes
 * a block, 1 gap in 20, numbers out of order in half of the functions.  Times are the best of
 * several runs, of this thread alone. */
#include "../tests/lib/elfgen.h"
#include "../tests/lib/rng.h"
#include "image/elf/elf_const.h"
#include "image/input.h"
#include "blocks/blockmap.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { RUNS = 9, LOOKUPS = 1 << 22 };

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- a made-up program ----------------------------------------------------------------------- */

static uint64_t put_block(struct elfgen_out *o, struct rng *r, uint64_t id, bool first)
{
	const uint64_t gap = !first && rng_once_in(r, 20) ? 1 + rng_below(r, 15) : 0;
	const uint64_t size = rng_once_in(r, 50)  ? 128 + rng_below(r, 200)
			      : rng_once_in(r, 3) ? 1 + rng_below(r, 8)
						  : 5 + rng_below(r, 30);
	const uint64_t kind = rng_below(r, 100);
	elfgen_put_uleb(o, id);
	elfgen_put_uleb(o, gap);
	elfgen_put_uleb(o, size);
	elfgen_put_uleb(o, kind < 74 ? 8 : kind < 96 ? 0 : kind < 99 ? 1 : 3);
	return gap + size;
}

static uint64_t put_function(struct elfgen_out *o, struct rng *r, uint64_t addr, uint64_t count)
{
	const bool shuffled = rng_once_in(r, 2);
	uint64_t size = 0;
	elfgen_put(o, 1, 2);
	elfgen_put(o, 1, 0);
	elfgen_put(o, 8, addr);
	elfgen_put_uleb(o, count);
	for (uint64_t i = 0; i < count; i++)
		size += put_block(o, r, i > 0 && shuffled ? 1 + (i * 7) % count : i, i == 0);
	return size;
}

static struct bytes make_program(uint64_t blocks)
{
	struct elfgen g = elfgen_make(64, false, ET_DYN, EM_X86_64);
	struct elfgen_out o = { 0 };
	struct rng r = { 1 };
	uint64_t addr = 0x1000;
	while (blocks > 0) {
		const uint64_t wanted = rng_once_in(&r, 8) ? 1 + rng_below(&r, 200)
							   : 1 + rng_below(&r, 48);
		const uint64_t count = min_u64(blocks, wanted);
		addr = align_up(addr + put_function(&o, &r, addr, count), 16);
		blocks -= count;
	}
	const uint32_t text = elfgen_section(&g, ".text", SHT_NOBITS, SHF_ALLOC | SHF_EXECINSTR,
					     0x1000, NULL, addr - 0x1000);
	elfgen_load(&g, PF_R | PF_X, text);
	const uint32_t map = elfgen_section(&g, ".llvm_bb_addr_map", SHT_LLVM_BB_ADDR_MAP, 0, 0,
					    o.bytes.data, o.bytes.count);
	g.sections.data[map].link = text;
	vec_release(&o.bytes);
	return elfgen_finish(&g);
}

/* ---- measuring ------------------------------------------------------------------------------- */

static double best_decode(const struct bbmap_section *map, uint64_t *ret_blocks)
{
	double best = 1e9;
	for (int i = 0; i < RUNS; i++) {
		struct bbmap_cursor c;
		uint64_t blocks = 0;
		const double start = now();
		bbmap_open(&c, map, false);
		while (bbmap_next(&c) != BBMAP_END)
			blocks += c.entry.blocks.count;
		bbmap_close(&c);
		const double took = now() - start;
		best = took < best ? took : best;
		*ret_blocks = blocks;
	}
	return best;
}

static double best_load(struct bytes file, double *ret_index)
{
	double best = 1e9;
	*ret_index = 1e9;
	for (int i = 0; i < RUNS; i++) {
		struct input in;
		struct blockmap b;
		struct bbindex x;
		const double start = now();
		if (!input_parse(&in, "bench", file, NULL, NULL))
			exit(2);
		blockmap_read(&b, &in.images[0], NULL, NULL);
		const double loaded = now();
		blockmap_index(&b, &x);
		const double indexed = now();
		best = loaded - start < best ? loaded - start : best;
		*ret_index = indexed - loaded < *ret_index ? indexed - loaded : *ret_index;
		bbindex_release(&x);
		blockmap_release(&b);
		input_close(&in);
	}
	return best;
}

static uint64_t *random_addrs(const struct blockmap *b)
{
	uint64_t *addrs = mem_zeroed(LOOKUPS, sizeof *addrs);
	struct rng r = { 2 };
	for (size_t i = 0; i < LOOKUPS; i++) {
		const uint64_t n = rng_below(&r, b->blocks.count);
		const struct bbmap_block *k = &b->blocks.data[n];
		const uint64_t in_block = k->size ? rng_below(&r, k->size) : 0;
		addrs[i] = blockmap_range_of(b, n)->addr + k->off + in_block;
	}
	return addrs;
}

static int compare_addrs(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

static void find_each(const struct bbindex *x, const uint64_t *addrs, size_t count, uint32_t *ret)
{
	for (size_t i = 0; i < count; i++)
		ret[i] = bbindex_find(x, addrs[i]);
}

/* Millions a second. */
static double best_look_ups(const struct bbindex *x, const uint64_t *addrs,
			    void (*find)(const struct bbindex *, const uint64_t *, size_t,
					 uint32_t *))
{
	uint32_t *found = mem_zeroed(LOOKUPS, sizeof *found);
	double best = 1e9;
	for (int i = 0; i < RUNS; i++) {
		const double start = now();
		find(x, addrs, LOOKUPS, found);
		const double took = now() - start;
		best = took < best ? took : best;
	}
	for (size_t i = 0; i < LOOKUPS; i += 1001)
		ASSERT(found[i] == bbindex_find(x, addrs[i]));
	mem_free(found);
	return (double)LOOKUPS / best * 1e-6;
}

/* ---- the table ------------------------------------------------------------------------------- */

/* A figure and its target: at least if `least`, else at most; 0 = none. */
static void show(const char *what, double value, const char *unit, bool least, double target)
{
	printf("  %-44s %8.2f %-12s", what, value, unit);
	if (target > 0)
		printf("   target %s %-5g %s", least ? ">=" : "<=", target,
		       (least ? value >= target : value <= target) ? "" : "missed");
	putchar('\n');
}

static void show_look_ups(const struct blockmap *b, const struct bbindex *x)
{
	uint64_t *addrs = random_addrs(b);
	show("look-ups, one by one, random order", best_look_ups(x, addrs, find_each), "M/s", true,
	     50);
	show("look-ups, batch of 4 M, random order", best_look_ups(x, addrs, bbindex_find_batch),
	     "M/s", false, 0);
	qsort(addrs, LOOKUPS, sizeof *addrs, compare_addrs);
	show("look-ups, batch of 4 M, rising order", best_look_ups(x, addrs, bbindex_find_batch),
	     "M/s", true, 300);
	mem_free(addrs);
}

static void measure(struct bytes file)
{
	struct input in;
	struct blockmap b;
	struct bbindex x;
	uint64_t blocks;
	double index;
	if (!input_parse(&in, "bench", file, NULL, NULL))
		exit(2);
	blockmap_read(&b, &in.images[0], NULL, NULL);
	blockmap_index(&b, &x);
	if (b.sections.count == 0 || b.blocks.count == 0) {
		fputs("no basic-block map\n", stderr);
		exit(2);
	}
	const struct bbmap_section *map = &b.sections.data[0].map;
	const double decode = best_decode(map, &blocks);
	const double load = best_load(file, &index);
	const double count = (double)b.blocks.count;
	printf("%zu blocks in %zu functions, %" PRIu64 " bytes of map\n", b.blocks.count,
	       b.functions.count, map->bytes.size);
	show("decode", (double)map->bytes.size / decode * 1e-9, "GB/s", true, 2);
	show("", (double)blocks / decode * 1e-6, "M blocks/s", false, 0);
	show("load", load * 1e3, "ms", false, 0);
	show("index", index * 1e3, "ms", false, 0);
	show("load and index, of a million blocks", (load + index) * 1e9 / count, "ms", false, 30);
	show("index", (double)bbindex_size(&x) / count, "bytes/block", false, 2.6);
	show_look_ups(&b, &x);
	bbindex_release(&x);
	blockmap_release(&b);
	input_close(&in);
}

int main(int argc, char **argv)
{
	const char *arg = argc > 1 ? argv[1] : "1000000";
	char *end;
	const uint64_t blocks = strtoull(arg, &end, 10);
	struct heft_err err;
	struct file file;
	if (*end == '\0' && blocks > 0) {
		const struct bytes made = make_program(blocks);
		measure(made);
		mem_free((void *)(uintptr_t)made.p);
		return 0;
	}
	if (!file_open(&file, arg, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 2;
	}
	measure(file.bytes);
	file_close(&file);
	return 0;
}
