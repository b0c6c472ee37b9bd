/* measure.h - prepares an input for sources: its base map, the DWARF that sources share, and the
 * struct source_file that they get.
 *
 * One thread. Sources that run side by side need one each. */
#ifndef HEFT_SOURCE_MEASURE_H
#define HEFT_SOURCE_MEASURE_H

#include "program/dwarf_slot.h"
#include "program/go_table.h"
#include "program/program.h"
#include "attr/panics.h"
#include "source/source.h"

/* Zeroed = nothing to release. */
struct measure {
	struct basemap map;
	struct dwarf_slot dwarf;
	struct go_slot go;
	struct panics panics;
	struct source_file file;
};

/* What sources need of a program beside its bytes. */
enum {
	NEED_SYMBOLS = 1 << 0,
	NEED_DWARF = 1 << 1,
	NEED_UNITS = 1 << 2, /* Compile units, also from a linker map. */
	NEED_REGIONS = 1 << 3,
};
unsigned source_needs(const struct source *s);
/* Returns a program as its sources see it, with the parts that they need. `core` is the process of
 * a core, otherwise NULL. The caller adds labels and notes. */
struct source_file measure_input(struct program *p, struct process *core, unsigned needs);
/* Prepares an input. `of` has the input, its labels and other facts of the user. Borrows `of` and
 * the options until measure_release(). Fills in the map and the DWARF, and the slot for Go's table
 * if the caller has none to share. */
void measure_begin(struct measure *m, const struct source_file *of,
		   const struct program_wish *wish);
/* True if later sources borrow the layer of a source: true for the sources by symbol and by
 * compile unit. */
bool measure_lends(const struct source *s);
/* Runs a source on the input. A borrowed layer must stay in place until all sources have run. */
void measure_run(struct measure *m, const struct source *s, struct layer *ret);
/* Finds the input's code: spans that cover its file, with a label except LABEL_NONE at code. */
void measure_code(const struct measure *m, struct spans *ret);
void measure_release(struct measure *m);

#endif
