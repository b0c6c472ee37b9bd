/* pclntab_made.h - hand-assembled tables of Go's functions, in each layout and byte order. */
#ifndef HEFT_TESTS_PCLNTAB_MADE_H
#define HEFT_TESTS_PCLNTAB_MADE_H

#include "blob.h"
#include "runtime/pclntab.h"
#include "image/build.h"
#include "image/elf/elf_const.h"

enum { TEXT = 0x401000, FIRST_SIZE = 40, ROOM = 64, SECOND_SIZE = 16 };

static const uint32_t layout_magics[] = { 0xfffffffb, 0xfffffffa, 0xfffffff0, 0xfffffff1 };

struct made {
	struct blob b;
	enum pclntab_layout layout;
	size_t names, values, files, units, funcs; /* where these begin */
	size_t records[2];
};

static inline void align(struct made *m)
{
	blob_zeros(&m->b, -m->b.size % 8);
}

/* "main.main", "main.run"; a table of values of 40 bytes of code and one of 16; a file. */
static inline void put_tables(struct made *m)
{
	static const uint8_t values[] = { 0, 2, 8, 4, 32, 0, 2, 16, 0 };
	m->names = m->b.size;
	blob_text(&m->b, "main.main");
	blob_text(&m->b, "main.run");
	m->values = m->b.size;
	for (size_t i = 0; i < sizeof values; i++)
		blob_u8(&m->b, values[i]);
	m->files = m->b.size;
	blob_text(&m->b, "main.go");
	align(m);
	m->units = m->b.size;
	if (m->layout == PCLNTAB_2)
		blob_u32(&m->b, 2);
	blob_u32(&m->b, (uint32_t)(m->layout == PCLNTAB_2 ? m->files : 0));
	align(m);
}

static inline void put_record(struct made *m, unsigned i)
{
	const uint32_t base = m->layout == PCLNTAB_2 ? (uint32_t)m->values : 0;
	const uint32_t values = base + (i == 0 ? 1 : 6);
	const uint64_t addr = i * ROOM + (m->layout >= PCLNTAB_18 ? 0 : TEXT);
	m->records[i] = m->b.size;
	if (m->layout >= PCLNTAB_18)
		blob_u32(&m->b, (uint32_t)addr);
	else
		blob_u64(&m->b, addr);
	blob_u32(&m->b, (uint32_t)((m->layout == PCLNTAB_2 ? m->names : 0) + i * 10));
	blob_u32(&m->b, 0);
	blob_u32(&m->b, 0);
	for (unsigned k = 0; k < 3; k++)
		blob_u32(&m->b, values);
	blob_u32(&m->b, 1); /* further tables */
	if (m->layout != PCLNTAB_2)
		blob_u32(&m->b, 0);
	if (m->layout == PCLNTAB_20)
		blob_u32(&m->b, 7);
	blob_u32(&m->b, m->b.big_endian ? 1 : 1u << 24); /* pieces of data */
	blob_u32(&m->b, values);
	if (m->layout < PCLNTAB_18)
		align(m);
	if (m->layout >= PCLNTAB_18)
		blob_u32(&m->b, 0x20);
	else
		blob_u64(&m->b, 0x20);
}

static inline void put_list(struct made *m)
{
	const unsigned width = m->layout >= PCLNTAB_18 ? 4 : 8;
	m->funcs = m->b.size;
	blob_zeros(&m->b, 5 * width);
	if (m->layout == PCLNTAB_2)
		blob_u32(&m->b, 0); /* where the files are */
	align(m);
}

static inline void fill_list(struct made *m)
{
	const unsigned width = m->layout >= PCLNTAB_18 ? 4 : 8;
	const uint64_t text = m->layout >= PCLNTAB_18 ? 0 : TEXT;
	const uint64_t base = m->layout == PCLNTAB_2 ? 0 : m->funcs;
	for (unsigned i = 0; i < 3; i++)
		blob_patch(&m->b, m->funcs + 2 * i * width, text + i * ROOM, width);
	for (unsigned i = 0; i < 2; i++)
		blob_patch(&m->b, m->funcs + (2 * i + 1) * width, m->records[i] - base, width);
}

static inline void make(struct made *m, enum pclntab_layout layout, bool big_endian)
{
	*m = (struct made){ .b = { .big_endian = big_endian }, .layout = layout };
	blob_u32(&m->b, layout_magics[layout]);
	blob_u8(&m->b, 0);
	blob_u8(&m->b, 0);
	blob_u8(&m->b, 1);
	blob_u8(&m->b, 8);
	blob_u64(&m->b, 2);
	const size_t header = m->b.size;
	for (unsigned i = 0; layout != PCLNTAB_2 && i < 7; i++)
		blob_u64(&m->b, 0);
	if (layout == PCLNTAB_2)
		put_list(m);
	put_tables(m);
	if (layout != PCLNTAB_2)
		put_list(m);
	put_record(m, 0);
	put_record(m, 1);
	fill_list(m);
	if (layout == PCLNTAB_2) {
		blob_patch(&m->b, m->funcs + 40, m->units, 4);
		return;
	}
	const uint64_t words[] = { 1, TEXT, m->names, m->units, m->files, m->values, m->funcs };
	const size_t skipped = layout == PCLNTAB_16 ? 1 : 7;
	for (size_t i = 0, at = header; i < COUNT_OF(words); i++)
		if (i != skipped) {
			blob_patch(&m->b, at, words[i], 8);
			at += 8;
		}
}

/* A program with one section at an address, which is all the file holds. */
static inline void make_image(struct image *im, const char *section, uint64_t addr, struct bytes b,
			      unsigned bits, bool big_endian, struct notes *notes)
{
	const struct image_place at = { .path = "made" };
	struct image_build build;
	build_init(&build, im, &at, b, notes);
	im->format = "ELF";
	im->kind = IMAGE_EXEC;
	im->bits = (uint8_t)bits;
	im->big_endian = big_endian;
	build_segment(&build, &(struct segment){ .type = PT_LOAD,
						 .read = true,
						 .addr = addr,
						 .vm_size = b.size,
						 .file_size = b.size });
	build_section(&build, &(struct section){ .name = str_of(section),
						 .type = SHT_PROGBITS,
						 .flags = SHF_ALLOC,
						 .addr = addr,
						 .size = b.size,
						 .file_size = b.size });
	build_finish(&build, 0, 0);
}

#endif
