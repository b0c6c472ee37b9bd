#include "snapshot/snapshot.h"

#include "base/sort.h"

/* ---- sections ---------------------------------------------------------------------------------- */

/* The names the file format knows, in the order of reports, with their place in the sorted list. */
static const struct section_kind {
	const char *name;
	char letter;
	uint8_t rank;
} section_kinds[] = {
	{ ".text", 't', 0 },
	{ ".rodata", 'r', 0 },
	{ ".data.rel.ro", 'R', 0 },
	{ ".data.rel.ro.local", 'R', 0 },
	{ ".tdata.rel.ro", 'R', 0 },
	{ ".data", 'd', 0 },
	{ ".tdata", 'd', 0 },
	{ ".bss", 'b', 1 },
	{ ".bss.rel.ro", 'b', 1 },
	{ ".part.end", 'b', 1 },
	{ ".relro_padding", 'b', 1 },
	{ ".tbss", 'b', 1 },
	{ "google_malloc_bss", 'b', 1 },
	{ ".dex", 'x', 2 },
	{ ".dex.method", 'm', 3 },
	{ ".pak.nontranslated", 'P', 4 },
	{ ".pak.translations", 'p', 5 },
	{ ".arsc", 'a', 6 },
	{ ".other", 'o', 7 },
};

static const struct section_kind *kind_of(const char *section)
{
	for (size_t i = 0; i < COUNT_OF(section_kinds); i++)
		if (strcmp(section_kinds[i].name, section) == 0)
			return &section_kinds[i];
	return NULL;
}

bool snapshot_is_known(const char *section)
{
	return kind_of(section) != NULL;
}

char snapshot_letter(const char *section)
{
	const struct section_kind *k = kind_of(section);
	return k ? k->letter : 'o';
}

bool snapshot_is_bss(const char *section)
{
	return snapshot_letter(section) == 'b';
}

bool snapshot_is_native(const char *section)
{
	const struct section_kind *k = kind_of(section);
	return k && k->rank <= 1;
}

uint32_t snapshot_section(struct snapshot *s, uint32_t container, const char *name)
{
	for (size_t i = 0; i < s->sections.count; i++)
		if (s->sections.data[i].container == container &&
		    strcmp(s->sections.data[i].name, name) == 0)
			return (uint32_t)i;
	vec_push(&s->sections, (struct snap_section){ .container = container,
						      .name = arena_copy(&s->arena, str_of(name)),
						      .letter = snapshot_letter(name) });
	return (uint32_t)(s->sections.count - 1);
}

/* ---- names ------------------------------------------------------------------------------------- */

bool snap_is_literal(struct str full_name)
{
	return str_starts(full_name, STR("\"")) || str_eq(full_name, STR("string literal"));
}

bool snap_is_overhead(struct str full_name)
{
	return str_starts(full_name, STR("Overhead: "));
}

bool snap_is_star(struct str full_name)
{
	return str_starts(full_name, STR("**"));
}

/* ---- life -------------------------------------------------------------------------------------- */

void snapshot_init(struct snapshot *s)
{
	memset(s, 0, sizeof *s);
	(void)intern_add(&s->texts, STR("")); /* id 0 */
}

void snapshot_release(struct snapshot *s)
{
	for (size_t i = 0; i < s->containers.count; i++) {
		vec_release(&s->containers.data[i].metadata);
		vec_release(&s->containers.data[i].metrics);
		vec_release(&s->containers.data[i].section_sizes);
		vec_release(&s->containers.data[i].starts);
	}
	vec_release(&s->containers);
	vec_release(&s->build_config);
	vec_release(&s->extra);
	vec_release(&s->sections);
	vec_release(&s->symbols);
	intern_release(&s->texts);
	arena_release(&s->arena);
}

/* ---- order ------------------------------------------------------------------------------------- */

