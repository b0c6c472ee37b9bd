/* derive_internal.h - declares what the files derive_*.c share.
 *
 * Deriving blocks takes three steps. First, decoding turns each function into events and target
 * bits, in parallel. Events are the instructions that affect blocks. A target bit marks an offset
 * to which a jump leads. Second, facts about callees are gathered from all functions. Third, blocks
 * are made, in parallel. */
#ifndef HEFT_DERIVE_DERIVE_INTERNAL_H
#define HEFT_DERIVE_DERIVE_INTERNAL_H

#include "base/map.h"
#include "base/sort.h"
#include "code/flow.h"
#include "derive/derive.h"

enum event_kind {
	EVENT_JCC,
	EVENT_JMP,
	EVENT_JMP_INDIRECT, /* `target`: the slot that the jump reads, or DERIVE_NOWHERE */
	EVENT_CALL,
	EVENT_CALL_INDIRECT, /* `target`: as for EVENT_JMP_INDIRECT */
	EVENT_RET,
	EVENT_RET_IF, /* A conditional return */
	EVENT_TRAP,
	EVENT_INT3, /* int3 of x86: padding, unless a jump reaches it */
	EVENT_NOP,
	EVENT_BAD, /* A byte or word that is not an instruction */
};

struct event {
	uint64_t target; /* Address of the target */
	uint32_t off;
	uint8_t len, kind;
	/* Indirect call: the callee's offset in a table of virtual functions. 0 if none. */
	uint8_t slot;
	/* After one floating-point comparison, compilers test two conditions with two jumps. Both
	 * jumps of a pair have the same bit here. */
	uint8_t pair;
	bool table;    /* Indirect jump: it has a jump table. EVENT_BAD: bytes of a jump table */
	bool maybe;    /* True if the call is conditional */
	uint8_t reach; /* Conditional jump: its range is less than 2^reach bytes. 0 if unlimited */
};

/* A jump table. Entry i is at addr + i * width. Its target is anchor + (entry << shift). */
struct jump_table {
	uint64_t addr;
	uint64_t anchor;
	uint64_t limit; /* Maximal number of entries. UINT64_MAX if unknown. */
	uint8_t width, shift;
	bool is_signed;
	/* Only the low 32 bits of a target are computed. `high` gives the upper bits. */
	bool wraps;
	/* Upper 32 bits of all targets, for objects: their sections are further apart than 4-byte
	 * entries reach. */
	uint64_t high;
};

struct function {
	size_t event_first, event_count; /* Events of the function in the array of its batch */
	size_t word;                     /* Index of the first word of its bits */
	uint8_t convention;              /* An enum derive_convention */
	/* Only if extents hold several functions: tables of the events with a table, in event
	 * order. */
	size_t table_first, table_count;
	bool returns; /* True if the function can return by other ways than tail calls */
	bool cold;    /* True for a part of a function, reached by jumps and never called */
	uint64_t block_first, block_count;
};

/* The target of a jump that leaves its function. */
struct out {
	uint64_t to;
	uint64_t conditional;
};

struct batch {
	size_t first, last; /* Range of functions */
	uint64_t size;      /* Bytes of code of the functions */
	VEC(struct event) events;
	VEC(struct jump_table) tables;
	uint64_t *starts;  /* One bit per offset: set if an instruction starts there. Not for
			    * AArch64 */
	uint64_t *targets; /* One bit per offset: set if a block certainly starts there */
	VEC(struct bbmap_block) blocks;
	VEC(struct out) outs; /* Targets of jumps that leave their function */
	VEC(uint64_t)
	bases;              /* Only if extents hold several functions: data addresses in code. A
			     * jump table ends at such an address */
	VEC(uint64_t) refs; /* Scratch: data addresses in the function's code */
};

/* Traits (enum derive_trait) of functions, by address. */
struct traits {
	VEC(struct derive_callee) list;
	struct map by_addr;
};

