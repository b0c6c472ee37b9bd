/* Builds the model of a linker map: adds sections, pieces and symbols, sorts them, clips
 * overlaps. */
#include "linkmap/linkmap_internal.h"

#include "base/sort.h"
#include <ctype.h>

/* True if the vector can take one more element with a u32 index below LINKMAP_NONE. */
#define HAS_ROOM(v) ((v)->count < LINKMAP_NONE)

struct linkmap_text map_text(const struct map_maker *m, struct str s)
{
	if (s.len == 0)
		return (struct linkmap_text){ 0, 0 };
	ASSERT((const uint8_t *)s.p >= m->r.base);
	const uint64_t off = (uint64_t)((const uint8_t *)s.p - m->r.base);
	ASSERT(off <= m->r.size && s.len <= m->r.size - off);
	return (struct linkmap_text){ off, (uint32_t)min_u64(s.len, UINT32_MAX) };
}

uint8_t map_log2(uint64_t align)
{
	const bool power = align != 0 && (align & (align - 1)) == 0;
	return power ? (uint8_t)__builtin_ctzll(align) : LINKMAP_NO_ALIGN;
}

/* Returns the id of an object path. First compares the last path, because adjacent pieces usually
 * come from one object. */
uint32_t map_object(struct map_maker *m, struct str path)
{
	struct text scratch[2] = { { 0 } };
	if (path.len == 0)
		return LINKMAP_NONE;
	if (!m->object.p || !str_eq(path, m->object)) {
		const struct str name = linkmap_object_name(path, &scratch[0], &scratch[1]);
		m->object_id = intern_add(&m->lm->objects, name);
		m->object = path;
		text_release(&scratch[0]);
		text_release(&scratch[1]);
	}
	return m->object_id;
}

enum linkmap_kind map_kind(struct str name)
{
	if (str_eq(name, STR("COMMON")) || str_eq(name, STR("LARGE_COMMON")) ||
	    str_eq(name, STR(".common")) || str_eq(name, STR(".tls_common")))
		return LINKMAP_COMMON;
	/* True for GCC's and Clang's names of mergeable sections: ".rodata.main.str1.1",
	 * ".rodata.cst16". */
	struct str stem = name;
	while (stem.len > 0 && ((stem.p[stem.len - 1] >= '0' && stem.p[stem.len - 1] <= '9') ||
				stem.p[stem.len - 1] == '.'))
		stem.len--;
	const bool mergeable = stem.len < name.len &&
			       (str_ends(stem, STR(".str")) || str_ends(stem, STR(".cst")));
	if (str_eq(name, STR(".comment")) || str_eq(name, STR(".debug_str")) ||
	    str_eq(name, STR(".debug_line_str")) || mergeable)
		return LINKMAP_MERGED;
	return LINKMAP_OBJECT;
}

struct linkmap_section *map_add_section(struct map_maker *m, struct str name, uint64_t addr,
					uint64_t size)
{
	struct linkmap *lm = m->lm;
	const bool tls = str_starts(name, STR(".tdata")) || str_starts(name, STR(".tbss"));
	ASSERT(HAS_ROOM(&lm->sections));
	m->section = (uint32_t)lm->sections.count;
	m->piece = LINKMAP_NONE;
	if (tls && m->tls_start == UINT64_MAX)
		m->tls_start = addr;
	vec_push(&lm->sections, (struct linkmap_section){ .addr = addr,
							  .size = size,
							  .load_addr = addr,
							  .name = map_text(m, name),
							  .align_log2 = LINKMAP_NO_ALIGN,
							  .tls = tls });
	return &lm->sections.data[m->section];
}

static struct linkmap_piece make_piece(struct map_maker *m, enum linkmap_kind kind, struct str name,
				       struct str object)
{
	const struct linkmap_text text = map_text(m, name);
	return (struct linkmap_piece){ .name_off = text.off,
				       .name_len = text.len,
				       .object = map_object(m, object),
				       .section = m->section,
				       .kind = (uint8_t)kind,
				       .align_log2 = LINKMAP_NO_ALIGN };
}

