/* Which function of llvm-bolt's tables was which of the input. */
#include "blocks/bolt.h"

#include "base/intern.h"
#include "base/sort.h"
#include "image/code_symbols.h"
#include "image/elf/elf_const.h"

#include <stdlib.h>

/* Instructions looked at where nothing but trial tells: about a second. */
enum { TRIALS = 1 << 25 };

/* A function by the places of its calls. */
struct keyed {
	uint64_t key, index;
};

struct matcher {
	struct bolt *x;
	struct bolt_origin *origins; /* by addr */
	size_t count;
	VEC(uint32_t) queue;       /* functions whose references are still to be followed */
	struct bolt_starts starts; /* of function starts_of */
	uint32_t starts_of;
	uint64_t left; /* trials */
};

/* ---- one pair of functions ------------------------------------------------------------------- */

struct fit {
	bool possible;
	uint64_t same, seen; /* instructions; seen: but for jumps and calls */
};

static void read_starts(struct matcher *m, uint32_t function)
{
	if (m->starts_of == function)
		return;
	bolt_starts_read(m->x, function, &m->starts);
	m->starts_of = function;
	m->left -= min_u64(m->left, m->starts.list.count);
}

static struct fit try_pair(struct matcher *m, uint32_t function, const struct bolt_origin *o)
{
	const struct bat_table *t = &m->x->bat;
	struct fit fit = { .possible = true };
	struct bolt_walk w;
	struct bolt_step s;
	read_starts(m, function);
	for (const struct bat_part *p = &t->parts.data[function];; p = &t->parts.data[p->next]) {
		bolt_walk_start(&w, m->x, p, &m->starts, o->addr, o->size);
		while (fit.possible && bolt_walk_next(&w, &s)) {
			fit.possible = !s.wrong;
			fit.same += s.same;
			fit.seen += s.from != BOLT_UNKNOWN && s.flow.kind == FLOW_PLAIN;
			m->left -= m->left > 0;
		}
		if (!fit.possible || p->next == 0)
			return fit;
	}
}

static bool is_free(const struct matcher *m, uint32_t function)
{
	return m->x->inputs[function] == BOLT_UNKNOWN;
}

static void settle(struct matcher *m, uint32_t function, struct bolt_origin *o)
{
	m->x->inputs[function] = o->addr;
	o->function = function;
	vec_push(&m->queue, function);
}

static struct bolt_origin *origin_at(const struct matcher *m, uint64_t addr)
{
	const size_t i = lower_bound(m->origins, m->count, sizeof *m->origins, addr);
	return i < m->count && m->origins[i].addr == addr ? &m->origins[i] : NULL;
}

static bool function_at(const struct matcher *m, uint64_t addr, uint32_t *ret)
{
	const struct bat_part *p = bat_part_before(&m->x->bat, addr);
	*ret = p ? p->function : 0;
	return p && p->addr == addr && !p->cold;
}

/* ---- functions that stayed ------------------------------------------------------------------- */

/* Without relocations llvm-bolt writes functions where they were: each begins where one of the
 * input did. */
static bool in_place(const struct matcher *m)
{
	const struct bat_table *t = &m->x->bat;
	size_t found = 0;
	for (uint32_t i = 0; i < t->function_count; i++) {
		const uint64_t addr = t->parts.data[i].addr;
		const size_t k = upper_bound(m->origins, m->count, sizeof *m->origins, addr);
		if (k == 0 || addr - m->origins[k - 1].addr >= m->origins[k - 1].size)
			continue;
		if (addr != m->origins[k - 1].addr)
			return false;
		found++;
	}
	return found > 0;
}

static void match_in_place(struct matcher *m)
{
	for (uint32_t i = 0; i < m->x->bat.function_count; i++) {
		struct bolt_origin *o = origin_at(m, m->x->bat.parts.data[i].addr);
		if (o && o->function == BOLT_STAYED)
			settle(m, i, o);
	}
}

/* ---- names ----------------------------------------------------------------------------------- */

enum { SHARED = UINT32_MAX, NOBODY = UINT32_MAX - 1 };

struct names {
	struct intern texts;
	VEC(uint32_t) whose; /* by id: place in origins; SHARED by several, or NOBODY's */
};

static bool has_name(const struct symbol *s)
{
	return s->type == STT_FUNC && s->name.len > 0;
}

static void list_names(const struct matcher *m, struct names *n)
{
	struct code_symbols all;
	struct symbol s;
	uint64_t addr;
	code_symbols_start(&all, m->x->in.im, SHT_SYMTAB);
	while (code_symbols_next(&all, &s, &addr)) {
		if (!has_name(&s))
			continue;
		const uint32_t id = intern_borrow(&n->texts, s.name);
		const struct bolt_origin *o = origin_at(m, addr);
		const uint32_t at = o ? (uint32_t)(o - m->origins) : NOBODY;
		if (id == n->whose.count)
			vec_push(&n->whose, at);
		else if (n->whose.data[id] != at)
			n->whose.data[id] = SHARED;
	}
}

