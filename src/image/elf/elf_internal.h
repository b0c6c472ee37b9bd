/* elf_internal.h - what the files of image/ share and others need not see. */
#ifndef HEFT_IMAGE_ELF_INTERNAL_H
#define HEFT_IMAGE_ELF_INTERNAL_H

#include "image/elf/elf_const.h"
#include "image/image.h"

/* One piece [addr, end) of the address space and who holds it. */
struct elf_piece {
	uint64_t addr, end;
	uint32_t index; /* of the section or segment in its array */
};

struct elf_pieces {
	struct elf_piece *data; /* disjoint, ascending */
	size_t count;
};

/* Look-up tables, made once by elf_index_build, never changed after. */
struct elf_index {
	struct elf_pieces sections; /* alloc sections that take room */
	struct elf_pieces loads;    /* PT_LOAD, the part backed by the file */
	const struct segment *tls;  /* the first PT_TLS, or NULL */
	const struct section *opd;  /* function descriptors of 64-bit PowerPC, or NULL */
	uint64_t *opd_words;        /* its doublewords as relocated: addresses; 0: not known */
	size_t opd_count;
	const struct section **shndx; /* by section index: the table's SHT_SYMTAB_SHNDX, or NULL */
};

/* Gives overlays addresses of their own; before elf_index_build. */
void elf_move_overlays(struct image *im);
/* Of a linked image without section headers; before elf_index_build. */
void elf_make_sections(struct image *im);
/* Finds the relocations behind a Linux kernel and adds a section for them, of the type
 * SHT_KERNEL_RELOCS; before elf_index_build. */
void elf_find_kernel_relocs(struct image *im);
/* The VM address that a word of them stands for, each of KERNEL_RELOC_SIZE bytes; false: none. */
bool elf_kernel_place(const struct image *im, uint32_t word, uint64_t *ret);
enum { KERNEL_RELOC_SIZE = 4 };
void elf_index_build(struct image *im);
/* Marks the sections and segments whose bytes are those of others; see section_bytes. */
void image_find_repeated(struct image *im);

/* The piece that holds addr, or NULL.  O(log n). */
const struct elf_piece *elf_pieces_at(const struct elf_pieces *p, uint64_t addr);

/* A note about an image; `off` is relative to its bytes, HEFT_NO_OFFSET for none.
 * `fmt` must be a literal and needs at least one argument. */
#define IMAGE_NOTE(im, off, size, fmt, ...)                                                        \
	note((im)->notes, (im)->path, image_file_off(im, off), (size), "%.*s%s" fmt,               \
	     STR_ARG((im)->member), (im)->member.len ? ": " : "", __VA_ARGS__)

static inline uint64_t image_file_off(const struct image *im, uint64_t off)
{
	return off == HEFT_NO_OFFSET ? off : add_sat(im->file_off, off);
}

/* An address, offset or size field: 4 or 8 bytes by the image's class. */
static inline uint64_t read_elf_word(struct reader *r, uint8_t bits)
{
	return bits == 64 ? read_u64(r) : read_u32(r);
}

enum reloc_kind reloc_kind(uint16_t machine, uint32_t type);

#endif
