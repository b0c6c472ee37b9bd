/* Makes the tabs of a history. A tab is a table of builds, whose rows are the symbols that they
 * changed. The library adds a row for unchanged bytes to every diff. */
#include "history/page.h"

#include "base/sort.h"

#include "history/series.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STEPS = 20, MEASURES = 2, TEXTS = 5 };

static const char *const levels[] = { "build", "symbol" };
/* Measures of a row: all bytes that the file, and the VM image, have because of it (charged). */
static const struct heft_measure measures[MEASURES] = {
	{ .name = "charged", .title = "file", .unit = HEFT_PARTS },
	{ .name = "vm", .title = "VM", .unit = HEFT_PARTS },
};
static const struct heft_text texts[TEXTS] = { { "in_section", false },
					       { "path", false },
					       { "in_component", false },
					       { "in_container", false },
					       { "was", false } };
static const char *const usual_names[] = { ".text", ".rodata", ".data", ".bss", ".eh_frame" };

struct compared {
	struct heft_snapshot *before, *now;
	struct heft_diff *diff;
};

struct page_making {
	struct heft_page *page;
	struct history *history;
	const struct history_page_opts *opts;
	struct compared open;
};

struct tab {
	struct arena arena;
	struct heft_page_timeline course;
	VEC(struct heft_page_series) series;
	VEC(const struct heft_row *) rows;
};

static struct heft_page_build *make_builds(struct tab *tab, const struct timeline *t)
{
	struct heft_page_build *list = arena_new(&tab->arena, struct heft_page_build,
						 t->list.count);
	for (size_t i = 0; i < t->list.count; i++) {
		const struct build *b = t->list.data[i], *before = timeline_before(t, b);
		char date[24];
		time_text(b->facts.time, date);
		list[i] = (struct heft_page_build){
			.label = arena_format(&tab->arena, "#%u %.12s", b->id, b->facts.commit),
			.branch = b->facts.branch,
			.date = arena_copy(&tab->arena, str_of(date)),
			.before = before ? i - timeline_place(t, before) : 0,
		};
	}
	return list;
}

static double *add_series(struct tab *tab, const char *title)
{
	double *values = arena_new(&tab->arena, double, tab->course.build_count);
	vec_push(&tab->series, (struct heft_page_series){ title, values });
	return values;
}

/* Adds a chart for each of `names` (see series_make()). Skips a name that no build has. */
static bool page_add_names(struct page_making *m, struct tab *tab, const char *const *names,
			   size_t count, struct heft_err *err)
{
	for (size_t i = 0; i < count; i++) {
		struct series s;
		if (series_make(&s, &m->history->store, &m->history->timeline, names[i], err)) {
			memcpy(add_series(tab, names[i]), s.values.data,
			       tab->course.build_count * sizeof *s.values.data);
			series_release(&s);
		} else if (err->code != HEFT_ENOTFOUND) {
			return false;
		}
	}
	return true;
}

static bool make_course(struct page_making *m, struct tab *tab, struct heft_err *err)
{
	const struct timeline *t = &m->history->timeline;
	tab->course.build_count = t->list.count;
	tab->course.builds = make_builds(tab, t);
	double *file = add_series(tab, "file"), *vm = add_series(tab, "vm");
	for (size_t i = 0; i < t->list.count; i++) {
		file[i] = (double)t->list.data[i]->file;
		vm[i] = (double)t->list.data[i]->vm;
	}
	if (!page_add_names(m, tab, usual_names, COUNT_OF(usual_names), err) ||
	    !page_add_names(m, tab, m->opts->names, m->opts->name_count, err))
		return false;
	tab->course.series = tab->series.data;
	tab->course.series_count = tab->series.count;
	return true;
}

static void close_compared(struct compared *c)
{
	heft_diff_free(c->diff);
	heft_snapshot_free(c->before);
	heft_snapshot_free(c->now);
	*c = (struct compared){ NULL, NULL, NULL };
}

/* heft_row.now and heft_row.base of all rows: 0. Pages read only now_exact and base_exact. */
static const uint64_t no_whole[MEASURES];

