/* db.h - accesses the database of a store: statements with parameters, rows of cells.
 *
 * After the first failure, calls do nothing and return no rows and zeros. db_check() returns that
 * failure. So a caller checks once, at the end of a group of calls.
 *
 * Values are only passed as parameters. $1, $2 and so on must first appear in this order. A
 * statement is a static text in SQL that both engines know. The address of the text identifies its
 * prepared statement. A statement ends when it begins again or when db_row() returns false.
 *
 * db_insert() adds rows in bulk, which is faster than statements on a server. The transaction sees
 * the rows from its next statement on. Other users see them after db_commit() has returned true.
 *
 * One thread. */
#pragma once

#include "base/err.h"
#include "base/reader.h"

struct db;
struct db_query;

/* Tables that accept rows in bulk (docs/history.md). TABLE_STAGED exists only in a transaction. */
enum db_table {
	TABLE_LISTS,    /* Columns: build, depth, data */
	TABLE_MEASURES, /* Columns: id, source, kind, label */
	TABLE_SIZES,    /* Columns: measure, build, was, now */
	/* Columns: id, base, product, config, commit_id, parent, branch, time, machine, file, vm,
	 * symbols */
	TABLE_BUILDS,
	TABLE_STAGED, /* Columns: hash, name, section, source, object, component, was, now,
		       * vm_was, vm_now */
	TABLES
};

enum db_flag {
	DB_WRITES = 1,  /* Allow changes of the database. Creates a missing file */
	DB_NO_WAIT = 2, /* Make db_begin() fail immediately if another process writes */
};

/* Opens a database: postgresql://..., or an SQLite file. `flags` are bits of enum db_flag. NULL on
 * failure. HEFT_EARG if the address has a password, because process lists would show it. */
struct db *db_open(const char *url, unsigned flags, struct heft_err *err);
void db_close(struct db *db);
/* False, with *err, if a call since db_open() has failed. */
bool db_check(const struct db *db, struct heft_err *err);
/* Records a failure (damaged, too new), with the database's name before the text. Returns false. */
bool db_fail(struct db *db, enum heft_code code, const char *text);

/* Returns the number of the store's tables that exist. *ret_others: true if there are tables of
 * other programs. */
unsigned db_count_tables(struct db *db, bool *ret_others);
enum { DB_TABLES = 9 };
void db_make_tables(struct db *db);
/* Creates the empty temporary tables of the next transaction: `staged` (symbols to add), `moved`
 * (build, and the build that replaces it as base) and `merged` (item, build, was, now). */
void db_make_staging(struct db *db);
/* Updates planner statistics of `staged`. Call it after its last row, before statements use it. */
void db_settle_staged(struct db *db);

/* Begins a transaction that excludes other writers. Waits for them at most a minute. If any step
 * fails, db_commit() returns false and the database is unchanged. */
void db_begin(struct db *db);
/* Begins a transaction that only reads. It sees one state of the database. */
void db_begin_reading(struct db *db);
bool db_commit(struct db *db);
/* Frees unused space in the database, unless the engine does this by itself. */
void db_compact(struct db *db);
/* Runs statements without parameters and rows. ';' separates them. */
void db_run(struct db *db, const char *sql);

/* Begins a statement. Never NULL. Add its parameters in their order. */
struct db_query *db_query(struct db *db, const char *sql);
/* Begins a row of a table. Add its values in the order of the columns, then call db_do(). */
struct db_query *db_insert(struct db *db, enum db_table table);
void db_put(struct db_query *q, int64_t v);
void db_put_real(struct db_query *q, double v);
void db_put_text(struct db_query *q, struct str s);
void db_put_bytes(struct db_query *q, struct bytes b);
void db_put_null(struct db_query *q);
/* Moves to the next row. False past the last. Cells count from 0, valid until the next call. */
bool db_row(struct db_query *q);
int64_t db_int(struct db_query *q, int cell);
double db_real(struct db_query *q, int cell);
struct str db_text(struct db_query *q, int cell);
struct bytes db_bytes(struct db_query *q, int cell);
/* Runs a statement and ignores its rows, or ends a statement before its last row. */
void db_do(struct db_query *q);
/* Returns the first cell of the first row of a statement without parameters. 0 if there is none. */
int64_t db_ask(struct db *db, const char *sql);
