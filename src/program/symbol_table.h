/* symbol_table.h - finds the symbols of a linked image or object by address.
 *
 * The rule of symbol_rule.h decides the owner of an address. Code outside of symbols with a size
 * belongs to the label before it, until the next symbol or the section's end. A PLT stub is called
 * after the symbol that it jumps to, with "@plt" at the end. Stubs are read when the first address
 * in a PLT is requested. 40 bytes per symbol, 16 per span. Texts are NUL-terminated and borrowed
 * from the images. The images must live as long as the table. One thread. */
#pragma once

#include "debug/flat.h"
#include "image/image.h"

struct symbol_place {
	uint64_t addr, size; /* `size` is 0 if not stated */
	const char *name;
	/* Local symbols: the source file, by the last STT_FILE before them. Otherwise NULL. */
	const char *file;
	const void *memo; /* Data of the table's user. NULL at first */
};

struct symbol_table {
	VEC(struct symbol_place) list;
	struct flat spans; /* `who`: FLAT_NONE - 1 - index in symbol_table.list */
	size_t near;       /* Hint for flat_find_near() */
	const struct image *im;
	VEC(struct symbol_place) stubs; /* Sorted by address */
	struct arena texts;
	bool stubs_read;
};

/* Reads .symtab, or .dynsym with the debug file's .symtab. `debug` may be NULL. */
void symbol_table_read(struct symbol_table *t, const struct image *im, const struct image *debug);
void symbol_table_release(struct symbol_table *t);
/* Returns the symbol at an address, or NULL. O(log symbols), less near the previous address. */
struct symbol_place *symbol_table_find(struct symbol_table *t, uint64_t addr);
/* Returns all PLT stubs, sorted by address. */
const struct symbol_place *symbol_table_stubs(struct symbol_table *t, size_t *ret_count);
