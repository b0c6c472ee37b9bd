/* Adds up the bytes of each stack: from the recorder's counters, or block by block if filters or
 * rows need more details. */
#include "holders/holders.h"

#include "base/map.h"
#include "base/sort.h"
#include "heap/reach.h"
#include "map/rules.h"

#include <math.h>
#include <stdio.h>

enum { SIZE_CLASSES = 49, AGE_CLASSES = 20 };

static uint32_t size_class(uint64_t size)
{
	uint32_t n = 0;
	for (; size > 0 && n + 1 < SIZE_CLASSES; size >>= 1)
		n++;
	return n;
}

static void size_label(char *out, size_t room, uint32_t class)
{
	const uint64_t low = class ? UINT64_C(1) << (class - 1) : 0;
	if (class < 2)
		snprintf(out, room, "%" PRIu64, low);
	else
		snprintf(out, room, "%" PRIu64 "..%" PRIu64, low, 2 * low - 1);
}

/* Returns the class of an age, a number of allocations: 0, 1..9, 10..99 and so on. */
static uint32_t age_class(uint64_t age)
{
	uint32_t n = 0;
	for (; age > 0 && n + 1 < AGE_CLASSES; age /= 10)
		n++;
	return n;
}

static void age_label(char *out, size_t room, uint32_t class)
{
	uint64_t low = class > 0;
	for (uint32_t i = 1; i < class; i++)
		low *= 10;
	if (class == 0)
		snprintf(out, room, "0");
	else if (class + 1 == AGE_CLASSES)
		snprintf(out, room, "%" PRIu64 " and more", low);
	else
		snprintf(out, room, "%" PRIu64 "..%" PRIu64, low, low * 10 - 1);
}

/* Interns the names of all size or age classes in order, so that class numbers ascend. */
static void heap_leaves_name_classes(struct heft_heap_report *r)
{
	const bool size = r->report.query.by == HEFT_HEAP_BY_SIZE;
	if (r->classes.entries.count > 0 || (!size && r->report.query.by != HEFT_HEAP_BY_AGE))
		return;
	for (uint32_t i = 0; i < (size ? SIZE_CLASSES : AGE_CLASSES); i++) {
		char text[64];
		(size ? size_label : age_label)(text, sizeof text, i);
		intern_add(&r->classes, str_of(text));
	}
}

static uint32_t thread_class(struct heft_heap_report *r, uint32_t id, const char *name)
{
	char text[64];
	if (id == 0)
		snprintf(text, sizeof text, "(not known)");
	else if (*name)
		snprintf(text, sizeof text, "%" PRIu32 " %.31s", id, name);
	else
		snprintf(text, sizeof text, "%" PRIu32, id);
	return intern_add(&r->classes, str_of(text));
}

struct heap_leaves_source {
	struct heft_heap_report *r;
	struct heft_heap *h;
	const uint32_t *steps; /* Per call node: index of its step in heap_report.steps */
	bool base;
};

static uint64_t *heap_leaves_add_leaf(const struct heap_leaves_source *s, uint32_t stack,
				      uint32_t class)
{
	struct heap_report *r = &s->r->report;
	ASSERT(stack < s->h->process.heap.calls.stacks.count);
	const uint32_t node = s->h->process.heap.calls.stacks.data[stack].node;
	vec_push(&r->leaves, (struct heap_leaf){ .step = s->steps[node], .class = class });
	struct heap_leaf *leaf = &r->leaves.data[r->leaves.count - 1];
	return s->base ? leaf->base : leaf->now;
}

static void heap_leaves_add_stacks(const struct heap_leaves_source *s)
{
	for (size_t i = 0; i < s->h->process.heap.calls.stacks.count; i++) {
		const struct call_stack *c = &s->h->process.heap.calls.stacks.data[i];
		uint64_t *m = heap_leaves_add_leaf(s, (uint32_t)i, 0);
		m[HEFT_HEAP_LIVE_BYTES] = c->live_bytes;
		m[HEFT_HEAP_LIVE] = c->live;
		m[HEFT_HEAP_PEAK_BYTES] = c->at_peak_bytes;
		m[HEFT_HEAP_PEAK] = c->at_peak;
		m[HEFT_HEAP_ALLOC_BYTES] = c->alloc_bytes;
		m[HEFT_HEAP_ALLOCS] = c->allocs;
		m[HEFT_HEAP_TEMPORARY] = c->temporary;
	}
}

