/* code_symbols.h - iterates over the symbols of code: functions, and labels (symbols without a
 * type). */
#pragma once

#include "image/elf/elf_const.h"
#include "image/image.h"

struct code_symbols {
	struct symtab table;
	size_t next;
	bool objects; /* True to list data symbols (STT_OBJECT) too. False at first. */
};

/* Starts with the first symbol table of a type, SHT_SYMTAB or SHT_DYNSYM. Lists nothing if there is
 * no such table, or if `im` is NULL. */
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

/* Returns the letter of a mapping symbol ('a', 'c', 'd', 't' or 'x'), '\0' for any other symbol.
 * The letter is the kind of the bytes that follow: "$d", "$d.12", "$xrv64i2p1". ELF for the Arm
 * Architecture, 5.5.5, and for AArch64, 5.7; the RISC-V ELF psABI, "Mapping Symbol". */
static inline char symbol_mark(const struct symbol *s)
{
	const struct str n = s->name;
	if (s->type != STT_NOTYPE || n.len < 2 || n.p[0] != '$' || !strchr("adtxc", n.p[1]))
		return '\0';
	return n.len == 2 || n.p[2] == '.' || str_starts(n, STR("$xrv")) ? n.p[1] : '\0';
}

/* Returns the next symbol that has an address, in the order of the table. False at the end. */
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
