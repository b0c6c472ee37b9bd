/* Decodes x86 instructions: prefixes, opcode map, ModRM, displacement, immediate, flow. */
#include "code/x86.h"
#include "code/x86_table.h"

/* Number of bytes after p that decoding may read: 14 prefixes, opcode, ModRM, SIB, displacement and
 * immediate. More than the longest valid instruction has. */
#define WINDOW 40

enum map { MAP_ONE, MAP_0F, MAP_OTHER };

struct x86_decoder {
	const uint8_t *p; /* Bytes to decode. WINDOW bytes can be read */
	unsigned pos;
	bool mode64;
	bool opsize16; /* Prefix 66, or pp of VEX */
	bool addr67;   /* Prefix 67: 32-bit addresses in 64-bit mode, 16-bit ones in i386 */
	bool lock;
	bool vex;        /* True for VEX, EVEX or XOP */
	uint8_t rep;     /* The last of F2 and F3, or pp of VEX */
	uint8_t rex;     /* The REX prefix 0100WRXB, or the same bits of VEX */
	uint8_t vector;  /* Size of a vector operand in bytes. 0 if unknown. */
	uint8_t map, op; /* `map`: value of enum map */
	uint8_t modrm, attr;
};

#define REX_W 8
#define REX_X 2
#define REX_B 1

static uint8_t x86_peek(const struct x86_decoder *d)
{
	return d->p[d->pos];
}

static uint8_t x86_take(struct x86_decoder *d)
{
	return d->p[d->pos++];
}

static int64_t x86_take_signed(struct x86_decoder *d, unsigned size)
{
	uint64_t v = 0;
	for (unsigned i = 0; i < size; i++)
		v |= (uint64_t)d->p[d->pos + i] << (8 * i);
	d->pos += size;
	if (size == 0)
		return 0;
	const unsigned unused = 64 - 8 * size;
	return (int64_t)(v << unused) >> unused;
}

static void note_prefix(struct x86_decoder *d, uint8_t b)
{
	if (b == 0x66)
		d->opsize16 = true;
	else if (b == 0x67)
		d->addr67 = true;
	else if (b == 0xf0)
		d->lock = true;
	else if (b >= 0xf2)
		d->rep = b;
}

static bool read_prefixes(struct x86_decoder *d)
{
	while (d->pos < X86_MAX_LEN) {
		const uint8_t b = x86_peek(d);
		if (d->mode64 && (b & 0xf0) == 0x40) {
			d->rex = b;
		} else if (x86_class_of(x86_attr[0][b]) == CLASS_PREFIX) {
			note_prefix(d, b);
			d->rex = 0; /* Only a REX directly before the opcode is used */
		} else {
			return true;
		}
		d->pos++;
	}
	return false;
}

/* Returns the attributes of an opcode after VEX (SDM volume 2, 2.3), EVEX (2.7) or XOP (APM volume
 * 3, 1.2.5). They depend on the map alone, except for immediates in map 1, and in EVEX map 4 (APX's
 * forms of older instructions). */
static uint8_t promoted_attr(uint8_t op, uint8_t modrm)
{
	const uint8_t reg = modrm >> 3 & 7;
	switch (op) {
	case 0x24:
	case 0x2c:
	case 0x6b:
	case 0x80:
	case 0x83:
	case 0xc0:
	case 0xc1:
	case 0xd4: return X86_HAS_RM | 1;
	case 0x69:
	case 0x81: return X86_HAS_RM | 4;
	case 0xf6: return (uint8_t)(X86_HAS_RM | (reg < 2 ? 1 : 0));
	case 0xf7: return (uint8_t)(X86_HAS_RM | (reg < 2 ? 4 : 0));
	default: return X86_HAS_RM;
	}
}

static bool vector_attr(struct x86_decoder *d, unsigned map, bool evex)
{
	const uint8_t op = d->op;
	d->attr = X86_HAS_RM;
	switch (map) {
	case 1:
		if (op == 0x77 && !evex)
			d->attr = 0; /* vzeroupper, vzeroall */
		else if ((op & 0xfc) == 0x70 || op == 0xc2 || (op >= 0xc4 && op <= 0xc6))
			d->attr |= 1;
		return true;
	case 2:
	case 5:
	case 6:
	case 9: return true;
	case 3:
	case 8: d->attr |= 1; return true;
	case 4: d->attr = promoted_attr(op, x86_peek(d)); return evex;
	case 7:
	case 10: d->attr |= 4; return true;
	default: return false;
	}
}

