/* kallsyms_made.h - hand-assembled tables of a kernel's symbols, in each layout. */
#ifndef HEFT_TESTS_KALLSYMS_MADE_H
#define HEFT_TESTS_KALLSYMS_MADE_H

#include "blob.h"
#include "runtime/kallsyms.h"

#include <stdio.h>

/* More than 256, so that there is a second marker. */
enum { KERNEL_SYMBOLS = 300, KERNEL_STEP = 16, KERNEL_PER_CPU = 3 };

/* Where the table stands in memory. */
#define KERNEL_TABLE UINT64_C(0xffffffff82000000)

struct kernel_layout {
	enum kallsyms_form form;
	unsigned width;
	bool big_endian;
	bool order;        /* the order of the names is there */
	bool behind;       /* addresses stand behind the rest: Linux 6.5 */
	bool wide_markers; /* as wide as pointers: Linux 4 */
	uint64_t text;
};

static const struct kernel_layout kernel_layouts[] = {
	{ KALLSYMS_SIGNED, 8, false, true, false, false, 0xffffffff81000000 },
	{ KALLSYMS_SIGNED, 8, false, false, true, false, 0xffffffff81000000 },
	{ KALLSYMS_RELATIVE, 8, false, false, true, false, 0xffff800010000000 },
	{ KALLSYMS_RELATIVE, 4, true, false, false, false, 0xc0100000 },
	{ KALLSYMS_WHOLE, 8, true, false, false, true, 0xc000000000100000 },
	{ KALLSYMS_WHOLE, 4, false, false, false, false, 0xc1000000 },
	{ KALLSYMS_PLACE, 8, false, true, true, false, 0xffffffff81000000 },
};

/* The first few of signed ones are addresses from 0 on. */
static inline uint64_t kernel_address(const struct kernel_layout *l, unsigned i)
{
	if (l->form == KALLSYMS_SIGNED && i < KERNEL_PER_CPU)
		return i * KERNEL_STEP;
	return l->text + i * KERNEL_STEP;
}

/* Bytes of the count, and what parts begin at multiples of. */
static inline unsigned kernel_unit(const struct kernel_layout *l)
{
	return l->form == KALLSYMS_PLACE ? 4 : l->width;
}

static inline void kernel_align(struct blob *b, const struct kernel_layout *l)
{
	blob_zeros(b, -b->size % kernel_unit(l));
}

static inline void kernel_addresses(struct blob *b, const struct kernel_layout *l)
{
	for (unsigned i = 0; i < KERNEL_SYMBOLS; i++) {
		const uint64_t addr = kernel_address(l, i);
		if (l->form == KALLSYMS_WHOLE)
			blob_uint(b, addr, l->width);
		else if (l->form == KALLSYMS_PLACE)
			blob_u32(b, addr - KERNEL_TABLE - b->size);
		else if (l->form == KALLSYMS_RELATIVE || i < KERNEL_PER_CPU)
			blob_u32(b, l->form == KALLSYMS_RELATIVE ? addr - l->text : addr);
		else
			blob_u32(b, l->text - 1 - addr);
	}
	kernel_align(b, l);
	if (l->form != KALLSYMS_WHOLE && l->form != KALLSYMS_PLACE)
		blob_uint(b, l->text, l->width);
}

static inline void kernel_order(struct blob *b)
{
	for (unsigned i = 0; i < KERNEL_SYMBOLS; i++) {
		blob_u8(b, 0);
		blob_u8(b, i >> 8);
		blob_u8(b, i & 255);
	}
}

/* "func_" and a number; the text is one piece, of which the number is 128. */
static inline void kernel_name(struct blob *b, unsigned i)
{
	char digits[8];
	const int n = snprintf(digits, sizeof digits, "%u", i);
	blob_u8(b, (uint64_t)n + 2);
	blob_u8(b, i % 2 == 0 ? 'T' : 't');
	blob_u8(b, 128);
	for (int k = 0; k < n; k++)
		blob_u8(b, (uint8_t)digits[k]);
}

static inline void kernel_pieces(struct blob *b, const struct kernel_layout *l)
{
	uint64_t starts[KALLSYMS_PIECES];
	const uint64_t first = b->size;
	for (unsigned i = 0; i < KALLSYMS_PIECES; i++) {
		const char text[] = { i < 128 ? (char)i : '\0', '\0' };
		starts[i] = b->size - first;
		blob_text(b, i == 128 ? "func_" : text);
	}
	kernel_align(b, l);
	for (unsigned i = 0; i < KALLSYMS_PIECES; i++)
		blob_uint(b, starts[i], 2);
	kernel_align(b, l);
}

/* 64 bytes of something else, then the table. */
static inline void kernel_table(struct blob *b, const struct kernel_layout *l)
{
	uint64_t markers[2], names;
	*b = (struct blob){ .big_endian = l->big_endian };
	for (unsigned i = 0; i < 64; i++)
		blob_u8(b, i + 1);
	if (!l->behind)
		kernel_addresses(b, l);
	if (l->form == KALLSYMS_PLACE)
		blob_u32(b, 0); /* so that the table begins at no multiple of 8 */
	blob_uint(b, KERNEL_SYMBOLS, kernel_unit(l));
	names = b->size;
	for (unsigned i = 0; i < KERNEL_SYMBOLS; i++) {
		if (i % 256 == 0)
			markers[i / 256] = b->size - names;
		kernel_name(b, i);
	}
	kernel_align(b, l);
	for (unsigned i = 0; i < 2; i++)
		blob_uint(b, markers[i], l->wide_markers ? l->width : 4);
	kernel_align(b, l);
	if (l->order && !l->behind)
		kernel_order(b);
	kernel_align(b, l);
	kernel_pieces(b, l);
	if (l->behind)
		kernel_addresses(b, l);
	if (l->order && l->behind)
		kernel_order(b);
}

#endif