/* Copies the values of a row: charged bytes, or sizes with padding for lists of SuperSize. */
static const double *copy_values(struct arena *a, const double *v)
{
	double *copy = arena_new(a, double, MEASURES);
	const bool charged = !isnan(v[HEFT_DIFF_CHARGED]);
	copy[0] = v[charged ? HEFT_DIFF_CHARGED : HEFT_DIFF_PADDED];
	copy[1] = v[charged ? HEFT_DIFF_VM : HEFT_DIFF_PADDED];
	return copy;
}

static struct heft_row *copy_row(struct arena *a, const struct heft_row *r, const char *label)
{
	struct heft_row *copy = arena_new(a, struct heft_row, 1);
	copy->label = arena_copy(a, str_of(label));
	copy->now = copy->base = no_whole;
	copy->now_exact = copy_values(a, r->now_exact);
	copy->base_exact = copy_values(a, r->base_exact);
	copy->change = r->change;
	return copy;
}

static const struct heft_row *page_copy_symbol(struct arena *a, const struct heft_row *r)
{
	struct heft_row *copy = copy_row(a, r, r->label);
	const char **words = arena_new(a, const char *, TEXTS);
	for (size_t i = 0; i < TEXTS; i++)
		words[i] = r->texts ? arena_copy(a, str_of(r->texts[i])) : "";
	copy->texts = words;
	return copy;
}

/* Copies the rows of one build, so that its snapshots can be freed. */
static void add_build(struct tab *tab, const char *label, const struct heft_row *top)
{
	struct heft_row *row = copy_row(&tab->arena, top, label);
	const struct heft_row **below = arena_new(&tab->arena, const struct heft_row *,
						  top->child_count);
	for (size_t i = 0; i < top->child_count; i++)
		below[i] = page_copy_symbol(&tab->arena, top->children[i]);
	row->children = below;
	row->child_count = top->child_count;
	vec_push(&tab->rows, row);
}

static bool page_compare(struct page_making *m, const struct build *before, const struct build *now,
			 const struct heft_table **ret, struct heft_err *err)
{
	const struct heft_diff_query query = { .size = sizeof query };
	struct compared *c = &m->open;
	c->before = store_read(&m->history->store, before->id, NULL, NULL, err);
	c->now = c->before ? store_read(&m->history->store, now->id, NULL, NULL, err) : NULL;
	c->diff = c->now ? heft_diff_new(c->before, c->now, 0, err) : NULL;
	*ret = c->diff ? heft_diff_rows(c->diff, &query, err) : NULL;
	return *ret != NULL;
}

/* A build that has a previous build. */
struct compared_build {
	uint64_t change; /* Change of file plus VM image. UINT64_MAX for the latest builds */
	size_t at;
};

COMPARISON(page_compare_steps, struct compared_build, ORDER(b->change, a->change),
	   ORDER(b->at, a->at))

static uint64_t page_distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/* Selects `wanted` builds to compare: half are the latest, half changed the sizes most. */
static void choose_steps(const struct timeline *t, size_t wanted, bool *chosen)
{
	VEC(struct compared_build) steps = { 0 };
	for (size_t i = t->list.count; i-- > 0;) {
		const struct build *now = t->list.data[i], *before = timeline_before(t, now);
		if (!before)
			continue;
		const uint64_t change = steps.count < wanted - wanted / 2
						? UINT64_MAX
						: add_sat(page_distance(now->file, before->file),
							  page_distance(now->vm, before->vm));
		vec_push(&steps, (struct compared_build){ change, i });
	}
	vec_sort_by(&steps, page_compare_steps);
	for (size_t i = 0; i < steps.count && i < wanted; i++)
		chosen[steps.data[i].at] = true;
	vec_release(&steps);
}

static bool page_make_steps(struct page_making *m, struct tab *tab, struct heft_err *err)
{
	const struct timeline *t = &m->history->timeline;
	bool *chosen = arena_new(&tab->arena, bool, t->list.count);
	const struct heft_table *table;
	choose_steps(t, m->opts->steps > 0 ? m->opts->steps : STEPS, chosen);
	for (size_t i = 0; i < t->list.count; i++) {
		const struct build *now = t->list.data[i], *before = timeline_before(t, now);
		if (!chosen[i])
			continue;
		if (!page_compare(m, before, now, &table, err))
			return false;
		add_build(tab, tab->course.builds[i].label, table->top);
		close_compared(&m->open);
	}
	return true;
}

