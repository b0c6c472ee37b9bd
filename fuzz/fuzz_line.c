/* Line programs.  The first byte: bit 0 byte order, bit 1 code at address 0, bits 2-4 the unit's
 * address size less 1.  Two bytes (lowest first) say how many of the rest are .debug_line; the
 * others are .debug_str, .debug_line_str and .debug_str_offsets all in one. */
#include "base/text.h"
#include "debug/line.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct sums {
	uint64_t rows, files, sum;
};

static void check_row(const struct line_program *p, const struct line_row *row, uint64_t off)
{
	ASSERT(row->start >= off && row->off >= row->start && row->off <= p->off + p->size);
	ASSERT(p->address_size >= 8 || row->addr >> (8 * p->address_size) == 0);
	ASSERT(row->op_index == 0 || row->op_index < p->max_ops);
}

static void read_rows(struct line_program *p, struct sums *s)
{
	struct line_row row = { .end_sequence = true };
	uint64_t off = p->off + p->header_size, rows = 0;
	ASSERT(off <= p->off + p->size);
	while (line_next(p, &row)) {
		check_row(p, &row, off);
		off = row.off;
		s->sum = s->sum * 31 + row.addr + row.line + row.file + row.column;
		rows++;
	}
	/* A row takes a byte, but for the end of a sequence that the program leaves open. */
	ASSERT(row.end_sequence && rows <= p->size + 1 && !line_next(p, &row));
	s->rows += rows;
}

static void read_paths(const struct line_program *p)
{
	struct text path = { 0 };
	for (uint64_t i = 0; i <= p->files.count; i++) {
		const bool found = line_path(p, i, &path);
		ASSERT(found ? i < p->files.count : path.len == 0);
		if (!found)
			continue;
		const struct line_file *f = &p->files.data[i];
		const size_t dir = f->dir < p->dirs.count ? p->dirs.data[f->dir].len : 0;
		ASSERT(path.len <= p->dirs.data[0].len + dir + f->name.len + 2);
	}
	text_release(&path);
}

static bool read_program(struct dwarf *d, uint64_t *off, uint8_t address_size, struct sums *s)
{
	struct line_program p;
	if (!line_open(&p, d, *off, address_size, STR("/c"), 8)) {
		ASSERT(!p.dirs.data && !p.files.data);
		return false;
	}
	ASSERT(p.size > 0 && p.off == *off && p.size <= d->bytes[DW_LINE].size - *off);
	read_rows(&p, s);
	read_paths(&p);
	ASSERT(p.dirs.count <= p.size + 1 && p.files.count <= p.size + 1);
	s->files += p.files.count;
	*off += p.size;
	line_release(&p);
	return true;
}

static void give(struct dwarf *d, enum dw_section which, struct bytes bytes)
{
	d->bytes[which] = bytes;
	d->loaded[which] = true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 3)
		return 0;
	const struct bytes all = { data + 3, size - 3 };
	const uint64_t line_size = min_u64(data[1] | (uint64_t)data[2] << 8, all.size);
	const struct bytes texts = bytes_sub(all, line_size, all.size - line_size);
	const uint8_t address_size = (uint8_t)(1 + (data[0] >> 2 & 7));
	struct dwarf d = { .path = "f", .big_endian = data[0] & 1, .zero_is_code = data[0] & 2 };
	struct sums sums = { 0 };
	give(&d, DW_LINE, bytes_sub(all, 0, line_size));
	give(&d, DW_STR, texts);
	give(&d, DW_LINE_STR, texts);
	give(&d, DW_STR_OFFSETS, texts);
	for (uint64_t off = 0; off < line_size;) {
		/* What lies behind a program does not matter. */
		struct sums whole = { 0 }, cut = { 0 };
		uint64_t end = off, again = off;
		if (!read_program(&d, &end, address_size, &whole))
			break;
		struct dwarf clipped = d;
		give(&clipped, DW_LINE, bytes_sub(all, 0, end));
		ASSERT(read_program(&clipped, &again, address_size, &cut) && again == end);
		ASSERT(whole.rows == cut.rows && whole.files == cut.files && whole.sum == cut.sum);
		sums.rows += whole.rows;
		off = end;
	}
	ASSERT(sums.rows <= 2 * line_size);
	return 0;
}
