/* Finds addresses of data that code makes of constants, for machines other than x86 and AArch64. */
#include "code/data_refs.h"

#include "code/avr.h"
#include "code/xtensa.h"
#include "image/arch.h"
#include "image/elf/elf_const.h"

struct data_scan {
	struct bytes code;
	uint64_t addr;
	bool big_endian;   /* Byte order of data. (Instructions of BE8, which are little-endian,
			  * are not recognized.) */
	bool wide;         /* Addresses have 64 bits. */
	uint64_t base[32]; /* Value of each register that a constant was written to */
	uint32_t known;    /* One bit per register */
	uint32_t bare;     /* Registers whose value Go uses only for numbers */
	uint32_t fresh;    /* Registers that the current instruction has set */
	const struct image *im; /* For bytes outside the code. May be NULL. */
	code_ref_vec *ret;
};

/* Reads a number. All its bytes must lie inside the code. */
static uint32_t number_at(const struct data_scan *s, uint64_t off, unsigned size)
{
	ASSERT(size <= 4 && off <= s->code.size);
	uint32_t v = 0;
	for (unsigned i = 0; i < size; i++)
		v |= (uint32_t)s->code.p[off + i] << 8 * (s->big_endian ? size - 1 - i : i);
	return v;
}

static void data_refs_add(const struct data_scan *s, uint64_t off, uint64_t to, enum ref_use use)
{
	vec_push(s->ret, (struct code_ref){ .from = s->addr + off,
					    .to = s->wide ? to : (uint32_t)to,
					    .kind = REF_ADDR,
					    .use = (uint8_t)use });
}

static void code_data_refs_add(const struct data_scan *s, uint64_t off, uint64_t to)
{
	data_refs_add(s, off, to, USE_ACCESS);
}

/* ---- ARM ------------------------------------------------------------------------------------- */

/* Reports the word of a literal pool at an address. */
static void add_pool(const struct data_scan *s, uint64_t off, uint64_t at, enum ref_use use)
{
	if (at >= s->addr && at - s->addr <= s->code.size && s->code.size - (at - s->addr) >= 4)
		data_refs_add(s, off, number_at(s, at - s->addr, 4), use);
}

/* Tells how code after `off` uses a register: whether it loads or stores there, before it branches
 * or writes the register. */
static enum ref_use arm_use(const struct data_scan *s, uint64_t off, unsigned reg)
{
	enum { AHEAD = 8, SCRATCH = 11 };
	const enum ref_use none = reg == SCRATCH ? USE_SCRATCH : USE_NUMBER;
	for (unsigned i = 0; i < AHEAD; i++) {
		off += 4;
		if (off >= s->code.size || s->code.size - off < 4)
			return none;
		const uint32_t insn = number_at(s, off, 4);
		/* Loads and stores with the base register Rn: cond 01 ... Rn Rd; cond 000 ... Rn
		 * Rd ... 1 S H 1, except multiplications and swaps; cond 110 ... Rn. */
		const bool one = (insn & 0x0c000000) == 0x04000000;
		const bool half = (insn & 0x0e000090) == 0x90 && (insn & 0x60) != 0;
		const bool coprocessor = (insn & 0x0e000000) == 0x0c000000;
		if ((one || half || coprocessor) && (insn >> 16 & 15) == reg)
			return USE_ACCESS;
		if ((insn & 0x0e000000) == 0x0a000000 ||
		    ((insn & 0x0c000000) <= 0x04000000 && (insn >> 12 & 15) == reg))
			return none;
	}
	return none;
}

/* Handles movw and movt: movw sets the low half, movt the high half. */
static void data_refs_do_move(struct data_scan *s, uint64_t off, unsigned reg, uint32_t half,
			      bool high)
{
	if (!high) {
		s->base[reg] = half;
		s->known |= UINT32_C(1) << reg;
	} else if (s->known >> reg & 1) {
		code_data_refs_add(s, off, s->base[reg] | half << 16);
		s->known &= ~(UINT32_C(1) << reg);
	}
}

/* Decodes ldr literal and movw, movt: cond 010 1 U 0 0 1 1111 Rt imm12; cond 0011 0 H 00 imm4 Rd
 * imm12. Returns the size of the instruction, here and below. */
