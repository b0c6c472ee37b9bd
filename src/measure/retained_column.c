/* Finds what the rows of a profile retain. */
#include "measure/retained_column.h"

#include "base/sort.h"
#include "graph/graph.h"

const struct heft_text size_retained_text = {
	"retained", true,
	"bytes that would go with all symbols of the row, because nothing else refers to them: in "
	"the file, or with `--domain=vm` in the VM image. Missing beyond the 1,024 largest groups"
};

/* A row, for sorting: large ones first. */
struct retained_row {
	uint64_t key;
	uint32_t row;
};

/* Sets row[i] to the tree node that owns graph node i: a node below the old row[i] or, if `first`,
 * on the first level. 0 if there is none. */
static void retained_find_rows(const struct graph *g, struct tree *t,
			       const struct rollup_level *level, uint32_t *row, bool first)
{
	for (uint32_t i = 1; i < g->nodes.count; i++) {
		const struct graph_node *n = &g->nodes.data[i];
		const label_id raw = n->addr == UINT64_MAX || n->constant || (row[i] == 0 && !first)
					     ? LABEL_NONE
					     : spans_label(level->spans, n->addr);
		row[i] = raw == LABEL_NONE
				 ? 0
				 : tree_get(t, row[i], level->shown ? level->shown[raw] : raw);
	}
}

/* Numbers the rows that have several symbols (groups), large ones first. Sets group[i] to the group
 * of symbol i, and of[k] to the row of group k. Rows with one symbol are no groups: they retain
 * what the symbol dominates. Returns the number of groups. */
static uint32_t retained_number(const struct graph *g, size_t rows, const uint32_t *row,
				struct graph_sum *sums, uint32_t *group, uint32_t *of)
{
	uint64_t *own = mem_zeroed(rows, sizeof *own);
	uint32_t *members = mem_zeroed(rows, sizeof *members), *number = members;
	VEC(struct retained_row) order = { 0 };
	for (uint32_t i = 1; i < g->nodes.count; i++) {
		members[row[i]]++;
		own[row[i]] += g->nodes.data[i].own.file + g->nodes.data[i].own.vm;
		sums[row[i]] = g->nodes.data[i].retained;
	}
	for (uint32_t k = 1; k < rows; k++)
		if (members[k] > 1)
			vec_push(&order, (struct retained_row){ UINT64_MAX - own[k], k });
	vec_sort(&order);
	const uint32_t count = (uint32_t)min_u64(order.count, RETAINED_GROUPS);
	memset(number, 0xff, rows * sizeof *number);
	for (uint32_t k = 0; k < order.count; k++) {
		sums[order.data[k].row] = (struct graph_sum){ UINT64_MAX, UINT64_MAX };
		if (k >= count)
			continue;
		number[order.data[k].row] = k;
		of[k] = order.data[k].row;
	}
	for (uint32_t i = 0; i < g->nodes.count; i++)
		group[i] = row[i] ? number[row[i]] : NODE_NONE;
	vec_release(&order);
	mem_free_all(own, members);
	return count;
}

static void retained_add_level(struct retained_column *c, const struct graph *g, size_t rows,
			       const uint32_t *row, unsigned threads)
{
	struct graph_sum *sums = mem_zeroed(rows, sizeof *sums);
	struct graph_sum *found = mem_zeroed(RETAINED_GROUPS, sizeof *found);
	uint32_t *group = mem_alloc(g->nodes.count * sizeof *group);
	uint32_t of[RETAINED_GROUPS];
	bool *is_row = mem_zeroed(rows, sizeof *is_row);
	const uint32_t count = retained_number(g, rows, row, sums, group, of);
	groups_retain(g, group, count, threads, found);
	for (uint32_t k = 0; k < count; k++)
		sums[of[k]] = found[k];
	for (uint32_t i = 1; i < g->nodes.count; i++)
		is_row[row[i]] = true;
	for (uint32_t k = 1; k < rows; k++) {
		const uint64_t more = c->vm ? sums[k].vm : sums[k].file;
		if (is_row[k] && more != UINT64_MAX)
			c->sums.data[k] += more + (c->sums.data[k] == 0);
	}
	mem_free_all(sums, found, group, is_row);
}

void retained_column_add(struct retained_column *c, const struct graph *g, struct tree *t,
			 const struct rollup_level *levels, size_t level_count, unsigned threads)
{
	uint32_t *row = mem_zeroed(g->nodes.count, sizeof *row);
	for (size_t k = 0; k < level_count; k++) {
		retained_find_rows(g, t, &levels[k], row, k == 0);
		while (c->sums.count < t->nodes.count)
			vec_push(&c->sums, 0);
		retained_add_level(c, g, t->nodes.count, row, threads);
	}
	mem_free(row);
}

const char *retained_column_text(const struct retained_column *c, uint32_t node,
				 struct arena *arena)
{
	const uint64_t sum = node < c->sums.count ? c->sums.data[node] : 0;
	return sum == 0 ? "" : arena_format(arena, "%" PRIu64, sum - 1);
}