/* Reads the rest of VEX, EVEX or XOP after its first byte. False if it is undefined. */
static bool read_vector(struct x86_decoder *d, uint8_t first)
{
	/* SDM volume 2, 2.3.2-2.3.4: these prefixes before VEX are undefined. */
	if (d->opsize16 || d->rep || d->lock || d->rex)
		return false;
	unsigned map = 1;
	const uint8_t p0 = x86_take(d);
	uint8_t last = p0; /* Byte with W, L and pp */
	d->rex = (uint8_t)(~p0 >> 5 & 4);
	if (first != 0xc5) {
		map = p0 & (first == 0x62 ? 7 : 31);
		d->rex = ~p0 >> 5 & 7;
		last = x86_take(d);
		d->rex |= last >> 4 & REX_W;
	}
	const unsigned pp = last & 3;
	d->opsize16 = pp == 1;
	d->rep = pp == 2 ? 0xf3 : pp == 3 ? 0xf2 : 0;
	d->vector = last & 4 ? 32 : 16;
	if (first == 0x62) {
		const uint8_t p2 = x86_take(d);
		if (!(last & 4)) /* X4 of APX */
			d->rex |= REX_X;
		d->vector = (uint8_t)(16 << (p2 >> 5 & 3));
		if (p2 & 0x10 || d->vector > 64) /* Broadcast of one element */
			d->vector = 0;
	}
	d->vex = true;
	d->op = x86_take(d);
	d->map = map == 1 ? MAP_0F : MAP_OTHER;
	return vector_attr(d, map, first == 0x62);
}

static bool x86_read_escape(struct x86_decoder *d)
{
	d->op = x86_take(d);
	if (d->op == 0x38 || d->op == 0x3a) {
		d->attr = (uint8_t)(X86_HAS_RM | (d->op == 0x3a));
		d->op = x86_take(d);
		d->map = MAP_OTHER;
		return true;
	}
	d->map = MAP_0F;
	d->attr = x86_attr[1][d->op];
	return x86_class_of(d->attr) != CLASS_NONE;
}

/* Reads the payload of REX2 (M0 R4 X4 B4 W R3 X3 B3), then the opcode. False if undefined. */
static bool read_rex2(struct x86_decoder *d)
{
	const uint8_t payload = x86_take(d);
	if (d->rex)
		return false;
	d->rex = (uint8_t)(0x40 | (payload & 15) | (payload >> 4 & 7));
	d->map = payload & 0x80 ? MAP_0F : MAP_ONE;
	d->op = x86_take(d);
	d->attr = x86_attr[d->map == MAP_0F][d->op];
	switch (x86_class_of(d->attr)) {
	case CLASS_PREFIX:
	case CLASS_ESCAPE:
	case CLASS_NO64:
	case CLASS_FAR:
	case CLASS_NONE: return false;
	case CLASS_MOFFS: d->attr = CLASS_FAR << 4; break; /* jmpabs */
	default: break;
	}
	/* True if REX2 may precede the opcode: Intel APX specification, 3.1.2.1. A1 is jmpabs. */
	const uint8_t row = d->op >> 4;
	if (d->map == MAP_0F)
		return row != 3 && row != 8;
	return d->op == 0xa1 || (row != 4 && row != 7 && row != 0xa && row != 0xe);
}

static bool read_opcode(struct x86_decoder *d)
{
	d->op = x86_take(d);
	d->attr = x86_attr[0][d->op];
	if (d->op == 0xd5 && d->mode64)
		return read_rex2(d);
	if (d->op == 0x8f && (x86_peek(d) & 0x1f) >= 8)
		return read_vector(d, 0x8f);
	if (x86_class_of(d->attr) == CLASS_ESCAPE) {
		if (d->op == 0x0f)
			return x86_read_escape(d);
		/* In i386 C4, C5 and 62 are les, lds and bound, which need a memory operand. */
		if (d->mode64 || x86_peek(d) >= 0xc0)
			return read_vector(d, d->op);
		d->attr &= 0x0f;
	}
	if (x86_class_of(d->attr) == CLASS_NO64) {
		d->attr &= 0x0f;
		return !d->mode64;
	}
	return x86_class_of(d->attr) != CLASS_FAR || !d->mode64;
}

/* Reads SIB and returns the displacement size: SDM volume 2, tables 2-2 and 2-3. */
static unsigned read_sib(struct x86_decoder *d, struct x86_insn *ret)
{
	const unsigned mod = d->modrm >> 6, rm = d->modrm & 7;
	unsigned base = rm;
	bool index = false;
	if (rm == 4) {
		const uint8_t sib = x86_take(d);
		base = sib & 7;
		index = (sib & 0x38) != 0x20 || (d->rex & REX_X) != 0;
	}
	if (mod != 0 || base != 5)
		return mod == 0 ? 0 : mod == 1 ? 1 : 4;
	ret->pc_relative = d->mode64 && rm == 5;
	ret->indexed = index;
	ret->absolute = !ret->pc_relative && !index;
	return 4;
}

