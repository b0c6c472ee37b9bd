/* Chooses what a comment tells of a change. */
#include "report/review/comment.h"

#include "query/region_metrics.h"

#include <math.h>

struct regions {
	VEC(struct comment_region) list;
};

static void comment_add_regions(struct regions *all, const struct snapshot *s)
{
	for (size_t i = 0; i < s->containers.count; i++) {
		const struct snap_container *c = &s->containers.data[i];
		for (size_t k = 0; k < c->metrics.count; k++) {
			const char *name = region_metrics_name(&c->metrics.data[k]);
			bool known = name == NULL;
			for (size_t n = 0; n < all->list.count && !known; n++)
				known = strcmp(all->list.data[n].name, name) == 0;
			if (!known)
				vec_push(&all->list, (struct comment_region){ .name = name });
		}
	}
}

static struct regions find_regions(const struct snapshot *before, const struct snapshot *after)
{
	struct regions all = { { 0 } };
	comment_add_regions(&all, after);
	comment_add_regions(&all, before);
	for (size_t i = 0; i < all.list.count; i++) {
		struct comment_region *r = &all.list.data[i];
		r->before = region_metrics_find(before, r->name).used;
		r->after = region_metrics_find(after, r->name).used;
		r->length = region_metrics_find(after, r->name).length;
	}
	return all;
}

enum { MANY, OWNERS, DETAILS, COMMENT_TABLES };

/* Returns the share of the changes that rows with a name explain. */
static double share_explained(const struct heft_table *t)
{
	double named = 0, all = 0;
	for (size_t i = 0; i < t->top->child_count; i++) {
		const struct heft_row *row = t->top->children[i];
		const double change = fabs(row->now_exact[t->sorted_by] -
					   row->base_exact[t->sorted_by]);
		all += change;
		named += row->kind == HEFT_ROW_NAME && row->label[0] != '(' ? change : 0;
	}
	return all > 0 ? named / all : 0;
}

/* Makes the rows of owners: of components, directories and so on, the first that
 * explain half of the change. Otherwise of those that explain most. */
static enum heft_diff_by owner_rows(const struct snapshot_diff *diff, struct diff_rows *ret)
{
	static const enum heft_diff_by kinds[] = { HEFT_DIFF_BY_COMPONENT, HEFT_DIFF_BY_DIRECTORY,
						   HEFT_DIFF_BY_LIBRARY, HEFT_DIFF_BY_NAMESPACE,
						   HEFT_DIFF_BY_PACKAGE };
	size_t best = 0;
	double most = -1;
	for (size_t i = 0; i < COUNT_OF(kinds) && most < 0.5; i++) {
		struct diff_rows tried;
		diff_rows_make(&tried, diff, &(struct heft_diff_query){ .by = kinds[i] });
		const double share = share_explained(&tried.table);
		/* Directories stand for owners if nothing explains the change. */
		if (share <= most && !(most == 0 && kinds[i] == HEFT_DIFF_BY_DIRECTORY)) {
			diff_rows_release(&tried);
			continue;
		}
		if (most >= 0)
			diff_rows_release(ret);
		*ret = tried;
		most = share;
		best = i;
	}
	diff_rows_cut(ret, &(struct heft_diff_query){ .by = kinds[best], .rows = 5 });
	return kinds[best];
}

static enum heft_diff_by comment_rows(const struct snapshot_diff *diff,
				      struct diff_rows ret[COMMENT_TABLES])
{
	diff_rows_make(&ret[MANY], diff, &(struct heft_diff_query){ .rows = 200 });
	diff_rows_make(&ret[DETAILS], diff, &(struct heft_diff_query){ .rows = 20 });
	return owner_rows(diff, &ret[OWNERS]);
}

void comment_make(const struct snapshot_diff *diff, const struct diff_sections *sections,
		  const struct budget_report *budget, const struct heft_comment_opts *opts,
		  struct sink *s)
{
	struct diff_rows rows[COMMENT_TABLES];
	const enum heft_diff_by owners_by = comment_rows(diff, rows);
	const struct diff_report sums = diff_report_of(diff, sections, &rows[MANY]);
	struct regions regions = find_regions(diff->before, diff->after);
	const struct comment c = { .diff = &sums,
				   .budget = budget,
				   .symbols = &rows[MANY].table,
				   .owners = &rows[OWNERS].table,
				   .owners_by = owners_by,
				   .details = &rows[DETAILS].table,
				   .title = opts->title ? opts->title : "",
				   .page_url = opts->page_url ? opts->page_url : "",
				   .regions = regions.list.data,
				   .region_count = regions.list.count,
				   .course = opts->course,
				   .course_ctx = opts->course_ctx };
	if (!comment_is_noise(&c, opts->noise))
		out_comment(&c, s);
	vec_release(&regions.list);
	for (size_t i = 0; i < COMMENT_TABLES; i++)
		diff_rows_release(&rows[i]);
}