static void add_shares(const struct heap_leaves_source *s)
{
	const struct heft_heap_query *q = &s->r->report.query;
	vec_each(const struct call_share, c, &s->h->process.heap.calls.shares) {
		static const struct heap_thread unknown = { 0 };
		const struct heap_thread *t =
			c->slot > 0 && c->slot <= s->h->process.heap.records.threads.count
				? &s->h->process.heap.records.threads.data[c->slot - 1]
				: &unknown;
		if (q->thread > 0 && t->thread != q->thread)
			continue;
		char name[sizeof t->name + 1] = "";
		memcpy(name, t->name, sizeof t->name);
		const uint32_t class = q->by == HEFT_HEAP_BY_THREAD
					       ? thread_class(s->r, t->thread, name)
					       : 0;
		uint64_t *m = heap_leaves_add_leaf(s, c->stack, class);
		m[HEFT_HEAP_LIVE_BYTES] = c->live_bytes;
		m[HEFT_HEAP_LIVE] = c->live;
		m[HEFT_HEAP_PEAK_BYTES] = c->at_peak_bytes;
		m[HEFT_HEAP_ALLOC_BYTES] = c->alloc_bytes;
		m[HEFT_HEAP_ALLOCS] = c->allocs;
	}
}

struct block_sum {
	uint64_t key; /* Index in calls.stacks << 32 | id in heft_heap_report.classes */
	double bytes, count;
};

struct heap_leaves_block_sums {
	VEC(struct block_sum) list;
	struct map by_key;
};

static struct block_sum *heap_leaves_find_sum(struct heap_leaves_block_sums *s, uint64_t key)
{
	uint32_t i;
	struct map_at at = map_at(&s->by_key, hash_u64(key));
	while (map_next(&s->by_key, &at, &i))
		if (s->list.data[i].key == key)
			return &s->list.data[i];
	map_put(&s->by_key, &at, (uint32_t)s->list.count);
	vec_push(&s->list, (struct block_sum){ .key = key });
	return &s->list.data[s->list.count - 1];
}

/* Returns how many blocks a sampled block represents (docs/heap-format.md, Counters). */
static double weight(const struct heft_heap *h, uint64_t size)
{
	const double sample = (double)h->info.of.sample;
	return h->info.of.sample == 0 ? 1 : 1 / -expm1(-(double)max_u64(size, 1) / sample);
}

static uint32_t block_class(const struct heap_leaves_source *s, const struct heap_found *b,
			    uint64_t newest, enum reach reach)
{
	const struct heft_heap_query *q = &s->r->report.query;
	switch (q->by) {
	case HEFT_HEAP_BY_SIZE: return size_class(b->size);
	case HEFT_HEAP_BY_AGE: return age_class(newest - b->sequence);
	case HEFT_HEAP_BY_THREAD: return thread_class(s->r, b->thread, "");
	default: break;
	}
	if (!q->leaks)
		return LEAF_UNKNOWN;
	return reach == REACH_LOST ? LEAF_LOST : LEAF_INDIRECT;
}

static bool block_wanted(const struct heft_heap_query *q, const struct heap_found *b)
{
	return (q->thread == 0 || b->thread == q->thread) && b->size >= q->min_size &&
	       (q->max_size == 0 || b->size <= q->max_size);
}

/* Adds up the bytes block by block, in the order of addresses. `reach` tells which blocks are
 * leaked. It is NULL if the query does not ask for leaks. */
static void sum_blocks(const struct heap_leaves_source *s, const uint8_t *reach,
		       struct heap_leaves_block_sums *sums)
{
	const struct blocks_found *b = &s->h->process.heap.blocks;
	for (struct heap_walk k = heap_walk_from(b, 0); heap_walk_next(&k);) {
		const enum reach how = reach ? reach_of(reach, k.index) : REACH_YES;
		if (s->r->report.query.leaks && how > REACH_INDIRECT)
			continue;
		struct heap_found f;
		heap_walk_found(&k, &f);
		if (!block_wanted(&s->r->report.query, &f))
			continue;
		f.stack = heap_stack_of(b, &f);
		const double w = weight(s->h, f.size);
		struct block_sum *sum = heap_leaves_find_sum(
			sums, (uint64_t)f.stack << 32 | block_class(s, &f, b->newest, how));
		sum->bytes += w * (double)f.size;
		sum->count += w;
	}
}

