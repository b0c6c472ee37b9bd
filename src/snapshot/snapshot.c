/* Builds snapshots: adds sections, sorts symbols, joins aliases and checks the invariants. */
#include "snapshot/snapshot.h"

#include "base/sort.h"
#include "base/text.h"
#include "snapshot/clues.h"

enum { RANK_BSS = 1, RANK_OTHER = 7 };

/* Names of the file format, in the order of reports, with their rank in the list of symbols. */
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

static const struct section_kind *snapshot_kind_of(const char *section)
{
	for (size_t i = 0; i < COUNT_OF(section_kinds); i++)
		if (strcmp(section_kinds[i].name, section) == 0)
			return &section_kinds[i];
	return NULL;
}

bool snap_is_native_name(const char *name, bool in_file)
{
	const struct section_kind *k = snapshot_kind_of(name);
	return k && k->rank <= RANK_BSS && (k->letter == 'b') != in_file;
}

bool snap_segment_is_native(const char *segment)
{
	const struct section_kind *k = snapshot_kind_of(segment);
	return k && k->rank <= RANK_BSS;
}

const char *snap_folded(struct str name)
{
	static const char *const names[][2] = {
		{ ".text", ".text" },      { ".init.text", ".text" },
		{ ".ltext", ".text" },     { ".rodata", ".rodata" },
		{ ".lrodata", ".rodata" }, { ".data.rel.ro", ".data.rel.ro" },
		{ ".data", ".data" },      { ".sdata", ".data" },
		{ ".ldata", ".data" },     { ".init.data", ".data" },
		{ ".tdata", ".tdata" },    { ".tbss", ".tbss" },
		{ ".bss", ".bss" },        { ".sbss", ".bss" },
		{ ".lbss", ".bss" },
	};
	const struct str bolt = STR(".bolt.org");
	if (str_starts(name, bolt))
		name = (struct str){ name.p + bolt.len, name.len - bolt.len };
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		const struct str known = str_of(names[i][0]);
		if (str_starts(name, known) && (name.len == known.len || name.p[known.len] == '.'))
			return names[i][1];
	}
	return NULL;
}

const char *snap_segment(const struct snap_section *sec)
{
	const char *const folded = sec->in_memory || !sec->in_file ? snap_folded(str_of(sec->name))
								   : NULL;
	/* A program's section may have any name, even one that the format uses otherwise. */
	if (!sec->native || snap_is_native_name(sec->name, sec->in_file))
		return sec->name;
	if (folded && snap_is_native_name(folded, sec->in_file))
		return folded;
	return sec->in_file ? ".other" : ".bss";
}

/* Makes the key that identifies a section. */
static void snapshot_section_key(struct text *ret, const struct snap_section *sec)
{
	text_add_number(ret, sec->container);
	text_add_char(ret, (char)('a' + sec->native + 2 * sec->in_file + 4 * sec->in_memory +
				  8 * sec->code));
	text_add(ret, str_of(sec->name));
}

uint32_t snapshot_section_like(struct snapshot *s, const struct snap_section *like)
{
	struct snap_section sec = { .container = like->container,
				    .native = like->native,
				    .in_file = like->in_file,
				    .in_memory = like->in_memory,
				    .code = like->code };
	struct text key = { 0 };
	snapshot_section_key(&key, like);
	const uint32_t index = intern_add(&s->section_keys, text_str(&key));
	text_release(&key);
	if (index < s->sections.count)
		return index;
	sec.name = arena_copy(&s->arena, str_of(like->name));
	const struct section_kind *kind = snapshot_kind_of(snap_segment(&sec));
	sec.letter = kind ? kind->letter : 'o';
	sec.rank = kind ? kind->rank : RANK_OTHER;
	vec_push(&s->sections, sec);
	return index;
}

/* Returns a section with the properties that the file format assigns to its name. */
static struct snap_section known_section(uint32_t container, const char *name)
{
	const struct section_kind *kind = snapshot_kind_of(name);
	const bool native = kind && kind->rank <= RANK_BSS;
	return (struct snap_section){ .container = container,
				      .native = native,
				      .in_file = !kind || kind->letter != 'b',
				      .in_memory = native && strcmp(name, ".tbss") != 0,
				      .code = kind && kind->letter == 't',
				      .name = name };
}

