/* measure.h - prepares an input for sources: its base map, the DWARF that sources share, and their
 * struct source_file.
 *
 * One thread per struct. Sources in parallel need one struct each. */
#ifndef HEFT_SOURCE_MEASURE_H
#define HEFT_SOURCE_MEASURE_H

#include "program/dwarf_slot.h"
#include "program/go_table.h"
#include "program/program.h"
#include "attr/panics.h"
#include "source/source.h"

/* A prepared input. All zero if nothing must be released. */
struct measure {
	struct basemap map;
	struct dwarf_slot dwarf;
	struct go_slot go;
	struct panics panics;
	struct source_file file;
};

/* Parts of a program that sources need beside its bytes. */
enum {
	NEED_SYMBOLS = 1 << 0,
	NEED_DWARF = 1 << 1,
	NEED_UNITS = 1 << 2, /* Compile units, also from a linker map */
	NEED_REGIONS = 1 << 3,
};
unsigned source_needs(const struct source *s);
/* Returns a program as input for its sources, with the parts that they need. `core` is the process
 * of a core, or NULL. The caller adds labels and notes. */
struct source_file measure_input(struct program *p, struct process *core, unsigned needs);
/* Prepares an input. `of` has the input, its labels and the user's options. Borrows `of` and the
 * options until measure_release(). Fills in the base map, the DWARF, and Go's table unless the
 * caller shares one. */
void measure_begin(struct measure *m, const struct source_file *of,
		   const struct program_wish *wish);
/* True if other sources borrow this source's layer: true for sources by symbol and by compile
 * unit. */
bool measure_lends(const struct source *s);
/* Runs a source on the input. A borrowed layer must stay in place until all sources have run. */
void measure_run(struct measure *m, const struct source *s, struct layer *ret);
/* Finds the input's code: spans over the whole file. Code has LABEL_NONE, other bytes have a
 * label. */
void measure_code(const struct measure *m, struct spans *ret);
void measure_release(struct measure *m);

#endif