static bool heap_leaves_add_blocks(const struct heap_leaves_source *s, struct heft_err *err)
{
	const struct heft_heap_query *q = &s->r->report.query;
	const struct process_heap *heap = &s->h->process.heap;
	struct heap_leaves_block_sums sums = { .list = { 0 } };
	uint8_t *reach = NULL;
	const char *why;
	/* Fails without known blocks: an unknown allocator's blocks may hold pointers. */
	if (q->leaks && !s->h->info.of.live_known && s->h->info.of.blocks == 0)
		return fail(err, HEFT_EUNSUPPORTED, HEFT_NO_OFFSET, "%s: no leaks can be told: %s",
			    s->h->info.of.path, s->h->info.of.unknown);
	if (q->leaks && !heap_reach(&reach, &why, &s->h->process.dump, &heap->records,
				    &heap->blocks, &heap->layout))
		return fail(err, HEFT_EUNSUPPORTED, HEFT_NO_OFFSET, "%s: no leaks can be told: %s",
			    s->h->info.of.path, why);
	sum_blocks(s, reach, &sums);
	sort_by_key(sums.list.data, sums.list.count, sizeof *sums.list.data);
	vec_each(const struct block_sum, sum, &sums.list) {
		uint64_t *m = heap_leaves_add_leaf(s, (uint32_t)(sum->key >> 32),
						   (uint32_t)sum->key);
		m[HEFT_HEAP_LIVE_BYTES] = (uint64_t)llround(sum->bytes);
		m[HEFT_HEAP_LIVE] = (uint64_t)llround(sum->count);
	}
	vec_release(&sums.list);
	map_release(&sums.by_key);
	mem_free(reach);
	return true;
}

/* True if a slot of the recorder counted for several threads. A slot knows only its last thread.
 * The blocks show other threads. */
static bool threads_shared(const struct heft_heap *h)
{
	const struct records *r = &h->process.heap.records;
	const struct blocks_found *b = &h->process.heap.blocks;
	uint32_t known = 0; /* Thread of the last block whose slot was found */
	if (!h->info.of.wide)
		return false;
	for (struct heap_walk k = heap_walk_from(b, 0); heap_walk_next(&k);) {
		struct heap_found f;
		bool found = false;
		heap_walk_found(&k, &f);
		for (size_t i = 0; f.thread != known && i < r->threads.count && !found; i++)
			found = r->threads.data[i].thread == f.thread;
		if (f.thread != known && !found)
			return true;
		known = f.thread;
	}
	return false;
}

static bool check_blocks(const struct heft_heap *h, const struct heft_heap_query *q,
			 struct heft_err *err)
{
	const bool threads = q->by == HEFT_HEAP_BY_THREAD || q->thread > 0;
	if (h->info.of.blocks == 0 && h->process.dump.kind == DUMP_PAGES)
		return fail(
			err, HEFT_EUNSUPPORTED, HEFT_NO_OFFSET,
			"%s: holds what the stacks counted and no blocks; sizes, ages and leaks "
			"need a dump of the memory: record with heft heap run --leaks",
			h->info.of.path);
	if (h->info.of.blocks > 0 && !h->info.of.wide && (threads || q->by == HEFT_HEAP_BY_AGE))
		return fail(err, HEFT_EUNSUPPORTED, HEFT_NO_OFFSET,
			    "%s: its blocks do not tell their %s; record with heft heap run --wide",
			    h->info.of.path, threads ? "threads" : "ages");
	return true;
}

bool heap_leaves_add(struct heft_heap_report *r, struct heft_heap *h, const uint32_t *steps,
		     bool base, struct heft_err *err)
{
	const struct heft_heap_query *q = &r->report.query;
	const struct heap_leaves_source s = { r, h, steps, base };
	const bool sized = q->min_size > 0 || q->max_size > 0 || q->by == HEFT_HEAP_BY_SIZE;
	const bool threads = q->thread > 0 || q->by == HEFT_HEAP_BY_THREAD;
	heap_leaves_name_classes(r);
	if ((threads && threads_shared(h)) || sized || q->leaks || q->by == HEFT_HEAP_BY_AGE ||
	    !h->process.heap.calls.counted)
		return (!(sized || q->leaks || q->thread > 0 || q->by == HEFT_HEAP_BY_AGE ||
			  q->by == HEFT_HEAP_BY_THREAD) ||
			check_blocks(h, q, err)) &&
		       heap_leaves_add_blocks(&s, err);
	if (q->thread > 0 || q->by == HEFT_HEAP_BY_THREAD)
		add_shares(&s);
	else
		heap_leaves_add_stacks(&s);
	return true;
}

enum { FILTERS = 3 };

