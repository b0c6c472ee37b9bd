/* blockmap.h - reads the machine basic blocks of an image from all places that compilers use.
 *
 * Reads maps of all forms (blocks/bbmap.h) from all sections that have one, compressed or not. In
 * objects, relocations are applied. Without such a section, reads the block symbols that LLVM until
 * 11 wrote with -fbasic-block-sections=labels. Addresses are those of image.h.
 *
 * llvm-bolt copies its input's map, which does not fit moved code. A note says so.
 *
 * Functions are sorted by address. Drops repeated entries, entries of removed functions, and
 * functions at addresses without code. Damage makes a note and loses only the damaged function.
 *
 * Memory: 16 bytes per block, 40 per function, 32 per range. Unpacked sections stay in memory as
 * long as the map is open. Borrows the image and the debug file's image. Immutable once read,
 * except for the names. One thread. */
#ifndef HEFT_BLOCKS_BLOCKMAP_H
#define HEFT_BLOCKS_BLOCKMAP_H

#include "blocks/bbindex.h"
#include "image/image.h"

enum blockmap_origin { BLOCKS_OF_MAP, BLOCKS_OF_SYMBOLS, BLOCKS_DERIVED };

struct blockmap_function {
	uint64_t addr;    /* Start of its first range */
	uint64_t entry;   /* BLOCKS_OF_MAP: offset of its entry in the section */
	const char *name; /* Linkage name, or NULL. Set by blockmap_name() and by block symbols */
	uint32_t range_first, range_count; /* Range of its ranges, at least one */
	uint32_t section;                  /* BLOCKS_OF_MAP: index in `sections` */
	uint16_t features;                 /* Bits BBMAP_* */
	uint8_t version;                   /* Version of its entry. 0 if not stated */
	uint8_t origin;
	bool thumb; /* BLOCKS_DERIVED: true for ARM code of the Thumb set */
};

struct blockmap_range {
	uint64_t addr;
	uint64_t stated;       /* Number of blocks that the entry states. With BBMAP_NO_BLOCKS,
			        * fewer are listed */
	uint64_t first, count; /* Range in `blocks` */
	uint32_t function;
	uint32_t number; /* Index in its entry, including dropped ranges */
};

/* Why an entry, or a range of an entry, is not in the map. */
enum blockmap_drop {
	BLOCKS_TOMBSTONE,
	BLOCKS_REPEATED,
	BLOCKS_DISPLACED,
	BLOCKS_DAMAGED,
};

struct blockmap_dropped {
	uint64_t addr;
	uint64_t entry; /* Offset of the entry in its section */
	enum blockmap_drop why;
};

struct blockmap_section {
	const struct section *section;
	struct bbmap_section map;
	void *owned; /* Unpacked bytes */
	struct bbmap_fix *fixes;
};

struct blockmap {
	const struct image *image;
	VEC(struct blockmap_section) sections;
	VEC(struct blockmap_function) functions; /* Sorted by addr */
	VEC(struct blockmap_range) ranges;       /* The ranges of a function are adjacent */
	VEC(struct bbmap_block)
	blocks; /* The blocks of a range are adjacent. Ranges are sorted by addr */
	VEC(uint32_t)
	by_addr;                                  /* Indexes of ranges, by addr and by `first` */
	uint64_t tombstones, repeated, displaced; /* Numbers of omitted entries. `displaced`:
						   * there is no code at the address */
	VEC(struct blockmap_dropped) dropped;     /* The omitted entries, and damaged ones */
	struct arena texts;                       /* Names of PLT stubs, which heft generates
						   * because no image has them */
};

/* True if a section is a block map, by its type or by a known name. */
bool section_is_block_map(const struct section *s);
/* Returns the form of a map. If a tool that copies sections has lost the type, the first entry
 * shows the form. */
enum bbmap_form block_map_form(const struct section *s, const struct bbmap_section *map);

/* Reads the map of the image. A missing map is not an error. Without a map in the image, uses the
 * maps in the separate debug file `debug` (may be NULL). */
void blockmap_read(struct blockmap *b, const struct image *im, const struct image *debug,
		   struct notes *notes);
void blockmap_release(struct blockmap *b);
/* Asserts the order of functions, ranges and blocks. Called after reading and deriving, if
 * HEFT_CHECKS. O(ranges + functions). */
void blockmap_verify(const struct blockmap *b);
/* Sets the functions' names from symbols at their addresses. Texts belong to image or map. */
void blockmap_name(struct blockmap *b, const struct image *debug);

/* Builds an index of all blocks. Places in it are indexes of `blocks`. */
void blockmap_index(const struct blockmap *b, struct bbindex *ret);
/* Returns the range of block i < blocks.count. O(log ranges). */
const struct blockmap_range *blockmap_range_of(const struct blockmap *b, uint64_t i);

/* Reads a map's details of one function. */
struct blockmap_detail {
	struct bbmap_cursor cursor; /* Zeroed at first */
};
/* Returns function f's entry with all details, valid until the next call. NULL if f is not from a
 * map. */
const struct bbmap_entry *blockmap_detail_get(struct blockmap_detail *d, const struct blockmap *b,
					      const struct blockmap_function *f);
void blockmap_detail_release(struct blockmap_detail *d);

/* block_symbols.c: adds blocks from symbols of the image, unsorted. */
void block_symbols_read(struct blockmap *b, const struct image *im, struct notes *notes);

#endif
