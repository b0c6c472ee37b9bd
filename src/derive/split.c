/* Splits code into functions, and walks through each extent. Repeats this in rounds, each with more
 * known functions that do not return. */
#include "derive/split.h"

#include "base/sort.h"
#include "code/flow.h"
#include "derive/split_internal.h"

enum { ROUNDS = 8, ALIGN = 16, LOOKS_PER_BYTE = 64 };

struct split_vote {
	uint64_t callee;
	uint64_t last; /* 1 for a vote that the callee does not return: its call ends a function.
		        * Otherwise 0 */
};

struct splitter {
	const struct split_facts *facts;
	struct derivation d;
	addr_vec starts;           /* Sorted: starts that the caller gave, and targets of calls */
	addr_vec taken;            /* Sorted: starts known only because code takes their address */
	addr_vec called;           /* Targets of calls in this round */
	addr_vec dead;             /* Sorted: functions that do not return */
	addr_vec ends;             /* Functions of this round that do not return */
	addr_vec pointers;         /* Sorted: pointers that the caller gave, and targets of jumps
				    * that leave their function */
	struct jumpers jumpers;    /* Jumps that leave their function, of the round before */
	split_function_vec before; /* Functions of the round before */
	uint64_t looks;            /* Bytes of code after calls that may still be decoded */
	VEC(struct split_vote) votes;
	split_function_vec found;
};

/* A function whose end is searched */
struct split_cut {
	struct splitter *all;
	struct stretch s;
	const struct event *first; /* First event of the function */
	const struct event *next;  /* The event after the current one */
	uint64_t start;
	size_t named_next;  /* Index in all->starts of the next start */
	bool named;         /* True if a symbol, call or pointer shows its beginning */
	bool whole;         /* True if the function extends to the next of all->starts */
	bool data;          /* True if the bytes from the end of the last function to the next of
			     * all->starts are data */
	struct owner owner; /* Function that jumps to `start`. Valid if `owner_asked` */
	bool owner_asked;
	bool indirect; /* True if the function has an indirect jump */
	bool untold;   /* True if the function has an indirect jump whose targets are unknown */
};

static bool split_is_known(const addr_vec *v, uint64_t addr)
{
	return addrs_within(v, addr, addr + 1);
}

/* The end of the current function */
struct tail {
	const struct event *e; /* The first event that is not in the function */
	uint64_t to;
};

static bool tail_has(const struct split_cut *c, const struct tail *t)
{
	return t->e > c->first && event_end(t->e - 1) + c->s.x->addr == t->to;
}

/* Removes padding from the end of a function. */
static void tail_drop_pads(const struct split_cut *c, struct tail *t)
{
	const struct derive_extent *x = c->s.x;
	while (t->e > c->first && event_end(t->e - 1) + x->addr > t->to)
		t->e--;
	for (; tail_has(c, t) && event_pads(t->e - 1); t->e--)
		t->to = x->addr + t->e[-1].off;
	const uint64_t last = t->e > c->first ? x->addr + event_end(t->e - 1) : c->start;
	while (t->to > last && x->code.p[t->to - 1 - x->addr] == 0)
		t->to--;
}

/* Removes literals, and the padding before them, from the end of a function. */
static void tail_drop_literals(const struct split_cut *c, struct tail *t)
{
	const struct derive_facts *f = c->all->facts->code;
	const uint64_t base = c->s.x->addr;
	while (tail_has(c, t) && t->e[-1].kind == EVENT_BAD &&
	       split_data_at(f, base + t->e[-1].off)) {
		t->to = base + (--t->e)->off;
		tail_drop_pads(c, t);
	}
}

/* What the events of a function show */
struct split_told {
	bool bad;     /* True if some bytes are no code */
	bool returns; /* True if it returns, or jumps to a function that may return */
};

