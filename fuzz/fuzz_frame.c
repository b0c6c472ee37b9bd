/* Frames: the first byte says which machine's code the rest is. */
#include "stack/frame.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ADDR = 0x10000 };

static struct bytes load(void *ctx, uint64_t addr, uint64_t size)
{
	const struct bytes *code = ctx;
	const uint64_t off = min_u64(addr - ADDR, code->size);
	return bytes_sub(*code, off, min_u64(size, code->size - off));
}

/* What is decoded alone is what it was with more behind it; branches say where they lead. */
static void check_flow(enum code_isa isa, struct bytes code)
{
	for (uint64_t off = 0; off < code.size;) {
		struct flow in, alone;
		if (!flow_decode(isa, code.p + off, code.size - off, ADDR + off, &in)) {
			off++;
			continue;
		}
		ASSERT(in.size >= 1 && in.size <= code.size - off);
		ASSERT(flow_decode(isa, code.p + off, in.size, ADDR + off, &alone));
		/* What AVR skips is seen in the instruction behind. */
		const bool skip = isa == CODE_AVR && in.kind == FLOW_CONDITIONAL;
		ASSERT(alone.size == in.size && alone.kind == in.kind);
		ASSERT(alone.target == in.target || skip);
		off += in.size;
	}
}

static void check_frame(enum code_isa isa, struct bytes code)
{
	const struct frame_memory memory = { load, &code, NULL, 0 };
	struct stack_frame f = { 0 };
	frame_read(&f, isa, code, ADDR, &memory);
	ASSERT(f.size >= frame_word(isa));
	for (size_t i = 0; i < f.calls.count; i++) {
		const struct frame_call *c = &f.calls.data[i];
		ASSERT(c->from - ADDR < code.size);
		ASSERT(c->depth <= f.size);
		ASSERT(i == 0 || c->from >= c[-1].from);
	}
	frame_release(&f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const enum code_isa isas[] = {
		CODE_X86_64,       CODE_I386,         CODE_THUMB,       CODE_RISCV32,
		CODE_RISCV64,      CODE_ARM64,        CODE_AVR,         CODE_XTENSA,
		CODE_RISCV32_XQCI, CODE_RISCV64_ZCMP, CODE_RISCV32_XCV, CODE_RISCV64_XANDES
	};
	if (size == 0)
		return 0;
	/* The first five are those of the seeds. */
	const enum code_isa isa = isas[data[0] < 0x80 ? data[0] % 5 : data[0] % COUNT_OF(isas)];
	const struct bytes code = { data + 1, size - 1 };
	check_flow(isa, code);
	check_frame(isa, code);
	return 0;
}
