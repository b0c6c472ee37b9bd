#include "store/upgrade.h"

#include "store/changes.h"
#include "store/series.h"

static const struct sql paths_of[PATH_KINDS] = {
	SQL_TWO("SELECT DISTINCT p.path FROM paths p JOIN symbols s ON s.source = p.id", NULL),
	SQL_TWO("SELECT DISTINCT p.path FROM paths p JOIN symbols s ON s.component = p.id", NULL),
	SQL_TWO("SELECT DISTINCT p.path FROM paths p JOIN symbols s ON s.object = p.id",
		"SELECT path FROM paths WHERE id GLOBAL IN (SELECT object FROM symbols)"),
};

static void add_label(void *ctx, struct str label)
{
	intern_add(ctx, label);
}

/* Marks the builds that have a row of the measure. */
static void mark_rows(struct store *s, uint32_t measure, bool *has_row)
{
	static const struct sql rows = SQL_ALL("SELECT build FROM sizes WHERE measure = $1");
	struct db_query *q = db_query(s->db, &rows);
	db_put(q, measure);
	while (db_row(q)) {
		const struct build *b = store_build(s, (uint32_t)db_int(q, 0));
		if (b)
			has_row[b - s->builds.data] = true;
	}
}

/* Rows where a build differs from its base. */
static void add_sizes(struct store *s, uint32_t measure, const double *by_build)
{
	bool *has_row = mem_zeroed(s->builds.count + 1, sizeof *has_row);
	mark_rows(s, measure, has_row);
	for (size_t i = 0; i < s->builds.count; i++) {
		const struct build *b = &s->builds.data[i];
		const struct build *base = b->base ? store_build(s, b->base) : NULL;
		const double was = base ? by_build[base - s->builds.data] : 0;
		if (was == by_build[i] || has_row[i])
			continue;
		struct db_query *q = db_insert(s->db, TABLE_SIZES);
		db_put(q, measure);
		db_put(q, b->id);
		db_put_real(q, was);
		db_put_real(q, by_build[i]);
		db_do(q);
	}
	mem_free(has_row);
}

static void fill_kind(struct store *s, enum path_kind kind, struct measures *m)
{
	struct intern labels = { { 0 } };
	double *by_build = mem_alloc((s->builds.count + 1) * sizeof *by_build);
	for (struct db_query *q = db_query(s->db, &paths_of[kind]); db_row(q);)
		path_labels(kind, db_text(q, 0), add_label, &labels);
	for (uint32_t i = 0; i < labels.entries.count; i++) {
		const struct str label = intern_get(&labels, i);
		memset(by_build, 0, (s->builds.count + 1) * sizeof *by_build);
		if (series_sum(by_build, s, kind, label.p))
			add_sizes(s,
				  measures_row(m, str_of(path_kind_words[kind]), STR("own"), label),
				  by_build);
	}
	mem_free(by_build);
	intern_release(&labels);
}

void upgrade_fill(struct store *s)
{
	struct measures m;
	measures_init(&m, s->db);
	for (unsigned i = s->version < 2 ? 0 : PATH_OBJECT; i < PATH_KINDS; i++)
		fill_kind(s, (enum path_kind)i, &m);
	measures_release(&m);
}
