/* query_table.h - the virtual table of symbols.  Private to query*.c. */
#ifndef HEFT_QUERY_QUERY_TABLE_H
#define HEFT_QUERY_QUERY_TABLE_H

#include "query/sqlite.h"
#include "snapshot/snapshot.h"

/* Makes a table of the symbols of a snapshot known to the connection; an SQLite status. */
int query_table_add(sqlite3 *db, const char *name, const struct snapshot *s, bool charges);

#endif
