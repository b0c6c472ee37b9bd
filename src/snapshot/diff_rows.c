#include "snapshot/diff_rows.h"

#include <math.h>
#include <stdlib.h>

/* ---- sizes ------------------------------------------------------------------------------------- */

/* A symbol that is nothing but padding has it as its size. */
static void split(const struct snap_symbol *y, bool whole, double *ret_size, double *ret_padding)
{
	const bool joined = whole || y->size == 0;
	*ret_padding = joined ? 0 : (double)y->padding / y->alias_count;
	*ret_size = joined ? snap_pss(y) : (double)y->size / y->alias_count;
}

static void add_before(struct heft_diff_sizes *to, const struct snap_symbol *y, bool whole)
{
	double size, padding;
	split(y, whole, &size, &padding);
	to->before += size;
	to->padding_before += padding;
}

static void add_after(struct heft_diff_sizes *to, const struct snap_symbol *y, bool whole)
{
	double size, padding;
	split(y, whole, &size, &padding);
	to->after += size;
	to->padding_after += padding;
}

static void add_sizes(struct heft_diff_sizes *to, const struct heft_diff_sizes *s)
{
	to->before += s->before;
	to->after += s->after;
	to->padding_before += s->padding_before;
	to->padding_after += s->padding_after;
}

/* ---- groups ------------------------------------------------------------------------------------ */

struct grouping {
	const struct snapshot_diff *d;
	const struct heft_diff_query *q;
	struct diff_rows *out;
	struct intern keys; /* id = place in rows */
	struct text key, work;
};

static bool wants(const struct heft_diff_query *q, const struct snapshot *s,
		  const struct snap_symbol *y)
{
	const struct snap_section *sec = &s->sections.data[y->section];
	const bool letter = q->section && q->section[0] && !q->section[1];
	return !q->section || strcmp(q->section, sec->name) == 0 ||
	       (letter && q->section[0] == sec->letter);
}

static const char *copy_text(struct grouping *g, const struct snapshot *s, uint32_t id)
{
	return id ? arena_copy(&g->out->arena, snapshot_text(s, id)) : "";
}

static struct heft_diff_row *row_of_key(struct grouping *g, struct str key, bool *ret_new)
{
	static const struct heft_diff_row empty = { "",    "",    "", "", "", "", HEFT_UNCHANGED,
						    { 0 }, { 0 }, 0 };
	const size_t known = g->keys.entries.count;
	const uint32_t id = intern_add(&g->keys, key);
	*ret_new = id == known;
	if (*ret_new)
		vec_push(&g->out->rows, empty);
	return &g->out->rows.data[id];
}

static struct heft_diff_row *group_row(struct grouping *g, const struct snapshot *s,
				       const struct snap_symbol *y)
{
	bool fresh;
	const struct str label = snap_label(s, y, g->q->by, &g->work);
	struct heft_diff_row *r = row_of_key(g, label, &fresh);
	if (fresh)
		r->label = arena_copy(&g->out->arena, label);
	return r;
}

/* A name that is in its alias list twice: one function, by many objects. */
static bool repeats(const struct snap_symbol *y)
{
	const struct snap_symbol *first = y - y->alias_place;
	for (uint32_t i = 0; i < y->alias_count && i < 100; i++)
		if (&first[i] != y && first[i].full_name == y->full_name)
			return true;
	return false;
}

static void add_key_part(struct grouping *g, struct str s)
{
	text_add(&g->key, s);
	text_add_char(&g->key, '\n');
}

/* Symbols of one name, section and path are one row; those of one alias list whatever their paths. */
static struct heft_diff_row *symbol_row(struct grouping *g, const struct diff_pair *p)
{
	const struct snap_symbol *old = diff_before(g->d, p), *new_ = diff_after(g->d, p);
	const struct snapshot *s = new_ ? g->d->after : g->d->before;
	const struct snap_symbol *y = new_ ? new_ : old;
	const struct snap_section *sec = &s->sections.data[y->section];
	const char *container = s->containers.data[sec->container].name;
	const bool many = (old && repeats(old)) || (new_ && repeats(new_));
	bool fresh;
	g->key.len = 0;
	add_key_part(g, str_of(container));
	add_key_part(g, (struct str){ &sec->letter, 1 });
	add_key_part(g, snapshot_text(s, y->full_name));
	add_key_part(g, many ? STR("") : snapshot_text(s, snap_path(y)));
	struct heft_diff_row *r = row_of_key(g, text_str(&g->key), &fresh);
	if (!fresh) {
		r->change = r->change == p->change ? p->change : HEFT_CHANGED;
		return r;
	}
	r->label = arena_copy(&g->out->arena, snap_label(s, y, HEFT_DIFF_BY_SYMBOL, &g->work));
	r->section = sec->name;
	r->container = container;
	r->path = copy_text(g, s, snap_path(y));
	r->component = copy_text(g, s, y->component);
	r->change = p->change;
	if (p->change == HEFT_RENAMED)
		r->was = copy_text(g, g->d->before, old->full_name);
	else if (p->change == HEFT_MOVED)
		r->was = copy_text(g, g->d->before, snap_path(old));
	return r;
}

