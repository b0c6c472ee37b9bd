/* Lists the symbols of a linker map section by section. Names pieces without symbols after their
 * input section, and derives missing sizes. */
#include "linkmap/linkmap_names.h"

#include "base/sort.h"

/* Returns the symbol that a piece's name implies, or "": "f" for ".text.unlikely.f". */
static struct str symbol_of_piece(struct str name)
{
	static const char *const fronts[] = {
		".text.unlikely.", ".text.startup.",   ".text.hot.",
		".text.exit.",     ".text.",           ".data.rel.ro.local.",
		".data.rel.ro.",   ".data.rel.local.", ".data.rel.",
		".data.",          ".bss.rel.ro.",     ".bss.",
		".tdata.",         ".tbss.",           ".rodata.",
	};
	for (size_t i = 0; i < COUNT_OF(fronts); i++) {
		const struct str front = str_of(fronts[i]);
		if (str_starts(name, front))
			return (struct str){ name.p + front.len, name.len - front.len };
	}
	return STR("");
}

static bool linkmap_names_is(struct str name)
{
	return name.len > 0 && name.p[0] != '$' && !str_starts(name, STR(".L")) &&
	       !str_starts(name, STR("."));
}

static struct str star_name(struct linkmap_names *n, const struct linkmap_piece *p)
{
	const struct str name = linkmap_piece_name(n->map, p);
	return str_of(arena_format(&n->arena, "** " STR_FMT, STR_ARG(name)));
}

/* Returns the name of a piece without symbols. ".rodata.f" may be constants of a function f. */
static struct str name_of_piece(struct linkmap_names *n, const struct linkmap_piece *p)
{
	const struct str whole = linkmap_piece_name(n->map, p), name = symbol_of_piece(whole);
	uint32_t id;
	if (p->kind == LINKMAP_FILL)
		return STR("");
	if (p->kind != LINKMAP_OBJECT || !linkmap_names_is(name))
		return n->all ? star_name(n, p) : STR("");
	if (str_starts(whole, STR(".text.")))
		(void)intern_borrow(&n->functions, name);
	else if (str_starts(whole, STR(".rodata.")) && intern_find(&n->functions, name, &id))
		return n->all ? star_name(n, p) : STR("");
	return name;
}

static void linkmap_names_add_piece(struct linkmap_names *n, uint32_t index)
{
	const struct linkmap_piece *p = &n->map->pieces.data[index];
	const struct linkmap_symbol *y = n->map->symbols.data;
	const size_t count = n->map->symbols.count;
	const uint64_t end = p->addr + p->size;
	bool any = false;
	for (; n->symbol < count && y[n->symbol].piece == index; n->symbol++) {
		const struct linkmap_symbol *s = &y[n->symbol];
		const struct str name = linkmap_symbol_name(n->map, s);
		if (!linkmap_names_is(name) || s->addr < p->addr || s->addr >= end)
			continue;
		any |= s->addr == p->addr;
		vec_push(&n->list, (struct linkmap_name){ s->addr, s->size, end, name, index });
	}
	const struct str name = any || p->size == 0 ? STR("") : name_of_piece(n, p);
	if (name.len > 0)
		vec_push(&n->list, (struct linkmap_name){ p->addr, 0, end, name, index });
}

void linkmap_names_read(struct linkmap_names *n, uint32_t section)
{
	const struct linkmap_section *s = &n->map->sections.data[section];
	uint64_t next = UINT64_MAX;
	n->list.count = 0;
	const struct linkmap_symbol *symbols = n->map->symbols.data;
	BISECT(n->symbol, 0, n->map->symbols.count, mid, symbols[mid].piece < s->first_piece);
	for (uint32_t k = 0; k < s->piece_count; k++)
		linkmap_names_add_piece(n, s->first_piece + k);
	vec_sort(&n->list);
	for (size_t i = n->list.count; i-- > 0;) {
		struct linkmap_name *y = &n->list.data[i];
		if (i + 1 < n->list.count && n->list.data[i + 1].addr > y->addr)
			next = n->list.data[i + 1].addr;
		if (y->size == 0)
			y->size = min_u64(next, y->end) - y->addr;
	}
}

void linkmap_names_release(struct linkmap_names *n)
{
	vec_release(&n->list);
	intern_release(&n->functions);
	arena_release(&n->arena);
}
