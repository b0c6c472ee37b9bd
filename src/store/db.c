#include "store/db.h"

#include "base/vec.h"

#include <sqlite3.h>
#include <stdio.h>

/* How long a writer waits for the others, in ms. */
enum { PATIENCE = 60000 };

struct db_query {
	struct db *db;
	const char *sql;
	sqlite3_stmt *st;
	int put; /* parameters so far */
};

struct db {
	struct owned *owned; /* closes the database of what is given up */
	sqlite3 *sqlite;
	char *path;
	VEC(struct db_query *) queries;
	struct db_query broken; /* stands for a statement that could not be prepared */
	struct heft_err err;
	bool failed, open; /* open: a transaction is */
};

/* ---- failures -------------------------------------------------------------------------------- */

static const struct {
	int status;
	enum heft_code code;
	const char *text;
} reasons[] = {
	{ SQLITE_NOTADB, HEFT_EFORMAT, "is no history: not a file of SQLite" },
	{ SQLITE_CORRUPT, HEFT_EFORMAT,
	  "is damaged; restore a copy, or add the builds to a new one" },
	{ SQLITE_BUSY, HEFT_EIO, "is locked by another process; try again when that has ended" },
	{ SQLITE_FULL, HEFT_EIO, "cannot grow: the disk is full; nothing was changed" },
	{ SQLITE_IOERR, HEFT_EIO,
	  "cannot be read or written: the disk refuses it, as full ones do; nothing was changed" },
	{ SQLITE_READONLY, HEFT_EIO, "cannot be written; check its permissions and its folder's" },
	{ SQLITE_CANTOPEN, HEFT_EIO,
	  "cannot be opened; a history is made by 'heft history add' in a folder that is there" },
	{ SQLITE_NOMEM, HEFT_ENOMEM, "out of memory" },
};

static bool sqlite_fails(struct db *db, int status)
{
	if (db->failed)
		return false;
	db->failed = true;
	for (size_t i = 0; i < COUNT_OF(reasons); i++)
		if ((status & 0xff) == reasons[i].status)
			return fail(&db->err, reasons[i].code, HEFT_NO_OFFSET, "%s %s", db->path,
				    reasons[i].text);
	return fail(&db->err, HEFT_EIO, HEFT_NO_OFFSET, "%s: SQLite: %s", db->path,
		    sqlite3_errmsg(db->sqlite));
}

bool db_fail(struct db *db, enum heft_code code, const char *text)
{
	if (!db->failed)
		fail(&db->err, code, HEFT_NO_OFFSET, "%s %s", db->path, text);
	db->failed = true;
	return false;
}

bool db_check(const struct db *db, struct heft_err *err)
{
	if (db->failed && err)
		*err = db->err;
	return !db->failed;
}

/* ---- opening --------------------------------------------------------------------------------- */

static void close_sqlite(void *ctx)
{
	struct db *db = ctx;
	sqlite3_stmt *st;
	while ((st = sqlite3_next_stmt(db->sqlite, NULL)) != NULL)
		sqlite3_finalize(st);
	sqlite3_close(db->sqlite);
}

struct db *db_open(const char *path, bool writes, struct heft_err *err)
{
	struct db *db = mem_zeroed(1, sizeof *db);
	/* Who reads may have to take back what a writer that was killed has left behind. */
	const int mode = SQLITE_OPEN_READWRITE | (writes ? SQLITE_OPEN_CREATE : 0);
	const size_t size = strlen(path) + 1;
	db->path = mem_alloc(size);
	memcpy(db->path, path, size);
	db->broken.db = db;
	db->owned = memory_own(close_sqlite, db);
	const int status = sqlite3_open_v2(path, &db->sqlite, mode, NULL);
	if (status != SQLITE_OK) {
		sqlite_fails(db, status);
		db_check(db, err);
		db_close(db);
		return NULL;
	}
	sqlite3_busy_timeout(db->sqlite, PATIENCE);
	db_run(db, "PRAGMA cache_size = -65536"); /* KiB */
	return db;
}

void db_close(struct db *db)
{
	if (!db)
		return;
	memory_disown(db->owned);
	close_sqlite(db);
	for (size_t i = 0; i < db->queries.count; i++)
		mem_free(db->queries.data[i]);
	vec_release(&db->queries);
	mem_free(db->path);
	mem_free(db);
}

/* ---- transactions ---------------------------------------------------------------------------- */

