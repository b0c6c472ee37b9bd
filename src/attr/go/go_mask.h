/* go_mask.h - tells which words of a Go program's variables hold pointers. Go's garbage collector
 * has this information as a bit program for all variables that may have pointers.
 *
 * Time and memory: O(words of the variables), one bit per word. */
#ifndef HEFT_ATTR_GO_GO_MASK_H
#define HEFT_ATTR_GO_GO_MASK_H

#include "program/go_table.h"

/* Zeroed: nothing is known. */
struct go_mask {
	struct go_range of; /* Addresses that the mask covers */
	uint64_t word;      /* bytes */
	uint8_t *bits;
};

/* Reads the mask from a table, which may be NULL. */
void go_mask_read(struct go_mask *m, const struct image *im, const struct go_table *table);
void go_mask_release(struct go_mask *m);

static inline bool go_mask_knows(const struct go_mask *m, uint64_t addr)
{
	return addr >= m->of.start && addr < m->of.end;
}

/* Tells whether the word holds a pointer. Only for addresses that go_mask_knows(). */
static inline bool go_mask_is_pointer(const struct go_mask *m, uint64_t addr)
{
	const uint64_t i = (addr - m->of.start) / m->word;
	return m->bits[i / 8] >> i % 8 & 1;
}

#endif
