/* query_table.h - declares the virtual table of symbols. Private to query*.c. */
#ifndef HEFT_QUERY_QUERY_TABLE_H
#define HEFT_QUERY_QUERY_TABLE_H

#include "query/sqlite.h"
#include "snapshot/snapshot.h"

/* Adds a table of a snapshot's symbols to the connection. Returns an SQLite status. */
int query_table_add(sqlite3 *db, const char *name, const struct snapshot *s, bool charges);

#endif
