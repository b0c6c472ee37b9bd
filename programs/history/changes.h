/* changes.h - what a build changed, as rows for people and questions: charged bytes of symbols, in
 * the file and in the VM image, and the sizes of sections.  Debug info is one row.  Lists of
 * SuperSize have own bytes instead, of which several names share parts.
 *
 * O(symbols).  One thread. */
#ifndef HEFT_HISTORY_CHANGES_H
#define HEFT_HISTORY_CHANGES_H

#include "heft.h"
#include "history/measures.h"

/* Adds rows for the symbols whose bytes differ from those of the base; NULL: there is none.
 * The bytes of folders of sources and objects, and of components, are added to `sums`. */
void changes_write(struct db *db, uint32_t build, const struct heft_snapshot *base,
		   const struct heft_snapshot *now, struct measures *sums);
/* Adds rows for the sections, those of one name in one. */
void sections_write(struct db *db, uint32_t build, const struct heft_snapshot *s);

struct build_sizes {
	uint64_t file, vm; /* bytes; vm 0 where it is not known */
};
struct build_sizes build_sizes(const struct heft_snapshot *s);

#endif
