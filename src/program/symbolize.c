/* Finds the source lines and functions of an address in DWARF. */
#include "program/symbolize_internal.h"

#include "base/sort.h"
#include "debug/decl.h"
#include "debug/unit.h"
#include "debug/walk.h"
#include "program/source_line.h"

/* Greatest number of frames per address. Compilers inline less deeply. Drops further outer
 * frames. */
enum { FRAMES_MAX = 4096 };

static bool dwarf_addr(const struct symbolizer *s, uint64_t vm_addr, uint64_t *ret)
{
	size_t low;
	*ret = vm_addr;
	if (s->windows.count == 0)
		return true;
	BISECT(low, 0, s->windows.count, mid, s->windows.data[mid].addr <= vm_addr);
	if (low == 0)
		return false;
	const struct debuginfo_window *w = &s->windows.data[low - 1];
	*ret = w->vm + (vm_addr - w->addr);
	return vm_addr - w->addr < w->size;
}

static struct line_table *lines_of(struct symbolizer *s, const struct unit *u)
{
	if (u->line_off == DW_NO_OFFSET)
		return NULL;
	size_t at; /* Index of the program's table in `lines`, or where to insert it */
	BISECT(at, 0, s->lines.count, mid, s->lines.data[mid]->off < u->line_off);
	if (at < s->lines.count && s->lines.data[at]->off == u->line_off)
		return s->lines.data[at];
	struct line_table *t = mem_alloc(sizeof *t);
	line_table_read(t, u, &s->texts);
	vec_reserve(&s->lines, 1);
	memmove(&s->lines.data[at + 1], &s->lines.data[at],
		(s->lines.count - at) * sizeof *s->lines.data);
	s->lines.data[at] = t;
	s->lines.count++;
	return t;
}

bool symbolizer_split(struct symbolizer *s, const struct unit *u, struct unit *ret)
{
	return u->signature != 0 && u->dwo_name.len > 0 && debuginfo_split(s->info, u, ret) &&
	       unit_open(ret, &s->split_cache, u);
}

/* Reads the split unit of a skeleton. All its references to other units lead into its own file. */
static bool symbolize_read_split(struct symbolizer *s, const struct unit *u, struct scopes *ret)
{
	struct unit split;
	struct units units;
	if (!symbolizer_split(s, u, &split))
		return false;
	units_init(&units, split.dwarf);
	scopes_read(ret, &units, &split);
	units_release(&units);
	return true;
}

static struct loaded_unit *load_unit(struct symbolizer *s, size_t index)
{
	struct loaded_unit *l = mem_zeroed(1, sizeof *l);
	struct text name = { 0 };
	struct unit u;
	l->name = "";
	if (!units_get_whole(&s->units, DW_INFO, index, &u) || !unit_open(&u, &s->cache, NULL))
		return l;
	/* A skeleton has no name, but its split unit has. */
	struct unit split;
	const bool named = u.name.len == 0 && symbolizer_split(s, &u, &split) &&
			   unit_name(&split, &name);
	if (named || unit_name(&u, &name))
		l->name = intern_get(&s->texts, intern_add(&s->texts, text_str(&name))).p;
	text_release(&name);
	l->made_by_linker = unit_is_made_by_linker(&u);
	l->lines = lines_of(s, &u);
	if (!symbolize_read_split(s, &u, &l->scopes))
		scopes_read(&l->scopes, &s->units, &u);
	vec_fit(&l->scopes.list);
	vec_fit(&l->scopes.functions);
	vec_fit(&l->scopes.code.spans);
	return l;
}

struct loaded_unit *symbolizer_unit(struct symbolizer *s, size_t index)
{
	ASSERT(index < units_count(&s->units, DW_INFO));
	if (!s->loaded)
		s->loaded = mem_zeroed(units_count(&s->units, DW_INFO), sizeof *s->loaded);
	if (!s->loaded[index])
		s->loaded[index] = load_unit(s, index);
	return s->loaded[index];
}

static void set_place(struct symbolizer *s, const struct loaded_unit *l, struct frame *f,
		      uint32_t file, uint32_t line, uint32_t column)
{
	f->file = l->lines ? line_table_path(l->lines, file, &s->texts) : "";
	f->line = line;
	f->column = column;
}

