/* elfgen.h - makes ELF files in memory for tests: any class and byte order, as right or as
 * wrong as a test wants.
 *
 *     struct elfgen g = elfgen_make(64, false, ET_DYN, EM_X86_64);
 *     uint32_t text = elfgen_section(&g, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000,
 *                                    code, sizeof code);
 *     elfgen_load(&g, PF_R | PF_X, text);
 *     elfgen_symbol(&g, "main", 0x1000, 4, STB_GLOBAL << 4 | STT_FUNC, text);
 *     struct bytes file = elfgen_finish(&g);   // malloc'ed, free with free
 *
 * Layout: ELF header, program headers, sections in order, .symtab and .strtab (if there are
 * symbols), .shstrtab, section headers.  Fields of a section or segment may be changed through
 * g.sections.data[i] and g.segments.data[i] until elfgen_finish. */
#ifndef HEFT_TESTS_ELFGEN_H
#define HEFT_TESTS_ELFGEN_H

#include "base/arena.h"
#include "base/reader.h"
#include "base/vec.h"

struct elfgen_section {
	const char *name;
	uint32_t type;
	uint64_t flags, addr;
	uint64_t off; /* set by elfgen_finish, unless not 0 before */
	uint64_t size;
	uint32_t link, info;
	uint64_t align, entsize;
	struct bytes data; /* copied into the file; may be shorter than size */
};

struct elfgen_segment {
	uint32_t type, flags;
	uint64_t off, addr, file_size, vm_size, align;
	uint64_t moved;   /* its bytes are stored so far behind addr, modulo 2^64 */
	uint32_t section; /* not 0: off (and nothing else) is taken from that section */
};

struct elfgen_symbol {
	const char *name;
	uint64_t value, size;
	uint8_t info, other;
	uint16_t shndx;
};

struct elfgen {
	unsigned bits;
	bool big_endian;
	uint16_t type, machine;
	uint32_t flags;
	uint64_t entry;
	VEC(struct elfgen_section) sections; /* [0] is the null section */
	VEC(struct elfgen_segment) segments;
	VEC(struct elfgen_symbol) symbols; /* [0] is the null symbol, once there is one */
	bool no_section_table;
	uint32_t symtab;    /* index of .symtab, once finished */
	uint64_t shdr_off;  /* once finished */
	struct arena arena; /* copies of data */
};

struct elfgen elfgen_make(unsigned bits, bool big_endian, uint16_t type, uint16_t machine);
/* Returns the section's index.  Data may be NULL (NOBITS, zeros). */
uint32_t elfgen_section(struct elfgen *g, const char *name, uint32_t type, uint64_t flags,
			uint64_t addr, const void *data, uint64_t size);
/* A PT_LOAD around one section. */
struct elfgen_segment *elfgen_load(struct elfgen *g, uint32_t flags, uint32_t section);
void elfgen_symbol(struct elfgen *g, const char *name, uint64_t value, uint64_t size, uint8_t info,
		   uint16_t shndx);
/* The file in malloc'ed memory; releases g's own memory, but not the fields above. */
struct bytes elfgen_finish(struct elfgen *g);

/* A growing run of bytes in one byte order. */
struct elfgen_out {
	VEC(uint8_t) bytes;
	bool big_endian;
};
void elfgen_put(struct elfgen_out *o, unsigned width, uint64_t v);
void elfgen_put_bytes(struct elfgen_out *o, const void *p, size_t size);
void elfgen_put_sleb(struct elfgen_out *o, int64_t v);
void elfgen_put_uleb(struct elfgen_out *o, uint64_t v);
/* Overwrites a number in a finished file. */
void elfgen_poke(struct bytes file, uint64_t off, unsigned width, bool big_endian, uint64_t v);

#endif
