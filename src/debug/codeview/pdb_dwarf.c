/* Writes the debug info of a PDB as DWARF. */
#include "debug/codeview/pdb_dwarf.h"

#include "base/sort.h"
#include "debug/codeview/codeview.h"
#include "debug/codeview/pdb_lines.h"

static const struct dwarf_form *const form = &dwarf_form_64;

/* A public symbol, or a variable that the database lists outside its modules. */
struct global {
	uint64_t key; /* Sort key. Of a variable: index of its module. Of a symbol: its RVA */
	uint64_t rva, size;
	struct str name;
};

/* An open record that contains other records, such as a function */
struct pdb_dwarf_level {
	bool die;          /* True if a DIE was written for the record */
	uint64_t base;     /* RVA of the function that the record belongs to */
	size_t first, end; /* Its range in lines.rows */
};

/* A part of a section that comes from one module. The list is sorted by module */
struct owned {
	uint64_t module;
	const struct pdb_piece *piece;
};

struct pdb_dwarf_making {
	struct pdb_dwarf *out;
	struct pdb *pdb;
	VEC(struct global) variables; /* Sorted by module */
	VEC(struct global) publics;   /* Sorted by RVA */
	VEC(struct owned) owned;      /* Sorted by module */
	size_t next;                  /* Index in `owned` of the next part to write */
	/* State of the current module. */
	uint32_t module;
	struct pdb_lines lines;
	VEC(struct pdb_dwarf_level) levels;
	size_t outer; /* Number of rows of lines.rows that precede those of inlined functions */
};

static void pdb_dwarf_add_symbol(struct pdb_dwarf_making *m, uint64_t rva, struct pdb_symbol s)
{
	s.addr = m->out->base + rva;
	if (s.name.len > 0)
		vec_push(&m->out->symbols, s);
}

static void read_public(struct pdb_dwarf_making *m, struct reader *r)
{
	enum { CODE = 1, FUNCTION = 2 };
	struct global g = { 0 };
	const uint32_t flags = read_u32(r), off = read_u32(r);
	const uint16_t section = read_u16(r);
	g.name = read_cstr(r);
	if (!reader_ok(r) || !pdb_rva(m->pdb, section, off, &g.rva))
		return;
	g.key = g.rva;
	vec_push(&m->publics, g);
	pdb_dwarf_add_symbol(m, g.rva,
			     (struct pdb_symbol){ .name = g.name,
						  .code = flags & (CODE | FUNCTION),
						  .global = true,
						  .linkage = true });
}

/* Reads a variable's record, which may be thread-local, and adds its symbol. False if damaged. */
static bool pdb_dwarf_read_variable(struct pdb_dwarf_making *m, struct reader *r, bool global,
				    struct global *ret)
{
	const uint32_t type = read_u32(r), off = read_u32(r);
	const uint16_t section = read_u16(r);
	*ret = (struct global){ .name = read_cstr(r), .size = pdb_type_size(m->pdb, type) };
	if (!reader_ok(r) || !pdb_rva(m->pdb, section, off, &ret->rva))
		return false;
	pdb_dwarf_add_symbol(
		m, ret->rva,
		(struct pdb_symbol){ .name = ret->name, .size = ret->size, .global = global });
	return true;
}

static void read_globals(struct pdb_dwarf_making *m)
{
	struct reader r = reader_of(msf_stream(&m->pdb->msf, m->pdb->symbol_stream), false), sub;
	uint16_t kind;
	while (read_record(&r, &kind, &sub)) {
		struct global g;
		if (kind == S_PUB32)
			read_public(m, &sub);
		if ((kind != S_GDATA32 && kind != S_LDATA32 && kind != S_GTHREAD32 &&
		     kind != S_LTHREAD32) ||
		    !pdb_dwarf_read_variable(m, &sub, kind == S_GDATA32 || kind == S_GTHREAD32, &g))
			continue;
		const struct pdb_piece *piece = pdb_piece_at(m->pdb, g.rva);
		g.key = piece ? piece->module : UINT32_MAX;
		vec_push(&m->variables, g);
	}
	sort_by_key(m->variables.data, m->variables.count, sizeof *m->variables.data);
	sort_by_key(m->publics.data, m->publics.count, sizeof *m->publics.data);
}

