/* The rounds, and the walk through a stretch of code. */
#include "blocks/split.h"

#include "base/sort.h"
#include "code/flow.h"
#include "blocks/split_internal.h"

enum { ROUNDS = 8, ALIGN = 16, LOOKS_PER_BYTE = 64 };

struct vote {
	uint64_t callee;
	uint64_t last; /* 1: there is nothing behind the call */
};

struct splitter {
	const struct split_facts *facts;
	struct derivation d;
	addr_vec starts;   /* sorted: of the caller, and called by what is code */
	addr_vec called;   /* found in this round */
	addr_vec dead;     /* sorted: functions that do not return */
	addr_vec ends;     /* the same, found in this round */
	addr_vec pointers; /* sorted: of the caller, and of jumps that leave their function */
	uint64_t looks;    /* bytes of code that may still be followed behind calls */
	VEC(struct vote) votes;
	split_function_vec found;
};

/* A function at work. */
struct cut {
	struct splitter *all;
	struct stretch s;
	const struct event *first; /* of the function */
	const struct event *next;  /* behind the one at hand */
	uint64_t start;
	size_t named_next; /* of the starts */
	bool named;        /* something says that it begins here */
	bool whole;        /* it reaches to the next one that is named */
	bool data;         /* what was in front was data, up to what is named */
};

static bool is_known(const addr_vec *v, uint64_t addr)
{
	return addrs_within(v, addr, addr + 1);
}

/* ---- calls that do not return ---------------------------------------------------------------- */

static bool does_not_return(const struct splitter *all, uint64_t addr)
{
	return is_known(&all->dead, addr);
}

/* Imports by their names, and what else the caller knows. */
static void list_dead(struct splitter *all)
{
	const struct derive_facts *f = all->facts->code;
	for (size_t i = 0; i < f->callee_count; i++)
		if (f->callees[i].traits & DERIVE_NO_RETURN)
			vec_push(&all->dead, f->callees[i].addr);
	addrs_sort(&all->dead);
}

/* ---- a function ends ------------------------------------------------------------------------- */

static bool is_data(const struct derive_facts *f, uint64_t addr)
{
	const size_t i = upper_bound(f->data, f->data_count, sizeof *f->data, addr);
	return i > 0 && addr - f->data[i - 1].addr < f->data[i - 1].size;
}

/* The end of a function at work. */
struct tail {
	const struct event *e; /* behind the last one in front of `to` */
	uint64_t to;
};

static bool tail_has(const struct cut *c, const struct tail *t)
{
	return t->e > c->first && event_end(t->e - 1) + c->s.x->addr == t->to;
}

/* Takes away what pads it. */
static void tail_drop_pads(const struct cut *c, struct tail *t)
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

/* The same of literals, and of what pads up to them. */
static void tail_drop_literals(const struct cut *c, struct tail *t)
{
	const struct derive_facts *f = c->all->facts->code;
	const uint64_t base = c->s.x->addr;
	while (tail_has(c, t) && t->e[-1].kind == EVENT_BAD && is_data(f, base + t->e[-1].off)) {
		t->to = base + (--t->e)->off;
		tail_drop_pads(c, t);
	}
}

/* What the events of a function say. */
struct told {
	bool bad;     /* not all of it is code */
	bool returns; /* or leaves by a jump to what may */
};

static void told_by(const struct cut *c, const struct event *e, uint64_t to, struct told *ret)
{
	const struct derive_facts *f = c->all->facts->code;
	const uint64_t at = c->s.x->addr + e->off;
	switch ((enum event_kind)e->kind) {
	case EVENT_BAD: ret->bad = ret->bad || !(e->table || is_data(f, at)); break;
	case EVENT_RET:
	case EVENT_RET_IF: ret->returns = true; break;
	case EVENT_JMP_INDIRECT: ret->returns = ret->returns || !e->table; break;
	case EVENT_JMP:
	case EVENT_JCC:
		if (e->target - c->start < to - c->start)
			break;
		ret->returns = ret->returns || !does_not_return(c->all, e->target);
		ret->bad = ret->bad ||
			   (f->fix_count == 0 && f->load(f->ctx, e->target, 1).size == 0);
		break;
	default: break;
	}
}

