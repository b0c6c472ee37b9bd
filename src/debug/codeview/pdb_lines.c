/* Reads the line tables of a module of a PDB. */
#include "debug/codeview/pdb_lines.h"

#include "base/sort.h"
#include "debug/codeview/codeview.h"

/* Reads the list of files. An entry: the name's offset in the database's texts, a checksum. */
static void pdb_lines_read_files(struct pdb_lines *l, struct reader r)
{
	while (reader_left(&r) >= 6) {
		struct pdb_file f = { .off = r.pos, .name = STR("") };
		const uint32_t name = read_u32(&r);
		const uint8_t size = read_u8(&r);
		read_skip(&r, 1 + (uint64_t)size);
		if (!bytes_cstr(l->pdb->names, name, &f.name))
			l->damaged += 4;
		vec_push(&l->files, f);
		reader_seek(&r, min_u64(align_up(r.pos, 4), r.size));
	}
}

/* Returns the file's number in the line program, by the offset of its checksum. 0 if unknown. */
static uint32_t pdb_lines_file_number(const struct pdb_lines *l, uint32_t off)
{
	const size_t i = lower_bound(l->files.data, l->files.count, sizeof *l->files.data, off);
	return i < l->files.count && l->files.data[i].off == off ? (uint32_t)i + 1 : 0;
}

static void pdb_lines_add_row(struct pdb_lines *l, uint64_t addr, uint64_t end,
			      struct line_origin place)
{
	vec_push(&l->rows, (struct flat_range){ addr, end, (uint32_t)l->places.count });
	vec_push(&l->places, place);
}

/* Reads the lines of one file in a function. A line is an offset in the code, then the line number
 * in 24 bits. Numbers from 0xf00f00 on are hints for debuggers, not lines. */
static void pdb_lines_read_block(struct pdb_lines *l, uint64_t base, struct reader *r)
{
	enum { LINE_MASK = 0xffffff, NO_LINE = 0xf00f00 };
	const uint64_t start = r->pos;
	const uint32_t file = pdb_lines_file_number(l, read_u32(r));
	const uint32_t count = read_u32(r);
	const uint32_t size = read_u32(r);
	for (uint32_t i = 0; i < count && reader_left(r) >= 8; i++) {
		const uint32_t off = read_u32(r);
		const uint32_t line = read_u32(r) & LINE_MASK;
		pdb_lines_add_row(l, base + off, 0,
				  (struct line_origin){ file, line < NO_LINE ? line : 0 });
	}
	if (size < 12 || size > r->size - start)
		reader_fail(r);
	else
		reader_seek(r, start + size);
}

/* Reads the rows of one function or of a part of it. A row is valid until the next one. */
static void pdb_lines_read_code(struct pdb_lines *l, struct reader r)
{
	const size_t first = l->rows.count;
	uint64_t base;
	const uint32_t off = read_u32(&r);
	const uint16_t section = read_u16(&r);
	read_skip(&r, 2);
	const uint32_t size = read_u32(&r);
	if (!reader_ok(&r) || !pdb_rva(l->pdb, section, off, &base))
		return;
	while (reader_left(&r) >= 12)
		pdb_lines_read_block(l, base, &r);
	if (l->rows.count == first)
		return;
	sort_by_key(l->rows.data + first, l->rows.count - first, sizeof *l->rows.data);
	uint64_t end = base + size;
	for (size_t i = l->rows.count; i-- > first;) {
		l->rows.data[i].end = end;
		end = min_u64(end, l->rows.data[i].addr);
	}
}

static void read_inlinees(struct pdb_lines *l, struct reader r)
{
	const bool more = read_u32(&r) == 1; /* True if entries list more files than the first */
	while (reader_left(&r) >= 12) {
		struct pdb_inlinee f = { .id = read_u32(&r) };
		f.place.file = pdb_lines_file_number(l, read_u32(&r));
		f.place.line = read_u32(&r);
		if (more)
			read_skip(&r, 4 * (uint64_t)read_u32(&r));
		vec_push(&l->inlinees, f);
	}
}

struct pdb_inlinee *pdb_lines_inlinee(struct pdb_lines *l, uint32_t id)
{
	const size_t i = lower_bound(l->inlinees.data, l->inlinees.count, sizeof *l->inlinees.data,
				     id);
	return i < l->inlinees.count && l->inlinees.data[i].id == id ? &l->inlinees.data[i] : NULL;
}

/* Reads a number of 7, 14 or 29 bits. The top bits of the first byte give the length. */
static uint32_t pdb_lines_read_packed(struct reader *r)
{
	const uint32_t a = read_u8(r);
	if (a < 0x80)
		return a;
	const uint32_t b = read_u8(r);
	if (a < 0xc0)
		return (a & 0x3f) << 8 | b;
	const uint32_t c = read_u8(r), d = read_u8(r);
	return (a & 0x1f) << 24 | b << 16 | c << 8 | d;
}

