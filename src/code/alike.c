/* Computes hashes that are equal for functions that do the same. */
#include "code/alike.h"

#include "base/map.h"
#include "code/x86.h"
#include "code/x86_table.h"

static const struct code_print start = { HASH_ODD_2, HASH_ODD_2 };

static uint64_t mixed(uint64_t h, uint64_t v)
{
	return hash_mix(h ^ v, HASH_ODD_1) + HASH_ODD_2;
}

void print_add(struct code_print *p, uint64_t what)
{
	p->whole = mixed(p->whole, what);
	p->shape = mixed(p->shape, what);
}

/* Returns a number made of at most 8 bytes, the same on every machine. */
static uint64_t alike_word_of(const uint8_t *p, uint64_t size)
{
	uint64_t v = 0;
	memcpy(&v, p, min_u64(size, sizeof v));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	v = __builtin_bswap64(v);
#endif
	return v;
}

struct code_print bytes_print(struct bytes data)
{
	struct code_print p = start;
	for (uint64_t i = 0; i < data.size; i += 8)
		print_add(&p, alike_word_of(data.p + i, data.size - i));
	return p;
}

/* Returns hash `h` with bytes mixed in, 16 bytes per step. */
static uint64_t bytes_mixed(uint64_t h, struct bytes b)
{
	uint64_t i = 0;
	for (; b.size - i >= 16; i += 16)
		h = hash_mix(h ^ alike_word_of(b.p + i, 8),
			     HASH_ODD_1 ^ alike_word_of(b.p + i + 8, 8)) +
		    HASH_ODD_2;
	for (; i < b.size; i += 8)
		h = mixed(h, alike_word_of(b.p + i, b.size - i));
	return h;
}

uint64_t bytes_sum(struct bytes data)
{
	return bytes_mixed(HASH_ODD_2, data);
}

struct code_print x86_refs_print(struct bytes code, bool mode64, uint64_t addr,
				 const code_ref_vec *refs)
{
	struct code_print p = start;
	uint64_t at = 0;
	vec_each(const struct code_ref, r, refs) {
		const bool branch = r->kind == REF_CALL || r->kind == REF_JUMP;
		const uint64_t off = mode64 ? r->field - addr : (uint32_t)(r->field - addr);
		if (r->kind == REF_IMM)
			continue;
		ASSERT(off >= at && off < code.size && r->tail <= code.size - off);
		p.shape = mixed(bytes_mixed(p.shape, bytes_sub(code, at, off - at)), off);
		p.whole = mixed(p.whole, r->to);
		/* A branch ends with its distance. A memory operand's displacement has 4 bytes. */
		at = off + (branch ? r->tail : 4);
	}
	p.shape = bytes_mixed(p.shape, bytes_sub(code, at, code.size - at));
	p.whole = mixed(p.whole, p.shape);
	return p;
}

/* Returns a number for an opcode with its prefixes and the mod bits of ModRM. For an opcode that
 * stands for several instructions, adds the reg bits. 0 for a nop without a prefix. */
static uint64_t opcode_kind(uint64_t prefixes, uint64_t w, bool escape)
{
	const uint8_t attr = x86_attr[escape][w & 0xff];
	const unsigned mask = x86_class_of(attr) == CLASS_GROUP ? 0xf8
			      : attr & X86_HAS_RM               ? 0xc0
								: 0;
	if (x86_class_of(attr) == CLASS_NOP && prefixes == 0)
		return 0;
	return prefixes << 18 | 1 << 17 | (unsigned)escape << 16 | (w & 0xff) << 8 |
	       (w >> 8 & mask);
}

/* Like opcode_kind(), for opcodes after 0F38 or 0F3A, VEX, EVEX or XOP. */
static uint64_t long_kind(uint64_t prefixes, uint64_t w, bool mode64)
{
	const uint8_t first = (uint8_t)w, next = (uint8_t)(w >> 8);
	unsigned before = first == 0x0f ? 2 : first == 0xc5 ? 2 : first == 0xc4 ? 3 : 4;
	if (first == 0x0f && next != 0x38 && next != 0x3a)
		return opcode_kind(prefixes, w >> 8, true);
	if (first != 0x0f && !mode64 && next < 0xc0)
		return opcode_kind(prefixes, w, false); /* les, lds, bound */
	const uint64_t rest = w >> 8 * before;
	return prefixes << 34 | (uint64_t)first << 26 | (next & 0x3fu) << 18 | 1 << 17 |
	       (rest & 0xff) << 8 | (rest >> 8 & 0xc0);
}

