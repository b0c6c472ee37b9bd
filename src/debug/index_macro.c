/* index_macro.c - reports the references in macro information. */
#include "debug/form.h"
#include "debug/index.h"

enum {
	MACRO_OFFSETS_64 = 1, /* Flags of the header */
	MACRO_LINE = 2,
	MACRO_OPERANDS = 4,
};

/* Greatest number of operands of an opcode. More count as damage, because they would make entries
 * too slow to read. */
enum { FORMS_MAX = 64 };

/* The forms of an opcode's operands, in the header at `off`. `off` is 0 if it lists none */
struct macro_operands {
	uint64_t off, count;
};

struct macro {
	struct dwarf *dwarf;
	const struct macro_refs *refs;
	struct reader r;
	uint64_t off;
	uint16_t version;
	uint8_t flags, offset_size;
	uint64_t str_offsets_base;
	struct macro_operands operands[256]; /* Valid if flags has MACRO_OPERANDS */
};

/* Notes damage and returns false. `fmt` names the section by %s. It must be a literal, because
 * notes with the same literal are joined. */
static bool macro_damaged(struct dwarf *d, enum dw_section which, uint64_t off, const char *fmt)
{
	const uint64_t size = dwarf_bytes(d, which).size;
	note(d->notes, d->path, off, off < size ? size - off : 0, fmt, dw_section_name(which));
	return false;
}

/* Reads a part of the header: opcodes with the forms of their operands (DWARF 5, 6.3.1). */
static void read_operands(struct macro *m)
{
	struct reader *r = &m->r;
	memset(m->operands, 0, sizeof m->operands);
	for (unsigned count = read_u8(r); count > 0; count--) {
		const uint8_t opcode = read_u8(r);
		const uint64_t forms = read_uleb(r);
		m->operands[opcode] = (struct macro_operands){ r->pos, forms };
		if (forms > FORMS_MAX)
			reader_fail(r);
		read_skip(r, forms);
	}
}

static bool index_macro_read_header(struct macro *m)
{
	struct reader *r = &m->r;
	m->version = read_u16(r);
	m->flags = read_u8(r);
	m->offset_size = m->flags & MACRO_OFFSETS_64 ? 8 : 4;
	if (!reader_ok(r) || m->version < 4 || m->version > DW_VERSION_NEXT)
		return false;
	if (m->flags & MACRO_LINE) {
		const uint64_t line = read_uint(r, m->offset_size);
		if (reader_ok(r) && m->refs->line)
			m->refs->line(m->refs->ctx, line);
	}
	if (m->flags & MACRO_OPERANDS)
		read_operands(m);
	return reader_ok(r);
}

/* Skips the operands of an opcode that only the header describes. */
static void index_macro_skip_operands(struct macro *m, uint8_t opcode)
{
	struct reader *r = &m->r;
	if (!(m->flags & MACRO_OPERANDS) || m->operands[opcode].off == 0) {
		reader_fail(r);
		return;
	}
	const struct macro_operands *o = &m->operands[opcode];
	const struct form_sizes sizes = { m->version, 8, m->offset_size };
	struct value skipped;
	for (uint64_t i = 0; i < o->count && reader_ok(r); i++)
		value_read(r, r->base[o->off + i], sizes, &skipped);
}

static void refer_string(struct macro *m, uint64_t off)
{
	if (reader_ok(&m->r) && m->refs->string)
		m->refs->string(m->refs->ctx, DW_STR, off);
}

/* Reports the string with an index. A split unit states no base, so the first table is used. In
 * version 5, that table starts after a header. */
static void refer_strx(struct macro *m, uint64_t index)
{
	uint64_t base = m->str_offsets_base, off;
	if (base == DW_NO_OFFSET && m->dwarf->split)
		base = m->version < 5 ? 0 : m->offset_size == 8 ? 16 : 8;
	if (dwarf_entry(m->dwarf, DW_STR_OFFSETS, base, index, m->offset_size, &off))
		refer_string(m, off);
}

static void macro_entry(struct macro *m, uint8_t opcode)
{
	struct reader *r = &m->r;
	switch (opcode) {
	case DW_MACRO_define:
	case DW_MACRO_undef:
		(void)read_uleb(r);
		(void)read_cstr(r);
		break;
	case DW_MACRO_start_file:
		(void)read_uleb(r);
		(void)read_uleb(r);
		break;
	case DW_MACRO_end_file: break;
	case DW_MACRO_define_strp:
	case DW_MACRO_undef_strp:
		(void)read_uleb(r);
		refer_string(m, read_uint(r, m->offset_size));
		break;
	case DW_MACRO_import: {
		const uint64_t off = read_uint(r, m->offset_size);
		if (reader_ok(r) && m->refs->import)
			m->refs->import(m->refs->ctx, off);
		break;
	}
	case DW_MACRO_define_sup: /* A string in .debug_str of the supplementary file */
	case DW_MACRO_undef_sup:
		(void)read_uleb(r);
		read_skip(r, m->offset_size);
		break;
	case DW_MACRO_import_sup: read_skip(r, m->offset_size); break;
	case DW_MACRO_define_strx:
	case DW_MACRO_undef_strx:
		(void)read_uleb(r);
		refer_strx(m, read_uleb(r));
		break;
	default: index_macro_skip_operands(m, opcode); break;
	}
}

static bool walk_macro(struct macro *m, uint64_t *ret_size)
{
	struct reader *r = &m->r;
	if (!index_macro_read_header(m))
		return macro_damaged(m->dwarf, DW_MACRO, m->off, "%s: a header is damaged");
	for (;;) {
		const uint64_t at = r->pos;
		const uint8_t opcode = read_u8(r);
		if (opcode == 0 && reader_ok(r))
			break;
		if (reader_ok(r))
			macro_entry(m, opcode);
		if (!reader_ok(r))
			return macro_damaged(m->dwarf, DW_MACRO, at, "%s: an entry is damaged");
	}
	*ret_size = r->pos - m->off;
	return true;
}

/* Walks .debug_macinfo (DWARF 4, 6.3.1), which refers to no other section. False if damaged. */
static bool walk_macinfo(struct dwarf *d, uint64_t off, uint64_t *ret_size)
{
	struct reader r = dwarf_reader(d, DW_MACINFO);
	reader_seek(&r, off);
	for (;;) {
		const uint64_t at = r.pos;
		const uint8_t type = read_u8(&r);
		if (type == 0 && reader_ok(&r))
			break;
		if (type != DW_MACINFO_end_file)
			(void)read_uleb(&r);
		if (type == DW_MACINFO_start_file)
			(void)read_uleb(&r);
		else if (type != DW_MACINFO_end_file)
			(void)read_cstr(&r);
		if (type > DW_MACINFO_end_file && type != DW_MACINFO_vendor_ext)
			reader_fail(&r);
		if (!reader_ok(&r))
			return macro_damaged(d, DW_MACINFO, at, "%s: an entry is damaged");
	}
	*ret_size = r.pos - off;
	return true;
}

bool macro_walk(struct dwarf *d, enum dw_section which, uint64_t off, uint64_t str_offsets_base,
		const struct macro_refs *refs, uint64_t *ret_size)
{
	ASSERT(which == DW_MACRO || which == DW_MACINFO);
	if (which == DW_MACINFO)
		return walk_macinfo(d, off, ret_size);
	struct macro m;
	m.dwarf = d;
	m.refs = refs;
	m.r = dwarf_reader(d, DW_MACRO);
	m.off = off;
	m.str_offsets_base = str_offsets_base;
	reader_seek(&m.r, off);
	return walk_macro(&m, ret_size);
}
