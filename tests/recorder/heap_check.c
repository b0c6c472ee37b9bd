/* heap_check.c - what is wrong in the heap of a dump, a line each, for tests and bench/heap_dump.
 *
 *	heap_check [--time|--blocks] DUMP
 *
 *	canary|header|chunk|double-free|... at ADDR block ADDR+SIZE freed ADDR+SIZE victim ADDR+SIZE
 *	distance N
 *	lost|indirect|inside ADDR+SIZE
 *	blocks N bytes N freed N stacks N nodes N counted N counted-bytes N parts N
 *
 * Exits 1 where what must hold for any dump does not.  --time: the milliseconds of each step, and
 * the most memory of its own.  --blocks: all live blocks first, "live ADDR+SIZE". */
#include "heap/damage.h"
#include "heap/glibc.h"
#include "heap/reach.h"
#include "heap/records.h"

#include "../lib/heap_invariants.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double last;
static bool timed, all_blocks;

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void step(const char *name)
{
	const double t = now();
	if (timed && name != NULL)
		printf("%s %.1f ms\n", name, t - last);
	last = now();
}

static void print_memory(void)
{
	char line[256];
	FILE *f = timed ? fopen("/proc/self/status", "r") : NULL;
	while (f != NULL && fgets(line, sizeof line, f) != NULL)
		if (strncmp(line, "VmHWM", 5) == 0 || strncmp(line, "RssAnon", 7) == 0 ||
		    strncmp(line, "RssFile", 7) == 0)
			fputs(line, stdout);
	if (f != NULL)
		fclose(f);
}

static void print_block(const char *name, const struct heap_found *f)
{
	printf(" %s %#" PRIx64 "+%" PRIu64, name, f->addr, f->size);
}

static void print_live(const char *name, const struct blocks_found *b, size_t i)
{
	if (i == SIZE_MAX)
		return;
	const struct heap_found f = heap_live(b, i);
	print_block(name, &f);
}

static void print_damage(const struct damages *damages, const struct blocks_found *b)
{
	static const char *const names[] = { "canary",      "header",        "chunk",
					     "double-free", "canary-freed",  "fault",
					     "freed-use",   "freed-pointer", "wild-free",
					     "allocator",   "freed-written" };
	for (size_t i = 0; i < damages->list.count; i++) {
		const struct damage *g = &damages->list.data[i];
		printf("%s at %#" PRIx64 " count %" PRIu64, names[g->kind], g->addr, g->count);
		struct heap_found freed = { 0 };
		print_live("block", b, g->block);
		if (g->freed != SIZE_MAX)
			freed = heap_freed(b, g->freed);
		if (g->freed != SIZE_MAX)
			print_block("freed", &freed);
		print_live("victim", b, g->victim);
		if (g->kind == DAMAGE_FAULT)
			printf(" distance %" PRId64, g->distance);
		if (g->freed != SIZE_MAX)
			printf(" stack %" PRIu32 " freed-by %" PRIu32 " again-by %" PRIu32,
			       freed.stack, freed.freed_by, g->again_by);
		if (g->kind == DAMAGE_HEADER)
			printf(" was %" PRIu64 " stack %" PRIu32, g->was_size, g->was_stack);
		puts("");
	}
}

static void print_reach(const uint8_t *reach, const struct blocks_found *b)
{
	static const char *const names[] = { "lost", "indirect", "inside" };
	for (size_t i = 0; i < b->live.count; i++)
		if (reach_of(reach, i) != REACH_YES) {
			const struct heap_found f = heap_live(b, i);
			printf("%s %#" PRIx64 "+%" PRIu64 "\n", names[reach_of(reach, i)], f.addr,
			       f.size);
		}
}

static void print_blocks(const struct blocks_found *b)
{
	for (size_t i = 0; all_blocks && i < b->live.count; i++) {
		const struct heap_found f = heap_live(b, i);
		printf("live %#" PRIx64 "+%" PRIu64 "\n", f.addr, f.size);
	}
}

/* As process_read_heap does it. */
static void find_chunks(struct blocks_found *b, struct calls *c, const struct dump *d,
			const struct records *r)
{
	struct glibc_heaps g;
	if (!r->found && b->live.count == 0 && b->freed.count == 0)
		glibc_heaps_find(&g, b, c, d);
	else
		glibc_kept_find(b, d);
}

static int check(const struct dump *d, struct notes *notes)
{
	struct records r;
	struct calls c;
	struct blocks_found b;
	struct heap_layout l;
	struct damages damages;
	uint8_t *reach = NULL;
	const char *why;
	step(NULL);
	records_read(&r, d, notes);
	step("records");
	calls_read(&c, d, &r, notes);
	step("calls");
	heap_scan(&b, d, &r, &c, 1, notes);
	step("scan");
	find_chunks(&b, &c, d, &r);
	step("chunks");
	heap_layout_make(&l, d, &r, &b);
	step("layout");
	heap_damage_find(&damages, d, &r, &c, &b, &l);
	step("damage");
	const bool reached = heap_reach(&reach, &why, d, &r, &b, &l);
	step("reach");
	print_memory();
	const char *broken = heap_invariants(d, &c, &b, &l);
	if (broken == NULL && reached)
		broken = heap_reach_invariants(reach, &b);
	print_blocks(&b);
	print_damage(&damages, &b);
	if (reached && !timed)
		print_reach(reach, &b);
	else if (!reached)
		printf("unreachable: %s\n", why);
	printf("blocks %zu bytes %" PRIu64 " freed %zu stacks %zu nodes %zu counted %" PRIu64
	       " counted-bytes %" PRIu64 " parts %zu scanned %" PRIu64 "\n",
	       b.live.count, b.live_bytes, b.freed.count, c.stacks.count, c.nodes.count, c.live,
	       c.live_bytes, l.part_count, b.scanned);
	static const char *const kinds[] = { "block",      "header",   "overhead", "free",
					     "unrecorded", "recorder", "other" };
	printf("layout:");
	for (size_t i = 0; i < HEAP_PART_KINDS; i++)
		printf(" %s %" PRIu64, kinds[i], l.bytes[i]);
	printf(" pinned %" PRIu64 "\n", l.pinned_bytes);
	mem_free(reach);
	heap_damage_release(&damages);
	heap_layout_release(&l);
	heap_scan_release(&b);
	calls_release(&c);
	records_release(&r);
	if (broken != NULL)
		printf("broken: %s\n", broken);
	return broken != NULL;
}

int main(int argc, char **argv)
{
	struct notes notes;
	struct dump d;
	struct heft_err err;
	timed = argc == 3 && strcmp(argv[1], "--time") == 0;
	all_blocks = argc == 3 && strcmp(argv[1], "--blocks") == 0;
	if (argc != 2 + timed + all_blocks)
		return 2;
	notes_init(&notes);
	step(NULL);
	const struct dump_wish wish = { 0 };
	if (!dump_open(&d, argv[argc - 1], &wish, &notes, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 2;
	}
	step("open");
	const int status = check(&d, &notes);
	for (size_t i = 0; i < notes.count; i++)
		printf("note: %s\n", notes.data[i].text);
	dump_close(&d);
	notes_release(&notes);
	return status;
}
