/* Writes the tables of Go's runtime as DWARF 5. */
#include "program/companion_forms.h"

#include "base/map.h"
#include "base/sort.h"
#include "base/vec.h"
#include "debug/dwarf_const.h"
#include "debug/write/dwarf_write.h"
#include "names/package_name.h"

const char *const go_dwarf_names[GO_DWARF_SECTIONS] = {
	[GO_DWARF_ABBREV] = ".debug_abbrev",
	[GO_DWARF_INFO] = ".debug_info",
	[GO_DWARF_LINE] = ".debug_line",
	[GO_DWARF_STR] = ".debug_str",
};

enum { LANG_GO = 0x16, DEPTH_MAX = 64, NO_CALL = -1 };
/* Codes of the abbreviations. */
enum { ABBREV_UNIT = 1, ABBREV_FUNCTION, ABBREV_LEAF, ABBREV_INLINED };

/* An entry in a table of Go. The value holds for offsets in a function from the previous entry's
 * `end` until this `end` */
struct until {
	uint64_t end;
	int64_t value;
};
typedef VEC(struct until) until_vec;

/* An inlined call. */
struct go_call {
	uint32_t name; /* Offset in Go's table */
	int32_t parent;
	uint32_t file, line; /* Position of the call */
};

struct writer {
	const struct image *im;
	const struct go_table *table;
	const struct pclntab *tab;
	struct dwarf_form form;
	struct text *info, *line;
	struct pclntab_func f;
	until_vec files, lines, inlined; /* Tables of the current function */
	VEC(struct go_call) calls;       /* Calls inlined into the current function */
	VEC(uint64_t)
	names; /* Files of the unit: offsets of their names in Go's table */
	struct map by_name;
	uint64_t budget;     /* Number of values and inlined calls that may still be read. Bounds
			      * the time, because functions may share tables */
	struct text program; /* Line program of the unit, without its header */
	struct text dies;    /* DIEs of the unit's functions */
};

static const uint8_t abbrevs[] = {
	/* clang-format off */
	ABBREV_UNIT, DW_TAG_compile_unit, 1, DW_AT_language, DW_FORM_data1, DW_AT_name,
	DW_FORM_string, DW_AT_stmt_list, DW_FORM_sec_offset, DW_AT_low_pc, DW_FORM_addr,
	DW_AT_high_pc, DW_FORM_udata, 0, 0,
	ABBREV_FUNCTION, DW_TAG_subprogram, 1, DW_AT_name, DW_FORM_strp, DW_AT_low_pc,
	DW_FORM_addr, DW_AT_high_pc, DW_FORM_udata, 0, 0,
	ABBREV_LEAF, DW_TAG_subprogram, 0, DW_AT_name, DW_FORM_strp, DW_AT_low_pc, DW_FORM_addr,
	DW_AT_high_pc, DW_FORM_udata, 0, 0,
	ABBREV_INLINED, DW_TAG_inlined_subroutine, 1, DW_AT_name, DW_FORM_strp, DW_AT_low_pc,
	DW_FORM_addr, DW_AT_high_pc, DW_FORM_udata, DW_AT_call_file, DW_FORM_udata,
	DW_AT_call_line, DW_FORM_udata, 0, 0,
	0,
	/* clang-format on */
};

static void go_dwarf_read_values(struct writer *w, uint64_t off, until_vec *ret)
{
	struct pclntab_values v = pclntab_values(w->tab, off);
	ret->count = 0;
	while (off != 0 && w->budget > 0 && v.end < w->f.size && pclntab_values_next(&v)) {
		vec_push(ret, (struct until){ v.end, v.value });
		w->budget--;
	}
}

/* Returns the value that is valid at an offset in the function. -1 if there is none. */
static int64_t value_at(const until_vec *list, uint64_t pos)
{
	size_t low;
	BISECT(low, 0, list->count, mid, list->data[mid].end <= pos);
	return low < list->count ? list->data[low].value : -1;
}

/* Returns a file's number in the unit's line program. `index` is a value of Go's table
 * PCLNTAB_FILE. If it is invalid, such as -1, returns the number of a file without a name. */
static uint32_t go_dwarf_file_number(struct writer *w, int64_t index)
{
	uint64_t word, name;
	uint32_t i;
	if (!pclntab_file(w->tab, &w->f, index, &word, &name) || name >= w->tab->bytes.size)
		name = w->tab->bytes.size; /* The empty text after the copy of Go's table */
	struct map_at at = map_at(&w->by_name, hash_u64(name));
	while (map_next(&w->by_name, &at, &i))
		if (w->names.data[i] == name)
			return i;
	map_put(&w->by_name, &at, (uint32_t)w->names.count);
	vec_push(&w->names, name);
	return (uint32_t)w->names.count - 1;
}

