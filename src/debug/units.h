/* units.h - finds units of one dwarf by offset, by signature or by address, and follows references.
 *
 * Everything is read when first needed. The list of units reads the header of each unit. The table
 * of addresses reads the first DIE of each unit. If that DIE does not state the unit's code, the
 * table walks over the unit. The list and the table are built once. A damaged unit loses its own
 * addresses.
 *
 * One thread at a time. The dwarf is borrowed and must stay. */
#ifndef HEFT_DEBUG_UNITS_H
#define HEFT_DEBUG_UNITS_H

#include "debug/die.h"
#include "debug/flat.h"

/* Number of caches. Several are needed, because references lead to and fro between units. */
enum { UNITS_CACHES = 4 };

struct units {
	struct dwarf *dwarf;
	/* Private: see the functions. */
	struct units *sup;                 /* Units of dwarf->sup, owned */
	VEC(uint64_t) info, types;         /* Offsets, ascending. */
	VEC(struct unit_key) by_signature; /* Sorted by signature, then in file order */
	struct flat addrs;                 /* `who` is 0xfffffffe minus the index in `info`. */
	size_t near;                       /* See flat_find_near(). */
	bool listed, signed_up, indexed, walked;
	struct abbrev_cache caches[UNITS_CACHES]; /* Caches of opened units, chosen by the offset
						   * of their table */
	/* The last unit that a reference led to. `abbrevs` is NULL if none. */
	struct unit reached;
	uint64_t range_budget;
	VEC(uint32_t) silent; /* Units whose first DIE does not state the address of their code. */
	VEC(struct flat_range) ranges;
};

struct unit_key {
	uint64_t signature;
	uint64_t off;
	uint64_t in; /* An enum dw_section */
};

void units_init(struct units *s, struct dwarf *d);
void units_release(struct units *s);

/* Returns the number of units in .debug_info (in == DW_INFO) or .debug_types. Their indexes follow
 * the file order. */
size_t units_count(struct units *s, enum dw_section in);
/* Reads the header of unit i < count, ready for unit_open(). */
bool units_get(struct units *s, enum dw_section in, size_t i, struct unit *ret);
/* Finds the index of the unit that holds an offset of a section, or returns false. O(log units). */
bool units_around(struct units *s, enum dw_section in, uint64_t off, size_t *ret_index);
/* Finds the type unit of a signature, or the unit of a dwo id (only in version 5's headers). */
bool units_by_signature(struct units *s, uint64_t signature, struct unit *ret);

/* Finds the index of the unit in .debug_info that has code at addr. If several units claim the
 * address, the first in the file. Returns the skeleton of a split unit. */
bool units_at_addr(struct units *s, uint64_t addr, size_t *ret_index);

/* Follows a reference (VALUE_REF*) in a DIE of `from`. Returns the opened unit, and in *ret_off the
 * offset of the DIE in its section. NULL if the reference leads nowhere. `from` belongs to s->dwarf
 * or to its supplementary file. The result is `from` itself, or valid until the next call. Its
 * abbreviations are in a cache of s. So `from` must not use a cache of s, unless units_follow()
 * returned it. */
const struct unit *units_follow(struct units *s, const struct unit *from, const struct value *v,
				uint64_t *ret_off);

#endif
