/* units.h - finds units of one dwarf by offset, by signature or by address, and follows references.
 *
 * Reads everything on first use. The list of units needs each unit's header. The table of addresses
 * needs each unit's first DIE, or a walk over the unit if that DIE gives no code addresses. A
 * damaged unit loses its own addresses.
 *
 * One thread at a time. The dwarf is borrowed and must stay. */
#pragma once

#include "debug/die.h"
#include "debug/flat.h"

/* References go back and forth between units, so several caches are needed. */
enum { UNITS_CACHES = 4 };

struct units {
	struct dwarf *dwarf;
	/* Private. `sup`: units of dwarf->sup. */
	struct units *sup;
	VEC(uint64_t) info, types;         /* Offsets of units, ascending */
	VEC(struct unit_key) by_signature; /* Sorted by signature, then in file order */
	struct flat addrs;                 /* Units by address. `who` is 0xfffffffe minus the
					    * index in `info` */
	size_t near;                       /* Hint for flat_find_near() */
	bool listed, signed_up, indexed, walked;
	struct abbrev_cache caches[UNITS_CACHES]; /* For opened units. The offset of a unit's
						   * abbreviations chooses the cache */
	/* The unit that the last reference led to. Its `abbrevs` is NULL if there is none. */
	struct unit reached;
	uint64_t range_budget;
	VEC(uint32_t) silent; /* Units whose first DIE gives no address ranges */
	VEC(struct flat_range) ranges;
};

struct unit_key {
	uint64_t signature;
	uint64_t off;
	uint64_t in; /* Section of the unit (enum dw_section) */
};

void units_init(struct units *s, struct dwarf *d);
void units_release(struct units *s);

/* Returns the number of units in .debug_info (in == DW_INFO) or .debug_types. Indexes are in file
 * order. */
size_t units_count(struct units *s, enum dw_section in);
/* Reads the header of unit i for unit_open(). False if there is none, or if it is damaged. */
bool units_get(struct units *s, enum dw_section in, size_t i, struct unit *ret);
/* Like units_get(). All bytes of the unit are valid, even if the section is read in parts. */
bool units_get_whole(struct units *s, enum dw_section in, size_t i, struct unit *ret);
/* Finds the index of the unit that contains an offset of a section. False if none. O(log units). */
bool units_around(struct units *s, enum dw_section in, uint64_t off, size_t *ret_index);
/* Finds the type unit with a signature, or the unit with a split unit's id (from version 5 on).
 * False if there is none. */
bool units_by_signature(struct units *s, uint64_t signature, struct unit *ret);

/* Finds the index of the first unit in .debug_info that has code at addr. If that is a split unit,
 * whose DIEs are in a .dwo file, finds its skeleton. False if there is none. */
bool units_at_addr(struct units *s, uint64_t addr, size_t *ret_index);

/* Follows a reference (VALUE_REF*) in a DIE of `from`. Returns the opened unit, and in *ret_off the
 * offset of the DIE in its section. NULL if the target does not exist. `from` belongs to s->dwarf
 * or to its supplementary file. It must not use a cache of s, unless units_follow() returned it.
 * The result is `from` itself, or valid until the next call. */
const struct unit *units_follow(struct units *s, const struct unit *from, const struct value *v,
				uint64_t *ret_off);