static unsigned do_arm(struct data_scan *s, uint64_t off)
{
	const uint32_t insn = number_at(s, off, 4), imm = insn & 0xfff;
	const uint64_t pc = s->addr + off + 8;
	if ((insn & 0x0f7f0000) == 0x051f0000)
		add_pool(s, off, insn >> 23 & 1 ? pc + imm : pc - imm,
			 arm_use(s, off, insn >> 12 & 15));
	else if ((insn & 0x0fb00000) == 0x03000000)
		data_refs_do_move(s, off, insn >> 12 & 15, (insn >> 4 & 0xf000) | imm,
				  insn >> 22 & 1);
	return 4;
}

/* Decodes ldr literal and movw, movt: 01001 Rt imm8; 11111000 U 101 1111 Rt imm12; 11110 i 10 H 100
 * imm4, 0 imm3 Rd imm8. */
static unsigned do_thumb(struct data_scan *s, uint64_t off)
{
	const uint32_t a = number_at(s, off, 2);
	const uint64_t pc = (s->addr + off + 4) & ~UINT64_C(3);
	if ((a & 0xf800) == 0x4800)
		add_pool(s, off, pc + (a & 0xff) * 4, USE_NUMBER);
	if (a < 0xe800 || s->code.size - off < 4)
		return 2;
	const uint32_t b = number_at(s, off + 2, 2), imm = b & 0xfff;
	if ((a & 0xff7f) == 0xf85f)
		add_pool(s, off, a >> 7 & 1 ? pc + imm : pc - imm, USE_NUMBER);
	else if ((a & 0xfb70) == 0xf240 && !(b & 0x8000))
		data_refs_do_move(s, off, b >> 8 & 15,
				  (a & 15) << 12 | (a >> 10 & 1) << 11 | (b >> 12 & 7) << 8 |
					  (b & 0xff),
				  a >> 7 & 1);
	return 4;
}

/* ---- registers set by constants -------------------------------------------------------------- */

static void data_refs_set(struct data_scan *s, unsigned reg, uint64_t value)
{
	ASSERT(reg < 32);
	s->base[reg] = value;
	s->known |= UINT32_C(1) << reg;
	s->fresh |= UINT32_C(1) << reg;
}

static void data_refs_forget(struct data_scan *s, unsigned reg)
{
	s->known &= ~(UINT32_C(1) << reg);
}

/* Sets a register from another register plus a number. If the other register is bare, the result is
 * bare too. */
static void set_from(struct data_scan *s, unsigned reg, unsigned from, uint64_t imm)
{
	const uint32_t stale = (s->bare >> from & 1) << reg;
	data_refs_set(s, reg, s->base[from] + imm);
	s->fresh &= ~stale;
}

/* Called before each instruction. Go uses the upper half of an address at once, so that older ones
 * count as numbers. */
static void age(struct data_scan *s)
{
	s->bare = ~s->fresh;
	s->fresh = 0;
}

static void use(struct data_scan *s, uint64_t off, unsigned reg, uint64_t imm)
{
	if (s->known >> reg & 1)
		data_refs_add(s, off, s->base[reg] + imm,
			      s->bare >> reg & 1 ? USE_NUMBER : USE_ACCESS);
}

/* ---- RISC-V ---------------------------------------------------------------------------------- */

enum {
	R_LOAD = 0x03,
	R_LOAD_FP = 0x07,
	R_OP_IMM = 0x13,
	R_AUIPC = 0x17,
	R_STORE = 0x23,
	R_STORE_FP = 0x27,
	R_LUI = 0x37,
	R_BRANCH = 0x63
};

/* Sets register rd. Register 0 is always 0. Go computes addresses relative to the code. */
static void set_rd(struct data_scan *s, unsigned rd, uint64_t value, bool bare)
{
	if (rd != 0)
		data_refs_set(s, rd, value);
	s->bare = (s->bare & ~(UINT32_C(1) << rd)) | (uint32_t)bare << rd;
}

static void do_riscv_wide(struct data_scan *s, uint64_t off, uint32_t insn)
{
	const unsigned rd = insn >> 7 & 31, rs1 = insn >> 15 & 31;
	const uint64_t high = sign_extend(insn & 0xfffff000, 32);
	const uint64_t imm = sign_extend(insn >> 20, 12);
	switch (insn & 0x7f) {
	case R_LUI: set_rd(s, rd, high, true); return;
	case R_AUIPC: set_rd(s, rd, s->addr + off + high, false); return;
	case R_STORE:
	case R_STORE_FP: use(s, off, rs1, sign_extend((insn >> 20 & 0xfe0) | rd, 12)); return;
	case R_BRANCH: return;
	case R_LOAD_FP: use(s, off, rs1, imm); return;
	case R_LOAD: use(s, off, rs1, imm); break;
	case R_OP_IMM:
		if ((insn >> 12 & 7) == 0)
			use(s, off, rs1, imm);
		break;
	default: break;
	}
	data_refs_forget(s, rd);
}

