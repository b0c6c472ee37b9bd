/* Implements the common parts of all database engines: parameters, statements and failures. */
#include "history/engine.h"

#include <stdio.h>

const struct db_table_facts db_tables[TABLES] = {
	[TABLE_LISTS] = { "lists", "build, depth, data" },
	[TABLE_MEASURES] = { "measures", "id, source, kind, label" },
	[TABLE_SIZES] = { "sizes", "measure, build, was, now" },
	[TABLE_BUILDS] = { "builds", "id, base, product, config, commit_id, parent, branch, time, "
				     "machine, file, vm, symbols" },
	[TABLE_STAGED] = { "staged", "hash, name, section, source, object, component, was, now, "
				     "vm_was, vm_now" },
};

bool db_say(struct db *db, enum heft_code code, const char *fmt, ...)
{
	char text[sizeof db->err.text];
	va_list args;
	if (db->failed)
		return false;
	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	db->failed = true;
	return fail(&db->err, code, HEFT_NO_OFFSET, "%s %s", db->name, text);
}

bool db_fail(struct db *db, enum heft_code code, const char *text)
{
	return db_say(db, code, "%s", text);
}

bool db_check(const struct db *db, struct heft_err *err)
{
	if (db->failed && err)
		*err = db->err;
	return !db->failed;
}

/* Returns the address without user, password and options. */
static char *db_shown_name(const char *url)
{
	struct text t = { 0 };
	const char *scheme = strstr(url, "://"), *start = scheme ? scheme + 3 : url;
	/* The authority is between "scheme://" and the path. */
	const struct str a = { start, strcspn(start, "/?#") };
	const char *host = a.p;
	for (size_t i = 0; i < a.len; i++)
		host = a.p[i] == '@' ? a.p + i + 1 : host;
	text_add(&t, (struct str){ url, (size_t)(a.p - url) });
	text_add(&t, (struct str){ host, strcspn(host, "?#") });
	text_add_char(&t, '\0');
	return t.p;
}

static bool has_scheme(const char *url, const char *scheme)
{
	return strncmp(url, scheme, strlen(scheme)) == 0 &&
	       strncmp(url + strlen(scheme), "://", 3) == 0;
}

static const struct db_engine *find_engine(const char *url, struct heft_err *err)
{
	if (has_scheme(url, "clickhouse")) {
		fail(err, HEFT_EUNSUPPORTED, HEFT_NO_OFFSET,
		     "histories are in files of SQLite or in PostgreSQL; 'heft history export' "
		     "writes rows that ClickHouse loads");
		return NULL;
	}
	if (!has_scheme(url, "postgresql") && !has_scheme(url, "postgres"))
		return &engine_sqlite;
	if (!engine_postgres)
		fail(err, HEFT_EUNSUPPORTED, HEFT_NO_OFFSET,
		     "this heft was built without libpq and knows no PostgreSQL");
	return engine_postgres;
}

struct db *db_open(const char *url, unsigned flags, struct heft_err *err)
{
	const struct db_engine *engine = find_engine(url, err);
	if (!engine)
		return NULL;
	struct db *db = mem_zeroed(1, sizeof *db);
	db->engine = engine;
	db->flags = flags;
	db->broken.db = db;
	if (engine == &engine_sqlite) {
		db->name = mem_alloc(strlen(url) + 1);
		memcpy(db->name, url, strlen(url) + 1);
	} else {
		db->name = db_shown_name(url);
	}
	if (engine->open(db, url))
		return db;
	db_check(db, err);
	db_close(db);
	return NULL;
}

static void free_query(struct db_query *q)
{
	vec_release(&q->values);
	text_release(&q->room);
}

void db_close(struct db *db)
{
	if (!db)
		return;
	for (size_t i = 0; i < db->queries.count; i++) {
		struct db_query *q = db->queries.data[i];
		if (db->own && db->engine->forget)
			db->engine->forget(q);
		free_query(q);
		mem_free(q);
	}
	db->engine->close(db);
	vec_release(&db->queries);
	free_query(&db->broken);
	mem_free_all(db->name, db);
}

unsigned db_count_tables(struct db *db, bool *ret_others)
{
	*ret_others = db->engine->count_others && db_ask(db, db->engine->count_others) > 0;
	return (unsigned)db_ask(db, db->engine->count_own);
}

void db_run(struct db *db, const char *sql)
{
	if (!db->failed)
		db->engine->run(db, sql);
}

void db_make_tables(struct db *db)
{
	db_run(db, db->engine->schema);
}

void db_make_staging(struct db *db)
{
	db_run(db, db->engine->staging);
}

