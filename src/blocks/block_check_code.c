/* Checks blocks against their instructions. */
#include "base/sort.h"
#include "code/flow.h"
#include "blocks/block_check_internal.h"

/* Greatest number of jumps at the end of a block to check. More jumps are inline assembly. */
enum { JUMPS = 4 };

struct end {
	struct flow last; /* The last instruction that is no nop. Size 0 if there is none */
	uint64_t targets[JUMPS];
	unsigned jumps;
};

struct block_check_code_walk {
	struct checker *c;
	const struct blockmap_function *f;
	const struct blockmap_range *r;
	const uint8_t *code; /* Code of the range */
	uint64_t room;       /* Bytes from the range's start to the end of its section's code */
	bool linked;         /* True in linked images: targets of jumps are final */
};

static uint64_t block_check_code_addr(const struct block_check_code_walk *w,
				      const struct bbmap_block *b)
{
	return w->r->addr + b->off;
}

static void block_check_code_see(struct end *e, const struct flow *in)
{
	if (in->kind == FLOW_NOP)
		return;
	e->last = *in;
	if (in->kind != FLOW_CONDITIONAL && in->kind != FLOW_JUMP)
		e->jumps = 0;
	else if (e->jumps < JUMPS)
		e->targets[e->jumps++] = in->target;
}

/* Decodes the instructions of a block. False if the block ends inside an instruction. Also false,
 * which is not the map's fault, if bytes are no instruction. */
static bool decode_block(const struct block_check_code_walk *w, const struct bbmap_block *b,
			 struct end *ret)
{
	const uint64_t end = (uint64_t)b->off + b->size;
	uint64_t at = b->off;
	struct flow_way way = { .isa = w->c->facts.isa };
	*ret = (struct end){ .jumps = 0 };
	while (at < end) {
		struct flow in;
		if (!flow_next(&way, w->code + at, w->room - at, w->r->addr + at, &in))
			return false;
		block_check_code_see(ret, &in);
		at += in.size;
	}
	if (at > end) {
		check_find(w->c, CHECK_START, w->f, w->r->addr + end,
			   "the block before ends inside an instruction, 0x%" PRIx64 " bytes early",
			   at - end);
		return false;
	}
	return true;
}

/* Checks the bytes between `from`, the end of the block before, and block b. */
static void check_gap(const struct block_check_code_walk *w, uint64_t from,
		      const struct bbmap_block *b)
{
	const uint64_t start = block_check_code_addr(w, b);
	const uint64_t end = check_skip_padding(w->c, w->r->addr + from, start);
	if (end < start)
		check_find(w->c, CHECK_GAP, w->f, end,
			   "0x%" PRIx64 " bytes in front of a block are no padding", start - end);
	if (end > start && from < b->off)
		check_find(w->c, CHECK_START, w->f, start,
			   "the block begins inside an instruction");
}

static bool function_has(const struct block_check_code_walk *w, uint64_t addr)
{
	const struct blockmap *b = w->c->b;
	for (uint32_t i = 0; i < w->f->range_count; i++) {
		const struct blockmap_range *r = &b->ranges.data[w->f->range_first + i];
		const struct bbmap_block *last = &b->blocks.data[r->first + r->count - 1];
		if (r->count > 0 && addr - r->addr < (uint64_t)last->off + last->size)
			return true;
	}
	return false;
}

/* True if code may jump to addr: a block starts there, or it is after the "lock" prefix of an
 * instruction. glibc jumps over the prefix if the program has one thread. */
static bool may_be_target(const struct block_check_code_walk *w, uint64_t addr)
{
	enum { LOCK = 0xf0 };
	const uint32_t place = bbindex_find(&w->c->index, addr);
	const uint64_t to = addr - w->r->addr;
	struct flow in = { 0 };
	uint64_t at;
	if (place == BBINDEX_NONE)
		return false;
	const struct blockmap_range *r = blockmap_range_of(w->c->b, place);
	const uint32_t off = w->c->b->blocks.data[place].off;
	if (r->addr + off == addr)
		return true;
	if ((w->c->facts.isa != CODE_X86_64 && w->c->facts.isa != CODE_I386) || r != w->r ||
	    to > w->room)
		return false;
	for (at = off; at < to; at += in.size)
		if (!flow_decode(w->c->facts.isa, w->code + at, w->room - at, 0, &in))
			return false;
	return at > to && w->code[to - 1] == LOCK && to - 1 == at - in.size;
}

/* Checks that jumps go to starts of blocks. A jump inside its own block is a loop in assembly. */
static void check_targets(const struct block_check_code_walk *w, const struct bbmap_block *b,
			  const struct end *e)
{
	for (unsigned i = 0; w->linked && i < e->jumps; i++) {
		const uint64_t to = e->targets[i];
		if (to - block_check_code_addr(w, b) < b->size || !function_has(w, to) ||
		    may_be_target(w, to))
			continue;
		check_find(w->c, CHECK_TARGET, w->f, block_check_code_addr(w, b),
			   "the block jumps to 0x%" PRIx64 ", where no block starts", to);
	}
}