struct linkmap_piece *map_add_piece(struct map_maker *m, enum linkmap_kind kind, struct str name,
				    uint64_t addr, uint64_t size, struct str object)
{
	struct linkmap *lm = m->lm;
	m->piece = LINKMAP_NONE;
	if (m->section == LINKMAP_NONE) {
		map_odd_line(m, "a piece of no section");
		return NULL;
	}
	ASSERT(HAS_ROOM(&lm->pieces) && m->section < lm->sections.count);
	struct linkmap_piece p = make_piece(m, kind, name, object);
	p.addr = addr;
	p.size = size;
	p.input_size = size;
	m->piece = (uint32_t)lm->pieces.count;
	vec_push(&lm->pieces, p);
	return &lm->pieces.data[m->piece];
}

void map_add_discarded(struct map_maker *m, struct str name, uint64_t size, struct str object)
{
	struct linkmap_piece p = make_piece(m, map_kind(name), name, object);
	p.input_size = size;
	p.section = LINKMAP_NONE;
	vec_push(&m->lm->discarded, p);
}

static struct linkmap_symbol make_symbol(struct map_maker *m, struct str name, uint64_t addr)
{
	const struct linkmap_text text = map_text(m, name);
	return (struct linkmap_symbol){ addr, 0, text.off, text.len, LINKMAP_NONE };
}

void map_add_loose(struct map_maker *m, struct str name, uint64_t addr)
{
	vec_push(&m->loose, make_symbol(m, name, addr));
}

void map_add_symbol(struct map_maker *m, struct str name, uint64_t addr, uint64_t size)
{
	if (m->piece == LINKMAP_NONE) {
		map_add_loose(m, name, addr);
		return;
	}
	const struct linkmap_piece *p = &m->lm->pieces.data[m->piece];
	/* lld and gold print a TLS symbol as an offset in the TLS image. */
	if (m->lm->sections.data[p->section].tls) {
		const uint64_t moved = add_sat(m->tls_start, addr);
		const bool inside = addr >= p->addr && addr - p->addr <= p->size;
		if (!inside && moved >= p->addr && moved - p->addr <= p->size)
			addr = moved;
	}
	struct linkmap_symbol s = make_symbol(m, name, addr);
	s.size = min_u64(size, UINT64_MAX - s.addr);
	s.piece = m->piece;
	ASSERT(s.piece < m->lm->pieces.count);
	vec_push(&m->lm->symbols, s);
}

/* Parses "NAME = ", "NAME += " and so on, and moves *s after it. False for other text. */
static bool take_assignment(struct str *s, struct str *ret_name)
{
	size_t n = 0;
	while (n < s->len && (isalnum((unsigned char)s->p[n]) || memchr("_.$", s->p[n], 3)))
		n++;
	*ret_name = (struct str){ s->p, n };
	struct str rest = map_cut(*s, n);
	map_skip_blanks(&rest);
	if (rest.len > 1 && memchr("+-*/&|^", rest.p[0], 7) && rest.p[1] == '=')
		rest = map_cut(rest, 1);
	if (n == 0 || !map_take(&rest, STR("=")) || str_starts(rest, STR("=")))
		return false;
	map_skip_blanks(&rest);
	*s = rest;
	return true;
}

static bool take_wrapper(struct str *s)
{
	static const char *const words[] = { "PROVIDE_HIDDEN", "PROVIDE", "HIDDEN" };
	for (size_t i = 0; i < COUNT_OF(words); i++) {
		struct str rest = *s;
		if (!map_take(&rest, str_of(words[i])))
			continue;
		map_skip_blanks(&rest);
		if (!map_take(&rest, STR("(")))
			continue;
		map_skip_blanks(&rest);
		*s = rest;
		return true;
	}
	return false;
}

bool map_script_text(struct map_maker *m, struct str text, uint64_t addr)
{
	struct str name;
	const bool wrapped = take_wrapper(&text);
	if (!take_assignment(&text, &name))
		return wrapped || str_starts(text, STR("ASSERT (")) ||
		       str_starts(text, STR("ASSERT("));
	text = map_trim_end(text);
	if (!str_eq(name, STR(".")) && str_eq(text, wrapped ? STR(".)") : STR(".")))
		map_add_loose(m, name, addr);
	return true;
}

/* Sort key of a piece or symbol, and its index. sort_by_key() sorts these, not the structs. */
struct linkmap_build_place {
	uint64_t key;
	uint64_t index;
};

