/* pe_internal.h - what the files of pe/ share. */
#ifndef HEFT_IMAGE_PE_INTERNAL_H
#define HEFT_IMAGE_PE_INTERNAL_H

#include "image/build.h"
#include "image/elf/elf_internal.h"
#include "image/pe/pe.h"

/* Data directories, by index. */
enum pe_directory {
	PE_EXPORT,
	PE_IMPORT,
	PE_RESOURCE,
	PE_EXCEPTION,
	PE_SECURITY,
	PE_BASE_RELOCATION,
	PE_DEBUG,
	PE_LOAD_CONFIG = 10,
	PE_DIRECTORIES = 16
};

/* Machines of COFF headers, of those that more is known of. */
enum { PE_X86_64 = 0x8664, PE_AARCH64 = 0xaa64, PE_ARM64EC = 0xa641, PE_ARM64X = 0xa64e };

struct pe_range {
	uint32_t addr, size; /* RVA */
};

/* A section as the file states it. */
struct pe_section {
	uint32_t index; /* of the image's */
	uint32_t addr, size, off, file_size;
	uint32_t reloc_off, reloc_count, flags;
};

struct pe {
	struct image_build build;
	uint16_t machine, characteristics;
	uint32_t section_count;
	uint64_t sections_off; /* of the section table */
	uint64_t symbols_off, symbol_count, symbol_size;
	uint64_t base;       /* of the image */
	uint16_t protection; /* DllCharacteristics */
	uint32_t directory_count;
	struct pe_range directories[PE_DIRECTORIES];
	struct pe_range extra_unwind; /* of the other convention; see pe_read_hybrid */
	VEC(struct pe_section) sections;
	struct bytes strings;  /* the string table, its size in front included; cut after a NUL */
	uint64_t names_left;   /* of it; see reader.h */
	uint32_t table, names; /* indexes of the image's sections */
	uint32_t first_symbol; /* index of the first one's in the image's table */
	/* What may be read yet, in bytes: tables of sound files share none. */
	uint64_t left;
};

struct reader pe_reader(const struct pe *p, uint64_t off, uint64_t size);
/* Charges what is read; false where that is more than a sound file has. */
bool pe_spend(struct pe *p, uint64_t size);
/* A reader over what the file has of an RVA on, up to the section's end; *ret the section, or NULL
 * where none is there. */
struct reader pe_at(const struct pe *p, uint64_t rva, const struct pe_section **ret);
/* Bytes at an RVA that belong to a symbol, or (symbol 0) to whose `owner`, an RVA, is. */
void pe_put(struct pe *p, uint64_t rva, uint64_t size, uint32_t symbol, uint64_t owner);
/* A symbol at an RVA, 0: nowhere; borrows a name that ends with a NUL. */
uint32_t pe_symbol(struct pe *p, struct str name, uint64_t rva, uint64_t size);

/* pe_file.c: begins, with the headers that are to be filled in; ends, where it failed without an
 * image. */
void pe_begin(struct pe *p, struct image *im, const struct image_place *at, struct bytes bytes,
	      struct notes *notes);
bool pe_end(struct pe *p, bool ok);
/* EM_* of a machine, and the bits of its addresses. */
bool pe_find_machine(uint16_t coff, uint16_t *ret, uint8_t *ret_bits);
/* What the file has besides sections. */
void pe_add_headers(struct pe *p);
void pe_read_sections(struct pe *p);
/* coff_symbols.c: the symbol table; relocations of objects. */
void coff_read_strings(struct pe *p);
void coff_read_symbols(struct pe *p);
void coff_read_relocs(struct pe *p);
struct str coff_long_name(struct pe *p, struct str field);
/* pe_tables.c: what data directories say. */
void pe_read_tables(struct pe *p);
/* Tells files with code of ARM64EC, whose headers say otherwise. */
void pe_read_hybrid(struct pe *p);
/* pe_resources.c */
void pe_read_resources(struct pe *p);

#endif
