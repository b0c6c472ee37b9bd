/* Makes the blocks of one function from its events and targets, in one pass from start to end. */
#include "derive/derive_internal.h"

#include "base/sort.h"

/* Flag of a block, besides enum bbmap_flag: control never continues to the next block. */
#define DEAD (UINT32_C(1) << 31)

struct derive_blocks_walk {
	const struct derivation *d;
	const struct derive_extent *x;
	const struct function *fn;
	struct batch *b;
	const uint64_t *targets;
	uint32_t size;
	uint32_t start;  /* Start of the current block */
	uint32_t target; /* Offset of the next target. At least `size` if there is none */
	bool dead;       /* True if control does not reach `start` from the block before it */
	uint32_t id;
	bool pad_at_start;  /* True if the first block is a landing pad (join_first_pad()) */
	bool catching;      /* True between the calls that begin and end an exception handler */
	size_t pad;         /* Index of the next landing pad */
	size_t site;        /* Index of the next range of call sites */
	uint32_t last_call; /* Offset of the last call in the current range of call sites */
	size_t last_site;   /* Index in derive_facts.sites of that range, or SIZE_MAX */
};

static bool is_llvm(const struct derive_blocks_walk *w)
{
	return w->fn->convention == DERIVE_LLVM;
}

/* Returns the first target in [from, to), or `to`. */
static uint32_t next_target(const struct derive_blocks_walk *w, uint32_t from, uint32_t to)
{
	while (from < to) {
		const uint64_t rest = w->targets[from / 64] >> from % 64;
		if (rest != 0)
			return (uint32_t)min_u64((uint64_t)from + (unsigned)__builtin_ctzll(rest),
						 to);
		if ((from | 63) >= to)
			break;
		from = (from | 63) + 1;
	}
	return to;
}

/* Ends the current block at `end`. The next one begins at `next`. */
static void close_block(struct derive_blocks_walk *w, uint32_t end, uint32_t next, uint32_t flags)
{
	ASSERT(end <= next && next <= w->size);
	if (end > w->start) {
		const struct derivation *d = w->d;
		const uint64_t addr = w->x->addr + w->start;
		struct bbmap_block block = { w->id++, w->start, end - w->start, flags & ~DEAD };
		while (w->pad < d->pads.count && d->pads.data[w->pad] < addr)
			w->pad++;
		if ((w->pad < d->pads.count && d->pads.data[w->pad] == addr) ||
		    (w->start == 0 && w->pad_at_start))
			block.flags |= BBMAP_LANDING_PAD;
		vec_push(&w->b->blocks, block);
	}
	w->start = next;
	w->dead = flags & DEAD;
	w->catching = w->catching && !w->dead;
}

/* Ends blocks at all targets until `to`, the start of an instruction. */
static void cut_at_targets(struct derive_blocks_walk *w, uint32_t to)
{
	for (; w->target <= to; w->target = next_target(w, w->target + 1, w->size)) {
		const uint32_t at = w->target;
		if (at < w->start || (at == w->start && !w->dead))
			continue;
		/* A branch leads to `at`. The bytes before it are a block, not padding. */
		w->dead = false;
		if (at > w->start)
			close_block(w, at, at, BBMAP_FALL_THROUGH);
	}
}

/* True if [from, end) is padding with which an assembler aligns `end` to at least `least` bytes. */
static bool aligns(const struct derive_blocks_walk *w, uint32_t from, uint32_t end, uint32_t least)
{
	const uint64_t addr = w->x->addr + end;
	const uint64_t align = addr & (0 - addr);
	return align >= least && (align > end - from || align >= 64);
}

/* Handles nops from e on. Returns the event after them. If a jump goes to them, they are a block.
 * Otherwise they belong to the block before, unless a new block begins after them: at a target or,
 * with LLVM, at a loop that is entered from above. */
