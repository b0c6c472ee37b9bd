#include "store/catalog.h"

#include "base/fnv.h"

#define SYMBOLS "SELECT id, hash, name, section, object, source, component, flags FROM symbols "

static const struct sql all_paths = SQL_ALL("SELECT id, path FROM paths");
static const struct sql last_path = SQL_TWO("SELECT coalesce(max(id), 0) FROM paths",
					    "SELECT max(id) FROM paths");
static const struct sql last_symbol = SQL_TWO("SELECT coalesce(max(id), 0) FROM symbols",
					      "SELECT max(id) FROM symbols");
static const struct sql by_hash = { { SYMBOLS "WHERE hash IN (SELECT value FROM json_each($1))",
				      SYMBOLS "WHERE hash = ANY($1)",
				      SYMBOLS "WHERE hash IN $1" } };
static const struct sql by_id = { { SYMBOLS "WHERE id IN (SELECT value FROM json_each($1))",
				    SYMBOLS "WHERE id = ANY($1)", SYMBOLS "WHERE id IN $1" } };

/* Symbols that are asked for at once. */
enum { BATCH = 8192 };

void catalog_init(struct catalog *c, struct db *db)
{
	*c = (struct catalog){ .db = db };
	intern_add(&c->texts, STR(""));
	vec_push(&c->path_ids, 0);
}

void catalog_release(struct catalog *c)
{
	intern_release(&c->texts);
	intern_release(&c->paths);
	intern_release(&c->keys);
	intern_release(&c->rows);
	vec_release(&c->path_ids);
	vec_release(&c->path_texts);
	vec_release(&c->list);
	vec_release(&c->row_places);
}

void catalog_begin(struct catalog *c)
{
	c->last_path = c->last_symbol = 0;
}

/* ---- paths ----------------------------------------------------------------------------------- */

static struct str row_key(const uint32_t *id)
{
	return (struct str){ (const char *)id, sizeof *id };
}

/* A row of the database has a number that fits, or is no row. */
static uint32_t row_id(struct catalog *c, int64_t id)
{
	if (id > 0 && id < UINT32_MAX)
		return (uint32_t)id;
	db_fail(c->db, HEFT_EFORMAT, "is damaged: a row has a number out of range");
	return 0;
}

static void set_path(struct catalog *c, uint32_t id, uint32_t text)
{
	while (c->path_ids.count <= text)
		vec_push(&c->path_ids, 0);
	c->path_ids.data[text] = id;
	if (intern_add(&c->paths, row_key(&id)) == c->path_texts.count)
		vec_push(&c->path_texts, text);
}

static void read_paths(struct catalog *c)
{
	if (c->has_paths)
		return;
	c->has_paths = true;
	for (struct db_query *q = db_query(c->db, &all_paths); db_row(q);) {
		const uint32_t id = row_id(c, db_int(q, 0));
		set_path(c, id, intern_add(&c->texts, db_text(q, 1)));
	}
}

static uint32_t text_row(struct catalog *c, uint32_t text)
{
	read_paths(c);
	if (text < c->path_ids.count && c->path_ids.data[text] != 0)
		return c->path_ids.data[text];
	if (c->last_path == 0)
		c->last_path = (uint32_t)db_ask(c->db, &last_path);
	const uint32_t id = row_id(c, (int64_t)c->last_path + 1);
	struct db_query *q = db_insert(c->db, TABLE_PATHS);
	db_put(q, id);
	db_put_text(q, catalog_text(c, text));
	db_do(q);
	c->last_path = id;
	set_path(c, id, text);
	return id;
}

uint32_t catalog_path(struct catalog *c, struct str path)
{
	return text_row(c, intern_add(&c->texts, path));
}

/* The text of a row of `paths`. */
static uint32_t path_text(struct catalog *c, int64_t row)
{
	const uint32_t id = row_id(c, row);
	uint32_t place;
	read_paths(c);
	if (intern_find(&c->paths, row_key(&id), &place))
		return c->path_texts.data[place];
	db_fail(c->db, HEFT_EFORMAT, "is damaged: a path is missing");
	return 0;
}

/* ---- symbols --------------------------------------------------------------------------------- */

/* FNV-1a, 64 bits: of the name and the four paths, each with a 0 behind it, and the flags. */
static uint64_t content_hash(const struct catalog *c, const struct known *k)
{
	const uint32_t texts[] = { k->name, k->section, k->object, k->source, k->component };
	uint64_t hash = FNV_START;
	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		const struct str s = catalog_text(c, texts[i]);
		hash = fnv_add(fnv_add(hash, s.p, s.len), "", 1);
	}
	return (hash ^ k->flags) * FNV_PRIME;
}