static void told_by(const struct split_cut *c, const struct event *e, uint64_t to,
		    struct split_told *ret)
{
	const struct derive_facts *f = c->all->facts->code;
	const uint64_t at = c->s.x->addr + e->off;
	switch ((enum event_kind)e->kind) {
	case EVENT_BAD: ret->bad = ret->bad || !(e->table || split_data_at(f, at)); break;
	case EVENT_RET:
	case EVENT_RET_IF: ret->returns = true; break;
	case EVENT_JMP_INDIRECT: ret->returns = ret->returns || !e->table; break;
	case EVENT_JMP:
	case EVENT_JCC:
		if (e->target - c->start < to - c->start)
			break;
		ret->returns = ret->returns || !split_is_known(&c->all->dead, e->target);
		ret->bad = ret->bad ||
			   (f->fix_count == 0 && e->target != 0 && /* 0 is a weak function that
								    * is missing */
			    f->load(f->ctx, e->target, 1).size == 0);
		break;
	default: break;
	}
}

/* Stores targets of calls. Ignores calls to the next instruction, which only get its address. */
static void note_calls(struct splitter *all, const struct derive_extent *x, const struct event *e,
		       const struct event *end)
{
	for (; e < end; e++)
		if (e->kind == EVENT_CALL && e->target != x->addr + event_end(e))
			vec_push(&all->called, e->target);
}

static bool split_is_entry(const struct split_cut *c, uint64_t addr)
{
	const enum code_isa isa = c->all->facts->code->isa;
	const struct bytes code = extent_from(c->s.x, addr);
	return entry_like(isa, code) && !entry_reads_kept(isa, code);
}

/* True if the instruction may be `sub $n, %rsp`. After a call it may make room for a variable. */
static bool makes_room(const struct split_cut *c, uint64_t addr)
{
	enum { REX_W = 0x48 };
	return c->s.x->code.p[addr - c->s.x->addr] == REX_W;
}

/* Votes whether callees return. A call at the end of a function is a vote against. Other calls are
 * votes for, unless a jump leads to the code after them. */
static void note_votes(struct split_cut *c, const struct event *last, uint64_t to)
{
	const uint64_t base = c->s.x->addr;
	const bool ends = c->named_next < c->all->starts.count &&
			  stretch_skip(&c->s, to) == c->all->starts.data[c->named_next];
	for (const struct event *e = c->first; last && e <= last; e++) {
		const uint64_t behind = base + event_end(e);
		if (e->kind != EVENT_CALL)
			continue;
		if (behind != to && !stretch_leads_to(&c->s, behind) &&
		    stretch_skip(&c->s, behind) == behind &&
		    !(extent_has(c->s.x, behind) && split_is_entry(c, behind)))
			vec_push(&c->all->votes, (struct split_vote){ e->target, 0 });
		else if (behind == to && ends)
			vec_push(&c->all->votes, (struct split_vote){ e->target, 1 });
	}
}

/* Returns true if the bytes from c->start are a table, not a function. A function was assumed there
 * only because code takes the address, but some bytes are no instructions. Not for other machines,
 * which have constants between instructions: bad bytes prove nothing there. */
static bool is_table(const struct split_cut *c, const struct split_told *told)
{
	const enum code_isa isa = c->all->facts->code->isa;
	return told->bad && (isa == CODE_X86_64 || isa == CODE_I386 || isa == CODE_ARM64) &&
	       split_is_known(&c->all->taken, c->start);
}

static void end_function(struct split_cut *c, uint64_t to)
{
	const struct derive_extent *x = c->s.x;
	ASSERT(to - x->addr <= x->code.size);
	const struct event *e = c->first, *last = NULL;
	struct split_told told = { 0 };
	struct tail t = { c->next, to };
	tail_drop_pads(c, &t);
	to = t.to;
	tail_drop_literals(c, &t);
	for (; e < c->next && x->addr + e->off < t.to; e++) {
		told_by(c, e, to, &told);
		last = e;
	}
	c->data = told.bad || (c->data && !c->named);
	if ((c->data && !split_is_known(&c->all->starts, c->start)) || to <= c->start ||
	    is_table(c, &told))
		return;
	vec_push(&c->all->found, (struct split_function){ c->start, to - c->start, told.bad });
	if (told.bad)
		return;
	note_calls(c->all, x, c->first, e);
	note_votes(c, last, t.to);
	const bool falls_out = !last || x->addr + event_end(last) != t.to ||
			       !(event_ends(last) || event_is_call(last));
	if (!told.returns && !falls_out)
		vec_push(&c->all->ends, c->start);
}

