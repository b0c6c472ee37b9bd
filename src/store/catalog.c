#include "store/catalog.h"

static const char path_of[] = "SELECT path FROM paths WHERE id = $1";
static const char id_of_path[] = "SELECT id FROM paths WHERE path = $1";
static const char add_path[] = "INSERT INTO paths(path) VALUES($1) RETURNING id";
static const char symbol_of[] =
	"SELECT name, section, object, source, component, flags FROM symbols WHERE id = $1";
static const char symbols_by_hash[] =
	"SELECT id, name, section, object, source, component, flags FROM symbols WHERE hash = $1";
static const char add_symbol[] =
	"INSERT INTO symbols(hash, name, section, object, source, component, flags) "
	"VALUES($1, $2, $3, $4, $5, $6, $7) RETURNING id";

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

/* ---- paths ----------------------------------------------------------------------------------- */

static struct str row_key(const uint32_t *id)
{
	return (struct str){ (const char *)id, sizeof *id };
}

static void set_path_id(struct catalog *c, uint32_t text, uint32_t id)
{
	while (c->path_ids.count <= text)
		vec_push(&c->path_ids, 0);
	c->path_ids.data[text] = id;
}

/* A row of the database has a number that fits, or is no row. */
static uint32_t row_id(struct catalog *c, int64_t id)
{
	if (id > 0 && id < UINT32_MAX)
		return (uint32_t)id;
	db_fail(c->db, HEFT_EFORMAT, "is damaged: a row has a number out of range");
	return 0;
}

static uint32_t text_row(struct catalog *c, uint32_t text)
{
	if (text < c->path_ids.count && c->path_ids.data[text] != 0)
		return c->path_ids.data[text];
	struct db_query *q = db_query(c->db, id_of_path);
	db_put_text(q, catalog_text(c, text));
	if (!db_row(q)) {
		q = db_query(c->db, add_path);
		db_put_text(q, catalog_text(c, text));
		if (!db_row(q))
			return 0;
	}
	const uint32_t id = row_id(c, db_int(q, 0));
	db_do(q);
	set_path_id(c, text, id);
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
	const uint32_t place = intern_add(&c->paths, row_key(&id));
	if (place < c->path_texts.count)
		return c->path_texts.data[place];
	struct db_query *q = db_query(c->db, path_of);
	db_put(q, row);
	uint32_t text = 0;
	if (db_row(q))
		text = intern_add(&c->texts, db_text(q, 0));
	else
		db_fail(c->db, HEFT_EFORMAT, "is damaged: a path is missing");
	db_do(q);
	set_path_id(c, text, id);
	vec_push(&c->path_texts, text);
	return text;
}

/* ---- symbols --------------------------------------------------------------------------------- */

/* FNV-1a, 64 bits: of the name and the four paths, each with a 0 behind it, and the flags. */
static uint64_t content_hash(const struct catalog *c, const struct known *k)
{
	const uint32_t texts[] = { k->name, k->section, k->object, k->source, k->component };
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		const struct str s = catalog_text(c, texts[i]);
		for (size_t n = 0; n <= s.len; n++)
			hash = (hash ^ (n < s.len ? (uint8_t)s.p[n] : 0)) * UINT64_C(0x100000001b3);
	}
	return (hash ^ k->flags) * UINT64_C(0x100000001b3);
}

/* Takes the cells of a symbol, from `first` on. */
static struct known read_known(struct catalog *c, struct db_query *q, int first)
{
	struct known k = { .name = intern_add(&c->texts, db_text(q, first)) };
	int64_t rows[4];
	for (int i = 0; i < 4; i++)
		rows[i] = db_int(q, first + 1 + i);
	k.flags = (uint32_t)db_int(q, first + 5) & UINT16_MAX;
	k.section = path_text(c, rows[0]);
	k.object = path_text(c, rows[1]);
	k.source = path_text(c, rows[2]);
	k.component = path_text(c, rows[3]);
	return k;
}

static struct str content_key(const struct known *k)
{
	return (struct str){ (const char *)&k->name, sizeof *k - offsetof(struct known, name) };
}

static bool same_content(const struct known *a, const struct known *b)
{
	return str_eq(content_key(a), content_key(b));
}

static uint32_t insert_symbol(struct catalog *c, const struct known *k, uint64_t hash)
{
	const uint32_t texts[] = { k->section, k->object, k->source, k->component };
	uint32_t rows[COUNT_OF(texts)];
	for (size_t i = 0; i < COUNT_OF(texts); i++)
		rows[i] = text_row(c, texts[i]);
	struct db_query *q = db_query(c->db, add_symbol);
	db_put(q, (int64_t)hash);
	db_put_text(q, catalog_text(c, k->name));
	for (size_t i = 0; i < COUNT_OF(texts); i++)
		db_put(q, rows[i]);
	db_put(q, k->flags);
	const uint32_t id = db_row(q) ? row_id(c, db_int(q, 0)) : 0;
	db_do(q);
	return id;
}

/* The row of a symbol that is not in memory. */
static uint32_t symbol_row(struct catalog *c, const struct known *k)
{
	const uint64_t hash = content_hash(c, k);
	struct db_query *q = db_query(c->db, symbols_by_hash);
	db_put(q, (int64_t)hash);
	while (db_row(q)) {
		const uint32_t id = row_id(c, db_int(q, 0));
		const struct known there = read_known(c, q, 1);
		if (same_content(&there, k))
			return id;
	}
	return insert_symbol(c, k, hash);
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
	if (place < c->list.count)
		return place;
	struct known made = *k;
	made.id = symbol_row(c, k);
	vec_push(&c->list, made);
	set_place(c, made.id, place);
	return place;
}

bool catalog_find(struct catalog *c, uint32_t id, uint32_t *ret)
{
	uint32_t row;
	if (intern_find(&c->rows, row_key(&id), &row)) {
		*ret = c->row_places.data[row];
		return true;
	}
	struct db_query *q = db_query(c->db, symbol_of);
	db_put(q, id);
	if (!db_row(q))
		return db_fail(c->db, HEFT_EFORMAT, "is damaged: a symbol of a build is missing");
	struct known k = read_known(c, q, 0);
	db_do(q);
	k.id = id;
	const uint32_t place = intern_add(&c->keys, content_key(&k));
	if (place == c->list.count)
		vec_push(&c->list, k);
	set_place(c, id, place);
	*ret = place;
	return true;
}