static void match_name(struct matcher *m, const struct names *n, struct str name, uint32_t function)
{
	uint32_t id;
	if (!intern_find(&n->texts, name, &id) || n->whose.data[id] >= NOBODY)
		return;
	struct bolt_origin *o = &m->origins[n->whose.data[id]];
	if (o->function != BOLT_STAYED || !try_pair(m, function, o).possible)
		return;
	if (is_free(m, function))
		settle(m, function, o);
	else
		o->function = BOLT_FOLDED;
}

static void match_names(struct matcher *m)
{
	struct names n = { 0 };
	struct code_symbols all;
	struct symbol s;
	uint64_t addr;
	uint32_t function;
	list_names(m, &n);
	code_symbols_start(&all, m->x->out.im, SHT_SYMTAB);
	while (code_symbols_next(&all, &s, &addr))
		if (has_name(&s) && function_at(m, addr, &function))
			match_name(m, &n, s.name, function);
	intern_release(&n.texts);
	vec_release(&n.whose);
}

/* ---- what known functions refer to ----------------------------------------------------------- */

/* Where the input calls a function or takes its address, the output does so with the same one. */
static void follow(struct matcher *m, const struct bolt_step *s)
{
	uint32_t function;
	if (s->to == 0 || s->in_to == 0 || !function_at(m, s->to, &function) ||
	    !is_free(m, function))
		return;
	struct bolt_origin *o = origin_at(m, s->in_to);
	if (o && o->function == BOLT_STAYED && try_pair(m, function, o).possible)
		settle(m, function, o);
}

static void follow_all(struct matcher *m)
{
	const struct bat_table *t = &m->x->bat;
	while (m->queue.count > 0) {
		const uint32_t function = m->queue.data[--m->queue.count];
		const struct bolt_origin *o = origin_at(m, m->x->inputs[function]);
		struct bolt_starts starts = { 0 };
		struct bolt_walk w;
		struct bolt_step s;
		bolt_starts_read(m->x, function, &starts);
		for (const struct bat_part *p = &t->parts.data[function];;
		     p = &t->parts.data[p->next]) {
			bolt_walk_start(&w, m->x, p, &starts, o->addr, o->size);
			while (bolt_walk_next(&w, &s))
				follow(m, &s);
			if (p->next == 0)
				break;
		}
		vec_release(&starts.list);
	}
}

/* ---- code ------------------------------------------------------------------------------------ */

static uint64_t mix(uint64_t key, uint64_t v)
{
	return (key ^ v) * UINT64_C(0x100000001b3) + (key >> 29);
}

static uint64_t key_of_origin(const struct matcher *m, const struct bolt_origin *o)
{
	const struct code_region *r = region_at(&m->x->in, o->addr);
	uint64_t key = 1;
	struct flow in;
	const uint64_t room = r ? r->bytes.size - (o->addr - r->addr) : 0;
	for (uint64_t at = 0; at < o->size && at < room; at += in.size) {
		const uint8_t *code = r->bytes.p + (o->addr - r->addr) + at;
		if (!flow_decode(m->x->in.isa, code, room - at, o->addr + at, &in))
			break;
		if (in.kind == FLOW_CALL)
			key = mix(key, at);
	}
	return key;
}

static uint64_t key_of_function(const struct matcher *m, uint32_t function)
{
	const struct bat_table *t = &m->x->bat;
	VEC(uint64_t) calls = { 0 };
	struct bolt_starts none = { 0 };
	struct bolt_walk w;
	struct bolt_step s;
	uint64_t key = 1;
	for (const struct bat_part *p = &t->parts.data[function];; p = &t->parts.data[p->next]) {
		bolt_walk_start(&w, m->x, p, &none, 0, 0);
		while (bolt_walk_next(&w, &s))
			if (s.paired && s.flow.kind == FLOW_CALL)
				vec_push(&calls, s.from);
		if (p->next == 0)
			break;
	}
	sort_by_key(calls.data, calls.count, sizeof *calls.data);
	for (size_t i = 0; i < calls.count; i++)
		if (i == 0 || calls.data[i] != calls.data[i - 1])
			key = mix(key, calls.data[i]);
	vec_release(&calls);
	return key;
}

/* The best of several, and whether another does as well. */
struct choice {
	uint64_t best, same;
	bool any, tied;
};

static void consider(struct matcher *m, struct choice *c, uint32_t function, uint64_t origin)
{
	const struct bolt_origin *o = &m->origins[origin];
	if (o->function != BOLT_STAYED || !is_free(m, function) || m->left == 0)
		return;
	const struct fit fit = try_pair(m, function, o);
	if (!fit.possible || fit.same == 0 || fit.same < fit.seen - fit.seen / 4 ||
	    (c->any && fit.same < c->same))
		return;
	c->tied = c->any && fit.same == c->same;
	c->any = true;
	c->same = fit.same;
	c->best = origin;
}