static void split_begin_function(struct split_cut *c, uint64_t at, bool named)
{
	c->start = at;
	c->named = named;
	c->indirect = c->untold = false;
	c->owner_asked = false;
	c->whole = split_is_known(&c->all->facts->signs->wholes, at);
	c->first = c->next;
	while (c->first > events_of(c->s.b, c->s.fn) && c->s.x->addr + c->first[-1].off >= at)
		c->first--;
	const struct event *end = events_of(c->s.b, c->s.fn) + c->s.fn->event_count;
	while (c->first < end && c->s.x->addr + c->first->off < at)
		c->first++;
}

/* Ends the current function at each known start until `addr`, and begins the next one there. */
static void begin_named(struct split_cut *c, uint64_t addr)
{
	const addr_vec *starts = &c->all->starts;
	for (; c->named_next < starts->count && starts->data[c->named_next] <= addr;
	     c->named_next++) {
		const uint64_t at = starts->data[c->named_next];
		if (at > c->start)
			end_function(c, at);
		if (at >= c->start)
			split_begin_function(c, at, true);
	}
}

static bool split_is_end(const struct split_cut *c, const struct event *e)
{
	return event_ends(e) || event_is_dead_call(e, &c->all->dead);
}

/* The place after an event, where another function may begin */
struct follower {
	const struct event *e;
	uint64_t end, next; /* Address after the event, and after the padding that follows it */
	enum crossing crossing;
	bool pointed;
};

/* True if the event is x86's instruction hlt. To compilers, the code after it is reachable. */
static bool is_halt(const struct split_cut *c, const struct event *e)
{
	enum { HLT = 0xf4 };
	const enum code_isa isa = c->all->facts->code->isa;
	return (isa == CODE_X86_64 || isa == CODE_I386) && e->kind == EVENT_TRAP &&
	       c->s.x->code.p[e->off] == HLT;
}

/* True if the instruction at `next` was left by compilers or macros after the end of a function: a
 * trap or call after a call, or a return after a jump. On i386, a function may begin with a
 * call. */
static bool is_remnant(const struct split_cut *c, const struct follower *p)
{
	const struct stretch *s = &c->s;
	const struct event *e = p->e + 1, *last = events_of(s->b, s->fn) + s->fn->event_count;
	if (p->end != p->next || e == last || s->x->addr + e->off != p->next)
		return false;
	if (p->e->kind == EVENT_JMP)
		return e->kind == EVENT_RET;
	return event_is_call(p->e) && (e->kind == EVENT_TRAP ||
				       (event_is_call(e) && c->all->facts->code->isa != CODE_I386));
}

/* True if the function goes on at `next` although no jump leads there: only unwinding does, or
 * functions nearby begin at other alignments. */
static bool split_goes_on(const struct split_cut *c, const struct follower *p)
{
	const struct stretch *s = &c->s;
	const enum code_isa isa = c->all->facts->code->isa;
	if ((is_halt(c, p->e) && p->end == p->next) || is_remnant(c, p))
		return true;
	if (entry_reads_kept(isa, extent_from(s->x, p->next)))
		return true;
	return !split_is_entry(c, p->next) && signs_unusual(s->starts, isa, p->next) &&
	       !signs_unusual(s->starts, isa, c->start);
}

/* True if the code at `next` soon jumps into the middle of the function before it. */
static bool jumps_back(const struct split_cut *c, const struct follower *p)
{
	enum { SOON = 16 };
	const struct stretch *s = &c->s;
	const struct event *e = p->e + 1, *last = events_of(s->b, s->fn) + s->fn->event_count;
	while (e < last && s->x->addr + e->off < p->next)
		e++;
	return e < last && s->x->addr + e->off < p->next + SOON && e->kind == EVENT_JMP &&
	       e->target > c->start && e->target < p->end;
}