static uint32_t line_number(int64_t value)
{
	return value > 0 && value <= INT32_MAX ? (uint32_t)value : 0;
}

static void go_dwarf_put_lines(struct writer *w)
{
	struct line_writer p = { .out = &w->program, .form = &w->form };
	size_t f = 0, l = 0;
	line_writer_start(&p, w->f.addr);
	for (uint64_t pos = 0; f < w->files.count && l < w->lines.count && pos < w->f.size;) {
		const uint32_t file = go_dwarf_file_number(w, w->files.data[f].value);
		const uint32_t line = line_number(w->lines.data[l].value);
		if (pos == 0 || file != p.file || line != p.line)
			line_writer_row(&p, w->f.addr + pos, file, line);
		pos = min_u64(w->files.data[f].end, w->lines.data[l].end);
		f += w->files.data[f].end == pos;
		l += w->lines.data[l].end == pos;
	}
	line_writer_end(&p, w->f.addr + w->f.size);
}

/* Reads an inlined call as Go until 1.19 writes it. In order, the entry has the index of the parent
 * call, kind (1 byte) and padding, file, line, offset of the name, and position in the parent. */
static struct go_call read_old_call(struct writer *w, struct reader *r)
{
	struct go_call c = { .parent = (int16_t)read_u16(r) };
	read_skip(r, 2);
	c.file = go_dwarf_file_number(w, read_i32(r));
	c.line = line_number(read_i32(r));
	c.name = read_u32(r);
	read_skip(r, 4);
	return c;
}

/* Reads an inlined call as Go since 1.20 writes it. The entry has no file and no line. The
 * function's tables have them for each position in the code. */
static struct go_call read_new_call(struct writer *w, struct reader *r)
{
	struct go_call c;
	read_skip(r, 4);
	c.name = read_u32(r);
	const uint64_t pos = read_u32(r);
	read_skip(r, 4);
	c.parent = (int32_t)value_at(&w->inlined, pos);
	c.file = go_dwarf_file_number(w, value_at(&w->files, pos));
	c.line = line_number(value_at(&w->lines, pos));
	return c;
}

static void go_dwarf_read_calls(struct writer *w)
{
	uint64_t addr;
	const bool new = w->tab->layout == PCLNTAB_20;
	const uint64_t count = go_table_calls(w->table, w->im, &w->f, &addr);
	const uint64_t each = go_table_call_size(w->table);
	w->calls.count = 0;
	if (count == 0)
		return;
	struct reader r = reader_of(image_at(w->im, addr, count * each), w->im->big_endian);
	for (uint64_t i = 0; i < count && reader_left(&r) >= each; i++) {
		struct go_call c = new ? read_new_call(w, &r) : read_old_call(w, &r);
		c.name = (uint32_t)min_u64(add_sat(w->tab->names, c.name), UINT32_MAX);
		vec_push(&w->calls, c);
	}
	for (size_t i = 0; i < w->calls.count; i++) {
		const struct go_call *c = &w->calls.data[i];
		struct str name;
		if (c->parent < NO_CALL || c->parent == (int32_t)i ||
		    c->parent >= (int32_t)w->calls.count ||
		    !bytes_cstr(w->tab->bytes, c->name, &name))
			w->calls.count = 0;
	}
}

static void go_dwarf_put_inlined(struct writer *w, const struct go_call *c, uint64_t start,
				 uint64_t size)
{
	if (w->budget > 0)
		w->budget--;
	text_add_char(&w->dies, ABBREV_INLINED);
	put_fixed(&w->dies, &w->form, c->name, 4);
	put_addr(&w->dies, &w->form, w->f.addr + start);
	text_add_varint(&w->dies, size);
	text_add_varint(&w->dies, c->file);
	text_add_varint(&w->dies, c->line);
}

/* Writes subroutines of inlined call `index` and the calls around it, for the code [start, end). */
static void go_dwarf_put_piece(struct writer *w, int64_t index, uint64_t start, uint64_t end)
{
	const struct go_call *chain[DEPTH_MAX];
	size_t depth = 0;
	for (; index >= 0 && index < (int64_t)w->calls.count && depth < DEPTH_MAX && w->budget > 0;
	     depth++) {
		chain[depth] = &w->calls.data[index];
		index = chain[depth]->parent;
	}
	for (size_t i = depth; i-- > 0;)
		go_dwarf_put_inlined(w, chain[i], start, end - start);
	for (size_t i = 0; i < depth; i++)
		text_add_char(&w->dies, 0);
}

