/* db.h - the database behind a store: statements with parameters, rows of cells.
 *
 * The first failure sticks, as in struct reader: what comes after it does nothing, gives no rows
 * and zeros, and db_check tells it.  So a caller asks once, at the end of what belongs together.
 *
 * Values reach a statement as parameters alone: $1, $2 ... first appear in this order.  A statement
 * is a static text in the SQL that both engines know; its address finds the prepared statement
 * again.  It is over when the same one begins again, or when db_row has returned false.
 *
 * Rows are added by tables, not by statements: servers take them in bulk.  They are there for
 * everybody else when db_commit has returned true, and for the transaction itself at the next
 * statement.
 *
 * One thread. */
#ifndef HEFT_HISTORY_DB_H
#define HEFT_HISTORY_DB_H

#include "base/err.h"
#include "base/reader.h"

struct db;
struct db_query;

/* Tables that take rows in bulk (docs/history.md); the last one is of a transaction alone. */
enum db_table {
	TABLE_LISTS,    /* build, depth, data */
	TABLE_MEASURES, /* id, source, kind, label */
	TABLE_SIZES,    /* measure, build, was, now */
	/* id, base, product, config, commit_id, parent, branch, time, machine, file, vm, symbols */
	TABLE_BUILDS,
	TABLE_STAGED, /* hash, name, section, source, object, component, was, now, vm_was, vm_now */
	TABLES
};

enum db_flag {
	DB_WRITES = 1,  /* it may be changed, and a file is made where there is none */
	DB_NO_WAIT = 2, /* where another process writes, db_begin fails at once */
};

/* postgresql://..., or a file of SQLite.  `flags` are bits of enum db_flag.  NULL on failure;
 * HEFT_EARG where the address has a password in it, which lists of processes would show. */
struct db *db_open(const char *url, unsigned flags, struct heft_err *err);
void db_close(struct db *db);
/* False, and fills *err, where a call since db_open has failed. */
bool db_check(const struct db *db, struct heft_err *err);
/* Makes a failure of what the database says, which begins with its name: damaged, too new. */
bool db_fail(struct db *db, enum heft_code code, const char *text);

/* How many of the tables are there, and whether tables of somebody else are. */
unsigned db_count_tables(struct db *db, bool *ret_others);
enum { DB_TABLES = 9 };
void db_make_tables(struct db *db);
/* Makes the empty tables `staged`, `moved` (build, survivor) and `merged` (item, build, was, now),
 * which the next transaction works with. */
void db_make_staging(struct db *db);
/* Call it after the last row of `staged`, before statements about them. */
void db_settle_staged(struct db *db);

/* A transaction that no other writer gets between; waits up to a minute for others.  db_commit
 * returns false, and nothing has changed, where anything in it has failed. */
void db_begin(struct db *db);
/* A transaction that reads, and sees one state of the database. */
void db_begin_reading(struct db *db);
bool db_commit(struct db *db);
/* Gives back room, where that is not the database's own business. */
void db_compact(struct db *db);
/* Runs statements without parameters and rows, with ';' between. */
void db_run(struct db *db, const char *sql);

/* Begins a statement; never NULL.  Parameters follow in their order. */
struct db_query *db_query(struct db *db, const char *sql);
/* Begins a row of a table, whose values follow in the order of its columns; db_do adds it. */
struct db_query *db_insert(struct db *db, enum db_table table);
void db_put(struct db_query *q, int64_t v);
void db_put_real(struct db_query *q, double v);
void db_put_text(struct db_query *q, struct str s);
void db_put_bytes(struct db_query *q, struct bytes b);
void db_put_null(struct db_query *q);
/* The next row; false past the last.  Cells are numbered from 0 and hold until the next call. */
bool db_row(struct db_query *q);
int64_t db_int(struct db_query *q, int cell);
double db_real(struct db_query *q, int cell);
struct str db_text(struct db_query *q, int cell);
struct bytes db_bytes(struct db_query *q, int cell);
/* Runs a statement whose rows are not wanted, if it has any; ends one before its last row. */
void db_do(struct db_query *q);
/* The first cell of the first row of a statement without parameters, 0 where there is none. */
int64_t db_ask(struct db *db, const char *sql);

#endif