/* True if `next` is aligned as functions nearby are. */
static bool is_placed(const struct split_cut *c, const struct follower *p)
{
	enum { MOST = 75 };
	return p->next % ALIGN == 0 && signs_aligned(c->s.starts, p->next) >= MOST;
}

/* True if a function begins at `next` although jumps cross it: the code looks like a beginning, and
 * no jump leads there. */
static bool breaks_in(const struct split_cut *c, const struct follower *p)
{
	if (stretch_holds(&c->s, p->next) || p->e->kind == EVENT_JMP_INDIRECT || is_halt(c, p->e))
		return false;
	const bool entry = split_is_entry(c, p->next) && !jumps_back(c, p),
		   placed = is_placed(c, p);
	if (c->untold || !split_is_end(c, p->e)) /* The indirect jump may lead to
						  * `next`, or the call may return */
		return entry && placed && c->all->facts->code->isa != CODE_I386 &&
		       (split_is_end(c, p->e) || !makes_room(c, p->next));
	return entry || (placed && p->next > p->end) ||
	       signs_leapt(&c->all->jumpers.leaps, p->next);
}

/* True if a function begins after a call that may return. There, compilers mostly align only loops,
 * which jumps lead to. So code that saves registers is the next function. Not for i386, where
 * pushes also pass arguments. */
static bool begins_behind_call(const struct split_cut *c, const struct follower *p)
{
	const struct stretch *s = &c->s;
	const enum code_isa isa = c->all->facts->code->isa;
	const unsigned unit = isa == CODE_ARM64 ? 4 : 1; /* Size of the nop in code without
							  * optimization */
	const bool wide = isa == CODE_X86_64 || isa == CODE_I386 || isa == CODE_ARM64;
	if (stretch_holds(s, p->next))
		return false;
	if (p->pointed || (wide && p->next - p->end > unit && p->next % ALIGN == 0))
		return true;
	if (!split_is_entry(c, p->next) || isa == CODE_I386)
		return false;
	return isa != CODE_X86_64 || (is_placed(c, p) && !makes_room(c, p->next));
}

/* True if the code at p->next is a part of the current function, which jumps to it. */
static bool is_piece(struct split_cut *c, const struct follower *p)
{
	const struct owner next = signs_owner(&c->all->jumpers, p->next);
	if (next.addr == UINT64_MAX)
		return false;
	if (!c->owner_asked)
		c->owner = signs_owner(&c->all->jumpers, c->start);
	c->owner_asked = true;
	return signs_of_one(c->owner, next);
}

/* True if another function begins at `next`. */
static bool is_beginning(struct split_cut *c, const struct follower *p)
{
	const struct event *e = p->e;
	const enum code_isa isa = c->all->facts->code->isa;
	if (p->pointed && p->end == p->next && is_piece(c, p))
		return false;
	if (p->crossing == CROSSES)
		return breaks_in(c, p);
	if (!split_is_end(c, e))
		return p->crossing == CROSSES_NOT && begins_behind_call(c, p);
	if (p->crossing == CROSSES_WEAKLY &&
	    (stretch_holds(&c->s, p->next) || (c->indirect && !breaks_in(c, p))))
		return false;
	/* The function before computes this address, so its indirect jump may lead here. */
	if (e->kind == EVENT_JMP_INDIRECT &&
	    signs_taken(&c->all->facts->signs->taken, p->next, c->start, p->end))
		return false;
	if (p->pointed)
		return true;
	if (split_goes_on(c, p))
		return false;
	if (e->kind != EVENT_JMP_INDIRECT)
		return true;
	if (e->table)
		return false;
	return p->next > p->end || entry_like(isa, extent_from(c->s.x, p->next)) ||
	       frame_given_back(isa, c->s.x->code, e->off);
}

/* True if the bytes are a short pattern that repeats. */
static bool split_is_fill(struct bytes b)
{
	enum { PERIOD = 4, LOOK_AT = 16 };
	return b.size >= LOOK_AT && memcmp(b.p, b.p + PERIOD, LOOK_AT - PERIOD) == 0;
}

/* True if an address without a name may begin a function. In microcontrollers, data may follow
 * code. So there must be valid instructions, until one from which control never continues. */
