/* derive.h - derives machine basic blocks from instructions, for code whose compiler wrote no map.
 *
 * Functions are decoded from start to end. A block starts at the start of a function, at the target
 * of a jump, jump table or pointer, at a landing pad, and after an instruction that ends a block.
 * Which instructions end a block is a convention, because compilers' maps differ from textbooks:
 *
 * - DERIVE_LLVM: consecutive jumps like `jcc A; jmp B` are in one block, unless the last one leaves
 *   the function. A call that may throw and the jump after it are in one block too.
 * - DERIVE_GCC: every jump ends a block.
 * - DERIVE_PURE: control flow alone decides. Like DERIVE_GCC, but padding between instructions
 *   starts no block.
 *
 * Under all conventions, a call ends a block if the call does not return or if its exception is
 * caught in the function. Whether functions return or throw is inferred from their code, their
 * callers, and the given facts. What counts is what the compiler knew: if nothing else leads to the
 * code after a call, the compiler expected the call to return. Padding and bytes that are not
 * instructions belong to no block.
 *
 * Independent of containers: callers pass extents and facts. Machines: x86-64, i386, AArch64,
 * Thumb-2, RISC-V. Data among code (literal pools, tables of branches) is in no block. Time: O(n
 * log n) for any bytes. Memory while it runs: about the size of the code. The result is the same
 * for any number of threads. */
#pragma once

#include "code/code.h"
#include "derive/bbmap_block.h"

enum derive_convention { DERIVE_LLVM, DERIVE_GCC, DERIVE_PURE };

/* The code of a function, or of a part that the compiler moved away from its function */
struct derive_extent {
	uint64_t addr;
	struct bytes code; /* Its bytes, less than 4 GiB */
	bool has_sites;    /* True if derive_facts.sites has the ranges of its call sites */
	bool cold;         /* True if it is known to be moved away from its function */
	bool stubs;        /* True for PLT stubs */
};

/* A range of call sites in an exception table. Has at least one byte */
struct derive_site {
	uint64_t addr, size;
	uint64_t pad; /* Landing pad for exceptions in it. 0 if none */
};

enum derive_trait {
	DERIVE_NO_RETURN = 1 << 0,
	DERIVE_NO_THROW = 1 << 1,
	DERIVE_BEGINS_CATCH = 1 << 2, /* Called at the start of an exception handler */
	DERIVE_ENDS_CATCH = 1 << 3,
	DERIVE_DELETES = 1 << 4, /* Frees the memory of an object */
	/* Only for derive_*.c: */
	DERIVE_RETURNS = 1 << 5,
	DERIVE_THROWS = 1 << 6,
	DERIVE_SEEMS = 1 << 7, /* DERIVE_NO_RETURN is a guess */
	DERIVE_CALM = 1 << 8,  /* The caller of derive itself stated DERIVE_NO_THROW */
};

/* What is known of a callee. `addr`: the function, its stub, or a slot with its address */
struct derive_callee {
	uint64_t addr;
	uint64_t traits; /* Bits of enum derive_trait */
};

/* A relocation: in the linked program, the field at `addr` in an instruction refers to `target` */
struct derive_fix {
	uint64_t addr, target; /* `target` is DERIVE_NOWHERE if it is outside of the given code */
};

struct derive_data {
	uint64_t addr, size;
};

#define DERIVE_NOWHERE UINT64_MAX

struct derive_facts {
	enum code_isa isa;
	enum derive_convention convention;
	const uint8_t *each; /* Convention per extent, which replaces `convention`. NULL if all
			      * extents have `convention` */
	bool big_endian;     /* Byte order of data. That of instructions is fixed */
	bool stretches;      /* True if an extent may have several functions, as for split.h */
	const struct derive_extent *extents; /* Sorted by address, without overlap */
	size_t extent_count;
	const uint64_t *entries; /* Addresses that pointers lead to, sorted */
	size_t entry_count;
	const struct derive_site *sites; /* Sorted by address */
	size_t site_count;
	const struct derive_callee *callees; /* In any order */
	size_t callee_count;
	const struct derive_data *data; /* Data that symbols mark or code reads, sorted by address.
					 * Only for Thumb and RISC-V */
	size_t data_count;
	const struct derive_fix *fixes; /* Sorted by address. Only for objects */
	size_t fix_count;
	/* Returns at most `size` bytes at an address, to read jump tables. Called on any thread. */
	struct bytes (*load)(void *ctx, uint64_t addr, uint64_t size);
	void *ctx;
};

/* Blocks [first, first + count) of a function, maybe none. Their offsets count from its address */
struct derived_function {
	uint64_t first, count;
};

struct derived {
	VEC(struct bbmap_block) blocks;     /* Numbered from 0 in each function */
	struct derived_function *functions; /* One per extent */
};

void derive(const struct derive_facts *f, unsigned threads, struct derived *ret);
void derived_release(struct derived *d);

/* Guesses which compiler made the code. Sets *ret_each to the convention of each extent, and
 * returns the most frequent one. If the code tells nothing, returns DERIVE_PURE, and *ret_each is
 * undefined. */
enum derive_convention derive_guess(const struct derive_facts *f, uint8_t *ret_each);

/* Thumb: returns the end of the branch table that follows the instruction at `off`. If there is
 * none, returns the instruction's end. Both are offsets in the extent. Uses only `isa` and `load`
 * of the facts. */
struct flow;
uint64_t derive_thumb_behind(const struct derive_facts *f, const struct derive_extent *x,
			     uint64_t off, const struct flow *in);