/* Candidates: those with calls at the same places; `all`: everyone. */
struct candidates {
	const struct keyed *list; /* by key */
	size_t count;
	bool all;
};

static size_t first_of(const struct candidates *c, uint64_t key)
{
	return c->all ? 0 : lower_bound(c->list, c->count, sizeof *c->list, key);
}

static bool is_one(const struct candidates *c, size_t i, uint64_t key)
{
	return i < c->count && (c->all || c->list[i].key == key);
}

/* A function and an origin that prefer each other to everybody else. */
static bool match_one(struct matcher *m, const struct candidates *functions,
		      const struct candidates *origins, const struct keyed *function)
{
	struct choice to = { 0 }, from = { 0 };
	for (size_t i = first_of(origins, function->key); is_one(origins, i, function->key); i++)
		consider(m, &to, (uint32_t)function->index, origins->list[i].index);
	if (!to.any || to.tied)
		return false;
	for (size_t i = first_of(functions, function->key); is_one(functions, i, function->key);
	     i++)
		consider(m, &from, (uint32_t)functions->list[i].index, to.best);
	if (m->left == 0 || from.tied || from.same > to.same)
		return false;
	settle(m, (uint32_t)function->index, &m->origins[to.best]);
	follow_all(m);
	return true;
}

static bool match_code(struct matcher *m, const struct candidates *functions,
		       const struct candidates *origins)
{
	bool found = false;
	for (size_t i = 0; i < functions->count && m->left > 0; i++)
		if (is_free(m, (uint32_t)functions->list[i].index))
			found = match_one(m, functions, origins, &functions->list[i]) || found;
	return found;
}

/* An old function counts as lost where one of the new functions without a pair may be it.  Where
 * there are symbols, they decide: mark_stayed. */
static void mark_lost(struct matcher *m, const struct candidates *functions,
		      const struct candidates *origins)
{
	for (size_t i = 0; i < functions->count; i++) {
		const struct keyed *f = &functions->list[i];
		size_t k = first_of(origins, f->key);
		for (; is_free(m, (uint32_t)f->index) && is_one(origins, k, f->key); k++) {
			struct bolt_origin *o = &m->origins[origins->list[k].index];
			if (o->function == BOLT_STAYED && m->left > 0 &&
			    try_pair(m, (uint32_t)f->index, o).possible)
				o->function = BOLT_LOST;
		}
	}
}

static void mark_stayed(struct matcher *m)
{
	const struct bolt *x = m->x;
	for (size_t i = 0; i < m->count && x->symbols.count > 0; i++) {
		struct bolt_origin *o = &m->origins[i];
		const size_t k = lower_bound(x->symbols.data, x->symbols.count, sizeof(uint64_t),
					     o->addr);
		if (o->function != BOLT_STAYED && o->function != BOLT_LOST)
			continue;
		o->function = k < x->symbols.count && x->symbols.data[k] == o->addr ? BOLT_STAYED
										    : BOLT_LOST;
	}
}

static void match_by_code(struct matcher *m)
{
	const size_t count = m->x->bat.function_count;
	struct keyed *functions = mem_zeroed(count, sizeof *functions);
	struct keyed *origins = mem_zeroed(m->count, sizeof *origins);
	for (size_t i = 0; i < m->count; i++)
		origins[i] = (struct keyed){ key_of_origin(m, &m->origins[i]), i };
	for (uint32_t i = 0; i < count; i++)
		functions[i] = (struct keyed){ key_of_function(m, i), i };
	sort_by_key(origins, m->count, sizeof *origins);
	sort_by_key(functions, count, sizeof *functions);
	struct candidates from = { origins, m->count, false }, to = { functions, count, false };
	do {
		from.all = to.all = false;
		while (match_code(m, &to, &from))
			;
		from.all = to.all = true;
	} while (match_code(m, &to, &from));
	from.all = to.all = false;
	mark_lost(m, &to, &from);
	mem_free(functions);
	mem_free(origins);
}

void bolt_match(struct bolt *x, struct bolt_origin *origins, size_t count)
{
	struct matcher m = {
		.x = x, .origins = origins, .count = count, .starts_of = UINT32_MAX, .left = TRIALS
	};
	const bool stayed = in_place(&m);
	for (size_t i = 0; i < count; i++)
		origins[i].function = BOLT_STAYED;
	x->has_code = x->out.isa != CODE_NONE && (!stayed || x->in.im != x->out.im);
	if (stayed) {
		match_in_place(&m);
	} else if (x->has_code) {
		if (x->in.im != x->out.im)
			match_names(&m);
		follow_all(&m);
		match_by_code(&m);
		mark_stayed(&m);
	}
	vec_release(&m.queue);
	vec_release(&m.starts.list);
}