/* SuperSize's values: padding counts for what was added or removed; of pairs it is in the sums. */
static void add_symbol_pair(struct grouping *g, const struct diff_pair *p)
{
	const struct snap_symbol *old = diff_before(g->d, p), *new_ = diff_after(g->d, p);
	const bool whole = g->d->supersize && !(old && new_);
	struct heft_diff_sizes sizes = { 0 };
	if (old && wants(g->q, g->d->before, old))
		add_before(&sizes, old, whole);
	if (new_ && wants(g->q, g->d->after, new_))
		add_after(&sizes, new_, whole);
	if (g->d->supersize)
		sizes.padding_before = sizes.padding_after = 0;
	add_sizes(&g->out->total.sizes, &sizes);
	g->out->total.counts[p->change]++;
	if (p->change == HEFT_UNCHANGED)
		return;
	struct heft_diff_row *r = symbol_row(g, p);
	add_sizes(&r->sizes, &sizes);
	r->counts[p->change]++;
}

static void add_group_pair(struct grouping *g, const struct diff_pair *p)
{
	const struct snap_symbol *old = diff_before(g->d, p), *new_ = diff_after(g->d, p);
	struct heft_diff_row *r = NULL;
	if (old && wants(g->q, g->d->before, old)) {
		r = group_row(g, g->d->before, old);
		add_before(&r->sizes, old, false);
		add_before(&g->out->total.sizes, old, false);
	}
	if (new_ && wants(g->q, g->d->after, new_)) {
		r = group_row(g, g->d->after, new_);
		add_after(&r->sizes, new_, false);
		add_after(&g->out->total.sizes, new_, false);
	}
	r->counts[p->change]++;
	g->out->total.counts[p->change]++;
}

static bool wants_pair(const struct grouping *g, const struct diff_pair *p)
{
	const struct snap_symbol *old = diff_before(g->d, p), *new_ = diff_after(g->d, p);
	return (old && wants(g->q, g->d->before, old)) || (new_ && wants(g->q, g->d->after, new_));
}

static const char padding_name[] = "Overhead: aggregate padding of diff'ed symbols";

/* The padding of SuperSize's pairs as symbols of its own. */
static void add_paddings(struct grouping *g)
{
	const struct snapshot *s = g->d->before;
	for (size_t i = 0; i < g->d->paddings.count; i++) {
		const struct diff_padding *p = &g->d->paddings.data[i];
		const struct snap_section *sec = &s->sections.data[p->section];
		const struct snap_symbol y = { .section = p->section };
		if (!wants(g->q, s, &y))
			continue;
		vec_push(&g->out->rows,
			 (struct heft_diff_row){ padding_name,
						 sec->name,
						 "",
						 "",
						 s->containers.data[sec->container].name,
						 "",
						 HEFT_ADDED,
						 { .after = (double)p->size },
						 { 0 },
						 0 });
		g->out->rows.data[g->out->rows.count - 1].counts[HEFT_ADDED] = 1;
		g->out->total.sizes.after += (double)p->size;
		g->out->total.counts[HEFT_ADDED]++;
	}
}

/* ---- order, limits ----------------------------------------------------------------------------- */

static int compare_doubles(double a, double b)
{
	return a > b ? -1 : a < b;
}

static int compare_labels(const struct heft_diff_row *a, const struct heft_diff_row *b)
{
	int c = strcmp(a->label, b->label);
	if (c == 0)
		c = strcmp(a->path, b->path);
	return c != 0 ? c : strcmp(a->section, b->section);
}

static int by_delta(const void *pa, const void *pb)
{
	const struct heft_diff_row *a = pa, *b = pb;
	const int c = compare_doubles(fabs(diff_delta(&a->sizes)), fabs(diff_delta(&b->sizes)));
	return c != 0 ? c : compare_labels(a, b);
}

static int by_new(const void *pa, const void *pb)
{
	const struct heft_diff_row *a = pa, *b = pb;
	const int c = compare_doubles(a->sizes.after, b->sizes.after);
	return c != 0 ? c : compare_labels(a, b);
}

static int by_old(const void *pa, const void *pb)
{
	const struct heft_diff_row *a = pa, *b = pb;
	const int c = compare_doubles(a->sizes.before, b->sizes.before);
	return c != 0 ? c : compare_labels(a, b);
}

static int by_label(const void *pa, const void *pb)
{
	return compare_labels(pa, pb);
}

/* Sums of parts of bytes are not exact. */
static bool is_zero(double v)
{
	return fabs(v) < 1e-6;
}

static bool says_something(const struct heft_diff_row *r, const struct heft_diff_query *q)
{
	const struct heft_diff_sizes *s = &r->sizes;
	if (q->min > 0)
		return fabs(diff_delta(s)) >= (double)q->min;
	if (q->by == HEFT_DIFF_BY_SYMBOL)
		return true;
	return !is_zero(diff_delta(s)) || !is_zero(s->padding_after - s->padding_before) ||
	       r->counts[HEFT_ADDED] + r->counts[HEFT_REMOVED] > 0;
}

