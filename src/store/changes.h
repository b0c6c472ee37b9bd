/* changes.h - what a build changed, as rows for people and questions: own bytes of symbols (those
 * that several names share in parts for each), and the sizes of sections.
 *
 * O(symbols in memory).  One thread. */
#ifndef HEFT_STORE_CHANGES_H
#define HEFT_STORE_CHANGES_H

#include "store/content.h"

/* Rows for the symbols whose own bytes differ from those of the base; NULL: there is none. */
void changes_write(struct db *db, struct catalog *catalog, uint32_t build,
		   const struct content *base, const struct content *now);
/* Takes these rows out. */
void changes_erase(struct db *db, struct catalog *catalog, uint32_t build,
		   const struct content *base, const struct content *now);
/* Rows for the sections, those of one name in one. */
void sections_write(struct db *db, struct catalog *catalog, uint32_t build,
		    const struct snapshot *s);

struct build_sizes {
	uint64_t file, vm; /* bytes; vm 0 where it is not known */
};
struct build_sizes build_sizes(const struct snapshot *s);

#endif