/* Makes the top row. Only its change is useful, because sums over builds mean nothing. */
static struct heft_row *page_make_top(struct tab *tab)
{
	struct heft_row *top = arena_new(&tab->arena, struct heft_row, 1);
	double *now = arena_new(&tab->arena, double, MEASURES);
	double *base = arena_new(&tab->arena, double, MEASURES);
	for (size_t i = 0; i < tab->rows.count; i++) {
		for (size_t k = 0; k < MEASURES; k++) {
			now[k] += tab->rows.data[i]->now_exact[k];
			base[k] += tab->rows.data[i]->base_exact[k];
		}
	}
	*top = (struct heft_row){ .label = "TOTAL",
				  .now = no_whole,
				  .base = no_whole,
				  .now_exact = now,
				  .base_exact = base,
				  .children = tab->rows.data,
				  .child_count = tab->rows.count };
	return top;
}

static bool add_tab(struct page_making *m, struct tab *tab, const struct build_facts *f,
		    struct heft_err *err)
{
	char builds[80];
	snprintf(builds, sizeof builds, "%zu, of which %zu are compared with the one before",
		 tab->course.build_count, tab->rows.count);
	const struct heft_page_fact facts[] = { { "product", f->product },
						{ "configuration", f->config },
						{ "builds", builds } };
	const struct heft_table table = { .size = sizeof table,
					  .levels = levels,
					  .level_count = COUNT_OF(levels),
					  .measures = measures,
					  .measure_count = MEASURES,
					  .texts = texts,
					  .text_count = TEXTS,
					  .diff = true,
					  .has_changes = true,
					  .top = page_make_top(tab) };
	const char *title = arena_format(&tab->arena, "%s%s%s: history", f->product,
					 *f->config ? " " : "", f->config);
	tab->course.size = sizeof tab->course;
	tab->course.table = &table;
	tab->course.facts = facts;
	tab->course.fact_count = COUNT_OF(facts);
	return heft_page_add_timeline(m->page, title, &tab->course, err);
}

static bool add_product(struct page_making *m, const struct build_facts *f, struct heft_err *err)
{
	struct tab tab = { 0 };
	history_select(m->history,
		       &(struct build_filter){ f->product, f->config, m->opts->filter.branch });
	const bool ok = make_course(m, &tab, err) && page_make_steps(m, &tab, err) &&
			add_tab(m, &tab, f, err);
	vec_release_all(&tab.series, &tab.rows);
	arena_release(&tab.arena);
	return ok;
}

/* The facts of one build per product and configuration, borrowed from the store. */
struct products {
	VEC(const struct build_facts *) list;
};

static void find_products(struct products *ret, const struct timeline *t)
{
	for (size_t i = 0; i < t->list.count; i++) {
		const struct build_facts *f = &t->list.data[i]->facts;
		size_t k = 0;
		while (k < ret->list.count &&
		       (strcmp(ret->list.data[k]->product, f->product) != 0 ||
			strcmp(ret->list.data[k]->config, f->config) != 0))
			k++;
		if (k == ret->list.count)
			vec_push(&ret->list, f);
	}
}

bool history_page_add(struct heft_page *p, struct history *h, const struct history_page_opts *opts,
		      struct heft_err *err)
{
	struct page_making m = { .page = p, .history = h, .opts = opts };
	struct products products = { { 0 } };
	history_select(h, &opts->filter);
	find_products(&products, &h->timeline);
	bool ok = products.list.count > 0 ||
		  fail(err, HEFT_ENOTFOUND, HEFT_NO_OFFSET, "the history has no such build");
	for (size_t i = 0; ok && i < products.list.count; i++)
		ok = add_product(&m, products.list.data[i], err);
	vec_release(&products.list);
	close_compared(&m.open);
	return ok;
}
