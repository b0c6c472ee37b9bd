/* derive_internal.h - declares what the files derive_*.c share.
 *
 * Deriving blocks takes three steps. First, each function is decoded to events and target bits, in
 * parallel. Events are the instructions that matter for blocks. A target bit marks an offset that a
 * jump leads to. Second, all functions together tell which callees return and throw. Third, blocks
 * are made, in parallel. */
#pragma once

#include "base/map.h"
#include "base/sort.h"
#include "code/flow.h"
#include "derive/derive.h"

enum event_kind {
	EVENT_JCC,
	EVENT_JMP,
	EVENT_JMP_INDIRECT, /* `target`: address of the slot that it reads, or DERIVE_NOWHERE */
	EVENT_CALL,
	EVENT_CALL_INDIRECT, /* `target`: as for EVENT_JMP_INDIRECT */
	EVENT_RET,
	EVENT_RET_IF, /* A conditional return */
	EVENT_TRAP,
	EVENT_INT3, /* int3 of x86: padding, unless a jump leads to it */
	EVENT_NOP,
	EVENT_BAD, /* A byte or word that is no instruction */
};

struct event {
	uint64_t target;
	uint32_t off;
	uint8_t len, kind;
	/* Indirect call: offset of the callee in a table of virtual functions. 0 if none. */
	uint8_t slot;
	/* To test two conditions of one floating-point comparison, compilers use two jumps. Both
	 * have the same bit here. */
	uint8_t pair;
	bool table;    /* True for a jump with a jump table, and for EVENT_BAD that is a table */
	bool maybe;    /* True if the call is conditional */
	uint8_t reach; /* Conditional jump: it reaches less than 2^reach bytes. 0: any distance */
};

/* A jump table. Entry i is at addr + i * width, and leads to anchor + (entry << shift) */
struct jump_table {
	uint64_t addr;
	uint64_t anchor;
	uint64_t limit; /* Greatest number of entries. UINT64_MAX if unknown */
	uint8_t width, shift;
	bool is_signed;
	/* True if only the low 32 bits of a target are computed. `high` has the upper 32 bits. */
	bool wraps;
	/* Upper 32 bits of all targets. For objects, whose sections are further apart than entries
	 * of 4 bytes reach. */
	uint64_t high;
};

struct function {
	size_t event_first, event_count; /* Range of its events in batch.events */
	size_t word;                     /* Index in batch.starts and batch.targets of the word with
					  * its first bit */
	uint8_t convention;              /* Value of enum derive_convention */
	/* Range of its jump tables in batch.tables, in event order. Only if extents have several
	 * functions. */
	size_t table_first, table_count;
	bool returns; /* True if it can return, and not only by tail calls */
	bool cold;    /* True for a moved part of a function: jumps lead to it, but no calls */
	uint64_t block_first, block_count;
};

/* The target of a jump that leaves its function */
struct out {
	uint64_t to;
	uint64_t conditional;
};

struct batch {
	size_t first, last; /* Range [first, last) of its functions in derivation.functions */
	uint64_t size;      /* Bytes of the functions' code */
	VEC(struct event) events;
	VEC(struct jump_table) tables;
	uint64_t *starts;  /* One bit per offset: set where an instruction begins. Not for
			    * AArch64 */
	uint64_t *targets; /* One bit per offset: set if a block certainly begins there */
	VEC(struct bbmap_block) blocks;
	VEC(struct out) outs; /* Jumps that leave their function */
	VEC(uint64_t)
	bases;              /* If extents have several functions: addresses of data in code,
			     * where a jump table ends */
	VEC(uint64_t) refs; /* Scratch: addresses of data in the code of the current function */
};

/* Bits of enum derive_trait per function, by address */
struct traits {
	VEC(struct derive_callee) list;
	struct map by_addr;
};

