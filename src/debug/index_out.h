/* index_out.h - what the walkers of index.h share: pieces on their way out, and sections that are
 * a row of tables, each behind a length and a version.
 *
 * Private to debug/index_*.c. */
#ifndef HEFT_DEBUG_INDEX_OUT_H
#define HEFT_DEBUG_INDEX_OUT_H

#include "debug/index.h"

/* One piece is held back, so that what follows can be added to it. */
struct index_out {
	struct dwarf *dwarf;
	enum dw_section which;
	index_fn fn;
	void *ctx;
	struct index_piece last; /* size 0: none */
};

/* Neighbours about the same thing become one piece. */
static inline void index_put(struct index_out *o, uint64_t off, uint64_t size,
			     enum index_about about, uint64_t value)
{
	struct index_piece *p = &o->last;
	ASSERT(off >= p->off + p->size);
	if (size == 0)
		return;
	if (p->about == about && p->value == value && p->off + p->size == off) {
		p->size += size;
		return;
	}
	if (p->size > 0)
		o->fn(o->ctx, p);
	*p = (struct index_piece){ off, size, about, value };
}

/* Adds the padding [off, end) to the piece before it, if one ends there. */
static inline void index_pad(struct index_out *o, uint64_t off, uint64_t end)
{
	if (o->last.size > 0 && o->last.off + o->last.size == off && end > off)
		o->last.size = end - o->last.off;
}

/* Hands out the last piece. */
static inline void index_finish(struct index_out *o)
{
	if (o->last.size > 0)
		o->fn(o->ctx, &o->last);
	o->last.size = 0;
}

/* A table of a section. */
struct index_set {
	uint64_t off, end; /* in the section, length field included; clipped to it */
	uint16_t version;
	uint8_t offset_size;
	struct reader r; /* behind the version; ends at `end` */
};

/* The next table at *at whose version lies in [low, high]; *at moves behind it.  Tables of other
 * versions are passed over with a note, zeros between tables go with the piece before them. */
bool index_set_next(struct index_out *o, uint64_t *at, uint16_t low, uint16_t high,
		    struct index_set *ret);

/* Bytes of an address or a segment selector that can be read. */
static inline bool index_width_ok(unsigned width)
{
	return width == 1 || width == 2 || width == 4 || width == 8;
}

/* Bytes of the unit at `off` of .debug_info; UINT64_MAX where they cannot be told. */
uint64_t index_unit_size(struct dwarf *d, uint64_t off);

/* The DIE `die` bytes into the unit, or the unit where that leaves it: what names a DIE of a
 * skeleton's split unit counts from there. */
static inline uint64_t index_die(uint64_t unit, uint64_t unit_size, uint64_t die)
{
	return die < unit_size && die <= UINT64_MAX - unit ? unit + die : unit;
}

#endif