/* Handles c.lui and c.addi. Other instructions make the registers that they may write unknown. */
static void do_riscv_short(struct data_scan *s, uint64_t off, uint32_t insn)
{
	const unsigned rd = insn >> 7 & 31, kind = insn & 3, op = insn >> 13;
	const uint64_t imm = sign_extend((insn >> 7 & 0x20) | (insn >> 2 & 0x1f), 6);
	if (kind == 1 && op == 3 && rd != 2) {
		set_rd(s, rd, imm << 12, true);
		return;
	}
	if (kind == 1 && op == 0)
		use(s, off, rd, imm);
	if (kind == 0 || (kind == 1 && op >= 4))
		data_refs_forget(s, 8 + (kind == 0 ? insn >> 2 & 7 : insn >> 7 & 7));
	else
		data_refs_forget(s, rd);
}

static unsigned do_riscv(struct data_scan *s, uint64_t off)
{
	const uint32_t low = number_at(s, off, 2);
	if ((low & 3) != 3)
		do_riscv_short(s, off, low);
	else if (s->code.size - off >= 4)
		do_riscv_wide(s, off, number_at(s, off, 4));
	return (low & 3) != 3 ? 2 : 4;
}

/* ---- MIPS ------------------------------------------------------------------------------------ */

enum {
	M_SPECIAL = 0,
	M_BRANCH_LAST = 7,
	M_ADDIU = 9,
	M_LUI = 15,
	M_LIKELY = 20,
	M_LIKELY_LAST = 23,
	M_DADDIU = 25,
	M_LOAD = 32,
	M_STORE = 40,
	M_LOAD_LINKED = 48,
	M_LOAD_WIDE = 55,
	M_ADDU = 0x21,
	M_DADDU = 0x2d,
	M_GP = 28
};

static unsigned do_mips(struct data_scan *s, uint64_t off)
{
	const uint32_t insn = number_at(s, off, 4);
	const unsigned op = insn >> 26, rs = insn >> 21 & 31, rt = insn >> 16 & 31;
	const uint64_t imm = sign_extend(insn & 0xffff, 16);
	age(s);
	if (op == M_SPECIAL) {
		/* Go adds gp, which is 0, to the upper half of an address. */
		const unsigned rd = insn >> 11 & 31, function = insn & 0x3f;
		if ((function == M_ADDU || function == M_DADDU) && rt == M_GP &&
		    (s->known >> rs & 1))
			set_from(s, rd, rs, 0);
		else
			data_refs_forget(s, rd);
	} else if (op == M_LUI) {
		data_refs_set(s, rt, sign_extend((uint64_t)(insn & 0xffff) << 16, 32));
	} else if (op >= M_LOAD || op == M_ADDIU || op == M_DADDIU) {
		use(s, off, rs, imm);
		if (op < M_STORE || op == M_LOAD_WIDE)
			data_refs_forget(s, rt);
	} else if (op > M_BRANCH_LAST && !(op >= M_LIKELY && op <= M_LIKELY_LAST)) {
		data_refs_forget(s, rt);
	}
	return 4;
}

/* ---- PowerPC --------------------------------------------------------------------------------- */

enum {
	P_ADDI = 14,
	P_ADDIS = 15,
	P_BRANCH = 16,
	P_BRANCH_LAST = 19,
	P_OR_IMM = 24,
	P_LOGIC_FIRST = 20,
	P_LOGIC_LAST = 30,
	P_X = 31,
	P_LOAD = 32,
	P_FLOAT_LAST = 55,
	P_LOAD_WIDE = 58,
	P_STORE_WIDE = 62
};

