/* Runs the three steps of deriving blocks, split into jobs. */
#include "derive/derive_internal.h"

#include "base/pool.h"
#include "base/sort.h"

enum { BATCH_BYTES = 256 << 10, BYTES_AN_EVENT = 10, BYTES_A_BLOCK = 14 };

static void make_batches(struct derivation *d)
{
	const struct derive_facts *f = d->facts;
	for (size_t i = 0; i < f->extent_count;) {
		struct batch b = { .first = i };
		while (i < f->extent_count && b.size < BATCH_BYTES)
			b.size += f->extents[i++].code.size;
		b.last = i;
		ASSERT(b.last > b.first);
		vec_push(&d->batches, b);
	}
}

/* Allocates the bits of a batch. The bits of each function begin with a new word. */
static void make_bits(struct derivation *d, struct batch *b)
{
	size_t words = 0;
	for (size_t i = b->first; i < b->last; i++) {
		d->functions[i].word = words;
		words += d->facts->extents[i].code.size / 64 + 1;
	}
	b->targets = mem_zeroed(words, sizeof *b->targets);
	if (d->facts->isa != CODE_ARM64)
		b->starts = mem_zeroed(words, sizeof *b->starts);
}

static void events_verify(const struct batch *b, const struct function *fn, uint64_t size)
{
	const struct event *e = events_of(b, fn);
	for (size_t i = 0; i < fn->event_count; i++) {
		ASSERT(i == 0 || e[i].off >= event_end(&e[i - 1]));
		ASSERT(e[i].len > 0 && event_end(&e[i]) <= size);
	}
}

/* Marks as targets those of the sorted addresses that are in the function. */
static void note_places(const struct derivation *d, struct batch *b, size_t function,
			const uint64_t *addrs, size_t count)
{
	const struct derive_extent *x = &d->facts->extents[function];
	size_t i = lower_bound(addrs, count, sizeof *addrs, x->addr);
	for (; i < count && extent_has(x, addrs[i]); i++)
		note_target(b, &d->functions[function], x, addrs[i], false);
}

/* Marks targets of jumps from other functions. A function into whose middle another one jumps is
 * cold (a moved part). With gcc, a conditional jump to its start is enough, because gcc makes no
 * conditional tail calls. */
static void note_outs(struct derivation *d, struct batch *b, size_t function)
{
	const struct derive_extent *x = &d->facts->extents[function];
	struct function *fn = &d->functions[function];
	const bool gcc = fn->convention == DERIVE_GCC;
	size_t i = vec_lower(&d->outs, x->addr);
	fn->cold = x->cold;
	for (; i < d->outs.count && extent_has(x, d->outs.data[i].to); i++) {
		const struct out o = d->outs.data[i];
		note_target(b, fn, x, o.to, false);
		fn->cold = fn->cold || o.to != x->addr || (gcc && o.conditional);
	}
	d->has_cold = d->has_cold || fn->cold;
}

static void decode(const struct derivation *d, struct batch *b, size_t function)
{
	struct function *fn = &d->functions[function];
	fn->convention = d->facts->each ? d->facts->each[function] : (uint8_t)d->facts->convention;
	fn->event_first = b->events.count;
	fn->table_first = b->tables.count;
	switch (d->facts->isa) {
	case CODE_ARM64: derive_arm64(d, b, function); break;
	case CODE_X86_64:
	case CODE_I386: derive_x86(d, b, function); break;
	default: derive_flow(d, b, function); break;
	}
	ASSERT(b->events.count >= fn->event_first && b->tables.count >= fn->table_first);
	fn->event_count = b->events.count - fn->event_first;
	fn->table_count = b->tables.count - fn->table_first;
	if (HEFT_CHECKS)
		events_verify(b, fn, d->facts->extents[function].code.size);
	note_places(d, b, function, d->facts->entries, d->facts->entry_count);
	note_places(d, b, function, d->pads.data, d->pads.count);
}

static void decode_batch(void *ctx, size_t i, unsigned worker)
{
	struct derivation *d = ctx;
	struct batch *b = &d->batches.data[i];
	(void)worker;
	make_bits(d, b);
	/* Reserves room, so that the lists seldom grow and are never NULL. */
	vec_reserve(&b->events, min_u64(b->size, BATCH_BYTES) / BYTES_AN_EVENT + 1);
	vec_reserve(&b->tables, 1);
	for (size_t k = b->first; k < b->last; k++)
		decode(d, b, k);
}

static void blocks_batch(void *ctx, size_t i, unsigned worker)
{
	struct derivation *d = ctx;
	struct batch *b = &d->batches.data[i];
	(void)worker;
	vec_reserve(&b->blocks, min_u64(b->size, BATCH_BYTES) / BYTES_A_BLOCK);
	for (size_t k = b->first; k < b->last; k++) {
		struct function *fn = &d->functions[k];
		fn->block_first = b->blocks.count;
		derive_blocks(d, b, k);
		fn->block_count = b->blocks.count - fn->block_first;
	}
}

