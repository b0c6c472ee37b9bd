/* attr_ends.h - finds where data without a symbol ends. */
#ifndef HEFT_ATTR_ATTR_ENDS_H
#define HEFT_ATTR_ATTR_ENDS_H

#include "attr/attr.h"

/* Returns the end of the string at `addr` in an object's section of mergeable strings, at most
 * `end`. Flags of linked sections are useless: lld keeps them even if it merges strings with other
 * constants. */
uint64_t ends_string(const struct image *im, const struct section *s, uint64_t addr, uint64_t end);
/* Claims [start, end) of the VM image for a label. Compilers align objects of 32 bytes and more to
 * 32. If `end` is one word after a multiple of 32, the last word may begin the next object. The
 * last word is claimed as inferred. */
void ends_claim(struct attr *a, uint64_t start, uint64_t end, label_id label, enum why why);

#endif