/* The rows over the limit, and with a least size those below it, become one. */
static void cut(struct diff_rows *out, const struct heft_diff_query *q)
{
	struct heft_diff_row rest = { "", "", "", "", "", "", HEFT_CHANGED, { 0 }, { 0 }, 0 };
	size_t kept = 0;
	for (size_t i = 0; i < out->rows.count; i++) {
		const struct heft_diff_row *r = &out->rows.data[i];
		if (says_something(r, q) && (q->rows == 0 || kept < q->rows)) {
			out->rows.data[kept++] = *r;
			continue;
		}
		if (!says_something(r, q) && q->min == 0)
			continue;
		add_sizes(&rest.sizes, &r->sizes);
		for (size_t c = 0; c < HEFT_CHANGES; c++)
			rest.counts[c] += r->counts[c];
		rest.others++;
	}
	out->rows.count = kept;
	if (rest.others == 0)
		return;
	rest.label = arena_format(&out->arena, "[%" PRIu64 " Others]", rest.others);
	vec_push(&out->rows, rest);
}

static void sort_rows(struct diff_rows *out, enum heft_diff_sort sort)
{
	static int (*const orders[])(const void *, const void *) = { by_delta, by_new, by_old,
								     by_label };
	if (out->rows.count > 1)
		qsort(out->rows.data, out->rows.count, sizeof *out->rows.data, orders[sort]);
}

void diff_rows_make(struct diff_rows *ret, const struct snapshot_diff *d,
		    const struct heft_diff_query *query)
{
	struct grouping g = { .d = d, .q = query, .out = ret };
	*ret = (struct diff_rows){
		.total = { "TOTAL", "", "", "", "", "", HEFT_CHANGED, { 0 }, { 0 }, 0 }
	};
	for (size_t i = 0; i < d->pairs.count; i++) {
		if (!wants_pair(&g, &d->pairs.data[i]))
			continue;
		if (query->by == HEFT_DIFF_BY_SYMBOL)
			add_symbol_pair(&g, &d->pairs.data[i]);
		else
			add_group_pair(&g, &d->pairs.data[i]);
	}
	if (d->supersize && query->by == HEFT_DIFF_BY_SYMBOL)
		add_paddings(&g);
	sort_rows(ret, query->sort);
	cut(ret, query);
	intern_release(&g.keys);
	text_release(&g.key);
	text_release(&g.work);
}

void diff_rows_release(struct diff_rows *r)
{
	vec_release(&r->rows);
	arena_release(&r->arena);
}

/* ---- sections ---------------------------------------------------------------------------------- */

/* SuperSize knows segments alone. */
static struct heft_diff_section *section_sums(struct diff_sections *ret, bool supersize,
					      const struct snap_section *sec)
{
	const char *name = supersize ? snap_segment(sec) : sec->name;
	for (size_t i = 0; i < ret->sections.count; i++)
		if (ret->sections.data[i].in_file == sec->in_file &&
		    strcmp(ret->sections.data[i].name, name) == 0)
			return &ret->sections.data[i];
	vec_push(&ret->sections,
		 (struct heft_diff_section){ .name = name, .in_file = sec->in_file });
	return &ret->sections.data[ret->sections.count - 1];
}

static int larger_first(const void *pa, const void *pb)
{
	const struct heft_diff_section *a = pa, *b = pb;
	const int c = compare_doubles(a->sizes.after + a->sizes.before,
				      b->sizes.after + b->sizes.before);
	return c != 0 ? c : strcmp(a->name, b->name);
}

static void add_total(struct diff_sections *ret)
{
	struct heft_diff_section total = { .name = "TOTAL", .in_file = true };
	for (size_t i = 0; i < ret->sections.count; i++) {
		add_sizes(&total.sizes, &ret->sections.data[i].sizes);
		for (size_t c = 0; c < HEFT_CHANGES; c++)
			total.counts[c] += ret->sections.data[i].counts[c];
	}
	vec_push(&ret->sections, total);
}

void diff_sections_make(struct diff_sections *ret, const struct snapshot_diff *d)
{
	*ret = (struct diff_sections){ { 0 } };
	for (size_t i = 0; i < d->pairs.count; i++) {
		const struct diff_pair *p = &d->pairs.data[i];
		const struct snap_symbol *old = diff_before(d, p), *new_ = diff_after(d, p);
		struct heft_diff_section *s = NULL;
		if (old) {
			s = section_sums(ret, d->supersize,
					 &d->before->sections.data[old->section]);
			add_before(&s->sizes, old, false);
		}
		if (new_) {
			s = section_sums(ret, d->supersize,
					 &d->after->sections.data[new_->section]);
			add_after(&s->sizes, new_, false);
		}
		s->counts[p->change]++;
	}
	for (size_t i = 0; d->supersize && i < d->paddings.count; i++)
		section_sums(ret, d->supersize,
			     &d->before->sections.data[d->paddings.data[i].section])
			->counts[HEFT_ADDED]++;
	if (ret->sections.count > 1)
		qsort(ret->sections.data, ret->sections.count, sizeof *ret->sections.data,
		      larger_first);
	add_total(ret);
}

void diff_sections_release(struct diff_sections *s)
{
	vec_release(&s->sections);
}