struct derivation {
	const struct derive_facts *facts;
	struct function *functions; /* One per extent */
	VEC(struct batch) batches;
	VEC(uint64_t) bases; /* Starts of jump tables, sorted */
	VEC(uint64_t)
	pads; /* Landing pads, sorted. A pad may be in another part of the function than its
	       * calls */
	VEC(struct out)
	outs;          /* Jumps of all batches that leave their function, sorted. Such jumps connect
			* the parts of a function */
	bool has_cold; /* True if any function is a cold part that was moved away from another */
	bool changed;  /* derive_calls.c: true if this round found another function that returns */
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

/* True if control never continues after the event. */
static inline bool event_ends(const struct event *e)
{
	return e->kind == EVENT_RET || e->kind == EVENT_JMP || e->kind == EVENT_JMP_INDIRECT ||
	       e->kind == EVENT_TRAP || e->kind == EVENT_INT3;
}

/* Stores where a jump leads: as a bit if that is in the function, otherwise in `outs`. */
static inline void note_target(struct batch *b, const struct function *f,
			       const struct derive_extent *x, uint64_t addr, bool conditional)
{
	if (extent_has(x, addr))
		bit_set(b->targets + f->word, addr - x->addr);
	else if (addr != DERIVE_NOWHERE)
		vec_push(&b->outs, (struct out){ addr, conditional });
}

/* A function that is being decoded */
struct derive_scan {
	const struct derive_facts *facts;
	const struct derive_extent *extent;
	struct function *fn;
	struct batch *b;
	size_t fix; /* Index of the next relocation */
	/* derive_x86.c. `before`: offset of the instruction before. */
	uint64_t before;
	size_t tried;    /* Number of references that were tried as a jump table */
	uint64_t loaded; /* If extents have several functions: address of the table that the
			  * instruction before reads */
	uint64_t base;   /* i386, if extents have several functions: address to which code adds
			  * distances. 0 if unknown */
	uint64_t called; /* Offset after the last call, which may have loaded `base` */
	bool mode64;
	bool has_table;
	/* derive_flow.c: */
	struct flow_way way;
	size_t data;       /* Index in derive_facts.data of the next data */
	uint64_t returned; /* Offset after the last return */
	bool untold;       /* True if an indirect jump has no known table */
};

static inline struct derive_scan scan_of(const struct derivation *d, struct batch *b,
					 size_t function)
{
	const struct derive_facts *f = d->facts;
	const struct derive_extent *x = &f->extents[function];
	ASSERT(b->first <= function && function < b->last && b->last <= f->extent_count);
	ASSERT(x->code.size <= UINT32_MAX && b->targets);
	/* Data may begin before the extent. */
	const size_t data = lower_bound(f->data, f->data_count, sizeof *f->data, x->addr);
	return (struct derive_scan){
		.facts = f,
		.extent = x,
		.fn = &d->functions[function],
		.b = b,
		.fix = lower_bound(f->fixes, f->fix_count, sizeof *f->fixes, x->addr),
		.mode64 = f->isa == CODE_X86_64,
		.way = { .isa = f->isa },
		.data = data - (data > 0),
	};
}

/* Returns the data at `off`, or NULL. `off` must not be lower than in the call before. */
static inline const struct derive_data *scan_data_at(struct derive_scan *s, uint64_t off)
{
	const struct derive_facts *f = s->facts;
	const uint64_t addr = s->extent->addr + off;
	while (s->data < f->data_count && f->data[s->data].addr + f->data[s->data].size <= addr)
		s->data++;
	return s->data < f->data_count && f->data[s->data].addr <= addr ? &f->data[s->data] : NULL;
}

static inline struct event *scan_push(struct derive_scan *s, uint64_t off, uint64_t len,
				      enum event_kind kind)
{
	vec_push(&s->b->events, (struct event){ .target = DERIVE_NOWHERE,
						.off = (uint32_t)off,
						.len = (uint8_t)len,
						.kind = (uint8_t)kind });
	return &s->b->events.data[s->b->events.count - 1];
}

/* Adds the data at `off` as event, until the end of the extent at most. Returns its end, or `off`
 * if there is none. */
static inline uint64_t scan_skip_data(struct derive_scan *s, uint64_t off)
{
	enum { MOST = 252 };
	const struct derive_data *data = scan_data_at(s, off);
	const struct derive_extent *x = s->extent;
	const uint64_t end = data ? min_u64(data->addr + data->size - x->addr, x->code.size) : off;
	while (off < end) {
		const uint64_t len = min_u64(end - off, MOST);
		scan_push(s, off, len, EVENT_BAD);
		off += len;
	}
	return end;
}

/* Returns the offset of the next data, or the end of the code. */
static inline uint64_t scan_next_data(const struct derive_scan *s)
{
	const struct derive_facts *f = s->facts;
	const uint64_t size = s->extent->code.size;
	return s->data < f->data_count ? min_u64(f->data[s->data].addr - s->extent->addr, size)
				       : size;
}

/* Returns the address that the field at `off` will have after linking. If a relocation sets the
 * field, returns its target, otherwise `stands`, the address that the instruction itself contains.
 * `off` must not be lower than in the previous call. */
static inline uint64_t scan_relocated(struct derive_scan *s, uint64_t off, uint64_t stands)
{
	const struct derive_facts *f = s->facts;
	const uint64_t field = s->extent->addr + off;
	while (s->fix < f->fix_count && f->fixes[s->fix].addr < field)
		s->fix++;
	return s->fix < f->fix_count && f->fixes[s->fix].addr == field ? f->fixes[s->fix].target
								       : stands;
}

/* True if code at `off` may be padding: control does not reach it, or padding is before it. */
static inline bool scan_pads(const struct derive_scan *s, uint64_t off)
{
	const size_t count = s->b->events.count;
	const struct event *e = s->b->events.data + count - 1;
	return count > s->fn->event_first && event_end(e) == off &&
	       (event_ends(e) || e->kind == EVENT_NOP || e->kind == EVENT_BAD);
}

/* derive.c: decodes all extents of d->facts, which the caller has set. */
void derive_decode(struct derivation *d, unsigned threads);
void derive_release(struct derivation *d);

/* Decode a function, whose bits (batch.starts, batch.targets) are allocated. derive_flow() is for
 * the machines of flow.h except x86 and AArch64. */
void derive_x86(const struct derivation *d, struct batch *b, size_t function);
void derive_arm64(const struct derivation *d, struct batch *b, size_t function);
void derive_flow(const struct derivation *d, struct batch *b, size_t function);
/* derive_thumb.c: true if the instruction at `off` jumps through a table after it. */
bool derive_thumb_table(const struct derive_facts *f, const struct derive_extent *x, uint64_t off,
			const struct flow *in, struct jump_table *ret);
/* Guess the compiler of a function. Return -2 (surely gcc) to 2 (surely LLVM), 0 if unknown. */
int derive_x86_vote(struct bytes code);
int derive_arm64_vote(struct bytes code);

/* derive_tables.c: visits the targets in a jump table one by one. table_next() returns false after
 * the last */
struct table_cursor {
	const struct jump_table *table;
	struct bytes bytes;
	uint64_t next;
	bool big_endian;
	enum code_isa isa;
};
/* Opens a jump table for table_next(). The table ends at the latest where the next one starts. */
void table_open_whole(struct table_cursor *c, const struct derivation *d,
		      const struct jump_table *t);
bool table_next(struct table_cursor *c, uint64_t *ret);
/* Sets `wraps` and `high` of a table of function x. */
void table_set_reach(const struct derive_facts *f, const struct derive_extent *x,
		     struct jump_table *t);
/* True if the bytes at `addr` look like a jump table of function x. *ret tells how to read it. */
bool table_guess(const struct derive_facts *f, const struct derive_extent *x, uint64_t addr,
		 struct jump_table *ret);
/* Only if extents have several functions: true if the bytes at `addr` are the table of the jump
 * that ends at `end`. An entry must lead to `end` or shortly after it. `loaded`: entries are
 * addresses. */
bool table_of_jump(const struct derive_facts *f, const struct derive_extent *x, uint64_t addr,
		   uint64_t end, bool loaded, struct jump_table *ret);
/* Like table_of_jump(), for entries that are distances from `anchor`. */
bool table_of_distances(const struct derive_facts *f, const struct derive_extent *x, uint64_t addr,
			uint64_t anchor, uint64_t end, struct jump_table *ret);
/* Marks the targets of a function's jump tables as starts of blocks. */
void tables_follow(const struct derivation *d, struct batch *b, size_t function);

/* derive_calls.c: finds which functions return and which throw. */
void derive_calls(struct derivation *d);
uint64_t traits_get(const struct traits *t, uint64_t addr);
/* Returns the index of the first range of call sites that ends after addr. */
size_t site_from(const struct derive_facts *f, uint64_t addr);

/* derive_copies.c: returns where the block of a call that may throw ends, at or after `from`.
 * `next`: the event after the call, or NULL. */
uint32_t copies_end(const struct derive_extent *x, const uint64_t *targets, uint32_t from,
		    const struct event *next);

void derive_blocks(const struct derivation *d, struct batch *b, size_t function);
