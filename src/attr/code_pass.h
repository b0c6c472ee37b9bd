/* code_pass.h - releases the file pages that a pass over code has read, so that memory does not
 * hold the whole file. The pass reads from low to high addresses.
 *
 * O(1) per range. One thread per pass. Several passes may run over an image in parallel. */
#pragma once

#include "image/image.h"

/* Position of a pass. All fields except `im` begin with 0 */
struct code_pass {
	const struct image *im;
	uint64_t from, to; /* Addresses that were read and whose pages were not released */
};

static inline void code_pass_end(struct code_pass *p)
{
	if (p->from < p->to)
		image_forget(p->im, image_at(p->im, p->from, p->to - p->from));
	p->from = p->to;
}

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
