/* A source map: rows are in order, origins name sources, and the DWARF made of it is whole. */
#include "debug/sourcemap/source_map.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_rows(const struct source_map *m)
{
	for (size_t i = 0; i < m->rows.count; i++) {
		const struct flat_range *r = &m->rows.data[i];
		ASSERT(i == 0 || m->rows.data[i - 1].addr <= r->addr);
		ASSERT(r->addr <= r->end && r->who < m->origins.count);
		ASSERT(m->origins.data[r->who].file <= m->sources.count);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct source_map m;
	struct dwarf_made d;
	const char *problem;
	uint64_t pos;
	if (source_map_parse(&m, (struct bytes){ data, size }, &problem, &pos)) {
		check_rows(&m);
		source_map_dwarf(&m, 10, 1000, 5, &d);
		ASSERT(d.ranges.len % 16 == 0);
		dwarf_made_release(&d);
	} else {
		ASSERT(problem && pos <= size);
	}
	source_map_release(&m);
	return 0;
}
