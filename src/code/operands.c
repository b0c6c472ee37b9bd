/* Finds how many bytes follow an operand's field in its instruction, in objects.
 *
 * On x86, pc-relative operands count from the end of the instruction. Relocations assume that it
 * ends after the 4-byte field. Operands with an immediate after the field are listed here. */
#include "code/operands.h"

#include "base/sort.h"
#include "image/arch.h"

enum { FIELD = 4 }; /* Size of a pc-relative operand */

static void operands_of_section(struct operands *o, const struct image *im,
				const struct section *code)
{
	code_ref_vec refs = { 0 };
	code_refs(CODE_X86_64, section_bytes(im, code), code->addr,
		  &(struct ref_wish){ .kinds = REF_MEM | REF_INSIDE }, &refs);
	for (size_t i = 0; i < refs.count; i++)
		if (refs.data[i].tail > FIELD)
			vec_push(&o->list, (struct operand){ refs.data[i].field,
							     refs.data[i].tail - (uint64_t)FIELD });
	vec_release(&refs);
}

void operands_read(struct operands *o, const struct image *im)
{
	ASSERT(o->list.count == 0);
	ASSERT(im->kind == IMAGE_OBJECT);
	if (!image_arch(im)->tail_counts)
		return;
	for (size_t i = 1; i < im->section_count; i++)
		if (im->sections[i].exec && !im->sections[i].nobits)
			operands_of_section(o, im, &im->sections[i]);
	vec_sort(&o->list);
}

uint64_t operands_rest(const struct operands *o, uint64_t field)
{
	const size_t low = vec_lower(&o->list, field);
	return low < o->list.count && o->list.data[low].field == field ? o->list.data[low].rest : 0;
}
