/* attr_extents.h - where data end whose symbols state no size, as those of Mach-O and PE do not.
 *
 * Such a symbol may reach to the next one, over all constants and tables between them that have no
 * symbol.  It ends in front of the first address that belongs to somebody else: code refers to it
 * that does not refer to the symbol.  Who refers to both reads a field.  Where a table has no
 * symbols of local data, data of others lie between two symbols, and in read-only sections pointers
 * lead to these; elsewhere pointers lead into the same data. */
#ifndef HEFT_SOURCE_ATTR_ATTR_EXTENTS_H
#define HEFT_SOURCE_ATTR_ATTR_EXTENTS_H

#include "source/attr/attr_refs.h"

/* Whether symbols of the image without a stated size are looked at: numbers in the code of an
 * image at a fixed place look like addresses, and there they reach to the next one. */
bool extents_wanted(const struct image *im);
/* Gives each guessed symbol of the scratch its start among the targets (sorted by address) and
 * all that lead into it; they are no longer sorted then.  Whose the start was does not matter.
 * Sets the sizes of these symbols, which are at most what they were.  O(targets + symbols +
 * labels). */
void extents_find(struct attr *a, target_vec *targets);

#endif
