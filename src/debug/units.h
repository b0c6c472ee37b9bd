/* units.h - finds units of one dwarf by offset, by signature or by address, and follows references.
 *
 * Reads everything on first use. The list of units needs each unit's header. The table of addresses
 * needs each unit's first DIE, or a walk over the unit if that DIE gives no code addresses. A
 * damaged unit loses its own addresses.
 *
 * One thread at a time. The dwarf is borrowed and must stay. */
#ifndef HEFT_DEBUG_UNITS_H
#define HEFT_DEBUG_UNITS_H

#include "debug/die.h"
#include "debug/flat.h"

/* Number of caches. References go back and forth between units, so several are needed. */
enum { UNITS_CACHES = 4 };

struct units {
	struct dwarf *dwarf;
	/* Private. `sup`: units of dwarf->sup, owned. */
	struct units *sup;
	VEC(uint64_t) info, types;         /* Offsets, ascending */
	VEC(struct unit_key) by_signature; /* Sorted by signature, then in file order */
	struct flat addrs;                 /* `who` is 0xfffffffe minus the index in `info` */
	size_t near;                       /* Hint for flat_find_near() */
	bool listed, signed_up, indexed, walked;
	struct abbrev_cache caches[UNITS_CACHES]; /* Caches of opened units, chosen by their
						   * table's offset */
	/* The unit to which the last reference pointed. `abbrevs` is NULL without one. */
	struct unit reached;
	uint64_t range_budget;
	VEC(uint32_t) silent; /* Units whose first DIE has no code addresses */
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
/* Finds the index of the unit that contains an offset of a section. False if there is none. O(log
 * units). */
bool units_around(struct units *s, enum dw_section in, uint64_t off, size_t *ret_index);
/* Finds the type unit of a signature, or the unit of a dwo id (only in version 5's headers). */
bool units_by_signature(struct units *s, uint64_t signature, struct unit *ret);

/* Finds the index of the unit in .debug_info that has code at addr. If there are several, returns
 * the first in the file. For a split unit, returns its skeleton. */
bool units_at_addr(struct units *s, uint64_t addr, size_t *ret_index);

/* Follows a reference (VALUE_REF*) in a DIE of `from`. Returns the opened unit, and in *ret_off the
 * offset of the DIE in its section. NULL if the target does not exist. `from` belongs to s->dwarf
 * or to its supplementary file. The result is `from` itself, or valid until the next call. It uses
 * a cache of s. `from` must not, unless units_follow() returned it. */
const struct unit *units_follow(struct units *s, const struct unit *from, const struct value *v,
				uint64_t *ret_off);

#endif
