/* elf_append.h - copies a finished ELF file with one more section.
 *
 * Contents and program headers keep their offsets, so the copy runs like the original. Then come
 * the section's bytes, the extended section names, and a new section header table. Old names and an
 * old table at the file's end are removed. gABI, "ELF Header" and "Sections": if there are 0xff00
 * sections or more, section 0 has the count.
 *
 * Only sections that take no memory can be added. The copy is written piece by piece; only the
 * header table and the names are held in memory. */
#pragma once

#include "image/image.h"

struct elf_addition {
	const char *name;
	uint32_t type;  /* One of SHT_* */
	uint64_t flags; /* Flags SHF_..., without SHF_ALLOC */
	uint32_t link;  /* Index of the section for sh_link */
	uint64_t align; /* Power of two */
	struct bytes bytes;
	/* Index of the section to replace. The section's name is kept. 0 to add a section. The old
	 * bytes stay in the file. If the new bytes are not longer, they overwrite the old ones. */
	uint32_t replaced;
};

/* True if the file can be extended. Otherwise *err says why. Refuses archive members, objects and
 * cores. Refuses files without a section header table or section names, and files whose section
 * names take memory. Refuses files with bytes at the end that no header covers (a signature, an
 * archive). */
bool elf_can_append(const struct image *im, struct heft_err *err);
/* Writes the copy. False if the file cannot be extended, if it would have too many sections, or if
 * `sink` fails (HEFT_EIO). */
bool elf_append(const struct image *im, const struct elf_addition *a, const struct heft_sink *sink,
		struct heft_err *err);
