/* Recognizes the linker of a map file, runs its parser, and opens and releases maps. */
#include "linkmap/linkmap_internal.h"

/* Limit of a map's size. A section or piece takes at least eight bytes of text, so their numbers
 * stay below LINKMAP_NONE. */
#define SIZE_LIMIT (UINT64_C(16) << 30)

/* Number of lines to search for a heading. A file without one in them is not a map. */
enum { FIRST_LINES = 8 };

static void (*const parsers[])(struct map_maker *m) = {
	[LINKMAP_GNU] = linkmap_gnu_parse,   [LINKMAP_GOLD] = linkmap_gold_parse,
	[LINKMAP_LLD] = linkmap_lld_parse,   [LINKMAP_MOLD] = linkmap_mold_parse,
	[LINKMAP_LD64] = linkmap_ld64_parse, [LINKMAP_MSVC] = linkmap_msvc_parse,
};

static bool linkmap_has(struct str line, const char *word)
{
	return str_find(line, str_of(word)) < line.len;
}

/* Tells GNU ld from gold by the heading of the memory map. False if the map has no such heading. */
static bool tell_gnu_from_gold(struct map_maker *m, enum linkmap_linker *ret)
{
	do {
		if (str_eq(m->line, STR("Memory map"))) {
			*ret = LINKMAP_GOLD;
			return true;
		}
		if (str_eq(m->line, STR("Memory Configuration")) ||
		    str_eq(m->line, STR("Linker script and memory map"))) {
			*ret = LINKMAP_GNU;
			return true;
		}
	} while (map_next_line(m));
	return false;
}

static bool is_ld_heading(struct str line)
{
	static const char *const headings[] = {
		"Archive member included ", "Allocating common symbols",
		"Discarded input sections", "Merging program properties",
		"As-needed library ",       "Memory map",
		"Memory Configuration",     "Linker script and memory map",
	};
	for (size_t i = 0; i < COUNT_OF(headings); i++)
		if (str_starts(line, str_of(headings[i])))
			return true;
	return false;
}

/* Finds the linker by a heading line. False for other lines. With `ret` NULL, only tells that. */
static bool line_tells(struct map_maker *m, enum linkmap_linker *ret)
{
	enum linkmap_linker any;
	const bool begins = ret == NULL;
	struct str s = m->line;
	if (begins)
		ret = &any;
	map_skip_blanks(&s);
	if ((str_starts(s, STR("VMA ")) || str_starts(s, STR("Address "))) &&
	    linkmap_has(s, " Align Out ")) {
		const bool mold = s.p[0] == 'V' && !linkmap_has(s, " LMA ");
		*ret = mold ? LINKMAP_MOLD : LINKMAP_LLD;
		return true;
	}
	if (str_starts(m->line, STR("# Path: "))) {
		*ret = LINKMAP_LD64;
		return true;
	}
	if (str_starts(m->line, STR(" Timestamp is ")) ||
	    str_starts(m->line, STR(" Preferred load address is "))) {
		*ret = LINKMAP_MSVC;
		return true;
	}
	return is_ld_heading(m->line) && (begins || tell_gnu_from_gold(m, ret));
}

/* Finds the linker, and moves `m` back to the first line of the map. False if not found. */
static bool detect(struct map_maker *m, enum linkmap_linker *ret)
{
	for (unsigned i = 0; i < FIRST_LINES; i++) {
		const uint64_t start = m->r.pos, number = m->line_number;
		if (!map_next_line(m))
			return false;
		if (line_tells(m, ret)) {
			reader_seek(&m->r, start);
			m->line_number = number;
			return true;
		}
	}
	return false;
}

bool linkmap_begins(struct bytes head)
{
	struct map_maker m = { .r = reader_of(head, false) };
	return detect(&m, NULL);
}

