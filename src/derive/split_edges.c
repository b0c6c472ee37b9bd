/* Finds the jumps and jump tables that keep a function's code together. */
#include "derive/split_internal.h"

#include "base/sort.h"
#include "code/flow.h"

bool addrs_within(const addr_vec *v, uint64_t from, uint64_t to)
{
	const size_t i = vec_lower(v, from);
	return i < v->count && v->data[i] < to;
}

void addrs_sort(addr_vec *v)
{
	size_t kept = 0;
	vec_sort(v);
	for (size_t i = 0; i < v->count; i++)
		if (kept == 0 || v->data[kept - 1] != v->data[i])
			v->data[kept++] = v->data[i];
	v->count = kept;
}

const struct derive_data *split_data_at(const struct derive_facts *f, uint64_t addr)
{
	const struct derive_data *data = last_record(f->data, f->data_count, sizeof *f->data, addr);
	return data && addr - data->addr < data->size ? data : NULL;
}

uint64_t stretch_skip(const struct stretch *s, uint64_t addr)
{
	const struct derive_facts *f = s->d->facts;
	const struct derive_extent *x = s->x;
	const size_t i = vec_lower(s->starts, addr);
	uint64_t end = x->addr + x->code.size;
	ASSERT(addr >= x->addr);
	if (i < s->starts->count)
		end = min_u64(end, s->starts->data[i]);
	while (addr < end) {
		const struct derive_data *data = split_data_at(f, addr);
		const uint64_t off = addr - x->addr;
		const uint64_t size = data ? data->addr + data->size - addr
					   : code_pad_size(f->isa, x->code.p + off,
							   x->code.size - off);
		if (size == 0)
			break;
		addr += size;
	}
	return min_u64(addr, end);
}

bool stretch_leads_to(const struct stretch *s, uint64_t addr)
{
	return extent_has(s->x, addr) && bit_get(s->b->targets + s->fn->word, addr - s->x->addr);
}

bool stretch_holds(const struct stretch *s, uint64_t addr)
{
	return extent_has(s->x, addr) && bit_get(s->held.data, addr - s->x->addr);
}

/* Returns the event that ends at addr, or before padding and data that end there. NULL if the
 * instruction there is no event. */
static const struct event *split_edges_event_before(const struct stretch *s, uint64_t addr)
{
	enum { MOST = 256 };
	const struct event *first = events_of(s->b, s->fn), *e;
	uint64_t off = addr - s->x->addr;
	size_t i;
	BISECT(i, 0, s->fn->event_count, k, first[k].off < off);
	first += i > MOST ? i - MOST : 0;
	for (e = events_of(s->b, s->fn) + i; e > first && event_end(e - 1) == off; e--) {
		if (!event_pads(e - 1) && e[-1].kind != EVENT_BAD)
			return e - 1;
		off = e[-1].off;
	}
	return NULL;
}

bool stretch_behind_end(const struct stretch *s, uint64_t addr)
{
	const struct event *e = split_edges_event_before(s, addr);
	return e && (event_ends(e) || event_is_dead_call(e, s->dead));
}

bool stretch_behind_call(const struct stretch *s, uint64_t addr)
{
	const struct event *e = split_edges_event_before(s, addr);
	return e && event_is_call(e);
}

/* True if a jump beyond a return or another jump is certainly a tail call: the frame was released,
 * or its target looks like a function, or code takes the target's address. */
static bool split_edges_is_tail_call(const struct stretch *s, const struct event *e)
{
	enum { ALIGN = 16 };
	const enum code_isa isa = s->d->facts->isa;
	const struct derive_extent *x = s->x;
	if (frame_given_back(isa, x->code, e->off))
		return true;
	if (e->target % ALIGN != 0 && (isa == CODE_X86_64 || isa == CODE_I386))
		return false;
	return addrs_within(s->pointers, e->target, e->target + 1) ||
	       (entry_like(isa, extent_from(x, e->target)) &&
		!entry_reads_kept(isa, extent_from(x, e->target)));
}

static bool starts_between(const struct stretch *s, uint64_t a, uint64_t b)
{
	const uint64_t low = min_u64(a, b), high = max_u64(a, b);
	return low < high && addrs_within(s->starts, low + 1, high + 1);
}

