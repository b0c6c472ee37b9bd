/* Finds where paths of calls begin: the entry, interrupt handlers, functions that nothing calls. */
#include "stack/depths.h"

static struct stack_function *starting_at(struct stack_use *s, uint64_t addr)
{
	const uint32_t i = stack_find(s, addr);
	struct stack_function *f = i == STACK_NONE ? NULL : &s->functions.data[i];
	return f && f->addr == addr ? f : NULL;
}

/* Returns the lowest of the sections that are loaded from the file. */
static const struct section *lowest_section(const struct image *im)
{
	const struct section *found = NULL;
	each_section(s, im)
		if (s->alloc && !s->nobits && s->size > 0 && (!found || s->addr < found->addr))
			found = s;
	return found;
}

/* Marks the functions in the vector table (ARMv7-M B1.5.3) at the start of the image. It has the
 * stack pointer, the reset handler, and other handlers, whose addresses are odd. It ends before the
 * first word that is neither a handler nor 0. */
static void mark_vectors(struct stack_use *s, const struct image *im)
{
	enum { MOST = 512 };
	const struct section *table = lowest_section(im);
	if (!table)
		return;
	struct reader r = reader_of(image_at(im, table->addr, MOST * 4), im->big_endian);
	const uint64_t top = read_u32(&r);
	const struct section *code = image_section_at(im, top);
	if (top % 4 != 0 || (code && code->exec))
		return;
	for (unsigned i = 1; i < MOST && reader_left(&r) >= 4; i++) {
		const uint32_t word = read_u32(&r);
		struct stack_function *f = word & 1 ? starting_at(s, word - 1) : NULL;
		if (f)
			f->kind = STACK_INTERRUPT;
		else if (word != 0)
			return;
	}
}

void stack_find_starts(struct stack_use *s)
{
	const struct image *im = program_image(s->program);
	bool *called = mem_zeroed(s->functions.count + 1, sizeof *called);
	for (uint32_t i = 0; i < s->functions.count; i++) {
		const struct stack_function *f = &s->functions.data[i];
		for (uint32_t k = 0; k < f->edge_count; k++)
			if (s->edges.data[f->edge_first + k].to != i)
				called[s->edges.data[f->edge_first + k].to] = true;
	}
	for (size_t i = 0; i < s->functions.count; i++)
		if (!called[i] && s->functions.data[i].kind == STACK_CALLED)
			s->functions.data[i].kind = STACK_UNCALLED;
	mem_free(called);
	if (s->isa == CODE_THUMB)
		mark_vectors(s, im);
	struct stack_function *entry = starting_at(s, flow_entry(s->isa, im->entry));
	if (entry)
		entry->kind = STACK_ENTRY;
}