/* Takes the cells of a symbol. */
static struct known read_known(struct catalog *c, struct db_query *q)
{
	struct known k = { .id = row_id(c, db_int(q, 0)) };
	k.name = intern_add(&c->texts, db_text(q, 2));
	k.section = path_text(c, db_int(q, 3));
	k.object = path_text(c, db_int(q, 4));
	k.source = path_text(c, db_int(q, 5));
	k.component = path_text(c, db_int(q, 6));
	k.flags = (uint32_t)db_int(q, 7) & UINT16_MAX;
	return k;
}

static struct str content_key(const struct known *k)
{
	return (struct str){ (const char *)&k->name, sizeof *k - offsetof(struct known, name) };
}

/* Where a row is in memory. */
static void set_place(struct catalog *c, uint32_t id, uint32_t place)
{
	const uint32_t row = intern_add(&c->rows, row_key(&id));
	if (row == c->row_places.count)
		vec_push(&c->row_places, place);
}

uint32_t catalog_add(struct catalog *c, const struct known *k)
{
	const uint32_t place = intern_add(&c->keys, content_key(k));
	if (place == c->list.count) {
		vec_push(&c->list, *k);
		c->list.data[place].id = 0;
	}
	return place;
}

/* Takes the rows that a batch of numbers finds. */
static void read_batch(struct catalog *c, const struct sql *sql, const int64_t *wanted,
		       size_t count)
{
	if (count == 0)
		return;
	struct db_query *q = db_query(c->db, sql);
	db_put_list(q, wanted, count);
	while (db_row(q)) {
		const struct known k = read_known(c, q);
		const uint32_t place = catalog_add(c, &k);
		if (c->list.data[place].id == 0)
			c->list.data[place].id = k.id;
		set_place(c, k.id, place);
	}
}

static void insert_symbol(struct catalog *c, struct known *k)
{
	const uint32_t texts[] = { k->section, k->object, k->source, k->component };
	uint32_t rows[COUNT_OF(texts)];
	for (size_t i = 0; i < COUNT_OF(texts); i++)
		rows[i] = text_row(c, texts[i]);
	if (c->last_symbol == 0)
		c->last_symbol = (uint32_t)db_ask(c->db, &last_symbol);
	k->id = c->last_symbol = row_id(c, (int64_t)c->last_symbol + 1);
	struct db_query *q = db_insert(c->db, TABLE_SYMBOLS);
	db_put(q, k->id);
	db_put(q, (int64_t)content_hash(c, k));
	db_put_text(q, catalog_text(c, k->name));
	for (size_t i = 0; i < COUNT_OF(texts); i++)
		db_put(q, rows[i]);
	db_put(q, k->flags);
	db_do(q);
}

/* Those up to `end` which are in the database. */
static void look_up(struct catalog *c, size_t end)
{
	int64_t hashes[BATCH];
	size_t count = 0;
	for (size_t i = c->settled; i < end; i++) {
		if (c->list.data[i].id == 0)
			hashes[count++] = (int64_t)content_hash(c, &c->list.data[i]);
		if (count == BATCH || i + 1 == end) {
			read_batch(c, &by_hash, hashes, count);
			count = 0;
		}
	}
}

void catalog_settle(struct catalog *c)
{
	const size_t end = c->list.count;
	look_up(c, end);
	for (size_t i = c->settled; i < end; i++) {
		struct known *k = &c->list.data[i];
		if (k->id == 0)
			insert_symbol(c, k);
		set_place(c, k->id, (uint32_t)i);
	}
	/* What came with the same hash has its number. */
	c->settled = c->list.count;
}

void catalog_read(struct catalog *c, const struct entries *list)
{
	int64_t ids[BATCH];
	size_t count = 0;
	uint32_t row;
	for (size_t i = 0; i < list->list.count; i++) {
		const uint32_t id = list->list.data[i].symbol;
		if (!intern_find(&c->rows, row_key(&id), &row))
			ids[count++] = id;
		if (count == BATCH || i + 1 == list->list.count) {
			read_batch(c, &by_id, ids, count);
			count = 0;
		}
	}
}

bool catalog_find(struct catalog *c, uint32_t id, uint32_t *ret)
{
	uint32_t row;
	if (!intern_find(&c->rows, row_key(&id), &row))
		return db_fail(c->db, HEFT_EFORMAT, "is damaged: a symbol of a build is missing");
	*ret = c->row_places.data[row];
	return true;
}
