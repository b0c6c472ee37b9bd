/* Finds what groups of nodes retain: what nothing would reach without the group. */
#include "graph/graph.h"

#include "base/pool.h"

/* Number of groups that one search takes out. Each has a bit. */
enum { GROUPS = 64 };

static uint64_t group_bit(uint32_t group, uint32_t first)
{
	return group - first < GROUPS ? UINT64_C(1) << (group - first) : 0;
}

/* Sets for each node the bits of the groups without which node 0 still reaches it. A node is
 * visited again when it gets bits: at most 64 times. */
static void groups_reach(const struct graph *g, const uint32_t *group, uint32_t first,
			 uint64_t *reach)
{
	const size_t count = g->nodes.count;
	uint32_t *line = mem_zeroed(count, sizeof *line); /* A ring: each node is in it once */
	bool *waits = mem_zeroed(count, sizeof *waits);
	size_t head = 0, waiting = 1;
	memset(reach, 0, count * sizeof *reach);
	reach[0] = UINT64_MAX;
	for (; waiting > 0; waiting--) {
		const uint32_t from = line[head];
		head = head + 1 < count ? head + 1 : 0;
		waits[from] = false;
		for (size_t i = g->out_first[from]; i < g->out_first[from + 1]; i++) {
			const uint32_t to = g->out[i];
			const uint64_t more = reach[from] & ~group_bit(group[to], first);
			if ((more & ~reach[to]) == 0)
				continue;
			reach[to] |= more;
			if (waits[to])
				continue;
			ASSERT(waiting < count + 1);
			line[(head + waiting - 1) % count] = to;
			waits[to] = true;
			waiting++;
		}
	}
	mem_free_all(line, waits);
}

/* Returns the groups with which a node goes, as bits. An unreached node goes with its own group. */
static uint64_t groups_taking(const struct graph *g, uint32_t node, uint32_t group, uint32_t first,
			      const uint64_t *reach)
{
	return graph_reaches(g, node) ? ~reach[node] : group_bit(group, first);
}

struct groups_job {
	const struct graph *g;
	const uint32_t *group;
	uint32_t count;
	struct graph_sum *ret;
};

static void groups_sum(void *ctx, size_t part, unsigned worker)
{
	const struct groups_job *j = ctx;
	const uint32_t first = (uint32_t)part * GROUPS;
	const uint32_t most = (uint32_t)min_u64(GROUPS, j->count - first);
	uint64_t *reach = mem_alloc(j->g->nodes.count * sizeof *reach);
	(void)worker;
	groups_reach(j->g, j->group, first, reach);
	for (uint32_t i = 1; i < j->g->nodes.count; i++) {
		const uint64_t gone = groups_taking(j->g, i, j->group[i], first, reach);
		for (uint32_t k = 0; gone != 0 && k < most; k++) {
			if (!(gone >> k & 1))
				continue;
			j->ret[first + k].file += j->g->nodes.data[i].own.file;
			j->ret[first + k].vm += j->g->nodes.data[i].own.vm;
		}
	}
	mem_free(reach);
}

void groups_retain(const struct graph *g, const uint32_t *group, uint32_t count, unsigned threads,
		   struct graph_sum *ret)
{
	struct groups_job job = { g, group, count, ret };
	memset(ret, 0, count * sizeof *ret);
	parallel_for(threads, (count + GROUPS - 1) / GROUPS, groups_sum, &job);
}

void group_gone(const struct graph *g, const uint32_t *group, bool *ret)
{
	uint64_t *reach = mem_alloc(g->nodes.count * sizeof *reach);
	groups_reach(g, group, 0, reach);
	ret[0] = false;
	for (uint32_t i = 1; i < g->nodes.count; i++)
		ret[i] = groups_taking(g, i, group[i], 0, reach) & 1;
	mem_free(reach);
}
