/* name_cache.h - keeps the functions at addresses of a program in a file per build id. So the next
 * process needs neither the program nor its debug info.
 *
 * Any number of processes may read and write together. A new file is written under another name and
 * then replaces the old one as a whole. If two processes write together, one file wins and no file
 * is damaged. A file that cannot be read counts as absent. If writing fails, no file is kept.
 *
 * The first line is text: the version of heft and the style of its names. Then, for each address:
 * the address, the number of its frames, and the frames. A frame is function, linkage and file
 * (each a length and that many bytes), line, column, address, and 1 if inlined. Numbers are LEB128.
 * The last eight bytes are the 64-bit FNV-1a of all bytes before them, little endian.
 *
 * O(addresses). Frames belong to the cache. One thread per cache. */
#pragma once

#include "base/arena.h"
#include "base/map.h"
#include "base/reader.h"
#include "base/vec.h"

#include "heft.h"

/* Limits: bytes of a file, and files in a folder. Beyond the latter, the oldest file is removed. */
enum { NAME_CACHE_BYTES = 8 << 20, NAME_CACHE_FILES = 512 };

struct cached_names {
	uint64_t addr;
	size_t first, count; /* Range of frames */
};

/* An empty cache is all zeros. */
struct name_cache {
	struct arena texts;
	VEC(struct cached_names) list;
	VEC(struct heft_frame) frames;
	struct map by_addr; /* Index in `list` */
	bool changed;       /* True if changed since it was read */
};

/* Returns the frames of an address, without module. NULL if unknown. */
const struct heft_frame *name_cache_find(const struct name_cache *c, uint64_t addr,
					 size_t *ret_count);
/* Adds the frames of an address that is not known yet. */
void name_cache_add(struct name_cache *c, uint64_t addr, const struct heft_frame *frames,
		    size_t count);
void name_cache_release(struct name_cache *c);

/* Parses the bytes of a file. False, with an empty cache, if they are damaged, or of another heft
 * version or style. */
bool name_cache_parse(struct name_cache *c, struct bytes file, enum heft_demangle style);
/* Reads the file of a build id in `dir`, if it exists. */
void name_cache_read(struct name_cache *c, const char *dir, struct bytes build_id,
		     enum heft_demangle style);
/* Writes the file if frames were added. Makes the folder if it is missing. Does nothing if the
 * folder does not belong to the user, or if others may write to it. */
void name_cache_write(const struct name_cache *c, const char *dir, struct bytes build_id,
		      enum heft_demangle style);
