/* Writes the DWARF of a unit with the addresses that the linker gave its code and data. */
#include "debug/write/moved_unit.h"

#include "base/sort.h"
#include "debug/decl.h"
#include "debug/line.h"
#include "debug/scopes.h"
#include "debug/walk.h"

/* A range of a scope's code. `scope` comes first, because sort_by_key() sorts by it */
struct scope_code {
	uint64_t scope, addr, end;
};

/* A unit that is being written */
struct moving {
	struct moved_dwarf *out;
	const struct unit *unit;
	struct scopes scopes;
	VEC(struct scope_code) code;
	VEC(struct flat_range) covered; /* Address ranges that were written */
	bool *live;                     /* Per scope: true if it, or a scope inlined into it, has
					 * code */
	uint32_t *dies;                 /* Per function: offset in the unit of the entry with its
					 * name, or 0 */
	struct text variables;
};

/* Finds the first part of [*addr, end) that has a new address, and moves *addr to its end. False if
 * there is none. */
static bool next_moved(struct moved_dwarf *m, uint64_t *addr, uint64_t end, uint64_t *ret_addr,
		       uint64_t *ret_end)
{
	const struct moved_piece *p = m->pieces;
	size_t i = upper_bound(p, m->piece_count, sizeof *p, *addr);
	if (i > 0 && *addr - p[i - 1].from < p[i - 1].size)
		i--;
	if (i == m->piece_count || p[i].from >= end || m->budget == 0)
		return false;
	m->budget--;
	const uint64_t from = max_u64(*addr, p[i].from);
	const uint64_t stop = min_u64(end, p[i].from + p[i].size);
	*ret_addr = p[i].to + (from - p[i].from);
	*ret_end = p[i].to + (stop - p[i].from);
	*addr = stop;
	return stop > from;
}

/* The sequence of rows that is being written */
struct moved_unit_sequence {
	struct line_writer writer;
	uint64_t addr, end; /* Range [addr, end) of the sequence. `end` is 0 if none is open */
};

static void moved_unit_end_sequence(struct moving *w, struct moved_unit_sequence *s)
{
	if (s->end == 0)
		return;
	line_writer_end(&s->writer, s->end);
	vec_push(&w->covered, (struct flat_range){ s->addr, s->end, 0 });
	s->end = 0;
}

/* Writes a row of the object's line program, which is valid in [addr, end). */
static void moved_unit_put_row(struct moving *w, struct moved_unit_sequence *s,
			       const struct line_row *row, uint64_t addr, uint64_t end)
{
	if (s->end == 0 || s->end != addr) {
		moved_unit_end_sequence(w, s);
		line_writer_start(&s->writer, addr);
		s->addr = addr;
	}
	line_writer_column(&s->writer, row->column);
	line_writer_row(&s->writer, addr, row->file, row->line);
	s->end = end;
}

static void moved_unit_put_rows(struct moving *w, struct line_program *p)
{
	struct moved_unit_sequence s = { .writer = { .out = &w->out->made.line,
						     .form = &w->out->made.form } };
	struct line_row row, last = { .end_sequence = true };
	while (w->out->budget > 0 && line_next(p, &row)) {
		uint64_t at = last.addr, addr, end;
		w->out->budget--;
		while (!last.end_sequence && next_moved(w->out, &at, row.addr, &addr, &end))
			moved_unit_put_row(w, &s, &last, addr, end);
		last = row;
	}
	moved_unit_end_sequence(w, &s);
}

/* Writes the table of files with absolute paths. Files keep their numbers. */
static void moved_unit_put_files(struct text *t, const struct line_program *p)
{
	struct text path = { 0 };
	text_add(t, (struct str){ "\1\1\x08", 3 }); /* One field per file: its path, inline */
	text_add_varint(t, p->files.count);
	for (size_t i = 0; i < p->files.count; i++) {
		path.len = 0;
		if (p->files.data[i].name.len > 0)
			(void)line_path(p, i, &path);
		put_cstr(t, text_str(&path));
	}
	text_release(&path);
}

static size_t moved_unit_put_lines(struct moving *w)
{
	const struct unit *u = w->unit;
	struct text *t = &w->out->made.line;
	struct line_program p;
	const bool open = u->line_off != DW_NO_OFFSET &&
			  line_open(&p, u->dwarf, u->line_off, u->address_size, u->comp_dir,
				    u->str_offsets_base);
	const size_t at = put_line_header(t, &w->out->made.form);
	if (open)
		moved_unit_put_files(t, &p);
	else
		text_add(t, (struct str){ "\0\0", 2 });
	put_length(t, &w->out->made.form, line_header_length(at));
	if (open) {
		moved_unit_put_rows(w, &p);
		line_release(&p);
	}
	put_length(t, &w->out->made.form, at);
	return at;
}

static void move_span(struct moving *w, const struct flat_span *span)
{
	ASSERT(span->who < w->scopes.list.count);
	uint64_t at = span->addr, addr, end;
	bool any = false;
	while (next_moved(w->out, &at, span->addr + span->size, &addr, &end)) {
		vec_push(&w->code, (struct scope_code){ span->who, addr, end });
		vec_push(&w->covered, (struct flat_range){ addr, end, 0 });
		any = true;
	}
	for (uint32_t i = span->who; any && i != SCOPE_NONE && !w->live[i];
	     i = w->scopes.list.data[i].parent)
		w->live[i] = true;
}

