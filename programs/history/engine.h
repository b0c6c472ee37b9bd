/* engine.h - declares the interface of a database engine for db.h: a table of functions, and the
 * data that all engines share.
 *
 * db.c collects the parameters of a statement, and runs the statement when its first row is
 * requested. An engine gets no call after a failure. One thread. */
#pragma once

#include "base/text.h"
#include "base/vec.h"
#include "history/db.h"

/* Maximal time in milliseconds that a writer waits for others. Then it fails. */
enum { DB_PATIENCE = 60000 };

enum db_type { DB_NULL, DB_INT, DB_REAL, DB_TEXT, DB_BYTES };

#define DB_TABLE_NAMES                                                                             \
	"'store', 'paths', 'symbols', 'lists', 'sections', 'changes', 'builds', 'measures', "      \
	"'sizes'"

/* SQL that creates the tables of a store. Types: `number` of an integer, `serial` of an id that the
 * database counts, `text` of a text that it compares byte by byte, `real`, `blob`. `unique` follows
 * the column of paths, `end` the tables whose rows have their key alone. `indexes` is SQL. */
#define DB_SCHEMA(number, serial, text, real, blob, unique, end, indexes)                          \
	"CREATE TABLE store(version " number " NOT NULL, edition " number " NOT NULL);"            \
	"INSERT INTO store VALUES(1, 0);"                                                          \
	"CREATE TABLE paths(id " serial ", path " text " NOT NULL" unique ");"                     \
	"CREATE TABLE symbols(id " serial ", hash " number " NOT NULL, name " text                 \
	" NOT NULL, section " number " NOT NULL, object " number " NOT NULL, source " number       \
	" NOT NULL, component " number " NOT NULL);"                                               \
	"CREATE INDEX symbols_by_hash ON symbols(hash);"                                           \
	"CREATE TABLE builds(id " number " PRIMARY KEY, base " number ", product "                 \
	"TEXT NOT NULL, config TEXT NOT NULL, commit_id TEXT NOT NULL, parent TEXT "               \
	"NOT NULL, branch TEXT NOT NULL, time " number " NOT NULL, machine TEXT NOT "              \
	"NULL, file " number " NOT NULL, vm " number " NOT NULL, symbols " number " "              \
	"NOT NULL, UNIQUE(product, config, commit_id));"                                           \
	"CREATE TABLE lists(build " number " PRIMARY KEY, depth " number " NOT NULL, data " blob   \
	" NOT NULL);"                                                                              \
	"CREATE TABLE sections(section " number ", build " number ", size " number                 \
	" NOT NULL, in_file " number " NOT NULL, in_memory " number " NOT NULL, "                  \
	"PRIMARY KEY(section, build))" end ";"                                                     \
	"CREATE TABLE changes(symbol " number ", build " number ", was " real                      \
	" NOT NULL, now " real " NOT NULL, vm_was " real " NOT NULL, vm_now " real                 \
	" NOT NULL, PRIMARY KEY(symbol, build))" end ";"                                           \
	"CREATE TABLE measures(id " number " PRIMARY KEY, source TEXT NOT NULL, "                  \
	"kind TEXT NOT NULL, label " text " NOT NULL);"                                            \
	"CREATE TABLE sizes(measure " number ", build " number ", was " real                       \
	" NOT NULL, now " real " NOT NULL, PRIMARY KEY(measure, build))" end                       \
	";" indexes DB_STEPS_VIEW DB_MEASURED_VIEW

/* SQL that creates temporary tables for the changes of a new build. `text` is the SQL type of a
 * text that the database compares byte by byte. */
#define DB_STAGING(text)                                                                           \
	"CREATE TEMP TABLE IF NOT EXISTS staged(hash BIGINT, name " text ", section " text         \
	", source " text ", object " text ", component " text                                      \
	", was DOUBLE PRECISION, now DOUBLE PRECISION, vm_was DOUBLE PRECISION, "                  \
	"vm_now DOUBLE PRECISION);"                                                                \
	"CREATE TEMP TABLE IF NOT EXISTS moved(build BIGINT, survivor BIGINT);"                    \
	"CREATE TEMP TABLE IF NOT EXISTS merged(item BIGINT, build BIGINT, "                       \
	"was DOUBLE PRECISION, now DOUBLE PRECISION, vm_was DOUBLE PRECISION, "                    \
	"vm_now DOUBLE PRECISION);"                                                                \
	"DELETE FROM staged; DELETE FROM moved; DELETE FROM merged;"

