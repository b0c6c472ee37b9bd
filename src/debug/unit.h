/* unit.h - reads units of .debug_info and .debug_types (DWARF 5, 7.5; versions 2 to 5).
 *
 * A unit lies in the bytes of its dwarf. unit_next() reads headers. unit_open() reads the
 * abbreviations and the first DIE. A bad header ends the walk with a note. Other damage affects
 * only its unit. */
#pragma once

#include "debug/abbrev.h"
#include "debug/dwarf.h"
#include "base/text.h"

struct unit {
	struct dwarf *dwarf;
	enum dw_section in;            /* DW_INFO or DW_TYPES */
	uint64_t off, size;            /* Range in the section, with the header. It does not exceed
				        * the section */
	uint64_t die_off;              /* Offset of the first DIE in the section */
	uint64_t abbrev_off;           /* Offset in DW_ABBREV */
	uint64_t signature;            /* Type signature, or id of a split unit. 0 if none */
	uint64_t type_off;             /* Type units: offset of the type's DIE from `off` */
	uint16_t version;              /* 2 to 5 */
	uint8_t type;                  /* DW_UT_*. Before version 5: compile, partial or type */
	uint8_t address_size;          /* 1 to 8 */
	uint8_t offset_size;           /* 4 or 8 */
	const struct abbrevs *abbrevs; /* Set by unit_open(). Borrowed from its cache */

	/* From the first DIE. Missing offsets are DW_NO_OFFSET, missing texts "". */
	uint16_t tag;
	struct str name, comp_dir, dwo_name, producer;
	uint64_t line_off; /* DW_AT_stmt_list: offset in DW_LINE */
	uint64_t str_offsets_base, addr_base, rnglists_base, loclists_base, ranges_base, macro_off;
	uint64_t language;
	bool has_low_pc;
	uint64_t low_pc;
	/* Split units: the skeleton. Its bases are used for addresses, and for range lists of
	 * version 4. NULL for other units. */
	const struct unit *skeleton;
};

/* Reads the header of the unit at *off, and moves *off to its end. False at the end of the section.
 * Packages count as empty, because their units must be found by the index. */
bool unit_next(struct dwarf *d, enum dw_section in, uint64_t *off, struct unit *ret);
/* Reads the abbreviations and the first DIE. `skeleton` is NULL, except for a split unit. False,
 * with a note, if either is damaged. */
bool unit_open(struct unit *u, struct abbrev_cache *cache, const struct unit *skeleton);

/* Number of a unit's bytes that are valid after unit_next(), also in a section read by parts. */
enum { UNIT_HEAD = 4096 };

static inline uint64_t unit_end(const struct unit *u)
{
	return u->off + u->size;
}

/* True if an opened unit is a skeleton, whose other DIEs are in a .dwo file. */
static inline bool unit_is_skeleton(const struct unit *u)
{
	return u->dwo_name.len > 0 && !u->dwarf->split;
}

/* True if gcc's link-time optimizer made the unit for code of many units. Functions and variables
 * in it refer, by DW_AT_abstract_origin, to those in the units of their sources. */
static inline bool unit_is_made_by_linker(const struct unit *u)
{
	return str_eq(u->name, STR("<artificial>"));
}

static inline bool unit_is_type(const struct unit *u)
{
	return u->type == DW_UT_type || u->type == DW_UT_split_type;
}

/* Reads entry `index` of the unit's part of .debug_addr. False if there is none. */
bool unit_addrx(const struct unit *u, uint64_t index, uint64_t *ret);
/* Reads entry `index` of the unit's part of .debug_str_offsets. False if there is none. */
bool unit_strx(const struct unit *u, uint64_t index, uint64_t *ret_off);

/* Adds the name of the unit for reports: an absolute path, as defined in debug/path.h. A compile
 * unit without a name is a skeleton whose split unit is missing. Its name is the primary file of
 * its line program, known since version 5, or else its .dwo file. False, with `out` unchanged, if
 * it has none of these. */
bool unit_name(const struct unit *u, struct text *out);