static const struct event *do_nops(struct derive_blocks_walk *w, const struct event *e,
				   const struct event *last)
{
	enum { LOOP_ALIGN = 16 };
	const uint32_t from = e->off;
	uint32_t end = event_end(e);
	for (e++; e < last && e->off == end && e->kind == EVENT_NOP; e++) {
		if (bit_get(w->targets, end))
			break;
		end = event_end(e);
	}
	if (end == w->size) {
		close_block(w, from, end, DEAD);
		return e;
	}
	const bool jumped_to = bit_get(w->targets, from), led_to = bit_get(w->targets, end);
	const bool loop = is_llvm(w) && from == w->start && from > 0 && end - from < LOOP_ALIGN &&
			  aligns(w, from, end, LOOP_ALIGN);
	if (!jumped_to && (loop || (led_to && from > 0 && aligns(w, from, end, 4))))
		close_block(w, from, end, BBMAP_FALL_THROUGH);
	return e;
}

/* True if the jump at `end` is in the block that ends there: only that block leads to it. */
static bool jump_follows(const struct derive_blocks_walk *w, uint32_t end, const struct event *next,
			 const struct event *last)
{
	return is_llvm(w) && next < last && next->off == end && next->kind == EVENT_JMP &&
	       extent_has(w->x, next->target) && !bit_get(w->targets, end);
}

/* True if a jump to `target` is a tail call. A jump between a function and its moved part is none.
 * Nor is a jump into the middle of a function, because calls lead only to the start. */
static bool derive_blocks_is_tail_call(const struct derive_blocks_walk *w, uint64_t target)
{
	const struct derive_facts *f = w->d->facts;
	if (extent_has(w->x, target) || w->x->cold)
		return false;
	const struct derive_extent *to = last_record(f->extents, f->extent_count,
						     sizeof *f->extents, target);
	return !to || !extent_has(to, target) || to->stubs || (target == to->addr && !to->cold);
}

static void do_jcc(struct derive_blocks_walk *w, const struct event *e, const struct event *last)
{
	const uint32_t end = event_end(e);
	const struct event *next = e + 1;
	/* A compiler would rather invert the condition than jump over a jump of the same block,
	 * unless the inverted jump cannot reach its target. */
	if (jump_follows(w, end, next, last)) {
		const uint64_t from = w->x->addr + e->off;
		const uint64_t far = next->target > from ? next->target - from
							 : from - next->target;
		const bool out_of_reach = e->reach > 0 && far >> e->reach != 0;
		if (e->target != w->x->addr + event_end(next) || out_of_reach)
			return;
	}
	/* The second jump of a pair (event.pair) is in the same block. Its target may differ on
	 * x86. */
	if (is_llvm(w) && e->pair && next < last && next->kind == EVENT_JCC &&
	    next->pair == e->pair && next->off == end && !bit_get(w->targets, end) &&
	    (e->reach == 0 || next->target == e->target))
		return;
	close_block(w, end, end,
		    BBMAP_FALL_THROUGH | (derive_blocks_is_tail_call(w, e->target)
						  ? BBMAP_RETURN | BBMAP_TAIL_CALL
						  : 0u));
}

/* Returns the range of call sites around a call. NULL without one, or without landing pad. */
static const struct derive_site *site_of(struct derive_blocks_walk *w, const struct event *e)
{
	const struct derive_facts *f = w->d->facts;
	const uint64_t at = w->x->addr + e->off;
	while (w->site < f->site_count && f->sites[w->site].addr + f->sites[w->site].size <= at)
		w->site++;
	if (w->site == f->site_count || f->sites[w->site].addr > at || f->sites[w->site].pad == 0)
		return NULL;
	return &f->sites[w->site];
}

