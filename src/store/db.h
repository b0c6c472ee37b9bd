/* db.h - the database behind a store: statements with parameters, rows of cells.
 *
 * The first failure sticks, as in struct reader: what comes after it does nothing, gives no rows
 * and zeros, and db_check tells it.  So a caller asks once, at the end of what belongs together.
 *
 * Values reach a statement as parameters alone, $1, $2 ... in this order; its texts are literals.
 * The address of the struct sql finds the prepared statement again.  A statement is over when the
 * same one begins again, or when db_row has returned false.
 *
 * Rows are added by tables, not by statements: servers take them in bulk.  They are there for
 * everybody else when db_commit has returned true, and for the transaction itself at the next
 * statement, but with ClickHouse, which shows a transaction nothing of its own.
 *
 * One thread. */
#ifndef HEFT_STORE_DB_H
#define HEFT_STORE_DB_H

#include "base/err.h"
#include "base/reader.h"

struct db;
struct db_query;

/* Whether it is the address of a server; else it is a file's. */
bool db_is_server(const char *url);
/* Whether a file with these bytes is a database of SQLite. */
bool db_matches(struct bytes b);

/* The tables of docs/history.md, in the order in which a transaction fills them: who sees a build
 * sees all that belongs to it. */
enum db_table {
	TABLE_PATHS,    /* id, path */
	TABLE_SYMBOLS,  /* id, hash, name, section, object, source, component, flags */
	TABLE_LISTS,    /* build, depth, data */
	TABLE_SECTIONS, /* section, build, size, in_file, in_memory */
	TABLE_CHANGES,  /* symbol, build, was, own */
	TABLE_MEASURES, /* id, source, kind, label */
	TABLE_SIZES,    /* measure, build, was, now */
	/* id, base, product, config, commit_id, parent, branch, time, machine, file, vm, symbols */
	TABLE_BUILDS,
	TABLES
};

enum db_kind { DB_SQLITE, DB_POSTGRES, DB_CLICKHOUSE, DB_KINDS };

/* A statement in the words of each engine.  NULL: there it does nothing. */
struct sql {
	const char *text[DB_KINDS];
};
#define SQL_ALL(words)                                                                             \
	{                                                                                          \
		{                                                                                  \
			(words), (words), (words)                                                  \
		}                                                                                  \
	}
#define SQL_TWO(words, clickhouse)                                                                 \
	{                                                                                          \
		{                                                                                  \
			(words), (words), (clickhouse)                                             \
		}                                                                                  \
	}

/* For ClickHouse: the columns build, section, name, source, object, component, was, own of what a
 * query about `changes` gives.  Its joins take one table each. */
#define CLICKHOUSE_PATH(row, name)                                                                 \
	") ANY INNER JOIN (SELECT id AS " row ", path AS " name " FROM paths) USING " row
#define CLICKHOUSE_NAMES(changes)                                                                  \
	"(SELECT build, name, was, own, section, source, object, component FROM (SELECT * FROM "   \
	"(SELECT * FROM (SELECT * FROM (SELECT * FROM (" changes ") ANY INNER JOIN (SELECT id "    \
	"AS symbol, name, section AS a, source AS b, object AS c, component AS d FROM symbols) "   \
	"USING symbol" CLICKHOUSE_PATH("a", "section") CLICKHOUSE_PATH("b", "source")              \
		CLICKHOUSE_PATH("c", "object") CLICKHOUSE_PATH("d", "component") ")"

enum db_flag {
	DB_WRITES = 1,  /* it may be changed, and a file is made where there is none */
	DB_NO_WAIT = 2, /* where another process writes, db_begin fails at once */
};

/* postgresql://... and clickhouse://..., or a file of SQLite.  `flags` are bits of enum db_flag.
 * NULL on failure; HEFT_EARG where the address has a password in it, which lists of processes would
 * show. */
struct db *db_open(const char *url, unsigned flags, struct heft_err *err);
void db_close(struct db *db);
/* False, and fills *err, where a call since db_open has failed. */
bool db_check(const struct db *db, struct heft_err *err);
/* Makes a failure of what the database says, which begins with its name: damaged, too new. */
bool db_fail(struct db *db, enum heft_code code, const char *text);

/* How many of the tables are there, and whether tables of somebody else are. */
unsigned db_count_tables(struct db *db, bool *ret_others);
void db_make_tables(struct db *db);
/* So many tables has a store of version 1; db_upgrade makes those that came since, in the
 * transaction that is open.  False where the engine cannot. */
enum { DB_TABLES_OF_1 = 7 };
bool db_upgrade(struct db *db);

/* A transaction that no other writer gets between; waits up to a minute for others, with ClickHouse
 * for each of them.  db_commit returns false, and nothing has changed, where anything in it has
 * failed. */
void db_begin(struct db *db);
/* A transaction that reads, and sees one state of the database where the engine can do so. */
void db_begin_reading(struct db *db);
bool db_commit(struct db *db);
/* Gives back room, where that is not the database's own business. */
void db_compact(struct db *db);
/* Rows cannot be taken out or changed: it is a build that is replaced or left out which is no
 * longer shown. */
bool db_only_adds(const struct db *db);

/* Begins a statement; never NULL.  Parameters follow in their order. */
struct db_query *db_query(struct db *db, const struct sql *sql);
/* Begins a row of a table, whose values follow in the order of its columns; db_do adds it. */
struct db_query *db_insert(struct db *db, enum db_table table);
void db_put(struct db_query *q, int64_t v);
void db_put_real(struct db_query *q, double v);
void db_put_text(struct db_query *q, struct str s);
void db_put_bytes(struct db_query *q, struct bytes b);
void db_put_null(struct db_query *q);
/* A list of numbers, for what the engine calls being in one. */
void db_put_list(struct db_query *q, const int64_t *v, size_t count);
/* The next row; false behind the last.  Cells are numbered from 0 and hold until the next call. */
bool db_row(struct db_query *q);
int64_t db_int(struct db_query *q, int cell);
double db_real(struct db_query *q, int cell);
struct str db_text(struct db_query *q, int cell);
struct bytes db_bytes(struct db_query *q, int cell);
/* Runs a statement whose rows are not wanted, if it has any; ends one before its last row. */
void db_do(struct db_query *q);
/* The first cell of the first row of a statement without parameters, 0 where there is none. */
int64_t db_ask(struct db *db, const struct sql *sql);

#endif
