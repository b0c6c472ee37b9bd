/* Measures numbers of a build besides its symbols: rows by data source, limits and heaps. */
#include "history/row_sources.h"
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

static void row_sources_add(struct measured *m, const char *source, const char *kind,
			    const char *label, double value)
{
	vec_push(&m->rows, (struct measured_row){ arena_copy(&m->texts, str_of(source)),
						  arena_copy(&m->texts, str_of(kind)),
						  arena_copy(&m->texts, str_of(label)), value });
}

void measured_release(struct measured *m)
{
	vec_release(&m->rows);
	arena_release(&m->texts);
}

/* Joins two texts with `between`, as in "A > B". Returns a copy of `b` if `a` is empty. */
static const char *row_sources_join(struct measured *m, const char *a, const char *between,
				    const char *b)
{
	return arena_format(&m->texts, "%s%s%s", a, *a ? between : "", b);
}

/* Returns the index of a text in the table. SIZE_MAX if there is none of that name. */
static size_t text_place(const struct heft_table *t, const char *name)
{
	for (size_t i = 0; i < t->text_count; i++)
		if (strcmp(t->texts[i].name, name) == 0)
			return i;
	return SIZE_MAX;
}

/* Adds the values of a row: used bytes and length of a region, or all measures that add up. */
static void row_sources_add_values(struct measured *m, const struct heft_table *t,
				   const struct heft_row *row, const char *source,
				   const char *label)
{
	const size_t size = text_place(t, "region_size");
	const char *limit = size != SIZE_MAX && row->texts ? row->texts[size] : "";
	const bool region = strcmp(source, "regions") == 0;
	for (size_t i = 0; i < t->measure_count; i++) {
		const struct heft_measure *of = &t->measures[i];
		if (region ? strcmp(of->name, "vm") == 0 : of->unit != HEFT_PARTS && !of->shared)
			row_sources_add(m, source, region ? "used" : of->name, label,
					(double)row->now[i]);
	}
	if (region && *limit)
		row_sources_add(m, source, "limit", label, strtod(limit, NULL));
}

/* Position of a walk over rows in one level: a row, and the index of its next child. */
struct row_sources_walk {
	const struct heft_row *row;
	size_t next;
	const char *source, *label;
};

static void row_sources_enter(struct measured *m, const struct heft_table *t,
			      struct row_sources_walk *w, size_t depth, const struct heft_row *row)
{
	w[depth] = (struct row_sources_walk){
		.row = row,
		.source = row_sources_join(m, w[depth - 1].source, ",", t->levels[depth - 1]),
		.label = row_sources_join(m, w[depth - 1].label, " > ", row->label)
	};
	row_sources_add_values(m, t, row, w[depth].source, w[depth].label);
}

static void row_sources_add_table(struct measured *m, const struct heft_table *t)
{
	struct row_sources_walk w[MEASURED_SOURCES + 1] = {
		{ .row = t->top, .source = "", .label = "" }
	};
	size_t depth = 0;
	ASSERT(t->level_count <= MEASURED_SOURCES);
	for (;;) {
		struct row_sources_walk *at = &w[depth];
		if (depth < t->level_count && at->next < at->row->child_count) {
			row_sources_enter(m, t, w, depth + 1, at->row->children[at->next++]);
			depth++;
		} else if (depth-- == 0) {
			return;
		}
	}
}

static bool run_profile(struct measured *m, struct heft_profile *p, const char *const *sources,
			size_t source_count, const char *const *files, size_t count)
{
	struct heft_err err;
	bool ok = true;
	for (size_t i = 0; i < source_count && ok; i++)
		ok = heft_profile_add_source(p, sources[i], &err);
	heft_profile_set_rows(p, 0);
	for (size_t i = 0; i < count && ok; i++)
		ok = heft_profile_add_file(p, files[i], HEFT_INPUT, &err);
	ok = ok && heft_profile_run(p, &err);
	if (!ok)
		cli_failed(m->cli, &err);
	if (ok)
		row_sources_add_table(m, heft_profile_table(p));
	return ok;
}

bool measure_sources(struct measured *m, const char *const *sources, size_t source_count,
		     const char *const *files, size_t count)
{
	struct heft_session *session = cli_made(m->cli, heft_session_copy(m->session));
	struct heft_profile *p = cli_made(m->cli, heft_profile_new(session));
	const bool ok = run_profile(m, p, sources, source_count, files, count);
	/* Most notes were printed when the snapshot of these files was read. */
	if (m->verbose)
		notes_print(m->cli, session, true);
	heft_session_free(session);
	heft_profile_free(p);
	return ok;
}

void measure_regions(struct measured *m, const struct heft_snapshot *s)
{
	struct heft_snapshot_region r = { .size = sizeof r };
	for (size_t i = 0; i < m->rows.count; i++)
		if (strcmp(m->rows.data[i].source, "regions") == 0)
			return;
	for (size_t i = 0; heft_snapshot_region(s, i, &r, NULL); i++) {
		row_sources_add(m, "regions", "used", r.name, (double)r.used);
		if (r.length > 0)
			row_sources_add(m, "regions", "limit", r.name, (double)r.length);
	}
}

static void add_limit(struct measured *m, const struct heft_budget_row *row)
{
	if (row->state != HEFT_BUDGET_KEPT && row->state != HEFT_BUDGET_BROKEN)
		return;
	row_sources_add(m, "budgets", "used", row->rule,
			row->growth ? row->now - row->base : row->now);
	row_sources_add(m, "budgets", "limit", row->rule, row->limit);
	row_sources_add(m, "budgets", "broken", row->rule, row->state == HEFT_BUDGET_BROKEN);
}

bool measure_budget(struct measured *m, const char *path, const struct heft_snapshot *now,
		    const struct heft_snapshot *base)
{
	struct heft_err err;
	struct heft_budget *b = heft_budget_new(m->session, path, &err);
	const bool ok = b && heft_budget_check(b, now, base, &err);
	if (!ok)
		cli_failed(m->cli, &err);
	for (size_t i = 0; ok && i < heft_budget_row_count(b); i++)
		add_limit(m, heft_budget_row(b, i));
	heft_budget_free(b);
	return ok;
}

static void add_holders(struct measured *m, const struct heft_table *t)
{
	row_sources_add_values(m, t, t->top, "heap", t->top->label);
	for (size_t i = 0; i < t->top->child_count; i++)
		row_sources_add_values(m, t, t->top->children[i], "heap",
				       t->top->children[i]->label);
}

bool measure_heap(struct measured *m, const char *path)
{
	const struct heft_heap_query query = { .size = sizeof query, .by = HEFT_HEAP_BY_FUNCTION };
	struct heft_session *session = cli_made(m->cli, heft_session_copy(m->session));
	struct heft_heap *h = cli_made(m->cli, heft_heap_new(session));
	struct heft_heap_report *r = NULL;
	struct heft_err err;
	if (heft_heap_open(h, path, &err))
		r = heft_heap_report_new(h, NULL, &query, &err);
	if (!r)
		cli_failed(m->cli, &err);
	notes_print(m->cli, session, m->verbose);
	heft_session_free(session);
	const bool ok = r != NULL;
	if (ok)
		add_holders(m, heft_heap_report_table(r));
	heft_heap_report_free(r);
	heft_heap_free(h);
	return ok;
}