static unsigned do_power(struct data_scan *s, uint64_t off)
{
	const uint32_t insn = number_at(s, off, 4);
	const unsigned op = insn >> 26, rt = insn >> 21 & 31, ra = insn >> 16 & 31;
	const uint64_t imm = sign_extend(insn & 0xffff, 16);
	const bool known = s->known >> ra & 1, wide = op == P_LOAD_WIDE || op == P_STORE_WIDE;
	age(s);
	if (op == P_ADDIS && ra == 0) {
		data_refs_set(s, rt, imm << 16);
	} else if (op == P_ADDIS && known) {
		set_from(s, rt, ra, imm << 16);
	} else if (op == P_ADDI && ra != 0) {
		use(s, off, ra, imm);
		data_refs_forget(s, rt);
	} else if (wide || (op >= P_LOAD && op <= P_FLOAT_LAST)) {
		if (ra != 0) /* displacements of wide forms have two bits less */
			use(s, off, ra, wide ? imm & ~UINT64_C(3) : imm);
		const bool stores = op == P_STORE_WIDE || (op >= 36 && op <= 39) || op == 44 ||
				    op == 45 || op >= 47;
		if (!stores || op == P_LOAD_WIDE)
			data_refs_forget(s, rt);
	} else if (op == P_OR_IMM && (s->known >> rt & 1)) {
		data_refs_add(s, off, s->base[rt] | (insn & 0xffff), USE_NUMBER);
		data_refs_forget(s, ra);
	} else if (op < P_BRANCH || op > P_BRANCH_LAST) {
		data_refs_forget(s, op >= P_LOGIC_FIRST && op <= P_LOGIC_LAST ? ra : rt);
		if (op == P_X)
			data_refs_forget(s, ra);
	}
	return 4;
}

/* ---- z/Architecture -------------------------------------------------------------------------- */

/* Decodes larl, and loads, stores and comparisons with names ending in rl: C00, C4x and C6x, a
 * register, a distance of 32 bits in half-words. The first two bits of an instruction tell its
 * length. */
static unsigned do_s390(struct data_scan *s, uint64_t off)
{
	const uint32_t first = number_at(s, off, 2);
	const unsigned op = first >> 8;
	const bool far = op == 0xc4 || op == 0xc6 || (op == 0xc0 && (first & 15) == 0);
	if (far && s->code.size - off >= 6)
		code_data_refs_add(s, off,
				   s->addr + off + 2 * sign_extend(number_at(s, off + 2, 4), 32));
	return first >> 14 == 0 ? 2 : first >> 14 == 3 ? 6 : 4;
}

/* ---- AVR ------------------------------------------------------------------------------------- */

/* Tells whether code after an address in a register pair loads from flash with it (lpm, elpm). movw
 * copies the pair. Z is r30 and r31. */
static bool reads_flash(const struct data_scan *s, uint64_t off, unsigned pair)
{
	enum { AHEAD = 6, Z = 30 };
	for (unsigned i = 0; i < AHEAD && off < s->code.size && s->code.size - off >= 2; i++) {
		const uint32_t a = number_at(s, off, 2);
		const unsigned to = (a >> 4 & 15) * 2;
		if (a == 0x95c8 || a == 0x95d8 || (a & 0xfe0c) == 0x9004)
			return pair == Z;
		if ((a & 0xfe0e) == 0x940c || (a & 0xfe0e) == 0x940e || a >> 12 == 12 ||
		    a >> 12 == 13 || a == 0x9508)
			return false;
		if (a >> 8 == 1 && (a & 15) * 2 == pair)
			pair = to;
		else if (a >> 8 == 1 && to == pair)
			return false;
		off += avr_size(a);
	}
	return false;
}

/* Handles a byte of an address that is loaded, or subtracted from a register. A register pair takes
 * two bytes. */
static void do_avr_byte(struct data_scan *s, uint64_t off, uint32_t a)
{
	const unsigned d = 16 + (a >> 4 & 15);
	const uint64_t k = (a >> 4 & 0xf0) | (a & 15);
	const bool ldi = a >> 12 == 14, sub = a >> 12 == 5 || a >> 12 == 4;
	if (!ldi && !sub) {
		data_refs_forget(s, d);
	} else if (d % 2 == 0) {
		data_refs_set(s, d, k);
	} else if (s->known >> (d - 1) & 1) {
		/* Reports a 16-bit address. It is in data memory, unless code reads flash with it,
		 * or there is no data at it. */
		const uint64_t v = s->base[d - 1] | k << 8, low = (ldi ? v : 0 - v) & 0xffff;
		const bool flash = reads_flash(s, off + 2, d - 1) ||
				   (s->im && !image_section_at(s->im, AVR_DATA + low));
		code_data_refs_add(s, off, flash ? low : AVR_DATA + low);
		data_refs_forget(s, d - 1);
	}
}

