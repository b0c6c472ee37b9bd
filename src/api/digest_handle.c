/* Writes a heap in one line: heft_heap_digest_write. */
#include "api/heap.h"
#include "base/filename.h"
#include "base/mem.h"
#include "report/review/heap_digest.h"

static void take_stack(struct digest_stack *ret, const struct heft_heap_report *r,
		       const struct heft_row *row, struct arena *arena)
{
	const size_t count = heft_heap_report_frame_count(r, row);
	*ret = (struct digest_stack){ .hash = DIGEST_START,
				      .live_bytes = row->now[HEFT_HEAP_LIVE_BYTES].whole,
				      .live = row->now[HEFT_HEAP_LIVE].whole };
	for (size_t i = 0; i < count; i++) {
		const struct heft_frame *f = heft_heap_report_frame(r, row, i);
		const char *text = digest_frame(arena, f);
		ret->hash = digest_hash(ret->hash, text);
		if (i < DIGEST_FRAMES)
			ret->frames[ret->frame_count++] = text;
	}
}

static bool digest_handle_take_stacks(struct heap_digest *d, struct heft_heap *h,
				      struct arena *arena, struct heft_err *err)
{
	const struct heft_heap_query query = { .size = sizeof query, .rows = DIGEST_STACKS };
	struct heft_heap_report *r = heft_heap_report_new(h, NULL, &query, err);
	if (!r)
		return false;
	const struct heft_row *top = heft_heap_report_table(r)->top;
	for (size_t i = 0; i < top->child_count && d->stack_count < DIGEST_STACKS; i++)
		if (top->children[i]->others == 0)
			take_stack(&d->stacks[d->stack_count++], r, top->children[i], arena);
	heft_heap_report_free(r);
	return true;
}

/* Adds the leaks, if the dump can tell them. */
static void take_leaks(struct heap_digest *d, struct heft_heap *h)
{
	const struct heft_heap_query query = { .size = sizeof query, .rows = 1, .leaks = true };
	struct heft_heap_report *r = heft_heap_report_new(h, NULL, &query, NULL);
	if (!r)
		return;
	const struct heft_row *top = heft_heap_report_table(r)->top;
	d->knows_leaks = true;
	d->leaked_bytes = top->now[HEFT_HEAP_LIVE_BYTES].whole;
	d->leaked = top->now[HEFT_HEAP_LIVE].whole;
	heft_heap_report_free(r);
}

static void count_damage(struct heap_digest *d, const struct heft_heap_damage *m,
			 struct arena *arena)
{
	const bool known = m->block && m->block->frame_count > 0;
	const char *holder = known ? digest_frame(arena, m->block->frames[0]) : "";
	for (size_t i = 0; i < d->damages.count; i++) {
		struct digest_damage *k = &d->damages.data[i];
		if (k->kind == m->kind && strcmp(k->holder, holder) == 0) {
			k->count++;
			return;
		}
	}
	vec_push(&d->damages, (struct digest_damage){ m->kind, holder, 1 });
}

static bool take_damage(struct heap_digest *d, struct heft_heap *h, struct arena *arena,
			struct heft_err *err)
{
	size_t count;
	if (!heft_heap_find_damage(h, &count, err))
		return false;
	for (size_t i = 0; i < count; i++) {
		struct heft_heap_damage m = { .size = sizeof m };
		if (!heft_heap_damage(h, i, &m, err))
			return false;
		count_damage(d, &m, arena);
	}
	return true;
}

static bool write_digest(struct heft_heap *h, const struct heft_sink *sink, struct heft_err *err)
{
	struct arena arena = { 0 };
	struct heap_digest d = { .info = h->info, .core = file_name(h->info.of.path) };
	struct sink s;
	bool good = digest_handle_take_stacks(&d, h, &arena, err) &&
		    take_damage(&d, h, &arena, err);
	if (good) {
		take_leaks(&d, h);
		sink_start(&s, sink);
		out_heap_digest(&d, &s);
		good = sink_end(&s, err);
	}
	vec_release(&d.damages);
	arena_release(&arena);
	return good;
}

bool heft_heap_digest_write(struct heft_heap *h, const struct heft_sink *sink, struct heft_err *err)
{
	return GUARDED(h->memory, err, write_digest(h, sink, err));
}
