/* abbrev.h - parses abbreviation tables of .debug_abbrev (DWARF 5, 7.5.3) and prepares them for
 * walking.
 *
 * Tables are parsed when first needed. A small cache keeps them, because units that share a table
 * are mostly consecutive. */
#pragma once

#include "base/vec.h"
#include "debug/form.h"

struct abbrev_attr {
	uint16_t name, form;
	int64_t value; /* For DW_FORM_implicit_const: the attribute's value */
};

/* What a walk over a DIE's attributes does after it has skipped a fixed number of bytes */
enum walk_kind {
	WALK_NOTHING,
	WALK_ULEB, /* For this kind and the next six, the data states the size of the value to
		    * skip */
	WALK_CSTR,
	WALK_BLOCK1,
	WALK_BLOCK2,
	WALK_BLOCK4,
	WALK_BLOCK,
	WALK_INDIRECT, /* The data has the number of a form, and then a value of that form */
	WALK_STRP,     /* Offset in .debug_str */
	WALK_LINE_STRP,
	WALK_STRX, /* Index of a string, as ULEB128 or of a fixed size */
	WALK_STRX1,
	WALK_STRX2,
	WALK_STRX3,
	WALK_STRX4,
	WALK_LOC,      /* Offset in .debug_loc or .debug_loclists */
	WALK_LOCLISTX, /* Index of a location list */
	WALK_RANGES,   /* Offset in .debug_ranges or .debug_rnglists */
	WALK_RNGLISTX,
	WALK_LOCATION,  /* DW_AT_location as an expression: ULEB128 size, bytes */
	WALK_LOCATION1, /* DW_AT_location as a block with a size of 1 byte */
};

struct walk_step {
	uint8_t kind;
	uint16_t skip;
};

struct abbrev {
	uint64_t code;
	uint16_t tag;
	uint16_t count; /* Number of attributes in `attrs` */
	uint32_t first; /* Index of the first attribute in abbrevs.attrs */
	uint32_t step;  /* Index in abbrevs.steps. The last step has kind WALK_NOTHING */
	uint32_t steps;
	bool children;
};

struct abbrevs {
	uint64_t off, end; /* Range in DW_ABBREV. `end` is after the 0 that ends the table */
	struct form_sizes sizes;
	bool dense;              /* True if code i is list.data[i - 1] */
	VEC(struct abbrev) list; /* Abbreviations, sorted by code */
	VEC(struct abbrev_attr) attrs;
	VEC(struct walk_step) steps;
};

enum { ABBREV_CACHE = 16 };

struct abbrev_cache {
	struct abbrev_slot {
		const struct dwarf *dwarf;
		uint64_t used; /* `clock` at the last use. The slot with the least is reused */
		struct abbrevs table;
	} slots[ABBREV_CACHE];
	uint64_t clock;
	uint64_t spent; /* Number of bytes parsed. Bytes that were parsed again count again */
};

/* Returns the table at `off`, for units with these sizes. Damage later in the table ends it. NULL,
 * with a note, if the start is damaged, or if the section was parsed too often. The result is valid
 * until ABBREV_CACHE other tables are requested. */
const struct abbrevs *abbrevs_get(struct abbrev_cache *c, struct dwarf *d, uint64_t off,
				  struct form_sizes sizes);
void abbrev_cache_release(struct abbrev_cache *c);

/* Finds an abbreviation by its code. NULL if there is none. */
const struct abbrev *abbrevs_find_slow(const struct abbrevs *a, uint64_t code);
static inline const struct abbrev *abbrevs_find(const struct abbrevs *a, uint64_t code)
{
	if (LIKELY(a->dense))
		return code - 1 < a->list.count ? &a->list.data[code - 1] : NULL;
	return abbrevs_find_slow(a, code);
}
