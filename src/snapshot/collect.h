/* collect.h - the symbols of a program as a container of a snapshot.
 *
 * What the sources know is put together, nothing is read a second way: the symbol tables say what is where; the
 * symbols source says whose the bytes between are; the units source says which source file; a linker map says
 * which object.  String literals are symbols of their own.  What nobody has becomes star symbols, the rest of
 * the file `** ELF Section:` and overhead symbols, so that PSS adds up to each section and to the file. */
#ifndef HEFT_SNAPSHOT_COLLECT_H
#define HEFT_SNAPSHOT_COLLECT_H

#include "image/linkmap/linkmap.h"
#include "snapshot/path_aliases.h"
#include "snapshot/snapshot.h"
#include "source/source.h"

/* What is known of one linked image or object. */
struct collect_input {
	const struct source_file *file;
	const struct image *image, *debug;  /* debug: of its separate debug file, or NULL */
	const struct spans *symbols;        /* VM layers of the sources symbols ... */
	const struct spans *units;          /* ... and compileunits, or NULL */
	const struct labels *unit_labels;   /* of the units layer */
	const struct linkmap *map;          /* or NULL */
	const struct path_aliases *aliases; /* or NULL */
	struct str object; /* of what the map has no object for: the member of an archive; "" */
	bool exact_names;  /* as SuperSize cuts them */
	bool no_literals;
};

/* Adds the symbols of one image to a container; section sizes and metadata too.  The caller finishes the snapshot. */
void snapshot_collect(struct snapshot *s, uint32_t container, const struct collect_input *in);

#endif