static void read_memory(struct x86_decoder *d, struct x86_insn *ret)
{
	ASSERT(d->modrm < 0xc0);
	unsigned size;
	if (d->addr67 && !d->mode64) {
		/* 16-bit addressing: `size` is the displacement's (SDM volume 2, table 2-1). */
		size = d->modrm >> 6;
		if (size == 0 && (d->modrm & 7) == 6)
			size = 2;
		ret->absolute = size == 2 && d->modrm < 0x40;
	} else {
		size = read_sib(d, ret);
	}
	ret->disp_off = (uint8_t)d->pos;
	ret->disp_size = (uint8_t)size;
	ret->disp = x86_take_signed(d, size);
}

static bool is_wide(const struct x86_decoder *d)
{
	return (d->rex & REX_W) != 0;
}

static bool fix_one_byte_group(struct x86_decoder *d, struct x86_insn *ret)
{
	const uint8_t reg = d->modrm >> 3 & 7;
	switch (d->op) {
	case 0x8f: return reg == 0;
	case 0xc6: return reg == 0 || d->modrm == 0xf8; /* mov, xabort */
	case 0xc7:
		if (d->modrm == 0xf8)
			ret->flow = X86_JCC; /* xbegin */
		return reg == 0 || d->modrm == 0xf8;
	case 0xf6: d->attr = (uint8_t)(d->attr | (reg < 2 ? 1 : 0)); return true; /* test */
	case 0xf7: d->attr = (uint8_t)(d->attr | (reg < 2 ? 4 : 0)); return true;
	case 0xfe: return reg < 2;
	default: /* FF: inc, dec, call, far call, jmp, far jmp, push. Far ones read memory */
		if (reg == 2 || reg == 3)
			ret->flow = X86_CALL_INDIRECT;
		if (reg == 4 || reg == 5)
			ret->flow = X86_JMP_INDIRECT;
		return reg != 7 && ((reg != 3 && reg != 5) || d->modrm < 0xc0);
	}
}

/* Adjusts attributes by ModRM, before the memory operand is read. False if it is undefined. */
static bool fix_group(struct x86_decoder *d, struct x86_insn *ret)
{
	if (d->map == MAP_ONE)
		return fix_one_byte_group(d, ret);
	if (d->op == 0x78) { /* vmread; SSE4a extrq, insertq with two immediate bytes */
		if (d->opsize16 || d->rep == 0xf2)
			d->attr |= 2;
		return true;
	}
	d->modrm |= 0xc0; /* mov to and from cr and dr: mod is treated as 3 */
	return true;
}

/* Returns the size of the opcode's memory operand, from its letter in x86_width. */
static uint8_t access_size(const struct x86_decoder *d)
{
	const unsigned word = is_wide(d) ? 8 : d->opsize16 ? 2 : 4;
	if (d->map == MAP_OTHER)
		return 0;
	if (d->map == MAP_ONE && d->op == 0xff) {
		const uint8_t reg = d->modrm >> 3 & 7;
		if (reg == 3 || reg == 5)
			return 0;
		return (uint8_t)(reg < 2 ? word : d->mode64 ? 8 : 4);
	}
	switch (x86_width[d->map][d->op]) {
	case 'b': return 1;
	case 'w': return 2;
	case 'd': return 4;
	case 'q': return 8;
	case 'z': return (uint8_t)word;
	case 'p': return d->mode64 ? 8 : 4;
	case 's': return d->rep == 0xf3 ? 4 : d->rep == 0xf2 ? 8 : d->vector;
	case 'v': return d->vector;
	case 'm': return d->vex || d->opsize16 || d->rep ? d->vector : 8;
	default: return 0;
	}
}

static bool read_modrm(struct x86_decoder *d, struct x86_insn *ret)
{
	ret->modrm_off = (uint8_t)d->pos;
	d->modrm = x86_take(d);
	if (x86_class_of(d->attr) == CLASS_GROUP && !fix_group(d, ret))
		return false;
	if (d->modrm >= 0xc0)
		return x86_class_of(d->attr) != CLASS_LEA;
	read_memory(d, ret);
	ret->address = x86_class_of(d->attr) == CLASS_LEA;
	if (!ret->address && (ret->pc_relative || ret->absolute || ret->indexed))
		ret->mem_size = access_size(d);
	return true;
}

/* Sets the flow of a branch. The prefix 66 makes near branches 16 bits wide in i386 only, and
 * xbegin in both modes. */
