/* debug_find.h - what one unit or line program says of whose the bytes of debug sections are.
 * Private to debug_bytes.
 *
 * Findings are a job's, or those of all jobs together.  A job knows no label table: its labels are
 * local (see local_label.h), but for owners of VM addresses; it runs beside others. */
#ifndef HEFT_SOURCE_ATTR_DEBUG_FIND_H
#define HEFT_SOURCE_ATTR_DEBUG_FIND_H

#include "base/bits.h"
#include "source/attr/debug_bytes.h"

/* An offset as the unit counts, in the whole section. */
static inline uint64_t find_placed(const struct findings *f, enum dw_section in, uint64_t off)
{
	return f->base ? add_sat(off, f->base[in]) : off;
}

/* Claims bytes of a section; nothing where the sections are another file's or l is LABEL_NONE. */
void find_sized(struct findings *f, enum dw_section in, uint64_t off, uint64_t size, label_id l);
/* What reaches to the next thing in its section.  Things of one owner stand together, so the first
 * of a run speaks for the run. */
void find_open(struct findings *f, enum dw_section in, uint64_t off, label_id l);
/* Whether nobody asked about this offset of a section before. */
bool find_first(struct findings *f, enum dw_section in, uint64_t off);
/* A string that is somebody's belongs to the first. */
void find_string(struct findings *f, enum dw_section table, uint64_t off, label_id l);

/* Everything of a unit but its line program, its macros and the code its first entry names.  The
 * label is pending where the unit has no name.  `split`: a skeleton may open its other half. */
struct unit_found find_unit(struct findings *f, struct unit *u, struct abbrev_cache *cache,
			    bool split);
/* Names and rows of a program of f->unit_label. */
void find_line_program(struct findings *f, struct line_program *p);
/* The name by which a unit is labelled; false where it has none. */
bool find_unit_name(const struct debug_bytes *b, const struct unit *u, struct text *ret);
/* What is added to such names. */
void find_decorate(const struct debug_bytes *b, struct text *name);

#endif
