/* Finds which callees return and which throw.
 *
 * Returning: a function does not return if it has no return and jumps to no function that returns.
 * Nor does a function that another one calls at its very end, unless after another call of it there
 * is code that nothing else leads to.
 *
 * Throwing: compilers put calls that may throw into the ranges of exception tables, and leave out
 * others. So the first and the last call of a range may throw. In a function with ranges, a call
 * outside of them does not throw. The callee's own code does not matter, because the compiler of
 * the caller seldom knew it. */
#include "derive/derive_internal.h"

#include "base/sort.h"

/* Returns what is known of the function at `addr`. If nothing is known, returns NULL and sets *at
 * to where to insert it. */
static struct derive_callee *traits_find(const struct traits *t, uint64_t addr, struct map_at *at)
{
	uint32_t i;
	*at = map_at(&t->by_addr, hash_u64(addr));
	while (map_next(&t->by_addr, at, &i))
		if (t->list.data[i].addr == addr)
			return &t->list.data[i];
	return NULL;
}

static void traits_add(struct traits *t, uint64_t addr, uint64_t bits)
{
	struct map_at at;
	if (addr == 0 || addr == DERIVE_NOWHERE)
		return;
	struct derive_callee *known = traits_find(t, addr, &at);
	if (known) {
		known->traits |= bits;
		return;
	}
	map_put(&t->by_addr, &at, (uint32_t)t->list.count);
	vec_push(&t->list, (struct derive_callee){ addr, bits });
}

uint64_t traits_get(const struct traits *t, uint64_t addr)
{
	struct map_at at;
	const struct derive_callee *known = traits_find(t, addr, &at);
	return known ? known->traits : 0;
}

static bool derive_calls_has(const struct derivation *d, uint64_t addr, uint64_t trait)
{
	return (traits_get(&d->traits, addr) & trait) != 0;
}

typedef void function_fn(struct derivation *d, const struct batch *b, size_t function);

/* Calls `fn` for each function except stubs, whose import tells what they do. */
static void each_function(struct derivation *d, function_fn *fn)
{
	vec_each(const struct batch, b, &d->batches) {
		for (size_t k = b->first; k < b->last; k++)
			if (!d->facts->extents[k].stubs)
				fn(d, b, k);
	}
}

size_t site_from(const struct derive_facts *f, uint64_t addr)
{
	size_t i = lower_bound(f->sites, f->site_count, sizeof *f->sites, addr);
	if (i > 0 && addr - f->sites[i - 1].addr < f->sites[i - 1].size)
		i--;
	return i;
}

/* True if control can run over the end of the function. Then its last event is a nop or conditional
 * jump, or plain instructions follow that event. */
static bool falls_out(const struct derivation *d, const struct batch *b, size_t function)
{
	const struct function *fn = &d->functions[function];
	const uint64_t size = d->facts->extents[function].code.size;
	const struct event *e = fn->event_count > 0 ? events_of(b, fn) + fn->event_count - 1 : NULL;
	while (e && e > events_of(b, fn) && (e->kind == EVENT_NOP || e->kind == EVENT_INT3) &&
	       event_end(e - 1) == e->off)
		e--;
	return !e || (e->kind == EVENT_NOP || e->kind == EVENT_JCC) ||
	       (event_end(e) != size && e + 1 == events_of(b, fn) + fn->event_count);
}

static void note_returning(struct derivation *d, const struct batch *b, size_t function)
{
	if (d->functions[function].returns || falls_out(d, b, function))
		traits_add(&d->traits, d->facts->extents[function].addr, DERIVE_RETURNS);
}

/* Marks a function as returning if it jumps to a returning function. Called in rounds, until a
 * round marks no function. Unknown functions count as returning. */
static void pass_on_returning(struct derivation *d, const struct batch *b, size_t function)
{
	const struct derive_extent *x = &d->facts->extents[function];
	const struct function *fn = &d->functions[function];
	if (derive_calls_has(d, x->addr, DERIVE_RETURNS))
		return;
	for (size_t i = 0; i < fn->event_count; i++) {
		const struct event *e = events_of(b, fn) + i;
		if ((e->kind != EVENT_JMP && e->kind != EVENT_JCC) || extent_has(x, e->target) ||
		    derive_calls_has(d, e->target, DERIVE_NO_RETURN))
			continue;
		const size_t to = lower_bound(d->facts->extents, d->facts->extent_count,
					      sizeof *d->facts->extents, e->target);
		const bool known = to < d->facts->extent_count &&
				   d->facts->extents[to].addr == e->target &&
				   !d->facts->extents[to].stubs;
		if (known && !derive_calls_has(d, e->target, DERIVE_RETURNS))
			continue;
		traits_add(&d->traits, x->addr, DERIVE_RETURNS);
		d->changed = true;
		return;
	}
}

static void note_not_returning(struct derivation *d, const struct batch *b, size_t function)
{
	const uint64_t addr = d->facts->extents[function].addr;
	(void)b;
	if (!derive_calls_has(d, addr, DERIVE_RETURNS))
		traits_add(&d->traits, addr, DERIVE_NO_RETURN);
}