static struct frame *symbolize_add_frame(struct symbolizer *s)
{
	vec_push(&s->frames, (struct frame){ NULL, "", 0, 0 });
	return &s->frames.data[s->frames.count - 1];
}

/* Lists the frames. In the innermost one, the line table gives the position. In the others, it is
 * the position of the inlined call. */
static void symbolize_list_frames(struct symbolizer *s, struct loaded_unit *l, uint64_t addr)
{
	const struct line_place *p = l->lines ? line_table_find(l->lines, addr) : NULL;
	const struct flat_span *code = flat_find_near(&l->scopes.code, addr, &l->near);
	uint32_t i = code ? code->who : SCOPE_NONE;
	s->frames.count = 0;
	if (i == SCOPE_NONE && !p)
		return;
	struct frame *f = symbolize_add_frame(s);
	if (p)
		set_place(s, l, f, p->file, p->line, p->column);
	while (i != SCOPE_NONE) {
		ASSERT(i < l->scopes.list.count);
		const struct scope *scope = &l->scopes.list.data[i];
		ASSERT(scope->function < l->scopes.functions.count);
		f->function = &l->scopes.functions.data[scope->function];
		i = scope->parent;
		if (i == SCOPE_NONE || s->frames.count == FRAMES_MAX)
			break;
		f = symbolize_add_frame(s);
		set_place(s, l, f, scope->call_file, scope->call_line, scope->call_column);
	}
}

void symbolizer_init(struct symbolizer *s, struct debuginfo *info)
{
	*s = (struct symbolizer){ .info = info };
	units_init(&s->units, &info->dwarf);
	/* In objects, the DWARF has its own addresses (debuginfo.h). */
	for (size_t i = 0; i < info->windows.count; i++) {
		const struct debuginfo_window *w = &info->windows.data[i];
		vec_push(&s->windows, (struct debuginfo_window){ w->vm, w->size, w->addr });
	}
	vec_sort(&s->windows);
}

void symbolizer_release(struct symbolizer *s)
{
	const size_t count = s->loaded ? units_count(&s->units, DW_INFO) : 0;
	for (size_t i = 0; i < count; i++) {
		if (s->loaded[i])
			scopes_release(&s->loaded[i]->scopes);
		mem_free(s->loaded[i]);
	}
	mem_free(s->loaded);
	for (size_t i = 0; i < s->lines.count; i++) {
		line_table_release(s->lines.data[i]);
		mem_free(s->lines.data[i]);
	}
	vec_release_all(&s->lines, &s->frames, &s->windows, &s->variables);
	intern_release(&s->texts);
	abbrev_cache_release(&s->cache);
	abbrev_cache_release(&s->split_cache);
	units_release(&s->units);
}

bool symbolizer_origin(struct symbolizer *s, size_t *index, uint64_t *die_off)
{
	struct unit u;
	struct die d;
	if (!symbolizer_unit(s, *index)->made_by_linker ||
	    !units_get_whole(&s->units, DW_INFO, *index, &u) || !unit_open(&u, &s->cache, NULL))
		return false;
	struct reader r = unit_reader(&u, *die_off);
	if (!die_next(&u, &r, &d) || !d.abbrev)
		return false;
	for (unsigned i = 0; i < d.abbrev->count; i++) {
		struct value v;
		const struct abbrev_attr *a = die_attr(&u, &d, i);
		die_value(&u, &r, a, &v);
		if (a->name != DW_AT_abstract_origin || v.kind != VALUE_REF_INFO)
			continue;
		*die_off = v.u;
		return units_around(&s->units, DW_INFO, v.u, index);
	}
	return false;
}

/* Returns the name of the source's unit for code at an address. Unit `index` has the code, but the
 * link-time optimizer may have made it of several units. */