void db_settle_staged(struct db *db)
{
	if (db->engine->staged)
		db_do(db_query(db, db->engine->staged));
}

void db_compact(struct db *db)
{
	if (!db->failed && db->engine->compact)
		db->engine->compact(db);
}

static void history_db_begin(struct db *db, bool writes)
{
	if (!db->failed)
		db->engine->begin(db, writes);
	db->open = !db->failed;
}

void db_begin(struct db *db)
{
	history_db_begin(db, true);
}

void db_begin_reading(struct db *db)
{
	history_db_begin(db, false);
}

bool db_commit(struct db *db)
{
	if (!db->failed)
		db->engine->commit(db);
	if (db->failed && db->open)
		db->engine->rollback(db);
	db->open = false;
	return !db->failed;
}

static struct db_query *make_query(struct db *db, const void *key, const char *text,
				   const struct db_table_facts *table)
{
	struct db_query *q = mem_zeroed(1, sizeof *q);
	*q = (struct db_query){ .db = db, .key = key, .text = text, .table = table };
	if (!db->engine->prepare(q)) {
		mem_free(q);
		return &db->broken;
	}
	vec_push(&db->queries, q);
	return q;
}

static struct db_query *begin_query(struct db *db, const void *key, const char *text,
				    const struct db_table_facts *table)
{
	if (db->failed)
		return &db->broken;
	struct db_query *q = NULL;
	for (size_t i = 0; i < db->queries.count && !q; i++)
		if (db->queries.data[i]->key == key)
			q = db->queries.data[i];
	if (!q)
		return make_query(db, key, text, table);
	if (q->state == DB_RUNNING)
		db->engine->reset(q);
	q->state = DB_NEW;
	q->values.count = 0;
	q->room.len = 0;
	return q;
}

struct db_query *db_query(struct db *db, const char *sql)
{
	return begin_query(db, sql, sql, NULL);
}

struct db_query *db_insert(struct db *db, enum db_table table)
{
	return begin_query(db, &db_tables[table], NULL, &db_tables[table]);
}

static void history_db_put(struct db_query *q, struct db_value v, const char *bytes)
{
	if (q->db->failed)
		return;
	v.at = q->room.len;
	if (v.size > 0)
		text_add(&q->room, (struct str){ bytes, v.size });
	vec_push(&q->values, v);
}

void db_put(struct db_query *q, int64_t v)
{
	history_db_put(q, (struct db_value){ .type = DB_INT, .integer = v }, NULL);
}

void db_put_real(struct db_query *q, double v)
{
	history_db_put(q, (struct db_value){ .type = DB_REAL, .real = v }, NULL);
}

void db_put_text(struct db_query *q, struct str s)
{
	history_db_put(q, (struct db_value){ .type = DB_TEXT, .size = s.len }, s.p);
}

void db_put_bytes(struct db_query *q, struct bytes b)
{
	history_db_put(q, (struct db_value){ .type = DB_BYTES, .size = (size_t)b.size },
		       (const char *)b.p);
}

void db_put_null(struct db_query *q)
{
	history_db_put(q, (struct db_value){ .type = DB_NULL }, NULL);
}

static void end_query(struct db_query *q)
{
	if (q->state == DB_RUNNING)
		q->db->engine->reset(q);
	q->state = DB_OVER;
}

bool db_row(struct db_query *q)
{
	struct db *db = q->db;
	if (db->failed || !q->text || q->state == DB_OVER)
		return false;
	if (q->state == DB_NEW)
		db->engine->start(q);
	q->state = DB_RUNNING;
	if (!db->failed && db->engine->row(q))
		return true;
	end_query(q);
	return false;
}

void db_do(struct db_query *q)
{
	if (q->db->failed)
		return;
	if (q->table) {
		q->db->engine->add(q);
		return;
	}
	if (q->state == DB_NEW)
		db_row(q);
	end_query(q);
}

int64_t db_int(struct db_query *q, int cell)
{
	return q->db->failed ? 0 : q->db->engine->get_int(q, cell);
}

double db_real(struct db_query *q, int cell)
{
	return q->db->failed ? 0 : q->db->engine->get_real(q, cell);
}

struct str db_text(struct db_query *q, int cell)
{
	return q->db->failed ? STR("") : q->db->engine->get_text(q, cell);
}

struct bytes db_bytes(struct db_query *q, int cell)
{
	return q->db->failed ? (struct bytes){ NULL, 0 } : q->db->engine->get_bytes(q, cell);
}

int64_t db_ask(struct db *db, const char *sql)
{
	struct db_query *q = db_query(db, sql);
	const int64_t v = db_row(q) ? db_int(q, 0) : 0;
	db_do(q);
	return v;
}
