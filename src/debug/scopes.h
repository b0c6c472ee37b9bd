/* scopes.h - lists the functions of one unit, and the functions inlined into them, by address.
 *
 * A scope is a DIE with code: a function (DW_TAG_subprogram) or an inlined subroutine (DWARF 5,
 * 3.3). scopes_read() walks an opened unit once and keeps its scopes. The result owns its memory.
 * Texts are borrowed from the sections, and live as long. Cost: about that of reading the unit's
 * bytes once; 32 bytes per scope, 16 per span, 64 per function.
 *
 *   struct scopes s = { 0 };
 *   scopes_read(&s, &units, &unit);
 *   for (uint32_t i = scopes_find(&s, addr); i != SCOPE_NONE; i = s.list.data[i].parent)
 *     ... scopes_function(&s, i)->linkage ...
 *   scopes_release(&s);
 *
 * Damage ends the walk with a note, and scopes before it stay. References are followed across units
 * (abstract_origin, specification; link-time optimisation, dwz). The number of steps is limited, so
 * that cycles end. */
#pragma once

#include "debug/units.h"

#define SCOPE_NONE FLAT_NONE

/* Name and declaration of a function. All scopes of the unit with code of the function share it */
struct scope_function {
	struct str name;    /* DW_AT_name, or "" */
	struct str linkage; /* DW_AT_linkage_name, or "" */
	/* Where it is declared, 0 if unknown. decl_file is a file's index in the line program at
	 * offset decl_lines of decl_dwarf. */
	uint32_t decl_file, decl_line;
	struct dwarf *decl_dwarf;
	uint64_t decl_lines; /* DW_NO_OFFSET if the declaring unit has no line program */
	const void *memo;    /* Pointer that only the caller uses. NULL at first */
};

struct scope {
	uint64_t die_off; /* Offset of its DIE in the unit's section */
	/* Scope into which this one was inlined. Its index is lower. SCOPE_NONE for a function. */
	uint32_t parent;
	uint32_t function; /* Index in `functions` */
	/* Where the inlined call is, 0 if unknown. call_file is a file's index in the unit's line
	 * program. A split unit has that of its skeleton. */
	uint32_t call_file, call_line, call_column;
};

struct scopes {
	VEC(struct scope) list; /* In the order of the DIEs: parents before children */
	VEC(struct scope_function) functions;
	struct flat code; /* Addresses. `who` is the index in `list` of the innermost scope */
};

/* Reads the unit into *ret, which is zeroed or was filled before. `units`: all units of the dwarf.
 * The unit must be opened with a cache of the caller. False if the unit is damaged. */
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