#define DB_STEPS_VIEW                                                                              \
	"CREATE VIEW steps AS SELECT c.build, b.product, b.config, b.commit_id, b.branch, "        \
	"b.time, s.name, section.path AS section, source.path AS source, object.path AS object, "  \
	"component.path AS component, c.was, c.now, c.now - c.was AS change, c.vm_was, c.vm_now, " \
	"c.vm_now - c.vm_was AS vm_change "                                                        \
	"FROM changes c JOIN builds b ON b.id = c.build JOIN symbols s ON s.id = c.symbol "        \
	"JOIN paths section ON section.id = s.section JOIN paths source ON source.id = s.source "  \
	"JOIN paths object ON object.id = s.object "                                               \
	"JOIN paths component ON component.id = s.component;"

#define DB_MEASURED_VIEW                                                                           \
	"CREATE VIEW measured AS SELECT z.build, b.product, b.config, b.commit_id, b.branch, "     \
	"b.time, m.source, m.kind, m.label, z.was, z.now, z.now - z.was AS change "                \
	"FROM sizes z JOIN builds b ON b.id = z.build JOIN measures m ON m.id = z.measure;"

/* A parameter. The bytes of texts are in db_query.room. */
struct db_value {
	enum db_type type;
	int64_t integer;
	double real;
	size_t at, size;
};

struct db_query {
	struct db *db;
	const void *key;                    /* Text of the statement, or &db_tables[i] */
	const char *text;                   /* SQL of the statement. NULL for rows of a table */
	const struct db_table_facts *table; /* Table that gets rows. NULL for a statement */
	enum { DB_NEW, DB_RUNNING, DB_OVER } state;
	VEC(struct db_value) values;
	struct text room;
	void *own; /* Data of the engine */
};

struct db_table_facts {
	const char *name, *columns;
};
extern const struct db_table_facts db_tables[TABLES];

struct db {
	const struct db_engine *engine;
	char *name; /* Name in messages: address without user, password and options */
	void *own;  /* Data of the engine */
	unsigned flags;
	VEC(struct db_query *) queries;
	struct db_query broken; /* Returned for statements after a failure */
	struct heft_err err;
	bool failed, open; /* `failed`: `err` is set. `open`: in a transaction */
};

struct db_engine {
	const char *schema, *staging;
	const char *staged; /* SQL to run when the table `staged` is filled (statistics), or NULL */
	/* Statements that count the tables with the names of a store, and all other tables. */
	const char *count_own, *count_others; /* `count_others` is NULL if other tables are
					       * allowed */
	/* Opens the database. On failure, calls db_say() and returns false. */
	bool (*open)(struct db *db, const char *url);
	void (*close)(struct db *db);
	/* Runs statements without parameters and rows. ';' separates them. */
	void (*run)(struct db *db, const char *sql);
	void (*begin)(struct db *db, bool writes);
	void (*commit)(struct db *db);
	void (*rollback)(struct db *db);
	void (*compact)(struct db *db); /* Frees unused space. NULL if this is not needed */
	/* Prepares a statement once and sets q->own. False on failure. */
	bool (*prepare)(struct db_query *q);
	void (*forget)(struct db_query *q);
	/* Ends a running statement, so that it can run again. */
	void (*reset)(struct db_query *q);
	void (*start)(struct db_query *q);
	/* Adds a row to q->table, with the values in q->values. */
	void (*add)(struct db_query *q);
	bool (*row)(struct db_query *q);
	/* Return a cell. A NULL of the database gives 0 or empty. */
	int64_t (*get_int)(struct db_query *q, int cell);
	double (*get_real)(struct db_query *q, int cell);
	struct str (*get_text)(struct db_query *q, int cell);
	struct bytes (*get_bytes)(struct db_query *q, int cell);
};

extern const struct db_engine engine_sqlite;
/* NULL in a build without this engine */
extern const struct db_engine *const engine_postgres;

/* Records the failure "DATABASE TEXT", unless one is already recorded. Returns false. */
bool db_say(struct db *db, enum heft_code code, const char *fmt, ...) PRINTF_LIKE(3, 4);

static inline struct str db_value_text(const struct db_query *q, size_t i)
{
	const struct db_value *v = &q->values.data[i];
	return (struct str){ v->size > 0 ? q->room.p + v->at : "", v->size };
}
