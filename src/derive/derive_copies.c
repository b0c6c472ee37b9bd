/* Finds where the block of a call ends in LLVM's code. After a call that may throw, LLVM copies
 * registers for later blocks, and these copies are in the call's block. The instructions after an
 * instruction show whether it is such a copy. x86-64. */
#include "derive/derive_internal.h"
#include "code/x86.h"

enum { RAX = 0, RSP = 4, NO_REG = 16 };

/* An instruction that only sets a register. */
struct derive_copies_copy {
	unsigned from, to; /* `from`: NO_REG if the source is no register */
	unsigned size;
	bool store; /* True if it stores %rax to disp(%rsp) */
	bool load;  /* True if it loads from disp(%rsp) */
};

/* Return a register's number: from ModRM's reg field, or the low bits of ModRM or the opcode. */
static unsigned reg_field(uint8_t rex, uint8_t modrm)
{
	return (modrm >> 3 & 7) | (unsigned)(rex & 4) << 1;
}

static unsigned low_field(uint8_t rex, uint8_t byte)
{
	return (byte & 7) | (unsigned)(rex & 1) << 3;
}

/* Reads a copy: mov, lea, or xor of a register with itself. The source is a register, an immediate,
 * or memory relative to %rsp or %rip. False for other instructions. */
static bool read_copy(const uint8_t *p, uint64_t left, struct derive_copies_copy *ret)
{
	struct x86_insn in;
	const uint8_t rex = left > 0 && (p[0] & 0xf0) == 0x40 ? p[0] : 0;
	if (left < X86_MAX_LEN || !x86_decode(p, left, true, &in))
		return false;
	p += rex != 0;
	const uint8_t op = p[0], modrm = p[1];
	const unsigned reg = reg_field(rex, modrm), low = low_field(rex, modrm);
	const bool stack = modrm >> 6 > 0 && modrm < 0xc0 && (modrm & 7) == 4 && p[2] == 0x24;
	*ret = (struct derive_copies_copy){ .from = NO_REG, .size = in.len };
	if (op == 0x89 && modrm >= 0xc0)
		return ret->from = reg, ret->to = low, true;
	if (op == 0x8b && modrm >= 0xc0)
		return ret->from = low, ret->to = reg, true;
	if (op == 0x31 && modrm >= 0xc0)
		return ret->to = reg, reg == low;
	if (op == 0x89 && stack)
		return ret->store = reg == RAX && rex & 8, ret->store;
	if ((op & 0xf8) == 0xb8)
		return ret->to = low_field(rex, op), true;
	ret->to = reg;
	ret->load = op == 0x8b && stack;
	return ret->load || (op == 0x8d && (stack || in.pc_relative));
}

/* True for registers that callees preserve: rbx, rbp, r12 to r15. */
static bool is_saved(unsigned reg)
{
	return reg == 3 || reg == 5 || reg >= 12;
}

uint32_t copies_end(const struct derive_extent *x, const uint64_t *targets, uint32_t from,
		    const struct event *next)
{
	enum { MOST = 4 };
	struct derive_copies_copy c;
	uint32_t at = from;
	ASSERT(from <= x->code.size);
	if (at < x->code.size && bit_get(targets, at))
		return from;
	for (unsigned i = 0; i < MOST && read_copy(x->code.p + at, x->code.size - at, &c); i++) {
		const uint8_t *p = x->code.p + at;
		if (c.store) {
			/* The next instruction compares with 0 (cmpq) where %rax was just stored:
			 * its displacement after REX, opcode, ModRM and SIB is the same. */
			const unsigned size = c.size - 4;
			const uint8_t *next_insn = p + c.size;
			const bool compares = x->code.size - at > 6 + size &&
					      next_insn[0] == 0x48 && next_insn[1] == 0x83 &&
					      next_insn[2] == (p[2] | 0x38) &&
					      next_insn[3] == 0x24 &&
					      memcmp(next_insn + 4, p + 4, size) == 0 &&
					      next_insn[4 + size] == 0;
			return i == 0 && compares ? at + c.size : from;
		}
		if (c.from == RAX)
			return is_saved(c.to) ? at : from; /* First use of the result */
		at += c.size;
		const bool led_to = at < x->code.size && bit_get(targets, at);
		if (i == 0 && c.from != NO_REG &&
		    (led_to || (next && next->off == at && next->kind == EVENT_JMP)))
			return at; /* A single copy is no block by itself */
		if (led_to || c.to == RAX || !(c.load || is_saved(c.to)))
			break;
	}
	return from;
}
