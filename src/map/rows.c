#include "map/rows.h"

#include "base/pool.h"

#include <stdlib.h>

/* Children of every row: `order` holds row indexes grouped by parent. */
struct family {
	uint32_t *order, *first; /* children of i: order[first[i]] .. order[first[i + 1] - 1] */
};

struct build {
	const struct rollup *rollup;
	const struct labels *labels;
	const struct rows_opts *opts;
	struct arena *arena;
	struct family family;
};

static void family_init(struct family *f, const struct rollup *r)
{
	const size_t n = r->rows.count;
	f->order = xcalloc(n, sizeof *f->order);
	f->first = xcalloc(n + 2, sizeof *f->first);
	for (size_t i = 1; i < n; i++)
		f->first[r->rows.data[i].parent + 2]++;
	for (size_t i = 2; i < n + 2; i++)
		f->first[i] += f->first[i - 1];
	for (size_t i = 1; i < n; i++)
		f->order[f->first[r->rows.data[i].parent + 1]++] = (uint32_t)i;
}

/* ---- ordering -------------------------------------------------------------------- */

/* What a row is sorted by: a sign and a magnitude. */
struct sort_key {
	bool negative;
	uint64_t size;
};

static struct sort_key change(uint64_t now, uint64_t base)
{
	return now >= base ? (struct sort_key){ false, now - base }
			   : (struct sort_key){ true, base - now };
}

static struct sort_key key_of(const struct row *row, const struct rows_opts *o)
{
	const bool delta = o->diff && o->sort != HEFT_SORT_SIZE;
	const struct sort_key vm = change(row->vm[HEFT_INPUT], delta ? row->vm[HEFT_BASE] : 0);
	const struct sort_key file = change(row->file[HEFT_INPUT],
					    delta ? row->file[HEFT_BASE] : 0);
	if (o->domain == HEFT_VM)
		return vm;
	if (o->domain == HEFT_FILE)
		return file;
	return vm.size > file.size ? vm : file;
}

/* A child on its way to be a row. */
struct item {
	const struct row *row;
	const char *label;
	struct sort_key key;
	size_t others; /* how many rows it sums up, or 0 */
};

static int by_magnitude(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	if (x->key.size != y->key.size)
		return x->key.size > y->key.size ? -1 : 1;
	return strcmp(x->label, y->label);
}

static int by_signed(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	if (x->key.negative != y->key.negative && (x->key.size || y->key.size))
		return x->key.negative ? 1 : -1;
	if (x->key.size != y->key.size)
		return (x->key.size > y->key.size) != x->key.negative ? -1 : 1;
	return strcmp(x->label, y->label);
}

static int by_name(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	if ((x->others > 0) != (y->others > 0))
		return x->others ? 1 : -1;
	return strcmp(x->label, y->label);
}

/* ---- making rows ------------------------------------------------------------------ */

static struct heft_sizes sizes_of(const struct row *row, enum heft_role role)
{
	return (struct heft_sizes){ row->vm[role], row->file[role], row->count[role] };
}

static bool nothing_to_show(const struct row *row, const struct rows_opts *o)
{
	if (o->diff)
		return row->vm[0] == row->vm[1] && row->file[0] == row->file[1];
	return row->vm[0] == 0 && row->file[0] == 0;
}

/* Sums list[from..count) up as one item; returns how many items are left. */
static size_t fold_others(struct build *b, struct item *list, size_t from, size_t count)
{
	struct row *sum = arena_new(b->arena, struct row, 1);
	for (size_t i = from; i < count; i++) {
		for (size_t role = 0; role < 2; role++) {
			sum->vm[role] += list[i].row->vm[role];
			sum->file[role] += list[i].row->file[role];
			sum->count[role] += list[i].row->count[role];
		}
	}
	if (nothing_to_show(sum, b->opts))
		return from;
	list[from] = (struct item){ .row = sum,
				    .label = arena_format(b->arena, "[%zu Others]", count - from),
				    .key = key_of(sum, b->opts),
				    .others = count - from };
	return from + 1;
}

static void swap_items(struct item *a, struct item *b)
{
	const struct item t = *a;
	*a = *b;
	*b = t;
}

/* Restores a heap whose root is the last in the order of by_magnitude. */
static void sift_down(struct item *heap, size_t count, size_t i)
{
	for (;;) {
		size_t last = i;
		for (size_t k = 2 * i + 1; k <= 2 * i + 2 && k < count; k++)
			if (by_magnitude(&heap[k], &heap[last]) > 0)
				last = k;
		if (last == i)
			return;
		swap_items(&heap[i], &heap[last]);
		i = last;
	}
}

/* Brings the first n in the order of by_magnitude to the front, in any order: O(count log n),
 * where a sort of a million rows of which twenty are shown would cost more than all else. */
static void select_first(struct item *list, size_t count, size_t n)
{
	for (size_t i = n / 2; i-- > 0;)
		sift_down(list, n, i);
	for (size_t i = n; i < count; i++) {
		if (by_magnitude(&list[i], &list[0]) > 0)
			continue;
		swap_items(&list[i], &list[0]);
		sift_down(list, n, 0);
	}
}

typedef int (*compare_fn)(const void *a, const void *b);

/* The halves of a list that are sorted side by side. */
struct halves {
	struct item *list;
	size_t count, middle;
	compare_fn compare;
};

