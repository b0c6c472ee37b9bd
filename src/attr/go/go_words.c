/* Tells addresses from numbers in the code and data of a Go program. */
#include "attr/go/go_words.h"

#include "image/arch.h"
#include "image/elf/elf_const.h"

void go_words_read(struct go_words *w, const struct image *im, const struct go_table *table)
{
	*w = (struct go_words){ .im = im, .table = table };
	if (table && table->tab.layout >= PCLNTAB_16)
		go_table_code(table, &w->code.start, &w->code.end);
	go_mask_read(&w->mask, im, table);
}

void go_words_release(struct go_words *w)
{
	go_mask_release(&w->mask);
}

/* Judges a reference. Code for x86-64 and AArch64 computes all addresses from its own place. Code
 * for 386 has addresses only as memory operands. Code for ARM loads addresses and numbers from
 * pools. Addresses of zeroed variables may look like numbers. They count only if the code then
 * loads or stores there. */
enum go_ref go_words_judge(const struct go_words *w, const struct code_ref *ref)
{
	if (ref->use == USE_ACCESS)
		return GO_ADDRESS;
	if (!image_arch(w->im)->pools || ref->use == USE_SCRATCH)
		return GO_NUMBER;
	return image_at(w->im, ref->to, 1).size > 0 ? GO_ADDRESS : GO_EITHER;
}

/* Tells whether a word is no address. Go's linker groups variables that have pointers only to each
 * other (the tasks that initialise packages). Read-only data holds offsets, and numbers that look
 * like addresses of variables. */
bool go_words_no_address(const struct go_words *w, uint64_t place, bool place_written,
			 uint64_t target, bool target_written)
{
	enum { OTHERS = 4096 }; /* Maximal number of bytes of the records after the first */
	const struct go_table *g = w->table;
	ASSERT(g);
	/* Records of Go's linker about the program: the build, the checksum of its cryptography,
	 * its parts. From Go 1.18 on they come before the variables without pointers. */
	const struct go_part *build = &g->parts[GO_BUILD_INFO];
	const uint64_t size = g->noptr.start - build->addr;
	if (g->tab.layout >= PCLNTAB_18 &&
	    place - build->addr < (size < build->size + OTHERS ? size : build->size))
		return true;
	if (place >= g->noptr.start && place < g->noptr.end)
		return target < g->noptr.start || target >= g->noptr.end || target % g->tab.pointer;
	return g->noptr.end > 0 && !place_written && target_written;
}
