#include "store/upgrade.h"

#include "store/changes.h"
#include "store/series.h"

static const struct sql paths_of[PATH_KINDS] = {
	SQL_TWO("SELECT DISTINCT p.path FROM paths p JOIN symbols s ON s.source = p.id", NULL),
	SQL_TWO("SELECT DISTINCT p.path FROM paths p JOIN symbols s ON s.component = p.id", NULL),
};

static void add_label(void *ctx, struct str label)
{
	intern_add(ctx, label);
}

static uint32_t add_measure(struct db *db, const char *source, struct str label, uint32_t last)
{
	struct db_query *q = db_insert(db, TABLE_MEASURES);
	db_put(q, last + 1);
	db_put_text(q, str_of(source));
	db_put_text(q, STR("own"));
	db_put_text(q, label);
	db_do(q);
	return last + 1;
}

/* Rows where a build differs from its base. */
static void add_sizes(struct store *s, uint32_t measure, const double *by_build)
{
	for (size_t i = 0; i < s->builds.count; i++) {
		const struct build *b = &s->builds.data[i];
		const struct build *base = b->base ? store_build(s, b->base) : NULL;
		const double was = base ? by_build[base - s->builds.data] : 0;
		if (was == by_build[i])
			continue;
		struct db_query *q = db_insert(s->db, TABLE_SIZES);
		db_put(q, measure);
		db_put(q, b->id);
		db_put_real(q, was);
		db_put_real(q, by_build[i]);
		db_do(q);
	}
}

static uint32_t fill_kind(struct store *s, enum path_kind kind, uint32_t last)
{
	struct intern labels = { { 0 } };
	double *by_build = mem_alloc((s->builds.count + 1) * sizeof *by_build);
	for (struct db_query *q = db_query(s->db, &paths_of[kind]); db_row(q);)
		path_labels(kind, db_text(q, 0), add_label, &labels);
	for (uint32_t i = 0; i < labels.entries.count; i++) {
		const struct str label = intern_get(&labels, i);
		memset(by_build, 0, (s->builds.count + 1) * sizeof *by_build);
		if (!series_sum(by_build, s, kind, label.p))
			continue;
		last = add_measure(s->db, path_kind_words[kind], label, last);
		add_sizes(s, last, by_build);
	}
	mem_free(by_build);
	intern_release(&labels);
	return last;
}

void upgrade_fill(struct store *s)
{
	uint32_t last = 0;
	for (unsigned i = 0; i < PATH_KINDS; i++)
		last = fill_kind(s, (enum path_kind)i, last);
}
