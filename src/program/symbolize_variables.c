/* Finds declarations of variables: reads all units once for variables that have an address. */
#include "program/symbolize_internal.h"

#include "base/sort.h"
#include "debug/decl.h"
#include "debug/walk.h"

struct symbolize_variables_listing {
	struct symbolizer *s;
	const struct unit *unit;
	uint32_t index;
};

/* Opens a unit in `room`. Returns its split unit if the unit is a skeleton. */
static const struct unit *symbolize_variables_open_unit(struct symbolizer *s, size_t index,
							struct unit room[2])
{
	if (!units_get(&s->units, DW_INFO, index, &room[0]) ||
	    !unit_open(&room[0], &s->cache, NULL))
		return NULL;
	return symbolizer_split(s, &room[0], &room[1]) ? &room[1] : &room[0];
}

static void symbolize_variables_on(void *ctx, uint64_t die_off, uint64_t addr)
{
	const struct symbolize_variables_listing *l = ctx;
	uint64_t vm;
	if (!dwarf_is_tombstone(l->unit->dwarf, addr, l->unit->address_size) &&
	    debuginfo_data_addr(l->s->info, addr, &vm))
		vec_push(&l->s->variables, (struct variable_place){ vm, die_off, l->index });
}

static void read_variables(struct symbolizer *s)
{
	const size_t count = units_count(&s->units, DW_INFO);
	for (size_t i = 0; i < count; i++) {
		struct unit room[2];
		struct symbolize_variables_listing l = { s,
							 symbolize_variables_open_unit(s, i, room),
							 (uint32_t)i };
		const struct walker w = { .ctx = &l, .variable = symbolize_variables_on };
		if (l.unit)
			(void)unit_walk(l.unit, &w);
	}
	ASSERT(!s->variables_read);
	sort_by_key(s->variables.data, s->variables.count, sizeof *s->variables.data);
	s->variables_read = true;
}

static bool symbolize_variables_find_here(struct symbolizer *s, uint64_t vm_addr,
					  struct declaration *ret)
{
	struct unit room[2];
	struct decl decl;
	uint64_t size;
	if (!s->variables_read)
		read_variables(s);
	const size_t i = upper_bound(s->variables.data, s->variables.count,
				     sizeof *s->variables.data, vm_addr);
	const struct variable_place *v = i > 0 ? &s->variables.data[i - 1] : NULL;
	const struct unit *u = v ? symbolize_variables_open_unit(s, v->unit, room) : NULL;
	if (!u || (v->addr != vm_addr &&
		   (!variable_size(u, v->die_off, &size) || vm_addr - v->addr >= size)))
		return false;
	size_t index = v->unit;
	uint64_t die_off = v->die_off;
	if (symbolizer_origin(s, &index, &die_off))
		u = symbolize_variables_open_unit(s, index, room);
	else
		index = v->unit, die_off = v->die_off;
	const struct loaded_unit *l = symbolizer_unit(s, index);
	*ret = (struct declaration){ .unit = l->name, .file = "" };
	if (!u || !decl_read(u, die_off, &decl))
		return true;
	if (l->lines && decl.has_file)
		ret->file = line_table_path(l->lines, (uint32_t)min_u64(decl.file, UINT32_MAX),
					    &s->texts);
	ret->line = (uint32_t)min_u64(decl.line, UINT32_MAX);
	ret->column = (uint32_t)min_u64(decl.column, UINT32_MAX);
	return true;
}

bool symbolizer_variable(struct symbolizer *s, uint64_t vm_addr, struct declaration *ret)
{
	return symbolize_variables_find_here(s, vm_addr, ret) ||
	       (s->besides && symbolize_variables_find_here(s->besides, vm_addr, ret));
}
