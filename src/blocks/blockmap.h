/* blockmap.h - reads the machine basic blocks of an image from all places that compilers use.
 *
 * Reads maps of all forms (blocks/bbmap.h) from all sections that have one, compressed or not. In
 * objects, relocations are applied. Without such a section, reads the block symbols that LLVM until
 * 11 wrote with -fbasic-block-sections=labels. Addresses are those of image.h.
 *
 * llvm-bolt keeps the map of its input, which does not fit the code that it moved. A note says so.
 *
 * Functions are sorted by address. Drops repeated entries, entries of removed functions, and
 * functions at addresses without code. Damage makes a note and loses only the damaged function.
 *
 * Memory: 16 bytes per block, 40 per function, 32 per range. Unpacked sections stay in memory as
 * long as the map is open. Borrows the image and the debug file's image. Immutable once read,
 * except for the names. One thread. */
#pragma once

#include "blocks/bbindex.h"
#include "image/image.h"

enum blockmap_origin { BLOCKS_OF_MAP, BLOCKS_OF_SYMBOLS, BLOCKS_DERIVED };

struct blockmap_function {
	uint64_t addr;
	uint64_t entry;   /* Offset of its map entry in `section`, if `origin` is BLOCKS_OF_MAP */
	const char *name; /* Linkage name, or NULL. Set by blockmap_name(), or from block symbols */
	uint32_t range_first, range_count; /* Its ranges in blockmap.ranges, at least one */
	uint32_t section;                  /* BLOCKS_OF_MAP: index in blockmap.sections */
	uint16_t features;                 /* Bits of enum bbmap_feature */
	uint8_t version;                   /* Version of the entry. 0 if not stated */
	uint8_t origin;
	bool thumb; /* BLOCKS_DERIVED: true for Thumb code */
};

struct blockmap_range {
	uint64_t addr;
	uint64_t stated;       /* Number of blocks that the map's entry states. `count` is lower
			        * with BBMAP_NO_BLOCKS */
	uint64_t first, count; /* Range in blockmap.blocks */
	uint32_t function;
	uint32_t number; /* Index in the ranges of its map entry, which include dropped ranges */
};

/* Why an entry, or a range of an entry, is not in the map. */
enum blockmap_drop { BLOCKS_TOMBSTONE, BLOCKS_REPEATED, BLOCKS_DISPLACED, BLOCKS_DAMAGED };

struct blockmap_dropped {
	uint64_t addr;
	uint64_t entry; /* Offset of its entry in the section */
	enum blockmap_drop why;
};

struct blockmap_section {
	const struct section *section;
	struct bbmap_section map;
	void *owned; /* Unpacked bytes, or NULL */
	struct bbmap_fix *fixes;
};

struct blockmap {
	const struct image *image;
	VEC(struct blockmap_section) sections;
	VEC(struct blockmap_function) functions; /* Sorted by address */
	VEC(struct blockmap_range) ranges;       /* The ranges of a function are adjacent */
	VEC(struct bbmap_block)
	blocks; /* Blocks of each range together. Ranges are sorted by address */
	VEC(uint32_t)
	by_addr;                                  /* Indexes in `ranges`, sorted by addr, then
						   * `first` */
	uint64_t tombstones, repeated, displaced; /* Number of omitted entries, by reason.
						   * `displaced`: there is no code at the address */
	VEC(struct blockmap_dropped) dropped;     /* Omitted and damaged entries */
	struct arena texts;                       /* Names that heft makes for PLT stubs */
};

/* True if a section is a block map, by its type or by a known name. */
bool section_is_block_map(const struct section *s);
/* Returns the form of a map. If a tool that copies sections has lost their type, the first entry
 * shows the form. */
enum bbmap_form block_map_form(const struct section *s, const struct bbmap_section *map);

/* Reads the map of the image, or if it has none, that of the separate debug file `debug` (may be
 * NULL). The map is empty if both have none. */
void blockmap_read(struct blockmap *b, const struct image *im, const struct image *debug,
		   struct notes *notes);
void blockmap_release(struct blockmap *b);
/* Asserts the order of functions, ranges and blocks. Called after reading and deriving, if
 * HEFT_CHECKS. O(ranges + functions). */
void blockmap_verify(const struct blockmap *b);
/* Sets the functions' names from symbols at their addresses. Image or map own the texts. */
void blockmap_name(struct blockmap *b, const struct image *debug);

/* Builds an index of all blocks, which refers to their indexes in `blocks`. */
void blockmap_index(const struct blockmap *b, struct bbindex *ret);
/* Returns the range of block i < blocks.count. O(log ranges). */
const struct blockmap_range *blockmap_range_of(const struct blockmap *b, uint64_t i);

/* Reads the details of functions (struct bbmap_detail) from the map's entries */
struct blockmap_detail {
	struct bbmap_cursor cursor; /* All zero at first */
};
/* Returns function f's entry with all details. Valid until the next call. NULL if f is derived. */
const struct bbmap_entry *blockmap_detail_get(struct blockmap_detail *d, const struct blockmap *b,
					      const struct blockmap_function *f);
void blockmap_detail_release(struct blockmap_detail *d);

/* block_symbols.c: adds, in no order, the blocks that symbols of the image describe. */
void block_symbols_read(struct blockmap *b, const struct image *im, struct notes *notes);
