/* The x86 decoder: bit 0 of the first byte is the mode, the rest is code. */
#include "code/x86.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_size(unsigned n)
{
	return n == 0 || n == 1 || n == 2 || n == 3 || n == 4 || n == 8;
}

static void check_insn(const struct x86_insn *in, size_t left)
{
	ASSERT(in->len >= 1 && in->len <= X86_MAX_LEN && in->len <= left);
	ASSERT(is_size(in->disp_size) && is_size(in->imm_size));
	if (in->disp_size != 0)
		ASSERT(in->disp_off > 0 && in->disp_off + in->disp_size <= in->len);
	if (in->imm_size != 0)
		ASSERT(in->imm_off >= in->disp_off + in->disp_size &&
		       in->imm_off + in->imm_size <= in->len);
	ASSERT(in->pc_relative + in->absolute + in->indexed <= 1);
	ASSERT(!in->pc_relative || in->disp_size == 4);
}

/* The bytes of an instruction alone, and nothing behind them, decide what it is. */
static void check_alone(const uint8_t *p, bool mode64, const struct x86_insn *in)
{
	struct x86_insn again;
	uint8_t other[64];
	ASSERT(x86_decode(p, in->len, mode64, &again));
	ASSERT(memcmp(&again, in, sizeof again) == 0);
	ASSERT(!x86_decode(p, in->len - 1u, mode64, &again));
	memset(other, 0xa5, sizeof other);
	memcpy(other, p, in->len);
	ASSERT(x86_decode(other, sizeof other, mode64, &again));
	ASSERT(memcmp(&again, in, sizeof again) == 0);
}

/* Walks the code; returns the bytes that are none, and counts what code_refs must find. */
static uint64_t walk(struct bytes code, bool mode64, size_t *refs)
{
	uint64_t bad = 0;
	for (uint64_t off = 0; off < code.size;) {
		struct x86_insn in;
		memset(&in, 0, sizeof in);
		if (!x86_decode(code.p + off, code.size - off, mode64, &in)) {
			bad++;
			off++;
			continue;
		}
		check_insn(&in, code.size - off);
		check_alone(code.p + off, mode64, &in);
		const bool branch = in.flow == X86_JCC || in.flow == X86_JMP || in.flow == X86_CALL;
		const bool works = in.flow != X86_NOP && in.flow != X86_TRAP;
		const bool relative = branch || in.pc_relative;
		/* -1 is outside of [0, UINT64_MAX). */
		*refs += branch ||
			 (in.disp_size >= 4 && works && (relative || !mode64 || in.disp != -1));
		*refs += in.imm_size >= 4 && (!mode64 || in.imm != -1);
		off += in.len;
	}
	return bad;
}

static void check_refs(struct bytes code, bool mode64)
{
	const uint64_t addr = 0x400000;
	const unsigned all = REF_MEM | REF_ADDR | REF_CALL | REF_JUMP | REF_IMM | REF_INSIDE;
	code_ref_vec refs = { 0 };
	size_t expected = 0;
	const uint64_t bad = walk(code, mode64, &expected);
	ASSERT(x86_refs(code, mode64, addr, &(struct ref_wish){ all, 0, UINT64_MAX }, &refs) ==
	       bad);
	ASSERT(refs.count == expected);
	uint64_t from = addr;
	for (size_t i = 0; i < refs.count; i++) {
		const struct code_ref *r = &refs.data[i];
		ASSERT(r->from >= from && r->field > r->from && r->tail >= 1);
		ASSERT(r->field + r->tail <= addr + code.size);
		from = r->from;
	}
	refs.count = 0;
	ASSERT(x86_refs(code, mode64, addr,
			&(struct ref_wish){ .kinds = all & ~(unsigned)(REF_IMM | REF_INSIDE) },
			&refs) == bad);
	for (size_t i = 0; i < refs.count; i++)
		ASSERT(refs.data[i].to - addr >= code.size && refs.data[i].kind != REF_IMM);
	vec_release(&refs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0)
		return 0;
	check_refs((struct bytes){ data + 1, size - 1 }, data[0] & 1);
	return 0;
}
