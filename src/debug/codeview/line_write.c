#include "debug/codeview/line_write.h"

#include "debug/dwarf_const.h"

enum { VERSION = 4, ADDRESS_SIZE = 8, OPCODE_BASE = 13 };

/* DWARF 4, 6.2.4. */
static void put_header(struct text *out, const struct line_rows *l)
{
	static const uint8_t operands[OPCODE_BASE - 1] = { 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1 };
	put_uint(out, VERSION, 2);
	const size_t at = out->len;
	put_uint(out, 0, 4);
	put_uint(out, 1, 1); /* bytes of the smallest instruction */
	put_uint(out, 1, 1); /* operations in one */
	put_uint(out, 1, 1); /* rows are statements */
	put_uint(out, 0, 1); /* line base, line range: special opcodes are not used */
	put_uint(out, 1, 1);
	put_uint(out, OPCODE_BASE, 1);
	text_add(out, (struct str){ (const char *)operands, sizeof operands });
	put_uint(out, 0, 1); /* directories */
	for (size_t i = 0; i < l->file_count; i++) {
		const struct str name = l->files[i];
		put_cstr(out, name.len > 0 ? name : STR("?"));
		put_uint(out, 0, 3); /* directory, time, size */
	}
	put_uint(out, 0, 1);
	put_length(out, at);
}

static void put_signed(struct text *t, int64_t v)
{
	for (;;) {
		const uint8_t low = (uint64_t)v & 0x7f;
		v = (v - low) / 128;
		const bool last = (v == 0 && !(low & 0x40)) || (v == -1 && low & 0x40);
		text_add_char(t, (char)(last ? low : low | 0x80));
		if (last)
			return;
	}
}

/* What the machine of line programs knows (DWARF 4, 6.2.2). */
struct state {
	uint64_t addr;
	uint32_t file, line;
};

static void put_advance(struct text *out, struct state *s, uint64_t addr)
{
	if (addr == s->addr)
		return;
	put_uint(out, DW_LNS_advance_pc, 1);
	text_add_varint(out, addr - s->addr);
	s->addr = addr;
}

static void put_end(struct text *out, struct state *s, uint64_t addr)
{
	put_advance(out, s, addr);
	put_uint(out, 0, 1);
	put_uint(out, 1, 1);
	put_uint(out, DW_LNE_end_sequence, 1);
}

static void put_start(struct text *out, struct state *s, uint64_t addr)
{
	*s = (struct state){ addr, 1, 1 };
	put_uint(out, 0, 1);
	put_uint(out, 1 + ADDRESS_SIZE, 1);
	put_uint(out, DW_LNE_set_address, 1);
	put_uint(out, addr, ADDRESS_SIZE);
}

static void put_row(struct text *out, struct state *s, const struct line_origin *p)
{
	if (p->file != s->file) {
		put_uint(out, DW_LNS_set_file, 1);
		text_add_varint(out, p->file);
	}
	if (p->line != s->line) {
		put_uint(out, DW_LNS_advance_line, 1);
		put_signed(out, (int64_t)p->line - s->line);
	}
	put_uint(out, DW_LNS_copy, 1);
	s->file = p->file;
	s->line = p->line;
}

void line_write(struct text *out, const struct line_rows *l, uint64_t base)
{
	struct flat flat = { 0 };
	struct state s = { 0 };
	uint64_t end = 0;
	bool open = false;
	const size_t at = out->len;
	put_uint(out, 0, 4);
	put_header(out, l);
	flat_lay(&flat, l->rows, l->row_count);
	for (size_t i = 0; i < flat.spans.count; i++) {
		const struct flat_span *span = &flat.spans.data[i];
		if (open && span->addr != end)
			put_end(out, &s, base + end);
		if (!open || span->addr != end)
			put_start(out, &s, base + span->addr);
		open = true;
		put_advance(out, &s, base + span->addr);
		put_row(out, &s, &l->origins[span->who]);
		end = span->addr + span->size;
	}
	if (open)
		put_end(out, &s, base + end);
	put_length(out, at);
	flat_release(&flat);
}
