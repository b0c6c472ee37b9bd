/* form.h - reads values by their form (DWARF 5, 7.5.5 and 7.5.6), for all sections that state
 * forms: entries, tables of files, macros and indexes of names. */
#ifndef HEFT_DEBUG_FORM_H
#define HEFT_DEBUG_FORM_H

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

/* Sizes that the sizes of forms depend on. */
struct form_sizes {
	uint16_t version;
	uint8_t address_size, offset_size;
};

/* Size of a value: up to FORM_FIXED, the number of bytes. Above that, a rule. */
enum form_data {
	FORM_FIXED = 16,
	FORM_ADDRESS,
	FORM_OFFSET,
	FORM_REF_ADDR, /* Has the size of an address until version 2, of an offset later */
	FORM_ULEB,     /* For this form and the following ones, the data states the size */
	FORM_SLEB,
	FORM_CSTR,
	FORM_BLOCK1, /* Size of 1 byte, then the bytes. Next: sizes of 2, 4, and ULEB128. */
	FORM_BLOCK2,
	FORM_BLOCK4,
	FORM_BLOCK,
	FORM_INDIRECT, /* A form, then its value */
	FORM_UNKNOWN,  /* Unknown form */
};

struct form {
	uint8_t data; /* An enum form_data, or a number of bytes */
	uint8_t kind; /* An enum value_kind. VALUE_NONE for unknown forms. */
};

/* Forms of the standard, by number. form_other() returns others. */
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

/* Reads the number of a form. Returns 0 (no form) for a number that is too large. Also returns 0
 * for DW_FORM_implicit_const, because its value is in an abbreviation. */
static inline uint16_t read_form(struct reader *r)
{
	const uint64_t form = read_uleb(r);
	return form <= UINT16_MAX && form != DW_FORM_implicit_const ? (uint16_t)form : 0;
}

/* Reads a value. References count from the unit (VALUE_REF). DW_FORM_implicit_const has no bytes,
 * so the caller must know its value. An unknown form marks r bad. *ret has kind VALUE_NONE if r is
 * bad. */
void value_read(struct reader *r, uint16_t form, struct form_sizes s, struct value *ret);

/* Returns the text of a value. `base` is the start of the unit's part of .debug_str_offsets
 * (DW_NO_OFFSET if none). False if the value is not a text, or its offset is invalid. */
bool value_text(struct dwarf *d, uint64_t base, unsigned offset_size, const struct value *v,
		struct str *ret);

#endif
