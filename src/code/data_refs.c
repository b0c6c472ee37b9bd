/* Finds data addresses that code computes from constants. Not for x86 and AArch64. */
#include "code/data_scan.h"

#include "code/flow.h"
#include "image/elf/elf_const.h"

enum { R_LOAD = 0x03, R_LOAD_FP = 0x07, R_OP_IMM = 0x13, R_AUIPC = 0x17, R_STORE = 0x23 };
enum { R_STORE_FP = 0x27, R_LUI = 0x37, R_BRANCH = 0x63 };

/* Sets register rd, unless it is 0, which is always 0. `bare`: in Go's code the value is a number,
 * never an address, because Go computes addresses relative to the code. */
static void set_rd(struct data_scan *s, unsigned rd, uint64_t value, bool bare)
{
	if (rd != 0 && bare)
		data_refs_set(s, rd, value);
	else if (rd != 0)
		data_scan_set_place(s, rd, value, false);
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
	case R_STORE_FP:
		data_scan_use(s, off, rs1, sign_extend((insn >> 20 & 0xfe0) | rd, 12));
		return;
	case R_BRANCH: return;
	case R_LOAD_FP: data_scan_use(s, off, rs1, imm); return;
	case R_LOAD: data_scan_use(s, off, rs1, imm); break;
	case R_OP_IMM:
		if ((insn >> 12 & 7) == 0)
			data_scan_use(s, off, rs1, imm);
		break;
	default: break;
	}
	data_refs_forget(s, rd);
}

/* Handles c.lui and c.addi. Forgets the registers that other compressed instructions may write. */
static void do_riscv_short(struct data_scan *s, uint64_t off, uint32_t insn)
{
	const unsigned rd = insn >> 7 & 31, kind = insn & 3, op = insn >> 13;
	const uint64_t imm = sign_extend((insn >> 7 & 0x20) | (insn >> 2 & 0x1f), 6);
	if (kind == 1 && op == 3 && rd != 2) {
		set_rd(s, rd, imm << 12, true);
		return;
	}
	if (kind == 1 && op == 0)
		data_scan_use(s, off, rd, imm);
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

/* Decodes larl, and loads, stores and comparisons relative to the instruction. Their opcodes are
 * C00, C4x and C6x; then come a register and a 32-bit distance in half-words. Returns the
 * instruction's length, which its first two bits give. */
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

/* True if code reads flash memory (lpm, elpm) with the register pair, after an address was loaded
 * into it. movw copies the pair. Z is r30 and r31. */
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

/* Handles an instruction that loads a number into a register, or subtracts it. An address takes two
 * registers, so two instructions. */
static void do_avr_byte(struct data_scan *s, uint64_t off, uint32_t a)
{
	const unsigned d = 16 + (a >> 4 & 15);
	const uint64_t k = (a >> 4 & 0xf0) | (a & 15);
	const bool ldi = a >> 12 == 14, sub = a >> 12 == 5 || a >> 12 == 4;
	if (!ldi && !sub) {
		data_refs_forget(s, d);
	} else if (d % 2 == 0) {
		data_refs_set(s, d, k);
	} else if (s->r.known >> (d - 1) & 1) {
		/* The 16-bit address is in flash memory if code reads flash with it, or if data
		 * memory has nothing there. */
		const uint64_t v = s->r.base[d - 1] | k << 8, low = (ldi ? v : 0 - v) & 0xffff;
		const bool flash = reads_flash(s, off + 2, d - 1) ||
				   (s->im && !image_section_at(s->im, AVR_DATA + low));
		code_data_refs_add(s, off, flash ? low : AVR_DATA + low);
		data_refs_forget(s, d - 1);
	}
}

/* Decodes an AVR instruction and returns its size. lds and sts state an address of data. */
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

/* Reports a word that was loaded from a literal pool inside the code. `at`: address of the word. */
static void add_pool(const struct data_scan *s, uint64_t off, uint64_t at)
{
	if (at >= s->addr && at - s->addr <= s->code.size && s->code.size - (at - s->addr) >= 4)
		code_data_refs_add(s, off, number_at(s, at - s->addr, 4));
}

/* Reports a word that was loaded from a literal pool, perhaps before the function. */
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
		add_pool(s, off, at);
}