static const char *source_unit(struct symbolizer *s, size_t index, uint64_t addr)
{
	struct loaded_unit *l = symbolizer_unit(s, index);
	const struct flat_span *code = flat_find_near(&l->scopes.code, addr, &l->near);
	uint32_t i = code ? code->who : SCOPE_NONE;
	if (!l->made_by_linker || i == SCOPE_NONE)
		return l->name;
	while (l->scopes.list.data[i].parent != SCOPE_NONE)
		i = l->scopes.list.data[i].parent;
	uint64_t die_off = l->scopes.list.data[i].die_off;
	return symbolizer_origin(s, &index, &die_off) ? symbolizer_unit(s, index)->name : l->name;
}

/* Finds the unit of an address. The first call reads the first DIEs of all units in two passes over
 * the section, which release the pages of a mapped file. Of a large packed section, only parts are
 * kept. Other packed sections are loaded before, because each pass would unpack them again. */
static bool symbolize_unit_at(struct symbolizer *s, uint64_t addr, size_t *ret_index)
{
	struct dwarf *d = &s->info->dwarf;
	if (!s->indexed && !d->parting[DW_INFO]) {
		(void)dwarf_bytes(d, DW_INFO);
		dwarf_pass_begin(d, DW_INFO);
		(void)units_count(&s->units, DW_INFO);
		dwarf_pass_end(d, DW_INFO);
		dwarf_pass_begin(d, DW_INFO);
	}
	s->indexed = true;
	const bool found = units_at_addr(&s->units, addr, ret_index);
	dwarf_pass_end(d, DW_INFO);
	return found;
}

static bool symbolize_find_here(struct symbolizer *s, uint64_t vm_addr, struct symbolized *ret)
{
	struct dwarf *d = &s->info->dwarf;
	uint64_t addr;
	size_t index;
	if (!dwarf_addr(s, vm_addr, &addr))
		return false;
	dwarf_parts_begin(d, DW_INFO);
	dwarf_parts_begin(d, DW_LINE);
	const bool found = symbolize_unit_at(s, addr, &index);
	if (found) {
		struct loaded_unit *l = symbolizer_unit(s, index);
		symbolize_list_frames(s, l, addr);
		*ret = (struct symbolized){ source_unit(s, index, addr), s->frames.data,
					    s->frames.count };
	}
	dwarf_parts_end(d, DW_INFO);
	dwarf_parts_end(d, DW_LINE);
	return found;
}

/* If this DWARF has no functions at the address, also asks s->besides: a PDB may have empty
 * units. */
bool symbolizer_find(struct symbolizer *s, uint64_t vm_addr, struct symbolized *ret)
{
	struct symbolized other;
	const bool here = symbolize_find_here(s, vm_addr, ret);
	if ((here && ret->frame_count > 0) || !s->besides ||
	    !symbolize_find_here(s->besides, vm_addr, &other))
		return here;
	*ret = other;
	return true;
}

static bool symbolize_line_here(struct symbolizer *s, uint64_t vm_addr, struct source_line *at)
{
	uint64_t addr;
	size_t index;
	struct unit u;
	if (!dwarf_addr(s, vm_addr, &addr) || !symbolize_unit_at(s, addr, &index))
		return false;
	if (at->unit != index + 1) {
		const bool opened = units_get_whole(&s->units, DW_INFO, index, &u) &&
				    unit_open(&u, &s->cache, NULL);
		at->unit = index + 1;
		at->table = opened ? lines_of(s, &u) : NULL;
	}
	const struct line_place *p = at->table ? line_table_find(at->table, addr) : NULL;
	at->line = p ? p->line : 0;
	at->file = p ? line_table_path(at->table, p->file, &s->texts) : "";
	return at->line > 0 && at->file[0] != '\0';
}

bool symbolizer_line(struct symbolizer *s, uint64_t vm_addr, struct source_line *at)
{
	struct dwarf *d = &s->info->dwarf;
	dwarf_parts_begin(d, DW_INFO);
	dwarf_parts_begin(d, DW_LINE);
	const bool found = symbolize_line_here(s, vm_addr, at);
	dwarf_parts_end(d, DW_INFO);
	dwarf_parts_end(d, DW_LINE);
	return found;
}

/* The functions below find declarations of variables. They read all units once, for variables that
 * have an address. */

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
	vec_sort(&s->variables);
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
	const size_t i = vec_upper(&s->variables, vm_addr);
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
