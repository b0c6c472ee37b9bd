/* measures.h - stores numbers of a build that do not belong to one symbol: bytes of folders and
 * components, and rows of data sources, budgets and heaps.
 *
 * A number has a source ("source", "regions"), a kind ("file", "used") and a label ("src/net/",
 * "FLASH"). It is stored if it differs from the base. If a build has no numbers of a source, it has
 * those of its base.
 *
 * O(numbers). One thread. */
#pragma once

#include "base/intern.h"
#include "base/text.h"
#include "base/vec.h"
#include "history/db.h"

/* A number that was measured for a build in addition to its symbols. */
struct measured_row {
	const char *source; /* "regions", "libraries", "budgets" or "heap" */
	const char *kind;   /* Kind of the number: "file", "vm", "used", "limit", "live_bytes" */
	const char *label;  /* For example "FLASH". " > " joins levels: "FLASH > libm.a" */
	double value;
};

/* A number of a build (`now`) and of its base (`was`). 0 if there is none. */
struct level {
	uint32_t id;    /* Id of the measure's row in the database. 0 if it has none */
	uint32_t build; /* Build that stores `was`. 0 if there is none */
	double was, now;
	bool given; /* True if measured now: gets an id even if the value is 0 */
};

struct measures {
	struct db *db;            /* Borrowed */
	struct intern keys;       /* Source, kind and label, separated by NUL */
	VEC(struct level) levels; /* Indexed by the id of the key */
	VEC(uint32_t)
	known; /* Indexes in `levels` of the database's numbers, by rising id */
	struct text key;
};

/* Reads the keys of all numbers in the database. */
void measures_init(struct measures *m, struct db *db);
void measures_release(struct measures *m);

/* Returns the struct level of a number. Creates a missing one. Valid until the next call. */
struct level *measures_get(struct measures *m, struct str source, struct str kind,
			   struct str label);
/* Sets `was` of all numbers of a source ("regions", "budgets" ...) to their values in a build.
 * `chain` has the ids of that build and its bases, descending. */
void measures_read(struct measures *m, const char *source, const uint32_t *chain, size_t count);
/* Sets `now` and `was` of all numbers of the sources in `rows`. `chain` as for measures_read(). */
void measures_take(struct measures *m, const struct measured_row *rows, size_t row_count,
		   const uint32_t *chain, size_t count);
/* True if no number differs from `was`. */
bool measures_same(const struct measures *m);
void measures_write(struct measures *m, uint32_t build);

void measures_parts(const struct measures *m, uint32_t key, struct str ret[3]);
