#include "store/changes.h"

/* ---- symbols --------------------------------------------------------------------------------- */

/* Own bytes by the place of a symbol in the catalog. */
struct sums {
	double *data;
	size_t count;
};

static double own_of(const struct entry *e, uint32_t names)
{
	const double size = (double)e->size;
	return (e->size > 0 ? size : (double)e->padding) / names;
}

/* Sums of equal parts: what several names share leaves no dust behind. */
static double clean(double v)
{
	const double whole = v < 0 ? -(double)(uint64_t)(0.5 - v) : (double)(uint64_t)(v + 0.5);
	return v - whole < 1e-6 && whole - v < 1e-6 ? whole : v;
}

static void add_up(struct sums *s, struct catalog *catalog, const struct content *c)
{
	uint32_t members = 0, names = 1, place;
	for (size_t i = 0; i < c->entries.list.count; i++) {
		const struct entry *e = &c->entries.list.data[i];
		if (members == 0)
			members = names = e->aliases > 0 ? e->aliases : 1;
		members--;
		if (!catalog_find(catalog, e->symbol, &place))
			return;
		if (place < s->count)
			s->data[place] += own_of(e, names);
	}
}

static struct sums make_sums(struct catalog *catalog, const struct content *c)
{
	struct sums s = { NULL, 0 };
	if (c)
		catalog_read(catalog, &c->entries);
	s.count = catalog->list.count;
	s.data = mem_zeroed(s.count + 1, sizeof *s.data);
	if (c)
		add_up(&s, catalog, c);
	return s;
}

/* ---- folders --------------------------------------------------------------------------------- */

const char *const path_kind_words[PATH_KINDS] = { "source", "component", "object" };
/* Of the id of the text in struct known. */
static const size_t path_places[PATH_KINDS] = { offsetof(struct known, source),
						offsetof(struct known, component),
						offsetof(struct known, object) };

void path_labels(enum path_kind kind, struct str path, void (*fn)(void *ctx, struct str label),
		 void *ctx)
{
	if (kind == PATH_COMPONENT && path.len > 0)
		fn(ctx, path);
	for (size_t i = 0; i < path.len && kind != PATH_COMPONENT; i++)
		if (path.p[i] == '/')
			fn(ctx, (struct str){ path.p, i + 1 });
}

struct path_sum {
	struct measures *measures;
	const char *source;
	const struct level *by;
};

static void add_level(void *ctx, struct str label)
{
	const struct path_sum *sum = ctx;
	struct level *l = measures_get(sum->measures, str_of(sum->source), STR("own"), label);
	l->was += sum->by->was;
	l->now += sum->by->now;
}

/* By text: many symbols have the same path. */
static void sum_kind(struct measures *m, enum path_kind kind, const struct catalog *catalog,
		     const struct sums *old, const struct sums *now)
{
	const size_t count = catalog->texts.entries.count;
	struct level *by_text = mem_zeroed(count + 1, sizeof *by_text);
	for (size_t i = 0; i < now->count; i++) {
		uint32_t text;
		memcpy(&text, (const char *)&catalog->list.data[i] + path_places[kind],
		       sizeof text);
		by_text[text].was += i < old->count ? old->data[i] : 0;
		by_text[text].now += now->data[i];
	}
	for (uint32_t i = 0; i < count; i++)
		if (by_text[i].was != 0 || by_text[i].now != 0)
			path_labels(kind, catalog_text(catalog, i), add_level,
				    &(struct path_sum){ m, path_kind_words[kind], &by_text[i] });
	mem_free(by_text);
}

