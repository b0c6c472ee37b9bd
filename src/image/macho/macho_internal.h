/* macho_internal.h - what the files of macho/ share. */
#ifndef HEFT_IMAGE_MACHO_INTERNAL_H
#define HEFT_IMAGE_MACHO_INTERNAL_H

#include "base/map.h"
#include "image/build.h"
#include "image/elf/elf_internal.h"
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
	S_THREAD_LOCAL_REGULAR = 17,
	S_THREAD_LOCAL_ZEROFILL = 18,
	S_THREAD_LOCAL_VARIABLES = 19,
	S_THREAD_LOCAL_VARIABLE_POINTERS = 20,
	S_INIT_FUNC_OFFSETS = 22,
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

/* dyld knows 16 by their numbers. */
enum { MACHO_SEGMENTS_MAX = 64 };

/* Of the file, which has `size` bytes of it. */
struct macho_segment {
	uint64_t addr, off, size;
};

/* Tables that dyld runs. */
enum { MACHO_REBASE, MACHO_BIND, MACHO_WEAK_BIND, MACHO_LAZY_BIND, MACHO_OPCODES };

struct macho {
	struct image_build build;
	uint32_t cpu, file_type, command_count, commands_size;
	uint64_t header_size;
	VEC(struct macho_section) sections;
	struct macho_range symbols, strings, indirect, starts, unwind, exports, fixups,
		data_in_code;
	struct macho_range opcodes[MACHO_OPCODES];
	VEC(struct macho_segment) segments; /* by number, the first MACHO_SEGMENTS_MAX */
	VEC(struct reloc) pointers;         /* of the table at work */
	uint64_t symbol_count;
	bool is_signed, hardened;
	/* What may be read yet, in bytes of the table: sections of sound files share none. */
	uint64_t slots_left, relocs_left;
	struct map names;      /* of macho_name_find */
	uint32_t first_symbol; /* index of the first nlist's in the image's table */
	VEC(uint32_t) indexes; /* there, by nlist; 0: an entry for debuggers */
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
/* macho_symbols.c: the symbol table; slots and stubs of symbols. */
void macho_read_symbols(struct macho *m);
/* The index of the i-th nlist in the image's table; 0: none. */
uint32_t macho_symbol_index(const struct macho *m, uint64_t i);

/* An entry of the symbol table. */
struct nlist {
	uint32_t name;
	uint8_t type, section;
	uint16_t desc;
	uint64_t value;
};

/* Bits of nlist.type that make it an entry for debuggers. */
enum { N_STAB = 0xe0 };

struct nlist macho_read_nlist(struct reader *r, const struct macho *m);
/* The section of nlist.section, which counts from 1; NULL for none. */
const struct macho_section *macho_section_of(const struct macho *m, uint8_t number);
/* The string table up to its last NUL, so that every name in it ends. */
struct bytes macho_strings(const struct macho *m);
/* Without C's underscore in front of names that are mangled as everywhere: debug info has none. */
struct str macho_plain_name(struct str name);
/* macho_stabs.c: entries for debuggers. */
void macho_read_stabs(struct macho *m);
/* macho_linkedit.c: function starts, and what of __LINKEDIT is there because of a symbol. */
void macho_read_starts(struct macho *m);
void macho_read_linkedit(struct macho *m);
/* Data without an owner of their own, which are there because of what stands at another address;
 * sort_by_key sorts by the first. */
struct macho_data {
	uint64_t addr, owner;
};

typedef VEC(struct macho_data) macho_data_vec;

/* Each goes up to the next one or the end of its section.  Sorts the list. */
void macho_add_data(struct macho *m, macho_data_vec *all);
/* macho_opcodes.c: the same of the tables that dyld runs. */
void macho_read_opcodes(struct macho *m);
/* macho_fixups.c: pointers of chained fixups. */
void macho_read_chains(struct macho *m);
/* Adds a pointer, which the bytes of a table's entry place; macho_set_pointers hands all on. */
void macho_add_pointer(struct macho *m, uint64_t addr, uint64_t target, uint64_t entry_off,
		       uint64_t entry_size);
void macho_set_pointers(struct macho *m, const struct macho_range *table);
/* The pointer that stands at an address; false where the file has none. */
bool macho_word_at(const struct macho *m, uint64_t addr, uint64_t *ret);
/* The number of a symbol of this name, underscore included; 0: none. */
uint32_t macho_name_find(const struct macho *m, struct str name);
/* macho_relocs.c: relocations of objects. */
void macho_read_relocs(struct macho *m);
/* macho_unwind.c: the entries of __unwind_info. */
void macho_read_unwind(struct macho *m);
/* macho_frames.c: what describes the functions of objects. */
void macho_read_frames(struct macho *m);
/* macho_signature.c: whether the code is signed, and how; hashes to what they sign. */
void macho_read_signature(struct macho *m, const struct macho_range *range);
/* macho_names.c: what the passes know a section by. */
struct str macho_section_name(struct macho *m, struct str segment, struct str section,
			      uint32_t flags);

#endif
