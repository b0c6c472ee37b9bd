/* blockmap.h - Reads the machine basic blocks of an image from all places that compilers use.
 *
 * Maps of all forms (blocks/bbmap.h) from all sections that hold one, packed or not; in
 * objects with relocations applied.  Without such a section, the block symbols that LLVM up to 11
 * wrote with -fbasic-block-sections=labels.  Addresses are those of image.h.
 *
 * llvm-bolt copies the map of its input, which does not fit the code that it moved: a note says so.
 *
 * Functions are sorted by address.  What linkers leave behind is dropped: entries of discarded
 * functions and repeated ones; so are functions where there is no code.  Damage is noted and costs
 * the function it is in.
 *
 * 16 bytes a block, 40 a function, 32 a range, and sections as long as they are open if packed.
 * The image and the debug file's are borrowed.  Immutable once read, but for the names; one
 * thread. */
#ifndef HEFT_BLOCKS_BLOCKMAP_H
#define HEFT_BLOCKS_BLOCKMAP_H

#include "blocks/bbindex.h"
#include "image/image.h"

enum blockmap_origin { BLOCKS_OF_MAP, BLOCKS_OF_SYMBOLS, BLOCKS_DERIVED };

struct blockmap_function {
	uint64_t addr;    /* of its first range */
	uint64_t entry;   /* BLOCKS_OF_MAP: where in the section */
	const char *name; /* linkage name, or NULL; filled by blockmap_name and by block symbols */
	uint32_t range_first, range_count; /* one at least */
	uint32_t section;                  /* BLOCKS_OF_MAP: index in sections */
	uint16_t features;                 /* BBMAP_* */
	uint8_t version;                   /* of its entry, 0 = none stated */
	uint8_t origin;
	bool thumb; /* BLOCKS_DERIVED: code of ARM in the Thumb set */
};

struct blockmap_range {
	uint64_t addr;
	uint64_t stated;       /* blocks it has; fewer may be known, see BBMAP_NO_BLOCKS */
	uint64_t first, count; /* in blocks */
	uint32_t function;
	uint32_t number; /* in its entry: some of it may have been dropped */
};

/* An entry, or a range of one, that is not in the map. */
enum blockmap_drop {
	BLOCKS_TOMBSTONE,
	BLOCKS_REPEATED,
	BLOCKS_DISPLACED,
	BLOCKS_DAMAGED,
};

struct blockmap_dropped {
	uint64_t addr;
	uint64_t entry; /* where in its section */
	enum blockmap_drop why;
};

struct blockmap_section {
	const struct section *section;
	struct bbmap_section map;
	void *owned; /* unpacked bytes */
	struct bbmap_fix *fixes;
};

struct blockmap {
	const struct image *image;
	VEC(struct blockmap_section) sections;
	VEC(struct blockmap_function) functions; /* by addr */
	VEC(struct blockmap_range) ranges;       /* those of a function side by side */
	VEC(struct bbmap_block) blocks;          /* those of a range side by side, ranges by addr */
	VEC(uint32_t) by_addr;                   /* ranges by addr, and so by `first` */
	uint64_t tombstones, repeated, displaced; /* entries dropped; displaced: no code there */
	VEC(struct blockmap_dropped) dropped;     /* these, one by one, and what is damaged */
	struct arena texts;                       /* names that are in no image: of PLT stubs */
};

/* By its type, or by a name that such sections have had. */
bool section_is_block_map(const struct section *s);

/* Reads what is there; nothing is no error.  `debug` is the separate debug file, or NULL: its maps
 * count where the image has none. */
void blockmap_read(struct blockmap *b, const struct image *im, const struct image *debug,
		   struct notes *notes);
void blockmap_release(struct blockmap *b);
/* Asserts the order of functions, ranges and blocks.  O(ranges + functions): by what reads or
 * derives a map where HEFT_CHECKS. */
void blockmap_verify(const struct blockmap *b);
/* Fills in the names of all functions, from symbols at their addresses.  Texts are the
 * image's or the map's. */
void blockmap_name(struct blockmap *b, const struct image *debug);

/* An index of all blocks; places are indexes of `blocks`. */
void blockmap_index(const struct blockmap *b, struct bbindex *ret);
/* The range that block i < blocks.count is in.  O(log ranges). */
const struct blockmap_range *blockmap_range_of(const struct blockmap *b, uint64_t i);

/* What a map says of one function beyond its blocks. */
struct blockmap_detail {
	struct bbmap_cursor cursor; /* zeroed at first */
};
/* The entry of function f with all its details, which hold until the next call; NULL if it is not
 * from a map. */
const struct bbmap_entry *blockmap_detail_get(struct blockmap_detail *d, const struct blockmap *b,
					      const struct blockmap_function *f);
void blockmap_detail_release(struct blockmap_detail *d);

/* block_symbols.c: adds what the symbols of the image say, unsorted. */
void block_symbols_read(struct blockmap *b, const struct image *im, struct notes *notes);

#endif
