/* units.h - all units of one dwarf: by offset, by signature, by address; where references lead.
 *
 * Nothing is read before it is asked for.  The list of units costs a header each; the table of
 * addresses the first DIE of each, and a walk over those units that have code but do not say so
 * there.  Both are built once.  Damage costs a unit its own addresses.
 *
 * One thread at a time.  The dwarf is borrowed and must stay. */
#ifndef HEFT_DEBUG_UNITS_H
#define HEFT_DEBUG_UNITS_H

#include "debug/die.h"
#include "debug/flat.h"

/* References lead to and fro between many units. */
enum { UNITS_CACHES = 4 };

struct units {
	struct dwarf *dwarf;
	/* private: see the functions */
	struct units *sup;                 /* of dwarf->sup; owned */
	VEC(uint64_t) info, types;         /* offsets, rising */
	VEC(struct unit_key) by_signature; /* by signature, then in file order */
	struct flat addrs;                 /* who: 0xfffffffe - index in info */
	size_t near;                       /* see flat_find_near */
	bool listed, signed_up, indexed, walked;
	struct abbrev_cache caches[UNITS_CACHES]; /* of opened units, by the place of their table */
	/* The unit a reference led to last; abbrevs NULL = none. */
	struct unit reached;
	uint64_t range_budget;
	VEC(uint32_t) silent; /* units that do not say in their first DIE where their code is */
	VEC(struct flat_range) ranges;
};

struct unit_key {
	uint64_t signature;
	uint64_t off;
	uint64_t in; /* enum dw_section */
};

/* Reads nothing yet. */
void units_init(struct units *s, struct dwarf *d);
void units_release(struct units *s);

/* Units in .debug_info (in == DW_INFO) or .debug_types, in file order. */
size_t units_count(struct units *s, enum dw_section in);
/* Unit i < count: its header, ready for unit_open. */
bool units_get(struct units *s, enum dw_section in, size_t i, struct unit *ret);
/* The index of the unit around an offset of a section; false if none.  O(log units). */
bool units_around(struct units *s, enum dw_section in, uint64_t off, size_t *ret_index);
/* The type unit of a signature, or the unit of a dwo id (version 5, where the header has it). */
bool units_by_signature(struct units *s, uint64_t signature, struct unit *ret);

/* The unit in .debug_info that has code at addr: its index.  Where several claim an address,
 * the first of them in the file.  A skeleton stands for its split unit. */
bool units_at_addr(struct units *s, uint64_t addr, size_t *ret_index);

/* Where a reference (VALUE_REF*) in a DIE of `from` leads: the unit, opened, and the offset of
 * the DIE in its section.  `from` belongs to s->dwarf or to its supplementary file.  The result
 * is `from` itself, or stays until the next call; its abbreviations live in a cache of s,
 * so `from` must not have been opened with one of these, unless it came from here.  NULL where
 * the reference leads nowhere. */
const struct unit *units_follow(struct units *s, const struct unit *from, const struct value *v,
				uint64_t *ret_off);

#endif
