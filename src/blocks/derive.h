/* derive.h - machine basic blocks of code whose compiler wrote no map, from its instructions.
 *
 * Functions are decoded from front to back.  A block starts where a function does, where a jump, a
 * jump table, a landing pad or a pointer leads, and behind what ends one.  What ends one is a
 * matter of convention, because maps show the blocks of compilers and not those of textbooks:
 *
 *   DERIVE_LLVM  jumps in a row are one block, such as `jcc A; jmp B`, unless the last leaves the
 *                function; so are a call that may throw and the jump behind it
 *   DERIVE_GCC   every jump ends a block
 *   DERIVE_PURE  control flow alone: as gcc, but padding between instructions starts no block
 *
 * Under all, a call ends a block where it does not return or where its exception is caught in the
 * function. Which functions do not return is found out from their code and from how they are
 * called, which do not throw from how they are called, and both from what the caller knows of
 * them.  What compilers knew of a callee is what counts: code behind a call that nothing else leads
 * to was expected to be reached.  Padding belongs to no block, nor does what is no instruction.
 *
 * Knows no container; callers hand over extents and facts.  x86-64, i386, AArch64, Thumb-2, RISC-V.
 * Data among code (literal pools, tables of branches) is in no block.  O(n log n) for
 * any bytes.  Memory while it runs: about the size of the code.  The result is the same for any
 * number of threads. */
#ifndef HEFT_CODE_DERIVE_H
#define HEFT_CODE_DERIVE_H

#include "blocks/bbmap.h"
#include "code/code.h"

enum derive_convention { DERIVE_LLVM, DERIVE_GCC, DERIVE_PURE };

/* The code of a function, or of a part of one. */
struct derive_extent {
	uint64_t addr;
	struct bytes code; /* less than 4 GiB */
	bool has_sites;    /* its language-specific data were read, and are in `sites` */
	bool cold;         /* known to be the part of a function that is moved away */
	bool stubs;        /* a PLT stub or several */
};

/* A call-site range of exception tables, at least a byte. */
struct derive_site {
	uint64_t addr, size;
	uint64_t pad; /* where its exceptions are caught; 0 nowhere */
};

enum derive_trait {
	DERIVE_NO_RETURN = 1 << 0,
	DERIVE_NO_THROW = 1 << 1,
	DERIVE_BEGINS_CATCH = 1 << 2, /* is called where a handler of exceptions begins */
	DERIVE_ENDS_CATCH = 1 << 3,
	DERIVE_DELETES = 1 << 4, /* gives back the memory of an object */
	/* private to derive_*.c */
	DERIVE_RETURNS = 1 << 5,
	DERIVE_THROWS = 1 << 6,
	DERIVE_SEEMS = 1 << 7, /* DERIVE_NO_RETURN is a guess */
	DERIVE_CALM = 1 << 8,  /* DERIVE_NO_THROW is what the caller said */
};

/* What is known of the function at an address: its own, of a stub, or of a slot with its
 * address. */
struct derive_callee {
	uint64_t addr;
	uint64_t traits; /* enum derive_trait */
};

/* The field at `addr`, which is part of an instruction, will lead to `target`. */
struct derive_fix {
	uint64_t addr, target; /* DERIVE_NOWHERE: outside of the code at hand */
};

/* Bytes among code that are none. */
struct derive_data {
	uint64_t addr, size;
};

#define DERIVE_NOWHERE UINT64_MAX

struct derive_facts {
	enum code_isa isa;
	enum derive_convention convention;
	const uint8_t *each; /* an enum derive_convention an extent instead, or NULL */
	bool big_endian;     /* data; instructions are what they are */
	bool stretches;      /* extents are of several functions each, for split.h alone */
	const struct derive_extent *extents; /* by addr, disjoint */
	size_t extent_count;
	const uint64_t *entries; /* sorted: what pointers lead to */
	size_t entry_count;
	const struct derive_site *sites; /* by addr */
	size_t site_count;
	const struct derive_callee *callees; /* in any order */
	size_t callee_count;
	const struct derive_data *data; /* by addr; marked or read as data; Thumb, RISC-V */
	size_t data_count;
	const struct derive_fix *fixes; /* by addr; of relocatable objects */
	size_t fix_count;
	/* The bytes at an address, at most `size`; for jump tables.  Called from any thread. */
	struct bytes (*load)(void *ctx, uint64_t addr, uint64_t size);
	void *ctx;
};

/* Blocks [first, first + count) of a function, offsets from its addr; may be none. */
struct derived_function {
	uint64_t first, count;
};

struct derived {
	VEC(struct bbmap_block) blocks;     /* numbered from 0 in each function */
	struct derived_function *functions; /* one an extent */
};

void derive(const struct derive_facts *f, unsigned threads, struct derived *ret);
void derived_release(struct derived *d);

/* What the code looks like: which compiler's habits it shows.  *ret_each, room for one an extent,
 * is that of each and the result that of most.  DERIVE_PURE where it cannot be told; *ret_each then
 * means nothing. */
enum derive_convention derive_guess(const struct derive_facts *f, uint8_t *ret_each);

/* Of Thumb code: where the table of branches behind the instruction at `off` ends, or the
 * instruction where there is none; from the beginning of the extent.  Of the facts, isa and load
 * matter. */
struct flow;
uint64_t derive_thumb_behind(const struct derive_facts *f, const struct derive_extent *x,
			     uint64_t off, const struct flow *in);

#endif
