/* code_pass.h - code that is read from low addresses to high ones: pages of the file that lie
 * behind are given back, so that memory is not the whole of it.
 *
 * O(1) a range.  One thread a pass; several passes of an image may go on at once. */
#ifndef HEFT_SOURCE_ATTR_CODE_PASS_H
#define HEFT_SOURCE_ATTR_CODE_PASS_H

#include "image/image.h"

/* Zeroed but for `im`: ready. */
struct code_pass {
	const struct image *im;
	uint64_t from, to; /* addresses that were read and not given back */
};

static inline void code_pass_end(struct code_pass *p)
{
	if (p->from < p->to)
		image_forget(p->im, image_at(p->im, p->from, p->to - p->from));
	p->from = p->to;
}

/* A range was read. */
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
