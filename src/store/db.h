/* db.h - the database behind a store: statements with parameters, rows of cells.
 *
 * The first failure sticks, as in struct reader: what comes after it does nothing, gives no rows
 * and zeros, and db_check tells it.  So a caller asks once, at the end of what belongs together.
 *
 * Values reach a statement as parameters alone, $1, $2 ... in this order; its text is a literal,
 * whose address finds the prepared statement again.  A statement is over when the next one with the
 * same text begins, or when db_row has returned false.
 *
 * One thread. */
#ifndef HEFT_STORE_DB_H
#define HEFT_STORE_DB_H

#include "base/err.h"
#include "base/reader.h"

struct db;
struct db_query;

/* A file of SQLite.  `writes`: it may be changed, and is made where there is none.  NULL on
 * failure. */
struct db *db_open(const char *path, bool writes, struct heft_err *err);
void db_close(struct db *db);
/* False, and fills *err, where a call since db_open has failed. */
bool db_check(const struct db *db, struct heft_err *err);
/* Makes a failure of what the database says, which begins with its name: damaged, too new. */
bool db_fail(struct db *db, enum heft_code code, const char *text);

/* A transaction that no other writer gets between; waits up to a minute for others.  db_commit
 * returns false, and nothing has changed, where anything in it has failed. */
void db_begin(struct db *db);
bool db_commit(struct db *db);
/* Takes back what the transaction did, if one is open. */
void db_rollback(struct db *db);

/* Runs statements without parameters and rows. */
void db_run(struct db *db, const char *sql);
/* Begins a statement; never NULL.  Parameters follow in their order. */
struct db_query *db_query(struct db *db, const char *sql);
void db_put(struct db_query *q, int64_t v);
void db_put_real(struct db_query *q, double v);
void db_put_text(struct db_query *q, struct str s);
void db_put_bytes(struct db_query *q, struct bytes b);
void db_put_null(struct db_query *q);
/* The next row; false behind the last.  Cells are numbered from 0 and hold until the next call. */
bool db_row(struct db_query *q);
int64_t db_int(struct db_query *q, int cell);
double db_real(struct db_query *q, int cell);
struct str db_text(struct db_query *q, int cell);
struct bytes db_bytes(struct db_query *q, int cell);
bool db_is_null(struct db_query *q, int cell);
/* Runs a statement that gives no rows. */
void db_do(struct db_query *q);

#endif