/* Calls are of other functions, but those that take the address behind them. */
static void note_calls(struct splitter *all, const struct derive_extent *x, const struct event *e,
		       const struct event *end)
{
	for (; e < end; e++)
		if (e->kind == EVENT_CALL && e->target != x->addr + event_end(e))
			vec_push(&all->called, e->target);
}

static bool seems_entry(const struct cut *c, uint64_t addr)
{
	const struct derive_extent *x = c->s.x;
	const uint64_t at = stretch_skip(&c->s, addr);
	return extent_has(x, at) && entry_like(c->all->facts->code->isa, extent_from(x, at));
}

/* Whether calls come back: those that stand last in a function do not, others do, unless a jump
 * leads to what is behind. */
static void note_votes(struct cut *c, const struct event *last, uint64_t to)
{
	const uint64_t base = c->s.x->addr;
	const bool ends = c->named_next < c->all->starts.count &&
			  stretch_skip(&c->s, to) == c->all->starts.data[c->named_next];
	for (const struct event *e = c->first; last && e <= last; e++) {
		const uint64_t behind = base + event_end(e);
		if (e->kind != EVENT_CALL)
			continue;
		if (behind != to && !stretch_leads_to(&c->s, behind) && !seems_entry(c, behind))
			vec_push(&c->all->votes, (struct vote){ e->target, 0 });
		else if (behind == to && ends)
			vec_push(&c->all->votes, (struct vote){ e->target, 1 });
	}
}

