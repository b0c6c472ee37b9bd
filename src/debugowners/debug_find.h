/* debug_find.h - finds the owners of the debug bytes of one unit or line program. Private to
 * debug_bytes.
 *
 * struct findings has the claims of one job, or of all jobs together. Jobs run in parallel, so the
 * labels in a job's claims are local (see local_label.h), except for owners of VM addresses. */
#pragma once

#include "base/bits.h"
#include "debugowners/debug_bytes.h"

/* Returns the offset in the whole section of an offset that counts from the unit's part of it. */
static inline uint64_t find_placed(const struct findings *f, enum dw_section in, uint64_t off)
{
	return f->base ? add_sat(off, f->base[in]) : off;
}

/* Claims bytes of a section. Does nothing for sections of another file, or if l is LABEL_NONE. */
void find_sized(struct findings *f, enum dw_section in, uint64_t off, uint64_t size, label_id l);
/* Claims the bytes from `off` until the next claim in the section. Bytes of one owner are adjacent,
 * so claiming the first of a run is enough. */
void find_open(struct findings *f, enum dw_section in, uint64_t off, label_id l);
/* True if the offset of a section had no owner. Marks it as owned, so later calls return false. */
bool find_first(struct findings *f, enum dw_section in, uint64_t off);
/* Claims a string. Later claims of the same string have no effect. */
void find_string(struct findings *f, enum dw_section table, uint64_t off, label_id l);

/* Claims the debug info of a unit for the unit's label. Returns the label and the code attributes.
 * Does not claim its line program, its macros, or the code that its first entry
 * (DW_TAG_compile_unit) covers. Gives a unit without a name a pending label, for which the caller
 * later sets another label (local_label.h). `split`: also reads the .dwo unit of a skeleton
 * unit. */
struct unit_found find_unit(struct findings *f, struct unit *u, struct abbrev_cache *cache,
			    bool split);
/* Claims a line program: file names for f->unit_label, rows for the owners of their addresses. */
void find_line_program(struct findings *f, struct line_program *p);
/* Returns the name that labels a unit. False if it has none. */
bool find_unit_name(const struct debug_bytes *b, const struct unit *u, struct text *ret);
/* Turns the name of a unit into its label. With b->by_file, removes the object file that rustc
 * adds. With b->by_symbol, appends " (debug info)". */
void find_decorate(const struct debug_bytes *b, struct text *name);
