/* scopes.h - the functions of one unit and what was inlined into them, by address.
 *
 * scopes_read walks an opened unit once, for what has code: functions (DW_TAG_subprogram) and
 * inlined subroutines (DWARF 5, 3.3).  The result owns its memory; texts are borrowed from
 * the sections of the dwarfs and live as long as these.  Cost: about that of reading
 * the unit's bytes once; 32 bytes a scope, 16 a span, 64 a function.
 *
 *     struct scopes s = { 0 };
 *     scopes_read(&s, &units, &unit);
 *     for (uint32_t i = scopes_find(&s, addr); i != SCOPE_NONE; i = s.list.data[i].parent)
 *             ... scopes_function(&s, i)->linkage ...
 *     scopes_release(&s);
 *
 * Damage ends the walk with a note; what was read stands.  References are followed across
 * units (abstract_origin, specification; link-time optimisation, dwz), a bounded number of
 * steps, so cycles end. */
#ifndef HEFT_DEBUG_SCOPES_H
#define HEFT_DEBUG_SCOPES_H

#include "debug/units.h"

#define SCOPE_NONE FLAT_NONE

/* What a function is called and where it is declared.  One for all the scopes of the unit that
 * have the same origin. */
struct scope_function {
	struct str name;    /* DW_AT_name; "" if none */
	struct str linkage; /* DW_AT_linkage_name, as the linker sees it; "" if none */
	/* The declaration: an index into the files of the line program at decl_lines of decl_dwarf,
	 * and a line; 0 = unknown. */
	uint32_t decl_file, decl_line;
	struct dwarf *decl_dwarf;
	uint64_t decl_lines; /* DW_NO_OFFSET if the declaring unit has no line program */
	const void *memo;    /* the user's; NULL at first */
};

struct scope {
	uint64_t die_off; /* in the unit's section */
	/* What it was inlined into: an index below its own, or SCOPE_NONE: it is a function. */
	uint32_t parent;
	uint32_t function; /* index in functions */
	/* Where it was inlined: an index into the files of the unit's line program (that of the
	 * skeleton for a split unit), line and column; 0 = unknown. */
	uint32_t call_file, call_line, call_column;
};

struct scopes {
	VEC(struct scope) list; /* in the order of the DIEs: parents before children */
	VEC(struct scope_function) functions;
	struct flat code; /* who: the innermost scope, index in list */
};

/* Reads the unit into *ret, zeroed or of an earlier call (whose memory is used again).  `units`
 * are those of the unit's dwarf.  The unit must have been opened with a cache of the caller's.
 * False where the unit is damaged. */
bool scopes_read(struct scopes *ret, struct units *units, const struct unit *u);
void scopes_release(struct scopes *s);

/* The innermost scope around an address; SCOPE_NONE if none.  O(log spans). */
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
