/* attr_extents.h - finds where data ends if symbols have no size, as in Mach-O and PE.
 *
 * Such a symbol may reach to the next symbol, across all constants and tables without symbols. The
 * symbol ends before the first address that code uses without using the symbol. Code that uses both
 * reads a field of the symbol's data. If the symbol table has no local data, unnamed data lies
 * between two symbols. In read-only sections, pointers point to such data. In other sections,
 * pointers point into the symbol's own data. */
#ifndef HEFT_ATTR_ATTR_EXTENTS_H
#define HEFT_ATTR_ATTR_EXTENTS_H

#include "attr/attr_refs.h"

/* True if symbols without a size should be examined. False for images at a fixed address, because
 * numbers in code look like addresses. There, such a symbol extends to the next symbol. */
bool extents_wanted(const struct image *im);
/* Sets the sizes of the guessed symbols in the scratch, and gives each symbol all targets inside
 * it. The owner of the start does not matter. Targets must be sorted by address. The call leaves
 * them unsorted. Sizes never grow. O(targets + symbols + labels). */
void extents_find(struct attr *a, target_vec *targets);

#endif
