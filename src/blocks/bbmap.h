/* bbmap.h - maps of machine basic blocks, which compilers write beside the code.
 *
 * A map section is a run of entries, one a function: addresses of the function's ranges, and for
 * each block where it starts, its size, its number and flags.  All encodings there ever were:
 *
 *   BBMAP_SEED         .bb_info, the proposal of July 2020 (llvm-dev, "basic block info section")
 *   BBMAP_UNVERSIONED  .bb_addr_map of autumn 2020; sections of type 0x6fff4c08, LLVM 12 to 14
 *   BBMAP_VERSIONED    sections of type 0x6fff4c0a, versions 1 to 5: LLVM 15 and later (LLVM
 *                      "Extensions", SHT_LLVM_BB_ADDR_MAP)
 *
 * Entries have no length.  Where one is damaged, the walk goes on at the next place that looks like
 * an entry, which costs the function in question and rarely another one.  How well that works
 * depends on what is known of addresses: relocations or starts of functions make it exact.
 *
 * Knows no container: callers hand over bytes and what they know.  Time is linear in the size of
 * the section, for any bytes; memory is that of one entry, at most 40 times its bytes.  One thread
 * a cursor. */
#ifndef HEFT_CODE_BBMAP_H
#define HEFT_CODE_BBMAP_H

#include "base/reader.h"
#include "base/vec.h"

enum bbmap_form { BBMAP_SEED, BBMAP_UNVERSIONED, BBMAP_VERSIONED };

enum { BBMAP_VERSION_MAX = 5 };

/* What an entry may have besides blocks; the bits as they stand in it. */
enum bbmap_feature {
	BBMAP_ENTRY_COUNT = 1 << 0,
	BBMAP_FREQUENCY = 1 << 1,
	BBMAP_PROBABILITY = 1 << 2,
	BBMAP_MULTI_RANGE = 1 << 3,
	BBMAP_NO_BLOCKS = 1 << 4, /* counts of blocks, but no blocks */
	BBMAP_CALLS = 1 << 5,
	BBMAP_HASH = 1 << 6,
	BBMAP_POST_LINK = 1 << 7,
};

/* The features a version may have; version 0 to BBMAP_VERSION_MAX. */
unsigned bbmap_features(unsigned version);

/* Flags of a block; the bits as they stand in the map. */
enum bbmap_flag {
	BBMAP_RETURN = 1 << 0, /* ends in a return or a tail call */
	BBMAP_TAIL_CALL = 1 << 1,
	BBMAP_LANDING_PAD = 1 << 2,
	BBMAP_FALL_THROUGH = 1 << 3, /* control may go on to the block behind it */
	BBMAP_INDIRECT_JUMP = 1 << 4,
};

/* The address at byte `off` of the section is `addr`. */
struct bbmap_fix {
	uint64_t off, addr;
};

struct bbmap_section {
	struct bytes bytes;
	enum bbmap_form form;
	uint8_t addr_size; /* 4 or 8 */
	bool big_endian;
	/* Objects: addresses are those of `fixes`, sorted by off; others are 0. */
	bool relocated;
	const struct bbmap_fix *fixes;
	size_t fix_count;
	/* Whether there is code at an address; whether a function is known to start there.  Not
	 * asked where `relocated`; NULL = nothing is known, and everything possible. */
	bool (*is_code)(void *ctx, uint64_t addr);
	bool (*is_start)(void *ctx, uint64_t addr); /* asked only where there is damage */
	void *ctx;
};

struct bbmap_block {
	uint32_t id;  /* the compiler's number; up to version 1 the place in the entry */
	uint32_t off; /* from the address of its range */
	uint32_t size;
	uint32_t flags;
};

struct bbmap_range {
	uint64_t addr;
	uint64_t stated;     /* blocks it has; with BBMAP_NO_BLOCKS they are not there */
	size_t first, count; /* in entry.blocks */
};

struct bbmap_successor {
	uint32_t id;
	uint32_t probability; /* in units of 2^-31 */
	uint32_t frequency;   /* BBMAP_POST_LINK, else 0 */
};

/* What else an entry says of block i; only for cursors that were asked for it. */
struct bbmap_detail {
	uint64_t hash;                 /* BBMAP_HASH, else 0 */
	uint64_t frequency;            /* BBMAP_FREQUENCY, else 0 */
	uint32_t post_link;            /* BBMAP_POST_LINK, else 0: frequency after linking */
	size_t call_first, call_count; /* in entry.calls */
	size_t successor_first, successor_count; /* in entry.successors */
};

/* One function.  The arrays are the cursor's and hold until it moves. */
struct bbmap_entry {
	uint64_t off, size; /* bytes of the section */
	uint8_t version;    /* 0 where the form has none */
	uint16_t features;
	uint64_t entry_count; /* BBMAP_ENTRY_COUNT, else 0: how often the function was entered */
	VEC(struct bbmap_range) ranges; /* one at least */
	VEC(struct bbmap_block) blocks;
	VEC(struct bbmap_detail) details;
	VEC(uint32_t) calls; /* where each call of a block ends, from the block's start */
	VEC(struct bbmap_successor) successors;
};

enum bbmap_fault {
	BBMAP_FINE,
	BBMAP_BAD_VERSION,
	BBMAP_BAD_FEATURES, /* unknown, or not of this version */
	BBMAP_BAD_COUNT,    /* no ranges, or more ranges or blocks than bytes */
	BBMAP_BAD_NUMBER,   /* over-long, or larger than its kind may be */
	BBMAP_BAD_FLAGS,
	BBMAP_CUT_OFF,   /* the section ends inside the entry */
	BBMAP_BAD_PLACE, /* addresses without code, in it or behind it */
	BBMAP_FAULT_COUNT
};

/* "unknown version" ... */
const char *bbmap_fault_text(enum bbmap_fault fault);

enum bbmap_step {
	BBMAP_END,
	BBMAP_FUNCTION, /* cursor.entry */
	/* cursor.fault at fault_off; [skip_off, skip_off + skip_size) is passed over */
	BBMAP_DAMAGE,
};

struct bbmap_cursor {
	const struct bbmap_section *section; /* borrowed */
	bool detail;
	struct bbmap_entry entry;
	enum bbmap_fault fault;
	uint64_t fault_off, skip_off, skip_size;
	/* private */
	uint64_t pos;
	uint64_t work; /* bytes looked at again */
	size_t fix;    /* the next one */
};

/* `detail`: fill details, calls and successors too. */
void bbmap_open(struct bbmap_cursor *c, const struct bbmap_section *s, bool detail);
void bbmap_close(struct bbmap_cursor *c);
enum bbmap_step bbmap_next(struct bbmap_cursor *c);
/* The entry at `off`, which bbmap_next found there before; false if none is. */
bool bbmap_read(struct bbmap_cursor *c, uint64_t off);

#endif
