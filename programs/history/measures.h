/* measures.h - numbers of a build that are of no single symbol: own bytes of folders and
 * components, and rows of data sources, budgets and heaps.
 *
 * A number has a source ("source", "regions"), a kind ("file", "used") and a label ("src/net/",
 * "FLASH").  It is kept where it differs from that of the base; a source of which a build says
 * nothing is as it was there.
 *
 * O(numbers).  One thread. */
#ifndef HEFT_HISTORY_MEASURES_H
#define HEFT_HISTORY_MEASURES_H

#include "base/intern.h"
#include "base/text.h"
#include "base/vec.h"
#include "history/db.h"

/* A number that was measured of a build beside its symbols. */
struct measured_row {
	const char *source; /* "regions", "libraries", "budgets", "heap" */
	const char *kind;   /* what is counted: "file", "vm", "used", "limit", "live_bytes" */
	const char *label;  /* "FLASH"; of several levels with " > " between: "FLASH > libm.a" */
	double value;
};

/* A number of a build and of its base; 0: there is none. */
struct level {
	uint32_t id;    /* its row in the database; 0: it has none */
	uint32_t build; /* the build that `was` comes from; 0: none */
	double was, now;
	bool given; /* it gets a row of its own even where it is 0: kinds keep their order */
};

struct measures {
	struct db *db;            /* borrowed */
	struct intern keys;       /* source, kind and label, with a NUL between */
	VEC(struct level) levels; /* by key */
	VEC(uint32_t) known;      /* keys of the rows of the database, by rising id */
	struct text key;
};

/* Reads which numbers the database knows. */
void measures_init(struct measures *m, struct db *db);
void measures_release(struct measures *m);

/* The level of a number, which is made where there is none; holds until the next call. */
struct level *measures_get(struct measures *m, struct str source, struct str kind,
			   struct str label);
/* The row of a number in the database, which is added where there is none. */
uint32_t measures_row(struct measures *m, struct str source, struct str kind, struct str label);
/* Fills in `was` for all numbers of a source: as the builds of `chain` have them, the ids of a
 * build and its bases, falling. */
void measures_read(struct measures *m, const char *source, const uint32_t *chain, size_t count);
/* Fills in `now`, and `was` of all numbers of their sources. */
void measures_take(struct measures *m, const struct measured_row *rows, size_t row_count,
		   const uint32_t *chain, size_t count);
/* All numbers are as they were. */
bool measures_same(const struct measures *m);
/* Rows for those that are not. */
void measures_write(struct measures *m, uint32_t build);

/* The three texts of a key. */
void measures_parts(const struct measures *m, uint32_t key, struct str ret[3]);

#endif
