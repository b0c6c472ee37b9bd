/* Writes the DWARF 4 of a source map: a unit per source, and one line program. */
#include "base/sort.h"
#include "debug/sourcemap/source_map.h"

static const struct dwarf_form *const form = &dwarf_form_64;

/* A range of code, to be sorted by its source file */
struct owned {
	uint64_t file;
	uint64_t addr, end;
};

/* Writes a unit with address ranges per source. Merges adjacent ranges. */
static void source_map_dwarf_put_units(const struct source_map *m, const struct owned *rows,
				       size_t count, struct dwarf_made *ret)
{
	size_t i = 0;
	while (i < count) {
		const uint64_t file = rows[i].file;
		made_unit(ret, m->sources.data[file - 1], STR(""), 0, 0);
		while (i < count && rows[i].file == file) {
			const uint64_t addr = rows[i].addr;
			uint64_t end = rows[i++].end;
			while (i < count && rows[i].file == file && rows[i].addr == end)
				end = rows[i++].end;
			put_range(&ret->ranges, form, addr, end);
		}
		put_range(&ret->ranges, form, 0, 0);
		made_unit_end(ret);
	}
}

void source_map_dwarf(const struct source_map *m, uint64_t off, uint64_t size, uint64_t addr,
		      struct dwarf_made *ret)
{
	struct flat_range *rows = mem_zeroed(m->rows.count + 1, sizeof *rows);
	struct owned *owned = mem_zeroed(m->rows.count + 1, sizeof *owned);
	size_t count = 0, known = 0;
	dwarf_made_init(ret, form);
	for (size_t i = 0; i < m->rows.count; i++) {
		const struct flat_range *r = &m->rows.data[i];
		ASSERT(r->who < m->origins.count);
		const uint32_t file = m->origins.data[r->who].file;
		const uint64_t end = min_u64(r->end, off + size);
		if (r->addr < off || r->addr >= end)
			continue;
		rows[count++] = (struct flat_range){ r->addr - off + addr, end - off + addr,
						     r->who };
		if (file != 0 && m->sources.data[file - 1].len > 0)
			owned[known++] = (struct owned){ file, r->addr - off + addr,
							 end - off + addr };
	}
	sort_by_key(owned, known, sizeof *owned);
	source_map_dwarf_put_units(m, owned, known, ret);
	const struct line_rows lines = { m->sources.data, m->sources.count, rows, count,
					 m->origins.data };
	line_write(&ret->line, &lines, 0);
	mem_free_all(rows, owned);
}