/* Reads the record of a build: the source file, and the directory in which the compiler ran. */
static void pdb_dwarf_read_build(struct pdb_dwarf_making *m, struct reader *r, struct str *ret_dir,
				 struct str *ret_source)
{
	struct reader list;
	uint16_t kind;
	if (!pdb_type(&m->pdb->ids, read_u32(r), &kind, &list) || kind != LF_BUILDINFO)
		return;
	const uint16_t count = read_u16(&list);
	const uint32_t dir = read_u32(&list);
	read_skip(&list, 4); /* Skips the compiler's path. */
	const uint32_t source = read_u32(&list);
	if (count >= 3 && reader_ok(&list)) {
		*ret_dir = pdb_id_text(m->pdb, dir);
		*ret_source = pdb_id_text(m->pdb, source);
	}
}

static void pdb_dwarf_put_unit(struct pdb_dwarf_making *m, struct reader symbols)
{
	const struct pdb_module *module = &m->pdb->modules.data[m->module];
	struct str dir = STR(""), source = STR(""), name = module->name;
	struct reader sub;
	uint16_t kind;
	while (read_record(&symbols, &kind, &sub))
		if (kind == S_BUILDINFO)
			pdb_dwarf_read_build(m, &sub, &dir, &source);
	/* Names the unit "libx.a(y.o)" as in linker maps, or "y.o", or "* Linker *". */
	if (module->library.len > 0 && !str_eq(module->library, module->name))
		name = str_of(arena_format(&m->out->arena, STR_FMT "(" STR_FMT ")",
					   STR_ARG(module->library), STR_ARG(module->name)));
	made_unit(&m->out->made, source.len > 0 ? source : name, source.len > 0 ? dir : STR(""), 0,
		  m->out->made.line.len);
	/* Writes the address ranges that a module contributes. */
	const uint64_t base = m->out->base;
	struct text *t = &m->out->made.ranges;
	for (; m->next < m->owned.count && m->owned.data[m->next].module == m->module; m->next++) {
		const struct pdb_piece *p = m->owned.data[m->next].piece;
		put_range(t, form, base + p->rva, base + p->rva + p->size);
	}
	put_range(t, form, 0, 0);
}

static void put_variable(struct pdb_dwarf_making *m, const struct global *g)
{
	struct text *t = &m->out->made.info;
	put_uint(t, MADE_VARIABLE, 1);
	put_cstr(t, g->name);
	put_location(t, form, m->out->base + g->rva);
}

static struct pdb_dwarf_level top(const struct pdb_dwarf_making *m)
{
	const struct pdb_dwarf_level none = { .die = false };
	return m->levels.count > 0 ? m->levels.data[m->levels.count - 1] : none;
}

/* Opens a level for a PDB record that contains other records, but gets no DIE. */
static void enter_plain(struct pdb_dwarf_making *m)
{
	struct pdb_dwarf_level l = top(m);
	l.die = false;
	vec_push(&m->levels, l);
}

static void pdb_dwarf_leave(struct pdb_dwarf_making *m)
{
	if (m->levels.count == 0)
		return;
	if (top(m).die)
		put_uint(&m->out->made.info, 0, 1);
	m->levels.count--;
}

