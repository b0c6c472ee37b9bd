/* die.h - debugging information entries and the values of their attributes (DWARF 5, 7.5).
 *
 * A reader stands on the unit's section; die_next moves it from the code of one DIE to its
 * attributes, die_value over one of them.  All is borrowed from the sections. */
#ifndef HEFT_DEBUG_DIE_H
#define HEFT_DEBUG_DIE_H

#include "debug/unit.h"

enum value_kind {
	VALUE_NONE,  /* a form without a value heft uses */
	VALUE_UINT,  /* u */
	VALUE_SINT,  /* u, two's complement */
	VALUE_ADDR,  /* u: address */
	VALUE_ADDRX, /* u: index in the unit's part of .debug_addr */
	VALUE_BLOCK, /* block: bytes or an expression */
	VALUE_CSTR,  /* block: text */
	VALUE_STRP,  /* u: offset in .debug_str */
	VALUE_LINE_STRP,
	VALUE_STRX,     /* u: index in the unit's part of .debug_str_offsets */
	VALUE_STRP_SUP, /* u: offset in .debug_str of dwarf.sup */
	VALUE_REF,      /* u: offset of a DIE in the unit's own section */
	VALUE_REF_INFO, /* u: offset of a DIE in .debug_info, of any unit */
	VALUE_REF_SUP,  /* u: offset of a DIE in .debug_info of dwarf.sup */
	VALUE_REF_TYPE, /* u: signature of a type unit */
	VALUE_OFFSET,   /* u: offset in the section the attribute is about */
	VALUE_LOCLISTX,
	VALUE_RNGLISTX,
};

struct value {
	enum value_kind kind;
	uint64_t u;
	struct bytes block;
};

struct die {
	uint64_t off;                /* in the section */
	const struct abbrev *abbrev; /* NULL: a null entry, which ends a list of children */
};

/* A reader over the unit, at `off` of the section (positions are those of the section). */
struct reader unit_reader(const struct unit *u, uint64_t off);
/* False at the end of the unit, and where it is damaged (r is bad then). */
bool die_next(const struct unit *u, struct reader *r, struct die *ret);
/* Over one attribute. */
void die_value(const struct unit *u, struct reader *r, const struct abbrev_attr *a,
	       struct value *ret);
/* Over all of them. */
void die_skip(const struct unit *u, struct reader *r, const struct abbrev *a);

/* Over a LEB128 of either kind, whatever its length. */
static inline void skip_leb(struct reader *r)
{
	while (read_u8(r) & 0x80)
		;
}

static inline const struct abbrev_attr *die_attr(const struct unit *u, const struct die *d,
						 unsigned i)
{
	return &u->abbrevs->attrs.data[d->abbrev->first + i];
}

/* The text of a value; false where it is none or its offset is bad. */
bool value_string(const struct unit *u, const struct value *v, struct str *ret);
/* The address of a value (VALUE_ADDR, VALUE_ADDRX). */
bool value_addr(const struct unit *u, const struct value *v, uint64_t *ret);
/* A value that is a number: VALUE_UINT, VALUE_SINT, VALUE_OFFSET; else 0. */
uint64_t value_number(const struct value *v);

/* What an entry says about code: low_pc, high_pc, ranges.  Zeroed = nothing. */
struct die_code {
	struct value low, high, ranges;
};

/* Takes the value if the attribute is one of these. */
void die_code_take(struct die_code *c, uint16_t name, const struct value *v);

/* type_size.c: bytes that the variable at die_off takes, by its type; false where that is not
 * known within the unit. */
bool variable_size(const struct unit *u, uint64_t die_off, uint64_t *ret);

/* ranges.c: calls fn for every range of code (DWARF 5, 2.17): low_pc and high_pc, or a range list
 * of .debug_ranges or .debug_rnglists.  What was thrown away (tombstones) and empty ranges
 * are left out.  A damaged list ends with a note.  Returns how many ranges there were. */
typedef void (*range_fn)(void *ctx, uint64_t addr, uint64_t size);
size_t die_ranges(const struct unit *u, const struct die_code *c, range_fn fn, void *ctx);
/* The same with a limit on the entries read from lists, what is left out counted too: *budget goes
 * down with each, and at 0 a list ends.  For loops over DIEs that may all name one long list. */
size_t die_ranges_some(const struct unit *u, const struct die_code *c, range_fn fn, void *ctx,
		       uint64_t *budget);
/* Where the list of a value begins, and in which section; false where it is none. */
bool ranges_offset(const struct unit *u, const struct value *v, enum dw_section *ret_in,
		   uint64_t *ret_off);
/* The same for the list of a VALUE_LOCLISTX or VALUE_OFFSET that is a location. */
bool locations_offset(const struct unit *u, const struct value *v, enum dw_section *ret_in,
		      uint64_t *ret_off);

#endif