void db_run(struct db *db, const char *sql)
{
	if (db->failed)
		return;
	const int status = sqlite3_exec(db->sqlite, sql, NULL, NULL, NULL);
	if (status != SQLITE_OK)
		sqlite_fails(db, status);
}

void db_begin(struct db *db)
{
	db_run(db, "BEGIN IMMEDIATE");
	db->open = !db->failed;
}

bool db_commit(struct db *db)
{
	db_run(db, "COMMIT");
	if (db->failed)
		db_rollback(db);
	db->open = false;
	return !db->failed;
}

void db_rollback(struct db *db)
{
	for (size_t i = 0; i < db->queries.count; i++)
		sqlite3_reset(db->queries.data[i]->st);
	if (db->open)
		sqlite3_exec(db->sqlite, "ROLLBACK", NULL, NULL, NULL);
	db->open = false;
}

/* ---- statements ------------------------------------------------------------------------------ */

static struct db_query *find_query(struct db *db, const char *sql)
{
	for (size_t i = 0; i < db->queries.count; i++)
		if (db->queries.data[i]->sql == sql)
			return db->queries.data[i];
	return NULL;
}

static struct db_query *prepare(struct db *db, const char *sql)
{
	sqlite3_stmt *st = NULL;
	const int status = sqlite3_prepare_v3(db->sqlite, sql, -1, SQLITE_PREPARE_PERSISTENT, &st,
					      NULL);
	if (status != SQLITE_OK) {
		sqlite_fails(db, status);
		return &db->broken;
	}
	struct db_query *q = mem_zeroed(1, sizeof *q);
	*q = (struct db_query){ .db = db, .sql = sql, .st = st };
	vec_push(&db->queries, q);
	return q;
}

struct db_query *db_query(struct db *db, const char *sql)
{
	if (db->failed)
		return &db->broken;
	struct db_query *q = find_query(db, sql);
	if (!q)
		return prepare(db, sql);
	sqlite3_reset(q->st);
	q->put = 0;
	return q;
}

static void put_status(struct db_query *q, int status)
{
	if (status != SQLITE_OK)
		sqlite_fails(q->db, status);
}

void db_put(struct db_query *q, int64_t v)
{
	if (!q->db->failed)
		put_status(q, sqlite3_bind_int64(q->st, ++q->put, v));
}

void db_put_real(struct db_query *q, double v)
{
	if (!q->db->failed)
		put_status(q, sqlite3_bind_double(q->st, ++q->put, v));
}

void db_put_text(struct db_query *q, struct str s)
{
	if (!q->db->failed)
		put_status(q, sqlite3_bind_text64(q->st, ++q->put, s.p ? s.p : "", s.len,
						  SQLITE_TRANSIENT, SQLITE_UTF8));
}

void db_put_bytes(struct db_query *q, struct bytes b)
{
	if (!q->db->failed)
		put_status(q, sqlite3_bind_blob64(q->st, ++q->put, b.p ? (const void *)b.p : "",
						  b.size, SQLITE_TRANSIENT));
}

void db_put_null(struct db_query *q)
{
	if (!q->db->failed)
		put_status(q, sqlite3_bind_null(q->st, ++q->put));
}

bool db_row(struct db_query *q)
{
	if (q->db->failed)
		return false;
	const int status = sqlite3_step(q->st);
	if (status == SQLITE_ROW)
		return true;
	if (status != SQLITE_DONE)
		sqlite_fails(q->db, status);
	sqlite3_reset(q->st);
	return false;
}

void db_do(struct db_query *q)
{
	while (db_row(q))
		;
}

int64_t db_int(struct db_query *q, int cell)
{
	return q->db->failed ? 0 : sqlite3_column_int64(q->st, cell);
}

double db_real(struct db_query *q, int cell)
{
	return q->db->failed ? 0 : sqlite3_column_double(q->st, cell);
}

struct str db_text(struct db_query *q, int cell)
{
	const char *text = q->db->failed ? NULL : (const char *)sqlite3_column_text(q->st, cell);
	return text ? (struct str){ text, (size_t)sqlite3_column_bytes(q->st, cell) } : STR("");
}

struct bytes db_bytes(struct db_query *q, int cell)
{
	const void *p = q->db->failed ? NULL : sqlite3_column_blob(q->st, cell);
	return (struct bytes){ p, p ? (uint64_t)sqlite3_column_bytes(q->st, cell) : 0 };
}

bool db_is_null(struct db_query *q, int cell)
{
	return q->db->failed || sqlite3_column_type(q->st, cell) == SQLITE_NULL;
}