static void end_function(struct cut *c, uint64_t to)
{
	const struct derive_extent *x = c->s.x;
	const struct event *e = c->first, *last = NULL;
	struct told told = { 0 };
	struct tail t = { c->next, to };
	tail_drop_pads(c, &t);
	to = t.to;
	tail_drop_literals(c, &t);
	for (; e < c->next && x->addr + e->off < t.to; e++) {
		told_by(c, e, to, &told);
		last = e;
	}
	c->data = told.bad || (c->data && !c->named);
	if ((c->data && !is_known(&c->all->starts, c->start)) || to <= c->start)
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

/* ---- the walk -------------------------------------------------------------------------------- */

static void begin_function(struct cut *c, uint64_t at, bool named)
{
	c->start = at;
	c->named = named;
	c->whole = is_known(c->all->facts->wholes, at);
	c->first = c->next;
	while (c->first > events_of(c->s.b, c->s.fn) && c->s.x->addr + c->first[-1].off >= at)
		c->first--;
	const struct event *end = events_of(c->s.b, c->s.fn) + c->s.fn->event_count;
	while (c->first < end && c->s.x->addr + c->first->off < at)
		c->first++;
}

/* Functions that something names begin up to addr. */
static void begin_named(struct cut *c, uint64_t addr)
{
	const addr_vec *starts = &c->all->starts;
	for (; c->named_next < starts->count && starts->data[c->named_next] <= addr;
	     c->named_next++) {
		const uint64_t at = starts->data[c->named_next];
		if (at > c->start)
			end_function(c, at);
		if (at >= c->start)
			begin_function(c, at, true);
	}
}

static bool is_end(const struct cut *c, const struct event *e)
{
	return event_ends(e) ||
	       (event_is_call(e) && !e->maybe && does_not_return(c->all, e->target));
}

/* Whether another function begins at `next`, behind the event and what pads it. */
static bool is_beginning(struct cut *c, const struct event *e, uint64_t end, uint64_t next)
{
	const struct derive_extent *x = c->s.x;
	const enum code_isa isa = c->all->facts->code->isa;
	const bool pointed = is_known(&c->all->pointers, next);
	const unsigned unit = isa == CODE_ARM64 ? 4 : 1; /* unoptimised code has a nop */
	const bool wide = isa == CODE_X86_64 || isa == CODE_I386 || isa == CODE_ARM64;
	if (stretch_crosses(&c->s, end)) /* or what pads it, of one function */
		return false;
	if (!is_end(c, e)) /* a call: only loops are aligned, and jumps lead to them */
		return !stretch_leads_to(&c->s, next) &&
		       (pointed || (wide && next - end > unit && next % ALIGN == 0));
	if (e->kind != EVENT_JMP_INDIRECT || pointed)
		return true;
	if (e->table)
		return false;
	return next > end || entry_like(isa, extent_from(x, next)) ||
	       frame_given_back(isa, x->code, e->off);
}

/* The same few bytes again and again. */
static bool is_fill(struct bytes b)
{
	enum { PERIOD = 4, LOOK_AT = 16 };
	return b.size >= LOOK_AT && memcmp(b.p, b.p + PERIOD, LOOK_AT - PERIOD) == 0;
}

/* Whether what nothing names may be a function.  Microcontrollers have data behind their code:
 * there instructions follow up to one that does not go on. */
static bool is_likely(const struct cut *c, uint64_t addr)
{
	enum { MOST = 256 };
	const struct derive_facts *f = c->all->facts->code;
	const struct derive_extent *x = c->s.x;
	const struct bytes rest = extent_from(x, addr), b = { rest.p, min_u64(rest.size, MOST) };
	struct flow in;
	if (f->isa == CODE_X86_64 || f->isa == CODE_I386 || f->isa == CODE_ARM64)
		return !is_fill(rest);
	/* Functions that do nothing but return stand in a row. */
	if (is_fill(rest) &&
	    !(flow_decode(f->isa, rest.p, rest.size, addr, &in) && in.kind == FLOW_RETURN))
		return false;
	if (is_known(c->all->facts->objects, addr) && !is_known(&c->all->pointers, addr))
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

/* Behind the literals that follow the code of a function, in front of the next one. */
static uint64_t pass_literals(struct cut *c, uint64_t end, uint64_t next)
{
	const struct derive_facts *f = c->all->facts->code;
	const struct event *last = events_of(c->s.b, c->s.fn) + c->s.fn->event_count;
	const size_t i = lower_bound(f->data, f->data_count, sizeof *f->data, next);
	/* Xtensa has them in front of the code. */
	if (f->isa == CODE_XTENSA || i == 0 || f->data[i - 1].addr < end)
		return end;
	end = min_u64(f->data[i - 1].addr + f->data[i - 1].size, next);
	while (c->next < last && c->s.x->addr + c->next->off < end)
		c->next++;
	return end;
}

static void event_split(struct cut *c, const struct event *e)
{
	const uint64_t end = c->s.x->addr + event_end(e);
	if (end <= c->start || c->whole || (!event_is_call(e) && !is_end(c, e)))
		return;
	const uint64_t next = stretch_skip(&c->s, end);
	if (next - c->s.x->addr >= c->s.x->code.size || is_known(&c->all->starts, next) ||
	    !is_beginning(c, e, end, next))
		return;
	end_function(c, pass_literals(c, end, next));
	begin_function(c, next, false);
	c->data = c->data || !is_likely(c, next);
}

static void split_stretch(struct cut *c)
{
	const struct stretch *s = &c->s;
	const addr_vec *starts = &c->all->starts;
	const uint64_t end = s->x->addr + s->x->code.size;
	const struct event *e = events_of(s->b, s->fn), *last = e + s->fn->event_count;
	stretch_list_edges(&c->s);
	c->named_next = lower_bound(starts->data, starts->count, sizeof *starts->data, s->x->addr);
	c->next = e;
	c->data = false;
	begin_function(c, stretch_skip(s, s->x->addr), false);
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

/* ---- rounds ---------------------------------------------------------------------------------- */

/* The extent that has addr; SIZE_MAX none. */
static size_t extent_at(const struct derive_facts *f, uint64_t addr)
{
	const size_t i = upper_bound(f->extents, f->extent_count, sizeof *f->extents, addr);
	return i > 0 && extent_has(&f->extents[i - 1], addr) ? i - 1 : SIZE_MAX;
}

static struct batch *batch_of(struct splitter *all, size_t extent)
{
	size_t i;
	BISECT(i, 0, all->d.batches.count, k, all->d.batches.data[k].last <= extent);
	return &all->d.batches.data[i];
}

/* What is called is an instruction of the code, unless what stands in front of it is none. */
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

/* What was called in the round before, and what the caller says. */
static void list_starts(struct splitter *all)
{
	const struct split_facts *f = all->facts;
	all->starts.count = 0;
	vec_copy(&all->starts, f->starts);
	for (size_t i = 0; i < all->called.count; i++)
		if (may_be_called(all, all->called.data[i]))
			vec_push(&all->starts, all->called.data[i]);
	addrs_sort(&all->starts);
	all->called.count = 0;
}

static void list_calls(struct splitter *all)
{
	for (size_t i = 0; i < all->d.batches.count; i++) {
		const struct batch *b = &all->d.batches.data[i];
		for (size_t k = b->first; k < b->last; k++) {
			const struct function *fn = &all->d.functions[k];
			const struct event *e = events_of(b, fn);
			note_calls(all, &all->facts->code->extents[k], e, e + fn->event_count);
		}
	}
}

static void split_all(struct splitter *all)
{
	struct cut c = { .all = all };
	all->found.count = 0;
	all->ends.count = 0;
	for (size_t i = 0; i < all->d.batches.count; i++) {
		struct batch *b = &all->d.batches.data[i];
		for (size_t k = b->first; k < b->last; k++) {
			c.s.d = &all->d;
			c.s.x = &all->facts->code->extents[k];
			c.s.fn = &all->d.functions[k];
			c.s.b = b;
			c.s.starts = &all->starts;
			c.s.pointers = &all->pointers;
			split_stretch(&c);
		}
	}
	vec_append(&all->pointers, &c.s.leaving);
	addrs_sort(&all->pointers);
	vec_release(&c.s.edges);
}

/* Callees that hardly come back. */
static void count_votes(struct splitter *all)
{
	enum { MANY = 3 };
	sort_by_key(all->votes.data, all->votes.count, sizeof *all->votes.data);
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

/* Whether a round found out that something else does not return. */
static bool learn(struct splitter *all)
{
	const size_t before = all->dead.count;
	count_votes(all);
	vec_copy(&all->dead, &all->ends);
	addrs_sort(&all->dead);
	return all->dead.count > before;
}

void split_code(const struct split_facts *f, unsigned threads, split_function_vec *ret)
{
	struct splitter all = { .facts = f, .d = { .facts = f->code } };
	if (f->code->isa == CODE_NONE || f->code->extent_count == 0)
		return;
	derive_decode(&all.d, threads);
	for (size_t i = 0; i < f->code->extent_count; i++)
		all.looks += LOOKS_PER_BYTE * f->code->extents[i].code.size;
	vec_copy(&all.pointers, f->pointers);
	list_dead(&all);
	list_calls(&all);
	for (unsigned round = 0; round < ROUNDS; round++) {
		const size_t starts = all.starts.count, pointers = all.pointers.count;
		list_starts(&all);
		split_all(&all);
		if (!learn(&all) && round > 0 && all.starts.count == starts &&
		    all.pointers.count == pointers)
			break;
	}
	vec_append(ret, &all.found);
	vec_release(&all.starts);
	vec_release(&all.called);
	vec_release(&all.dead);
	vec_release(&all.ends);
	vec_release(&all.pointers);
	vec_release(&all.votes);
	derive_release(&all.d);
}
