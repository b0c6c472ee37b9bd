/* Reads tables of branches among Thumb code. A table follows the instruction that jumps through it:
 * TBB, TBH, `add pc`, `ldr pc`, or a call of the libgcc helpers that replace TBB and TBH on
 * ARMv6-M. Sources: ARMv7-M Architecture Reference Manual, A7.7; libgcc's names of the helpers. */
#include "derive/derive_internal.h"
#include "code/flow.h"

static uint32_t derive_thumb_half_at(struct bytes code, uint64_t off)
{
	struct reader r = reader_of(bytes_sub(code, off, 2), false);
	return (uint32_t)read_u16(&r);
}

/* Returns the number of entries in a table of distances, which ends at its first target. */
static uint64_t count_distances(const struct derive_extent *x, const struct jump_table *t)
{
	const uint64_t begin = t->addr - x->addr, anchor = t->anchor - x->addr;
	const unsigned unused = 64 - 8u * t->width;
	struct reader r = reader_of(x->code, false);
	uint64_t first = x->code.size, count = 0;
	reader_seek(&r, begin);
	for (; begin + count * t->width < first && reader_left(&r) >= t->width; count++) {
		uint64_t v = read_uint(&r, t->width);
		if (t->is_signed)
			v = (uint64_t)((int64_t)(v << unused) >> unused);
		const uint64_t to = anchor + (v << t->shift);
		if (to >= x->code.size)
			break;
		if (to > begin)
			first = min_u64(first, to);
	}
	return count;
}

/* Reads the address table after `ldr.w pc, [Rn, Rm, lsl #2]`. False if there is none. */
static bool derive_thumb_read_words(const struct derive_extent *x, uint64_t off,
				    struct jump_table *t)
{
	if ((derive_thumb_half_at(x->code, off) & 0xfff0) != 0xf850 ||
	    (derive_thumb_half_at(x->code, off + 2) & 0xffc0) != 0xf000)
		return false;
	const uint64_t begin = align_up(x->addr + off + 4, 4) - x->addr;
	uint64_t at = begin, first = x->code.size;
	for (; at < first && first - at >= 4; at += 4) {
		struct reader r = reader_of(bytes_sub(x->code, at, 4), false);
		const uint64_t to = (read_u32(&r) & ~UINT32_C(1)) - x->addr;
		if (to >= x->code.size || to <= begin)
			break;
		first = min_u64(first, to);
	}
	*t = (struct jump_table){ .addr = x->addr + begin, .width = 4, .limit = (at - begin) / 4 };
	return at > begin;
}

/* True if `callee` is one of libgcc's helpers. Sets the width and sign of the table's entries. A
 * helper begins with `push {r1}; mov r1, lr`, and loads the distance from the table. Helpers for
 * half-words also push r0. */
static bool read_helper(const struct derive_facts *f, uint64_t callee, struct jump_table *t)
{
	enum { PUSH = 0xb402, MOV_R1_LR = 0x4671, LDRB = 0x5c09, LDRSB = 0x5609, LDRH = 0x5a09 };
	enum { LDRSH = 0x5e09, LOOK_AT = 7 };
	struct reader r = reader_of(f->load(f->ctx, callee, 2 * LOOK_AT), false);
	if ((read_u16(&r) & ~1u) != PUSH || read_u16(&r) != MOV_R1_LR)
		return false;
	while (reader_left(&r) >= 2) {
		const uint32_t half = (uint32_t)read_u16(&r);
		const bool bytes = half == LDRB || half == LDRSB;
		if (!bytes && half != LDRH && half != LDRSH)
			continue;
		t->width = bytes ? 1 : 2;
		t->is_signed = half == LDRSB || half == LDRSH;
		return true;
	}
	return false;
}

bool derive_thumb_table(const struct derive_facts *f, const struct derive_extent *x, uint64_t off,
			const struct flow *in, struct jump_table *ret)
{
	const uint64_t end = x->addr + off + in->size;
	unsigned width;
	*ret = (struct jump_table){ .addr = end, .anchor = end, .shift = 1, .limit = UINT64_MAX };
	if (f->isa != CODE_THUMB || end - x->addr >= x->code.size)
		return false;
	if (in->kind == FLOW_CALL) {
		if (!in->direct || !read_helper(f, in->target, ret))
			return false;
	} else if (in->size == 4) {
		if (thumb_table_branch(derive_thumb_half_at(x->code, off),
				       derive_thumb_half_at(x->code, off + 2), &width))
			ret->width = (uint8_t)width;
		else if (!derive_thumb_read_words(x, off, ret))
			return false;
	} else {
		/* `add pc, Rm`, two instructions after ldrb or ldrh loads Rm. */
		const uint32_t load = off >= 4 ? derive_thumb_half_at(x->code, off - 4) & 0xf800
					       : 0;
		if ((derive_thumb_half_at(x->code, off) & 0xff87) != 0x4487 ||
		    (load != 0x7800 && load != 0x8800))
			return false;
		ret->width = load == 0x7800 ? 1 : 2;
		ret->anchor = end + 2;
	}
	ASSERT(ret->width > 0);
	if (ret->limit == UINT64_MAX)
		ret->limit = count_distances(x, ret);
	if (in->size == 4) {
		/* A helper has the index in r0. */
		const unsigned reg = in->kind == FLOW_CALL
					     ? 0
					     : derive_thumb_half_at(x->code, off + 2) & 15;
		ret->limit = min_u64(ret->limit, thumb_case_count(x->code, off, reg));
	}
	return true;
}

uint64_t derive_thumb_behind(const struct derive_facts *f, const struct derive_extent *x,
			     uint64_t off, const struct flow *in)
{
	struct jump_table t;
	if ((in->kind != FLOW_CALL && in->kind != FLOW_JUMP_INDIRECT) ||
	    !derive_thumb_table(f, x, off, in, &t))
		return off + in->size;
	return min_u64(align_up(t.addr - x->addr + t.limit * t.width, 2), x->code.size);
}
