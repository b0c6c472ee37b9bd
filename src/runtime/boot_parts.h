/* boot_parts.h - lists the parts that a program carries to load when it starts.
 *
 * Boot files of Chez Scheme, as in Racket: each is a sequence of fasl files. A fasl file begins
 * with four zeros, "chez", a version and a machine (7 bits a byte), and in parentheses the names of
 * the boot files that it needs (by experiment with Racket 8.6).
 *
 * GRUB's modules, as grub-mkimage writes them: "mimg", in 64-bit images 4 bytes, then the offset of
 * the first module and the end of the last one, a word each. A module has a kind and a size, 4
 * bytes each, and its contents (GRUB, include/grub/kernel.h). The size includes these 8 bytes. */
#pragma once

#include "base/reader.h"

struct boot_part {
	uint64_t off, size;
	struct str name;     /* "" for a part whose name is in `object` */
	struct bytes object; /* Contents of a module, which is an object file. Else empty */
};

typedef void boot_part_fn(void *ctx, const struct boot_part *p);

/* True if the bytes may begin with a known table, which few sections do. */
static inline bool boot_parts_may_begin(struct bytes b)
{
	return b.size >= 8 && (memcmp(b.p, "mimg", 4) == 0 || memcmp(b.p, "gmim", 4) == 0 ||
			       memcmp(b.p, "\0\0\0\0chez", 8) == 0);
}

/* Calls fn with each part of the bytes, in order. Parts do not overlap. Never calls fn if the bytes
 * begin with no known table. `word`: size of an address in bytes. O(size). */
void boot_parts_walk(struct bytes bytes, unsigned word, bool big_endian, boot_part_fn *fn,
		     void *ctx);