/* What the sorted list compares, made once a symbol. */
struct sort_key {
	uint64_t place; /* container 63..32, section rank 31..24, overhead 23 */
	uint64_t addr;
	uint32_t sized; /* symbols without size come first at an address */
	uint32_t list;  /* of aliases without an address; 0: none */
	bool star;
	uint32_t symbol;
	struct str full_name, object;
};

static struct sort_key key_of(const struct snapshot *s, uint32_t i)
{
	const struct snap_symbol *y = &s->symbols.data[i];
	const struct snap_section *sec = &s->sections.data[y->section];
	const struct section_kind *kind = kind_of(sec->name);
	struct sort_key k = { .symbol = i, .addr = y->addr, .list = y->alias_place };
	k.full_name = snapshot_text(s, y->full_name);
	k.object = snapshot_text(s, y->object);
	k.place = (uint64_t)sec->container << 32 | (uint64_t)(kind ? kind->rank : 7) << 24 |
		  (uint64_t)snap_is_overhead(k.full_name) << 23;
	k.sized = y->addr != 0 && y->size + (uint64_t)y->padding != 0;
	k.star = snap_is_star(k.full_name);
	return k;
}

static int compare_u64(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_keys(const void *pa, const void *pb)
{
	const struct sort_key *a = pa, *b = pb;
	int c = compare_u64(a->place, b->place);
	if (c == 0)
		c = compare_u64(a->addr, b->addr);
	if (c == 0)
		c = compare_u64(a->sized, b->sized);
	if (c == 0)
		c = (int)a->star - (int)b->star;
	if (c == 0)
		c = str_cmp(a->full_name, b->full_name);
	if (c == 0)
		c = compare_u64(a->list, b->list);
	if (c == 0)
		c = str_cmp(a->object, b->object);
	return c != 0 ? c : compare_u64(a->symbol, b->symbol);
}

/* One segment a section: where symbols of one without addresses would part it, they move up to the others. */
static void gather_sections(struct snapshot *s)
{
	struct snap_symbol *out = xmalloc((s->symbols.count + 1) * sizeof *out);
	uint32_t *order = xmalloc((s->sections.count + 1) * sizeof *order);
	uint64_t at = 0;
	size_t seen = 0;
	for (size_t i = 0; i < s->sections.count; i++)
		s->sections.data[i].count = 0;
	for (size_t i = 0; i < s->symbols.count; i++) {
		struct snap_section *sec = &s->sections.data[s->symbols.data[i].section];
		if (sec->count++ == 0)
			order[seen++] = s->symbols.data[i].section;
	}
	for (size_t i = 0; i < seen; i++) {
		s->sections.data[order[i]].first = at;
		at += s->sections.data[order[i]].count;
		s->sections.data[order[i]].count = 0;
	}
	for (size_t i = 0; i < s->symbols.count; i++) {
		struct snap_section *sec = &s->sections.data[s->symbols.data[i].section];
		out[sec->first + sec->count++] = s->symbols.data[i];
	}
	free(order);
	free(s->symbols.data);
	s->symbols.data = out;
	s->symbols.cap = s->symbols.count + 1;
}

static void sort_symbols(struct snapshot *s)
{
	const size_t count = s->symbols.count;
	struct sort_key *keys = xmalloc((count + 1) * sizeof *keys);
	struct snap_symbol *sorted = xmalloc((count + 1) * sizeof *sorted);
	for (size_t i = 0; i < count; i++)
		keys[i] = key_of(s, (uint32_t)i);
	qsort(keys, count, sizeof *keys, compare_keys);
	for (size_t i = 0; i < count; i++)
		sorted[i] = s->symbols.data[keys[i].symbol];
	free(keys);
	free(s->symbols.data);
	s->symbols.data = sorted;
	s->symbols.cap = count + 1;
}

/* ---- aliases, overlaps, padding ---------------------------------------------------------------- */

/* Symbols [first, end) have one address and size: one alias list. */
static void join(struct snap_symbol *y, size_t first, size_t end)
{
	for (size_t i = first; i < end; i++) {
		y[i].alias_count = (uint32_t)(end - first);
		y[i].alias_place = (uint32_t)(i - first);
	}
}

/* Symbols without an address from `first` on: one, or a list made before. */
static size_t join_list(struct snap_symbol *y, size_t first, size_t end)
{
	const uint32_t list = y[first].alias_place;
	size_t last = first + 1;
	while (list != 0 && last < end && y[last].alias_place == list)
		last++;
	join(y, first, last);
	return last;
}

/* Sized symbols at one address become one list of the largest size; those without size stay apart. */
static size_t join_address(struct snap_symbol *y, size_t first, size_t end)
{
	size_t last = first;
	uint64_t size = 0;
	while (last < end && y[last].addr == y[first].addr && y[last].section == y[first].section)
		last++;
	size_t sized = first;
	for (; sized < last && y[sized].size == 0; sized++)
		join(y, sized, sized + 1);
	for (size_t i = sized; i < last; i++)
		size = max_u64(size, y[i].size);
	for (size_t i = sized; i < last; i++)
		y[i].size = size;
	if (sized < last)
		join(y, sized, last);
	return last;
}

/* The gap in front of an address: of the first symbol there, which its whole alias list shares. */
static void set_padding(struct snap_symbol *y, size_t first, size_t end, uint64_t before)
{
	const int64_t gap = y[first].addr > before ? (int64_t)(y[first].addr - before) : 0;
	for (size_t i = first; i < end; i++)
		y[i].padding = i - first < y[first].alias_count ? gap : 0;
}

/* The bytes of a list end where the next begin. */
static void clip(struct snap_symbol *y, size_t first, size_t end, uint64_t next)
{
	for (size_t i = first; i < end; i++)
		if (y[i].size > next - y[i].addr)
			y[i].size = next - y[i].addr;
}

static bool has_place(const struct snapshot *s, const struct snap_symbol *y)
{
	return y->addr > 0 && snapshot_is_native(s->sections.data[y->section].name) &&
	       !snap_is_overhead(snapshot_text(s, y->full_name));
}

/* The last of the starts, sorted, that is not behind an address. */
static uint64_t start_of(const struct snap_container *c, uint64_t addr)
{
	const size_t behind = upper_bound(c->starts.data, c->starts.count, sizeof *c->starts.data,
					  addr);
	return behind > 0 ? c->starts.data[behind - 1] : 0;
}

/* A section's symbols, sorted. */
static void settle_section(const struct snapshot *s, struct snap_symbol *y, size_t count)
{
	const struct snap_container *in =
		count > 0 ? &s->containers.data[s->sections.data[y->section].container] : NULL;
	uint64_t before = 0; /* end of the one before */
	bool any = false;
	for (size_t i = 0; i < count;) {
		if (!has_place(s, &y[i])) {
			i = join_list(y, i, count);
			continue;
		}
		const size_t end = join_address(y, i, count);
		if (end < count && has_place(s, &y[end]))
			clip(y, i, end, y[end].addr);
		set_padding(y, i, end, any ? max_u64(before, start_of(in, y[i].addr)) : y[i].addr);
		before = y[end - 1].addr + y[end - 1].size;
		any = true;
		i = end;
	}
}

void snapshot_finish(struct snapshot *s)
{
	snapshot_escape(s);
	sort_symbols(s);
	gather_sections(s);
	for (size_t i = 0; i < s->containers.count; i++) {
		struct snap_container *c = &s->containers.data[i];
		sort_by_key(c->starts.data, c->starts.count, sizeof *c->starts.data);
	}
	for (size_t i = 0; i < s->sections.count; i++)
		if (s->sections.data[i].count > 0)
			settle_section(s, s->symbols.data + s->sections.data[i].first,
				       s->sections.data[i].count);
}

void snapshot_place_sections(struct snapshot *s)
{
	gather_sections(s);
}