/* True if a function's later part begins at `addr`. A jump to a part is no tail call, because only
 * whole functions are called. */
static bool block_check_code_is_part(const struct checker *c, uint64_t addr)
{
	size_t i = vec_lower(&c->known, addr);
	bool named = false;
	for (; i < c->known.count && c->known.data[i].addr == addr; i++) {
		const char *name = c->known.data[i].name;
		named = named || name;
		if (name && (strstr(name, ".cold") || strstr(name, ".__part.")))
			return true;
	}
	return !named;
}

/* Says how the last jump contradicts the flags, or returns NULL. A later part of a function may
 * jump to any function's entry, because its own function is unknown. */
static const char *jump_fault(const struct block_check_code_walk *w, const struct flow *in,
			      unsigned flags)
{
	const bool out = !function_has(w, in->target);
	const bool entry = in->target == w->f->addr;
	if (!w->linked || entry)
		return NULL;
	if (!out && flags & (BBMAP_RETURN | BBMAP_TAIL_CALL))
		return "a jump inside the function is called a return";
	if (out && !(flags & (BBMAP_RETURN | BBMAP_INDIRECT_JUMP)) &&
	    !block_check_code_is_part(w->c, in->target) &&
	    !block_check_code_is_part(w->c, w->f->addr))
		return "a jump out of the function is not called a return";
	return NULL;
}

static const char *flags_fault(const struct block_check_code_walk *w, const struct bbmap_block *b,
			       const struct end *e)
{
	const struct flow *in = &e->last;
	const unsigned flags = b->flags;
	const unsigned leaves = BBMAP_RETURN | BBMAP_TAIL_CALL;
	/* True for a jump to the next block, as in code without optimization. If the function has
	 * several ranges, the next block may be anywhere. */
	const uint64_t from = block_check_code_addr(w, b) + b->size;
	bool leads_on = !w->linked || w->f->range_count > 1;
	for (unsigned i = 0; in->kind == FLOW_JUMP && i < e->jumps && !leads_on; i++)
		leads_on = e->targets[i] >= from &&
			   check_skip_padding(w->c, from, e->targets[i]) == e->targets[i];
	if ((flags & leaves) == BBMAP_TAIL_CALL)
		return "a tail call is not called a return";
	switch (in->kind) {
	case FLOW_RETURN:
		if (!(flags & BBMAP_RETURN))
			return "ends in a return, which the flags deny";
		if (flags & (BBMAP_TAIL_CALL | BBMAP_INDIRECT_JUMP) ||
		    (flags & BBMAP_FALL_THROUGH && !in->maybe))
			return "a return is called something else too";
		return NULL;
	case FLOW_JUMP:
		if (flags & BBMAP_FALL_THROUGH && !leads_on)
			return "falls through, according to the flags, but ends in a jump";
		return jump_fault(w, in, flags);
	case FLOW_CONDITIONAL: return jump_fault(w, in, flags);
	case FLOW_JUMP_INDIRECT:
		if (flags & BBMAP_FALL_THROUGH)
			return "falls through, according to the flags, but ends in a jump";
		return w->c->has_indirect && !(flags & (leaves | BBMAP_INDIRECT_JUMP))
			       ? "ends in an indirect jump, which the flags deny"
			       : NULL;
	case FLOW_TRAP: return NULL;
	default: return flags & leaves ? "does not end in a return, against its flags" : NULL;
	}
}

/* True if the block continues into the next function. Assembly may give a routine several entries,
 * each as a function of its own. */
static bool runs_into_next(const struct block_check_code_walk *w, const struct bbmap_block *b,
			   const struct end *e)
{
	const uint64_t from = block_check_code_addr(w, b) + b->size;
	const size_t i = vec_lower(&w->c->known, from);
	if (i == w->c->known.count ||
	    (e->last.kind != FLOW_PLAIN && e->last.kind != FLOW_CONDITIONAL))
		return false;
	const uint64_t next = w->c->known.data[i].addr;
	return check_skip_padding(w->c, from, next) == next;
}

