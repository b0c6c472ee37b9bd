/* elf_internal.h - functions and tables that only the files of image/ share. */
#pragma once

#include "image/elf/elf_const.h"
#include "image/image.h"

/* One piece [addr, end) of the address space, and the section or segment that it belongs to. */
struct elf_piece {
	uint64_t addr, end;
	uint32_t index; /* Index of the section or segment in its array. */
};

struct elf_pieces {
	struct elf_piece *data; /* Pieces, disjoint and ascending */
	size_t count;
};

/* Look-up tables. elf_index_build() makes them once, and they never change afterwards. */
struct elf_index {
	struct elf_pieces sections; /* Alloc sections that take memory */
	struct elf_pieces loads;    /* PT_LOAD segments: the parts with bytes in the file */
	const struct segment *tls;  /* First PT_TLS segment. NULL if there is none */
	const struct section *opd;  /* Section of function descriptors (64-bit PowerPC). NULL if
				     * there is none. */
	uint64_t *opd_words;        /* Doublewords of that section after relocation: addresses. 0
				     * if unknown */
	size_t opd_count;
	const struct section **shndx; /* SHT_SYMTAB_SHNDX section of each symbol table, by
				       * section index. NULL if there is none. */
};

/* Gives each overlay its own addresses. Call it before elf_index_build(). */
void elf_move_overlays(struct image *im);
/* Derives the sections of a linked image without section headers. Call it before
 * elf_index_build(). */
void elf_make_sections(struct image *im);
/* Finds the relocations after the end of a Linux kernel and adds a section of type
 * SHT_KERNEL_RELOCS for them. Call it before elf_index_build(). */
void elf_find_kernel_relocs(struct image *im);
/* Converts a word of the kernel's relocations (KERNEL_RELOC_SIZE bytes) to a VM address. False if
 * no segment contains the address. */
bool elf_kernel_place(const struct image *im, uint32_t word, uint64_t *ret);
enum { KERNEL_RELOC_SIZE = 4 };
void elf_index_build(struct image *im);
/* Sets `again` of sections and segments that share their bytes with too many others. See
 * section_bytes(). */
void image_find_repeated(struct image *im);

/* Returns the piece that contains addr, or NULL. O(log n). */
const struct elf_piece *elf_pieces_at(const struct elf_pieces *p, uint64_t addr);

/* Adds a note about an image. `off` is relative to the image's bytes, or HEFT_NO_OFFSET. `fmt` must
 * be a literal and needs at least one argument. */
#define IMAGE_NOTE(im, off, size, fmt, ...)                                                        \
	note((im)->notes, (im)->path, image_file_off(im, off), (size), "%.*s%s" fmt,               \
	     STR_ARG((im)->member), (im)->member.len ? ": " : "", __VA_ARGS__)

static inline uint64_t image_file_off(const struct image *im, uint64_t off)
{
	return off == HEFT_NO_OFFSET ? off : add_sat(im->file_off, off);
}

/* Reads and returns an address, offset or size: 8 bytes in 64-bit images, else 4. */
static inline uint64_t read_elf_word(struct reader *r, uint8_t bits)
{
	return bits == 64 ? read_u64(r) : read_u32(r);
}

enum reloc_kind reloc_kind(uint16_t machine, uint32_t type);
