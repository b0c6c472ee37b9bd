/* derive_internal.h - what the files derive_*.c share.
 *
 * Deriving takes three steps.  Decoding (in parallel) turns each function into events, which are
 * the instructions that matter to blocks, and a bit for each place a jump leads to.  Then what is
 * known of callees is gathered from all functions together.  Then (in parallel) blocks are made. */
#ifndef HEFT_CODE_DERIVE_INTERNAL_H
#define HEFT_CODE_DERIVE_INTERNAL_H

#include "base/map.h"
#include "blocks/derive.h"

enum event_kind {
	EVENT_JCC,
	EVENT_JMP,
	EVENT_JMP_INDIRECT, /* target: the slot it reads, or DERIVE_NOWHERE */
	EVENT_CALL,
	EVENT_CALL_INDIRECT, /* the same */
	EVENT_RET,
	EVENT_RET_IF, /* on a condition */
	EVENT_TRAP,
	EVENT_INT3, /* x86: padding where nothing leads to it */
	EVENT_NOP,
	EVENT_BAD, /* a byte or word that is no instruction */
};

struct event {
	uint64_t target; /* address */
	uint32_t off;
	uint8_t len, kind;
	/* indirect call: offset in the table of virtual functions, if it is one; 0 none */
	uint8_t slot;
	/* Of conditional jumps on the outcome of one comparison of floating-point numbers: all that
	 * belong together have the same bit. */
	uint8_t pair;
	bool table;    /* indirect jump: it has a jump table; no instruction: it is of one */
	bool maybe;    /* call: on a condition */
	uint8_t reach; /* conditional jump: it gets less than 2^reach bytes far; 0 as far as any */
};

/* Entry i is at addr + i * width and leads to anchor + (entry << shift). */
struct jump_table {
	uint64_t addr;
	uint64_t anchor;
	uint64_t limit; /* entries at most; UINT64_MAX not known */
	uint8_t width, shift;
	bool is_signed;
	/* what it leads to is known but for the bits above the low 32, which are those of */
	bool wraps;
	/* this: sections of objects lie further apart than entries of 4 bytes reach */
	uint64_t high;
};

struct function {
	size_t event_first, event_count; /* in its batch */
	size_t word;                     /* of its bits */
	uint8_t convention;              /* enum derive_convention */
	/* Of a stretch of functions: those of the events that have one, in their order. */
	size_t table_first, table_count;
	bool returns; /* not only by a tail call */
	bool cold;    /* the part of a function that is jumped into, not called */
	uint64_t block_first, block_count;
};

/* Neighbouring functions: one job. */
struct out {
	uint64_t to;
	uint64_t conditional;
};

struct batch {
	size_t first, last; /* functions */
	uint64_t size;      /* bytes of their code */
	VEC(struct event) events;
	VEC(struct jump_table) tables;
	uint64_t *starts;  /* a bit for each offset: an instruction starts there; not AArch64 */
	uint64_t *targets; /* a block starts there whatever stands before it */
	VEC(struct bbmap_block) blocks;
	VEC(struct out) outs; /* where jumps lead that leave their function */
	VEC(uint64_t) bases;  /* of a stretch: data that code refers to; tables end there */
	VEC(uint64_t) refs;   /* scratch: data that the function took the address of */
};

/* Traits of functions by address. */
struct traits {
	VEC(struct derive_callee) list;
	struct map by_addr;
};

struct derivation {
	const struct derive_facts *facts;
	struct function *functions; /* one an extent */
	VEC(struct batch) batches;
	VEC(uint64_t) bases; /* of jump tables, sorted */
	VEC(uint64_t)
	pads; /* landing pads, sorted; often in another part than the ranges they are of */
	VEC(struct out) outs; /* of all batches, sorted: parts of functions jump into one another */
	bool has_cold;        /* some function is cold */
	struct traits traits;
};

static inline bool bit_get(const uint64_t *bits, uint64_t i)
{
	return bits[i / 64] >> (i % 64) & 1;
}

