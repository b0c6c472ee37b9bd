/* Implements the engine for an SQLite file. */
#include "history/engine.h"

#include <sqlite3.h>
#include <time.h>

/* Creates the tables of a store. The table of staged rows is temporary. */
static const char schema[] = DB_SCHEMA("INTEGER", "INTEGER PRIMARY KEY", "TEXT", "REAL", "BLOB",
				       " UNIQUE", " WITHOUT ROWID",
				       "CREATE INDEX measures_by_label ON measures(label);");

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

struct sqlite {
	sqlite3 *handle;
	time_t since; /* Start of the wait for another process, in seconds */
};

static sqlite3 *handle_of(const struct db *db)
{
	return ((struct sqlite *)db->own)->handle;
}

static void db_sqlite_check(struct db *db, int status)
{
	if (status == SQLITE_OK)
		return;
	for (size_t i = 0; i < COUNT_OF(reasons); i++)
		if ((status & 0xff) == reasons[i].status)
			db_say(db, reasons[i].code, "%s", reasons[i].text);
	db_say(db, HEFT_EIO, "fails: SQLite: %s", sqlite3_errmsg(handle_of(db)));
}

static void db_sqlite_run(struct db *db, const char *sql)
{
	db_sqlite_check(db, sqlite3_exec(handle_of(db), sql, NULL, NULL, NULL));
}

/* True if SQLite should continue to wait. SQLite's own timeout adds up the intended sleeps, so it
 * lasts longer on a busy machine. */
static int goes_on_waiting(void *ctx, int times)
{
	static const struct timespec pause = { 0, 20 * 1000 * 1000 };
	struct sqlite *s = ctx;
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	if (times == 0)
		s->since = now.tv_sec;
	if (now.tv_sec - s->since >= DB_PATIENCE / 1000)
		return 0;
	nanosleep(&pause, NULL);
	return 1;
}

static bool db_sqlite_open_file(struct db *db, const char *path)
{
	struct sqlite *s = mem_zeroed(1, sizeof *s);
	const bool writes = db->flags & DB_WRITES;
	/* A reader needs write access to undo the changes of a killed writer. */
	const int mode = SQLITE_OPEN_READWRITE | (writes ? SQLITE_OPEN_CREATE : 0);
	db->own = s;
	db_sqlite_check(db, sqlite3_open_v2(path, &s->handle, mode, NULL));
	if (db->failed)
		return false;
	if (!(db->flags & DB_NO_WAIT))
		sqlite3_busy_handler(s->handle, goes_on_waiting, s);
	db_sqlite_run(db, "PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY"); /* 64 MiB */
	return !db->failed;
}

static void close_file(struct db *db)
{
	struct sqlite *s = db->own;
	sqlite3_stmt *st;
	if (!s)
		return;
	while (s->handle && (st = sqlite3_next_stmt(s->handle, NULL)) != NULL)
		sqlite3_finalize(st);
	sqlite3_close(s->handle);
	mem_free(s);
}

static void db_sqlite_begin(struct db *db, bool writes)
{
	db_sqlite_run(db, writes ? "BEGIN IMMEDIATE" : "BEGIN");
}

static void db_sqlite_commit(struct db *db)
{
	db_sqlite_run(db, "COMMIT");
}

static void db_sqlite_rollback(struct db *db)
{
	for (size_t i = 0; i < db->queries.count; i++)
		if (db->queries.data[i]->own)
			sqlite3_reset(db->queries.data[i]->own);
	sqlite3_exec(handle_of(db), "ROLLBACK", NULL, NULL, NULL);
}

static void compact(struct db *db)
{
	db_sqlite_run(db, "VACUUM");
}

/* Writes "INSERT INTO table(columns) VALUES(?, ?)". */
static void insert_text(struct text *t, const struct db_table_facts *table)
{
	text_add_all(t, "INSERT INTO ", table->name, "(", table->columns, ") VALUES(?");
	for (const char *p = table->columns; *p; p++)
		if (*p == ',')
			text_add(t, STR(",?"));
	text_add_char(t, ')');
}

