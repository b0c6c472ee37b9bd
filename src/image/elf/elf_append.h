/* elf_append.h - a finished ELF file, copied with one more section.
 *
 * What the file has stays where it is, and so do the program headers: the copy runs as the file
 * did. Behind the last of it come the section's bytes, the section names with one more, and a new
 * section header table; the old names and table are cut off where they stood at the end.  gABI,
 * "ELF Header" and "Sections": of 0xff00 sections and more, the count stands in section 0.
 *
 * Only sections that take no memory can be added.  The copy is written piece by piece; nothing but
 * the header table and the names is held. */
#ifndef HEFT_IMAGE_ELF_APPEND_H
#define HEFT_IMAGE_ELF_APPEND_H

#include "image/image.h"

struct elf_addition {
	const char *name;
	uint32_t type;  /* SHT_* */
	uint64_t flags; /* SHF_*, without SHF_ALLOC */
	uint32_t link;  /* section index */
	uint64_t align; /* a power of two */
	struct bytes bytes;
	/* The section whose place in the table it takes, with its name; 0: it gets a new one.  The
	 * old bytes stay in the file, unless the new ones are no more: then they take their
	 * place. */
	uint32_t replaced;
};

/* Whether the file can be extended; if not, *err says why: no section header table, names that are
 * missing or in memory, bytes at the end that no header knows (a signature, an archive), an archive
 * member, an object, a core. */
bool elf_can_append(const struct image *im, struct heft_err *err);
/* Writes the copy.  False where the file cannot be extended, it would have too many sections, or
 * `sink` took no more (HEFT_EIO). */
bool elf_append(const struct image *im, const struct elf_addition *a, const struct heft_sink *sink,
		struct heft_err *err);

#endif
