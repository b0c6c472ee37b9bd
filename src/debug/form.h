/* form.h - reads values by their form (DWARF 5, 7.5.5 and 7.5.6), for all sections that state
 * forms: entries, tables of files, macros and indexes of names. */
#pragma once

#include "debug/dwarf.h"
#include "debug/dwarf_const.h"

enum value_kind {
	VALUE_NONE,  /* A form whose value heft does not use */
	VALUE_UINT,  /* The value is in `u` */
	VALUE_SINT,  /* The value is in `u`, in two's complement */
	VALUE_ADDR,  /* `u`: address */
	VALUE_ADDRX, /* `u`: index in the unit's part of .debug_addr */
	VALUE_BLOCK, /* `block`: bytes or an expression */
	VALUE_CSTR,  /* `block`: text */
	VALUE_STRP,  /* `u`: offset in .debug_str */
	VALUE_LINE_STRP,
	VALUE_STRX,     /* `u`: index in the unit's part of .debug_str_offsets */
	VALUE_STRP_SUP, /* `u`: offset in .debug_str of dwarf.sup */
	VALUE_REF,      /* `u`: offset of a DIE in the unit's own section */
	VALUE_REF_INFO, /* `u`: offset of a DIE in .debug_info, of any unit */
	VALUE_REF_SUP,  /* `u`: offset of a DIE in .debug_info of dwarf.sup */
	VALUE_REF_TYPE, /* `u`: signature of a type unit */
	VALUE_OFFSET,   /* `u`: offset in the section that the attribute refers to */
	VALUE_LOCLISTX,
	VALUE_RNGLISTX,
};

struct value {
	enum value_kind kind;
	uint64_t u;
	struct bytes block;
};

/* Facts of a unit: its version, and the sizes of addresses and of offsets in it. The size of a
 * value may depend on them */
struct form_sizes {
	uint16_t version;
	uint8_t address_size, offset_size;
};

/* Size of a value. At most FORM_FIXED: the number of bytes. Above: how to find it */
enum form_data {
	FORM_FIXED = 16,
	FORM_ADDRESS,
	FORM_OFFSET,
	FORM_REF_ADDR, /* Has the size of an address until version 2, and of an offset later */
	FORM_ULEB,     /* From here on, the data states the size */
	FORM_SLEB,
	FORM_CSTR,
	FORM_BLOCK1,   /* A size of 1 byte, then as many bytes */
	FORM_BLOCK2,   /* A size of 2 bytes, then as many bytes */
	FORM_BLOCK4,   /* A size of 4 bytes, then as many bytes */
	FORM_BLOCK,    /* A size as ULEB128, then as many bytes */
	FORM_INDIRECT, /* The number of a form, then a value of that form */
	FORM_UNKNOWN,
};

struct form {
	uint8_t data; /* If at most FORM_FIXED: number of bytes. Above: enum form_data */
	uint8_t kind; /* Value of enum value_kind. VALUE_NONE for unknown forms */
};

/* The standard forms, by number. form_other() has the others. */
#define FORM_STANDARD (DW_FORM_addrx4 + 1)
extern const struct form forms_standard[FORM_STANDARD];
struct form form_other(uint16_t form);

static inline struct form form_find(uint16_t form)
{
	return LIKELY(form < FORM_STANDARD) ? forms_standard[form] : form_other(form);
}

/* Returns the size of a value of this form. False if the data states the size. */
static inline bool form_size(struct form f, struct form_sizes s, unsigned *ret)
{
	switch (f.data) {
	case FORM_ADDRESS: *ret = s.address_size; return true;
	case FORM_OFFSET: *ret = s.offset_size; return true;
	case FORM_REF_ADDR: *ret = s.version < 3 ? s.address_size : s.offset_size; return true;
	default: *ret = f.data; return f.data <= FORM_FIXED;
	}
}

/* Reads the number of a form. Returns 0, which is no form, if the number is too large, or for
 * DW_FORM_implicit_const, whose value is in an abbreviation. */
static inline uint16_t read_form(struct reader *r)
{
	const uint64_t form = read_uleb(r);
	return form <= UINT16_MAX && form != DW_FORM_implicit_const ? (uint16_t)form : 0;
}

/* Reads a value. A VALUE_REF counts from the start of the unit here. The caller must know the value
 * of DW_FORM_implicit_const, which has no bytes. An unknown form marks r bad. *ret has kind
 * VALUE_NONE if r is bad. */
void value_read(struct reader *r, uint16_t form, struct form_sizes s, struct value *ret);

/* Returns the text of a value. `base`: where the unit's part of .debug_str_offsets starts
 * (DW_NO_OFFSET if none). False if the value is no text, or its offset is invalid. */
bool value_text(struct dwarf *d, uint64_t base, unsigned offset_size, const struct value *v,
		struct str *ret);
