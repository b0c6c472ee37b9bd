#include "map/alias.h"

#include "base/sort.h"

#include <stdlib.h>

struct alias {
	label_id owner, label;
};

struct aliases {
	VEC(struct alias) list;
};

/* Lists the aliases of an image (alias.h). */
static void list_image(const struct named_place *list, size_t count, struct aliases *ret)
{
	const struct named_place *owner = list;
	for (size_t i = 1; i < count; i++) {
		const struct named_place *p = &list[i];
		if (owner->addr != p->addr)
			owner = p;
		else if (owner->size == p->size && owner->label != p->label)
			vec_push(&ret->list, (struct alias){ owner->label, p->label });
	}
}

struct alias_pair {
	label_id owner, label;
	const char *name;
};

COMPARISON(by_owner, struct alias_pair, ORDER(a->owner, b->owner), strcmp(a->name, b->name))

/* Makes `view` compute the shown labels of the places in the list. */
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

static label_id alias_shown(const struct view *view, label_id id)
{
	return view_is_plain(view) ? id : view->shown[id];
}

static struct alias_pair *list_pairs(const struct aliases *a, const struct view *view,
				     const struct labels *labels, size_t *count)
{
	struct alias_pair *pairs = mem_zeroed(a->list.count, sizeof *pairs);
	*count = 0;
	for (size_t i = 0; i < a->list.count; i++) {
		const label_id owner = alias_shown(view, a->list.data[i].owner);
		const label_id label = alias_shown(view, a->list.data[i].label);
		if (owner != label)
			pairs[(*count)++] = (struct alias_pair){ owner, label,
								 label_text(labels, label).p };
	}
	qsort(pairs, *count, sizeof *pairs, by_owner);
	return pairs;
}

void alias_index_build(struct alias_index *x, const struct places *p, struct view *view,
		       struct labels *labels, unsigned threads, struct notes *notes)
{
	struct aliases a = { { 0 } };
	size_t count, kept = 0;
	memset(x, 0, sizeof *x);
	for (size_t i = 0; i < p->images.count; i++) {
		const size_t first = p->images.data[i];
		const size_t end = i + 1 < p->images.count ? p->images.data[i + 1] : p->list.count;
		list_image(p->list.data + first, end - first, &a);
	}
	if (!view_is_plain(view))
		ask_view(&a, view, labels, threads, notes);
	struct alias_pair *pairs = list_pairs(&a, view, labels, &count);
	vec_release(&a.list);
	x->names = mem_zeroed(count, sizeof *x->names);
	x->runs = mem_zeroed(count, sizeof *x->runs);
	for (size_t i = 0; i < count; i++) {
		const struct alias_pair *q = &pairs[i];
		if (i > 0 && q[-1].owner == q->owner && q[-1].label == q->label)
			continue;
		if (i == 0 || q[-1].owner != q->owner)
			x->runs[x->run_count++] = (struct alias_run){ q->owner, 0, kept };
		x->runs[x->run_count - 1].count++;
		x->names[kept++] = q->name;
	}
	mem_free(pairs);
}

void places_copy(struct places *ret, const struct places *from, const struct places_mark *begin,
		 const struct places_mark *end)
{
	*ret = (struct places){ .list = { 0 } };
	for (size_t i = begin->list; i < end->list; i++)
		vec_push(&ret->list, from->list.data[i]);
	for (size_t i = begin->images; i < end->images; i++)
		vec_push(&ret->images, from->images.data[i] - begin->list);
	for (size_t i = begin->outside; i < end->outside; i++)
		vec_push(&ret->outside, from->outside.data[i]);
	for (size_t i = begin->outside_images; i < end->outside_images; i++)
		vec_push(&ret->outside_images, from->outside_images.data[i] - begin->outside);
}

void places_release(struct places *p)
{
	vec_release_all(&p->list, &p->images, &p->outside, &p->outside_images);
}

const struct alias_run *alias_index_find(const struct alias_index *x, label_id owner)
{
	size_t low;
	BISECT(low, 0, x->run_count, mid, x->runs[mid].owner < owner);
	return low < x->run_count && x->runs[low].owner == owner ? &x->runs[low] : NULL;
}
