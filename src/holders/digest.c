/* Summarizes a heap in a few lines. */
#include "holders/digest.h"

#include "base/filename.h"
#include "base/fnv.h"
#include "base/sort.h"

#include <stdio.h>
#include <stdlib.h>

/* Returns a frame in a form that is the same in every run of the program: "module!function" or
 * "module+0x12". */
static const char *digest_frame(struct arena *arena, const struct heft_frame *f)
{
	const char *module = file_name(f->module);
	if (*f->function)
		return *module ? arena_format(arena, "%s!%s", module, f->function) : f->function;
	return *module ? arena_format(arena, "%s+0x%" PRIx64, module, f->addr) : "?";
}

/* Returns `hash` extended by a text and its end (FNV-1a). The hash is the same on all machines. */
static uint64_t digest_hash(uint64_t hash, const char *frame)
{
	return fnv_add(hash, frame, strlen(frame) + 1);
}

/* Returns a hash that is equal for dumps with the same largest stacks, in any order and size. */
static uint64_t signature(const struct heap_digest *d)
{
	uint64_t hashes[DIGEST_HOLDERS] = { 0 }, hash = FNV_START;
	size_t count = 0;
	for (; count < d->stack_count && count < DIGEST_HOLDERS; count++)
		hashes[count] = d->stacks[count].hash;
	qsort(hashes, count, sizeof *hashes, compare_numbers);
	for (size_t i = 0; i < count; i++) {
		char text[20];
		snprintf(text, sizeof text, "%016" PRIx64, hashes[i]);
		hash = digest_hash(hash, text);
	}
	return hash;
}

static void take_stack(struct digest_stack *ret, const struct heap_report *r,
		       const struct heft_row *row, struct arena *arena)
{
	*ret = (struct digest_stack){ .hash = FNV_START,
				      .live_bytes = row->now[HEFT_HEAP_LIVE_BYTES],
				      .live = row->now[HEFT_HEAP_LIVE] };
	for (uint32_t step = row_ref(row); step != 0; step = r->steps.data[step].parent) {
		const char *text = digest_frame(arena, &heap_step_site(r, step)->frame);
		ret->hash = digest_hash(ret->hash, text);
		if (ret->frame_count < DIGEST_FRAMES)
			ret->frames[ret->frame_count++] = text;
	}
}

static bool take_stacks(struct heap_digest *d, struct heft_heap *h, struct arena *arena,
			struct heft_err *err)
{
	const struct heft_heap_query query = { .rows = DIGEST_STACKS };
	struct heft_heap_report *r;
	if (!heap_report_make(&r, h, NULL, &query, err))
		return false;
	const struct heft_row *top = r->report.table.top;
	for (size_t i = 0; i < top->child_count && d->stack_count < DIGEST_STACKS; i++)
		if (top->children[i]->others == 0)
			take_stack(&d->stacks[d->stack_count++], &r->report, top->children[i],
				   arena);
	heap_report_release(r);
	return true;
}

/* Adds the leaks. They are known only if all live blocks are known. */
static void take_leaks(struct heap_digest *d, struct heft_heap *h)
{
	const struct heft_heap_query query = { .rows = 1, .leaks = true };
	struct heft_heap_report *r;
	if (!heap_report_make(&r, h, NULL, &query, NULL))
		return;
	const struct heft_row *top = r->report.table.top;
	d->knows_leaks = h->info.of.live_known;
	d->leaked_bytes = top->now[HEFT_HEAP_LIVE_BYTES];
	d->leaked = top->now[HEFT_HEAP_LIVE];
	heap_report_release(r);
}

static void count_damage(struct heap_digest *d, const struct heft_heap_damage *m,
			 struct arena *arena)
{
	const bool known = m->block && m->block->frame_count > 0;
	const char *holder = known ? digest_frame(arena, m->block->frames[0]) : "";
	vec_each(struct digest_damage, k, &d->damages) {
		if (k->kind == m->kind && strcmp(k->holder, holder) == 0) {
			k->count++;
			return;
		}
	}
	vec_push(&d->damages, (struct digest_damage){ m->kind, holder, 1 });
}

bool heap_digest_make(struct heap_digest *d, struct heft_heap *h, struct arena *arena,
		      struct heft_err *err)
{
	*d = (struct heap_digest){ .info = h->info };
	if (!take_stacks(d, h, arena, err))
		return false;
	d->core = file_name(h->info.of.path);
	const size_t count = heap_find_damage(h);
	for (size_t i = 0; i < count; i++) {
		const struct heft_heap_damage m = heap_damage(h, i);
		count_damage(d, &m, arena);
	}
	take_leaks(d, h);
	d->signature = signature(d);
	return true;
}
