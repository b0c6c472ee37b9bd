/* list.h - the list of symbols of a build, as the difference from the list of another build.
 *
 * An entry is a symbol of the catalog with what this build says of it.  Addresses are not kept:
 * nearly always a symbol stands behind the one before it and its own padding, so that code which
 * moves changes nothing.
 *
 * A difference is a row of steps that make the new list of the old one; against an empty list it is
 * the whole list.  Numbers are LEB128, and "signed" ones zigzag.  A step begins with a number whose
 * two lowest bits are its kind:
 *
 *	0  copy     the rest of the number: so many entries of the old list, from the cursor on
 *	1  move     the rest, signed: so far the cursor moves
 *	2  change   the entry at the cursor with other values: the rest is a set of bits, and a
 *	            signed difference follows for each: 1 size, 2 padding, 4 aliases, 8 gap
 *	3  put      an entry that the old list has not: the rest is the same set of bits, then the
 *	            symbol, as signed difference from the one put before, then the values
 *
 * A list that no other one is told from begins with a copy of 0 entries, its number of entries, and
 * then column by column what all of them have: the symbol, as signed difference from the one
 * before; the lowest byte of the size, as a byte; the rest of the size; padding, signed; aliases;
 * gap, signed.  What is alike stands together, so that it packs to half of what steps do.
 *
 * The cursor begins at 0, and copy and change move it behind what they took.  No entry of the old
 * list is taken twice.
 *
 * O(entries), and O(log) for each that moved.  One thread. */
#ifndef HEFT_STORE_LIST_H
#define HEFT_STORE_LIST_H

#include "base/err.h"
#include "base/reader.h"
#include "base/text.h"
#include "base/vec.h"

struct entry {
	uint64_t size; /* without padding */
	int64_t padding;
	int64_t gap;      /* from where it was to be expected (list_place) to where it stands */
	uint32_t symbol;  /* its number in the store */
	uint32_t aliases; /* members of the alias list that begins here; 0: none does */
};

struct entries {
	VEC(struct entry) list;
};

bool entry_same(const struct entry *a, const struct entry *b);

/* Appends the steps. */
void list_encode(struct text *out, const struct entries *old, const struct entries *now);
/* Appends to an empty list; false where the steps are damaged. */
bool list_decode(struct entries *ret, const struct entries *old, struct bytes steps);

/* Where an entry is expected: `before` is the one in front of it in its segment, NULL for the
 * first, and stands at `addr`; `member`: it is in the alias list of `before`. */
uint64_t list_place(const struct entry *before, uint64_t addr, bool member, int64_t padding);

#endif
