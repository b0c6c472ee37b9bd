/* catalog.h - symbols and paths of a store, each once by content, and those in memory that are at
 * work.
 *
 * A symbol of a store is what does not change with its size: name, section, paths, component and
 * flags.  It is known by a small number, its row in the database.  What was looked up once stays in
 * memory.  The database is asked for thousands of them at once, so that a server far away answers a
 * few times for a build, and not once for each symbol.
 *
 * About 0.3 us for a symbol that is in memory, 2 us for another one.  One thread. */
#ifndef HEFT_STORE_CATALOG_H
#define HEFT_STORE_CATALOG_H

#include "snapshot/snapshot.h"
#include "store/db.h"
#include "store/list.h"

/* Texts are ids in catalog.texts. */
struct known {
	uint32_t id; /* in the database */
	uint32_t name, section, object, source, component;
	uint32_t flags; /* enum snap_flag */
};

struct catalog {
	struct db *db; /* borrowed */
	struct intern texts;
	VEC(uint32_t) path_ids;   /* by text: its row in `paths`; 0: it has none */
	struct intern paths;      /* rows, by number ... */
	VEC(uint32_t) path_texts; /* ... and their texts */
	bool has_paths;           /* those of the database were read */
	VEC(struct known) list;
	size_t settled;     /* so many of them have their number */
	struct intern keys; /* by content: place in list */
	struct intern rows; /* by number: place in row_places, and that in list */
	VEC(uint32_t) row_places;
	uint32_t last_path, last_symbol; /* of the database; 0: not asked for */
};

void catalog_init(struct catalog *c, struct db *db);
void catalog_release(struct catalog *c);
/* A transaction has begun that may add rows. */
void catalog_begin(struct catalog *c);

static inline struct str catalog_text(const struct catalog *c, uint32_t id)
{
	return intern_get(&c->texts, id);
}

/* The row of a path, which is added where it is not there yet. */
uint32_t catalog_path(struct catalog *c, struct str path);
/* The place in `list` of a symbol, whose id is not looked at. */
uint32_t catalog_add(struct catalog *c, const struct known *k);
/* Gives all symbols that were added since their ids: those in the database, or new ones, with which
 * they are added to it. */
void catalog_settle(struct catalog *c);
/* Reads the symbols of a list that are not in memory yet. */
void catalog_read(struct catalog *c, const struct entries *list);
/* The place in `list` of a row that is in memory; false, a failure of the database, where it is
 * not. */
bool catalog_find(struct catalog *c, uint32_t id, uint32_t *ret);

#endif