/* Finds words of literal pools. A pool lies before the code that loads its words. */
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

/* How to decode the code of a machine. `decode` handles the instruction at an offset and returns
 * its size. Instructions begin at multiples of `unit` bytes, and at least `unit` bytes are left */
struct machine {
	unsigned (*decode)(struct data_scan *s, uint64_t off);
	unsigned unit;
	void (*start)(struct data_scan *s); /* Sets the first registers. May be NULL */
};

static const struct machine thumb = { do_thumb, 2, start_arm }, riscv = { do_riscv, 2, NULL };

/* Returns the machine of an image. decode is NULL if there is no decoder. */
static struct machine machine_of(const struct image *im)
{
	const struct machine none = { NULL, 1, NULL };
	switch (image_arch(im)->id) {
	case ARCH_ARM: return im->bits == 32 ? (struct machine){ do_arm, 4, start_arm } : none;
	case ARCH_RISCV: return riscv;
	case ARCH_MIPS: return (struct machine){ do_mips, 4, start_mips };
	case ARCH_PPC:
	case ARCH_PPC64: return (struct machine){ do_power, 4, start_power };
	case ARCH_S390: return (struct machine){ do_s390, 2, NULL };
	case ARCH_AVR: return (struct machine){ do_avr, 2, NULL };
	case ARCH_XTENSA: return im->big_endian ? none : (struct machine){ do_xtensa, 1, NULL };
	default: return none;
	}
}

/* Sets the registers for code at `off`, into which no earlier instruction falls through. Takes the
 * registers at a branch to `off`; without such a branch, those at the last indirect jump, or those
 * that calls preserve. */
static void data_scan_restart(struct data_scan *s, uint64_t off)
{
	const struct data_branch *b = &s->branches[off / 2 % DATA_BRANCHES];
	s->ends = false;
	if (b->to == off)
		s->r = b->at;
	else if (s->switches)
		s->r = s->switched;
	else
		data_scan_call(s);
}

static void data_scan_once(struct data_scan *s, struct machine m)
{
	const uint64_t size = s->code.size;
	s->r.known = 0;
	s->ends = s->ends_later = s->switches = false;
	if (m.start)
		m.start(s);
	for (uint64_t off = -s->addr % m.unit; off <= size && size - off >= m.unit;) {
		const unsigned step = m.decode(s, off);
		ASSERT(step >= m.unit);
		off += step;
		if (s->ends)
			data_scan_restart(s, off);
	}
}

/* Scans the code. If a branch goes back to earlier code, scans twice: only then are the registers
 * at that branch known when its target is decoded. */
static void data_scan(struct data_scan *s, struct machine m)
{
	struct data_branch branches[DATA_BRANCHES];
	const size_t found = s->ret->count;
	for (unsigned i = 0; i < DATA_BRANCHES; i++)
		branches[i].to = 0;
	s->branches = branches;
	data_scan_once(s, m);
	if (m.start && s->moves && s->back) {
		s->ret->count = found;
		data_scan_once(s, m);
	}
	s->branches = NULL;
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
			       .moves = im->kind == IMAGE_EXEC && im->type == ET_DYN,
			       .got = image_got(im),
			       .im = im,
			       .ret = ret };
	const struct machine m = machine_of(im);
	/* Shorter code does not show whether it is ARM or Thumb code, so it is decoded as both. */
	enum { TELLING = 64 };
	const bool arm = m.decode == do_arm, both = arm && !s.moves && code.size < TELLING;
	const bool set = arm && arm_set_likely(code, addr, im->big_endian);
	if (m.decode && (!arm || both || set))
		data_scan(&s, m);
	if (arm && (both || !set))
		data_scan(&s, thumb);
}

void data_refs_of(enum code_isa isa, struct bytes code, uint64_t addr, code_ref_vec *ret)
{
	struct data_scan s = {
		.code = code, .addr = addr, .wide = code_isa_plain(isa) == CODE_RISCV64, .ret = ret
	};
	if (isa == CODE_THUMB)
		data_scan(&s, thumb);
	else if (code_isa_is_riscv(isa))
		data_scan(&s, riscv);
}