uint32_t snapshot_section(struct snapshot *s, uint32_t container, const char *name)
{
	const struct snap_section like = known_section(container, name);
	return snapshot_section_like(s, &like);
}

uint32_t snapshot_find_section(const struct snapshot *s, uint32_t container, const char *name)
{
	const struct snap_section like = known_section(container, name);
	struct text key = { 0 };
	uint32_t index;
	snapshot_section_key(&key, &like);
	const bool found = intern_find(&s->section_keys, text_str(&key), &index);
	text_release(&key);
	return found ? index : SNAP_NO_SECTION;
}

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

size_t snap_packed_prefix(const struct snapshot *s)
{
	if (s->containers.count < 2)
		return 0;
	const struct str file = str_of(s->containers.data[0].name);
	for (size_t i = 1; i < s->containers.count; i++) {
		const struct str other = str_of(s->containers.data[i].name);
		if (file.len == 0 || !str_starts(other, file) || other.p[file.len] != '/')
			return 0;
	}
	return file.len + 1;
}

struct str snap_container_key(const struct snapshot *s, uint32_t container, size_t prefix)
{
	const struct str name = str_of(s->containers.data[container].name);
	return str_from(name, min_u64(prefix, name.len));
}

bool snap_is_owned(struct str full_name)
{
	return str_ends(full_name, STR(" [anonymous data]"));
}

bool snap_is_made_up(struct str name)
{
	size_t i = 4;
	if (!str_starts(name, STR("sub_")))
		return false;
	while (i < name.len &&
	       ((name.p[i] >= '0' && name.p[i] <= '9') || (name.p[i] >= 'a' && name.p[i] <= 'f')))
		i++;
	return i > 4 && (i == name.len || name.p[i] == ' ');
}

void snapshot_init(struct snapshot *s)
{
	memset(s, 0, sizeof *s);
	(void)intern_add(&s->texts, STR("")); /* The empty text gets id 0 */
}

void snapshot_release(struct snapshot *s)
{
	for (size_t i = 0; i < s->containers.count; i++) {
		vec_release_all(&s->containers.data[i].metadata, &s->containers.data[i].metrics,
				&s->containers.data[i].section_sizes);
	}
	vec_release_all(&s->containers, &s->build_config, &s->extra, &s->sections);
	intern_release(&s->section_keys);
	vec_release_all(&s->charges, &s->symbols);
	for (size_t i = 0; i < s->clues.count; i++)
		if (s->clues.data[i])
			clues_release(s->clues.data[i]);
	vec_release(&s->clues);
	for (size_t i = 0; i < s->sure.count; i++)
		spans_release(&s->sure.data[i]);
	vec_release(&s->sure);
	intern_release(&s->texts);
	arena_release(&s->arena);
}

/* Sort key of a symbol */
struct sort_key {
	uint64_t place; /* Container in bits 63..32, section's rank in 31..24, overhead in bit 23 */
	uint64_t addr;
	uint32_t sized; /* 0 for a symbol without a size, which sorts first at its address */
	uint32_t list;  /* Number of the alias list if the symbol has no address. Otherwise 0 */
	bool star;
	uint32_t symbol;
	struct str full_name, object;
};

static struct sort_key snapshot_key_of(const struct snapshot *s, uint32_t i)
{
	const struct snap_symbol *y = &s->symbols.data[i];
	const struct snap_section *sec = &s->sections.data[y->section];
	struct sort_key k = { .symbol = i, .addr = y->addr, .list = y->alias_place };
	k.full_name = snapshot_text(s, y->full_name);
	k.object = snapshot_text(s, y->object);
	k.place = (uint64_t)sec->container << 32 | (uint64_t)sec->rank << 24 |
		  (uint64_t)snap_is_overhead(k.full_name) << 23;
	k.sized = y->addr != 0 && y->size + (uint64_t)y->padding != 0;
	k.star = snap_is_star(k.full_name);
	return k;
}

