/* Writes numbers, unit headers and line programs of DWARF. */
#include "debug/write/dwarf_write.h"

#include "debug/dwarf_const.h"

const struct dwarf_form dwarf_form_64 = { .address_size = 8, .quantum = 1 };

void put_sleb(struct text *t, int64_t v)
{
	const uint64_t sign = v < 0 ? UINT64_MAX : 0;
	uint64_t left = (uint64_t)v;
	for (bool last = false; !last;) {
		const uint8_t low = left & 0x7f;
		left = left >> 7 | sign << 57;
		last = left == sign && ((low & 0x40) != 0) == (v < 0);
		text_add_char(t, (char)(last ? low : low | 0x80));
	}
}

static unsigned shift_of(const struct dwarf_form *f, unsigned i, unsigned width)
{
	return 8 * (f->big_endian ? width - 1 - i : i);
}

void put_fixed(struct text *t, const struct dwarf_form *f, uint64_t v, unsigned width)
{
	ASSERT(width > 0 && width <= 8);
	for (unsigned i = 0; i < width; i++)
		text_add_char(t, (char)(v >> shift_of(f, i, width)));
}

void put_addr(struct text *t, const struct dwarf_form *f, uint64_t addr)
{
	put_fixed(t, f, addr, f->address_size);
}

void put_range(struct text *t, const struct dwarf_form *f, uint64_t addr, uint64_t end)
{
	put_addr(t, f, addr);
	put_addr(t, f, end);
}

void put_length(struct text *t, const struct dwarf_form *f, size_t at)
{
	ASSERT(at + 4 <= t->len);
	const uint64_t size = t->len - at - 4;
	for (unsigned i = 0; i < 4; i++)
		t->p[at + i] = (char)(size >> shift_of(f, i, 4));
}

/* Writes a unit's header and returns its offset. DWARF 4, 7.5.1.1; DWARF 5, 7.5.1.1. */
size_t put_unit_header(struct text *t, const struct dwarf_form *f, unsigned version)
{
	const size_t at = t->len;
	put_uint(t, 0, 4);
	put_fixed(t, f, version, 2);
	if (version >= 5) {
		put_uint(t, DW_UT_compile, 1);
		put_uint(t, f->address_size, 1);
	}
	put_uint(t, 0, 4); /* Offset of the abbreviations. */
	if (version < 5)
		put_uint(t, f->address_size, 1);
	return at;
}

static const uint8_t abbreviations[] = {
	/* clang-format off */
	MADE_UNIT, DW_TAG_compile_unit, 1, DW_AT_name, DW_FORM_string, DW_AT_comp_dir,
	DW_FORM_string, DW_AT_language, DW_FORM_udata, DW_AT_stmt_list, DW_FORM_sec_offset,
	DW_AT_low_pc, DW_FORM_addr, DW_AT_ranges, DW_FORM_sec_offset, 0, 0,
	MADE_ABSTRACT, DW_TAG_subprogram, 0, DW_AT_name, DW_FORM_string, DW_AT_linkage_name,
	DW_FORM_string, DW_AT_decl_file, DW_FORM_udata, DW_AT_decl_line, DW_FORM_udata,
	DW_AT_inline, DW_FORM_data1, 0, 0,
	MADE_FUNCTION, DW_TAG_subprogram, 1, DW_AT_name, DW_FORM_string, DW_AT_linkage_name,
	DW_FORM_string, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4, 0, 0,
	MADE_PIECES, DW_TAG_subprogram, 1, DW_AT_abstract_origin, DW_FORM_ref4, DW_AT_ranges,
	DW_FORM_sec_offset, 0, 0,
	MADE_INLINED, DW_TAG_inlined_subroutine, 1, DW_AT_abstract_origin, DW_FORM_ref4,
	DW_AT_ranges, DW_FORM_sec_offset, DW_AT_call_file, DW_FORM_udata, DW_AT_call_line,
	DW_FORM_udata, DW_AT_call_column, DW_FORM_udata, 0, 0,
	MADE_TYPE, DW_TAG_base_type, 0, DW_AT_byte_size, DW_FORM_udata, 0, 0,
	MADE_VARIABLE, DW_TAG_variable, 0, DW_AT_name, DW_FORM_string, DW_AT_location,
	DW_FORM_exprloc, 0, 0,
	MADE_TYPED, DW_TAG_variable, 0, DW_AT_type, DW_FORM_ref4, DW_AT_decl_file,
	DW_FORM_udata, DW_AT_decl_line, DW_FORM_udata, DW_AT_location, DW_FORM_exprloc, 0, 0,
	0,
	/* clang-format on */
};

