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
	uint32_t place;
	/* All of them are in the catalog before room is made. */
	for (size_t i = 0; c && i < c->entries.list.count; i++)
		if (!catalog_find(catalog, c->entries.list.data[i].symbol, &place))
			return s;
	s.count = catalog->list.count;
	s.data = mem_zeroed(s.count + 1, sizeof *s.data);
	if (c)
		add_up(&s, catalog, c);
	return s;
}

static void write_row(struct db *db, uint32_t symbol, uint32_t build, double was, double own)
{
	struct db_query *q = db_query(
		db, "INSERT INTO changes(symbol, build, was, own) VALUES($1, $2, $3, $4)");
	db_put(q, symbol);
	db_put(q, build);
	db_put_real(q, was);
	db_put_real(q, own);
	db_do(q);
}

static void erase_row(struct db *db, uint32_t symbol, uint32_t build, double was, double own)
{
	struct db_query *q = db_query(db, "DELETE FROM changes WHERE symbol = $1 AND build = $2");
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
	mem_free(old.data);
	mem_free(new_.data);
}

void changes_write(struct db *db, struct catalog *catalog, uint32_t build,
		   const struct content *base, const struct content *now)
{
	each_change(&(struct change_job){ db, catalog, build, write_row }, base, now);
}

void changes_erase(struct db *db, struct catalog *catalog, uint32_t build,
		   const struct content *base, const struct content *now)
{
	each_change(&(struct change_job){ db, catalog, build, erase_row }, base, now);
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

void sections_write(struct db *db, struct catalog *catalog, uint32_t build,
		    const struct snapshot *s)
{
	static const char add[] =
		"INSERT INTO sections(section, build, size, in_file, in_memory) "
		"VALUES($1, $2, $3, $4, $5) ON CONFLICT(section, build) DO UPDATE SET "
		"size = size + $3, in_file = max(in_file, $4), in_memory = max(in_memory, $5)";
	for (size_t i = 0; i < s->sections.count; i++) {
		const struct snap_section *sec = &s->sections.data[i];
		const uint32_t path = catalog_path(catalog, str_of(sec->name));
		struct db_query *q = db_query(db, add);
		db_put(q, path);
		db_put(q, build);
		db_put(q, section_size(s, sec));
		db_put(q, sec->in_file);
		db_put(q, s->by_heft && sec->in_memory);
		db_do(q);
	}
}
