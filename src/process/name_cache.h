/* name_cache.h - the functions around addresses of a program, kept in a file for each build id, so
 * that the next process needs neither the program nor its debug info.
 *
 * Any number of processes may read and write at once: a file is written beside, and takes the place
 * of the one before as a whole, so that of two that write at once one wins and nothing is damaged.
 * What cannot be read is as if it were not there, and what cannot be written is not kept.
 *
 * A file has: a line of text with the version of heft and the style of its names; then for each
 * address the address, the number of its frames and of each frame function, linkage and file, each
 * a length and as many bytes, line, column, address and 1 where it is inlined; numbers are LEB128.
 * The last eight bytes are FNV-1a, 64 bits, of all before them, little endian.
 *
 * O(addresses).  Frames belong to the cache.  One thread a cache. */
#ifndef HEFT_PROCESS_NAME_CACHE_H
#define HEFT_PROCESS_NAME_CACHE_H

#include "base/arena.h"
#include "base/map.h"
#include "base/reader.h"
#include "base/vec.h"

#include "heft.h"

/* A file has so many bytes at most, and a folder so many files: of more the one that was written
 * first goes. */
enum { NAME_CACHE_BYTES = 8 << 20, NAME_CACHE_FILES = 512 };

struct cached_names {
	uint64_t addr;
	size_t first, count; /* of frames */
};

/* Zeroed: empty. */
struct name_cache {
	struct arena texts;
	VEC(struct cached_names) list;
	VEC(struct heft_frame) frames;
	struct map by_addr; /* number in list */
	bool changed;       /* since it was read */
};

/* The frames of an address, which have no module; NULL: it is not known. */
const struct heft_frame *name_cache_find(const struct name_cache *c, uint64_t addr,
					 size_t *ret_count);
/* Adds those of an address that is not known. */
void name_cache_add(struct name_cache *c, uint64_t addr, const struct heft_frame *frames,
		    size_t count);
void name_cache_release(struct name_cache *c);

/* Takes the bytes of a file.  False, and an empty cache, where they are damaged or of another heft
 * or style. */
bool name_cache_parse(struct name_cache *c, struct bytes file, enum heft_demangle style);
/* Reads the file of a build id below `dir`, if it is there. */
void name_cache_read(struct name_cache *c, const char *dir, struct bytes build_id,
		     enum heft_demangle style);
/* Writes it, if anything was added; makes the folder where it is missing.  A folder that others
 * than its owner may write to, or that is not the user's, is left alone. */
void name_cache_write(const struct name_cache *c, const char *dir, struct bytes build_id,
		      enum heft_demangle style);

#endif