static bool db_sqlite_prepare(struct db_query *q)
{
	struct text t = { 0 };
	sqlite3_stmt *st = NULL;
	if (q->table)
		insert_text(&t, q->table);
	else
		text_add(&t, str_of(q->text));
	db_sqlite_check(q->db, sqlite3_prepare_v3(handle_of(q->db), t.p, (int)t.len,
						  SQLITE_PREPARE_PERSISTENT, &st, NULL));
	text_release(&t);
	q->own = st;
	return !q->db->failed;
}

static int db_sqlite_bind(struct db_query *q, int i)
{
	const struct db_value *v = &q->values.data[i];
	const struct str s = db_value_text(q, (size_t)i);
	switch (v->type) {
	case DB_INT: return sqlite3_bind_int64(q->own, i + 1, v->integer);
	case DB_REAL: return sqlite3_bind_double(q->own, i + 1, v->real);
	case DB_TEXT:
		return sqlite3_bind_text64(q->own, i + 1, s.p, s.len, SQLITE_STATIC, SQLITE_UTF8);
	case DB_BYTES: return sqlite3_bind_blob64(q->own, i + 1, s.p, s.len, SQLITE_STATIC);
	case DB_NULL: break;
	}
	return sqlite3_bind_null(q->own, i + 1);
}

static void db_sqlite_start(struct db_query *q)
{
	for (size_t i = 0; i < q->values.count; i++)
		db_sqlite_check(q->db, db_sqlite_bind(q, (int)i));
}

static bool db_sqlite_row(struct db_query *q)
{
	const int status = sqlite3_step(q->own);
	if (status != SQLITE_ROW && status != SQLITE_DONE)
		db_sqlite_check(q->db, status);
	return status == SQLITE_ROW;
}

static void db_sqlite_reset(struct db_query *q)
{
	sqlite3_reset(q->own);
}

static void db_sqlite_add(struct db_query *q)
{
	db_sqlite_start(q);
	if (!q->db->failed)
		db_sqlite_row(q);
	db_sqlite_reset(q);
}

static int64_t db_sqlite_get_int(struct db_query *q, int cell)
{
	return sqlite3_column_int64(q->own, cell);
}

static double db_sqlite_get_real(struct db_query *q, int cell)
{
	return sqlite3_column_double(q->own, cell);
}

static struct str db_sqlite_get_text(struct db_query *q, int cell)
{
	const char *text = (const char *)sqlite3_column_text(q->own, cell);
	return text ? (struct str){ text, (size_t)sqlite3_column_bytes(q->own, cell) } : STR("");
}

static struct bytes db_sqlite_get_bytes(struct db_query *q, int cell)
{
	const void *p = sqlite3_column_blob(q->own, cell);
	return (struct bytes){ p, p ? (uint64_t)sqlite3_column_bytes(q->own, cell) : 0 };
}

const struct db_engine engine_sqlite = {
	.schema = schema,
	.staging = DB_STAGING("TEXT"),
	.count_own = "SELECT count(*) FROM sqlite_master WHERE name IN (" DB_TABLE_NAMES ")",
	.count_others = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name NOT IN "
			"(" DB_TABLE_NAMES ")",
	.open = db_sqlite_open_file,
	.close = close_file,
	.run = db_sqlite_run,
	.begin = db_sqlite_begin,
	.commit = db_sqlite_commit,
	.rollback = db_sqlite_rollback,
	.compact = compact,
	.prepare = db_sqlite_prepare,
	.reset = db_sqlite_reset,
	.start = db_sqlite_start,
	.add = db_sqlite_add,
	.row = db_sqlite_row,
	.get_int = db_sqlite_get_int,
	.get_real = db_sqlite_get_real,
	.get_text = db_sqlite_get_text,
	.get_bytes = db_sqlite_get_bytes,
};