static void set_branch(struct x86_decoder *d, struct x86_insn *ret, uint8_t flow)
{
	const bool xbegin = d->op == 0xc7;
	unsigned size = d->attr & X86_IMM;
	if (size == 4 && d->opsize16 && (xbegin ? !is_wide(d) : !d->mode64))
		size = 2;
	ret->flow = flow;
	ret->disp_off = (uint8_t)d->pos;
	ret->disp_size = (uint8_t)size;
	ret->disp = x86_take_signed(d, size);
}

static void read_immediate(struct x86_decoder *d, struct x86_insn *ret)
{
	unsigned size = d->attr & X86_IMM;
	const bool legacy = !d->vex || d->map == MAP_OTHER;
	if (size == 4 && is_wide(d) && x86_class_of(d->attr) == CLASS_MOV)
		size = 8;
	else if (size == 4 && d->opsize16 && !is_wide(d) && legacy)
		size = 2;
	ret->imm_off = (uint8_t)d->pos;
	ret->imm_size = (uint8_t)size;
	ret->imm = x86_take_signed(d, size);
}

/* True for padding of i386 assemblers: mov %esi,%esi, lea 0(%esi),%esi and longer ones. */
static bool is_i386_nop(const struct x86_decoder *d, const struct x86_insn *ret)
{
	const uint8_t reg = d->modrm >> 3 & 7, rm = d->modrm & 7;
	if (d->mode64 || d->map != MAP_ONE || d->addr67 || d->opsize16)
		return false;
	if (d->op == 0x89 || d->op == 0x8b)
		return d->modrm >= 0xc0 && reg == rm;
	if (d->op != 0x8d || ret->disp != 0 || ret->absolute || ret->indexed)
		return false;
	if (rm != 4)
		return reg == rm;
	const uint8_t sib = d->p[ret->disp_off - 1];
	return (sib & 0x38) == 0x20 && (sib & 7) == reg;
}

/* Reads the bytes after the memory operand. */
static void x86_read_tail(struct x86_decoder *d, struct x86_insn *ret)
{
	switch (x86_class_of(d->attr)) {
	case CLASS_JCC: set_branch(d, ret, X86_JCC); return;
	case CLASS_JMP: set_branch(d, ret, X86_JMP); return;
	case CLASS_CALL: set_branch(d, ret, X86_CALL); return;
	case CLASS_MOFFS: {
		const unsigned size = d->mode64 ? (d->addr67 ? 4 : 8) : d->addr67 ? 2 : 4;
		ret->absolute = true;
		ret->disp_off = (uint8_t)d->pos;
		ret->disp_size = (uint8_t)size;
		ret->disp = x86_take_signed(d, size);
		ret->mem_size = d->op & 1 ? (uint8_t)(is_wide(d) ? 8 : d->opsize16 ? 2 : 4) : 1;
		return;
	}
	case CLASS_FAR: /* The address of a far branch of i386, or of jmpabs */
		ret->imm_off = (uint8_t)d->pos;
		ret->imm_size = d->mode64 ? 8 : d->opsize16 ? 2 : 4;
		ret->imm = x86_take_signed(d, ret->imm_size);
		d->pos += d->mode64 ? 0 : 2; /* The selector */
		ret->flow = d->op == 0x9a ? X86_CALL_INDIRECT : X86_JMP_INDIRECT;
		return;
	case CLASS_RET: ret->flow = X86_RET; break;
	case CLASS_TRAP: ret->flow = X86_TRAP; break;
	case CLASS_NOP:
		/* F3 90 is pause, 41 90 exchanges r8. */
		if (d->op != 0x90 || (!d->rep && !(d->rex & REX_B)))
			ret->flow = X86_NOP;
		break;
	default: break;
	}
	if (ret->flow == X86_JCC)
		set_branch(d, ret, X86_JCC); /* xbegin */
	else
		read_immediate(d, ret);
	if (is_i386_nop(d, ret))
		ret->flow = X86_NOP;
}

bool x86_decode(const uint8_t *p, size_t left, bool mode64, struct x86_insn *ret)
{
	uint8_t padded[WINDOW];
	if (left < WINDOW) {
		memset(padded, 0, sizeof padded);
		if (left != 0)
			memcpy(padded, p, left);
		p = padded;
	}
	struct x86_decoder d = { .p = p, .mode64 = mode64, .vector = 16 };
	*ret = (struct x86_insn){ .flow = X86_PLAIN };
	if (!read_prefixes(&d) || !read_opcode(&d))
		return false;
	if (d.attr & X86_HAS_RM && !read_modrm(&d, ret))
		return false;
	x86_read_tail(&d, ret);
	ret->len = (uint8_t)d.pos;
	ASSERT(d.pos > 0 && ret->disp_off <= d.pos && ret->imm_off <= d.pos);
	return d.pos <= X86_MAX_LEN && d.pos <= left;
}