static void derive_join(const struct derivation *d, struct derived *ret)
{
	size_t count = 0;
	for (size_t i = 0; i < d->batches.count; i++)
		count += d->batches.data[i].blocks.count;
	vec_reserve(&ret->blocks, count);
	vec_each(const struct batch, b, &d->batches) {
		for (size_t k = b->first; k < b->last; k++)
			ret->functions[k] = (struct derived_function){
				ret->blocks.count + d->functions[k].block_first,
				d->functions[k].block_count,
			};
		if (b->blocks.count > 0)
			memcpy(ret->blocks.data + ret->blocks.count, b->blocks.data,
			       b->blocks.count * sizeof *b->blocks.data);
		ret->blocks.count += b->blocks.count;
	}
	ASSERT(ret->blocks.count == count);
}

static void derived_verify(const struct derive_facts *f, const struct derived *d)
{
	uint64_t next = 0;
	for (size_t i = 0; i < f->extent_count; i++) {
		const struct derived_function *fn = &d->functions[i];
		uint64_t end = 0;
		ASSERT(fn->first == next && fn->count <= d->blocks.count - fn->first);
		next += fn->count;
		for (uint64_t k = 0; k < fn->count; k++) {
			const struct bbmap_block *b = &d->blocks.data[fn->first + k];
			ASSERT(b->id == k && b->off >= end && b->size > 0);
			end = (uint64_t)b->off + b->size;
		}
		ASSERT(end <= f->extents[i].code.size);
	}
	ASSERT(next == d->blocks.count);
}

static void derive_facts_verify(const struct derive_facts *f)
{
	for (size_t i = 0; i < f->extent_count; i++) {
		const struct derive_extent *x = &f->extents[i], *before = i > 0 ? x - 1 : NULL;
		ASSERT(x->code.size <= UINT32_MAX);
		ASSERT(!before ||
		       (x->addr >= before->addr && x->addr - before->addr >= before->code.size));
	}
	ASSERT(sorted_by_key(f->entries, f->entry_count, sizeof *f->entries));
	ASSERT(sorted_by_key(f->sites, f->site_count, sizeof *f->sites));
	ASSERT(sorted_by_key(f->data, f->data_count, sizeof *f->data));
	ASSERT(sorted_by_key(f->fixes, f->fix_count, sizeof *f->fixes));
	ASSERT(f->load || f->extent_count == 0);
}

void derive_decode(struct derivation *d, unsigned threads)
{
	if (HEFT_CHECKS)
		derive_facts_verify(d->facts);
	d->functions = mem_zeroed(d->facts->extent_count, sizeof *d->functions);
	make_batches(d);
	for (size_t i = 0; i < d->facts->site_count; i++)
		if (d->facts->sites[i].pad != 0)
			vec_push(&d->pads, d->facts->sites[i].pad);
	vec_sort(&d->pads);
	parallel_for(threads, d->batches.count, decode_batch, d);
	/* Joins the targets, and the addresses of tables, of all batches. */
	vec_each(const struct batch, b, &d->batches) {
		for (size_t k = 0; k < b->tables.count; k++)
			vec_push(&d->bases, b->tables.data[k].addr);
		vec_copy(&d->bases, &b->bases);
		for (size_t k = 0; k < b->outs.count; k++)
			vec_push(&d->outs, b->outs.data[k]);
	}
	vec_sort(&d->outs);
	vec_sort(&d->bases);
}

void derive_release(struct derivation *d)
{
	vec_each(struct batch, b, &d->batches) {
		vec_release_all(&b->events, &b->tables, &b->blocks, &b->refs, &b->bases, &b->outs);
		mem_free_all(b->starts, b->targets);
	}
	vec_release_all(&d->batches, &d->bases, &d->pads, &d->outs, &d->traits.list);
	map_release(&d->traits.by_addr);
	mem_free(d->functions);
}

void derive(const struct derive_facts *f, unsigned threads, struct derived *ret)
{
	struct derivation d = { .facts = f };
	memset(ret, 0, sizeof *ret);
	ret->functions = mem_zeroed(f->extent_count, sizeof *ret->functions);
	if (f->isa == CODE_NONE)
		return;
	derive_decode(&d, threads);
	for (size_t i = 0; i < d.batches.count; i++)
		for (size_t k = d.batches.data[i].first; k < d.batches.data[i].last; k++)
			note_outs(&d, &d.batches.data[i], k);
	derive_calls(&d);
	parallel_for(threads, d.batches.count, blocks_batch, &d);
	derive_join(&d, ret);
	if (HEFT_CHECKS)
		derived_verify(f, ret);
	derive_release(&d);
}

void derived_release(struct derived *d)
{
	vec_release(&d->blocks);
	mem_free(d->functions);
}
