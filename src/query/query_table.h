/* query_table.h - declares the virtual table of symbols. Private to query*.c. */
#pragma once

#include "query/sqlite.h"
#include "snapshot/snapshot.h"

/* Adds a table of a snapshot's symbols, or of its `charges`. Returns an SQLite status. */
int query_table_add(sqlite3 *db, const char *name, const struct snapshot *s, bool charges);