static bool is_likely(const struct splitter *all, const struct derive_extent *x, uint64_t addr)
{
	enum { MOST = 256 };
	const struct derive_facts *f = all->facts->code;
	const struct bytes rest = extent_from(x, addr), b = { rest.p, min_u64(rest.size, MOST) };
	struct flow in;
	if (f->isa == CODE_X86_64 || f->isa == CODE_I386 || f->isa == CODE_ARM64)
		return !split_is_fill(rest);
	/* Functions that only return may follow each other, and look like filler. */
	if (split_is_fill(rest) &&
	    !(flow_decode(f->isa, rest.p, rest.size, addr, &in) && in.kind == FLOW_RETURN))
		return false;
	if (split_is_known(&all->facts->signs->objects, addr) &&
	    !split_is_known(&all->pointers, addr))
		return false;
	for (uint64_t off = 0; off < b.size; off += in.size) {
		if (!flow_decode(f->isa, b.p + off, b.size - off, addr + off, &in))
			return off + 4 > MOST;
		if (in.kind == FLOW_RETURN || in.kind == FLOW_JUMP || in.kind == FLOW_JUMP_INDIRECT)
			return true;
		if (in.kind == FLOW_TRAP)
			return false;
	}
	return b.size == MOST;
}

/* Returns the end of the literals between a function and the next one. */
static uint64_t pass_literals(struct split_cut *c, uint64_t end, uint64_t next)
{
	const struct derive_facts *f = c->all->facts->code;
	const struct event *last = events_of(c->s.b, c->s.fn) + c->s.fn->event_count;
	const size_t i = lower_bound(f->data, f->data_count, sizeof *f->data, next);
	/* In Xtensa code, literals precede their function, so none follow it. */
	if (f->isa == CODE_XTENSA || i == 0 || f->data[i - 1].addr < end)
		return end;
	end = min_u64(f->data[i - 1].addr + f->data[i - 1].size, next);
	while (c->next < last && c->s.x->addr + c->next->off < end)
		c->next++;
	return end;
}

static void event_split(struct split_cut *c, const struct event *e)
{
	struct follower p = { .e = e, .end = c->s.x->addr + event_end(e) };
	c->indirect = c->indirect || e->kind == EVENT_JMP_INDIRECT;
	c->untold = c->untold || (e->kind == EVENT_JMP_INDIRECT && !e->table);
	/* After an instruction from which control never continues, a trap may be padding. */
	const bool pads = event_pads(e) && e > events_of(c->s.b, c->s.fn) &&
			  event_end(e - 1) == e->off && split_is_end(c, e - 1);
	if (p.end <= c->start || c->whole || pads || (!event_is_call(e) && !split_is_end(c, e)))
		return;
	p.next = stretch_skip(&c->s, p.end);
	if (split_is_known(&c->all->starts, p.next))
		return;
	if (p.next > p.end)
		p.next = signs_first(&c->s, p.end, p.next);
	if (p.next - c->s.x->addr >= c->s.x->code.size)
		return;
	/* Tests `end`, not `next`. A jump from before into the padding shows that the function has
	 * the padding, and does not end before it. */
	p.crossing = stretch_crosses(&c->s, p.end);
	p.pointed = split_is_known(&c->all->pointers, p.next);
	if (!is_beginning(c, &p))
		return;
	end_function(c, pass_literals(c, p.end, p.next));
	split_begin_function(c, p.next, false);
	c->data = c->data || !is_likely(c->all, c->s.x, p.next);
}

static void split_stretch(struct split_cut *c)
{
	const struct stretch *s = &c->s;
	const addr_vec *starts = &c->all->starts;
	const uint64_t end = s->x->addr + s->x->code.size;
	const struct event *e = events_of(s->b, s->fn), *last = e + s->fn->event_count;
	stretch_list_edges(&c->s);
	c->named_next = vec_lower(starts, s->x->addr);
	c->next = e;
	c->data = false;
	split_begin_function(c, stretch_skip(s, s->x->addr), false);
	for (; e < last; e++) {
		c->next = e;
		begin_named(c, s->x->addr + e->off);
		c->next = e + 1;
		event_split(c, e);
	}
	if (end > s->x->addr)
		begin_named(c, end - 1);
	if (c->start < end)
		end_function(c, end);
}

