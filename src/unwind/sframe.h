/* sframe.h - reads tables of SFrame, versions 1 to 3 ("The SFrame format", binutils).
 *
 * A table has a header, entries of functions, and frames. A frame is a row of unwind rules. Linkers
 * without SFrame support concatenate the objects' tables. O(1) per call. */
#pragma once

#include "base/reader.h"

/* A table. Offsets are relative to the section's start. */
struct sframe {
	struct bytes section;
	bool big_endian;
	bool pcrel; /* True if distances to functions count from their field, false if from `off` */
	unsigned version;
	uint64_t off, end;            /* Range of the whole table */
	uint64_t entries, entry_size; /* Start of the entries, and size of one */
	uint64_t count;               /* Number of entries */
	uint64_t frames, frames_end;
};

struct sframe_entry {
	uint64_t off;      /* Offset of the entry, which begins with the distance to its function */
	uint64_t distance; /* Bytes from the start of the section to the function */
	uint64_t size;     /* Bytes of the function */
	uint64_t frames;   /* Offset of its first frame */
};

/* Opens the table at `off` of a section. False if there is none. */
bool sframe_open(struct sframe *f, struct bytes section, uint64_t off, bool big_endian);
/* Reads entry i. False if it is damaged. */
bool sframe_entry_read(const struct sframe *f, uint64_t i, struct sframe_entry *ret);
