/* Mapping symbols of ARM. */
#include "blocks/derive_map_internal.h"

#include "base/sort.h"
#include "image/code_symbols.h"

/* "$t" and "$t.anything"; 0 for what is none. */
static char mark_of(struct str name)
{
	if (name.len < 2 || name.p[0] != '$' || (name.len > 2 && name.p[2] != '.'))
		return 0;
	return strchr("atd", name.p[1]) ? name.p[1] : 0;
}

static void read_table(struct code_marks *m, const struct image *im)
{
	struct code_symbols all;
	struct symbol s;
	uint64_t addr;
	code_symbols_start(&all, im, SHT_SYMTAB);
	while (code_symbols_next(&all, &s, &addr)) {
		const char kind = mark_of(s.name);
		if (kind)
			vec_push(&m->list, (struct code_mark){ addr, kind });
	}
}

/* Without marks: the values of functions of the Thumb set are odd. */
static void read_functions(struct code_marks *m, const struct image *im)
{
	struct code_symbols all;
	struct symbol s;
	uint64_t addr;
	code_symbols_start(&all, im, SHT_SYMTAB);
	while (code_symbols_next(&all, &s, &addr))
		if (symbol_is_function(&s))
			vec_push(&m->list, (struct code_mark){ addr & ~UINT64_C(1),
							       s.value & 1 ? 't' : 'a' });
}

void code_marks_read(struct code_marks *m, const struct image *im, const struct image *debug)
{
	*m = (struct code_marks){ .start = 'a' };
	if (im->machine != EM_ARM)
		return;
	if (im->entry & 1)
		m->start = 't';
	read_table(m, im);
	if (m->list.count == 0)
		read_table(m, debug);
	if (m->list.count == 0)
		read_functions(m, im);
	sort_by_key(m->list.data, m->list.count, sizeof *m->list.data);
}

void code_marks_release(struct code_marks *m)
{
	vec_release(&m->list);
}

static void add_block(struct blockmap *b, size_t first, uint64_t off, uint64_t size)
{
	const struct bbmap_block block = { .id = (uint32_t)(b->blocks.count - first),
					   .off = (uint32_t)off,
					   .size = (uint32_t)size };
	if (size > 0)
		vec_push(&b->blocks, block);
}

bool code_marks_cut(const struct code_marks *m, uint64_t addr, uint64_t size, struct blockmap *b)
{
	const size_t first = b->blocks.count;
	size_t i = upper_bound(m->list.data, m->list.count, sizeof *m->list.data, addr);
	char kind = i > 0 ? m->list.data[i - 1].kind : m->start;
	bool thumb = false;
	for (uint64_t from = 0, to; from < size; from = to) {
		const bool ends = i < m->list.count && m->list.data[i].addr - addr < size;
		to = ends ? m->list.data[i].addr - addr : size;
		if (b->blocks.count == first)
			thumb = kind == 't';
		if (kind != 'd')
			add_block(b, first, from, to - from);
		if (ends)
			kind = m->list.data[i++].kind;
	}
	return thumb;
}
