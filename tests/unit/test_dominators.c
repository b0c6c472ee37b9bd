/* Dominators of graphs, against the removal of each node. */
#include "base/sort.h"
#include "graph/graph.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

/* A graph while it is made: pairs of nodes. */
struct pairs {
	uint32_t count;
	VEC(struct pair) list;
	size_t *first[2];
	uint32_t *to[2], *dominators, *order;
	uint32_t reached;
};

struct pair {
	uint64_t ends[2];
};

static void join(struct pairs *p, uint32_t from, uint32_t to)
{
	vec_push(&p->list, (struct pair){ { from, to } });
}

/* Lists the pairs by their first (0) or second (1) node. */
static struct links links_of(struct pairs *p, unsigned side)
{
	size_t *first = mem_zeroed(p->count + 1, sizeof *first);
	uint32_t *to = mem_zeroed(p->list.count + 1, sizeof *to);
	for (size_t i = 0; i < p->list.count; i++)
		first[p->list.data[i].ends[side] + 1]++;
	for (uint32_t i = 0; i < p->count; i++)
		first[i + 1] += first[i];
	size_t *at = mem_zeroed(p->count + 1, sizeof *at);
	memcpy(at, first, p->count * sizeof *at);
	for (size_t i = 0; i < p->list.count; i++)
		to[at[p->list.data[i].ends[side]]++] = (uint32_t)p->list.data[i].ends[!side];
	mem_free(at);
	p->first[side] = first;
	p->to[side] = to;
	return (struct links){ p->count, first, to };
}

static void solve(struct pairs *p)
{
	const struct links out = links_of(p, 0), in = links_of(p, 1);
	p->dominators = mem_zeroed(p->count, sizeof *p->dominators);
	p->order = mem_zeroed(p->count, sizeof *p->order);
	p->reached = dominators_find(&out, &in, p->dominators, p->order);
}

static void release(struct pairs *p)
{
	for (unsigned side = 0; side < 2; side++) {
		mem_free(p->first[side]);
		mem_free(p->to[side]);
	}
	mem_free(p->dominators);
	mem_free(p->order);
	vec_release(&p->list);
}

/* Marks what node 0 reaches without passing through a node: node `without`, or without `group`,
 * through a node of the group with this number. */
static void reach_without_group(const struct pairs *p, uint32_t without, const uint32_t *group,
				bool *ret)
{
	VEC(uint32_t) line = { 0 };
	memset(ret, 0, p->count * sizeof *ret);
	if (group || without != 0) {
		ret[0] = true;
		vec_push(&line, 0);
	}
	for (size_t i = 0; i < line.count; i++)
		for (size_t k = p->first[0][line.data[i]]; k < p->first[0][line.data[i] + 1]; k++) {
			const uint32_t to = p->to[0][k];
			if ((group ? group[to] : to) == without || ret[to])
				continue;
			ret[to] = true;
			vec_push(&line, to);
		}
	vec_release(&line);
}

static void reach_without(const struct pairs *p, uint32_t without, bool *ret)
{
	reach_without_group(p, without, NULL, ret);
}

static bool dominates(const struct pairs *p, uint32_t above, uint32_t node)
{
	while (node != above && node != 0)
		node = p->dominators[node];
	return node == above;
}

static void what_goes_with_a_node_is_what_it_dominates(void **state)
{
	(void)state;
	unsigned compared = 0;
	srand(20);
	for (unsigned turn = 0; turn < 400; turn++) {
		struct pairs p = { .count = 2 + (uint32_t)rand() % 40 };
		bool with[42], without[42];
		const unsigned edges = (unsigned)rand() % (3 * p.count);
		for (unsigned i = 0; i < edges; i++)
			join(&p, (uint32_t)rand() % p.count, (uint32_t)rand() % p.count);
		solve(&p);
		reach_without(&p, NODE_NONE, with);
		for (uint32_t d = 1; d < p.count; d++) {
			reach_without(&p, d, without);
			assert_int_equal(with[d], p.dominators[d] != NODE_NONE);
			for (uint32_t v = 1; with[d] && v < p.count; v++, compared++)
				assert_int_equal(with[v] && !without[v],
						 with[v] && dominates(&p, d, v));
		}
		release(&p);
	}
	assert_true(compared > 10000);
}

