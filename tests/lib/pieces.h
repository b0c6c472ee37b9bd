/* pieces.h - tables for debug/index.h written byte by byte, and the pieces made of them.
 *
 * A set is a table behind length and version.  Includes cmocka. */
#ifndef HEFT_TESTS_PIECES_H
#define HEFT_TESTS_PIECES_H

#include "blob.h"
#include "debug/dwarf_const.h"
#include "debug/index.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

struct table {
	struct blob blob;
	uint8_t offset_size;
	uint64_t length_at; /* of the set being written */
	struct dwarf dwarf;
	struct notes notes;
	struct index_piece pieces[64];
	size_t count;
	uint64_t end, covered;
};

static inline void table_init(struct table *t, bool big_endian, uint8_t offset_size)
{
	memset(t, 0, sizeof *t);
	t->blob.big_endian = t->dwarf.big_endian = big_endian;
	t->offset_size = offset_size;
	t->dwarf.path = "test";
	notes_init(&t->notes);
	t->dwarf.notes = &t->notes;
}

static inline void set_begin(struct table *t, unsigned version)
{
	if (t->offset_size == 8)
		blob_u32(&t->blob, UINT32_MAX);
	t->length_at = t->blob.size;
	blob_uint(&t->blob, 0, t->offset_size);
	blob_uint(&t->blob, version, 2);
}

static inline void set_end(struct table *t)
{
	blob_patch(&t->blob, t->length_at, t->blob.size - t->length_at - t->offset_size,
		   t->offset_size);
}

static inline void offset(struct table *t, uint64_t v)
{
	blob_uint(&t->blob, v, t->offset_size);
}

static inline void section(struct table *t, enum dw_section which, struct bytes bytes)
{
	t->dwarf.bytes[which] = bytes;
	t->dwarf.size[which] = bytes.size;
	t->dwarf.loaded[which] = true;
}

static inline void keep(void *ctx, const struct index_piece *p)
{
	struct table *t = ctx;
	assert_true(p->size > 0 && p->off >= t->end);
	assert_true(t->count < COUNT_OF(t->pieces));
	t->pieces[t->count++] = *p;
	t->end = p->off + p->size;
	t->covered += p->size;
}

static inline void start(struct table *t, enum dw_section which)
{
	section(t, which, blob_bytes(&t->blob));
	t->count = 0;
	t->end = t->covered = 0;
}

static inline void check_end(struct table *t, size_t count, uint64_t missing, size_t notes)
{
	assert_int_equal(t->count, count);
	assert_int_equal(t->covered, t->blob.size - missing);
	assert_true(t->end <= t->blob.size);
	assert_int_equal(t->notes.count, notes);
	notes_release(&t->notes);
}

#define CHECK(t, i, size_, about_, value_)                                                         \
	do {                                                                                       \
		assert_int_equal((t)->pieces[i].about, about_);                                    \
		assert_int_equal((t)->pieces[i].value, value_);                                    \
		assert_int_equal((t)->pieces[i].size, size_);                                      \
	} while (0)

#define EACH_SHAPE(big, width)                                                                     \
	for (int big = 0; big < 2; big++)                                                          \
		for (uint8_t width = 4; width <= 8; width = (uint8_t)(width + 4))

/* Bytes of length field and version. */
static inline uint64_t head(uint8_t offset_size)
{
	return offset_size == 8 ? 14 : 6;
}

#endif