/* Like x86_kind(), for any instruction. */
static uint64_t any_kind(uint64_t w, bool mode64)
{
	uint64_t prefixes = 0;
	while (x86_class_of(x86_attr[0][w & 0xff]) == CLASS_PREFIX) {
		prefixes = prefixes << 8 | (w & 0xff);
		w >>= 8;
	}
	if (mode64 && (w & 0xf0) == 0x40) {
		prefixes = prefixes << 1 | (w >> 3 & 1);
		w >>= 8;
	}
	return x86_class_of(x86_attr[0][w & 0xff]) == CLASS_ESCAPE
		       ? long_kind(prefixes, w, mode64)
		       : opcode_kind(prefixes, w, false);
}

uint64_t x86_kind(uint64_t w, bool mode64)
{
	/* Most instructions have one byte of opcode, and no prefix or only REX. */
	const bool rex = mode64 && (w & 0xf0) == 0x40;
	const uint64_t op = rex ? w >> 8 : w;
	const uint8_t attr = x86_attr[0][op & 0xff];
	const enum x86_class class = x86_class_of(attr);
	const unsigned mask = class == CLASS_GROUP ? 0xf8 : attr & X86_HAS_RM ? 0xc0 : 0;
	if (class == CLASS_PREFIX || class == CLASS_ESCAPE || class == CLASS_NOP)
		return any_kind(w, mode64);
	return (uint64_t)(rex && (w & 8)) << 18 | 1 << 17 | (op & 0xff) << 8 | (op >> 8 & mask);
}

static bool x86_print(struct bytes code, uint64_t addr, bool mode64, struct code_print *ret)
{
	const struct ref_wish relative = { .kinds = REF_MEM | REF_ADDR | REF_CALL | REF_JUMP };
	code_ref_vec refs = { 0 };
	const bool ok = (mode64 || code.size < UINT32_MAX) &&
			x86_refs(code, mode64, addr, &relative, &refs) == 0;
	if (ok)
		*ret = x86_refs_print(code, mode64, addr, &refs);
	vec_release(&refs);
	return ok;
}

/* Finds the target of a pc-relative instruction (Arm ARM DDI 0487, C4.1). *mask: the bits of the
 * instruction that hold the distance. False for other instructions. */
static bool arm64_target(uint32_t word, uint64_t addr, uint32_t *mask, uint64_t *ret)
{
	if ((word & 0x7c000000) == 0x14000000) { /* b, bl */
		*mask = 0x03ffffff;
		*ret = addr + 4 * sign_extend(word, 26);
	} else if ((word & 0x7e000000) == 0x36000000) { /* tbz, tbnz */
		*mask = 0x0007ffe0;
		*ret = addr + 4 * sign_extend(word >> 5, 14);
	} else if ((word & 0x7e000000) == 0x34000000 || (word & 0xfe000000) == 0x54000000 ||
		   (word & 0x3b000000) == 0x18000000) { /* cbz, cbnz; b.cond; ldr of a literal */
		*mask = 0x00ffffe0;
		*ret = addr + 4 * sign_extend(word >> 5, 19);
	} else if ((word & 0x1f000000) == 0x10000000) { /* adr, adrp */
		const uint64_t value = 4 * sign_extend(word >> 5, 19) + (word >> 29 & 3);
		*mask = 0x60ffffe0;
		*ret = word >> 31 ? (addr & ~UINT64_C(0xfff)) + (value << 12) : addr + value;
	} else {
		return false;
	}
	return true;
}

static void arm64_print(struct bytes code, uint64_t addr, struct code_print *ret)
{
	ASSERT(code.size % 4 == 0);
	for (uint64_t at = 0; at + 4 <= code.size; at += 4) {
		uint32_t word = load_le32(code.p + at), mask;
		uint64_t to;
		/* adrp is always included: its target is a page, never an address in this code. */
		if (arm64_target(word, addr + at, &mask, &to) &&
		    (to - addr >= code.size || (word & 0x9f000000) == 0x90000000)) {
			word &= ~mask;
			ret->whole = mixed(ret->whole, to);
		}
		print_add(ret, word);
	}
}

bool code_print(enum code_isa isa, struct bytes code, uint64_t addr, struct code_print *ret)
{
	*ret = start;
	switch (isa) {
	case CODE_X86_64:
	case CODE_I386: return x86_print(code, addr, isa == CODE_X86_64, ret);
	case CODE_ARM64:
		if (code.size % 4 != 0)
			return false;
		arm64_print(code, addr, ret);
		return true;
	default: return false;
	}
}
