/* pe_internal.h - declarations that the files of pe/ share. */
#pragma once

#include "image/build.h"
#include "image/elf/elf_internal.h"
#include "image/pe/pe.h"

/* Indexes of the data directories. */
enum pe_directory {
	PE_EXPORT,
	PE_IMPORT,
	PE_RESOURCE,
	PE_EXCEPTION,
	PE_SECURITY,
	PE_BASE_RELOCATION,
	PE_DEBUG,
	PE_LOAD_CONFIG = 10,
	PE_CLI = 14,
	PE_DIRECTORIES = 16
};

/* Machines of COFF headers that need special handling. */
enum { PE_X86_64 = 0x8664, PE_AARCH64 = 0xaa64, PE_ARM64EC = 0xa641, PE_ARM64X = 0xa64e };

struct pe_range {
	uint32_t addr, size; /* Range of RVAs */
};

/* A section with its values in the file. */
struct pe_section {
	uint32_t index; /* Index of the image's section. */
	uint32_t addr, size, off, file_size;
	uint32_t reloc_off, reloc_count, flags;
};

struct pe {
	struct image_build build;
	uint16_t machine, characteristics;
	uint32_t section_count;
	uint64_t sections_off; /* File offset of the section table */
	uint64_t symbols_off, symbol_count, symbol_size;
	uint64_t base;       /* Image base */
	uint16_t protection; /* Field DllCharacteristics */
	bool efi;            /* True for UEFI's subsystems. Its loader moves what has relocations */
	uint32_t directory_count;
	struct pe_range directories[PE_DIRECTORIES];
	struct pe_range extra_unwind; /* Unwind entries of the other calling convention
				       * (pe_read_hybrid()) */
	VEC(struct pe_section) sections;
	struct bytes strings;  /* String table, with its size first, cut after its last NUL */
	uint64_t names_left;   /* Bytes of names that may still be read, see reader.h. */
	uint32_t table, names; /* The image's section indexes for the symbol table and its names */
	uint32_t first_symbol; /* Index in the image's table of the first COFF symbol. */
	/* Bytes of tables that may still be read. Tables of valid files do not overlap. */
	uint64_t left;
};

struct reader pe_reader(const struct pe *p, uint64_t off, uint64_t size);
/* Subtracts `size` from the bytes that may still be read. False if there are fewer. */
bool pe_spend(struct pe *p, uint64_t size);
/* Returns a reader over the file's bytes from an RVA to the end of its section. *ret is the
 * section, NULL if there is none. */
struct reader pe_at(const struct pe *p, uint64_t rva, const struct pe_section **ret);
/* Assigns bytes at an RVA to a symbol. If `symbol` is 0: to the owner of the RVA `owner`. */
void pe_put(struct pe *p, uint64_t rva, uint64_t size, uint32_t symbol, uint64_t owner);
/* Adds a symbol, without an address if `rva` is 0. Returns its index. Borrows the name, with
 * NUL. */
uint32_t pe_symbol(struct pe *p, struct str name, uint64_t rva, uint64_t size);

/* pe_file.c: pe_begin() starts the image. pe_end() finishes it, or releases it if `ok` is false. */
void pe_begin(struct pe *p, struct image *im, const struct image_place *at, struct bytes bytes,
	      struct notes *notes);
bool pe_end(struct pe *p, bool ok);
/* Finds the EM_... number and address bits of a machine. False if the machine is unknown. */
bool pe_find_machine(uint16_t coff, uint16_t *ret, uint8_t *ret_bits);
/* coff_symbols.c: read the symbol table, and the relocations of objects. */
void coff_read_strings(struct pe *p);
void coff_read_symbols(struct pe *p);
void coff_read_relocs(struct pe *p);
struct str coff_long_name(struct pe *p, struct str field);
/* pe_tables.c: reads the data directories. */
void pe_read_tables(struct pe *p);
/* Recognizes files with ARM64EC code. Their headers state another machine. */
void pe_read_hybrid(struct pe *p);
void pe_read_resources(struct pe *p);
