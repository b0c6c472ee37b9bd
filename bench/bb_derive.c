/* Scores derived basic blocks against the compiler's own map, file by file.
 *
 * usage: bb_derive [--convention auto|llvm|gcc|pure] [--list N] FILE...
 *
 * Compared is the code that the map speaks of, from the first to the last byte of each of its
 * ranges.  Printed are, a line a file: blocks of the map (those of no bytes left out); precision
 * and recall of block starts; exact, the part of the map's blocks that have both start and end
 * right; flags, the part of the exact ones with the same flags; MB of code derived in a second by
 * one thread, from the parsed file to the map (best of several).  --list shows the first N
 * differences of each kind. */
#include "image/input.h"
#include "blocks/derive_map.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { RUNS = 5 };

struct block {
	uint64_t addr, end;
	uint64_t flags;
};

typedef VEC(struct block) block_vec;

struct score {
	uint64_t truth, derived, starts, exact, flags;
	long list[4];
};

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* A landing pad without bytes is one with what stands behind it. */
static void list_blocks(const struct blockmap *b, block_vec *ret)
{
	uint64_t empty_pad = UINT64_MAX;
	for (size_t i = 0; i < b->by_addr.count; i++) {
		const struct blockmap_range *r = &b->ranges.data[b->by_addr.data[i]];
		for (uint64_t k = r->first; k < r->first + r->count; k++) {
			const struct bbmap_block *from = &b->blocks.data[k];
			const uint64_t at = r->addr + from->off;
			const uint32_t pad = at == empty_pad ? BBMAP_LANDING_PAD : 0;
			if (from->size > 0)
				vec_push(ret,
					 (struct block){ at, at + from->size, from->flags | pad });
			else if (from->flags & BBMAP_LANDING_PAD)
				empty_pad = at;
		}
	}
}

/* The parts of `all` that the map speaks of. */
static void keep_inside(block_vec *all, const struct blockmap *truth)
{
	size_t kept = 0, at = 0;
	for (size_t i = 0; i < truth->by_addr.count; i++) {
		const struct blockmap_range *r = &truth->ranges.data[truth->by_addr.data[i]];
		if (r->count == 0)
			continue;
		const struct bbmap_block *last = &truth->blocks.data[r->first + r->count - 1];
		const uint64_t end = r->addr + last->off + last->size;
		while (at < all->count && all->data[at].addr < r->addr)
			at++;
		while (at < all->count && all->data[at].addr < end)
			all->data[kept++] = all->data[at++];
	}
	all->count = kept;
}

static void show(struct score *s, int kind, const struct block *t, const struct block *d)
{
	static const char *const texts[] = { "missed", "false", "end", "flags" };
	if (s->list[kind]-- <= 0)
		return;
	printf("  %-6s", texts[kind]);
	if (t)
		printf(" map %" PRIx64 "-%" PRIx64 " flags %" PRIu64, t->addr, t->end, t->flags);
	if (d)
		printf(" derived %" PRIx64 "-%" PRIx64 " flags %" PRIu64, d->addr, d->end,
		       d->flags);
	putchar('\n');
}

static void compare(struct score *s, const block_vec *truth, const block_vec *derived)
{
	size_t i = 0, k = 0;
	s->truth = truth->count;
	s->derived = derived->count;
	while (i < truth->count || k < derived->count) {
		const struct block *t = i < truth->count ? &truth->data[i] : NULL;
		const struct block *d = k < derived->count ? &derived->data[k] : NULL;
		if (t && (!d || t->addr < d->addr)) {
			show(s, 0, t, NULL);
			i++;
		} else if (!t || d->addr < t->addr) {
			show(s, 1, NULL, d);
			k++;
		} else {
			s->starts++;
			s->exact += t->end == d->end;
			s->flags += t->end == d->end && t->flags == d->flags;
			if (t->end != d->end)
				show(s, 2, t, d);
			else if (t->flags != d->flags)
				show(s, 3, t, d);
			i++;
			k++;
		}
	}
}

static double derive_best(struct blockmap *b, const struct image *im, enum blocks_convention how)
{
	double best = 1e9;
	for (int i = 0; i < RUNS; i++) {
		if (i > 0)
			blockmap_release(b);
		const double start = now();
		blockmap_derive(b, im, NULL, how, 1, NULL);
		const double took = now() - start;
		best = took < best ? took : best;
	}
	return best;
}

static uint64_t code_size(const struct image *im)
{
	uint64_t size = 0;
	for (size_t i = 1; i < im->section_count; i++)
		if (im->sections[i].exec && im->sections[i].alloc)
			size += im->sections[i].file_size;
	return size;
}

static double part(uint64_t a, uint64_t b)
{
	return b ? (double)a / (double)b : 1;
}

static bool score_file(const char *path, enum blocks_convention how, long list)
{
	struct input in;
	struct heft_err err;
	struct blockmap truth, derived;
	block_vec t = { 0 }, d = { 0 };
	struct score s = { .list = { list, list, list, list } };
	if (!input_open(&in, path, USE_SIZE, NULL, &err)) {
		fprintf(stderr, "%s: %s\n", path, err.text);
		return false;
	}
	const struct image *im = &in.images[0];
	blockmap_read(&truth, im, NULL, NULL);
	const double took = derive_best(&derived, im, how);
	list_blocks(&truth, &t);
	list_blocks(&derived, &d);
	keep_inside(&d, &truth);
	compare(&s, &t, &d);
	const char *name = strrchr(path, '/');
	printf("%-24s %8" PRIu64 "  P %.5f  R %.5f  exact %.5f  flags %.5f  %6.1f MB/s\n",
	       name ? name + 1 : path, s.truth, part(s.starts, s.derived), part(s.starts, s.truth),
	       part(s.exact, s.truth), part(s.flags, s.exact), (double)code_size(im) / took * 1e-6);
	vec_release(&t);
	vec_release(&d);
	blockmap_release(&truth);
	blockmap_release(&derived);
	input_close(&in);
	return true;
}

static enum blocks_convention convention(const char *text)
{
	static const char *const texts[] = { "auto", "llvm", "gcc", "pure" };
	for (unsigned i = 0; i < COUNT_OF(texts); i++)
		if (strcmp(texts[i], text) == 0)
			return (enum blocks_convention)i;
	fprintf(stderr, "no convention: %s\n", text);
	exit(2);
}

int main(int argc, char **argv)
{
	enum blocks_convention how = BLOCKS_AUTO;
	long list = 0;
	bool fine = true;
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--convention") == 0 && i + 1 < argc)
			how = convention(argv[++i]);
		else if (strcmp(argv[i], "--list") == 0 && i + 1 < argc)
			list = strtol(argv[++i], NULL, 10);
		else
			fine = score_file(argv[i], how, list) && fine;
	}
	return fine ? 0 : 1;
}
