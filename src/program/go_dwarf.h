/* go_dwarf.h - writes what the tables of Go's runtime (debug/pclntab.h) say about packages, lines
 * and inlined calls as DWARF 5. So all readers of DWARF use it.
 *
 * A unit stands for each run of functions of one package and has the package's name. It has a
 * subprogram per function and one line program. A subprogram has an inlined subroutine per piece of
 * inlined code, below the calls around it. Names are offsets in the table itself, a copy of which
 * is .debug_str. Lists of calls have two forms, Go 1.12 to 1.19 and from 1.20 on; found by
 * experiment. Damaged parts are left out.
 *
 * Memory: about three times the bytes of the table. Time: O(bytes of the table). */
#ifndef HEFT_PROGRAM_GO_DWARF_H
#define HEFT_PROGRAM_GO_DWARF_H

#include "base/text.h"
#include "image/image.h"
#include "program/go_table.h"

enum { GO_DWARF_ABBREV, GO_DWARF_INFO, GO_DWARF_LINE, GO_DWARF_STR, GO_DWARF_SECTIONS };

struct go_dwarf {
	struct text sections[GO_DWARF_SECTIONS];
};

extern const char *const go_dwarf_names[GO_DWARF_SECTIONS];

/* Makes the sections. False if they would be too large for DWARF's 32-bit form; then nothing needs
 * to be released. */
bool go_dwarf_make(struct go_dwarf *d, const struct image *im, const struct go_table *table);
void go_dwarf_release(struct go_dwarf *d);

#endif