struct filters {
	struct pattern *patterns[FILTERS]; /* For functions, modules and files. NULL accepts any */
	uint8_t wanted;                    /* Bit i is set if filter i has a pattern */
};

static void filters_release(struct filters *f)
{
	for (size_t i = 0; i < FILTERS; i++)
		pattern_free(f->patterns[i]);
}

static bool filters_init(struct filters *f, const struct heft_heap_query *q, struct heft_err *err)
{
	const char *const texts[FILTERS] = { q->function, q->module, q->file };
	*f = (struct filters){ .wanted = 0 };
	for (size_t i = 0; i < FILTERS; i++) {
		if (!texts[i])
			continue;
		f->patterns[i] = pattern_new(str_of(texts[i]), err);
		if (!f->patterns[i]) {
			filters_release(f);
			return false;
		}
		f->wanted |= (uint8_t)(1u << i);
	}
	return true;
}

static uint8_t site_bits(const struct filters *f, const struct heap_site *s, struct notes *notes)
{
	const char *const texts[FILTERS] = { s->label, s->frame.module, s->frame.file };
	uint8_t bits = 0;
	for (size_t i = 0; i < FILTERS; i++)
		if (f->patterns[i] && pattern_matches(f->patterns[i], str_of(texts[i]), notes))
			bits |= (uint8_t)(1u << i);
	return bits;
}

/* Returns a byte per step (a frame with its callers). Bit i is set if filter i accepts one of these
 * frames. */
static uint8_t *step_bits(const struct filters *f, struct heft_heap_report *hr)
{
	const struct heap_report *r = &hr->report;
	uint8_t *sites = mem_zeroed(r->sites.count + 1, 1),
		*steps = mem_zeroed(r->steps.count + 1, 1);
	for (size_t i = 0; i < r->sites.count; i++)
		sites[i] = site_bits(f, &r->sites.data[i], hr->notes);
	for (size_t i = 0; i < r->steps.count; i++)
		steps[i] = sites[r->steps.data[i].site] | steps[r->steps.data[i].parent];
	mem_free(sites);
	return steps;
}

static bool heap_leaves_is_nothing(const struct heap_leaf *l)
{
	for (size_t i = 0; i < HEAP_MEASURES; i++)
		if (l->now[i] || l->base[i])
			return false;
	return true;
}

/* Merges leaves that have the same shown stack and the same class (thread, size or age). */
static void merge_leaves(struct heap_report *r)
{
	struct leaf_key {
		uint64_t key;
		size_t index;
	} *keys = mem_zeroed(r->leaves.count + 1, sizeof *keys);
	for (size_t i = 0; i < r->leaves.count; i++)
		keys[i] = (struct leaf_key){
			(uint64_t)r->leaves.data[i].step << 32 | r->leaves.data[i].class, i
		};
	sort_by_key(keys, r->leaves.count, sizeof *keys);
	struct heap_leaf *merged = mem_zeroed(r->leaves.count + 1, sizeof *merged);
	size_t count = 0;
	for (size_t i = 0; i < r->leaves.count; i++) {
		const struct heap_leaf *l = &r->leaves.data[keys[i].index];
		if (i > 0 && keys[i].key == keys[i - 1].key) {
			for (size_t m = 0; m < HEAP_MEASURES; m++) {
				merged[count - 1].now[m] += l->now[m];
				merged[count - 1].base[m] += l->base[m];
			}
		} else {
			merged[count++] = *l;
		}
	}
	ASSERT(count <= r->leaves.count);
	mem_free_all(keys, r->leaves.data);
	r->leaves.data = merged;
	r->leaves.cap = r->leaves.count + 1;
	r->leaves.count = count;
}

bool heap_leaves_finish(struct heft_heap_report *hr, struct heft_err *err)
{
	struct heap_report *r = &hr->report;
	struct filters f;
	if (!filters_init(&f, &r->query, err))
		return false;
	uint8_t *bits = f.wanted ? step_bits(&f, hr) : NULL;
	size_t count = 0;
	for (size_t i = 0; i < r->leaves.count; i++) {
		struct heap_leaf *l = &r->leaves.data[i];
		if ((bits && (bits[l->step] & f.wanted) != f.wanted) || heap_leaves_is_nothing(l))
			continue;
		l->step = heap_owner_step(r, l->step);
		r->leaves.data[count++] = *l;
	}
	r->leaves.count = count;
	mem_free(bits);
	filters_release(&f);
	merge_leaves(r);
	return true;
}
