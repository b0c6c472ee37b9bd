/* counters.c - counts per stack, finds the peak of the process, and writes the timeline.
 *
 * A stack belongs to a slot, so only one thread writes its counters. Frees by other slots are
 * counted separately, with atomic additions.
 *
 * Peak: a slot adds up its changes and adds the sum to the process now and then. So the live bytes
 * are exact with one thread, and approximate with several. If a free follows a new maximum, the
 * maximum becomes the peak and the peak epoch increases. A stack stores its bytes at the peak just
 * before its next change. Until then, its epoch is older than the process's, and its live bytes are
 * those at the peak. */
#include "recorder.h"

enum {
	FLUSH_AT = HEAP_PENDING_MAX,
	OPS = 256,                 /* Operations between two readings of the clock */
	FIRST_STEP = 10 * 1000000, /* First time step of the timeline, in ns */
};

static inline struct heap_remote *remote_get(uint32_t id)
{
	const uintptr_t w = atomic_load_explicit(&recorder.remote[id >> HEAP_STACK_SHIFT],
						 memory_order_acquire);
	if (LIKELY(w == 0))
		return NULL;
	return (struct heap_remote *)((unsigned char *)page_at(w) + HEAP_PAGE_HEADER) +
	       (id & ((1U << HEAP_STACK_SHIFT) - 1));
}

static inline uint64_t live_bytes(const struct heap_stack *st, const struct heap_remote *r)
{
	const uint64_t live = st->alloc_bytes - st->freed_bytes;
	return LIKELY(r == NULL) ? live : live - __atomic_load_n(&r->freed_bytes, __ATOMIC_RELAXED);
}

/* Stores the bytes that a stack had at the peak. Call it before the stack's counters change. */
static inline void keep_peak(struct heap_stack *st, const struct heap_remote *r)
{
	const uint32_t epoch = atomic_load_explicit(&recorder.peak_epoch, memory_order_relaxed);
	if (LIKELY(st->peak_epoch == epoch))
		return;
	uint64_t blocks = st->allocs - st->frees;
	if (r != NULL)
		blocks -= __atomic_load_n(&r->frees, __ATOMIC_RELAXED);
	st->at_peak_bytes = live_bytes(st, r);
	st->at_peak_blocks = blocks < UINT32_MAX ? (uint32_t)blocks : UINT32_MAX;
	st->peak_epoch = epoch;
}

void count_flush(struct slot *s)
{
	const int64_t delta = s->delta;
	s->delta = 0;
	const int64_t live =
		atomic_fetch_add_explicit(&recorder.live, delta, memory_order_relaxed) + delta;
	recorder.process->live_bytes = (uint64_t)live;
	if (live > recorder.moment_peak)
		recorder.moment_peak = live;
}

/* Sets a new peak. Called if a free follows a new maximum of live bytes. */
static void peak_reached(struct slot *s, int64_t live)
{
	int64_t peak = atomic_load_explicit(&recorder.peak, memory_order_relaxed);
	count_flush(s);
	while (live > peak)
		if (atomic_compare_exchange_weak(&recorder.peak, &peak, live)) {
			const uint32_t epoch = atomic_fetch_add(&recorder.peak_epoch, 1) + 1;
			recorder.process->peak_bytes = (uint64_t)live;
			recorder.process->peak_epoch = epoch;
			return;
		}
}

/* Removes every second moment of the timeline. Of two peaks, the higher one remains. */
static void thin_out(struct heap_page *page)
{
	const uint32_t kept = page->used / 2;
	for (uint32_t i = 0; i < kept; i++) {
		struct heap_moment *to = page_entry(page, i);
		const struct heap_moment *a = page_entry(page, 2 * i);
		struct heap_moment m = a[1];
		if (a->peak_bytes > m.peak_bytes)
			m.peak_bytes = a->peak_bytes;
		*to = m;
	}
	page->used = kept;
	recorder.moment_step *= 2;
}

/* True if a moment is due: by the time passed, or a change of the live bytes by 1/8 of the peak. */
static bool moment_is_due(uint64_t now)
{
	if (now >= recorder.next_moment)
		return true;
	const int64_t since = atomic_load_explicit(&recorder.live, memory_order_relaxed) -
			      recorder.moment_live;
	const int64_t much = atomic_load_explicit(&recorder.peak, memory_order_relaxed) / 8;
	return (since > much || -since > much) &&
	       recorder.next_moment - now <= recorder.moment_step / 4 * 3;
}

/* Adds the slot's changes to the counters of the process, and a due moment to the timeline. Called
 * every OPS operations, and after a change of FLUSH_AT bytes. */
