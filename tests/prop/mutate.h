/* mutate.h - damage to the bytes of a file that was fine. */
#ifndef HEFT_TESTS_PROP_MUTATE_H
#define HEFT_TESTS_PROP_MUTATE_H

#include "../lib/rng.h"
#include "base/reader.h"

/* A malloc'ed copy with some bytes flipped, overwritten or cut off; the headers and the small
 * tables that say where things are get most of it. */
struct bytes mutate(struct rng *r, struct bytes file);

#endif
