/* elf_note.h - iterates over the records of note sections and segments. gABI "Note Section".
 *
 * Implemented by elf.c. */
#pragma once

#include "base/reader.h"

struct elf_note {
	struct str owner; /* Owner without the NUL */
	uint32_t type;
	struct bytes desc;
};

/* Returns the next note: sizes of name and description, type, name, description. Name and
 * description are padded to `align` (4 unless 8). False at the end, or if a note is cut off. */
bool elf_note_next(struct reader *r, uint64_t align, struct elf_note *ret);
/* Finds the first GNU build id in notes. False if there is none. */
bool elf_find_build_id(struct bytes notes, uint64_t align, bool big_endian, struct bytes *ret);
