/* Finds how many bytes follow an operand's field in its instruction, in an object's code.
 *
 * On x86, pc-relative operands count from the end of the instruction. Relocations assume that it
 * ends after the 4-byte field. */
#include "code/operands.h"

#include "code/x86.h"
#include "image/arch.h"

enum { FIELD = 4 }; /* Size of a pc-relative operand */

static void operands_enter(struct operands *o, uint64_t addr)
{
	const struct section *s = image_section_at(o->im, addr);
	const bool code = s && s->exec && !s->nobits;
	o->in = s;
	o->code = code ? section_bytes(o->im, s) : (struct bytes){ 0 };
	o->before = 0;
}

uint64_t operands_rest(struct operands *o, uint64_t field)
{
	struct x86_insn in;
	if (o->im->kind != IMAGE_OBJECT || !image_arch(o->im)->tail_counts)
		return 0;
	if (!o->in || field - o->in->addr >= o->in->size)
		operands_enter(o, field);
	const uint64_t off = o->in ? field - o->in->addr : 0;
	/* The ModRM byte before the field has mod 0 and rm 5. */
	if (off < 2 || off >= o->code.size || (o->code.p[off - 1] & 0xc7) != 0x05)
		return 0;
	/* Relocations whose addresses do not rise must not make the time quadratic. */
	const uint64_t at = x86_insn_at(o->code, off < o->before ? UINT64_MAX : o->before, off);
	if (at == UINT64_MAX || !x86_decode(o->code.p + at, o->code.size - at, true, &in) ||
	    !in.pc_relative || at + in.disp_off != off)
		return 0;
	o->before = at;
	ASSERT(in.len >= in.disp_off + FIELD);
	return min_u64(in.len - in.disp_off - (uint64_t)FIELD, OPERANDS_REST_MOST);
}
