/* changes.h - writes the changes of a build as rows of tables: bytes that the file and the VM image
 * have because of a symbol (charged), and the sizes of sections.
 *
 * Debug info is one row. `.size` files of SuperSize have no charges, so the rows have the own bytes
 * of symbols. Names of the same bytes share them equally. O(symbols). One thread. */
#pragma once

#include "heft.h"
#include "history/measures.h"

/* Adds rows for the symbols whose bytes differ from the base. `base` may be NULL. Adds the bytes of
 * components, and of folders of sources and objects, to `sums`. */
void changes_write(struct db *db, uint32_t build, const struct heft_snapshot *base,
		   const struct heft_snapshot *now, struct measures *sums);
/* Adds a row per section name to the database. */
void sections_write(struct db *db, uint32_t build, const struct heft_snapshot *s);

struct build_sizes {
	uint64_t file, vm; /* Bytes. `vm` is 0 if unknown */
};
struct build_sizes build_sizes(const struct heft_snapshot *s);
