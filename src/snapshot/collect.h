/* collect.h - adds the symbols of a program to a snapshot, as a container.
 *
 * A snapshot is made from layers of sources. The symbols source provides places of symbols and
 * owners of the bytes between them. The units source provides source files. A linker map provides
 * objects, and the contents of a stripped program by address. String literals become symbols of
 * their own.
 *
 * A section of the file becomes a section of the snapshot with the same name, or with the format's
 * name (".text" for ".text.hot"). Sections with code, data or symbols are tiled: each byte belongs
 * to one symbol, a gap, or padding. Every other section is one symbol, "** ELF Section: NAME".
 * Bytes outside of sections are overhead. */
#ifndef HEFT_SNAPSHOT_COLLECT_H
#define HEFT_SNAPSHOT_COLLECT_H

#include "linkmap/linkmap.h"
#include "names/namespace.h"
#include "program/path_aliases.h"
#include "snapshot/snapshot.h"
#include "source/source.h"

/* A source's layer over the file and the VM image. */
struct charge_level {
	const struct layer *layer;
	const struct labels *labels;
};

/* Facts about one linked image or object. */
struct collect_input {
	const struct source_file *file;
	size_t index;              /* Index of the image in file->input. */
	struct places *places;     /* Places found by the symbols source. */
	const struct spans *units; /* Spans of the VM image from debug info alone, for paths */
	const struct labels *unit_labels;
	/* Layers for charges. Without objects, by_object equals by_unit. Without units there are no
	 * charges. */
	struct charge_level by_symbol, by_unit, by_object;
	struct namespaces *spaces;          /* Namespaces from debug info. Namespaces that names
					     * reveal are added */
	const struct linkmap *map;          /* May be NULL */
	const struct path_aliases *aliases; /* May be NULL */
	struct str object; /* Object of bytes that the map assigns to no object: the archive
			    * member, or "" */
	bool no_debug;     /* Sources are names of the symbol table, as there is no debug info */
	bool exact_names;  /* Shorten names exactly as SuperSize does */
	bool no_literals;
	/* Selects symbols whose contents are hashed. `contents`: all. `alone`: none, because
	 * nothing is compared. Neither: symbols with generated names. */
	bool contents, alone;
	bool clues; /* True if clues_add() follows and hashes the code with generated names */
};

/* Adds the symbols of one image to a container, with section sizes and metadata. The caller
 * finishes the snapshot. */
void snapshot_collect(struct snapshot *s, uint32_t container, const struct collect_input *in);

#endif
