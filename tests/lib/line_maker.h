/* line_maker.h - line programs written by hand: header, tables and opcodes into a blob, then what
 * heft reads of them. */
#ifndef HEFT_TESTS_LINE_MAKER_H
#define HEFT_TESTS_LINE_MAKER_H

#include "base/text.h"
#include "blob.h"
#include "debug/dwarf_const.h"
#include "debug/line.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define ADDR 0x60 /* fits one byte of address and is no tombstone */

enum { ROWS = 64 };

/* What a program's header says; zeros are what gcc says. */
struct shape {
	uint16_t version;
	uint8_t offset_size, address_size, min_inst, max_ops, line_range, opcode_base;
	int8_t line_base;
	bool big_endian;
};

/* A program being written, then what came out of it. */
struct maker {
	struct shape s;
	struct blob b;
	uint64_t start, lengths_end, body;
	struct dwarf d;
	struct notes notes;
	struct line_program p;
	struct line_row rows[ROWS];
	size_t count;
};

static const uint8_t operands[] = { 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1 };

static inline void uleb(struct maker *m, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		blob_u8(&m->b, (v & 0x7f) | 0x80);
	blob_u8(&m->b, v);
}

static inline void op(struct maker *m, uint8_t code)
{
	blob_u8(&m->b, code);
}

static inline void op_with(struct maker *m, uint8_t code, uint64_t v)
{
	op(m, code);
	uleb(m, v);
}

static inline void extended(struct maker *m, uint8_t code, uint64_t size)
{
	op(m, 0);
	uleb(m, size + 1);
	op(m, code);
}

static inline void set_address(struct maker *m, uint64_t addr)
{
	extended(m, DW_LNE_set_address, m->s.address_size);
	for (unsigned i = 0; i < m->s.address_size; i++)
		op(m, (uint8_t)(addr >> 8 * (m->s.big_endian ? m->s.address_size - 1u - i : i)));
}

static inline void end_sequence(struct maker *m)
{
	extended(m, DW_LNE_end_sequence, 0);
}

static inline struct shape usual(struct shape s)
{
	s.offset_size = s.offset_size ? s.offset_size : 4;
	s.address_size = s.address_size ? s.address_size : 8;
	s.min_inst = s.min_inst ? s.min_inst : 1;
	s.max_ops = s.max_ops ? s.max_ops : 1;
	s.line_base = s.line_base ? s.line_base : -5;
	s.line_range = s.line_range ? s.line_range : 14;
	s.opcode_base = s.opcode_base ? s.opcode_base : 13;
	return s;
}

/* Up to the tables. */
static inline void begin(struct maker *m, struct shape shape)
{
	struct blob *b = &m->b;
	const struct shape s = m->s = usual(shape);
	b->big_endian = s.big_endian;
	m->start = b->size;
	if (s.offset_size == 8)
		blob_u32(b, UINT32_MAX);
	blob_uint(b, 0, s.offset_size);
	blob_uint(b, s.version, 2);
	if (s.version >= 5) {
		op(m, s.address_size);
		op(m, 0);
	}
	blob_uint(b, 0, s.offset_size);
	m->lengths_end = b->size;
	op(m, s.min_inst);
	if (s.version >= 4)
		op(m, s.max_ops);
	op(m, 1);
	op(m, (uint8_t)s.line_base);
	op(m, s.line_range);
	op(m, s.opcode_base);
	for (unsigned i = 0; i + 1 < s.opcode_base; i++)
		op(m, i < COUNT_OF(operands) ? operands[i] : 2);
}

/* Behind the tables. */
static inline void body(struct maker *m)
{
	m->body = m->b.size;
	blob_patch(&m->b, m->lengths_end - m->s.offset_size, m->body - m->lengths_end,
		   m->s.offset_size);
}

/* No names at all, and where the code begins. */
static inline void begin_plain(struct maker *m, struct shape s)
{
	begin(m, s);
	blob_zeros(&m->b, s.version >= 5 ? 4 : 2);
	body(m);
	set_address(m, ADDR);
}

static inline void end(struct maker *m)
{
	const uint64_t at = m->start + (m->s.offset_size == 8 ? 4 : 0);
	blob_patch(&m->b, at, m->b.size - at - m->s.offset_size, m->s.offset_size);
}

static inline void give(struct maker *m, enum dw_section which, struct bytes bytes)
{
	m->d.bytes[which] = bytes;
	m->d.size[which] = bytes.size;
	m->d.loaded[which] = true;
}

static inline bool try_open(struct maker *m, uint64_t size)
{
	if (!m->d.notes)
		notes_init(&m->notes);
	m->d.path = "test";
	m->d.big_endian = m->s.big_endian;
	m->d.notes = &m->notes;
	give(m, DW_LINE, bytes_sub(blob_bytes(&m->b), 0, size));
	m->count = 0;
	return line_open(&m->p, &m->d, m->start, m->s.address_size, STR("/comp"), 8);
}

static inline void read_rows(struct maker *m)
{
	struct line_row row;
	uint64_t off = m->p.off + m->p.header_size;
	while (line_next(&m->p, &row)) {
		assert_true(row.start >= off && row.off >= row.start);
		off = row.off;
		assert_true(m->count < ROWS);
		m->rows[m->count++] = row;
	}
	assert_true(off <= m->p.off + m->p.size);
	assert_false(line_next(&m->p, &row));
}

static inline void open_and_read(struct maker *m)
{
	end(m);
	assert_true(try_open(m, m->b.size));
	read_rows(m);
}

static inline void done(struct maker *m)
{
	line_release(&m->p);
	notes_release(&m->notes);
	m->d.notes = NULL;
	m->b.size = 0;
}

static inline void expect_row(const struct maker *m, size_t i, uint64_t addr, uint32_t line)
{
	assert_true(i < m->count);
	assert_int_equal(m->rows[i].addr, addr);
	assert_int_equal(m->rows[i].line, line);
	assert_int_equal(m->rows[i].end_sequence, i + 1 == m->count);
}

static inline void expect_note(const struct maker *m, const char *part)
{
	for (size_t i = 0; i < m->notes.count; i++)
		if (strstr(m->notes.data[i].text, part)) {
			assert_int_equal(m->notes.data[i].count, 1);
			return;
		}
	fail_msg("no note says %s", part);
}

static inline void expect_path(const struct maker *m, uint64_t file, const char *want)
{
	struct text path = { 0 };
	assert_int_equal(line_path(&m->p, file, &path), want[0] != '\0');
	assert_true(str_eq(text_str(&path), str_of(want)));
	text_release(&path);
}

static inline void a_sequence(struct maker *m, uint64_t addr, uint32_t line)
{
	set_address(m, addr);
	op_with(m, DW_LNS_advance_line, line - 1);
	op(m, DW_LNS_copy);
	op_with(m, DW_LNS_advance_pc, 1);
	op(m, 13 + 5 + 14);
	end_sequence(m);
}

#endif
