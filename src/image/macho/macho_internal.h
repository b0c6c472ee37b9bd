/* macho_internal.h - declarations that the files of macho/ share. */
#pragma once

#include "base/map.h"
#include "image/build.h"
#include "image/elf/elf_internal.h"
#include "image/macho/macho.h"

/* Types of sections (the low byte of their flags), then attributes. */
enum { S_ZEROFILL = 1, S_CSTRING_LITERALS = 2, S_4BYTE_LITERALS = 3, S_8BYTE_LITERALS = 4 };
enum { S_NON_LAZY_SYMBOL_POINTERS = 6, S_LAZY_SYMBOL_POINTERS = 7, S_SYMBOL_STUBS = 8 };
enum { S_GB_ZEROFILL = 12, S_16BYTE_LITERALS = 14, S_LAZY_DYLIB_SYMBOL_POINTERS = 16 };
enum { S_THREAD_LOCAL_REGULAR = 17, S_THREAD_LOCAL_ZEROFILL = 18, S_THREAD_LOCAL_VARIABLES = 19 };
enum { S_THREAD_LOCAL_VARIABLE_POINTERS = 20, S_INIT_FUNC_OFFSETS = 22 };
#define S_ATTR_PURE_INSTRUCTIONS UINT32_C(0x80000000)
#define S_ATTR_SOME_INSTRUCTIONS UINT32_C(0x400)
#define S_ATTR_DEBUG             UINT32_C(0x02000000)

/* A section as the file's header describes it. */
struct macho_section {
	uint32_t index;  /* Index of the image's section. */
	uint32_t symbol; /* Symbol that relocations use for this section. Only in objects. */
	uint64_t addr, size;
	uint32_t off, reloc_off, reloc_count, flags, first_indirect, stub_size;
};

/* A range of the segment __LINKEDIT. Objects have the ranges without the segment. */
struct macho_range {
	uint64_t off, size;
	uint32_t index; /* Index of the image's section. 0 if there is none. */
};

/* Greatest number of segments. More are ignored. dyld can refer to 16 by their numbers. */
enum { MACHO_SEGMENTS_MAX = 64 };

/* A segment: its address, its file offset, and its bytes in the file. */
struct macho_segment {
	uint64_t addr, off, size;
};

/* Tables of instructions that dyld runs. */
enum { MACHO_REBASE, MACHO_BIND, MACHO_WEAK_BIND, MACHO_LAZY_BIND, MACHO_OPCODES };

struct macho {
	struct image_build build;
	uint32_t cpu, file_type, command_count, commands_size;
	uint64_t header_size;
	VEC(struct macho_section) sections;
	struct macho_range symbols, strings, indirect, starts, unwind, exports, fixups,
		data_in_code;
	struct macho_range opcodes[MACHO_OPCODES];
	VEC(struct macho_segment) segments; /* Segments by number, at most MACHO_SEGMENTS_MAX */
	VEC(struct reloc) pointers;         /* Pointers of the table that is being read */
	uint64_t symbol_count;
	bool is_signed, hardened;
	/* Bytes of the indirect symbol table and of relocations that may still be read. In valid
	 * files, sections do not share entries. */
	uint64_t slots_left, relocs_left;
	struct map names;      /* Symbols by name, for macho_name_find(). */
	uint32_t first_symbol; /* Index of the first nlist's symbol in the image's table. */
	VEC(uint32_t)
	indexes;            /* Per nlist: index in the image's table. 0 for debuggers' entries. */
	uint64_t text_addr; /* Address of the segment __TEXT. */
	uint64_t linkedit_addr, linkedit_off, linkedit_size; /* Address, file offset and bytes of
							      * the segment __LINKEDIT. */
};

/* Returns a reader over [off, off + size) of the file. Empty if the range exceeds the file. */
struct reader macho_reader(const struct macho *m, uint64_t off, uint64_t size);
static inline uint64_t read_macho_word(struct reader *r, const struct macho *m)
{
	return read_elf_word(r, m->build.im->bits);
}

/* macho_commands.c: reads segments, sections and ranges from the load commands. */
void macho_read_commands(struct macho *m);
/* macho_symbols.c: reads the symbol table, and the slots and stubs of symbols. */
void macho_read_symbols(struct macho *m);
/* Returns the index of the i-th nlist in the image's table. 0 if there is none. */
uint32_t macho_symbol_index(const struct macho *m, uint64_t i);

/* An entry of the symbol table. */
struct nlist {
	uint32_t name;
	uint8_t type, section;
	uint16_t desc;
	uint64_t value;
};

/* Bits of nlist.type that mark an entry for debuggers. */
enum { N_STAB = 0xe0 };

struct nlist macho_read_nlist(struct reader *r, const struct macho *m);
/* Returns the section of nlist.section. `number` counts from 1. NULL if there is none. */
const struct macho_section *macho_section_of(const struct macho *m, uint8_t number);
/* Returns the string table, cut after its last NUL, so that every name in it ends. */
struct bytes macho_strings(const struct macho *m);
/* Returns a mangled name without C's first underscore, because names in debug info lack it. */
struct str macho_plain_name(struct str name);
void macho_read_stabs(struct macho *m);
/* macho_linkedit.c: read function starts, and the entries of __LINKEDIT that belong to a symbol. */
void macho_read_starts(struct macho *m);
void macho_read_linkedit(struct macho *m);
/* Bytes at `addr` that belong to the function at `owner`, such as its exception table. */
struct macho_data {
	uint64_t addr, owner;
};

typedef VEC(struct macho_data) macho_data_vec;

/* Adds these data to the image, each as an entry up to the next one or to the end of its section.
 * Sorts the list by address. */
void macho_add_data(struct macho *m, macho_data_vec *all);
/* macho_opcodes.c: reads the tables of instructions that dyld runs. */
void macho_read_opcodes(struct macho *m);
/* macho_fixups.c: reads the pointers of chained fixups. */
void macho_read_chains(struct macho *m);
/* Adds a pointer that an entry of a table describes. macho_set_pointers() makes all of them
 * relocations of the table. */
void macho_add_pointer(struct macho *m, uint64_t addr, uint64_t target, uint64_t entry_off,
		       uint64_t entry_size);
void macho_set_pointers(struct macho *m, const struct macho_range *table);
/* Reads the pointer at an address. False if the file has no bytes there. */
bool macho_word_at(const struct macho *m, uint64_t addr, uint64_t *ret);
/* Returns the index of the symbol with this name, underscore included. 0 if there is none. */
uint32_t macho_name_find(const struct macho *m, struct str name);
/* macho_relocs.c: reads the relocations of objects. */
void macho_read_relocs(struct macho *m);
/* macho_unwind.c: reads the entries of __unwind_info. */
void macho_read_unwind(struct macho *m);
/* macho_frames.c: reads the unwind tables of objects. */
void macho_read_frames(struct macho *m);
/* macho_linkedit.c: reads whether code is signed. Assigns each hash to the bytes it signs. */
void macho_read_signature(struct macho *m, const struct macho_range *range);
/* macho_symbols.c: returns the ELF name of a section, by which code outside of macho/ finds it. */
struct str macho_section_name(struct macho *m, struct str segment, struct str section,
			      uint32_t flags);