static void sort_half(void *ctx, size_t i, unsigned worker)
{
	const struct halves *h = ctx;
	const size_t first = i ? h->middle : 0, end = i ? h->count : h->middle;
	(void)worker;
	qsort(h->list + first, end - first, sizeof *h->list, h->compare);
}

/* Fewer items than this are not worth a thread. */
enum { PARALLEL_MIN = 20000 };

static void sort_items(struct item *list, size_t count, compare_fn compare, unsigned threads)
{
	if (count < PARALLEL_MIN || pool_threads(threads) == 1) {
		qsort(list, count, sizeof *list, compare);
		return;
	}
	struct halves h = { list, count, count / 2, compare };
	parallel_for(threads, 2, sort_half, &h);
	struct item *low = xmalloc(h.middle * sizeof *low);
	memcpy(low, list, h.middle * sizeof *low);
	size_t a = 0, b = h.middle;
	for (size_t out = 0; a < h.middle; out++)
		list[out] = b == count || compare(&low[a], &list[b]) <= 0 ? low[a++] : list[b++];
	free(low);
}

static size_t order_items(struct build *b, struct item *list, size_t count)
{
	const size_t limit = b->opts->limit;
	if (limit && count > limit) {
		select_first(list, count, limit);
		count = fold_others(b, list, limit, count);
	}
	sort_items(list, count, b->opts->sort == HEFT_SORT_NAME ? by_name : by_signed,
		   b->opts->threads);
	return count;
}

/* A single child that says nothing new is left out. */
static bool says_nothing(const struct item *list, size_t count, const char *parent, bool top)
{
	if (count != 1)
		return false;
	const char *label = list[0].label;
	if (!top && (strcmp(label, "[None]") == 0 || strcmp(label, "[Unmapped]") == 0))
		return true;
	return strcmp(label, parent) == 0;
}

static size_t list_items(const struct build *b, uint32_t parent, struct item *list)
{
	size_t count = 0;
	for (size_t i = b->family.first[parent]; i < b->family.first[parent + 1]; i++) {
		const struct row *row = &b->rollup->rows.data[b->family.order[i]];
		if (nothing_to_show(row, b->opts))
			continue;
		list[count++] = (struct item){ .row = row,
					       .label = label_text(b->labels, row->label).p,
					       .key = key_of(row, b->opts) };
	}
	return count;
}

/* A row whose children are still to be made. */
struct pending {
	struct heft_row *row;
	uint32_t index;
	uint32_t level; /* of the children */
};

typedef VEC(struct pending) pending_vec;

static void list_aliases(const struct build *b, const struct item *item, uint32_t level,
			 struct heft_row *row)
{
	const struct alias_index *index = b->opts->aliases[level];
	const struct alias_run *run = index && item->others == 0
					      ? alias_index_find(index, item->row->label)
					      : NULL;
	if (!run)
		return;
	row->aliases = index->names + run->first;
	row->alias_count = run->count;
}

static void make_rows(struct build *b, const struct item *list, size_t count, struct pending p,
		      pending_vec *todo)
{
	const struct heft_row **children = arena_new(b->arena, const struct heft_row *, count);
	struct heft_row *rows = arena_new(b->arena, struct heft_row, count);
	for (size_t i = 0; i < count; i++) {
		children[i] = &rows[i];
		rows[i] = (struct heft_row){ .label = list[i].label,
					     .now = sizes_of(list[i].row, HEFT_INPUT),
					     .base = sizes_of(list[i].row, HEFT_BASE),
					     .others = list[i].others > 0,
					     .others_count = list[i].others };
		const size_t index = (size_t)(list[i].row - b->rollup->rows.data);
		if (list[i].others == 0 && b->family.first[index] != b->family.first[index + 1])
			vec_push(todo, (struct pending){ &rows[i], (uint32_t)index, p.level + 1 });
		list_aliases(b, &list[i], p.level, &rows[i]);
	}
	p.row->children = children;
	p.row->child_count = count;
}

static void add_children(struct build *b, struct pending p, pending_vec *todo)
{
	const size_t n = b->family.first[p.index + 1] - b->family.first[p.index];
	struct item *list = xcalloc(n, sizeof *list);
	const size_t count = order_items(b, list, list_items(b, p.index, list));
	const bool keep = count == 1 && p.level < LEVELS_MAX && b->opts->keep[p.level] &&
			  list[0].label[0] != '[';
	if (keep || !says_nothing(list, count, p.row->label, p.index == 0))
		make_rows(b, list, count, p, todo);
	free(list);
}

const struct heft_row *rows_build(const struct rollup *r, const struct labels *labels,
				  const struct rows_opts *opts, struct arena *arena)
{
	struct build b = { .rollup = r, .labels = labels, .opts = opts, .arena = arena };
	pending_vec todo = { 0 };
	struct heft_row *top = arena_new(arena, struct heft_row, 1);
	*top = (struct heft_row){ .label = "TOTAL",
				  .now = sizes_of(&r->rows.data[0], HEFT_INPUT),
				  .base = sizes_of(&r->rows.data[0], HEFT_BASE) };
	family_init(&b.family, r);
	vec_push(&todo, (struct pending){ top, 0, 0 });
	while (todo.count > 0)
		add_children(&b, todo.data[--todo.count], &todo);
	vec_release(&todo);
	free(b.family.order);
	free(b.family.first);
	return top;
}
