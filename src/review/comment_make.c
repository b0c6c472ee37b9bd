/* Chooses the contents of a comment on a change. */
#include "review/comment.h"

#include "query/region_metrics.h"

struct regions {
	VEC(struct comment_region) list;
};

static void comment_add_regions(struct regions *all, const struct snapshot *s)
{
	vec_each(const struct snap_container, c, &s->containers) {
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
	vec_each(struct comment_region, r, &all.list) {
		r->before = region_metrics_find(before, r->name).used;
		r->after = region_metrics_find(after, r->name).used;
		r->length = region_metrics_find(after, r->name).length;
	}
	return all;
}

enum { MANY, OWNERS, DETAILS, COMMENT_TABLES };

static enum heft_diff_by comment_rows(const struct snapshot_diff *diff,
				      struct diff_rows ret[COMMENT_TABLES])
{
	diff_rows_make(&ret[MANY], diff, &(struct heft_diff_query){ .rows = 200 });
	diff_rows_make(&ret[DETAILS], diff, &(struct heft_diff_query){ .rows = 20 });
	return diff_owners_make(&ret[OWNERS], diff, &ret[MANY].table, 5);
}

void comment_make(const struct snapshot_diff *diff, const struct diff_sections *sections,
		  const struct budget_report *budget, const struct heft_comment_opts *opts,
		  struct str template, struct sink *s)
{
	struct diff_rows rows[COMMENT_TABLES];
	const enum heft_diff_by owners_by = comment_rows(diff, rows);
	const struct diff_report sums = diff_report_of(diff, sections, &rows[MANY]);
	struct causes causes;
	struct regions regions = find_regions(diff->before, diff->after);
	causes_find(&causes, diff, sections);
	const struct comment c = { .diff = &sums,
				   .causes = &causes,
				   .budget = budget,
				   .symbols = &rows[MANY].table,
				   .owners = &rows[OWNERS].table,
				   .owners_by = owners_by,
				   .details = &rows[DETAILS].table,
				   .title = opts->title ? opts->title : "",
				   .page_url = opts->page_url ? opts->page_url : "",
				   .template = template,
				   .regions = regions.list.data,
				   .region_count = regions.list.count,
				   .course = opts->course,
				   .course_ctx = opts->course_ctx };
	if (!comment_is_noise(&c, opts->noise))
		out_comment(&c, s);
	causes_release(&causes);
	vec_release(&regions.list);
	for (size_t i = 0; i < COMMENT_TABLES; i++)
		diff_rows_release(&rows[i]);
}