static void go_dwarf_put_function(struct writer *w)
{
	go_dwarf_read_values(w, w->f.tables[PCLNTAB_FILE], &w->files);
	go_dwarf_read_values(w, w->f.tables[PCLNTAB_LINE], &w->lines);
	go_dwarf_read_values(w, go_table_call_values(w->table, &w->f), &w->inlined);
	go_dwarf_read_calls(w);
	go_dwarf_put_lines(w);
	text_add_char(&w->dies, w->calls.count > 0 ? ABBREV_FUNCTION : ABBREV_LEAF);
	put_fixed(&w->dies, &w->form, w->tab->names + w->f.name_off, 4);
	put_addr(&w->dies, &w->form, w->f.addr);
	text_add_varint(&w->dies, w->f.size);
	if (w->calls.count == 0)
		return;
	uint64_t pos = 0;
	for (size_t i = 0; i < w->inlined.count && pos < w->f.size; i++) {
		const uint64_t end = min_u64(w->inlined.data[i].end, w->f.size);
		if (end > pos)
			go_dwarf_put_piece(w, w->inlined.data[i].value, pos, end);
		pos = end;
	}
	text_add_char(&w->dies, 0);
}

static void go_dwarf_put_unit(struct writer *w, struct str package, uint64_t start, uint64_t end)
{
	const size_t line = w->line->len;
	char *name = mem_alloc(package.len + 1);
	const size_t len = go_package_text(package, name);
	struct text *const t = w->line;
	const size_t at = put_line_header(t, &w->form);
	text_add(t, (struct str){ "\1\1\x0e", 3 }); /* Each file has only a name */
	text_add_varint(t, w->names.count);
	for (size_t i = 0; i < w->names.count; i++)
		put_fixed(t, &w->form, w->names.data[i], 4);
	put_length(t, &w->form, line_header_length(at));
	text_add(t, text_str(&w->program));
	put_length(t, &w->form, at);
	const size_t info = put_unit_header(w->info, &w->form, 5);
	put_uint(w->info, ABBREV_UNIT, 1);
	put_uint(w->info, LANG_GO, 1);
	put_cstr(w->info, (struct str){ name, len });
	put_fixed(w->info, &w->form, line, 4);
	put_addr(w->info, &w->form, start);
	text_add_varint(w->info, end - start);
	text_add(w->info, text_str(&w->dies));
	put_uint(w->info, 0, 1);
	put_length(w->info, &w->form, info);
	ASSERT(start <= end && w->names.count <= UINT32_MAX);
	w->program.len = w->dies.len = 0;
	w->names.count = 0;
	map_clear(&w->by_name);
	mem_free(name);
}

/* Writes the units. An assembly function names no package, so it joins the previous unit. */
static void go_dwarf_put_units(struct writer *w)
{
	struct str package = STR("");
	uint64_t start = 0, end = 0;
	bool open = false;
	for (uint64_t i = 0; i < w->tab->func_count; i++) {
		if (!go_table_func(w->table, w->im, i, &w->f) || w->f.size == 0 ||
		    w->f.addr > UINT64_MAX - w->f.size)
			continue;
		const struct str next = go_package(w->f.name);
		if (open && next.len > 0 && package.len > 0 && !str_eq(next, package)) {
			go_dwarf_put_unit(w, package, start, end);
			open = false;
		}
		package = next.len > 0 || !open ? next : package;
		start = open ? start : w->f.addr;
		open = true;
		end = w->f.addr + w->f.size;
		go_dwarf_put_function(w);
	}
	if (open)
		go_dwarf_put_unit(w, package, start, end);
}

void go_dwarf_release(struct go_dwarf *d)
{
	for (size_t i = 0; i < GO_DWARF_SECTIONS; i++)
		text_release(&d->sections[i]);
}

bool go_dwarf_make(struct go_dwarf *d, const struct image *im, const struct go_table *table)
{
	*d = (struct go_dwarf){ 0 };
	struct writer w = { .im = im,
			    .table = table,
			    .tab = &table->tab,
			    .form = { table->tab.pointer, table->tab.quantum, im->big_endian },
			    .budget = 16 * table->tab.bytes.size,
			    .info = &d->sections[GO_DWARF_INFO],
			    .line = &d->sections[GO_DWARF_LINE] };
	const struct bytes texts = table->tab.bytes;
	text_add(&d->sections[GO_DWARF_ABBREV],
		 (struct str){ (const char *)abbrevs, sizeof abbrevs });
	if (texts.size < UINT32_MAX)
		go_dwarf_put_units(&w);
	text_add(&d->sections[GO_DWARF_STR], (struct str){ (const char *)texts.p, texts.size });
	text_add_char(&d->sections[GO_DWARF_STR], 0);
	vec_release_all(&w.files, &w.lines, &w.inlined, &w.calls, &w.names);
	map_release(&w.by_name);
	text_release(&w.program);
	text_release(&w.dies);
	if (w.info->len < UINT32_MAX && w.line->len < UINT32_MAX && w.info->len > 0)
		return true;
	go_dwarf_release(d);
	return false;
}
