/* changes.h - what a build changed, as rows for people and questions: own bytes of symbols (those
 * that several names share in parts for each), and the sizes of sections.
 *
 * O(symbols).  One thread. */
#ifndef HEFT_HISTORY_CHANGES_H
#define HEFT_HISTORY_CHANGES_H

#include "heft.h"
#include "history/measures.h"

/* Adds rows for the symbols whose own bytes differ from those of the base; NULL: there is none.
 * The own bytes of folders of sources and objects, and of components, are added to `sums`. */
void changes_write(struct db *db, uint32_t build, const struct heft_snapshot *base,
		   const struct heft_snapshot *now, struct measures *sums);
/* Adds rows for the sections, those of one name in one. */
void sections_write(struct db *db, uint32_t build, const struct heft_snapshot *s);

struct build_sizes {
	uint64_t file, vm; /* bytes; vm 0 where it is not known */
};
struct build_sizes build_sizes(const struct heft_snapshot *s);

#endif