static void split_edges_add(struct stretch *s, uint64_t a, uint64_t b, bool weak)
{
	if (a != b)
		vec_push(&s->edges, (struct edge){ min_u64(a, b), max_u64(a, b), weak });
}

static void hold(struct stretch *s, uint64_t addr)
{
	ASSERT(extent_has(s->x, addr));
	bit_set(s->held.data, addr - s->x->addr);
}

static void list_jump(struct stretch *s, const struct event *e)
{
	const uint64_t from = s->x->addr + e->off, to = e->target;
	const bool always = e->kind == EVENT_JMP;
	const bool told = always && addrs_within(s->starts, to, to + 1);
	const bool sure = !extent_has(s->x, to) || told || starts_between(s, from, to);
	bool leaves = sure, weak = false;
	if (!sure && always && stretch_behind_end(s, to)) {
		leaves = split_edges_is_tail_call(s, e);
		weak = true;
	}
	if (leaves) {
		const bool call = always &&
				  !(extent_has(s->x, to) &&
				    entry_reads_kept(s->d->facts->isa, extent_from(s->x, to)));
		vec_push(&s->leaps, (struct leap){ to, from, !call, sure });
		return;
	}
	split_edges_add(s, from, to, weak);
	hold(s, to);
}

/* Stores that the targets of a table, and the jump at `from`, are in one function. */
static void note_table(struct stretch *s, uint64_t from, addr_vec *targets)
{
	for (size_t k = 0; k < targets->count; k++) {
		const uint64_t to = targets->data[k];
		if (starts_between(s, from, to))
			vec_push(&s->leaps, (struct leap){ to, from, true, true });
		else
			hold(s, to);
	}
	vec_push(targets, from);
	vec_sort(targets);
	for (size_t k = 1; k < targets->count; k++)
		if (!starts_between(s, targets->data[k - 1], targets->data[k]))
			split_edges_add(s, targets->data[k - 1], targets->data[k], false);
}

static void split_edges_list_tables(struct stretch *s)
{
	const struct jump_table *t = s->b->tables.data + s->fn->table_first;
	const struct event *e = events_of(s->b, s->fn), *end = e + s->fn->event_count;
	const struct jump_table *last = t + s->fn->table_count;
	addr_vec targets = { 0 };
	struct table_cursor c;
	uint64_t to;
	ASSERT(s->fn->table_first + s->fn->table_count <= s->b->tables.count);
	for (; e < end && t < last; e++) {
		if (e->kind != EVENT_JMP_INDIRECT || !e->table)
			continue;
		targets.count = 0;
		table_open_whole(&c, s->d, t++);
		while (table_next(&c, &to) && extent_has(s->x, to) &&
		       (!s->b->starts || bit_get(s->b->starts + s->fn->word, to - s->x->addr)))
			vec_push(&targets, to);
		note_table(s, s->x->addr + e->off, &targets);
	}
	vec_release(&targets);
}

void stretch_list_edges(struct stretch *s)
{
	enum { BITS = 64 };
	s->edges.count = 0;
	s->edge = 0;
	s->reach = s->weak_reach = 0;
	s->held.count = 0;
	for (uint64_t i = 0; i < s->x->code.size; i += BITS)
		vec_push(&s->held, 0);

	const struct event *e = events_of(s->b, s->fn), *end = e + s->fn->event_count;
	for (; e < end; e++)
		if (e->kind == EVENT_JMP || e->kind == EVENT_JCC)
			list_jump(s, e);
	split_edges_list_tables(s);
	vec_sort(&s->edges);
}

enum crossing stretch_crosses(struct stretch *s, uint64_t addr)
{
	for (; s->edge < s->edges.count && s->edges.data[s->edge].low < addr; s->edge++) {
		const struct edge *e = &s->edges.data[s->edge];
		uint64_t *reach = e->weak ? &s->weak_reach : &s->reach;
		*reach = max_u64(*reach, e->high);
	}
	return s->reach >= addr ? CROSSES : s->weak_reach >= addr ? CROSSES_WEAKLY : CROSSES_NOT;
}
