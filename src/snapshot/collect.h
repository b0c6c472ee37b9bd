/* collect.h - adds the symbols of a program to a snapshot, as a container.
 *
 * A snapshot is made from layers of the map. The symbols source says where symbols lie and who owns
 * the bytes between them. The units source says which source file. A linker map says which object,
 * and what a stripped program had at each address. String literals become symbols of their own.
 *
 * Every section of the file becomes a section of its own name, unless it belongs to a section of
 * the format (".text.hot" is .text). Sections with code, data or symbols are tiled: each byte
 * belongs to one symbol, a gap, or padding. Every other section is one symbol, "** ELF Section:
 * NAME". Bytes of no section are overhead. */
#ifndef HEFT_SNAPSHOT_COLLECT_H
#define HEFT_SNAPSHOT_COLLECT_H

#include "linkmap/linkmap.h"
#include "names/namespace.h"
#include "program/path_aliases.h"
#include "snapshot/snapshot.h"
#include "source/source.h"

/* Layer that a source made of the file and of the VM image. */
struct charge_level {
	const struct layer *layer;
	const struct labels *labels;
};

/* What is known about one linked image or object. */
struct collect_input {
	const struct source_file *file;
	size_t index;              /* Index of the image in file->input. */
	struct places *places;     /* Places found by the symbols source. */
	const struct spans *units; /* Spans of the VM image from debug info alone. They give the
				    * paths. */
	const struct labels *unit_labels;
	/* Layers by symbol, by compile unit and by object, for charges. Without objects, by_object
	 * equals by_unit. Without units there are no charges. */
	struct charge_level by_symbol, by_unit, by_object;
	struct namespaces *spaces;          /* Namespaces of debug info. Namespaces that names
					     * tell are added. */
	const struct linkmap *map;          /* May be NULL. */
	const struct path_aliases *aliases; /* May be NULL. */
	struct str object; /* Object of bytes that the map has no object for: the archive member.
			    * "" if there is none. */
	bool exact_names;  /* Cut names exactly as SuperSize does. */
	bool no_literals;
	/* Which symbols get a number of their contents: all with `contents`, none with `alone`
	 * (nothing is compared). Otherwise the symbols whose names heft made. */
	bool contents, alone;
	bool clues; /* clues_add() follows, and numbers the code whose names heft made. */
};

/* Adds the symbols of one image to a container, with section sizes and metadata. The caller
 * finishes the snapshot. */
void snapshot_collect(struct snapshot *s, uint32_t container, const struct collect_input *in);

#endif
