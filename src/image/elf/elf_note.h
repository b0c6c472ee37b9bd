/* elf_note.h - the records of note sections and segments: gABI "Note Section". */
#ifndef HEFT_IMAGE_ELF_NOTE_H
#define HEFT_IMAGE_ELF_NOTE_H

#include "base/reader.h"

struct elf_note {
	struct str owner; /* without the NUL */
	uint32_t type;
	struct bytes desc;
};

/* The next record of a reader over notes: sizes of name and description, type, name, description;
 * both padded to `align` (4 unless 8).  False at the end and where a record is cut off. */
bool elf_note_next(struct reader *r, uint64_t align, struct elf_note *ret);
/* The first GNU build id. */
bool elf_find_build_id(struct bytes notes, uint64_t align, bool big_endian, struct bytes *ret);

#endif