/* Returns the index of the extent that contains addr, or SIZE_MAX. */
static size_t extent_at(const struct derive_facts *f, uint64_t addr)
{
	const size_t i = upper_bound(f->extents, f->extent_count, sizeof *f->extents, addr);
	return i > 0 && extent_has(&f->extents[i - 1], addr) ? i - 1 : SIZE_MAX;
}

static struct batch *batch_of(const struct splitter *all, size_t extent)
{
	size_t i;
	BISECT(i, 0, all->d.batches.count, k, all->d.batches.data[k].last <= extent);
	ASSERT(i < all->d.batches.count);
	return &all->d.batches.data[i];
}

/* True if a call may lead to addr: an instruction begins there, or it is aligned (if the bytes
 * before it are no code). */
static bool may_be_called(struct splitter *all, uint64_t addr)
{
	const struct derive_facts *f = all->facts->code;
	const size_t i = extent_at(f, addr);
	if (i == SIZE_MAX)
		return false;
	if (f->isa == CODE_THUMB && entry_takes_first(all->facts->image, addr, &all->looks))
		return false;
	const struct batch *b = batch_of(all, i);
	const uint64_t off = addr - f->extents[i].addr;
	return (!b->starts ? off % 4 == 0 : bit_get(b->starts + all->d.functions[i].word, off)) ||
	       addr % ALIGN == 0;
}

/* True if control does not run on to the address t->to, because the instruction before it ends the
 * flow. If no jump leads there and t->number is false, a call before it is enough. Aligned
 * addresses pass: only in assembly does control run on to them. */
static bool is_apart(const struct splitter *all, const struct split_taken *t)
{
	const size_t i = extent_at(all->facts->code, t->to);
	const enum code_isa isa = all->facts->code->isa;
	struct stretch s = { .d = &all->d, .dead = &all->dead };
	if (i == SIZE_MAX)
		return false;
	if (!t->number && t->to % ALIGN == 0 && (isa == CODE_X86_64 || isa == CODE_ARM64))
		return true;
	s.x = &all->facts->code->extents[i];
	s.fn = &all->d.functions[i];
	s.b = batch_of(all, i);
	if (stretch_behind_end(&s, t->to))
		return !t->number || (!stretch_leads_to(&s, t->to) && is_likely(all, s.x, t->to));
	return !t->number && !stretch_leads_to(&s, t->to) && stretch_behind_call(&s, t->to);
}

/* Adds functions that no call shows: other code only computes their address, for a pointer. Such an
 * address may also be a place within the function that computes it. So a known start must lie
 * between that code and the address. */
static void list_taken(struct splitter *all)
{
	const taken_vec *taken = &all->facts->signs->taken;
	const size_t known = all->starts.count;
	const addr_vec starts = { all->starts.data, known, known };
	addr_vec more = { 0 };
	for (size_t i = 0; i < taken->count; i++) {
		const uint64_t to = taken->data[i].to, from = taken->data[i].from;
		const bool far = extent_at(all->facts->code, from) == SIZE_MAX ||
				 (from < to ? addrs_within(&starts, from + 1, to)
					    : addrs_within(&starts, to + 1, from + 1));
		if (far && may_be_called(all, to) && is_apart(all, &taken->data[i]))
			vec_push(&more, to);
	}
	all->taken.count = 0;
	for (size_t i = 0; i < more.count; i++)
		if (!split_is_known(&starts, more.data[i]))
			vec_push(&all->taken, more.data[i]);
	addrs_sort(&all->taken);
	vec_append(&all->starts, &more);
	vec_release(&more);
	addrs_sort(&all->starts);
}

/* Lists the starts that the caller gave, and those that calls of the round before lead to. */
static void split_list_starts(struct splitter *all)
{
	all->starts.count = 0;
	vec_copy(&all->starts, &all->facts->signs->starts);
	for (size_t i = 0; i < all->called.count; i++)
		if (may_be_called(all, all->called.data[i]))
			vec_push(&all->starts, all->called.data[i]);
	addrs_sort(&all->starts);
	list_taken(all);
	all->called.count = 0;
}

