/* query.h - runs SQL over the symbols of a snapshot, by SQLite.
 *
 * `symbols` is a virtual table that reads the snapshot, without a copy. Opening takes a
 * millisecond. Copying 165,000 symbols would take 0.23 s. docs/query.md names tables and columns.
 * Statements that change anything or open files are refused.
 *
 * The snapshots are borrowed. One thread. */
#pragma once

#include "snapshot/snapshot.h"

struct query;

/* Opens a snapshot for queries. `before`: the other half of a .sizediff file (table
 * `symbols_before`), or NULL. NULL on failure. */
struct query *query_open(const struct snapshot *s, const struct snapshot *before,
			 struct heft_err *err);
void query_close(struct query *q);

/* A reference of a symbol to another, and what a symbol retains: rows of the tables `refs` and
 * `kept`. Addresses: UINT64_MAX if unknown. */
struct query_ref {
	const char *user, *used, *kind;
	uint64_t places, address;
};
struct query_kept {
	const char *symbol;
	uint64_t address, own_file, own_vm, file, vm;
};

/* Rows of the SQL tables `refs` and `kept`. Each function sets row i, or returns false if there is
 * none. query_add_graph() adds both tables, at most once. */
struct query_graph {
	bool (*ref)(void *ctx, size_t i, struct query_ref *ret);
	bool (*kept)(void *ctx, size_t i, struct query_kept *ret);
	void *ctx;
};
bool query_add_graph(struct query *q, const struct query_graph *g, struct heft_err *err);

struct query_cell {
	enum { QUERY_NULL, QUERY_INTEGER, QUERY_REAL, QUERY_TEXT } kind;
	int64_t integer;
	double real;
	struct str text; /* For all kinds: the text as SQLite writes it */
};

/* Receives the results of a statement: its columns, then each row. Cells are valid until the next
 * call. Return false to stop the query. */
struct query_visitor {
	bool (*columns)(void *ctx, const char *const *names, size_t count);
	bool (*row)(void *ctx, const struct query_cell *cells, size_t count);
	bool (*end)(void *ctx);
	void *ctx;
};

/* Runs the statements of a text one after another. HEFT_EARG for a mistake in a statement, HEFT_EIO
 * if the visitor stopped. */
bool query_run(struct query *q, const char *sql, const struct query_visitor *v,
	       struct heft_err *err);

/* True if a text ends with a whole statement. */
bool query_is_complete(const char *sql);

/* Returns ready-made query i. False past the last. Texts are static. */
struct query_named {
	const char *name, *text, *sql;
};
bool query_named_at(size_t i, struct query_named *ret);
