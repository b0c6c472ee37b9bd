/* code_symbols.h - the symbols that are places in code: functions, and labels, which have no
 * type. */
#ifndef HEFT_IMAGE_CODE_SYMBOLS_H
#define HEFT_IMAGE_CODE_SYMBOLS_H

#include "image/elf/elf_const.h"
#include "image/image.h"

struct code_symbols {
	struct symtab table;
	size_t next;
	bool objects; /* what is data is wanted too; false at first */
};

/* Through the first table of a type, SHT_SYMTAB or SHT_DYNSYM; through nothing where there is none,
 * or no image. */
static inline void code_symbols_start(struct code_symbols *c, const struct image *im, uint32_t type)
{
	const struct section *table = im ? image_section_type(im, type, 1) : NULL;
	*c = (struct code_symbols){ .next = 1 };
	if (table && !symtab_open(&c->table, im, table))
		c->table.count = 0;
}

static inline bool symbol_is_function(const struct symbol *s)
{
	return s->type == STT_FUNC || s->type == STT_GNU_IFUNC;
}

/* 'a', 'c', 'd', 't', 'x' of a mapping symbol, which marks what kind of bytes follow it; '\0' of
 * any other.  "$d", "$d.12" and "$xrv64i2p1": ELF for the Arm Architecture, 5.5.5, and for AArch64,
 * 5.7; the RISC-V ELF psABI, "Mapping Symbol". */
static inline char symbol_mark(const struct symbol *s)
{
	const struct str n = s->name;
	if (s->type != STT_NOTYPE || n.len < 2 || n.p[0] != '$' || !strchr("adtxc", n.p[1]))
		return '\0';
	return n.len == 2 || n.p[2] == '.' || str_starts(n, STR("$xrv")) ? n.p[1] : '\0';
}

/* Those with an address, in the order of the table. */
static inline bool code_symbols_next(struct code_symbols *c, struct symbol *ret, uint64_t *ret_addr)
{
	while (c->next < c->table.count) {
		*ret = symtab_get(&c->table, c->next++);
		if ((symbol_is_function(ret) || ret->type == STT_NOTYPE ||
		     (c->objects && ret->type == STT_OBJECT)) &&
		    symbol_addr(c->table.image, ret, ret_addr))
			return true;
	}
	return false;
}

#endif
