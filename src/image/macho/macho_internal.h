/* macho_internal.h - what the files of macho/ share. */
#ifndef HEFT_IMAGE_MACHO_INTERNAL_H
#define HEFT_IMAGE_MACHO_INTERNAL_H

#include "image/build.h"
#include "image/elf_internal.h"
#include "image/macho/macho.h"

/* Types of sections (the low byte of their flags) and attributes. */
enum {
	S_ZEROFILL = 1,
	S_CSTRING_LITERALS = 2,
	S_4BYTE_LITERALS = 3,
	S_8BYTE_LITERALS = 4,
	S_NON_LAZY_SYMBOL_POINTERS = 6,
	S_LAZY_SYMBOL_POINTERS = 7,
	S_SYMBOL_STUBS = 8,
	S_GB_ZEROFILL = 12,
	S_16BYTE_LITERALS = 14,
	S_LAZY_DYLIB_SYMBOL_POINTERS = 16,
	S_THREAD_LOCAL_ZEROFILL = 18,
	S_THREAD_LOCAL_VARIABLE_POINTERS = 20,
};
#define S_ATTR_PURE_INSTRUCTIONS UINT32_C(0x80000000)
#define S_ATTR_SOME_INSTRUCTIONS UINT32_C(0x400)
#define S_ATTR_DEBUG             UINT32_C(0x02000000)

/* A section as the file states it. */
struct macho_section {
	uint32_t index;  /* of the image's */
	uint32_t symbol; /* that stands for it in relocations; objects only */
	uint64_t addr, size;
	uint32_t off, reloc_off, reloc_count, flags, first_indirect, stub_size;
};

/* A range of __LINKEDIT, or of what objects have in its place. */
struct macho_range {
	uint64_t off, size;
	uint32_t index; /* of the image's section; 0 if none */
};

struct macho {
	struct image_build build;
	uint32_t cpu, file_type, command_count, commands_size;
	uint64_t header_size;
	VEC(struct macho_section) sections;
	struct macho_range symbols, strings, indirect, starts, unwind;
	uint64_t symbol_count;
	/* What may be read yet, in bytes of the table: sections of sound files share none. */
	uint64_t slots_left, relocs_left;
	uint32_t first_symbol; /* index of the first nlist's in the image's table */
	uint64_t text_addr;    /* of the segment __TEXT */
	uint64_t linkedit_addr, linkedit_off, linkedit_size; /* of the segment __LINKEDIT */
};

/* A reader over [off, off + size) of the file; empty where that leaves it. */
struct reader macho_reader(const struct macho *m, uint64_t off, uint64_t size);
static inline uint64_t read_macho_word(struct reader *r, const struct macho *m)
{
	return read_elf_word(r, m->build.im->bits);
}

/* macho_commands.c: segments, sections and ranges, by the load commands. */
void macho_read_commands(struct macho *m);
/* macho_symbols.c: the symbol table, function starts, and the entries of tables about them. */
void macho_read_symbols(struct macho *m);
/* macho_relocs.c: relocations of objects. */
void macho_read_relocs(struct macho *m);
/* macho_unwind.c: the entries of __unwind_info. */
void macho_read_unwind(struct macho *m);
/* macho_names.c: what the passes know a section by. */
struct str macho_section_name(struct macho *m, struct str segment, struct str section,
			      uint32_t flags);

#endif