static void enter_function(struct pdb_dwarf_making *m, struct reader *r, bool global)
{
	struct text *t = &m->out->made.info;
	uint64_t rva;
	read_skip(r, 12);
	const uint32_t size = read_u32(r);
	read_skip(r, 12);
	const uint32_t off = read_u32(r);
	const uint16_t section = read_u16(r);
	read_skip(r, 1);
	const struct str name = read_cstr(r);
	if (!reader_ok(r) || !pdb_rva(m->pdb, section, off, &rva)) {
		enter_plain(m);
		return;
	}
	/* Finds the linkage name among the public symbols. The compiler may have replaced a long
	 * name by a hash, which is ignored. */
	struct str linkage = STR("");
	size_t i = lower_bound(m->publics.data, m->publics.count, sizeof *m->publics.data, rva);
	for (; i < m->publics.count && m->publics.data[i].key == rva && linkage.len == 0; i++)
		if (!str_starts(m->publics.data[i].name, STR("??@")))
			linkage = m->publics.data[i].name;
	pdb_dwarf_add_symbol(
		m, rva,
		(struct pdb_symbol){ .name = name, .size = size, .code = true, .global = global });
	put_uint(t, MADE_FUNCTION, 1);
	put_cstr(t, name);
	put_cstr(t, linkage);
	put_addr(t, form, m->out->base + rva);
	put_uint(t, size, 4);
	vec_push(&m->levels, (struct pdb_dwarf_level){ true, rva, 0, m->outer });
}

/* Opens a thunk: a jump made by the linker or the compiler. */
static void enter_thunk(struct pdb_dwarf_making *m, struct reader *r)
{
	uint64_t rva;
	read_skip(r, 12);
	const uint32_t off = read_u32(r);
	const uint16_t section = read_u16(r), size = read_u16(r);
	read_skip(r, 1);
	const struct str name = read_cstr(r);
	if (reader_ok(r) && pdb_rva(m->pdb, section, off, &rva))
		pdb_dwarf_add_symbol(
			m, rva, (struct pdb_symbol){ .name = name, .size = size, .code = true });
	enter_plain(m);
}

static void enter_inlined(struct pdb_dwarf_making *m, struct reader *r, bool counted)
{
	const struct pdb_dwarf_level around = top(m);
	const size_t first = m->lines.rows.count;
	read_skip(r, 8);
	const struct pdb_inlinee *f = pdb_lines_inlinee(&m->lines, read_u32(r));
	if (counted)
		read_skip(r, 4);
	if (f && reader_ok(r))
		pdb_lines_inline(&m->lines, f, around.base, *r);
	if (m->lines.rows.count == first) {
		enter_plain(m);
		return;
	}
	const struct line_origin call = pdb_lines_find(&m->lines, around.first, around.end,
						       m->lines.rows.data[first].addr);
	made_inlined(&m->out->made, f->die, call, 0);
	/* Writes the address ranges of lines.rows from `first` on. Merges adjacent ranges. */
	struct text *t = &m->out->made.ranges;
	const uint64_t base = m->out->base;
	uint64_t addr = 0, end = 0;
	for (size_t i = first; i < m->lines.rows.count; i++) {
		const struct flat_range *row = &m->lines.rows.data[i];
		if (row->end <= row->addr)
			continue;
		if (end > addr && row->addr != end)
			put_range(t, form, base + addr, base + end);
		if (end <= addr || row->addr != end)
			addr = row->addr;
		end = row->end;
	}
	if (end > addr)
		put_range(t, form, base + addr, base + end);
	put_range(t, form, 0, 0);
	vec_push(&m->levels,
		 (struct pdb_dwarf_level){ true, around.base, first, m->lines.rows.count });
}

static void pdb_dwarf_read_symbol(struct pdb_dwarf_making *m, uint16_t kind, struct reader *r)
{
	struct global g;
	switch (kind) {
	case S_GPROC32:
	case S_GPROC32_ID: enter_function(m, r, true); break;
	case S_LPROC32:
	case S_LPROC32_ID:
	case S_LPROC32_DPC:
	case S_LPROC32_DPC_ID: enter_function(m, r, false); break;
	case S_THUNK32: enter_thunk(m, r); break;
	case S_BLOCK32:
	case S_SEPCODE: enter_plain(m); break;
	case S_INLINESITE: enter_inlined(m, r, false); break;
	case S_INLINESITE2: enter_inlined(m, r, true); break;
	case S_END:
	case S_PROC_ID_END:
	case S_INLINESITE_END: pdb_dwarf_leave(m); break;
	case S_LDATA32:
	case S_LTHREAD32:
	case S_GDATA32:
	case S_GTHREAD32:
		if (pdb_dwarf_read_variable(m, r, kind == S_GDATA32 || kind == S_GTHREAD32, &g))
			put_variable(m, &g);
		break;
	default: break;
	}
}

