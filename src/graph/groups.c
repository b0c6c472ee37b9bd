/* Finds what groups of nodes retain: what nothing would reach without the group. */
#include "graph/graph.h"

#include "base/pool.h"

/* Number of groups that one search takes out. Each has a bit, in words of 64. */
enum { GROUPS = 256 };

struct groups_search {
	const struct graph *g;
	const uint32_t *group;
	uint32_t first;  /* Number of the first group that is taken out */
	unsigned words;  /* Number of words per node */
	uint64_t *reach; /* Per node: bits of the groups without which node 0 still reaches it */
};

/* Returns the bit of a node's group in one of the words. 0 if the group has none there. */
static uint64_t groups_bit(const struct groups_search *s, uint32_t node, unsigned word)
{
	const uint32_t bit = s->group[node] - s->first;
	return bit / 64 == word ? UINT64_C(1) << bit % 64 : 0;
}

/* Gives a node the bits of another one that refers to it, without its group's. True if some are
 * new. Sets *ret_full if the node cannot get more. */
static bool groups_pass(const struct groups_search *s, uint32_t from, uint32_t to, bool *ret_full)
{
	const uint64_t *has = &s->reach[(size_t)from * s->words];
	uint64_t *gets = &s->reach[(size_t)to * s->words], all = 0, lacks = 0;
	for (unsigned w = 0; w < s->words; w++) {
		const uint64_t may = ~gets[w] & ~groups_bit(s, to, w);
		gets[w] |= has[w] & may;
		all |= has[w] & may;
		lacks |= may & ~has[w];
	}
	*ret_full = lacks == 0;
	return all != 0;
}

/* Finds s->reach. A node is visited again when it gets bits: at most GROUPS times. */
static void groups_reach(struct groups_search *s)
{
	const struct graph *g = s->g;
	const size_t count = g->nodes.count;
	uint32_t *line = mem_zeroed(count, sizeof *line); /* A ring: each node is in it once */
	bool *waits = mem_zeroed(count, sizeof *waits), *full = mem_zeroed(count, sizeof *full);
	size_t head = 0, waiting = 1;
	s->reach = mem_zeroed(count, s->words * sizeof *s->reach);
	memset(s->reach, 0xff, s->words * sizeof *s->reach);
	for (; waiting > 0; waiting--) {
		const uint32_t from = line[head];
		head = head + 1 < count ? head + 1 : 0;
		waits[from] = false;
		for (size_t i = g->out_first[from]; i < g->out_first[from + 1]; i++) {
			const uint32_t to = g->out[i];
			if (full[to] || !groups_pass(s, from, to, &full[to]) || waits[to])
				continue;
			ASSERT(waiting < count + 1);
			line[(head + waiting - 1) % count] = to;
			waits[to] = true;
			waiting++;
		}
	}
	mem_free_all(line, waits, full);
}

/* Returns the groups of a word with which a node goes. An unreached node goes with its own
 * group. */
static uint64_t groups_taking(const struct groups_search *s, uint32_t node, unsigned word)
{
	return graph_reaches(s->g, node) ? ~s->reach[(size_t)node * s->words + word]
					 : groups_bit(s, node, word);
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
	struct groups_search s = { j->g, j->group, first, (most + 63) / 64, NULL };
	(void)worker;
	groups_reach(&s);
	for (uint32_t i = 1; i < j->g->nodes.count; i++) {
		for (uint32_t k = 0; k < most; k++) {
			const uint64_t gone = groups_taking(&s, i, k / 64) >> k % 64;
			if (gone == 0) {
				k |= 63;
			} else if (gone & 1) {
				j->ret[first + k].file += j->g->nodes.data[i].own.file;
				j->ret[first + k].vm += j->g->nodes.data[i].own.vm;
			}
		}
	}
	mem_free(s.reach);
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
	struct groups_search s = { g, group, 0, 1, NULL };
	groups_reach(&s);
	ret[0] = false;
	for (uint32_t i = 1; i < g->nodes.count; i++)
		ret[i] = groups_taking(&s, i, 0) & 1;
	mem_free(s.reach);
}