static void do_call(struct derive_blocks_walk *w, const struct event *e, const struct event *last)
{
	const uint64_t traits = e->target != DERIVE_NOWHERE ? traits_get(&w->d->traits, e->target)
							    : 0;
	const struct derive_site *s = site_of(w, e);
	const bool calm = (traits & DERIVE_NO_THROW) && !(traits & DERIVE_THROWS);
	const struct event *next = e + 1 < last ? e + 1 : NULL;
	uint32_t end = event_end(e);
	w->catching = (w->catching || (traits & DERIVE_BEGINS_CATCH)) &&
		      !(traits & DERIVE_ENDS_CATCH);
	/* The compiler may not have known the callee. If nothing else leads to the code after the
	 * call, the compiler expected the call to return. */
	const bool ends_there = end < w->size && bit_get(w->targets, end)
					? !(traits & DERIVE_RETURNS)
					: end == w->size || (next && next->off == end &&
							     next->kind >= EVENT_TRAP);
	if (traits & DERIVE_NO_RETURN && ends_there) {
		/* After a call with a landing pad, LLVM continues in an empty block. */
		close_block(w, end, end,
			    DEAD | (s && is_llvm(w) && !calm ? BBMAP_FALL_THROUGH : 0));
		return;
	}
	if (!s)
		return;
	if (w->last_site != w->site) {
		w->last_site = w->site;
		for (const struct event *k = e; k < last && w->x->addr + k->off - s->addr < s->size;
		     k++)
			if (event_is_call(k))
				w->last_call = k->off;
	}
	/* Calls of virtual functions that seldom throw, by offset in the virtual table. Offset 8 is
	 * mostly the deleting destructor. Offset 16 is std::exception::what(), which handlers call.
	 * LLVM ends a range of call sites before such calls. */
	const bool calm_slot = !is_llvm(w) && (e->slot == 8 || (e->slot == 16 && w->catching));
	if (e->off != w->last_call && (calm || calm_slot))
		return;
	/* After the last call of a range, LLVM may have code that belongs to the call: it restores
	 * the stack or gets the result. */
	const uint64_t site_end = s->addr + s->size - w->x->addr;
	if (is_llvm(w) && e->off == w->last_call && site_end > end &&
	    site_end <= (next ? next->off : w->size))
		end = next_target(w, end, (uint32_t)site_end);
	if (is_llvm(w) && w->d->facts->isa == CODE_X86_64)
		end = copies_end(w->x, w->targets, end, next);
	if (!jump_follows(w, end, e + 1, last))
		close_block(w, end, end, BBMAP_FALL_THROUGH);
}

/* For a function that gcc made in several parts: splits the landing pads in its main part. gcc
 * makes a block of the pad's first instruction, which saves a register, unless the pad then jumps
 * to another part. */
static void split_pads(const struct derive_blocks_walk *w, uint64_t *targets, const struct event *e,
		       const struct event *last)
{
	enum { MOVE = 3 };
	const struct derivation *d = w->d;
	if (w->fn->convention != DERIVE_GCC || d->facts->isa != CODE_X86_64 || !d->has_cold ||
	    w->fn->cold)
		return;
	for (size_t i = w->pad; i < d->pads.count && extent_has(w->x, d->pads.data[i]); i++) {
		const uint64_t off = d->pads.data[i] - w->x->addr;
		const uint8_t *p = w->x->code.p + off;
		while (e < last && e->off < off)
			e++;
		const bool leaves = e < last && e->kind == EVENT_JMP &&
				    (!extent_has(w->x, e->target) || e->off == off + MOVE);
		if (w->size - off > MOVE && (p[0] & 0xfe) == 0x48 && p[1] == 0x89 &&
		    (p[2] & 0xf8) == 0xc0 && !leaves)
			bit_set(targets, off + MOVE);
	}
}

/* True if any jump leads to the address. */
static bool is_jumped_to(const struct derive_blocks_walk *w, uint64_t addr, const struct event *e,
			 const struct event *last)
{
	const struct derivation *d = w->d;
	const size_t i = vec_lower(&d->outs, addr);
	if (i < d->outs.count && d->outs.data[i].to == addr)
		return true;
	while (e < last && (e->target != addr || event_is_call(e)))
		e++;
	return e < last;
}

/* If only exceptions lead to the first landing pad, joins it with the nop before it. gcc puts a nop
 * there, because exception tables cannot have a pad at the start of a part. */
