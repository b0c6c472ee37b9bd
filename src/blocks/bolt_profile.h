/* bolt_profile.h - a profile of what llvm-bolt wrote, in addresses of what it read. */
#ifndef HEFT_BLOCKS_BOLT_PROFILE_H
#define HEFT_BLOCKS_BOLT_PROFILE_H

#include "blocks/block_profile.h"

/* Fills the branches, ranges and addrs of *ret, and its samples and estimated; the rest is empty.
 * Code that llvm-bolt did not move keeps its addresses; counts of code whose old place is not known
 * are left out and noted.  A range becomes several where what follows each other did not before.
 * The map has tables of llvm-bolt. The caller's to release. */
void profile_to_input(const struct profile *p, const struct blockmap *b, struct notes *notes,
		      struct profile *ret);

#endif
