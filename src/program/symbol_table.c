/* Makes the table that finds the symbols of an image by address. */
#include "program/symbol_table.h"

#include "base/sort.h"
#include "image/elf/elf_const.h"
#include "program/plt.h"
#include "program/symbol_rule.h"

struct symbol_table_candidate {
	uint64_t addr, size;
	const char *name, *file;
	uint64_t limit; /* End of the symbol's section */
	uint32_t rank;
	bool code, block; /* `block`: a basic block, code of the function symbol before it */
};

typedef VEC(struct symbol_table_candidate) candidate_vec;

static void symbol_table_collect(const struct image *im, const struct section *table,
				 candidate_vec *sized, candidate_vec *unsized)
{
	struct symtab t;
	const char *file = NULL;
	if (!table || !symtab_open(&t, im, table))
		return;
	for (size_t i = 1; i < t.count; i++) {
		const struct symbol s = symtab_get(&t, i);
		uint64_t addr;
		if (s.type == STT_FILE)
			file = symbol_source(&s).len > 0 ? s.name.p : NULL;
		if (!symbol_names_a_place(&s) || !symbol_addr(im, &s, &addr))
			continue;
		const struct section *in = symbol_section(im, &s, addr);
		if (!in || s.name.len == 0)
			continue;
		const uint64_t limit = in->addr + in->size;
		const struct symbol_table_candidate c = { .addr = addr,
							  .size = symbol_size_in(in, &s, addr),
							  .name = symbol_owner(&s).p,
							  .file = s.bind == STB_LOCAL ? file : NULL,
							  .limit = limit,
							  .rank = symbol_rank(&s),
							  .code = in->exec,
							  .block = symbol_owner(&s).p != s.name.p };
		if (c.size > 0)
			vec_push(sized, c);
		else if (addr < limit)
			vec_push(unsized, c);
	}
}

COMPARISON(symbol_table_by_rule, struct symbol_table_candidate, ORDER(b->size, a->size),
	   ORDER(a->rank, b->rank))

typedef VEC(struct flat_range) range_vec;

/* Adds a symbol. `function` is the last function before it, or NULL. A block of that function is
 * not added, but extends the function. */
static void symbol_table_add(struct symbol_table *t, range_vec *ranges,
			     const struct symbol_table_candidate *c, uint64_t end,
			     const struct symbol_table_candidate *function)
{
	const bool inside = c->block && function && strcmp(function->name, c->name) == 0;
	if (t->list.count >= FLAT_NONE - 1)
		return;
	const uint32_t who = FLAT_NONE - 1 - (uint32_t)t->list.count;
	vec_push(&t->list, (struct symbol_place){ inside ? function->addr : c->addr, c->size,
						  c->name, c->file, NULL });
	vec_push(ranges, (struct flat_range){ c->addr, end, who });
}

/* Adds the symbols without a size. Each ends at the next symbol of any kind. */
static void add_unsized(struct symbol_table *t, range_vec *ranges, const candidate_vec *sized,
			const candidate_vec *unsized)
{
	const struct symbol_table_candidate *function = NULL;
	size_t next = 0, last = 0;
	for (size_t i = 0; i < unsized->count; i++) {
		const struct symbol_table_candidate *c = &unsized->data[i];
		if (i > 0 && c[-1].addr == c->addr)
			continue;
		uint64_t end = c->code ? c->limit : c->addr + 1;
		while (next < sized->count && sized->data[next].addr <= c->addr)
			next++;
		if (next < sized->count)
			end = min_u64(end, sized->data[next].addr);
		size_t k = i + 1;
		while (k < unsized->count && unsized->data[k].addr == c->addr)
			k++;
		if (k < unsized->count)
			end = min_u64(end, unsized->data[k].addr);
		while (last < next) {
			if (!sized->data[last].block)
				function = &sized->data[last];
			last++;
		}
		symbol_table_add(t, ranges, c, end, function);
	}
}

void symbol_table_read(struct symbol_table *t, const struct image *im, const struct image *debug)
{
	const struct section *own = image_section_type(im, SHT_SYMTAB, 1);
	candidate_vec sized = { 0 }, unsized = { 0 };
	ASSERT(!t->im && t->list.count == 0);
	t->im = im;
	range_vec ranges = { 0 };
	const struct section *given = debug ? image_section_type(debug, SHT_SYMTAB, 1) : NULL;
	if (!given || image_symbols(im))
		symbol_table_collect(im, own, &sized, &unsized);
	if (given)
		symbol_table_collect(debug, given, &sized, &unsized);
	if (!own)
		symbol_table_collect(im, image_section_type(im, SHT_DYNSYM, 1), &sized, &unsized);
	vec_sort_then(&sized, symbol_table_by_rule);
	symbols_cut_crossing(sized.data, sized.count, sizeof *sized.data);
	vec_sort_then(&unsized, symbol_table_by_rule);
	const struct symbol_table_candidate *function = NULL;
	vec_each(const struct symbol_table_candidate, c, &sized) {
		if (!c->block)
			function = c;
		symbol_table_add(t, &ranges, c, c->addr + c->size, function);
	}
	add_unsized(t, &ranges, &sized, &unsized);
	ASSERT(ranges.count == t->list.count);
	flat_lay(&t->spans, ranges.data, ranges.count);
	vec_release_all(&sized, &unsized, &ranges);
}

void symbol_table_release(struct symbol_table *t)
{
	vec_release_all(&t->list, &t->stubs);
	arena_release(&t->texts);
	flat_release(&t->spans);
}

struct stub_list {
	struct symbol_table *table;
	struct plt plt;
};

static void add_stub(void *user, const struct plt_stub *stub)
{
	struct stub_list *list = user;
	struct symbol_table *t = list->table;
	const struct str name = plt_name(&list->plt, stub->slot);
	const char *text = arena_format(&t->texts, STR_FMT "@plt", STR_ARG(name));
	if (name.len > 0)
		vec_push(&t->stubs, (struct symbol_place){ stub->section->addr + stub->off,
							   stub->size, text, NULL, NULL });
}

const struct symbol_place *symbol_table_stubs(struct symbol_table *t, size_t *ret_count)
{
	struct stub_list list = { .table = t };
	if (!t->stubs_read && t->im) {
		plt_read(&list.plt, t->im);
		plt_each(&list.plt, add_stub, &list);
		plt_release(&list.plt);
		vec_sort(&t->stubs);
	}
	t->stubs_read = true;
	*ret_count = t->stubs.count;
	return t->stubs.data;
}

static struct symbol_place *stub_find(struct symbol_table *t, uint64_t addr)
{
	const struct section *in = t->im ? image_section_at(t->im, addr) : NULL;
	size_t count;
	if (!in || !section_is_plt(in))
		return NULL;
	(void)symbol_table_stubs(t, &count);
	const size_t i = upper_bound(t->stubs.data, count, sizeof *t->stubs.data, addr);
	struct symbol_place *s = i > 0 ? &t->stubs.data[i - 1] : NULL;
	return s && addr - s->addr < s->size ? s : NULL;
}

struct symbol_place *symbol_table_find(struct symbol_table *t, uint64_t addr)
{
	const struct flat_span *s = flat_find_near(&t->spans, addr, &t->near);
	return s ? &t->list.data[FLAT_NONE - 1 - s->who] : stub_find(t, addr);
}