/* Marks a callee as probably not returning, because its call is the end of a function. */
static void note_last_call(struct derivation *d, const struct batch *b, size_t function)
{
	const struct function *fn = &d->functions[function];
	const struct derive_extent *x = &d->facts->extents[function];
	if (fn->event_count == 0)
		return;
	const struct event *e = events_of(b, fn) + fn->event_count - 1;
	if (event_is_call(e) && event_end(e) == x->code.size && e->target != DERIVE_NOWHERE &&
	    !derive_calls_has(d, e->target, DERIVE_RETURNS | DERIVE_NO_RETURN))
		traits_add(&d->traits, e->target, DERIVE_NO_RETURN | DERIVE_SEEMS);
}

/* Marks callees as returning if code follows a call of them, even if they seemed not to return. */
static void check_calls(struct derivation *d, const struct batch *b, size_t function)
{
	const struct function *fn = &d->functions[function];
	const uint64_t size = d->facts->extents[function].code.size;
	const struct event *e = events_of(b, fn), *end = e + fn->event_count;
	for (; e < end; e++) {
		const uint32_t next = event_end(e);
		if (!event_is_call(e) || e->target == DERIVE_NOWHERE || next >= size)
			continue;
		if (!derive_calls_has(d, e->target, DERIVE_SEEMS) ||
		    bit_get(b->targets + fn->word, next) ||
		    (e + 1 < end && e[1].off == next && e[1].kind != EVENT_CALL))
			continue;
		traits_add(&d->traits, e->target, DERIVE_RETURNS);
	}
}

static void note_throwing(struct derivation *d, uint64_t addr)
{
	if (!derive_calls_has(d, addr, DERIVE_CALM))
		traits_add(&d->traits, addr, DERIVE_THROWS);
}

/* Marks the callees of the first and last call in a range as throwing. Calls between them may throw
 * or not. A range without landing pad may only fill a gap. Returns the event after the range. */
static const struct event *note_range(struct derivation *d, const struct derive_extent *x,
				      const struct derive_site *site, const struct event *e,
				      const struct event *end)
{
	const struct event *first = NULL, *last = NULL;
	for (; e < end && x->addr + e->off - site->addr < site->size; e++) {
		if (!event_is_call(e))
			continue;
		first = first ? first : e;
		last = e;
	}
	if (first && (site->pad != 0 || first == last)) {
		note_throwing(d, first->target);
		note_throwing(d, last->target);
	}
	return e;
}

static void note_ranges(struct derivation *d, const struct batch *b, size_t function)
{
	const struct derive_facts *f = d->facts;
	const struct derive_extent *x = &f->extents[function];
	const struct function *fn = &d->functions[function];
	const struct event *e = events_of(b, fn), *end = e + fn->event_count;
	size_t i = site_from(f, x->addr);
	if (!x->has_sites)
		return;
	while (e < end) {
		const uint64_t at = x->addr + e->off;
		while (i < f->site_count && f->sites[i].addr + f->sites[i].size <= at)
			i++;
		if (i < f->site_count && f->sites[i].addr <= at) {
			e = note_range(d, x, &f->sites[i], e, end);
			continue;
		}
		if (event_is_call(e))
			traits_add(&d->traits, e->target, DERIVE_NO_THROW);
		e++;
	}
}

/* Marks destructors as not throwing: the object is deleted soon after their call. */
static void note_destructors(struct derivation *d, const struct batch *b, size_t function)
{
	enum { MOST_BETWEEN = 16, LITTLE = 3 };
	const struct function *fn = &d->functions[function];
	const struct event *e = events_of(b, fn), *end = e + fn->event_count;
	for (size_t i = 0; i + 1 < fn->event_count; i++)
		if (e[i].kind == EVENT_CALL && e[i + 1].kind == EVENT_CALL &&
		    e[i + 1].off - event_end(&e[i]) <= MOST_BETWEEN &&
		    derive_calls_has(d, e[i + 1].target, DERIVE_DELETES))
			traits_add(&d->traits, e[i].target, DERIVE_NO_THROW);
	/* A function that does little but delete is a deleting destructor. */
	const bool jumps = end > e && end[-1].kind == EVENT_JMP && !fn->returns;
	const bool calls = fn->event_count >= 2 && fn->event_count <= LITTLE &&
			   end[-1].kind == EVENT_RET && end[-2].kind == EVENT_CALL;
	if ((jumps && derive_calls_has(d, end[-1].target, DERIVE_DELETES)) ||
	    (calls && derive_calls_has(d, end[-2].target, DERIVE_DELETES)))
		traits_add(&d->traits, d->facts->extents[function].addr,
			   DERIVE_NO_THROW | DERIVE_CALM);
}

void derive_calls(struct derivation *d)
{
	enum { ROUNDS = 16 };
	const struct derive_facts *f = d->facts;
	for (size_t i = 0; i < f->callee_count; i++)
		traits_add(&d->traits, f->callees[i].addr,
			   f->callees[i].traits |
				   (f->callees[i].traits & DERIVE_NO_THROW ? DERIVE_CALM : 0));
	ASSERT(d->functions && d->traits.list.count < UINT32_MAX);
	each_function(d, note_returning);
	d->changed = true;
	for (unsigned round = 0; d->changed && round < ROUNDS; round++) {
		d->changed = false;
		each_function(d, pass_on_returning);
	}
	if (!d->changed)
		each_function(d, note_not_returning);
	each_function(d, note_last_call);
	each_function(d, check_calls);
	if (f->site_count == 0)
		return;
	each_function(d, note_destructors);
	each_function(d, note_ranges);
}