static int compare_u64(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int snapshot_compare_keys(const void *pa, const void *pb)
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

/* Returns an id for the segment of a container. */
static uint32_t segment_key(struct intern *segments, const struct snap_section *sec)
{
	struct text key = { 0 };
	text_add_number(&key, sec->container);
	text_add(&key, str_of(snap_segment(sec)));
	const uint32_t id = intern_add(segments, text_str(&key));
	text_release(&key);
	return id;
}

struct section_place {
	uint64_t segment; /* Sort key: number of the segment, by first appearance */
	uint32_t section;
};

/* Sorts the sections that have symbols: by segments, which are in order of first appearance. Counts
 * the symbols. Returns the number of sections. */
static size_t order_sections(struct snapshot *s, struct section_place *ret)
{
	struct intern segments = { { 0 } };
	size_t count = 0;
	for (size_t i = 0; i < s->sections.count; i++)
		s->sections.data[i].count = 0;
	for (size_t i = 0; i < s->symbols.count; i++) {
		const uint32_t section = s->symbols.data[i].section;
		struct snap_section *sec = &s->sections.data[section];
		if (sec->count++ == 0)
			ret[count++] = (struct section_place){ segment_key(&segments, sec),
							       section };
	}
	sort_by_key(ret, count, sizeof *ret);
	intern_release(&segments);
	return count;
}

/* Moves each symbol from[i] to index i, in place. Each move fills the gap that the move before it
 * left. Afterwards from[i] is i. */
static void snapshot_move_symbols(struct snapshot *s, uint32_t *from)
{
	struct snap_symbol *list = s->symbols.data;
	uint32_t *new_place = mem_alloc((s->symbols.count + 1) * sizeof *new_place);
	for (uint32_t i = 0; i < s->symbols.count; i++)
		new_place[from[i]] = i;
	snapshot_charges_follow(s, new_place);
	mem_free(new_place);
	for (size_t first = 0; first < s->symbols.count; first++) {
		const struct snap_symbol taken = list[first];
		size_t to = first;
		while (from[to] != first) {
			const size_t next = from[to];
			list[to] = list[next];
			from[to] = (uint32_t)to;
			to = next;
		}
		list[to] = taken;
		from[to] = (uint32_t)to;
	}
}

static void gather_sections(struct snapshot *s)
{
	uint32_t *from = mem_alloc((s->symbols.count + 1) * sizeof *from);
	struct section_place *order = mem_alloc((s->sections.count + 1) * sizeof *order);
	const size_t seen = order_sections(s, order);
	uint64_t at = 0;
	for (size_t i = 0; i < seen; i++) {
		struct snap_section *sec = &s->sections.data[order[i].section];
		sec->first = at;
		at += sec->count;
		sec->count = 0;
	}
	for (size_t i = 0; i < s->symbols.count; i++) {
		struct snap_section *sec = &s->sections.data[s->symbols.data[i].section];
		from[sec->first + sec->count++] = (uint32_t)i;
	}
	mem_free(order);
	snapshot_move_symbols(s, from);
	mem_free(from);
}

/* Returns the end of the alias list that begins at index `first`. */
static size_t list_end(const struct snapshot *s, size_t first)
{
	const struct snap_symbol *y = s->symbols.data;
	const bool native = s->sections.data[y[first].section].native && y[first].addr > 0;
	size_t end = first + 1;
	if (native ? y[first].size == 0 : y[first].alias_place == 0)
		return end;
	while (end < s->symbols.count && y[end].section == y[first].section &&
	       y[end].addr == y[first].addr && y[end].size == y[first].size &&
	       (native || y[end].alias_place == y[first].alias_place))
		end++;
	return end;
}

static void join_aliases(struct snapshot *s)
{
	for (size_t first = 0, end; first < s->symbols.count; first = end) {
		end = list_end(s, first);
		for (size_t i = first; i < end; i++) {
			s->symbols.data[i].alias_count = (uint32_t)(end - first);
			s->symbols.data[i].alias_place = (uint32_t)(i - first);
		}
	}
}

enum snap_gap snap_gap(const struct snap_symbol *y, const struct snap_symbol *before,
		       int64_t *ret_padding)
{
	*ret_padding = 0;
	if (!before || (int64_t)y->addr <= 0 || (int64_t)before->addr <= 0)
		return SNAP_GAP;
	if (y->addr == before->addr && y->alias_place > 0) {
		*ret_padding = before->padding;
		return SNAP_GAP;
	}
	if (y->addr == before->addr && before->size > 0)
		return SNAP_TWICE;
	*ret_padding = (int64_t)(y->addr - (before->addr + before->size));
	return (int64_t)y->size + *ret_padding >= 0 ? SNAP_GAP : SNAP_INSIDE;
}

static bool same_segment(const struct snap_section *a, const struct snap_section *b)
{
	return a == b ||
	       (a->container == b->container && strcmp(snap_segment(a), snap_segment(b)) == 0);
}

/* True if the file must state paddings, because readers would compute other ones. */
static bool must_state_padding(const struct snapshot *s)
{
	const struct snap_section *last = NULL;
	bool native = false;
	vec_each(const struct snap_symbol, y, &s->symbols) {
		const struct snap_section *sec = &s->sections.data[y->section];
		const bool joined = last && same_segment(last, sec);
		int64_t padding;
		if (sec != last)
			native = snap_segment_is_native(snap_segment(sec));
		last = sec;
		if (snap_is_overhead(snapshot_text(s, y->full_name)))
			continue;
		if (snap_gap(y, native && joined ? y - 1 : NULL, &padding) != SNAP_GAP ||
		    padding != y->padding)
			return true;
	}
	return false;
}

static void aliases_check(const struct snapshot *s, size_t first)
{
	const struct snap_symbol *y = &s->symbols.data[first];
	ASSERT(y->alias_count <= s->symbols.count - first);
	for (uint32_t i = 0; i < y->alias_count; i++) {
		ASSERT(y[i].alias_place == i && y[i].alias_count == y->alias_count);
		ASSERT(y[i].section == y->section && y[i].addr == y->addr);
		ASSERT(y[i].size == y->size && y[i].padding == y->padding);
	}
}

/* Asserts the invariants, except that symbols do not overlap. O(symbols). */
static void snapshot_verify(const struct snapshot *s)
{
	uint64_t in_sections = 0;
	for (size_t i = 0; i < s->sections.count; i++) {
		const struct snap_section *sec = &s->sections.data[i];
		ASSERT(sec->container < s->containers.count && sec->name);
		ASSERT(sec->first <= s->symbols.count);
		ASSERT(sec->count <= s->symbols.count - sec->first);
		in_sections += sec->count;
		for (uint64_t k = sec->first; k < sec->first + sec->count; k++)
			ASSERT(s->symbols.data[k].section == i);
	}
	ASSERT(in_sections == s->symbols.count);
	for (size_t i = 0; i < s->symbols.count; i += s->symbols.data[i].alias_count) {
		ASSERT(s->symbols.data[i].alias_count > 0);
		aliases_check(s, i);
	}
}

void snapshot_finish(struct snapshot *s)
{
	snapshot_escape(s);
	const size_t count = s->symbols.count;
	struct sort_key *keys = mem_alloc((count + 1) * sizeof *keys);
	uint32_t *from = mem_alloc((count + 1) * sizeof *from);
	for (size_t i = 0; i < count; i++)
		keys[i] = snapshot_key_of(s, (uint32_t)i);
	qsort(keys, count, sizeof *keys, snapshot_compare_keys);
	for (size_t i = 0; i < count; i++)
		from[i] = keys[i].symbol;
	mem_free(keys);
	snapshot_move_symbols(s, from);
	mem_free(from);
	gather_sections(s);
	join_aliases(s);
	s->stored_padding = s->stored_padding || must_state_padding(s);
	if (HEFT_CHECKS)
		snapshot_verify(s);
}

void snapshot_place_sections(struct snapshot *s)
{
	gather_sections(s);
}