static inline void bit_set(uint64_t *bits, uint64_t i)
{
	bits[i / 64] |= UINT64_C(1) << i % 64;
}

static inline uint32_t event_end(const struct event *e)
{
	return e->off + e->len;
}

static inline bool event_is_call(const struct event *e)
{
	return e->kind == EVENT_CALL || e->kind == EVENT_CALL_INDIRECT;
}

static inline bool extent_has(const struct derive_extent *x, uint64_t addr)
{
	return addr - x->addr < x->code.size;
}

static inline const struct event *events_of(const struct batch *b, const struct function *f)
{
	return b->events.data + f->event_first;
}

/* Records where a jump leads. */
static inline void note_target(struct batch *b, const struct function *f,
			       const struct derive_extent *x, uint64_t addr, bool conditional)
{
	if (extent_has(x, addr))
		bit_set(b->targets + f->word, addr - x->addr);
	else if (addr != DERIVE_NOWHERE)
		vec_push(&b->outs, (struct out){ addr, conditional });
}

/* derive.c: decodes all extents of d->facts, the only member that is set before. */
void derive_decode(struct derivation *d, unsigned threads);
void derive_release(struct derivation *d);

/* derive_x86.c, derive_arm64.c, derive_flow.c (all that flow.h knows): decodes a function, whose
 * bits are there. */
void derive_x86(const struct derivation *d, struct batch *b, size_t function);
void derive_arm64(const struct derivation *d, struct batch *b, size_t function);
void derive_flow(const struct derivation *d, struct batch *b, size_t function);
/* derive_thumb.c: whether the instruction at `off` jumps through a table behind it. */
struct flow;
bool derive_thumb_table(const struct derive_facts *f, const struct derive_extent *x, uint64_t off,
			const struct flow *in, struct jump_table *ret);
/* The vote of a function, -2 to 2: for gcc if less than 0, for LLVM if more. */
int derive_x86_vote(struct bytes code);
int derive_arm64_vote(struct bytes code);

/* derive_tables.c: where entry i < count of a table of at most `count` leads; false past its
 * end. */
struct table_cursor {
	const struct jump_table *table;
	struct bytes bytes;
	uint64_t next;
	bool big_endian;
	enum code_isa isa;
};
void table_open(struct table_cursor *c, const struct derive_facts *f, const struct jump_table *t,
		uint64_t most);
bool table_next(struct table_cursor *c, uint64_t *ret);
/* Completes a table of the function. */
void table_set_reach(const struct derive_facts *f, const struct derive_extent *x,
		     struct jump_table *t);
/* Whether what is at `addr` looks like a table of the function: *ret is how it is read. */
bool table_guess(const struct derive_facts *f, const struct derive_extent *x, uint64_t addr,
		 struct jump_table *ret);
/* Whether what is at `addr` is a table of the jump that ends at `end`, in a stretch of functions:
 * an entry leads on from there.  `loaded`: its entries are loaded and jumped to as they are. */
bool table_of_jump(const struct derive_facts *f, const struct derive_extent *x, uint64_t addr,
		   uint64_t end, bool loaded, struct jump_table *ret);
/* The same of a table whose entries are distances from `anchor`. */
bool table_of_distances(const struct derive_facts *f, const struct derive_extent *x, uint64_t addr,
			uint64_t anchor, uint64_t end, struct jump_table *ret);
/* Records where the tables of a function lead. */
void tables_follow(const struct derivation *d, struct batch *b, size_t function);

/* derive_calls.c */
void derive_calls(struct derivation *d);
uint64_t traits_get(const struct traits *t, uint64_t addr);
/* The first call-site range that ends behind addr. */
size_t site_from(const struct derive_facts *f, uint64_t addr);

/* derive_copies.c: the end of the block of a call that may throw, whose code up to `from` is known;
 * `next` is the event behind, or NULL. */
uint32_t copies_end(const struct derive_extent *x, const uint64_t *targets, uint32_t from,
		    const struct event *next);

/* derive_blocks.c */
void derive_blocks(const struct derivation *d, struct batch *b, size_t function);

#endif
