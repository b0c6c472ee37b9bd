/* Claims the tables of Go's runtime for the functions that they describe. Bytes that several
 * functions share belong to the first.
 *
 * Layouts: runtime/pclntab.h; the data of functions by experiment. */
#include "attr/attr.h"

#include "base/bits.h"
#include "base/sort.h"
#include "program/go_table.h"

/* Indexes in struct pclntab_func.data */
enum {
	DATA_ARGS,
	DATA_LOCALS,
	DATA_STACK_OBJECTS,
	DATA_DEFERS = 4,
	DATA_ARGUMENTS,
	DATA_LIVE_ARGUMENTS,
	DATA_WRAPPED
};

/* A list of files that functions of a package share. The first of these functions owns it */
struct file_list {
	uint64_t start; /* Index of the list's first word */
	label_id label;
};

struct go {
	struct attr *attr;
	const struct go_table *table;
	uint64_t *seen; /* One bit per byte of the table: set if the byte has an owner */
	struct pclntab_func f;
	label_id label;
	VEC(struct file_list) lists;
};

static bool is_first(struct go *g, uint64_t off)
{
	return bits_first(&g->seen, g->table->tab.bytes.size, off);
}

static void attr_go_put(struct go *g, uint64_t off, uint64_t size)
{
	attr_put(g->attr, g->table->section, g->table->off + off, size, g->label, WHY_RUNTIME);
}

static void attr_go_put_text(struct go *g, uint64_t off)
{
	struct str text;
	if (is_first(g, off) && bytes_cstr(g->table->tab.bytes, off, &text))
		attr_go_put(g, off, text.len + 1);
}

static void attr_go_put_values(struct go *g, uint64_t off)
{
	const struct pclntab *t = &g->table->tab;
	const uint64_t start = add_sat(t->values, off);
	if (off == 0 || !is_first(g, start))
		return;
	struct pclntab_values v = pclntab_values(t, off);
	while (pclntab_values_next(&v))
		;
	attr_go_put(g, start, v.r.pos - start);
}

static void attr_go_put_file(struct go *g, int64_t index)
{
	uint64_t word, name;
	if (!pclntab_file(&g->table->tab, &g->f, index, &word, &name))
		return;
	if (is_first(g, word))
		attr_go_put(g, word, 4);
	attr_go_put_text(g, name);
}

/* Claims the lists of files. A list extends to the next, so it may have files without functions. */
static void put_lists(struct go *g)
{
	const struct pclntab *t = &g->table->tab;
	const uint64_t words = t->files > t->units ? (t->files - t->units) / 4 : 0;
	vec_sort(&g->lists);
	for (size_t i = 0; i < g->lists.count;) {
		const struct file_list *list = &g->lists.data[i];
		while (i < g->lists.count && g->lists.data[i].start == list->start)
			i++;
		const uint64_t end = i < g->lists.count ? g->lists.data[i].start : words;
		g->label = list->label;
		if (end <= words)
			attr_go_put(g, t->units + list->start * 4, (end - list->start) * 4);
	}
	vec_release(&g->lists);
}

static void attr_go_put_data(struct go *g, uint64_t addr, uint64_t size)
{
	const struct section *s = image_section_at(g->attr->im, addr);
	if (s)
		attr_put(g->attr, s, addr - s->addr, min_u64(size, s->addr + s->size - addr),
			 g->label, WHY_RUNTIME);
}

static struct reader data_reader(const struct go *g, uint64_t addr, uint64_t size)
{
	return reader_of(image_at(g->attr->im, addr, size), g->attr->im->big_endian);
}

/* Claims the pointer maps of frames: a count of maps, a count of bits, then the maps. */
static void put_stack_maps(struct go *g, uint64_t i)
{
	uint64_t addr;
	if (!go_table_data(g->table, &g->f, i, &addr))
		return;
	struct reader r = data_reader(g, addr, 8);
	const uint64_t count = read_u32(&r), bits = read_u32(&r);
	if (reader_ok(&r) && count <= INT32_MAX && bits <= INT32_MAX)
		attr_go_put_data(g, addr, 8 + count * ((bits + 7) / 8));
}

static void put_stack_objects(struct go *g)
{
	uint64_t addr;
	const unsigned width = g->table->tab.pointer;
	if (!go_table_data(g->table, &g->f, DATA_STACK_OBJECTS, &addr))
		return;
	struct reader r = data_reader(g, addr, width);
	const uint64_t count = read_uint(&r, width);
	const uint64_t each = g->table->tab.layout >= PCLNTAB_18 ? 16 : 2 * width;
	if (reader_ok(&r) && count <= UINT16_MAX)
		attr_go_put_data(g, addr, width + count * each);
}

/* Claims two numbers that tell where a frame keeps deferred calls. */
static void put_defers(struct go *g)
{
	enum { LONGEST = 20 };
	uint64_t addr;
	if (!go_table_data(g->table, &g->f, DATA_DEFERS, &addr))
		return;
	struct reader r = data_reader(g, addr, LONGEST);
	(void)read_uleb(&r);
	(void)read_uleb(&r);
	if (reader_ok(&r))
		attr_go_put_data(g, addr, r.pos);
}

