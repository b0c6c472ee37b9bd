/* data_scan.h - tracks the values of registers while data_refs() scans code. Private to data_refs.c
 * and the machines' files.
 *
 * A known register has a number or a place. A number is, for example, the upper half of an address,
 * or a word of a pool. A place is an address that code made from its own address or from that of
 * the GOT. If a loader moves the image, numbers are never taken as addresses. A place is whole if
 * it is a variable's address: code adds only displacements inside the variable to it. */
#pragma once

#include "code/data_refs.h"
#include "code/flow.h"
#include "image/arch.h"

/* Known values of registers. The masks have one bit per register. */
struct data_registers {
	uint64_t base[32]; /* Value, if it is known */
	uint32_t known;    /* Set if the value is known */
	uint32_t places;   /* Set if the value is a place, that is an address */
	uint32_t whole;    /* Set if the place is complete: code adds no distance to reach it */
	uint32_t indexed;  /* Set if the register has a complete place plus an unknown index */
};

/* A branch, with the registers at it. The target's offset determines its slot in a table. Another
 * branch with the same slot replaces it */
struct data_branch {
	uint64_t to; /* Offset of the target. 0: none */
	struct data_registers at;
};

enum { DATA_BRANCHES = 128 }; /* Number of slots for branches, a power of two */

struct data_scan {
	struct bytes code;
	uint64_t addr;
	bool big_endian; /* Byte order of data. (ARM's BE8, with little-endian instructions, is
			  * not recognized.) */
	bool wide;       /* True if addresses have 64 bits */
	bool moves;      /* True if a loader moves the image, so that numbers are not addresses */
	struct data_registers r;
	uint32_t scratch; /* Bits of the registers that a called function may overwrite */
	uint32_t bare;    /* One bit per register: set if in Go's code its value is a number, never
			   * an address */
	uint32_t fresh;   /* Bits of the registers that the current instruction has set */
	struct image_got got;
	uint64_t link;  /* PowerPC: value of the link register. 0 if unknown */
	uint64_t later; /* MIPS: target of a branch that takes effect after one more instruction */
	bool back;      /* True if a branch went to an earlier offset */
	struct data_registers switched; /* Registers at the last indirect jump, if `switches` */
	bool switches;
	bool ends, ends_later; /* True if control does not continue after the instruction, or after
			        * the next one */
	bool calls_later;      /* MIPS: true if a call takes effect after the next instruction */
	bool opening;          /* True if the upper half of the GOT's address was added, and the
			        * lower half not yet */
	struct data_branch *branches; /* DATA_BRANCHES entries, or NULL */
	const struct image *im;       /* Image, for reads of bytes outside the code. May be NULL */
	code_ref_vec *ret;
};

/* Decode the instruction at `off`, where two (Thumb) or four bytes are left. Return its size. */
unsigned do_arm(struct data_scan *s, uint64_t off);
unsigned do_thumb(struct data_scan *s, uint64_t off);
unsigned do_mips(struct data_scan *s, uint64_t off);
unsigned do_power(struct data_scan *s, uint64_t off);

/* Set the registers whose values are known at the start of a function. */
void start_arm(struct data_scan *s);
void start_mips(struct data_scan *s);
void start_power(struct data_scan *s);

/* Returns the number of `size` bytes at `off`, which must lie inside the code. */
static inline uint32_t number_at(const struct data_scan *s, uint64_t off, unsigned size)
{
	ASSERT(size <= 4 && off <= s->code.size);
	uint32_t v = 0;
	for (unsigned i = 0; i < size; i++)
		v |= (uint32_t)s->code.p[off + i] << 8 * (s->big_endian ? size - 1 - i : i);
	return v;
}

static inline void data_refs_add(const struct data_scan *s, uint64_t off, uint64_t to,
				 enum ref_use use)
{
	vec_push(s->ret, (struct code_ref){ .from = s->addr + off,
					    .to = s->wide ? to : (uint32_t)to,
					    .kind = REF_ADDR,
					    .use = (uint8_t)use });
}

static inline void code_data_refs_add(const struct data_scan *s, uint64_t off, uint64_t to)
{
	data_refs_add(s, off, to, USE_ACCESS);
}

static inline bool data_scan_knows(const struct data_scan *s, unsigned reg)
{
	return s->r.known >> reg & 1;
}

static inline bool data_scan_is_place(const struct data_scan *s, unsigned reg)
{
	return s->r.known & s->r.places & UINT32_C(1) << reg;
}

static inline bool data_scan_is_whole(const struct data_scan *s, unsigned reg)
{
	return data_scan_is_place(s, reg) && (s->r.whole >> reg & 1);
}

