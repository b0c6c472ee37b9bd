/* abbrev.h - abbreviation tables of .debug_abbrev (DWARF 5, 7.5.3), made ready for walking.
 *
 * Tables are parsed when first asked for and kept in a small cache, since units that share one
 * mostly follow each other. */
#ifndef HEFT_DEBUG_ABBREV_H
#define HEFT_DEBUG_ABBREV_H

#include "base/vec.h"
#include "debug/dwarf.h"
#include "debug/dwarf_const.h"

struct abbrev_attr {
	uint16_t name, form;
	int64_t value; /* DW_FORM_implicit_const */
};

/* A step of walking over the attributes of a DIE: `skip` bytes, then what `kind` says. */
enum walk_kind {
	WALK_NOTHING,
	WALK_ULEB, /* pass over */
	WALK_CSTR,
	WALK_BLOCK1,
	WALK_BLOCK2,
	WALK_BLOCK4,
	WALK_BLOCK,
	WALK_INDIRECT, /* a form in the data, then its value */
	WALK_STRP,     /* an offset in .debug_str */
	WALK_LINE_STRP,
	WALK_STRX, /* an index of a string: uleb, or of so many bytes */
	WALK_STRX1,
	WALK_STRX2,
	WALK_STRX3,
	WALK_STRX4,
	WALK_LOC,      /* an offset in .debug_loc or .debug_loclists */
	WALK_LOCLISTX, /* an index of a location list */
	WALK_RANGES,   /* an offset in .debug_ranges or .debug_rnglists */
	WALK_RNGLISTX,
	WALK_LOCATION,  /* DW_AT_location as an expression: uleb size, bytes */
	WALK_LOCATION1, /* the same as a block with a size of 1 byte */
};

struct walk_step {
	uint8_t kind;
	uint16_t skip;
};

struct abbrev {
	uint64_t code;
	uint16_t tag;
	uint16_t count; /* attributes */
	uint32_t first; /* in abbrevs.attrs */
	uint32_t step;  /* in abbrevs.steps: so many, the last of them of kind WALK_NOTHING */
	uint32_t steps;
	bool children;
};

/* What the sizes of forms depend on. */
struct form_sizes {
	uint16_t version;
	uint8_t address_size, offset_size;
};

/* Bytes of a value of this form; false where the data say. */
bool form_size(uint16_t form, struct form_sizes s, unsigned *ret);

struct abbrevs {
	uint64_t off, end; /* in DW_ABBREV; end is behind the closing 0 */
	struct form_sizes sizes;
	bool dense;              /* code i stands at list.data[i - 1] */
	VEC(struct abbrev) list; /* by code */
	VEC(struct abbrev_attr) attrs;
	VEC(struct walk_step) steps;
};

enum { ABBREV_CACHE = 16 };

struct abbrev_cache {
	struct abbrev_slot {
		const struct dwarf *dwarf;
		uint64_t used; /* when, for replacing the oldest */
		struct abbrevs table;
	} slots[ABBREV_CACHE];
	uint64_t clock;
	uint64_t spent; /* bytes parsed, what was parsed again included */
};

/* The table at `off` for units of such sizes, NULL (and a note) where it is damaged from the
 * start; one that is damaged further on keeps what came before.  A cache parses each byte of the
 * section so often at most that no real file gets there; then NULL.  The result stays until
 * ABBREV_CACHE others were asked for. */
const struct abbrevs *abbrevs_get(struct abbrev_cache *c, struct dwarf *d, uint64_t off,
				  struct form_sizes sizes);
void abbrev_cache_release(struct abbrev_cache *c);

/* NULL where there is none. */
const struct abbrev *abbrevs_find_slow(const struct abbrevs *a, uint64_t code);
static inline const struct abbrev *abbrevs_find(const struct abbrevs *a, uint64_t code)
{
	if (LIKELY(a->dense))
		return code - 1 < a->list.count ? &a->list.data[code - 1] : NULL;
	return abbrevs_find_slow(a, code);
}

#endif
