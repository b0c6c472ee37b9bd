/* die.h - reads debugging information entries and the values of their attributes (DWARF 5, 7.5).
 *
 * A reader is positioned in the unit's section. die_next() moves it from the code of one DIE to
 * its attributes. die_value() moves it over one attribute. All results are borrowed from the
 * sections. */
#pragma once

#include "debug/unit.h"

struct die {
	uint64_t off;                /* Offset from the start of the section. */
	const struct abbrev *abbrev; /* NULL for a null entry, which ends a list of children */
};

/* Returns a reader of the unit's section, at offset `off`. It ends with the unit. */
struct reader unit_reader(const struct unit *u, uint64_t off);
/* Reads the code of the next DIE. False at the end of the unit. Also false if the unit is damaged,
 * and r is then bad. */
bool die_next(const struct unit *u, struct reader *r, struct die *ret);
void die_value(const struct unit *u, struct reader *r, const struct abbrev_attr *a,
	       struct value *ret);
/* walk.c: skips all attributes of a DIE. */
void die_skip(const struct unit *u, struct reader *r, const struct abbrev *a);

/* Skips a LEB128 number, signed or not, of any length. */
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

/* Returns the text of a value. False if the value is no text, or its offset is invalid. */
bool value_string(const struct unit *u, const struct value *v, struct str *ret);
/* Finds the address that a value (VALUE_ADDR, VALUE_ADDRX) states. False if there is none. */
bool value_addr(const struct unit *u, const struct value *v, uint64_t *ret);
/* Returns a number (VALUE_UINT, VALUE_SINT, VALUE_OFFSET). 0 for other values. */
uint64_t value_number(const struct value *v);

/* Attributes of a DIE with the addresses of its code: low_pc, high_pc, ranges. Zeros if missing */
struct die_code {
	struct value low, high, ranges;
};

/* Stores the value if the attribute is low_pc, high_pc or ranges. */
void die_code_take(struct die_code *c, uint16_t name, const struct value *v);

/* type_size.c: finds the size in bytes of the variable at die_off from its type. False if the unit
 * does not have the type. */
bool variable_size(const struct unit *u, uint64_t die_off, uint64_t *ret);

/* ranges.c: calls fn for every range of code (DWARF 5, 2.17): low_pc and high_pc, or a range list
 * of .debug_ranges or .debug_rnglists. Skips empty ranges and discarded code (tombstones). Damage
 * ends the list with a note. Returns the number of ranges. */
typedef void (*range_fn)(void *ctx, uint64_t addr, uint64_t size);
size_t die_ranges(const struct unit *u, const struct die_code *c, range_fn fn, void *ctx);
/* Like die_ranges(), but reads at most *budget entries, and subtracts their number. Bounds the time
 * if many DIEs refer to one long list. */
size_t die_ranges_some(const struct unit *u, const struct die_code *c, range_fn fn, void *ctx,
		       uint64_t *budget);
/* Finds the section and offset of a value's range list. False if it has none. */
bool ranges_offset(const struct unit *u, const struct value *v, enum dw_section *ret_in,
		   uint64_t *ret_off);
/* Like ranges_offset(), but for the location list of a VALUE_LOCLISTX or VALUE_OFFSET. */
bool locations_offset(const struct unit *u, const struct value *v, enum dw_section *ret_in,
		      uint64_t *ret_off);