/* Returns a signed number whose lowest bit is the sign. */
static uint32_t unpack_signed(uint32_t v)
{
	return v & 1 ? 0 - (v >> 1) : v >> 1;
}

enum annotation {
	CODE_OFFSET = 1,
	CODE_OFFSET_BASE,
	CHANGE_OFFSET,
	CHANGE_LENGTH,
	CHANGE_FILE,
	CHANGE_LINE,
	LINE_END,
	RANGE_KIND,
	COLUMN_START,
	COLUMN_END_DELTA,
	CHANGE_OFFSET_AND_LINE,
	CHANGE_LENGTH_AND_OFFSET,
	COLUMN_END,
};

struct inlining {
	struct pdb_lines *lines;
	uint64_t base;
	uint32_t off; /* Offset of the last row from `base` */
	struct line_origin place;
	bool open; /* True while the end of the last row is unknown */
};

static void close_row(struct inlining *s)
{
	if (s->open)
		s->lines->rows.data[s->lines->rows.count - 1].end = s->base + s->off;
	s->open = false;
}

static void begin_row(struct inlining *s, uint32_t delta)
{
	s->off += delta;
	close_row(s);
	pdb_lines_add_row(s->lines, s->base + s->off, s->base + s->off, s->place);
	s->open = true;
}

static void pdb_lines_apply(struct inlining *s, enum annotation what, struct reader *r)
{
	const uint32_t v = pdb_lines_read_packed(r);
	if (!reader_ok(r))
		return;
	switch (what) {
	case CODE_OFFSET:
	case CHANGE_OFFSET: begin_row(s, v); return;
	case CODE_OFFSET_BASE: s->base += v; return;
	case CHANGE_LENGTH:
		s->off += v;
		close_row(s);
		return;
	case CHANGE_FILE: s->place.file = pdb_lines_file_number(s->lines, v); return;
	case CHANGE_LINE: s->place.line += unpack_signed(v); return;
	case CHANGE_OFFSET_AND_LINE:
		s->place.line += unpack_signed(v >> 4);
		begin_row(s, v & 0xf);
		return;
	case CHANGE_LENGTH_AND_OFFSET:
		begin_row(s, pdb_lines_read_packed(r));
		s->lines->rows.data[s->lines->rows.count - 1].end += v;
		s->open = false;
		return;
	default: return;
	}
}

void pdb_lines_inline(struct pdb_lines *l, const struct pdb_inlinee *f, uint64_t base,
		      struct reader annotations)
{
	struct inlining s = { .lines = l, .base = base, .place = f->place };
	struct reader *r = &annotations;
	while (reader_left(r) > 0) {
		const uint32_t what = pdb_lines_read_packed(r);
		if (what == 0 || what > COLUMN_END)
			return;
		pdb_lines_apply(&s, (enum annotation)what, r);
	}
}

/* Calls `read` for each part of `c13` that has the wanted kind. */
static void each(struct pdb_lines *l, struct bytes c13, uint32_t wanted,
		 void (*read)(struct pdb_lines *l, struct reader r))
{
	struct reader r = reader_of(c13, false);
	while (reader_left(&r) >= 8) {
		const uint32_t kind = read_u32(&r), size = read_u32(&r);
		const struct reader sub = read_sub(&r, size);
		if (!reader_ok(&r)) {
			l->damaged += r.size - r.bad;
			return;
		}
		if (kind == wanted)
			read(l, sub);
		reader_seek(&r, min_u64(align_up(r.pos, 4), r.size));
	}
}

void pdb_lines_read(struct pdb_lines *l, const struct pdb *p, struct bytes c13)
{
	memset(l, 0, sizeof *l);
	l->pdb = p;
	each(l, c13, DEBUG_S_FILECHKSMS, pdb_lines_read_files);
	each(l, c13, DEBUG_S_LINES, pdb_lines_read_code);
	each(l, c13, DEBUG_S_INLINEELINES, read_inlinees);
	sort_by_key(l->rows.data, l->rows.count, sizeof *l->rows.data);
	sort_by_key(l->inlinees.data, l->inlinees.count, sizeof *l->inlinees.data);
	ASSERT(l->rows.count <= UINT32_MAX);
}

void pdb_lines_release(struct pdb_lines *l)
{
	vec_release_all(&l->files, &l->inlinees, &l->rows, &l->places);
}

struct line_origin pdb_lines_find(const struct pdb_lines *l, size_t first, size_t end,
				  uint64_t addr)
{
	const size_t i = upper_bound(l->rows.data + first, end - first, sizeof *l->rows.data, addr);
	const struct flat_range *row = i > 0 ? &l->rows.data[first + i - 1] : NULL;
	return row && addr < row->end ? l->places.data[row->who] : (struct line_origin){ 0, 0 };
}
