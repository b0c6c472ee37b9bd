#include "map/alias.h"

#include <stdlib.h>

/* A pair of shown names. */
struct pair {
	label_id owner, label;
	const char *name;
};

static int by_owner(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;
	if (x->owner != y->owner)
		return x->owner < y->owner ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* Makes the view know the labels of the list. */
static void ask_view(const struct aliases *a, struct view *view, struct labels *labels,
		     unsigned threads, struct notes *notes)
{
	struct spans s = { 0 };
	for (size_t i = 0; i < a->list.count; i++) {
		spans_push(&s, 2 * i, 1, a->list.data[i].owner);
		spans_push(&s, 2 * i + 1, 1, a->list.data[i].label);
	}
	view_update(view, labels, &s, threads, notes);
	spans_release(&s);
}

static label_id shown(const struct view *view, label_id id)
{
	return view_is_plain(view) ? id : view->shown[id];
}

static struct pair *list_pairs(const struct aliases *a, const struct view *view,
			       const struct labels *labels, size_t *count)
{
	struct pair *pairs = xcalloc(a->list.count, sizeof *pairs);
	*count = 0;
	for (size_t i = 0; i < a->list.count; i++) {
		const label_id owner = shown(view, a->list.data[i].owner);
		const label_id label = shown(view, a->list.data[i].label);
		if (owner != label)
			pairs[(*count)++] = (struct pair){ owner, label,
							   label_text(labels, label).p };
	}
	qsort(pairs, *count, sizeof *pairs, by_owner);
	return pairs;
}

void alias_index_build(struct alias_index *x, const struct aliases *a, struct view *view,
		       struct labels *labels, unsigned threads, struct notes *notes)
{
	size_t count, kept = 0;
	memset(x, 0, sizeof *x);
	if (!view_is_plain(view))
		ask_view(a, view, labels, threads, notes);
	struct pair *pairs = list_pairs(a, view, labels, &count);
	x->names = xcalloc(count, sizeof *x->names);
	x->runs = xcalloc(count, sizeof *x->runs);
	for (size_t i = 0; i < count; i++) {
		const struct pair *p = &pairs[i];
		if (i > 0 && p[-1].owner == p->owner && p[-1].label == p->label)
			continue;
		if (i == 0 || p[-1].owner != p->owner)
			x->runs[x->run_count++] = (struct alias_run){ p->owner, 0, kept };
		x->runs[x->run_count - 1].count++;
		x->names[kept++] = p->name;
	}
	free(pairs);
}

const struct alias_run *alias_index_find(const struct alias_index *x, label_id owner)
{
	size_t low = 0, high = x->run_count;
	while (low < high) {
		const size_t mid = low + (high - low) / 2;
		if (x->runs[mid].owner < owner)
			low = mid + 1;
		else
			high = mid;
	}
	return low < x->run_count && x->runs[low].owner == owner ? &x->runs[low] : NULL;
}

void alias_index_release(struct alias_index *x)
{
	free(x->names);
	free(x->runs);
	memset(x, 0, sizeof *x);
}
