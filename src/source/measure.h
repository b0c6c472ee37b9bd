/* measure.h - an input made ready for sources: its base map, the DWARF that they share, and the
 * struct source_file that they are given.
 *
 * One thread; sources that run side by side need one each. */
#ifndef HEFT_SOURCE_MEASURE_H
#define HEFT_SOURCE_MEASURE_H

#include "program/dwarf_slot.h"
#include "program/go_table.h"
#include "source/panics.h"
#include "source/source.h"

/* Zeroed = nothing to release. */
struct measure {
	struct basemap map;
	struct dwarf_slot dwarf;
	struct go_slot go;
	struct panics panics;
	struct source_file file;
};

/* `of` has the input, its labels and what else the user knows; all of it and the wish are borrowed
 * until measure_release.  Map and DWARF of *of are filled in here, and the slot
 * for Go's table where the caller has none to share. */
void measure_begin(struct measure *m, const struct source_file *of,
		   const struct program_wish *wish);
/* Whether the layer of a source is borrowed by sources that run after it: those by symbol and by
 * compile unit are. */
bool measure_lends(const struct source *s);
/* What a source makes of the input.  A layer that is lent stays where it is until all have run. */
void measure_run(struct measure *m, const struct source *s, struct layer *ret);
/* Where the input has code: spans that cover its file, whose label is not LABEL_NONE there. */
void measure_code(const struct measure *m, struct spans *ret);
void measure_release(struct measure *m);

#endif