/* Decodes AVR code. lds and sts state an address of data. */
static unsigned do_avr(struct data_scan *s, uint64_t off)
{
	const uint32_t a = number_at(s, off, 2);
	const unsigned size = avr_size(a);
	if ((a & 0xfc0f) == 0x9000 && s->code.size - off >= size)
		code_data_refs_add(s, off, AVR_DATA + number_at(s, off + 2, 2));
	else if ((a >= 0x4000 && a < 0x8000) || a >> 12 == 14)
		do_avr_byte(s, off, a);
	return size;
}

/* ---- Xtensa ---------------------------------------------------------------------------------- */

/* Reports the word of a pool that may lie before the function and has no symbol. */
static void add_far_pool(const struct data_scan *s, uint64_t off, uint64_t at)
{
	enum { WORD = 4 };
	vec_push(s->ret, (struct code_ref){
				 .from = s->addr + off, .to = at, .kind = REF_MEM, .size = WORD });
	struct reader r = reader_of(s->im ? image_at(s->im, at, 4) : (struct bytes){ 0 }, false);
	const uint32_t word = read_u32(&r);
	if (reader_ok(&r))
		code_data_refs_add(s, off, word);
	else
		add_pool(s, off, at, USE_ACCESS);
}

/* Finds words of pools, which lie before the code that loads them. */
static unsigned do_xtensa(struct data_scan *s, uint64_t off)
{
	const uint8_t *p = s->code.p + off;
	const unsigned size = xtensa_size(*p);
	unsigned reg;
	uint64_t at;
	if (xtensa_literal(p, s->code.size - off, s->addr + off, &reg, &at))
		add_far_pool(s, off, at);
	return size > 0 ? size : 1;
}

/* ---- all steps together ---------------------------------------------------------------------- */

/* A machine: decodes the instruction at an offset and returns its size. Instructions begin at
 * multiples of `unit` bytes, at which as many bytes are left. */
struct machine {
	unsigned (*decode)(struct data_scan *s, uint64_t off);
	unsigned unit;
};

static const struct machine thumb = { do_thumb, 2 }, riscv = { do_riscv, 2 };

/* Returns the machine of an image. decode is NULL if there is no decoder. */
static struct machine machine_of(const struct image *im)
{
	const struct machine none = { NULL, 1 };
	switch (image_arch(im)->id) {
	case ARCH_ARM: return im->bits == 32 ? (struct machine){ do_arm, 4 } : none;
	case ARCH_RISCV: return riscv;
	case ARCH_MIPS: return (struct machine){ do_mips, 4 };
	case ARCH_PPC:
	case ARCH_PPC64: return (struct machine){ do_power, 4 };
	case ARCH_S390: return (struct machine){ do_s390, 2 };
	case ARCH_AVR: return (struct machine){ do_avr, 2 };
	case ARCH_XTENSA: return im->big_endian ? none : (struct machine){ do_xtensa, 1 };
	default: return none;
	}
}

static void data_scan(struct data_scan *s, struct machine m)
{
	const uint64_t size = s->code.size;
	s->known = 0;
	for (uint64_t off = -s->addr % m.unit; off <= size && size - off >= m.unit;) {
		const unsigned step = m.decode(s, off);
		ASSERT(step >= m.unit);
		off += step;
	}
}

bool data_refs_known(const struct image *im)
{
	return machine_of(im).decode != NULL;
}

void data_refs(const struct image *im, struct bytes code, uint64_t addr, code_ref_vec *ret)
{
	ASSERT(im->bits == 32 || im->bits == 64);
	struct data_scan s = { .code = code,
			       .addr = addr,
			       .big_endian = im->big_endian,
			       .wide = im->bits == 64,
			       .im = im,
			       .ret = ret };
	const struct machine m = machine_of(im);
	if (m.decode)
		data_scan(&s, m);
	if (m.decode == do_arm)
		data_scan(&s, thumb);
}

void data_refs_of(enum code_isa isa, struct bytes code, uint64_t addr, code_ref_vec *ret)
{
	struct data_scan s = {
		.code = code, .addr = addr, .wide = isa == CODE_RISCV64, .ret = ret
	};
	if (isa == CODE_THUMB)
		data_scan(&s, thumb);
	else if (isa == CODE_RISCV32 || isa == CODE_RISCV64)
		data_scan(&s, riscv);
}
