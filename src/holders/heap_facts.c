/* Opens the heap of a process, and collects facts about it. */
#include "holders/holders.h"

#include "process/live.h"
#include "image/debugfile.h"

#include <stdio.h>

static uint64_t since_start(const struct heap_process *p, uint64_t at)
{
	return at > p->started_at ? at - p->started_at : 0;
}

static const char *kind_name(enum dump_kind kind)
{
	switch (kind) {
	case DUMP_CORE: return "core";
	case DUMP_PAGES: return "tables of the recorder";
	default: return "raw image";
	}
}

static void tell_dump(struct heap_info *i, const struct dump *d)
{
	i->of.path = d->path;
	i->of.kind = kind_name(d->kind);
	i->of.command = d->command ? d->command : "";
	i->of.pid = d->pid;
	i->of.word = d->word;
	i->of.big_endian = d->big_endian;
	i->of.signal = d->signal;
	i->of.has_fault = d->has_fault;
	i->of.fault_addr = d->fault_addr;
	i->of.mapped = d->size;
	i->of.present = d->present;
	i->of.missing = d->missing;
	i->of.threads = d->thread_count;
}

/* Returns a list such as "jemalloc (/lib/libjemalloc.so.2), Go's runtime (./prog)". */
static const char *list_allocators(struct heft_heap *h)
{
	const struct process_heap *heap = &h->process.heap;
	const char *text = "";
	for (size_t i = 0; i < heap->allocators.count; i++) {
		const struct process_allocator *a = &heap->allocators.data[i];
		text = arena_format(&h->arena, "%s%s%s%s%s%s", text, i > 0 ? ", " : "", a->name,
				    *a->module ? " (" : "", a->module, *a->module ? ")" : "");
	}
	return text;
}

/* Stores whether all live blocks are known, or why not. A running process with records counts as
 * known: its counters change while pages are copied. */
static void tell_unknown(struct heft_heap *h)
{
	const struct process_heap *heap = &h->process.heap;
	const bool known = heap->unknown == NULL || (h->tables != NULL && heap->records.found);
	struct heft_heap_info *of = &h->info.of;
	of->live_known = known;
	of->unknown = known ? "" : heap->unknown;
	of->lacks = h->process.dump.lacks ? h->process.dump.lacks : "";
	of->left_out = h->process.dump.left_out;
	of->allocators = list_allocators(h);
	/* Counts only broken chains that the layout lists as damage. At other breaks, the dump
	 * lacks chunks. */
	of->broken_chains = min_u64(of->broken_chains, heap->layout.breaks.count);
}

static void tell_records(struct heap_info *i, const struct records *r)
{
	const struct heap_process *p = &r->process;
	i->of.recorded = r->found;
	i->of.wide = p->flags & HEAP_WIDE;
	i->of.canaries = p->flags & HEAP_CANARY;
	i->of.inline_stacks = p->flags & HEAP_INLINE;
	i->of.sample = p->sample;
	i->of.depth = p->depth;
	i->of.started = p->started;
	i->of.peak_at = since_start(p, p->peak_at);
	i->of.taken_at = since_start(p, p->updated_at);
	i->of.lost = p->lost;
	i->of.beside = r->beside;
	i->of.recorder_bytes = r->page_bytes;
	i->of.double_frees = p->double_frees;
	if (i->of.pid == 0)
		i->of.pid = p->pid;
	if (i->of.threads < r->threads.count)
		i->of.threads = r->threads.count;
	for (size_t t = 0; t < r->threads.count; t++)
		i->of.unrecorded += r->threads.data[t].unrecorded;
}

static void tell_counters(struct heap_info *i, const struct calls *c, const struct blocks_found *b)
{
	i->of.block_bytes = b->live_bytes;
	i->of.inline_stacks |= b->live_flags & HEAP_INLINE;
	i->of.wide |= b->live_flags & HEAP_WIDE;
	i->of.canaries |= b->live_flags & HEAP_CANARY;
	i->of.blocks = b->live.count;
	i->of.freed_blocks = b->freed.count;
	i->of.stacks = c->stacks.count > 0 ? c->stacks.count - 1 : 0;
	i->of.counted = c->counted;
	if (!c->counted) {
		i->of.live_bytes = i->of.block_bytes;
		i->of.live = i->of.blocks;
		return;
	}
	i->of.live_bytes = c->live_bytes;
	i->of.live = c->live;
	i->of.peak_bytes = c->at_peak_bytes;
	i->of.alloc_bytes = c->alloc_bytes;
	i->of.allocs = c->allocs;
	for (size_t s = 0; s < c->stacks.count; s++)
		i->of.temporary += c->stacks.data[s].temporary;
}

static void tell_chunks(struct heap_info *i, const struct glibc_heaps *g)
{
	i->of.arenas = g->arenas;
	i->of.own_mappings = g->mapped;
	i->of.own_mapping_bytes = g->mapped_bytes;
	i->of.cached = g->cached;
	i->of.cached_bytes = g->cached_bytes;
	i->of.free_chunks = g->free_chunks;
	i->of.free_bytes = g->free_bytes;
	i->of.top_bytes = g->top_bytes;
	i->of.broken_chains = g->broken;
}