static inline void data_refs_set(struct data_scan *s, unsigned reg, uint64_t value)
{
	const uint32_t bit = UINT32_C(1) << reg;
	ASSERT(reg < 32);
	s->r.base[reg] = s->wide ? value : (uint32_t)value;
	s->r.known |= bit;
	s->fresh |= bit;
	s->r.places &= ~bit;
	s->r.whole &= ~bit;
	s->r.indexed &= ~bit;
}

static inline void data_scan_set_place(struct data_scan *s, unsigned reg, uint64_t value,
				       bool whole)
{
	data_refs_set(s, reg, value);
	s->r.places |= UINT32_C(1) << reg;
	s->r.whole |= (uint32_t)whole << reg;
}

static inline void data_refs_forget(struct data_scan *s, unsigned reg)
{
	s->r.known &= ~(UINT32_C(1) << reg);
}

static inline void data_scan_copy(struct data_scan *s, unsigned to, unsigned from)
{
	const bool place = data_scan_is_place(s, from), whole = data_scan_is_whole(s, from);
	const uint32_t indexed = s->r.indexed >> from & 1;
	if (place)
		data_scan_set_place(s, to, s->r.base[from], whole);
	else if (data_scan_knows(s, from))
		data_refs_set(s, to, s->r.base[from]);
	else
		data_refs_forget(s, to);
	if (place)
		s->r.indexed |= indexed << to;
}

/* True if the address is in the table of addresses (GOT). */
static inline bool data_scan_in_got(const struct data_scan *s, uint64_t addr)
{
	return addr - s->got.addr < s->got.size;
}

/* Reports that code uses the address in a register, plus a displacement. */
static inline void data_scan_use(struct data_scan *s, uint64_t off, unsigned reg, uint64_t imm)
{
	const uint64_t at = s->r.base[reg] + imm, to = s->wide ? at : (uint32_t)at;
	/* At 0, an image that moves has its header. */
	if (!data_scan_knows(s, reg) || (s->moves && (to == 0 || !data_scan_is_place(s, reg))))
		return;
	/* Small displacements lead to members of a structure. A larger one may lead to another
	 * variable, because compilers address neighbouring variables from one of them. */
	enum { MEMBERS = 64 };
	if ((data_scan_is_whole(s, reg) && !data_scan_in_got(s, to)) ||
	    (s->r.indexed >> reg & 1 && imm < MEMBERS))
		return;
	data_refs_add(s, off, to,
		      s->bare >> reg & 1 && !data_scan_is_place(s, reg) ? USE_NUMBER : USE_ACCESS);
}

/* Sets register `to` to the address (place) in `from` plus an unknown index. If code accesses `to`
 * plus a displacement, data_scan_use() may report an array at place plus displacement. */
static inline void data_scan_index(struct data_scan *s, unsigned to, unsigned from)
{
	ASSERT(data_scan_is_place(s, from));
	const uint32_t indexed = (s->r.whole | s->r.indexed) >> from & 1;
	data_scan_set_place(s, to, s->r.base[from], false);
	s->r.indexed |= indexed << to;
}

/* True if one register has a known address and the other a known number. The sum is an address. */
static inline bool data_scan_join(const struct data_scan *s, unsigned a, unsigned b)
{
	return data_scan_knows(s, a) && data_scan_knows(s, b) &&
	       data_scan_is_place(s, a) != data_scan_is_place(s, b);
}

/* Records a branch to an offset, with the current registers. */
static inline void data_scan_branch(struct data_scan *s, uint64_t off, uint64_t to)
{
	if (s->branches && to > 0 && to < s->code.size) {
		struct data_branch *b = &s->branches[to / 2 % DATA_BRANCHES];
		s->back = s->back || to < off;
		b->to = to;
		b->at = s->r;
	}
}

/* Records the registers at an indirect jump, after which the cases of a switch may follow. */
static inline void data_scan_switch(struct data_scan *s)
{
	s->switched = s->r;
	s->switches = true;
}

static inline void data_scan_call(struct data_scan *s)
{
	s->r.known &= ~s->scratch;
}

/* Handles a branch, call or return without a delay slot. */
static inline void data_scan_flow(struct data_scan *s, uint64_t off, const struct flow *in)
{
	const enum flow_kind kind = in->kind;
	if (kind == FLOW_CALL)
		data_scan_call(s);
	else if (kind == FLOW_JUMP || kind == FLOW_CONDITIONAL)
		data_scan_branch(s, off, in->target);
	else if (kind == FLOW_JUMP_INDIRECT)
		data_scan_switch(s);
	s->ends = !in->maybe &&
		  (kind == FLOW_JUMP || kind == FLOW_RETURN || kind == FLOW_JUMP_INDIRECT);
}
