/* Walks a measured package (.dwp). Each unit of a package has its own parts of the sections. */
#include "debug/package.h"
#include "debugowners/debug_find.h"

#include "base/sort.h"

/* A slot of the index, with the offset of its unit as key. */
struct debug_package_slot {
	uint64_t off;
	uint32_t number;
};

typedef VEC(struct debug_package_slot) slot_vec;

/* Returns the section with the units of an index. In version 2, type units are in .debug_types. */
static enum dw_section units_in(const struct package_index *p, enum dw_section index)
{
	return index == DW_TU_INDEX && p->version < 5 ? DW_TYPES : DW_INFO;
}

static slot_vec list_slots(const struct package_index *p, enum dw_section in)
{
	slot_vec list = { 0 };
	for (uint32_t i = 0; i < p->slots; i++) {
		struct package_unit found;
		uint64_t signature;
		if (package_slot(p, i, &signature, &found) && found.parts[in].present)
			vec_push(&list, (struct debug_package_slot){ found.parts[in].off, i });
	}
	sort_by_key(list.data, list.count, sizeof *list.data);
	return list;
}

/* Claims the unit's rows and its slot of the index: a signature and a row number, and for every
 * column an offset and a size. */
static void index_bytes(struct debug_bytes *b, const struct package_index *p, enum dw_section index,
			uint32_t slot, uint32_t row)
{
	const uint64_t width = (uint64_t)p->columns * 4;
	const label_id l = b->found.unit_label;
	struct claims *c = &b->found.claims[index];
	if (l == LABEL_NONE)
		return;
	claim(c, p->rows_off - (uint64_t)p->slots * 8 + (uint64_t)slot * 8, 8, l, WHY_DEBUG);
	claim(c, p->rows_off + (uint64_t)slot * 4, 4, l, WHY_DEBUG);
	claim(c, p->offsets_off + row * width, width, l, WHY_DEBUG);
	claim(c, p->sizes_off + row * width, width, l, WHY_DEBUG);
}

/* Walks one unit as a separate job. */
static void one_unit(struct debug_bytes *b, struct unit_findings *j, const struct unit *u,
		     const uint64_t *base)
{
	ASSERT(!b->found.base);
	j->job.units.count = 0;
	vec_push(&j->job.units, *u);
	b->found.base = j->found.base = base;
	debug_bytes_units(b, j, 0);
	debug_bytes_take(b, j);
	b->found.base = NULL;
	/* Clears the cached abbreviation tables: they refer to the unit's struct dwarf, which is
	 * reused for the next unit. */
	abbrev_cache_release(&j->job.cache);
	memset(&j->job.cache, 0, sizeof j->job.cache);
}

static void one_slot(struct debug_bytes *b, struct unit_findings *j, const struct package_index *p,
		     enum dw_section index, uint32_t slot)
{
	const enum dw_section in = units_in(p, index);
	struct package_dwarf view;
	struct package_unit found;
	struct unit u;
	uint64_t signature, off = 0, base[DW_SECTIONS];
	if (!package_slot(p, slot, &signature, &found))
		return;
	package_dwarf_init(&view, &b->info->dwarf, &found);
	for (size_t i = 0; i < DW_SECTIONS; i++)
		base[i] = found.parts[i].present ? found.parts[i].off : 0;
	if (unit_next(&view.dwarf, in, &off, &u)) {
		one_unit(b, j, &u, base);
		index_bytes(b, p, index, slot, found.row);
	}
}

void debug_package_walk(struct debug_bytes *b, enum dw_section index)
{
	struct package_index p;
	ASSERT(index == DW_CU_INDEX || index == DW_TU_INDEX);
	if (!b->own || !package_open(&p, &b->info->dwarf, index))
		return;
	struct unit_findings *j = mem_zeroed(1, sizeof *j);
	slot_vec slots = list_slots(&p, units_in(&p, index));
	for (size_t i = 0; i < slots.count; i++)
		one_slot(b, j, &p, index, slots.data[i].number);
	vec_release(&slots);
	unit_findings_release(j);
	vec_release(&j->job.units);
	mem_free(j);
}
