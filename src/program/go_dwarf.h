/* go_dwarf.h - what the tables of Go's runtime (debug/pclntab.h) say of packages, lines and inlined
 * calls, written as DWARF 5, so that all who read DWARF read them too.
 *
 * A unit for each run of functions of one package, which is its name, a subprogram for each
 * function, in it an inlined subroutine for each piece of code that was inlined, below the calls
 * around it; one line program a unit.  Names are offsets in the table itself, which is copied to be
 * .debug_str.  Lists of calls are of two kinds, Go 1.12 to 1.19 and from 1.20 on; found by
 * experiment.  What is damaged there is left out.
 *
 * About three times the bytes of the table; O(bytes of the table) time. */
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

/* False where the sections would be larger than DWARF's 32-bit form has room for; nothing is to be
 * released then. */
bool go_dwarf_make(struct go_dwarf *d, const struct image *im, const struct go_table *table);
void go_dwarf_release(struct go_dwarf *d);

#endif