static void check_flags(const struct block_check_code_walk *w, uint64_t index,
			const struct bbmap_block *b, const struct end *e)
{
	/* The first form, .bb_info, has flags only for returns, tail calls and landing pads. A tail
	 * call is not flagged as a return. */
	const struct blockmap *map = w->c->b;
	const bool goes_on = e->last.kind == FLOW_PLAIN || e->last.kind == FLOW_CONDITIONAL;
	const bool first = w->f->origin == BLOCKS_OF_MAP && w->f->section < map->sections.count &&
			   map->sections.data[w->f->section].map.form == BBMAP_SEED;
	const bool last = !first && w->f->range_count == 1 &&
			  index + 1 == w->r->first + w->r->count;
	const char *fault = NULL;
	if (!first)
		fault = flags_fault(w, b, e);
	else if (e->last.kind == FLOW_RETURN && !(b->flags & BBMAP_RETURN))
		fault = "ends in a return, which the flags deny";
	else if (goes_on && b->flags & BBMAP_RETURN)
		fault = "does not end in a return, against its flags";
	if (!first && !fault && b->flags & BBMAP_INDIRECT_JUMP && goes_on)
		fault = "does not end in an indirect jump, against its flags";
	if (!fault && last && b->flags & BBMAP_FALL_THROUGH && !runs_into_next(w, b, e))
		fault = "falls through, according to the flags, but nothing comes behind it";
	if (!first && !fault && !last && e->last.kind == FLOW_CONDITIONAL &&
	    !(b->flags & (BBMAP_FALL_THROUGH | BBMAP_RETURN)))
		fault = "ends in a conditional jump, but does not fall through";
	if (fault)
		check_find(w->c, CHECK_FLAGS, w->f, block_check_code_addr(w, b),
			   "%s (flags 0x%" PRIx32 ")", fault, b->flags);
}

static bool block_check_code_is_pad(const struct checker *c, uint64_t addr)
{
	const size_t i = vec_lower(&c->pads, addr);
	return i < c->pads.count && c->pads.data[i] == addr;
}

/* Returns the size of the nop before a landing pad, or 0. A pad at the start of its section needs
 * the nop, because offset 0 means "no pad". The nop belongs to the pad's block. But if code also
 * jumps to the pad, GCC makes the nop a block of its own, flagged as a pad or not. */
static unsigned nop_before_pad(const struct block_check_code_walk *w, const struct bbmap_block *b)
{
	struct flow in;
	return flow_decode(w->c->facts.isa, w->code + b->off, w->room - b->off, 0, &in) &&
			       in.kind == FLOW_NOP &&
			       block_check_code_is_pad(w->c, block_check_code_addr(w, b) + in.size)
		       ? in.size
		       : 0;
}

/* True if a block with the same start as block i is flagged as a landing pad. Several blocks may
 * share a start, because blocks may be empty. */
static bool pad_is_flagged(const struct block_check_code_walk *w, uint64_t i)
{
	const struct bbmap_block *blocks = w->c->b->blocks.data;
	const uint64_t end = w->r->first + w->r->count;
	uint64_t first = i;
	if (w->f->range_count > 1) /* With several ranges, an empty block may be a whole range */
		return true;
	if (i > w->r->first && blocks[i - 1].flags & BBMAP_LANDING_PAD &&
	    nop_before_pad(w, &blocks[i - 1]) == blocks[i].off - blocks[i - 1].off)
		return true;
	while (first > w->r->first && blocks[first - 1].off == blocks[i].off)
		first--;
	for (; first < end && blocks[first].off == blocks[i].off; first++)
		if (blocks[first].flags & BBMAP_LANDING_PAD)
			return true;
	return false;
}

static void check_pad(const struct block_check_code_walk *w, uint64_t i,
		      const struct bbmap_block *b)
{
	const unsigned nop = nop_before_pad(w, b);
	const bool pad = block_check_code_is_pad(w->c, block_check_code_addr(w, b)),
		   flagged = b->flags & BBMAP_LANDING_PAD;
	if ((pad || (nop > 0 && nop < b->size)) && b->size > 0 && !pad_is_flagged(w, i))
		check_find(w->c, CHECK_PAD, w->f, block_check_code_addr(w, b),
			   "is a landing pad, which the flags deny");
	else if (!pad && nop == 0 && flagged)
		check_find(w->c, CHECK_PAD, w->f, block_check_code_addr(w, b),
			   "is no landing pad of any exception table, against its flags");
}

void check_code(struct checker *c, const struct blockmap_function *f,
		const struct blockmap_range *r)
{
	const struct code_region *region = region_at(&c->facts, r->addr);
	struct block_check_code_walk w = {
		.c = c, .f = f, .r = r, .linked = c->b->image->kind != IMAGE_OBJECT
	};
	uint64_t at = 0;
	ASSERT(r->first + r->count <= c->b->blocks.count);
	ASSERT(f->range_first + f->range_count <= c->b->ranges.count);
	if (!region)
		return;
	w.code = region->bytes.p + (r->addr - region->addr);
	w.room = region->bytes.size - (r->addr - region->addr);
	for (uint64_t i = r->first; i < r->first + r->count; i++) {
		const struct bbmap_block *b = &c->b->blocks.data[i];
		struct end end;
		if (b->off > w.room || b->size > w.room - b->off) {
			check_find(c, CHECK_PLACE, f, block_check_code_addr(&w, b),
				   "the block leaves its section");
			return;
		}
		check_gap(&w, at, b);
		at = (uint64_t)b->off + b->size;
		check_pad(&w, i, b);
		if (!decode_block(&w, b, &end))
			continue;
		c->out->decoded++;
		check_targets(&w, b, &end);
		check_flags(&w, i, b, &end);
	}
}
