/* attr_ends.h - finds where data without a symbol ends. */
#ifndef HEFT_ATTR_ATTR_ENDS_H
#define HEFT_ATTR_ATTR_ENDS_H

#include "attr/attr.h"

/* Returns the end of the string at `addr` in an object's section of mergeable strings, at most
 * `end`. The flags of a linked section tell nothing: lld keeps them if strings and other constants
 * are merged. */
uint64_t ends_string(const struct image *im, const struct section *s, uint64_t addr, uint64_t end);
/* Claims [start, end) of the VM image. Compilers align objects of 32 bytes and more to 32. If the
 * next reference is to the second word after a bound of 32, the first word may be of the next
 * object. Then that word is inferred only. */
void ends_claim(struct attr *a, uint64_t start, uint64_t end, label_id label, enum why why);

#endif
