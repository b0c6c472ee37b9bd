/* Chooses the kind of owners that explains a change: components, packages, directories ... */
#include "compare/diff_rows.h"

#include <math.h>
#include <string.h>

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

bool diff_names_owner(const struct heft_row *row)
{
	return row->kind == HEFT_ROW_NAME && row->label[0] != '(' && strcmp(row->label, ".") != 0;
}

/* Returns the share of the changes that is in rows that name an owner (diff_names_owner()). */
static double share_explained(const struct heft_table *t)
{
	const double all = changes_of(t);
	double named = 0;
	for (size_t i = 0; i < t->top->child_count; i++)
		if (diff_names_owner(t->top->children[i]))
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
		if (diff_names_owner(row) && !is_directory(row->label, directories))
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

/* Returns the kind of owners to show: the first whose named owners have half of the changed bytes,
 * otherwise the kind whose owners have most. Packages count only if they are not the program's own
 * directories.
 *
 * A kind is left out if its owners changed by more bytes than the symbols did: then unchanged
 * symbols moved from owner to owner. */
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

enum heft_diff_by diff_owners_make(struct diff_rows *ret, const struct snapshot_diff *d,
				   const struct heft_table *symbols, unsigned most)
{
	struct diff_rows tables[OWNER_KINDS];
	for (size_t i = 0; i < OWNER_KINDS; i++)
		diff_rows_make(&tables[i], d, &(struct heft_diff_query){ .by = owner_kinds[i] });
	const size_t best = owner_kind_choose(tables, changes_of(symbols));
	for (size_t i = 0; i < OWNER_KINDS; i++)
		if (i != best)
			diff_rows_release(&tables[i]);
	*ret = tables[best];
	diff_rows_cut(ret, &(struct heft_diff_query){ .by = owner_kinds[best], .rows = most });
	return owner_kinds[best];
}
