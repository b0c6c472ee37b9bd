/* bbmap.h - reads maps of machine basic blocks, which compilers write into their own sections.
 *
 * A map section consists of entries, one per function. An entry has the addresses of the function's
 * ranges. For each block it has the start, size, number and flags. All encodings that ever existed:
 *
 * - BBMAP_SEED: .bb_info, the proposal of July 2020 (llvm-dev, "basic block info section").
 * - BBMAP_UNVERSIONED: .bb_addr_map of autumn 2020, and sections of type 0x6fff4c08 (LLVM 12 to
 *   14).
 * - BBMAP_VERSIONED: sections of type 0x6fff4c0a, versions 1 to 5 (LLVM 15 and later; LLVM
 *   "Extensions", SHT_LLVM_BB_ADDR_MAP).
 *
 * Entries have no length field. After a damaged entry, reading continues at the next offset that
 * looks like an entry. So only the damaged function, and rarely another one, is lost. With
 * relocations or known starts of functions, only the damaged function is lost.
 *
 * The caller passes the bytes and facts about addresses. Time: linear in the section's size, for
 * any bytes. Memory: one entry, at most 40 times its bytes. One thread per cursor. */
#pragma once

#include "base/reader.h"
#include "base/vec.h"
#include "derive/bbmap_block.h"

enum bbmap_form { BBMAP_SEED, BBMAP_UNVERSIONED, BBMAP_VERSIONED };

enum { BBMAP_VERSION_MAX = 5 };

/* Bits that tell which optional contents an entry has */
enum bbmap_feature {
	BBMAP_ENTRY_COUNT = 1 << 0,
	BBMAP_FREQUENCY = 1 << 1,
	BBMAP_PROBABILITY = 1 << 2,
	BBMAP_MULTI_RANGE = 1 << 3,
	BBMAP_NO_BLOCKS = 1 << 4, /* The entry states the number of blocks, but has none */
	BBMAP_CALLS = 1 << 5,
	BBMAP_HASH = 1 << 6,
	BBMAP_POST_LINK = 1 << 7,
};

/* Returns the features that a version may have, for versions 0 to BBMAP_VERSION_MAX. */
unsigned bbmap_features(unsigned version);

/* A relocation: the field at offset `off` of the section has the value `addr` */
struct bbmap_fix {
	uint64_t off, addr;
};

struct bbmap_section {
	struct bytes bytes;
	enum bbmap_form form;
	uint8_t addr_size; /* 4 or 8 */
	bool big_endian;
	/* True for objects: addresses come from `fixes`, sorted by off. Other addresses are 0. */
	bool relocated;
	const struct bbmap_fix *fixes;
	size_t fix_count;
	/* is_code: tells whether code is at an address. is_start: tells whether a known function
	 * starts there. NULL: true for every address. Not called if `relocated`. */
	bool (*is_code)(void *ctx, uint64_t addr);
	bool (*is_start)(void *ctx, uint64_t addr); /* Called only after damage */
	void *ctx;
};

struct bbmap_range {
	uint64_t addr;
	uint64_t stated;     /* Number of blocks that the entry states, even with BBMAP_NO_BLOCKS */
	size_t first, count; /* Range in entry.blocks */
};

struct bbmap_successor {
	uint32_t id;
	uint32_t probability; /* In units of 2^-31 */
	uint32_t frequency;   /* Frequency after linking (BBMAP_POST_LINK). 0 if absent */
};

/* Details of a block. Read only if the cursor was opened with `detail` */
struct bbmap_detail {
	uint64_t hash;                 /* 0 if absent */
	uint64_t frequency;            /* 0 if absent */
	uint32_t post_link;            /* Frequency after linking (BBMAP_POST_LINK). 0 if absent */
	size_t call_first, call_count; /* Range in entry.calls */
	size_t successor_first, successor_count; /* Range in entry.successors */
};

/* The entry of one function. The cursor owns the lists, valid until it moves */
struct bbmap_entry {
	uint64_t off, size; /* Range in the section */
	uint8_t version;    /* 0 if the form of the map has no versions */
	uint16_t features;
	uint64_t entry_count;           /* Number of calls (BBMAP_ENTRY_COUNT). 0 if absent */
	VEC(struct bbmap_range) ranges; /* At least one */
	VEC(struct bbmap_block) blocks;
	VEC(struct bbmap_detail) details;
	VEC(uint32_t) calls; /* End of each call, counted from the start of its block */
	VEC(struct bbmap_successor) successors;
};

enum bbmap_fault {
	BBMAP_FINE,
	BBMAP_BAD_VERSION,
	BBMAP_BAD_FEATURES, /* The entry has features that are unknown, or not in its version */
	BBMAP_BAD_COUNT,    /* No ranges, or more ranges or blocks than the bytes allow */
	BBMAP_BAD_NUMBER,   /* A number has too many bytes, or is too large */
	BBMAP_BAD_FLAGS,
	BBMAP_CUT_OFF,   /* The section ends inside the entry */
	BBMAP_BAD_PLACE, /* The entry, or what follows it, has an address without code */
	BBMAP_FAULT_COUNT
};

const char *bbmap_fault_text(enum bbmap_fault fault);

enum bbmap_step {
	BBMAP_END,
	BBMAP_FUNCTION, /* cursor.entry is set */
	/* cursor.fault at cursor.fault_off. [skip_off, skip_off + skip_size) was skipped. */
	BBMAP_DAMAGE,
};

struct bbmap_cursor {
	const struct bbmap_section *section; /* Borrowed */
	bool detail;
	struct bbmap_entry entry;
	enum bbmap_fault fault;
	uint64_t fault_off, skip_off, skip_size;
	uint64_t pos;
	uint64_t work; /* Number of bytes that were read again */
	size_t fix;    /* Index of the last relocation found in section->fixes */
};

/* Opens a cursor at the start of a section. `detail`: also reads details, calls and successors. */
void bbmap_open(struct bbmap_cursor *c, const struct bbmap_section *s, bool detail);
void bbmap_close(struct bbmap_cursor *c);
enum bbmap_step bbmap_next(struct bbmap_cursor *c);
/* Reads the entry at `off`, where bbmap_next() found one. False if there is none. */
bool bbmap_read(struct bbmap_cursor *c, uint64_t off);
