/* collect.h - the symbols of a program as a container of a snapshot.
 *
 * A snapshot is made of layers of the map: the symbols source says where symbols stand and whose
 * the bytes between them are; the units source says which source file; a linker map says which
 * object, and what stood where in a stripped program.  String literals are symbols of their own.
 *
 * Every section of the file is there, by its own name unless it is one that the file format has
 * symbols in (".text.hot" is .text).  Sections with code, data or symbols are tiled: each byte is
 * of one symbol, a gap, or padding.  Every other section is one symbol, "** ELF Section: NAME";
 * what no section has is overhead. */
#ifndef HEFT_SNAPSHOT_COLLECT_H
#define HEFT_SNAPSHOT_COLLECT_H

#include "image/linkmap/linkmap.h"
#include "names/namespace.h"
#include "program/path_aliases.h"
#include "snapshot/snapshot.h"
#include "source/source.h"

/* What a source made of the file and of the VM image. */
struct charge_level {
	const struct layer *layer;
	const struct labels *labels;
};

/* What is known of one linked image or object. */
struct collect_input {
	const struct source_file *file;
	size_t index;              /* of the image in file->input */
	struct places *places;     /* of the symbols source */
	const struct spans *units; /* of the VM image, by debug info alone: for paths */
	const struct labels *unit_labels;
	/* By symbol, compile unit and object, for charges; without objects they are the units.
	 * Without units there are no charges. */
	struct charge_level by_symbol, by_unit, by_object;
	struct namespaces *spaces;          /* of debug info; those of names are added */
	const struct linkmap *map;          /* or NULL */
	const struct path_aliases *aliases; /* or NULL */
	struct str object; /* of what the map has no object for: the member of an archive; "" */
	bool exact_names;  /* as SuperSize cuts them */
	bool no_literals;
	/* Which symbols tell what they hold: all; none, for nothing is compared; else those whose
	 * names heft made. */
	bool contents, alone;
};

/* Adds the symbols of one image to a container; section sizes and metadata too.  The caller
 * finishes the snapshot. */
void snapshot_collect(struct snapshot *s, uint32_t container, const struct collect_input *in);

#endif
