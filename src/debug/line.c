/* line.c - executes the opcodes of line programs (DWARF 5, 6.2.5). */
#include "debug/line.h"

#include "debug/dwarf_const.h"
#include "debug/line_internal.h"
#include "debug/path.h"

void line_start_sequence(struct line_program *p)
{
	p->state = (struct line_row){
		.start = p->reader.pos, .file = 1, .line = 1, .is_stmt = p->default_is_stmt
	};
	p->hidden = false;
}

/* Returns the current row. Copies field by field: to copy the whole struct, the processor would
 * wait for the last stores to it. */
static inline void hand_out(struct line_program *p, struct line_row *ret)
{
	struct line_row *s = &p->state;
	const uint64_t off = p->reader.pos;
	*ret = (struct line_row){ .addr = s->addr,
				  .start = s->start,
				  .off = off,
				  .file = s->file,
				  .line = s->line,
				  .column = s->column,
				  .op_index = s->op_index,
				  .is_stmt = s->is_stmt };
	s->start = off;
	p->open = true;
}

static void hand_out_end(struct line_program *p, struct line_row *ret)
{
	hand_out(p, ret);
	ret->end_sequence = true;
	p->open = false;
}

/* Advances the address by n instructions, or on VLIW machines by n operations. */
static inline void line_advance(struct line_program *p, uint64_t n)
{
	struct line_row *s = &p->state;
	if (UNLIKELY(p->max_ops > 1)) {
		n += s->op_index;
		s->op_index = (uint8_t)(n % p->max_ops);
		n /= p->max_ops;
	}
	s->addr = (s->addr + n * p->min_inst_length) & p->addr_mask;
}

static inline unsigned divide_by_range(const struct line_program *p, unsigned n)
{
	return (n * p->reciprocal) >> 16;
}

/* Marks the program as damaged. It ends after the current opcode. */
static void line_give_up(struct line_program *p)
{
	p->reader.pos--;
	reader_fail(&p->reader);
}

static inline bool line_special(struct line_program *p, uint8_t op, struct line_row *ret)
{
	if (UNLIKELY(p->line_range == 0)) {
		line_give_up(p);
		return false;
	}
	const unsigned n = (unsigned)op - p->opcode_base;
	const unsigned step = divide_by_range(p, n);
	line_advance(p, step);
	p->state.line += (uint32_t)(p->line_base + (int)(n - step * p->line_range));
	if (UNLIKELY(p->hidden))
		return false;
	hand_out(p, ret);
	return true;
}

static uint32_t read_register(struct reader *r)
{
	return (uint32_t)min_u64(read_uleb(r), UINT32_MAX);
}

static bool standard(struct line_program *p, uint8_t op, struct line_row *ret)
{
	struct line_row *s = &p->state;
	struct reader *r = &p->reader;
	switch (op) {
	case DW_LNS_copy:
		if (p->hidden)
			return false;
		hand_out(p, ret);
		return true;
	case DW_LNS_advance_pc: line_advance(p, read_uleb(r)); return false;
	case DW_LNS_advance_line: s->line += (uint32_t)read_sleb(r); return false;
	case DW_LNS_set_file: s->file = read_register(r); return false;
	case DW_LNS_set_column: s->column = read_register(r); return false;
	case DW_LNS_negate_stmt: s->is_stmt = !s->is_stmt; return false;
	case DW_LNS_const_add_pc:
		if (p->line_range == 0)
			line_give_up(p);
		else
			line_advance(p, divide_by_range(p, 255u - p->opcode_base));
		return false;
	case DW_LNS_fixed_advance_pc:
		s->addr = (s->addr + read_u16(r)) & p->addr_mask;
		s->op_index = 0;
		return false;
	case DW_LNS_set_basic_block:
	case DW_LNS_set_prologue_end:
	case DW_LNS_set_epilogue_begin: return false;
	default:
		for (unsigned i = 0; i < p->opcode_lengths[op]; i++)
			(void)read_uleb(&p->reader);
		return false;
	}
}

/* Sets the address that the opcode at `start` states in `size` bytes. If a sequence was open,
 * stores the row that ends it in *ret, and returns true. */
static bool line_set_address(struct line_program *p, uint64_t start, uint64_t size,
			     struct line_row *ret)
{
	const bool readable = size >= 1 && size <= 8;
	const uint64_t addr = readable ? read_wide(&p->reader, (unsigned)size) : 0;
	if (!readable)
		note(p->dwarf->notes, p->dwarf->path, HEFT_NO_OFFSET, size,
		     "an address of %" PRIu64 " bytes in the line program at .debug_line+0x%" PRIx64
		     "; its rows are left out",
		     size, start);
	const bool gone = !readable || dwarf_is_tombstone(p->dwarf, addr, (uint8_t)size);
	const bool closes = gone && p->open;
	if (closes)
		hand_out_end(p, ret);
	if (p->hidden && !gone)
		p->state.start = start;
	p->hidden = gone;
	p->state.addr = addr & p->addr_mask;
	p->state.op_index = 0;
	return closes;
}

static bool extended(struct line_program *p, struct line_row *ret)
{
	struct reader *r = &p->reader;
	const uint64_t start = r->pos - 1;
	const uint64_t size = read_uleb(r);
	if (size > reader_left(r)) {
		reader_fail(r);
		return false;
	}
	if (size == 0) /* Padding */
		return false;
	const uint64_t end = r->pos + size;
	bool row = false;
	switch (read_u8(r)) {
	case DW_LNE_end_sequence:
		reader_seek(r, end);
		row = !p->hidden;
		if (row)
			hand_out_end(p, ret);
		line_start_sequence(p);
		return row;
	case DW_LNE_set_address: row = line_set_address(p, start, size - 1, ret); break;
	case DW_LNE_define_file: {
		struct reader file = *r;
		file.size = end;
		if (p->version < 5) /* Later versions have another opcode of this number */
			(void)line_read_file(p, &file);
		break;
	}
	default: break;
	}
	reader_seek(r, end);
	return row;
}

bool line_next(struct line_program *p, struct line_row *ret)
{
	while (reader_left(&p->reader) > 0) {
		const uint8_t op = read_u8(&p->reader);
		if (LIKELY(op >= p->opcode_base) ? line_special(p, op, ret)
		    : op == 0                    ? extended(p, ret)
						 : standard(p, op, ret))
			return true;
	}
	/* Ends the program: adds one note about all damage, and closes an open sequence. */
	const struct reader *r = &p->reader;
	const struct dwarf *d = p->dwarf;
	if (!reader_ok(r) && !p->noted) {
		p->noted = true;
		note(d->notes, d->path, HEFT_NO_OFFSET, r->size - r->bad,
		     "a line program is damaged at .debug_line+0x%" PRIx64, r->bad);
	}
	if (!p->open)
		return false;
	hand_out_end(p, ret);
	ASSERT(!p->open && ret->end_sequence);
	return true;
}

bool line_path(const struct line_program *p, uint64_t file, struct text *out)
{
	ASSERT(p->dirs.count > 0);
	text_set(out, STR(""));
	if (file >= p->files.count || p->files.data[file].name.len == 0)
		return false;
	const struct line_file *f = &p->files.data[file];
	const struct str base = p->dirs.data[0];
	if (f->dir == 0 || f->dir >= p->dirs.count)
		path_join(out, STR(""), base, f->name);
	else
		path_join(out, base, p->dirs.data[f->dir], f->name);
	return true;
}
