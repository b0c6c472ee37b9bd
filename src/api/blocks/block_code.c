/* Writes the code of basic blocks as text: heft_blocks_disassemble. */
#include "api/blocks_handle.h"

#include <stdlib.h>

#include "code/disasm.h"
#include "report/report.h"
#include "blocks/blockmap.h"

/* State while one function is written. */
struct block_code_listing {
	struct heft_blocks *blocks;
	const struct image *im;
	struct disasm disasm;
	bool with_bytes; /* The bytes of an instruction come before its text. */
	uint64_t left;   /* Bytes of code that may still be looked at. */
	struct sink s;
};

/* Returns the name of the function that a call or jump leads to, if its operand is only an address.
 * NULL if no function begins there. Targets in objects are unknown before linking. */
static const char *block_code_target_of(const struct block_code_listing *l, const char *operands)
{
	const char *digits = operands + (operands[0] == '#');
	char *end;
	if (strncmp(digits, "0x", 2) != 0 || l->im->kind == IMAGE_OBJECT)
		return NULL;
	const uint64_t addr = strtoull(digits, &end, 16);
	return *end == '\0' ? blocks_name_at(l->blocks, addr) : NULL;
}

static void block_code_put(struct block_code_listing *l, const struct heft_block_function *f,
			   const struct heft_block *b, const struct heft_block_count *count)
{
	struct bytes code = image_at(l->im, b->addr, min_u64(b->size, l->left));
	uint64_t addr = b->addr;
	struct disasm_insn insn;
	out_block(f, b, count, &l->s);
	l->left -= code.size;
	while (code.size > 0 && !l->s.failed) {
		disasm_next(&l->disasm, code, addr, &insn);
		out_insn(addr, l->with_bytes ? insn.bytes : (struct bytes){ 0 }, insn.name,
			 insn.operands, block_code_target_of(l, insn.operands), &l->s);
		addr += insn.bytes.size;
		code = (struct bytes){ code.p + insn.bytes.size, code.size - insn.bytes.size };
	}
}

static bool block_code_put_text(void *ctx, const void *data, size_t size)
{
	text_add(ctx, (struct str){ data, size });
	return true;
}

static bool open_listing(struct block_code_listing *l, struct heft_blocks *b, size_t i,
			 struct heft_err *err)
{
	bool thumb;
	if (!disasm_present())
		return fail(
			err, HEFT_EUNSUPPORTED, HEFT_NO_OFFSET,
			"no disassembler: Capstone is not installed, or heft was built without it");
	l->im = blocks_image(b, i, &thumb);
	l->blocks = b;
	l->left = l->im->bytes.size; /* Enough for a map that lists each byte once. */
	return disasm_open(&l->disasm, l->im, thumb) ||
	       fail(err, HEFT_EUNSUPPORTED, HEFT_NO_OFFSET,
		    "no disassembler for the code of this machine");
}

static bool block_code_disassemble(struct heft_blocks *b, size_t i, const struct heft_sink *sink,
				   struct heft_err *err)
{
	struct heft_block_function f = { .size = sizeof f };
	struct block_code_listing l = { .with_bytes = true };
	if (!heft_blocks_function(b, i, &f, err) || !open_listing(&l, b, i, err))
		return false;
	sink_start(&l.s, sink);
	out_block_head(&f, &l.s);
	for (size_t k = 0; k < f.block_count; k++)
		block_code_put(&l, &f, f.blocks[k], NULL);
	disasm_close(&l.disasm);
	return sink_end(&l.s, err);
}

bool heft_blocks_disassemble(struct heft_blocks *b, size_t i, const struct heft_sink *sink,
			     struct heft_err *err)
{
	return GUARDED(blocks_memory(b), err, block_code_disassemble(b, i, sink, err));
}

bool blocks_code_text(struct heft_blocks *b, size_t i, const struct heft_block_count *counts,
		      uint64_t most, struct text *to, struct heft_err *err)
{
	struct heft_block_function f = { .size = sizeof f };
	const struct heft_sink sink = { block_code_put_text, to };
	struct block_code_listing l = { 0 };
	if (!heft_blocks_function(b, i, &f, err) || !open_listing(&l, b, i, err))
		return false;
	l.left = min_u64(l.left, most);
	sink_start(&l.s, &sink);
	for (size_t k = 0; k < f.block_count && l.left > 0; k++)
		block_code_put(&l, &f, f.blocks[k], counts ? &counts[k] : NULL);
	disasm_close(&l.disasm);
	return sink_end(&l.s, err);
}