/* Writes the names of functions that have code, once per function. */
static void moved_unit_put_abstract(struct moving *w)
{
	for (size_t i = 0; i < w->scopes.list.count; i++) {
		const uint32_t number = w->scopes.list.data[i].function;
		const struct scope_function *f = &w->scopes.functions.data[number];
		const bool here = f->decl_dwarf == w->unit->dwarf &&
				  f->decl_lines == w->unit->line_off;
		if (!w->live[i] || w->dies[number] != 0)
			continue;
		const struct line_origin decl = { f->decl_file, f->decl_line };
		w->dies[number] = made_abstract(&w->out->made, f->name, f->linkage,
						here ? decl : (struct line_origin){ 0, 0 });
	}
}

/* Writes the entry of a scope with its own address ranges, without code inlined into it. Moves
 * *code, an index in w->code, after these ranges. */
static void put_scope(struct moving *w, uint32_t i, size_t *code)
{
	ASSERT(i < w->scopes.list.count);
	const struct scope *s = &w->scopes.list.data[i];
	const struct dwarf_form *form = &w->out->made.form;
	struct text *t = &w->out->made.info, *ranges = &w->out->made.ranges;
	if (s->parent != SCOPE_NONE) {
		const struct line_origin call = { s->call_file, s->call_line };
		made_inlined(&w->out->made, w->dies[s->function], call, s->call_column);
	} else {
		put_uint(t, MADE_PIECES, 1);
		put_fixed(t, form, w->dies[s->function], 4);
		put_fixed(t, form, ranges->len, 4);
	}
	for (; *code < w->code.count && w->code.data[*code].scope == i; ++*code)
		put_range(ranges, form, w->code.data[*code].addr, w->code.data[*code].end);
	put_range(ranges, form, 0, 0);
}

/* Writes all scopes, parents first. `open`: the scopes from a function to the last one written. */
static void put_scopes(struct moving *w)
{
	VEC(uint32_t) open = { 0 };
	size_t code = 0;
	for (uint32_t i = 0; i < w->scopes.list.count; i++) {
		const uint32_t parent = w->scopes.list.data[i].parent;
		if (!w->live[i])
			continue;
		while (open.count > 0 && open.data[open.count - 1] != parent) {
			put_uint(&w->out->made.info, 0, 1);
			open.count--;
		}
		put_scope(w, i, &code);
		vec_push(&open, i);
	}
	for (size_t i = 0; i < open.count; i++)
		put_uint(&w->out->made.info, 0, 1);
	vec_release(&open);
}

static void moved_unit_on_variable(void *ctx, uint64_t die_off, uint64_t addr)
{
	struct moving *w = ctx;
	struct text *t = &w->variables;
	const struct dwarf_form *form = &w->out->made.form;
	uint64_t at = addr, to, end, size;
	struct decl decl;
	if (addr == UINT64_MAX || !next_moved(w->out, &at, addr + 1, &to, &end))
		return;
	const bool known = decl_read(w->unit, die_off, &decl) && decl.has_file;
	const size_t type = w->out->made.info.len - w->out->made.unit + t->len;
	put_uint(t, MADE_TYPE, 1);
	text_add_varint(t, variable_size(w->unit, die_off, &size) ? size : 0);
	put_uint(t, MADE_TYPED, 1);
	put_fixed(t, form, type, 4);
	text_add_varint(t, known ? decl.file : 0);
	text_add_varint(t, known ? decl.line : 0);
	put_location(t, form, to);
}

static void put_covered(struct moving *w)
{
	struct text *t = &w->out->made.ranges;
	struct flat flat = { 0 };
	flat_lay(&flat, w->covered.data, w->covered.count);
	for (size_t i = 0, next; i < flat.spans.count; i = next) {
		const uint64_t addr = flat.spans.data[i].addr;
		uint64_t end = addr;
		for (next = i; next < flat.spans.count && flat.spans.data[next].addr == end; next++)
			end += flat.spans.data[next].size;
		put_range(t, &w->out->made.form, addr, end);
	}
	put_range(t, &w->out->made.form, 0, 0);
	flat_release(&flat);
}

static void moved_unit_put(struct moving *w, size_t line)
{
	const struct unit *u = w->unit;
	made_unit(&w->out->made, u->name, u->comp_dir, u->language, line);
	put_covered(w);
	moved_unit_put_abstract(w);
	put_scopes(w);
	const struct walker walker = { .ctx = w, .variable = moved_unit_on_variable };
	(void)unit_walk(u, &walker);
	text_add(&w->out->made.info, text_str(&w->variables));
	made_unit_end(&w->out->made);
}

void moved_unit_write(struct moved_dwarf *m, struct units *units, const struct unit *u)
{
	struct moving w = { .out = m, .unit = u };
	const size_t info = m->made.info.len, line = m->made.line.len, ranges = m->made.ranges.len;
	(void)scopes_read(&w.scopes, units, u);
	w.live = mem_zeroed(w.scopes.list.count + 1, sizeof *w.live);
	w.dies = mem_zeroed(w.scopes.functions.count + 1, sizeof *w.dies);
	for (size_t i = 0; i < w.scopes.code.spans.count; i++)
		move_span(&w, &w.scopes.code.spans.data[i]);
	sort_by_key(w.code.data, w.code.count, sizeof *w.code.data);
	moved_unit_put(&w, moved_unit_put_lines(&w));
	if (w.covered.count == 0 && w.variables.len == 0) {
		m->made.info.len = info;
		m->made.line.len = line;
		m->made.ranges.len = ranges;
	}
	scopes_release(&w.scopes);
	vec_release_all(&w.code, &w.covered);
	mem_free_all(w.live, w.dies);
	text_release(&w.variables);
}