static void pdb_dwarf_put_lines(struct pdb_dwarf_making *m)
{
	const size_t count = m->lines.files.count;
	struct str *files = mem_zeroed(count + 1, sizeof *files);
	for (size_t i = 0; i < count; i++)
		files[i] = m->lines.files.data[i].name;
	const struct line_rows rows = { .files = files,
					.file_count = count,
					.rows = m->lines.rows.data,
					.row_count = m->lines.rows.count,
					.origins = m->lines.places.data };
	line_write(&m->out->made.line, &rows, m->out->base);
	mem_free(files);
}

static void put_module(struct pdb_dwarf_making *m)
{
	const struct pdb_module *module = &m->pdb->modules.data[m->module];
	const struct bytes all = msf_stream(&m->pdb->msf, module->stream);
	const uint64_t lines = (uint64_t)module->symbol_size + module->c11_size;
	struct reader symbols = reader_of(bytes_sub(all, 0, module->symbol_size), false);
	if (symbols.size > 0)
		read_skip(&symbols, 4); /* Skip the version */
	pdb_lines_read(&m->lines, m->pdb, bytes_sub(all, lines, module->c13_size));
	m->outer = m->lines.rows.count;
	pdb_dwarf_put_unit(m, symbols);
	vec_each(struct pdb_inlinee, f, &m->lines.inlinees) {
		const struct str name = pdb_function_name(m->pdb, (uint32_t)f->id, &m->out->arena);
		f->die = made_abstract(&m->out->made, name, STR(""), f->place);
	}
	size_t i = lower_bound(m->variables.data, m->variables.count, sizeof *m->variables.data,
			       m->module);
	for (; i < m->variables.count && m->variables.data[i].key == m->module; i++)
		put_variable(m, &m->variables.data[i]);
	struct reader sub;
	uint16_t kind;
	while (read_record(&symbols, &kind, &sub))
		pdb_dwarf_read_symbol(m, kind, &sub);
	if (!reader_ok(&symbols))
		m->pdb->damaged += symbols.size - symbols.bad;
	while (m->levels.count > 0)
		pdb_dwarf_leave(m);
	ASSERT(m->outer <= m->lines.rows.count);
	made_unit_end(&m->out->made);
	pdb_dwarf_put_lines(m);
	m->pdb->damaged += m->lines.damaged;
	pdb_lines_release(&m->lines);
}

COMPARISON(by_linkage, struct pdb_symbol, ORDER(a->linkage, b->linkage))

void pdb_dwarf_make(struct pdb_dwarf *ret, struct pdb *p, uint64_t base)
{
	struct pdb_dwarf_making m = { .out = ret, .pdb = p };
	memset(ret, 0, sizeof *ret);
	ret->pdb = p;
	ret->base = base;
	dwarf_made_init(&ret->made, form);
	read_globals(&m);
	vec_each(const struct pdb_piece, piece, &p->pieces)
		vec_push(&m.owned, (struct owned){ piece->module, piece });
	sort_by_key(m.owned.data, m.owned.count, sizeof *m.owned.data);
	for (size_t i = 0; i < p->modules.count; i++) {
		m.module = (uint32_t)i;
		put_module(&m);
	}
	ASSERT(m.levels.count == 0 && m.next <= m.owned.count);
	sort_by_key_then(ret->symbols.data, ret->symbols.count, sizeof *ret->symbols.data,
			 by_linkage);
	vec_release_all(&m.variables, &m.publics, &m.owned, &m.levels);
}

void pdb_dwarf_release(struct pdb_dwarf *d)
{
	dwarf_made_release(&d->made);
	vec_release(&d->symbols);
	arena_release(&d->arena);
}