static void keep_leaps(struct splitter *all, leap_vec *leaps)
{
	vec_copy(leaps, &all->facts->signs->leaps);
	vec_sort(leaps);
	vec_release(&all->jumpers.leaps);
	all->jumpers.leaps = *leaps;
	for (size_t i = 0; i < leaps->count; i++)
		vec_push(&all->pointers, leaps->data[i].to);
	addrs_sort(&all->pointers);
}

static void split_all(struct splitter *all)
{
	struct split_cut c = { .all = all };
	vec_release(&all->before);
	all->before = all->found;
	all->found = (split_function_vec){ 0 };
	all->ends.count = 0;
	for (size_t i = 0; i < all->d.batches.count; i++) {
		struct batch *b = &all->d.batches.data[i];
		for (size_t k = b->first; k < b->last; k++) {
			c.s.d = &all->d;
			c.s.x = &all->facts->code->extents[k];
			c.s.fn = &all->d.functions[k];
			c.s.b = b;
			c.s.starts = &all->starts;
			c.s.dead = &all->dead;
			c.s.pointers = &all->pointers;
			split_stretch(&c);
		}
	}
	keep_leaps(all, &c.s.leaps);
	vec_release_all(&c.s.held, &c.s.edges);
}

/* Adds the callees that do not return to all->ends: more than three times as many votes are against
 * a return as for it. */
static void count_votes(struct splitter *all)
{
	enum { MANY = 3 };
	vec_sort(&all->votes);
	for (size_t i = 0, k; i < all->votes.count; i = k) {
		uint64_t last = 0;
		for (k = i;
		     k < all->votes.count && all->votes.data[k].callee == all->votes.data[i].callee;
		     k++)
			last += all->votes.data[k].last;
		if (last > MANY * (k - i - last))
			vec_push(&all->ends, all->votes.data[i].callee);
	}
	all->votes.count = 0;
}

void split_code(const struct split_facts *f, unsigned threads, split_function_vec *ret)
{
	struct splitter all = { .facts = f, .d = { .facts = f->code } };
	all.jumpers.functions = &all.before;
	all.jumpers.others = &f->signs->others;
	if (f->code->isa == CODE_NONE || f->code->extent_count == 0)
		return;
	derive_decode(&all.d, threads);
	for (size_t i = 0; i < f->code->extent_count; i++)
		all.looks += LOOKS_PER_BYTE * f->code->extents[i].code.size;
	vec_copy(&all.pointers, &f->signs->pointers);
	/* Adds imports and other functions of which the caller knows that they do not return. */
	for (size_t i = 0; i < f->code->callee_count; i++)
		if (f->code->callees[i].traits & DERIVE_NO_RETURN)
			vec_push(&all.dead, f->code->callees[i].addr);
	addrs_sort(&all.dead);
	vec_each(const struct batch, b, &all.d.batches) {
		for (size_t k = b->first; k < b->last; k++) {
			const struct function *fn = &all.d.functions[k];
			const struct event *e = events_of(b, fn);
			note_calls(&all, &all.facts->code->extents[k], e, e + fn->event_count);
		}
	}
	for (unsigned round = 0; round < ROUNDS; round++) {
		const size_t starts = all.starts.count, pointers = all.pointers.count;
		const size_t dead = all.dead.count;
		split_list_starts(&all);
		split_all(&all);
		count_votes(&all);
		vec_copy(&all.dead, &all.ends);
		addrs_sort(&all.dead);
		if (all.dead.count == dead && round > 0 && all.starts.count == starts &&
		    all.pointers.count == pointers)
			break; /* Nothing new was found */
	}
	ASSERT(all.d.batches.count > 0);
	vec_append(ret, &all.found);
	vec_release_all(&all.starts, &all.taken, &all.called, &all.dead, &all.ends, &all.pointers,
			&all.votes, &all.jumpers.leaps);
	vec_release(&all.before);
	derive_release(&all.d);
}