struct derivation {
	const struct derive_facts *facts;
	struct function *functions; /* One function per extent */
	VEC(struct batch) batches;
	VEC(uint64_t) bases; /* Start addresses of jump tables, sorted */
	VEC(uint64_t)
	pads; /* Landing pads, sorted. A pad and its range may lie in different parts of a
	       * function */
	VEC(struct out)
	outs;          /* Jumps out of functions, from all batches, sorted. Parts of a function
		        * jump to each other */
	bool has_cold; /* True if a function is cold */
	bool changed;  /* derive_calls.c: true if this round found a function that returns */
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

/* Records the target of a jump: as a bit if it is inside the function, otherwise in `outs`. */
static inline void note_target(struct batch *b, const struct function *f,
			       const struct derive_extent *x, uint64_t addr, bool conditional)
{
	if (extent_has(x, addr))
		bit_set(b->targets + f->word, addr - x->addr);
	else if (addr != DERIVE_NOWHERE)
		vec_push(&b->outs, (struct out){ addr, conditional });
}

/* A function while it is decoded. */
struct derive_scan {
	const struct derive_facts *facts;
	const struct derive_extent *extent;
	struct function *fn;
	struct batch *b;
	size_t fix; /* Index of the next fix */
	/* For derive_x86.c. `before`: offset of the previous instruction. */
	uint64_t before;
	size_t tried;    /* Number of references already tried as a table */
	uint64_t loaded; /* Only if extents hold several functions: address of the table that the
			  * previous instruction reads */
	uint64_t base;   /* Only i386 with several functions per extent: address to which code
			  * adds distances. 0 if unknown */
	uint64_t called; /* Offset after the last call, which may load `base` */
	bool mode64;
	bool has_table;
	/* For derive_flow.c: */
	struct flow_way way;
	size_t data;       /* Index of the next data */
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

/* Returns the data at `off`, or NULL. Moves s->data to the next data. Offsets must not decrease
 * between calls. */
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

/* Records data at `off`, clipped to the extent. Returns the end, or `off` without data. */
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

/* Returns the offset of the next data after `off`, or the end of the code. */
static inline uint64_t scan_next_data(const struct derive_scan *s)
{
	const struct derive_facts *f = s->facts;
	const uint64_t size = s->extent->code.size;
	return s->data < f->data_count ? min_u64(f->data[s->data].addr - s->extent->addr, size)
				       : size;
}

/* Returns the address in the field at offset `off`: the relocated one, or `stands` without a
 * relocation. Offsets must not decrease between calls. */
static inline uint64_t scan_relocated(struct derive_scan *s, uint64_t off, uint64_t stands)
{
	const struct derive_facts *f = s->facts;
	const uint64_t field = s->extent->addr + off;
	while (s->fix < f->fix_count && f->fixes[s->fix].addr < field)
		s->fix++;
	return s->fix < f->fix_count && f->fixes[s->fix].addr == field ? f->fixes[s->fix].target
								       : stands;
}

/* True if the code at `off` follows an instruction that never continues, or other padding. */
static inline bool scan_pads(const struct derive_scan *s, uint64_t off)
{
	const size_t count = s->b->events.count;
	const struct event *e = s->b->events.data + count - 1;
	return count > s->fn->event_first && event_end(e) == off &&
	       (event_ends(e) || e->kind == EVENT_NOP || e->kind == EVENT_BAD);
}

/* derive.c: decodes all extents of d->facts, the only member that must be set. */
void derive_decode(struct derivation *d, unsigned threads);
void derive_release(struct derivation *d);

/* Decode one function, whose bits are already allocated. derive_flow.c decodes the machines of
 * flow.h except x86 and AArch64. */
void derive_x86(const struct derivation *d, struct batch *b, size_t function);
void derive_arm64(const struct derivation *d, struct batch *b, size_t function);
void derive_flow(const struct derivation *d, struct batch *b, size_t function);
/* derive_thumb.c: true if the instruction at `off` jumps through a table that follows it. */
bool derive_thumb_table(const struct derive_facts *f, const struct derive_extent *x, uint64_t off,
			const struct flow *in, struct jump_table *ret);
/* Guess the compiler of a function, from -2 to 2: negative for gcc, positive for LLVM. */
int derive_x86_vote(struct bytes code);
int derive_arm64_vote(struct bytes code);

/* derive_tables.c: visits the targets of a jump table, at most `most` entries. table_next() returns
 * false at the end. */
struct table_cursor {
	const struct jump_table *table;
	struct bytes bytes;
	uint64_t next;
	bool big_endian;
	enum code_isa isa;
};
/* Opens a table that ends at the start of the next table. */
void table_open_whole(struct table_cursor *c, const struct derivation *d,
		      const struct jump_table *t);
bool table_next(struct table_cursor *c, uint64_t *ret);
/* Completes the fields of a table that belongs to function x. */
void table_set_reach(const struct derive_facts *f, const struct derive_extent *x,
		     struct jump_table *t);
/* True if the bytes at `addr` look like a jump table of function x. Sets *ret to how to read it. */
bool table_guess(const struct derive_facts *f, const struct derive_extent *x, uint64_t addr,
		 struct jump_table *ret);
/* True if the bytes at `addr` are the table of the jump that ends at `end`, if extents hold several
 * functions. An entry must point to `end` or shortly after it. `loaded`: entries are addresses. */
bool table_of_jump(const struct derive_facts *f, const struct derive_extent *x, uint64_t addr,
		   uint64_t end, bool loaded, struct jump_table *ret);
/* Like table_of_jump(), for a table whose entries are distances from `anchor`. */
bool table_of_distances(const struct derive_facts *f, const struct derive_extent *x, uint64_t addr,
			uint64_t anchor, uint64_t end, struct jump_table *ret);
/* Records the targets of all tables of a function. */
void tables_follow(const struct derivation *d, struct batch *b, size_t function);

/* derive_calls.c: finds which functions return and which throw. */
void derive_calls(struct derivation *d);
uint64_t traits_get(const struct traits *t, uint64_t addr);
/* Index of the first call-site range that ends after addr. */
size_t site_from(const struct derive_facts *f, uint64_t addr);

/* derive_copies.c: returns the end of the block of a call that may throw, at least `from`. `next`
 * is the event after the call, or NULL. */
uint32_t copies_end(const struct derive_extent *x, const uint64_t *targets, uint32_t from,
		    const struct event *next);

/* derive_blocks.c: makes the blocks of a function from its events. */
void derive_blocks(const struct derivation *d, struct batch *b, size_t function);

#endif
