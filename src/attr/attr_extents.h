/* attr_extents.h - finds where data ends if symbols state no size, as in Mach-O and PE.
 *
 * Such a symbol may reach to the next symbol, across all constants and tables without symbols. It
 * ends before the first address that belongs to somebody else, because code refers to that address
 * but not to the symbol. Code that refers to both reads a field of the data. If a table has no
 * symbols of local data, data of others lies between two symbols. In read-only sections pointers
 * lead to such data. Elsewhere pointers lead into the same data. */
#ifndef HEFT_ATTR_ATTR_EXTENTS_H
#define HEFT_ATTR_ATTR_EXTENTS_H

#include "attr/attr_refs.h"

/* True if symbols without a stated size are examined. They are not for images at a fixed
 * address, where numbers in code look like addresses: there they reach to the next symbol. */
bool extents_wanted(const struct image *im);
/* Gives each guessed symbol of the scratch all targets that lead to or into it. The owner of the
 * start does not matter. Targets must be sorted by address and are no longer sorted afterwards.
 * Sets the sizes of these symbols, which never grow. O(targets + symbols + labels). */
void extents_find(struct attr *a, target_vec *targets);

#endif