/* Claims the description of a function's arguments for stack traces. Each argument has a byte of
 * offset and one of size. Marks begin and end structures; 0xff ends the list. Returns the number of
 * arguments. */
static uint64_t put_arguments(struct go *g)
{
	enum { LONGEST = 256, FIRST_MARK = 0xfb, END = 0xff };
	uint64_t addr, count = 0;
	if (!go_table_data(g->table, &g->f, DATA_ARGUMENTS, &addr))
		return 0;
	struct reader r = data_reader(g, addr, LONGEST);
	for (uint8_t c; (c = read_u8(&r)) != END && reader_ok(&r);) {
		if (c < FIRST_MARK) {
			read_skip(&r, 1);
			count++;
		}
	}
	if (reader_ok(&r))
		attr_go_put_data(g, addr, r.pos);
	return count;
}

/* Claims the description of saved register arguments: one byte, then bit sets. Another table has
 * the offset of each description. */
static void put_live_arguments(struct go *g, uint64_t arguments)
{
	enum { TABLE = 3 };
	uint64_t addr, off;
	int64_t last = 0;
	if (!go_table_data(g->table, &g->f, DATA_LIVE_ARGUMENTS, &addr) ||
	    g->f.more_count <= TABLE || (off = pclntab_more(&g->table->tab, &g->f, TABLE)) == 0)
		return;
	struct pclntab_values v = pclntab_values(&g->table->tab, off);
	while (pclntab_values_next(&v))
		last = v.value > last ? v.value : last;
	if (last > 0 && last <= UINT16_MAX)
		attr_go_put_data(g, addr, (uint64_t)last + (arguments + 7) / 8);
}

/* Claims an inlined call: the name of its function and, until Go 1.19, its file. */
static void attr_go_put_inlined(struct go *g, uint64_t addr)
{
	const bool new = g->table->tab.layout == PCLNTAB_20;
	struct reader r = data_reader(g, addr, new ? 16 : 20);
	read_skip(&r, 4);
	if (!new) {
		attr_go_put_file(g, read_i32(&r));
		read_skip(&r, 4);
	}
	attr_go_put_text(g, g->table->tab.names + read_u32(&r));
}

static void put_inlining_tree(struct go *g)
{
	uint64_t addr;
	const uint64_t each = go_table_call_size(g->table);
	const uint64_t count = go_table_calls(g->table, g->attr->im, &g->f, &addr);
	for (uint64_t i = 0; i < count; i++)
		attr_go_put_inlined(g, addr + i * each);
	if (count > 0)
		attr_go_put_data(g, addr, count * each);
}

static void attr_go_put_function(struct go *g)
{
	const struct pclntab_func *f = &g->f;
	attr_go_put(g, f->entry, f->entry_size);
	attr_go_put(g, f->record, f->record_size);
	struct pclntab_values files = pclntab_values(&g->table->tab, f->tables[PCLNTAB_FILE]);
	uint64_t wrapped;
	attr_go_put_text(g, g->table->tab.names + f->name_off);
	while (f->tables[PCLNTAB_FILE] != 0 && pclntab_values_next(&files))
		attr_go_put_file(g, files.value);
	for (size_t i = 0; i < PCLNTAB_TABLES; i++)
		attr_go_put_values(g, f->tables[i]);
	for (uint64_t i = 0; i < f->more_count; i++)
		attr_go_put_values(g, pclntab_more(&g->table->tab, f, i));
	put_stack_maps(g, DATA_ARGS);
	put_stack_maps(g, DATA_LOCALS);
	put_stack_objects(g);
	put_inlining_tree(g);
	if (g->table->tab.layout < PCLNTAB_16)
		return;
	if (g->lists.count == 0 || g->lists.data[g->lists.count - 1].start != f->unit)
		vec_push(&g->lists, (struct file_list){ f->unit, g->label });
	put_defers(g);
	put_live_arguments(g, put_arguments(g));
	if (go_table_data(g->table, f, DATA_WRAPPED, &wrapped)) /* The function that a wrapper
								 * function calls */
		attr_go_put_data(g, wrapped, 4);
}

/* Claims the parts of the table that describe all functions or types, under the names that Go's
 * linker uses for them. */
static void attr_go_put_parts(struct go *g)
{
	for (size_t i = 0; i < GO_PARTS; i++) {
		const struct go_part *p = &g->table->parts[i];
		if (p->size == 0)
			continue;
		g->label = label_borrow(g->attr->f->labels, str_of(p->name));
		attr_go_put_data(g, p->addr, p->size);
	}
}

void attr_go(struct attr *a)
{
	struct go g = { .attr = a, .table = go_slot_open(a->f->go, a->im, NULL) };
	struct span_cursor cursor = { &a->vm, 0 };
	ASSERT(g.table && g.table->section);
	for (uint64_t i = 0; i < g.table->tab.func_count; i++) {
		if (!pclntab_record(&g.table->tab, i, &g.f))
			continue;
		g.label = cursor_label(&cursor, g.f.addr);
		if (g.label != LABEL_NONE)
			attr_go_put_function(&g);
	}
	put_lists(&g);
	mem_free(g.seen);
	if (a->owner == BY_SYMBOL)
		attr_go_put_parts(&g);
	image_forget(a->im, section_bytes(a->im, g.table->section));
}
