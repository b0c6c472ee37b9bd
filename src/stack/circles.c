/* Sums stack use along calls. Functions that call each other are a circle. Tarjan's algorithm finds
 * circles, and completes each before its callers. */
#include "stack/depths.h"

struct graph_visit {
	uint32_t function, edge; /* `edge`: the next one to visit */
};

struct circles {
	struct stack_use *s;
	uint32_t *number; /* Per function: order in which it was found, from 1. 0: not yet */
	uint32_t *low;
	bool *open;
	VEC(uint32_t) members; /* Functions of circles that are not complete yet */
	VEC(struct graph_visit) way;
	uint32_t count, circle_count;
};

static const struct stack_edge *edges_of(const struct stack_use *s, const struct stack_function *f)
{
	return s->edges.data + f->edge_first;
}

/* Returns the stack that a function needs with the call `e` of a function outside its circle. */
static uint64_t through(const struct stack_use *s, const struct stack_edge *e)
{
	return e->depth + s->functions.data[e->to].worst;
}

static void hand_up(struct stack_function *f, const struct stack_function *from)
{
	for (unsigned i = 0; i < STACK_TOLD; i++)
		if (from->told & ~f->told & 1u << i)
			f->cause[i] = from->cause[i];
	f->told |= from->told;
}

/* Sets `worst` by the function's own frame, and its deepest call out of its circle. */
static void take_outer(struct stack_use *s, struct stack_function *f)
{
	f->worst = f->frame;
	f->next = STACK_NONE;
	f->told = f->own;
	for (unsigned i = 0; i < STACK_TOLD; i++)
		f->cause[i] = (uint32_t)(f - s->functions.data);
	for (uint32_t i = 0; i < f->edge_count; i++) {
		const struct stack_edge *e = &edges_of(s, f)[i];
		const struct stack_function *to = &s->functions.data[e->to];
		if (to->circle == f->circle)
			continue;
		hand_up(f, to);
		if (through(s, e) > f->worst) {
			f->worst = through(s, e);
			f->next = e->to;
		}
	}
}

/* Returns the greatest number of bytes that a function's frame has at a call of a function in its
 * circle (functions that call each other). */
static uint64_t inner_depth(const struct stack_use *s, const struct stack_function *f)
{
	uint64_t most = 0;
	for (uint32_t i = 0; i < f->edge_count; i++) {
		const struct stack_edge *e = &edges_of(s, f)[i];
		if (s->functions.data[e->to].circle == f->circle)
			most = max_u64(most, e->depth);
	}
	return most;
}

/* Sums up a circle: the frame of each function once, and the deepest path that leaves it. */
static void sum_circle(struct stack_use *s, const uint32_t *members, size_t count)
{
	ASSERT(count > 0);
	uint64_t inner = 0, most = 0;
	uint32_t last = members[0];
	struct stack_function all = { .told = STACK_RECURSIVE, .cause = { members[0] } };
	for (size_t i = 0; i < count; i++)
		inner += inner_depth(s, &s->functions.data[members[i]]);
	for (size_t i = 0; i < count; i++) {
		const struct stack_function *f = &s->functions.data[members[i]];
		const uint64_t sum = inner - inner_depth(s, f) + f->worst;
		hand_up(&all, f);
		if (sum > most) {
			most = sum;
			last = members[i];
		}
	}
	for (size_t i = 0; i < count; i++) {
		struct stack_function *f = &s->functions.data[members[i]];
		f->worst = most;
		hand_up(f, &all);
		if (members[i] != last)
			f->next = last;
	}
}

static void end_circle(struct circles *c, size_t first)
{
	ASSERT(first < c->members.count);
	struct stack_use *s = c->s;
	const uint32_t *members = c->members.data + first;
	const size_t count = c->members.count - first;
	for (size_t i = 0; i < count; i++) {
		s->functions.data[members[i]].circle = c->circle_count;
		s->functions.data[members[i]].circle_size = (uint32_t)count;
		c->open[members[i]] = false;
	}
	c->circle_count++;
	for (size_t i = 0; i < count; i++)
		if (!s->functions.data[members[i]].stated)
			take_outer(s, &s->functions.data[members[i]]);
	const struct stack_function *f = &s->functions.data[members[0]];
	bool circle = count > 1; /* A function that calls itself is a circle too */
	for (uint32_t i = 0; i < f->edge_count && !circle; i++) {
		const struct stack_edge *e = &edges_of(s, f)[i];
		circle = e->to == members[0] && !(e->tail && e->depth == 0);
	}
	if (circle)
		sum_circle(s, members, count);
	c->members.count = first;
}

static void graph_enter(struct circles *c, uint32_t function)
{
	c->number[function] = c->low[function] = ++c->count;
	c->open[function] = true;
	vec_push(&c->members, function);
	vec_push(&c->way, (struct graph_visit){ function, 0 });
}

static void graph_leave(struct circles *c, uint32_t function)
{
	size_t first = c->members.count;
	c->way.count--;
	if (c->way.count > 0) {
		const uint32_t above = c->way.data[c->way.count - 1].function;
		if (c->low[function] < c->low[above])
			c->low[above] = c->low[function];
	}
	if (c->low[function] != c->number[function])
		return;
	while (c->members.data[--first] != function)
		;
	end_circle(c, first);
}

static void graph_step(struct circles *c)
{
	struct graph_visit *v = &c->way.data[c->way.count - 1];
	const struct stack_function *f = &c->s->functions.data[v->function];
	if (v->edge == f->edge_count) {
		graph_leave(c, v->function);
		return;
	}
	const uint32_t to = edges_of(c->s, f)[v->edge++].to;
	if (c->number[to] == 0)
		graph_enter(c, to);
	else if (c->open[to] && c->number[to] < c->low[v->function])
		c->low[v->function] = c->number[to];
}

void stack_sum(struct stack_use *s)
{
	const size_t count = s->functions.count;
	struct circles c = { .s = s,
			     .number = mem_zeroed(count + 1, sizeof *c.number),
			     .low = mem_zeroed(count + 1, sizeof *c.low),
			     .open = mem_zeroed(count + 1, sizeof *c.open) };
	for (size_t i = 0; i < count; i++)
		s->functions.data[i].circle = STACK_NONE;
	for (uint32_t i = 0; i < count; i++) {
		if (c.number[i] == 0)
			graph_enter(&c, i);
		while (c.way.count > 0)
			graph_step(&c);
	}
	vec_release_all(&c.members, &c.way);
	mem_free_all(c.number, c.low, c.open);
}