static void a_group_retains_what_nothing_reaches_without_it(void **state)
{
	(void)state;
	srand(21);
	for (unsigned turn = 0; turn < 100; turn++) {
		struct pairs p = { .count = 100 + (uint32_t)rand() % 200 };
		const uint32_t groups = 1 + (uint32_t)rand() % 150;
		uint32_t group[300];
		struct graph_sum found[150];
		bool with[300], without[300], gone[300];
		struct graph g = { 0 };
		for (unsigned i = 0; i < 2 * p.count; i++)
			join(&p, (uint32_t)rand() % p.count, (uint32_t)rand() % p.count);
		solve(&p);
		for (uint32_t i = 0; i < p.count; i++) {
			const uint64_t own = (uint64_t)rand() % 1000;
			vec_push(&g.nodes, (struct graph_node){ .own = { own, 2 * own } });
			group[i] = i == 0 || rand() % 3 == 0 ? NODE_NONE
							     : (uint32_t)rand() % groups;
		}
		g.out_first = p.first[0];
		g.out = p.to[0];
		g.dominators = p.dominators;
		groups_retain(&g, group, groups, 1, found);
		group_gone(&g, group, gone);
		reach_without(&p, NODE_NONE, with);
		for (uint32_t k = 0; k < groups; k++) {
			struct graph_sum sum = { 0, 0 };
			reach_without_group(&p, k, group, without);
			for (uint32_t i = 1; i < p.count; i++) {
				const bool goes = with[i] ? !without[i] : group[i] == k;
				assert_true(k > 0 || gone[i] == goes);
				sum.file += goes ? g.nodes.data[i].own.file : 0;
				sum.vm += goes ? g.nodes.data[i].own.vm : 0;
			}
			assert_int_equal(found[k].file, sum.file);
			assert_int_equal(found[k].vm, sum.vm);
		}
		vec_release(&g.nodes);
		release(&p);
	}
}

enum { MANY = 1000000 };

static void a_chain_may_have_a_million_nodes(void **state)
{
	(void)state;
	struct pairs p = { .count = MANY };
	for (uint32_t i = 0; i + 1 < MANY; i++)
		join(&p, i, i + 1);
	solve(&p);
	assert_int_equal(p.reached, MANY);
	for (uint32_t i = 1; i < MANY; i++)
		assert_int_equal(p.dominators[i], i - 1);
	release(&p);
}

static void a_ring_may_have_a_million_nodes(void **state)
{
	(void)state;
	struct pairs p = { .count = MANY };
	for (uint32_t i = 1; i < MANY; i++)
		join(&p, i, i + 1 == MANY ? 1 : i + 1);
	join(&p, 0, 1);
	join(&p, 0, MANY / 2);
	solve(&p);
	assert_int_equal(p.dominators[1], 0);
	assert_int_equal(p.dominators[2], 1);
	assert_int_equal(p.dominators[MANY / 2], 0);
	assert_int_equal(p.dominators[MANY - 1], MANY - 2);
	release(&p);
}

static void the_end_of_a_diamond_belongs_to_its_start(void **state)
{
	(void)state;
	struct pairs p = { .count = 6 };
	join(&p, 0, 1);
	join(&p, 1, 2);
	join(&p, 1, 3);
	join(&p, 2, 4);
	join(&p, 3, 4);
	join(&p, 5, 4); /* Nothing reaches 5 */
	solve(&p);
	assert_int_equal(p.dominators[4], 1);
	assert_int_equal(p.dominators[5], NODE_NONE);
	assert_int_equal(p.reached, 5);
	release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_goes_with_a_node_is_what_it_dominates),
		cmocka_unit_test(a_group_retains_what_nothing_reaches_without_it),
		cmocka_unit_test(a_chain_may_have_a_million_nodes),
		cmocka_unit_test(a_ring_may_have_a_million_nodes),
		cmocka_unit_test(the_end_of_a_diamond_belongs_to_its_start),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