/* Asserts that indexes and names are in range. O(pieces + symbols). */
static void linkmap_verify(const struct linkmap *lm)
{
	vec_each(const struct linkmap_section, s, &lm->sections) {
		ASSERT(s->first_piece <= lm->pieces.count);
		ASSERT(s->piece_count <= lm->pieces.count - s->first_piece);
	}
	vec_each(const struct linkmap_piece, p, &lm->pieces) {
		ASSERT(p->section < lm->sections.count);
		ASSERT(p->object == LINKMAP_NONE || p->object < lm->objects.entries.count);
		ASSERT(p->name_off <= lm->bytes.size &&
		       p->name_len <= lm->bytes.size - p->name_off);
	}
	vec_each(const struct linkmap_symbol, s, &lm->symbols) {
		ASSERT(s->piece == LINKMAP_NONE || s->piece < lm->pieces.count);
		ASSERT(s->addr <= UINT64_MAX - s->size);
	}
}

static bool linkmap_parse_bytes(struct linkmap *lm, const char *path, struct bytes bytes,
				bool mapped, struct notes *notes, struct heft_err *err)
{
	struct map_maker m = { .lm = lm,
			       .path = path,
			       .notes = notes,
			       .r = reader_of(bytes, false),
			       .mapped = mapped,
			       .section = LINKMAP_NONE,
			       .piece = LINKMAP_NONE,
			       .tls_start = UINT64_MAX };
	if (bytes.size > SIZE_LIMIT)
		return fail(err, HEFT_ELIMIT, HEFT_NO_OFFSET,
			    "%s: the linker map is larger than 16 GiB", path);
	lm->bytes = bytes;
	if (!detect(&m, &lm->linker))
		return linkmap_begins(bytes)
			       ? fail(err, HEFT_EFORMAT, m.r.size,
				      "%s:%" PRIu64 ": the linker map ends before its memory map",
				      path, m.line_number)
			       : fail(err, HEFT_EFORMAT, 0, "%s is no linker map", path);
	parsers[lm->linker](&m);
	map_finish(&m);
	if (HEFT_CHECKS)
		linkmap_verify(lm);
	return true;
}

bool linkmap_parse(struct linkmap *lm, const char *path, struct bytes bytes, struct notes *notes,
		   struct heft_err *err)
{
	memset(lm, 0, sizeof *lm);
	if (linkmap_parse_bytes(lm, path, bytes, false, notes, err))
		return true;
	linkmap_release(lm);
	return false;
}

bool linkmap_adopt(struct linkmap *lm, const struct file *f, struct notes *notes,
		   struct heft_err *err)
{
	memset(lm, 0, sizeof *lm);
	lm->file = *f;
	if (linkmap_parse_bytes(lm, f->path, f->bytes, file_is_mapped(f), notes, err))
		return true;
	linkmap_release(lm);
	return false;
}

bool linkmap_section_is(const struct linkmap *lm, const struct linkmap_section *s, struct str name,
			uint64_t addr, uint64_t size)
{
	/* Usual and greatest alignment of sections in a PE file, in bytes */
	enum { ALIGN = 512, ALIGN_MOST = 4096 };
	const bool fits = s->size == size || (lm->rounded && s->size % ALIGN == 0 &&
					      s->size > size && s->size - size < ALIGN_MOST);
	return fits && s->addr == addr && str_eq(linkmap_text(lm, s->name), name);
}

uint32_t linkmap_find_section(const struct linkmap *lm, struct str name, uint64_t addr,
			      uint64_t size)
{
	for (size_t i = 0; i < lm->sections.count; i++)
		if (linkmap_section_is(lm, &lm->sections.data[i], name, addr, size))
			return (uint32_t)i;
	return LINKMAP_NONE;
}

void linkmap_release(struct linkmap *lm)
{
	vec_release_all(&lm->regions, &lm->sections, &lm->pieces, &lm->symbols, &lm->commons,
			&lm->discarded);
	intern_release(&lm->objects);
	file_close(&lm->file);
	memset(lm, 0, sizeof *lm);
}