void dwarf_made_init(struct dwarf_made *m, const struct dwarf_form *form)
{
	ASSERT(form->address_size == 4 || form->address_size == 8);
	*m = (struct dwarf_made){ .form = *form };
	text_add(&m->abbrev, (struct str){ (const char *)abbreviations, sizeof abbreviations });
}

void dwarf_made_release(struct dwarf_made *m)
{
	text_release(&m->info);
	text_release(&m->abbrev);
	text_release(&m->line);
	text_release(&m->ranges);
}

void made_unit(struct dwarf_made *m, struct str name, struct str comp_dir, uint64_t language,
	       uint64_t line)
{
	m->unit = put_unit_header(&m->info, &m->form, 4);
	put_uint(&m->info, MADE_UNIT, 1);
	put_cstr(&m->info, name);
	put_cstr(&m->info, comp_dir);
	text_add_varint(&m->info, language);
	put_fixed(&m->info, &m->form, line, 4);
	put_addr(&m->info, &m->form, 0);
	put_fixed(&m->info, &m->form, m->ranges.len, 4);
}

void made_unit_end(struct dwarf_made *m)
{
	put_uint(&m->info, 0, 1);
	put_length(&m->info, &m->form, m->unit);
}

uint32_t made_abstract(struct dwarf_made *m, struct str name, struct str linkage,
		       struct line_origin decl)
{
	ASSERT(m->info.len > m->unit);
	const uint32_t at = (uint32_t)(m->info.len - m->unit);
	put_uint(&m->info, MADE_ABSTRACT, 1);
	put_cstr(&m->info, name);
	put_cstr(&m->info, linkage);
	text_add_varint(&m->info, decl.file);
	text_add_varint(&m->info, decl.line);
	put_uint(&m->info, 1, 1);
	return at;
}

void made_inlined(struct dwarf_made *m, uint32_t abstract, struct line_origin call, uint32_t column)
{
	ASSERT(abstract < m->info.len - m->unit);
	put_uint(&m->info, MADE_INLINED, 1);
	put_fixed(&m->info, &m->form, abstract, 4);
	put_fixed(&m->info, &m->form, m->ranges.len, 4);
	text_add_varint(&m->info, call.file);
	text_add_varint(&m->info, call.line);
	text_add_varint(&m->info, column);
}

void put_location(struct text *t, const struct dwarf_form *f, uint64_t addr)
{
	put_uint(t, 1 + f->address_size, 1);
	put_uint(t, DW_OP_addr, 1);
	put_addr(t, f, addr);
}

/* Parameters of the line programs that heft writes (DWARF 5, 6.2.4). Opcodes from OPCODE_BASE to
 * 255 are "special": one byte advances both address and line. It adds a number from LINE_BASE to
 * LINE_BASE + LINE_RANGE - 1 to the line. */
enum { LINE_BASE = -5, LINE_RANGE = 14, OPCODE_BASE = 13 };

void put_line_form(struct text *t, const struct dwarf_form *f)
{
	static const uint8_t operands[OPCODE_BASE - 1] = { 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1 };
	put_uint(t, f->quantum, 1);
	put_uint(t, 1, 1); /* Operations per instruction */
	put_uint(t, 1, 1); /* Rows begin statements */
	put_uint(t, (uint8_t)LINE_BASE, 1);
	put_uint(t, LINE_RANGE, 1);
	put_uint(t, OPCODE_BASE, 1);
	text_add(t, (struct str){ (const char *)operands, sizeof operands });
}