/* Inserts a moment by time. Moments at the same time are joined, with the higher peak. */
static void add_moment(struct heft_heap *h, struct heft_heap_moment m)
{
	size_t i = h->moments.count;
	vec_push(&h->moments, m);
	struct heft_heap_moment *at = h->moments.data;
	for (; i > 0 && at[i - 1].at > m.at; i--)
		at[i] = at[i - 1];
	at[i] = m;
	ASSERT(i == 0 || at[i - 1].at <= m.at);
	if (i == 0 || at[i - 1].at != m.at)
		return;
	at[i - 1].peak_bytes = max_u64(at[i - 1].peak_bytes, m.peak_bytes);
	memmove(&at[i], &at[i + 1], (--h->moments.count - i) * sizeof *at);
}

/* Adds the moments that the recorder stored, the peak if it lies between two of them, and the
 * dump's time. */
static void tell_moments(struct heft_heap *h)
{
	const struct records *r = &h->process.heap.records;
	const struct heft_heap_info *info = &h->info.of;
	uint64_t most = 0;
	vec_each(const struct heap_moment, m, &r->timeline) {
		add_moment(h, (struct heft_heap_moment){ .at = since_start(&r->process, m->at),
							 .live_bytes = m->live_bytes,
							 .peak_bytes = m->peak_bytes });
		most = max_u64(most, max_u64(m->peak_bytes, m->live_bytes));
	}
	if (!r->found || !info->counted)
		return;
	if (info->peak_bytes > max_u64(most, info->live_bytes))
		add_moment(h, (struct heft_heap_moment){ .at = info->peak_at,
							 .live_bytes = info->peak_bytes,
							 .peak_bytes = info->peak_bytes });
	const uint64_t last = h->moments.count > 0 ? h->moments.data[h->moments.count - 1].at : 0;
	add_moment(h, (struct heft_heap_moment){ .at = max_u64(info->taken_at, last),
						 .live_bytes = info->live_bytes,
						 .peak_bytes = info->live_bytes });
	h->moments.data[h->moments.count - 1].live_bytes = info->live_bytes;
}

static void tell_layout(struct heap_info *i, const struct heap_layout *l)
{
	for (size_t k = 0; k < COUNT_OF(l->bytes); k++)
		i->parts[process_part((enum heap_part_kind)k)] += l->bytes[k];
	if (i->parts[HEFT_HEAP_RECORDER] == 0)
		i->parts[HEFT_HEAP_RECORDER] = i->of.recorder_bytes; /* The recorder's memory
								      * lies elsewhere */
	i->of.pinned_pages = l->pinned_pages;
	i->of.pinned_bytes = l->pinned_bytes;
}

bool heap_open(struct heft_heap *h, const char *path, struct heft_err *err)
{
	if (h->open)
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "a handle opens one dump");
	context_take(&h->context);
	const struct process_wish wish = { .find = &h->context.wish,
					   .dwarf = true,
					   .no_names = h->flags & HEFT_HEAP_NO_NAMES,
					   .name_cache = h->name_cache,
					   .style = context_style(&h->context, HEFT_NAMES_SHORT),
					   .pid = h->pid,
					   .threads = h->context.threads,
					   .notes = &h->context.notes };
	h->open = process_open(&h->process, arena_copy(&h->arena, str_of(path)), &wish, err);
	if (!h->open)
		return false;
	const struct process_heap *heap = process_read_heap(&h->process);
	h->info.no_names = h->flags & HEFT_HEAP_NO_NAMES;
	h->info.with_arguments = h->flags & HEFT_HEAP_ARGUMENTS;
	tell_dump(&h->info, &h->process.dump);
	tell_records(&h->info, &heap->records);
	tell_counters(&h->info, &heap->calls, &heap->blocks);
	tell_chunks(&h->info, &heap->glibc);
	if (heap->layout.spans.count > 0)
		tell_layout(&h->info, &heap->layout);
	tell_unknown(h);
	tell_moments(h);
	return process_check_debug_files(&h->process, err);
}

bool heap_open_process(struct heft_heap *h, uint32_t pid, struct heft_err *err)
{
	char name[32];
	size_t size;
	if (h->open || h->tables != NULL)
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "a handle opens one dump");
	if (!live_tables(pid, &h->tables, &size, err))
		return false;
	h->pid = pid;
	snprintf(name, sizeof name, "process %" PRIu32, pid);
	const struct heft_input in = {
		.size = sizeof in, .name = name, .data = h->tables, .data_size = size, .fd = -1
	};
	context_take(&h->context);
	if (!wish_add_input(&h->context.wish, &in, err) || !heap_open(h, name, err))
		return false;
	return h->info.of.counted ||
	       fail(err, HEFT_EUNSUPPORTED, HEFT_NO_OFFSET,
		    "%s: its stacks are in the blocks; take a 'heft heap snapshot' of it", name);
}

struct heft_heap_module heap_module(struct heft_heap *h, size_t i)
{
	const struct calls *c = &h->process.heap.calls;
	const struct process_module *m = process_module(&h->process, i);
	struct heft_heap_module ret = { .path = m->path,
					.build_id = build_id_text(&h->arena, m->build_id) };
	for (size_t n = 0; n < c->nodes.count; n++)
		ret.frames += c->nodes.data[n].module == i;
	return ret;
}

struct heap_thread_stack heap_thread_stack(struct heft_heap *h, size_t i)
{
	ASSERT(i < h->process.dump.thread_count);
	arena_release(&h->answer);
	const struct dump_thread *t = &h->process.dump.threads[i];
	struct heap_thread_stack ret = { .id = t->id, .name = t->name };
	ret.frames = process_kept_stack(&h->process, process_thread_stack(&h->process, i),
					&h->answer, &ret.count);
	return ret;
}