static void linkmap_build_sort_symbols(struct linkmap *lm)
{
	const size_t count = lm->symbols.count;
	struct linkmap_build_place *places = mem_zeroed(count + 1, sizeof *places);
	struct linkmap_symbol *sorted = mem_zeroed(count + 1, sizeof *sorted);
	for (size_t i = 0; i < count; i++)
		places[i] = (struct linkmap_build_place){ lm->symbols.data[i].piece, i };
	sort_by_key(places, count, sizeof *places);
	for (size_t i = 0; i < count; i++)
		sorted[i] = lm->symbols.data[places[i].index];
	mem_free_all(places, lm->symbols.data);
	lm->symbols.data = sorted;
	lm->symbols.cap = count + 1;
}

/* Sorts pieces by section, then by address, with two stable sorts. Renumbers the pieces of symbols,
 * and sorts the symbols. Most maps are in order already. */
static void sort_pieces(struct linkmap *lm)
{
	const size_t count = lm->pieces.count;
	const struct linkmap_piece *given = lm->pieces.data;
	size_t ordered = count > 0;
	while (ordered < count && (given[ordered - 1].section < given[ordered].section ||
				   (given[ordered - 1].section == given[ordered].section &&
				    given[ordered - 1].addr <= given[ordered].addr)))
		ordered++;
	if (ordered == count)
		return;
	struct linkmap_build_place *places = mem_zeroed(count + 1, sizeof *places);
	struct linkmap_piece *sorted = mem_zeroed(count + 1, sizeof *sorted);
	uint32_t *moved_to = mem_zeroed(count + 1, sizeof *moved_to);
	for (size_t i = 0; i < count; i++)
		places[i] = (struct linkmap_build_place){ lm->pieces.data[i].addr, i };
	sort_by_key(places, count, sizeof *places);
	for (size_t i = 0; i < count; i++)
		places[i].key = lm->pieces.data[places[i].index].section;
	sort_by_key(places, count, sizeof *places);
	for (size_t i = 0; i < count; i++) {
		sorted[i] = lm->pieces.data[places[i].index];
		moved_to[places[i].index] = (uint32_t)i;
	}
	for (size_t i = 0; i < lm->symbols.count; i++)
		lm->symbols.data[i].piece = moved_to[lm->symbols.data[i].piece];
	mem_free_all(moved_to, places, lm->pieces.data);
	lm->pieces.data = sorted;
	lm->pieces.cap = count + 1;
	linkmap_build_sort_symbols(lm);
}

/* Clips each piece at the start of the next piece with a size, from the last piece to the first.
 * GNU ld prints merged pieces with their sizes before merging. */
static void cut_pieces(const struct linkmap *lm, const struct linkmap_section *s)
{
	uint64_t end = s->addr + s->size;
	for (uint32_t i = s->piece_count; i-- > 0;) {
		struct linkmap_piece *p = &lm->pieces.data[s->first_piece + i];
		const bool inside = p->addr >= s->addr && p->addr < end;
		p->size = inside ? min_u64(p->size, end - p->addr) : 0;
		if (p->size > 0)
			end = p->addr;
	}
}

static void linkmap_build_list_pieces(struct map_maker *m)
{
	struct linkmap *lm = m->lm;
	uint32_t next = 0;
	for (size_t i = 0; i < lm->sections.count; i++) {
		struct linkmap_section *s = &lm->sections.data[i];
		if (s->size > UINT64_MAX - s->addr) {
			note(m->notes, m->path, s->name.off, s->size,
			     "a section of the linker map goes beyond the last address");
			s->size = UINT64_MAX - s->addr;
		}
		if (s->size > UINT64_MAX - s->load_addr)
			s->load_addr = s->addr;
		s->first_piece = next;
		while (next < lm->pieces.count && lm->pieces.data[next].section == i)
			next++;
		s->piece_count = next - s->first_piece;
		cut_pieces(lm, s);
	}
}

void map_finish(struct map_maker *m)
{
	struct linkmap *lm = m->lm;
	sort_pieces(lm);
	linkmap_build_list_pieces(m);
	vec_reserve(&lm->symbols, m->loose.count);
	for (size_t i = 0; i < m->loose.count; i++)
		lm->symbols.data[lm->symbols.count++] = m->loose.data[i];
	vec_release(&m->loose);
}
