/* Chooses the contents of a comment on a change. */
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

static double row_change(const struct heft_row *row, const struct heft_table *t)
{
	return fabs(row->now_exact[t->sorted_by] - row->base_exact[t->sorted_by]);
}

static double changes_of(const struct heft_table *t)
{
	double sum = 0;
	for (size_t i = 0; i < t->top->child_count; i++)
		sum += row_change(t->top->children[i], t);
	return sum;
}

bool comment_names_owner(const struct heft_row *row)
{
	return row->kind == HEFT_ROW_NAME && row->label[0] != '(' && strcmp(row->label, ".") != 0;
}

/* Returns the share of the changes that named rows explain. */
static double share_explained(const struct heft_table *t)
{
	const double all = changes_of(t);
	double named = 0;
	for (size_t i = 0; i < t->top->child_count; i++)
		if (comment_names_owner(t->top->children[i]))
			named += row_change(t->top->children[i], t);
	return all > 0 ? named / all : 0;
}

/* True if a label is one of the directories, or a directory above one of them. */
static bool is_directory(const char *label, const struct heft_table *directories)
{
	const size_t size = strlen(label);
	for (size_t i = 0; i < directories->top->child_count; i++) {
		const char *name = directories->top->children[i]->label;
		if (strncmp(name, label, size) == 0 && (name[size] == '\0' || name[size] == '/'))
			return true;
	}
	return false;
}

/* Returns the share of the changes that packages of other projects explain: packages that are not a
 * directory of the program's sources. */
static double share_of_others(const struct heft_table *packages,
			      const struct heft_table *directories)
{
	const double all = changes_of(packages);
	double foreign = 0;
	for (size_t i = 0; i < packages->top->child_count; i++) {
		const struct heft_row *row = packages->top->children[i];
		if (comment_names_owner(row) && !is_directory(row->label, directories))
			foreign += row_change(row, packages);
	}
	return all > 0 ? foreign / all : 0;
}

enum { BY_COMPONENT, BY_PACKAGE, BY_DIRECTORY, BY_LIBRARY, BY_NAMESPACE, OWNER_KINDS };
static const enum heft_diff_by owner_kinds[OWNER_KINDS] = {
	[BY_COMPONENT] = HEFT_DIFF_BY_COMPONENT, [BY_PACKAGE] = HEFT_DIFF_BY_PACKAGE,
	[BY_DIRECTORY] = HEFT_DIFF_BY_DIRECTORY, [BY_LIBRARY] = HEFT_DIFF_BY_LIBRARY,
	[BY_NAMESPACE] = HEFT_DIFF_BY_NAMESPACE,
};

/* Returns the kind of owners that explains the change: the first that explains half of it,
 * otherwise the kind that explains most. Packages explain it only if they are not the program's own
 * directories. A kind is excluded if its changes add up to more than those of the symbols, because
 * unchanged symbols then moved between its owners. */
static size_t owner_kind_choose(const struct diff_rows tables[OWNER_KINDS], double of_symbols)
{
	size_t best = BY_DIRECTORY;
	double most = 0;
	for (size_t i = 0; i < OWNER_KINDS && most < 0.5; i++) {
		const struct heft_table *t = &tables[i].table;
		const double share = changes_of(t) > 1.1 * of_symbols ? 0
				     : i == BY_PACKAGE
					     ? share_of_others(t, &tables[BY_DIRECTORY].table)
					     : share_explained(t);
		if (share > most) {
			most = share;
			best = i;
		}
	}
	return best;
}

/* Makes the rows of the owners that explain the change. Makes no rows if no owners do. */
static enum heft_diff_by owner_rows(const struct snapshot_diff *diff, double of_symbols,
				    struct diff_rows *ret)
{
	struct diff_rows tables[OWNER_KINDS];
	for (size_t i = 0; i < OWNER_KINDS; i++)
		diff_rows_make(&tables[i], diff, &(struct heft_diff_query){ .by = owner_kinds[i] });
	const size_t best = owner_kind_choose(tables, of_symbols);
	for (size_t i = 0; i < OWNER_KINDS; i++)
		if (i != best)
			diff_rows_release(&tables[i]);
	*ret = tables[best];
	diff_rows_cut(ret, &(struct heft_diff_query){ .by = owner_kinds[best], .rows = 5 });
	return owner_kinds[best];
}

static enum heft_diff_by comment_rows(const struct snapshot_diff *diff,
				      struct diff_rows ret[COMMENT_TABLES])
{
	diff_rows_make(&ret[MANY], diff, &(struct heft_diff_query){ .rows = 200 });
	diff_rows_make(&ret[DETAILS], diff, &(struct heft_diff_query){ .rows = 20 });
	return owner_rows(diff, changes_of(&ret[MANY].table), &ret[OWNERS]);
}

void comment_make(const struct snapshot_diff *diff, const struct diff_sections *sections,
		  const struct budget_report *budget, const struct heft_comment_opts *opts,
		  struct sink *s)
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
