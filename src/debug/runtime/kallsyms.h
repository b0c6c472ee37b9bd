/* kallsyms.h - the table of symbols that a Linux kernel carries for its own messages
 * (CONFIG_KALLSYMS), which is there when the kernel is stripped too.
 *
 * The table has no magic word.  It is found by its parts agreeing with each other: a count; as many
 * names, each a length and bytes that stand for pieces of text; for each 256 of them the offset of
 * the first; later 256 pieces of text with the offset of each; and the addresses, before all that
 * (up to Linux 6.4) or behind it.  Layouts by experiment with Debian's kernels.
 *
 * Offsets are relative to the bytes that it was found in, which are borrowed.
 * Read-only once found: any number of threads. */
#ifndef HEFT_DEBUG_KALLSYMS_H
#define HEFT_DEBUG_KALLSYMS_H

#include "base/reader.h"

enum { KALLSYMS_PIECES = 256, KALLSYMS_NAME_MAX = 512 };

/* How the table says addresses. */
enum kallsyms_form {
	KALLSYMS_WHOLE,    /* a pointer each */
	KALLSYMS_RELATIVE, /* 32 bits each, counted from a base */
	/* 32 signed bits each: an address from 0 on, as it is; below it, how far the symbol is
	 * behind the base, less 1, as a negative number */
	KALLSYMS_SIGNED,
	/* 32 signed bits each, counted from where these bits stand (Linux 7) */
	KALLSYMS_PLACE
};

/* A part of the table under the name that it has in the kernel's sources. */
struct kallsyms_part {
	const char *name;
	uint64_t off, size;
};

enum { KALLSYMS_PARTS = 8 };

struct kallsyms {
	struct bytes bytes;
	uint64_t addr; /* of `bytes` in memory */
	bool big_endian;
	unsigned width; /* bytes of a pointer */
	/* Bytes of the count, whose multiples the parts begin at: those of a pointer, 4 from Linux
	 * 7 on. */
	unsigned unit;
	uint64_t count;
	/* Where its parts begin, and the offsets of names end. */
	uint64_t names, markers, markers_end, pieces, index, addrs;
	enum kallsyms_form form;
	uint64_t base, base_off; /* of KALLSYMS_RELATIVE and _SIGNED */
	uint64_t order;          /* of the names: a number of 3 bytes each; 0: not there */
};

/* Looks through bytes that begin at a multiple of 8 and stand at `addr` in memory.  False where no
 * table is among them.  O(bytes). */
bool kallsyms_find(struct kallsyms *k, struct bytes b, uint64_t addr, bool big_endian,
		   unsigned width);
/* Its parts, in no order; those that it does not have are 0 bytes at 0. */
void kallsyms_parts(const struct kallsyms *k, struct kallsyms_part ret[KALLSYMS_PARTS]);

/* A walk over the symbols, by address. */
struct kallsyms_iter {
	const struct kallsyms *k;
	struct reader names, addrs;
	uint64_t left;
	/* The symbol it stands on. */
	uint64_t addr;
	char type;       /* as nm(1) shows it */
	struct str name; /* in `text`; not NUL-terminated */
	char text[KALLSYMS_NAME_MAX];
};

void kallsyms_iter(struct kallsyms_iter *it, const struct kallsyms *k);
/* The next symbol; false behind the last.  A name that is longer than the kernel allows is cut. */
bool kallsyms_next(struct kallsyms_iter *it);

#endif
