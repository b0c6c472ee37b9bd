/* kallsyms.h - reads the symbol table that a Linux kernel carries for its own messages
 * (CONFIG_KALLSYMS). Stripped kernels have it too.
 *
 * The table has no magic number. It is recognized by parts that agree with each other. The first
 * part is the count of names. A name is a length, and bytes that each stand for a piece of text.
 * Another part has the offset of every 256th name. Two later parts have 256 pieces of text, and the
 * offset of each piece. The addresses come before all other parts (up to Linux 6.4) or after them.
 * Layouts by experiment with Debian's kernels.
 *
 * Offsets are relative to the bytes that hold the table. Borrows these bytes. Read-only once found:
 * any number of threads. */
#pragma once

#include "base/reader.h"

enum { KALLSYMS_PIECES = 256, KALLSYMS_NAME_MAX = 512 };

/* Form of the addresses in the table. */
enum kallsyms_form {
	KALLSYMS_WHOLE,    /* One pointer per symbol */
	KALLSYMS_RELATIVE, /* 32 bits per symbol, relative to a base */
	/* 32 signed bits per symbol. A value of at least 0 is the address. A negative value is -1
	 * minus the symbol's distance from the base. */
	KALLSYMS_SIGNED,
	/* 32 signed bits per symbol, relative to their own address (Linux 7). */
	KALLSYMS_PLACE
};

/* A part of the table, with its name in the kernel's sources. */
struct kallsyms_part {
	const char *name;
	uint64_t off, size;
};

enum { KALLSYMS_PARTS = 8 };

struct kallsyms {
	struct bytes bytes;
	uint64_t addr; /* Address of `bytes` in memory */
	bool big_endian;
	unsigned width; /* Size of a pointer in bytes */
	/* Size of the count, and alignment of all parts, in bytes: the size of a pointer, or 4 from
	 * Linux 7 on. */
	unsigned unit;
	uint64_t count;
	/* Offsets of the parts. markers_end: end of the part with the offsets of names. */
	uint64_t names, markers, markers_end, pieces, index, addrs;
	enum kallsyms_form form;
	uint64_t base, base_off; /* Only for KALLSYMS_RELATIVE and KALLSYMS_SIGNED */
	uint64_t order;          /* Offset of kallsyms_seqs_of_names, or 0 */
};

/* Searches for a table in `b`, which begins at a multiple of 8 and has the address `addr`. False
 * without a table. O(bytes). */
bool kallsyms_find(struct kallsyms *k, struct bytes b, uint64_t addr, bool big_endian,
		   unsigned width);
/* Lists the parts of the table, unordered. Missing parts have 0 bytes at offset 0. */
void kallsyms_parts(const struct kallsyms *k, struct kallsyms_part ret[KALLSYMS_PARTS]);

/* Visits the symbols, by address. */
struct kallsyms_iter {
	const struct kallsyms *k;
	struct reader names, addrs;
	uint64_t left;
	/* The current symbol. */
	uint64_t addr;
	char type;       /* Letter that nm(1) shows */
	struct str name; /* Points into `text`. Not NUL-terminated */
	char text[KALLSYMS_NAME_MAX];
};

void kallsyms_iter(struct kallsyms_iter *it, const struct kallsyms *k);
/* Moves to the next symbol. False after the last. Cuts a name that is longer than the kernel
 * allows. */
bool kallsyms_next(struct kallsyms_iter *it);
