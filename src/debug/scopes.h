/* scopes.h - lists the functions of one unit, and the functions inlined into them, by address.
 *
 * scopes_read() walks an opened unit once and keeps the entries with code: functions
 * (DW_TAG_subprogram) and inlined subroutines (DWARF 5, 3.3). The result owns its memory. Texts are
 * borrowed from the sections of the dwarfs and live as long as these. Cost: about that of reading
 * the unit's bytes once; 32 bytes per scope, 16 per span, 64 per function.
 *
 *     struct scopes s = { 0 };
 *     scopes_read(&s, &units, &unit);
 *     for (uint32_t i = scopes_find(&s, addr); i != SCOPE_NONE; i = s.list.data[i].parent)
 *             ... scopes_function(&s, i)->linkage ...
 *     scopes_release(&s);
 *
 * Damage ends the walk with a note. Scopes read before it stay. References are followed across
 * units (abstract_origin, specification; link-time optimisation, dwz). The number of steps is
 * limited, so cycles end. */
#ifndef HEFT_DEBUG_SCOPES_H
#define HEFT_DEBUG_SCOPES_H

#include "debug/units.h"

#define SCOPE_NONE FLAT_NONE

/* Name and declaration of a function, shared by all scopes of the unit with the same origin. */
struct scope_function {
	struct str name;    /* DW_AT_name. "" if there is none */
	struct str linkage; /* DW_AT_linkage_name. "" if there is none */
	/* Declaration. decl_file is an index of the files of the line program at decl_lines of
	 * decl_dwarf. 0 if unknown. */
	uint32_t decl_file, decl_line;
	struct dwarf *decl_dwarf;
	uint64_t decl_lines; /* DW_NO_OFFSET if the declaring unit has no line program */
	const void *memo;    /* For the caller's use. NULL at first. */
};

struct scope {
	uint64_t die_off; /* Offset in the unit's section */
	/* Scope into which this one was inlined. Its index is lower. SCOPE_NONE for a function. */
	uint32_t parent;
	uint32_t function; /* Index in `functions` */
	/* Position of the inlined call. call_file is an index of the files of the unit's line
	 * program. For a split unit, that is its skeleton's. 0 if unknown. */
	uint32_t call_file, call_line, call_column;
};

struct scopes {
	VEC(struct scope) list; /* Scopes, in the order of the DIEs: parents before children */
	VEC(struct scope_function) functions;
	struct flat code; /* `who` is the innermost scope, an index in `list` */
};

/* Reads the unit into *ret. *ret must be zeroed, or filled by an earlier call. `units` are all
 * units of the dwarf. Open the unit with a cache of the caller. False if the unit is damaged. */
bool scopes_read(struct scopes *ret, struct units *units, const struct unit *u);
void scopes_release(struct scopes *s);

/* Returns the innermost scope that contains an address, or SCOPE_NONE. O(log spans). */
static inline uint32_t scopes_find(const struct scopes *s, uint64_t addr)
{
	const struct flat_span *span = flat_find(&s->code, addr);
	return span ? span->who : SCOPE_NONE;
}

static inline const struct scope_function *scopes_function(const struct scopes *s, uint32_t scope)
{
	return &s->functions.data[s->list.data[scope].function];
}

#endif