static void sum_paths(struct measures *m, const struct catalog *catalog, const struct sums *old,
		      const struct sums *now)
{
	for (unsigned i = 0; i < PATH_KINDS; i++)
		sum_kind(m, (enum path_kind)i, catalog, old, now);
	for (size_t i = 0; i < m->levels.count; i++) {
		struct level *l = &m->levels.data[i];
		l->was = clean(l->was);
		l->now = clean(l->now);
		/* Parts in another order leave other dust. */
		if (l->now - l->was < 1e-6 && l->was - l->now < 1e-6)
			l->now = l->was;
	}
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void write_row(struct db *db, uint32_t symbol, uint32_t build, double was, double own)
{
	struct db_query *q = db_insert(db, TABLE_CHANGES);
	db_put(q, symbol);
	db_put(q, build);
	db_put_real(q, was);
	db_put_real(q, own);
	db_do(q);
}

static void erase_row(struct db *db, uint32_t symbol, uint32_t build, double was, double own)
{
	static const struct sql erase = SQL_TWO(
		"DELETE FROM changes WHERE symbol = $1 AND build = $2", NULL);
	struct db_query *q = db_query(db, &erase);
	(void)was, (void)own;
	db_put(q, symbol);
	db_put(q, build);
	db_do(q);
}

struct change_job {
	struct db *db;
	struct catalog *catalog;
	uint32_t build;
	void (*row)(struct db *db, uint32_t symbol, uint32_t build, double was, double own);
	struct measures *sums; /* NULL: they are not wanted */
};

static void each_change(const struct change_job *job, const struct content *base,
			const struct content *now)
{
	const struct sums old = make_sums(job->catalog, base), new_ = make_sums(job->catalog, now);
	for (size_t i = 0; i < new_.count; i++) {
		const double was = i < old.count ? clean(old.data[i]) : 0;
		const double own = clean(new_.data[i]);
		if (was != own)
			job->row(job->db, job->catalog->list.data[i].id, job->build, was, own);
	}
	if (job->sums)
		sum_paths(job->sums, job->catalog, &old, &new_);
	mem_free(old.data);
	mem_free(new_.data);
}

void changes_write(struct db *db, struct catalog *catalog, uint32_t build,
		   const struct content *base, const struct content *now, struct measures *sums)
{
	each_change(&(struct change_job){ db, catalog, build, write_row, sums }, base, now);
}

void changes_erase(struct db *db, struct catalog *catalog, uint32_t build,
		   const struct content *base, const struct content *now)
{
	each_change(&(struct change_job){ db, catalog, build, erase_row, NULL }, base, now);
}

/* ---- sections -------------------------------------------------------------------------------- */

static int64_t section_size(const struct snapshot *s, const struct snap_section *sec)
{
	int64_t size = 0;
	for (uint64_t i = sec->first; i < sec->first + sec->count; i++) {
		const struct snap_symbol *y = &s->symbols.data[i];
		size += y->alias_place > 0 ? 0 : (int64_t)y->size + y->padding;
	}
	return size;
}

struct build_sizes build_sizes(const struct snapshot *s)
{
	struct build_sizes sizes = { 0, 0 };
	for (size_t i = 0; i < s->sections.count; i++) {
		const struct snap_section *sec = &s->sections.data[i];
		const uint64_t size = (uint64_t)section_size(s, sec);
		sizes.file += sec->in_file ? size : 0;
		sizes.vm += s->by_heft && sec->in_memory ? size : 0;
	}
	return sizes;
}

/* Those of one name are one row. */
struct section_row {
	uint32_t path;
	bool in_file, in_memory;
	int64_t size;
};
struct section_rows {
	VEC(struct section_row) list;
	struct intern paths; /* place in the list */
};

static void add_section(struct section_rows *rows, const struct section_row *r)
{
	const struct str key = { (const char *)&r->path, sizeof r->path };
	const uint32_t place = intern_add(&rows->paths, key);
	if (place == rows->list.count) {
		vec_push(&rows->list, *r);
		return;
	}
	struct section_row *there = &rows->list.data[place];
	there->size += r->size;
	there->in_file |= r->in_file;
	there->in_memory |= r->in_memory;
}

void sections_write(struct db *db, struct catalog *catalog, uint32_t build,
		    const struct snapshot *s)
{
	struct section_rows rows = { { 0 }, { { 0 } } };
	for (size_t i = 0; i < s->sections.count; i++) {
		const struct snap_section *sec = &s->sections.data[i];
		const struct section_row r = { catalog_path(catalog, str_of(sec->name)),
					       sec->in_file, s->by_heft && sec->in_memory,
					       section_size(s, sec) };
		add_section(&rows, &r);
	}
	for (size_t i = 0; i < rows.list.count; i++) {
		const struct section_row *r = &rows.list.data[i];
		struct db_query *q = db_insert(db, TABLE_SECTIONS);
		db_put(q, r->path);
		db_put(q, build);
		db_put(q, r->size);
		db_put(q, r->in_file);
		db_put(q, r->in_memory);
		db_do(q);
	}
	vec_release(&rows.list);
	intern_release(&rows.paths);
}
