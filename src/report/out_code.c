/* Writes the code of basic blocks as text. */
#include "blocks/block_set.h"
#include "code/disasm.h"
#include "report/report.h"

#include <stdlib.h>

/* State while one function is written. */
struct code_listing {
	struct heft_blocks *blocks;
	const struct image *im;
	struct disasm disasm;
	bool with_bytes; /* True to write an instruction's bytes before its text */
	uint64_t left;   /* Bytes of code that may still be read */
};

/* Returns the name of the function to which a call or jump goes, if its operand is only an address.
 * NULL if no function begins there. In objects, targets are unknown before linking. */
static const char *listing_target(const struct code_listing *l, const char *operands)
{
	const char *digits = operands + (operands[0] == '#');
	char *end;
	if (strncmp(digits, "0x", 2) != 0 || l->im->kind == IMAGE_OBJECT)
		return NULL;
	const uint64_t addr = strtoull(digits, &end, 16);
	return *end == '\0' ? blocks_name_at(l->blocks, addr) : NULL;
}

/* Writes an instruction, indented. Appends the name of the function that it calls or jumps to. */
static void listing_put_insn(const struct code_listing *l, const struct disasm_insn *insn,
			     uint64_t addr, struct sink *s)
{
	enum { BYTES_SHOWN = 8 }; /* Bytes of an instruction in the column of bytes */
	const char *target = listing_target(l, insn->operands);
	sink_printf(s, "          0x%08" PRIx64 "  ", addr);
	for (size_t i = 0; l->with_bytes && i < insn->bytes.size; i++)
		sink_printf(s, "%02x ", insn->bytes.p[i]);
	for (size_t i = insn->bytes.size; l->with_bytes && i < BYTES_SHOWN; i++)
		sink_text(s, STR("   "));
	sink_printf(s, *insn->operands ? " %-7s %s" : " %s", insn->name, insn->operands);
	sink_printf(s, target ? " <%s>\n" : "\n", target);
}

static void listing_put(struct code_listing *l, const struct heft_block *b, struct sink *s)
{
	struct bytes code = image_at(l->im, b->addr, min_u64(b->size, l->left));
	uint64_t addr = b->addr;
	struct disasm_insn insn;
	l->left -= code.size;
	while (code.size > 0 && !s->failed) {
		disasm_next(&l->disasm, code, addr, &insn);
		ASSERT(insn.bytes.size > 0 && insn.bytes.size <= code.size);
		listing_put_insn(l, &insn, addr, s);
		addr += insn.bytes.size;
		code = (struct bytes){ code.p + insn.bytes.size, code.size - insn.bytes.size };
	}
}

bool out_code(struct heft_blocks *b, size_t i, const struct code_wish *w, struct sink *s,
	      struct heft_err *err)
{
	struct code_listing l = { .blocks = b, .with_bytes = w->whole };
	bool thumb;
	if (!disasm_present())
		return fail(
			err, HEFT_EUNSUPPORTED, HEFT_NO_OFFSET,
			"no disassembler: Capstone is not installed, or heft was built without it");
	l.im = blocks_image(b, i, &thumb);
	/* A valid map lists each byte once, so the file's size is a sufficient limit. */
	l.left = w->whole ? l.im->bytes.size : min_u64(l.im->bytes.size, w->most);
	if (!disasm_open(&l.disasm, l.im, thumb))
		return fail(err, HEFT_EUNSUPPORTED, HEFT_NO_OFFSET,
			    "no disassembler for the code of this machine");
	const struct heft_block_function f = blocks_function(b, i);
	if (w->whole)
		out_block_head(&f, s);
	for (size_t k = 0; k < f.block_count && (w->whole || l.left > 0); k++) {
		out_block(&f, f.blocks[k], w->counts ? &w->counts[k] : NULL, s);
		listing_put(&l, f.blocks[k], s);
	}
	disasm_close(&l.disasm);
	return true;
}