size_t put_line_header(struct text *t, const struct dwarf_form *f)
{
	const size_t at = t->len;
	put_uint(t, 0, 4);
	put_fixed(t, f, 5, 2); /* Version */
	put_uint(t, f->address_size, 1);
	put_uint(t, 0, 1); /* Size of a segment selector: none */
	put_uint(t, 0, 4);
	put_line_form(t, f);
	text_add(t, (struct str){ "\1\1\x08\1\0", 5 });
	return at;
}

void line_writer_start(struct line_writer *p, uint64_t addr)
{
	p->addr = addr;
	p->file = p->line = 1;
	put_uint(p->out, 0, 1);
	text_add_varint(p->out, 1 + p->form->address_size);
	put_uint(p->out, DW_LNE_set_address, 1);
	put_addr(p->out, p->form, addr);
}

static void put_advance(struct line_writer *p, uint64_t addr)
{
	if (addr == p->addr)
		return;
	put_uint(p->out, DW_LNS_advance_pc, 1);
	text_add_varint(p->out, (addr - p->addr) / p->form->quantum);
	p->addr = addr;
}

void line_writer_row(struct line_writer *p, uint64_t addr, uint32_t file, uint32_t line)
{
	ASSERT(addr >= p->addr && p->form->quantum > 0);
	const int64_t lines = (int64_t)line - p->line - LINE_BASE;
	const uint64_t steps = (addr - p->addr) / p->form->quantum;
	if (p->file != file) {
		put_uint(p->out, DW_LNS_set_file, 1);
		text_add_varint(p->out, file);
	}
	if (lines >= 0 && lines < LINE_RANGE &&
	    steps <= (uint64_t)(255 - OPCODE_BASE - lines) / LINE_RANGE) {
		put_uint(p->out, (uint64_t)lines + LINE_RANGE * steps + OPCODE_BASE, 1);
	} else {
		put_uint(p->out, DW_LNS_advance_line, 1);
		put_sleb(p->out, (int64_t)line - p->line);
		put_advance(p, addr);
		put_uint(p->out, DW_LNS_copy, 1);
	}
	p->addr = addr;
	p->file = file;
	p->line = line;
}

void line_writer_end(struct line_writer *p, uint64_t end)
{
	put_advance(p, end);
	put_uint(p->out, 0, 1);
	put_uint(p->out, 1, 1);
	put_uint(p->out, DW_LNE_end_sequence, 1);
}

/* Writes the header of a line program. DWARF 4, 6.2.4. */
static void dwarf_write_put_header(struct text *out, const struct line_rows *l)
{
	put_uint(out, 4, 2); /* Version */
	const size_t at = out->len;
	put_uint(out, 0, 4);
	put_line_form(out, &dwarf_form_64);
	put_uint(out, 0, 1); /* Directories */
	for (size_t i = 0; i < l->file_count; i++) {
		const struct str name = l->files[i];
		put_cstr(out, name.len > 0 ? name : STR("?"));
		put_uint(out, 0, 3); /* Directory, time, size */
	}
	put_uint(out, 0, 1);
	put_length(out, &dwarf_form_64, at);
}

void line_write(struct text *out, const struct line_rows *l, uint64_t base)
{
	struct line_writer p = { .out = out, .form = &dwarf_form_64 };
	struct flat flat = { 0 };
	uint64_t end = 0;
	bool open = false;
	const size_t at = out->len;
	put_uint(out, 0, 4);
	dwarf_write_put_header(out, l);
	flat_lay(&flat, l->rows, l->row_count);
	ASSERT(l->row_count > 0 || flat.spans.count == 0);
	vec_each(const struct flat_span, span, &flat.spans) {
		const struct line_origin *origin = &l->origins[span->who];
		if (open && span->addr != end)
			line_writer_end(&p, base + end);
		if (!open || span->addr != end)
			line_writer_start(&p, base + span->addr);
		open = true;
		line_writer_row(&p, base + span->addr, origin->file, origin->line);
		end = span->addr + span->size;
	}
	if (open)
		line_writer_end(&p, base + end);
	put_length(out, &dwarf_form_64, at);
	flat_release(&flat);
}
