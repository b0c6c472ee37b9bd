/* collect.h - adds the symbols of a program to a snapshot, as a container.
 *
 * A snapshot is made from layers of sources. The data source `symbols` provides places of symbols,
 * and owners of the bytes between them. The data source `compileunits` provides source files. A
 * linker map provides objects, and the contents of a stripped program by address. String literals
 * become symbols of their own.
 *
 * A section of the file becomes a section of the snapshot with the same name, or with the format's
 * name (".text" for ".text.hot"). Sections with code, data or symbols are tiled: each byte belongs
 * to one symbol, a gap, or padding. Every other section is one symbol, "** ELF Section: NAME".
 * Bytes outside of sections are overhead. */
#pragma once

#include "linkmap/linkmap.h"
#include "names/namespace.h"
#include "program/path_aliases.h"
#include "snapshot/snapshot.h"
#include "source/source.h"

/* What a data source says about the file and the VM image */
struct charge_level {
	const struct layer *layer;
	const struct labels *labels;
};

/* Facts about one linked image or object. */
struct collect_input {
	const struct source_file *file;
	size_t index;              /* Index in file->input */
	struct places *places;     /* Places of symbols, from the data source `symbols` */
	const struct spans *units; /* Spans of the VM image by compile unit, from debug info
				    * alone. For source paths */
	const struct labels *unit_labels;
	/* Layers for the charges (struct snap_charge). If objects are unknown, by_object equals
	 * by_unit. If units are unknown, there are no charges. */
	struct charge_level by_symbol, by_unit, by_object;
	struct namespaces *spaces;          /* Namespaces from debug info. Receives those that names
					     * of symbols show */
	const struct linkmap *map;          /* May be NULL */
	const struct path_aliases *aliases; /* May be NULL */
	struct str object; /* Object of bytes for which the map has none: the archive member, or
			    * "" */
	bool no_debug;     /* True without debug info: the symbol table states source paths */
	bool exact_names;  /* True to shorten names exactly as SuperSize does */
	bool no_literals;
	/* Which symbols' contents to hash. `contents`: all. `alone`: none, because nothing is
	 * compared. Neither: those with generated names. */
	bool contents, alone;
	bool clues; /* True if clues_add() follows, which hashes code with generated names */
};

/* Adds the symbols of one image to a container, with sizes of sections and metadata. The caller
 * calls snapshot_finish(). */
void snapshot_collect(struct snapshot *s, uint32_t container, const struct collect_input *in);
