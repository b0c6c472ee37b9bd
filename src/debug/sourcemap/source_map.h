/* source_map.h - reads source maps of version 3 (ECMA-426), with or without sections, and converts
 * them to DWARF.
 *
 * The map of a WebAssembly module describes one line, whose columns are offsets in the module.
 * Other lines are ignored. Each source file becomes a compile unit with its address ranges. All
 * units share one line program. Names are ignored, because they do not name functions. */
#pragma once

#include "base/arena.h"
#include "base/reader.h"
#include "base/vec.h"
#include "debug/write/dwarf_write.h"

struct source_map {
	VEC(struct str) sources;         /* Paths. Each begins with the root in the map */
	VEC(struct flat_range) rows;     /* Offsets in the file, sorted, without overlap */
	VEC(struct line_origin) origins; /* Source lines, from 1 */
	uint64_t damaged;                /* Number of mappings that name no source of the map */
	struct arena arena;
};

/* True if the bytes may be a source map: JSON that begins as an object with a member. */
bool source_map_matches(struct bytes b);
/* Parses a source map. False if it is damaged or no source map: *ret_problem is then a static text,
 * and *ret_pos the position. */
bool source_map_parse(struct source_map *m, struct bytes b, const char **ret_problem,
		      uint64_t *ret_pos);
void source_map_release(struct source_map *m);

/* Makes the DWARF of code of `size` bytes at offset `off` of the file, with addresses from
 * `addr`. */
void source_map_dwarf(const struct source_map *m, uint64_t off, uint64_t size, uint64_t addr,
		      struct dwarf_made *ret);
