/* index_out.h - outputs pieces (index.h), and walks sections that consist of tables. Each table has
 * a length and a version. Private to debug/index_*.c. */
#pragma once

#include "debug/index.h"

/* Output of pieces (struct index_piece). The last piece is kept: the next bytes can extend it */
struct index_out {
	struct dwarf *dwarf;
	enum dw_section which;
	index_fn fn;
	void *ctx;
	struct index_piece last; /* Size 0 if there is none */
};

/* Outputs a piece. Merges adjacent pieces with the same subject. */
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
	*p = (struct index_piece){ off, size, about, value, 0 };
}

/* Extends the last piece by the padding [off, end), if it ends at `off`. */
static inline void index_pad(struct index_out *o, uint64_t off, uint64_t end)
{
	if (o->last.size > 0 && o->last.off + o->last.size == off && end > off)
		o->last.size = end - o->last.off;
}

static inline void index_finish(struct index_out *o)
{
	if (o->last.size > 0)
		o->fn(o->ctx, &o->last);
	o->last.size = 0;
}

/* A table of a section that consists of tables */
struct index_set {
	uint64_t off, end; /* Range in the section, with the length field. `end` is at most the
			    * section's end */
	uint16_t version;
	uint8_t offset_size;
	struct reader r; /* Reads the table after its version, until `end` */
};

/* Finds the next table from *at on with a version in [low, high]. Moves *at to the end of the
 * table. Skips tables of other versions with a note. Zeros between tables belong to the piece
 * before them. False at the end. */
bool index_set_next(struct index_out *o, uint64_t *at, uint16_t low, uint16_t high,
		    struct index_set *ret);

/* True if an address or a segment selector of this size can be read. */
static inline bool index_width_ok(unsigned width)
{
	return width == 1 || width == 2 || width == 4 || width == 8;
}

/* Returns the size of the unit at `off` of .debug_info. UINT64_MAX if unknown. */
uint64_t index_unit_size(struct dwarf *d, uint64_t off);

/* Returns the offset, in the section, of the DIE that is `die` bytes after the start of the unit.
 * If `die` is not inside the unit, returns the unit: it is a skeleton, and `die` counts from its
 * split unit in another file. */
static inline uint64_t index_die(uint64_t unit, uint64_t unit_size, uint64_t die)
{
	return die < unit_size && die <= UINT64_MAX - unit ? unit + die : unit;
}