static COLD void tick(struct slot *s)
{
	const uint64_t now = clock_now();
	struct heap_process *p = recorder.process;
	struct heap_page *page = recorder.timeline;
	s->ops = OPS;
	count_flush(s);
	if (recorder.tick_epoch != p->peak_epoch) {
		recorder.tick_epoch = p->peak_epoch;
		p->peak_at = now;
	}
	p->updated_at = now;
	if (!moment_is_due(now) || page == NULL || !lock_try())
		return;
	if (moment_is_due(now)) {
		if (page->used == page_capacity(page))
			thin_out(page);
		struct heap_moment *m = page_entry(page, page->used);
		const int64_t live = atomic_load(&recorder.live);
		const int64_t peak = recorder.moment_peak;
		*m = (struct heap_moment){ .at = now, .live_bytes = (uint64_t)live };
		m->peak_bytes = (uint64_t)(peak > live ? peak : live);
		atomic_signal_fence(memory_order_seq_cst);
		page->used++;
		recorder.moment_peak = recorder.moment_live = live;
		recorder.next_moment = now + recorder.moment_step;
	}
	lock_give();
}

void timeline_start(void)
{
	recorder.timeline = page_new(HEAP_PAGE_TIMELINE, sizeof(struct heap_moment), 0);
	recorder.moment_step = FIRST_STEP;
}

HOT void count_alloc(struct slot *s, uint32_t id, const void *p, uint64_t size)
{
	uint64_t blocks = 1, bytes = size;
	s->newest = p;
	if (UNLIKELY(recorder.opt.sample != 0))
		sample_weight(p, size, &blocks, &bytes);
	if (LIKELY(id != 0)) {
		uint32_t slot;
		struct heap_stack *st = stack_get(id, &slot);
		const struct heap_remote *r = remote_get(id);
		keep_peak(st, r);
		st->allocs += blocks;
		st->alloc_bytes += bytes;
		const uint64_t live = live_bytes(st, r);
		if (live > st->peak_bytes)
			st->peak_bytes = live;
	} else if ((recorder.opt.flags & HEAP_INLINE) == 0) {
		__atomic_fetch_add(&recorder.process->lost, 1, __ATOMIC_RELAXED);
	}
	s->delta += (int64_t)bytes;
	if (UNLIKELY(s->delta >= FLUSH_AT || s->ops-- == 0))
		tick(s);
}

static COLD void free_remote(uint32_t id, struct heap_stack *st, uint64_t blocks, uint64_t bytes)
{
	struct heap_remote *r = remote_get(id);
	if (r == NULL) {
		struct heap_page *p = page_remote(id >> HEAP_STACK_SHIFT);
		r = p != NULL ? remote_get(id) : NULL;
	}
	if (r == NULL)
		return;
	keep_peak(st, r);
	__atomic_fetch_add(&r->frees, blocks, __ATOMIC_RELAXED);
	__atomic_fetch_add(&r->freed_bytes, bytes, __ATOMIC_RELAXED);
}

static void free_stack(struct slot *s, uint32_t id, const void *p, uint64_t blocks, uint64_t bytes)
{
	uint32_t owner;
	struct heap_stack *st = stack_get(id, &owner);
	if (UNLIKELY(s == NULL || owner != s->number)) {
		free_remote(id, st, blocks, bytes);
		return;
	}
	keep_peak(st, remote_get(id));
	st->frees += blocks;
	st->freed_bytes += bytes;
	if (s->newest == p && st->temporary <= UINT32_MAX - blocks)
		st->temporary += (uint32_t)blocks;
}

HOT void count_free(struct slot *s, uint32_t id, const void *p, uint64_t size)
{
	uint64_t blocks = 1, bytes = size;
	if (UNLIKELY(recorder.opt.sample != 0))
		sample_weight(p, size, &blocks, &bytes);
	if (LIKELY(s != NULL)) {
		const int64_t live = atomic_load_explicit(&recorder.live, memory_order_relaxed) +
				     s->delta;
		if (UNLIKELY(live > atomic_load_explicit(&recorder.peak, memory_order_relaxed)))
			peak_reached(s, live);
	}
	if (LIKELY(id != 0))
		free_stack(s, id, p, blocks, bytes);
	if (UNLIKELY(s == NULL)) {
		atomic_fetch_sub(&recorder.live, (int64_t)bytes);
		return;
	}
	s->newest = NULL;
	s->delta -= (int64_t)bytes;
	if (UNLIKELY(s->delta <= -FLUSH_AT))
		tick(s);
}
