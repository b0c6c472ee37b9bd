/* source_map.h - reads source maps of version 3 (ECMA-426), with or without sections, and converts
 * them to DWARF.
 *
 * A map of a WebAssembly module has one generated line. Its columns are offsets in the file.
 * Further lines are ignored. Each source becomes a compile unit with its ranges. All units share
 * one line program. Names are ignored, because they do not name functions. */
#ifndef HEFT_DEBUG_SOURCE_MAP_H
#define HEFT_DEBUG_SOURCE_MAP_H

#include "base/arena.h"
#include "base/reader.h"
#include "base/vec.h"
#include "debug/write/dwarf_write.h"

struct source_map {
	VEC(struct str) sources;         /* Paths of the sources, including the root */
	VEC(struct flat_range) rows;     /* Offsets in the file, sorted, without overlap */
	VEC(struct line_origin) origins; /* Origins. Lines count from 1 */
	uint64_t damaged;                /* Number of mappings without a source */
	struct arena arena;
};

/* True if the bytes may be a source map: JSON that begins as an object with a member. */
bool source_map_matches(struct bytes b);
/* Parses a source map. False if damaged or not a source map, with a static text in *ret_problem and
 * the position in *ret_pos. */
bool source_map_parse(struct source_map *m, struct bytes b, const char **ret_problem,
		      uint64_t *ret_pos);
void source_map_release(struct source_map *m);

/* Makes the DWARF of the code at file offset `off`, `size` bytes. The code's addresses start at
 * `addr`. */
void source_map_dwarf(const struct source_map *m, uint64_t off, uint64_t size, uint64_t addr,
		      struct dwarf_made *ret);

#endif