static void join_first_pad(struct derive_blocks_walk *w, uint64_t *targets, const struct event *e,
			   const struct event *last)
{
	const struct derivation *d = w->d;
	if (w->fn->convention != DERIVE_GCC || e == last || e->off != 0 || e->kind != EVENT_NOP ||
	    w->pad == d->pads.count || d->pads.data[w->pad] != w->x->addr + e->len)
		return;
	w->pad_at_start = true;
	if (!is_jumped_to(w, d->pads.data[w->pad++], e, last))
		targets[0] &= ~(UINT64_C(1) << e->len);
}

static const struct event *derive_blocks_step(struct derive_blocks_walk *w, const struct event *e,
					      const struct event *last)
{
	const uint32_t end = event_end(e);
	const struct event *next = e + 1;
	cut_at_targets(w, e->off);
	/* Skips padding after an instruction from which control never continues. */
	if (w->dead && e->off == w->start && (e->kind == EVENT_NOP || e->kind == EVENT_INT3)) {
		w->start = end;
		return e + 1;
	}
	w->dead = false;
	switch ((enum event_kind)e->kind) {
	case EVENT_JCC: do_jcc(w, e, last); break;
	case EVENT_CALL:
	case EVENT_CALL_INDIRECT: do_call(w, e, last); break;
	case EVENT_NOP: return do_nops(w, e, last);
	case EVENT_INT3: break;
	case EVENT_BAD: close_block(w, e->off, end, DEAD); break;
	case EVENT_TRAP: close_block(w, end, end, DEAD); break;
	case EVENT_RET_IF:
		/* With LLVM, a jump or return after a conditional return is in the same block. */
		if (!is_llvm(w) || next == last || next->off != end || bit_get(w->targets, end) ||
		    (next->kind != EVENT_JMP && next->kind != EVENT_RET))
			close_block(w, end, end, BBMAP_RETURN | BBMAP_FALL_THROUGH);
		break;
	case EVENT_RET: close_block(w, end, end, DEAD | BBMAP_RETURN); break;
	case EVENT_JMP:
		close_block(w, end, end,
			    DEAD | (derive_blocks_is_tail_call(w, e->target)
					    ? BBMAP_RETURN | BBMAP_TAIL_CALL
					    : 0u));
		break;
	case EVENT_JMP_INDIRECT:
		close_block(
			w, end, end,
			DEAD | (e->table ? BBMAP_INDIRECT_JUMP : BBMAP_RETURN | BBMAP_TAIL_CALL));
		break;
	}
	return next;
}

void derive_blocks(const struct derivation *d, struct batch *b, size_t function)
{
	const struct derive_extent *x = &d->facts->extents[function];
	const struct function *fn = &d->functions[function];
	struct derive_blocks_walk w = { .d = d,
					.x = x,
					.fn = fn,
					.b = b,
					.targets = b->targets + fn->word,
					.size = (uint32_t)x->code.size,
					.pad = vec_lower(&d->pads, x->addr),
					.site = site_from(d->facts, x->addr),
					.last_site = SIZE_MAX };
	const struct event *e = events_of(b, fn), *last = e + fn->event_count;
	ASSERT(b->first <= function && function < b->last && b->targets);
	ASSERT(fn->event_first + fn->event_count <= b->events.count);
	tables_follow(d, b, function);
	split_pads(&w, b->targets + fn->word, e, last);
	/* A target can only be where an instruction begins. */
	for (uint64_t i = 0; i <= x->code.size / 64; i++)
		b->targets[fn->word + i] &= b->starts ? b->starts[fn->word + i]
						      : UINT64_C(0x1111111111111111);
	join_first_pad(&w, b->targets + fn->word, e, last);
	w.target = next_target(&w, 0, w.size);
	while (e < last)
		e = derive_blocks_step(&w, e, last);
	if (w.size > 0)
		cut_at_targets(&w, w.size - 1);
	if (w.start < w.size)
		close_block(&w, w.size, w.size, 0);
	ASSERT(w.start == w.size);
}
