/* code_pass.h - reads code from low to high addresses and gives back pages of the file that were
 * read, so that memory does not hold the whole file.
 *
 * O(1) per range. One thread per pass. Several passes over an image may run at once. */
#ifndef HEFT_ATTR_CODE_PASS_H
#define HEFT_ATTR_CODE_PASS_H

#include "image/image.h"

/* Zeroed except `im`: ready. */
struct code_pass {
	const struct image *im;
	uint64_t from, to; /* Addresses that were read and not given back */
};

static inline void code_pass_end(struct code_pass *p)
{
	if (p->from < p->to)
		image_forget(p->im, image_at(p->im, p->from, p->to - p->from));
	p->from = p->to;
}

/* Called after a range was read. */
static inline void code_passed(struct code_pass *p, uint64_t addr, uint64_t size)
{
	enum { PIECE = 1 << 20, GAP = 1 << 12 };
	if (addr < p->to || addr - p->to > GAP) {
		code_pass_end(p);
		p->from = addr;
	}
	p->to = add_sat(addr, size);
	if (p->to - p->from >= PIECE)
		code_pass_end(p);
}

#endif
