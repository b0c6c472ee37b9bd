/* generate.h - ELF files and archives that no tool would write, from a seed.  All of them are
 * malloc'ed; free with mem_free((void *)b.p). */
#ifndef HEFT_TESTS_PROP_GENERATE_H
#define HEFT_TESTS_PROP_GENERATE_H

#include "../lib/rng.h"
#include "base/reader.h"

/* Any class, byte order, type and machine; sections, segments, symbols and relocations that
 * overlap, contradict each other and leave the file. */
struct bytes generate_image(struct rng *r);

/* An archive (GNU, BSD or odd names) of such images and of other things. */
struct bytes generate_archive(struct rng *r);

/* A core: programs, heaps of recorded processes and other memory; odd ones as well. */
struct bytes generate_core(struct rng *r);

/* Two images of the same sections without overlap, whose section tables are ordered
 * differently. */
struct shuffled {
	struct bytes a, b;
};
struct shuffled generate_shuffled(struct rng *r);

#endif
