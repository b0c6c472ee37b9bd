/* source_map.h - source maps of version 3 (ECMA-426), whole ones and ones of sections, and DWARF
 * made of them.
 *
 * A map of a WebAssembly module has one generated line, whose columns are offsets in the file.
 * What it says of further lines is passed over.  Each source becomes a compile unit with the
 * ranges that come from it; all share one line program.  Maps know no functions: names are not
 * read. */
#ifndef HEFT_DEBUG_SOURCE_MAP_H
#define HEFT_DEBUG_SOURCE_MAP_H

#include "base/arena.h"
#include "base/reader.h"
#include "base/vec.h"
#include "debug/write/dwarf_write.h"

struct source_map {
	VEC(struct str) sources;         /* with the root in front */
	VEC(struct flat_range) rows;     /* offsets in the file, sorted, without overlap */
	VEC(struct line_origin) origins; /* lines from 1 */
	uint64_t damaged;                /* mappings that name no source */
	struct arena arena;
};

/* Whether the bytes may be one: JSON that begins as an object with a member. */
bool source_map_matches(struct bytes b);
/* False where it is none or damaged: *ret_problem, static, says how, at *ret_pos. */
bool source_map_parse(struct source_map *m, struct bytes b, const char **ret_problem,
		      uint64_t *ret_pos);
void source_map_release(struct source_map *m);

struct source_map_dwarf {
	struct text info, abbrev, line, ranges;
};

/* Of code that stands at `off` of the file, `size` bytes, and has addresses from `addr` on. */
void source_map_dwarf(const struct source_map *m, uint64_t off, uint64_t size, uint64_t addr,
		      struct source_map_dwarf *ret);
void source_map_dwarf_release(struct source_map_dwarf *d);

#endif
