/* symbol_table.h - the symbols of a linked image or object by address.
 *
 * The rule of symbol_rule.h says who owns an address.  Code that no symbol with a size covers
 * belongs to the label in front of it, up to the next symbol or the section's end.
 * A PLT stub is the symbol it jumps to with "@plt" behind its name; stubs are looked for when the
 * first address in a PLT is asked for.
 * 40 bytes a symbol, 16 a span.  Texts are borrowed from the images, which have to stay as long
 * as the table, and NUL-terminated.
 * One thread. */
#ifndef HEFT_PROGRAM_SYMBOL_TABLE_H
#define HEFT_PROGRAM_SYMBOL_TABLE_H

#include "debug/flat.h"
#include "image/image.h"

struct symbol_place {
	uint64_t addr, size; /* size 0: not stated */
	const char *name;
	/* Local symbols: the source file the table names in front of them (STT_FILE); else NULL. */
	const char *file;
	const void *memo; /* the user's; NULL at first */
};

struct symbol_table {
	VEC(struct symbol_place) list;
	struct flat spans; /* who: index in list, counted down from FLAT_NONE - 1 */
	size_t near;       /* see flat_find_near */
	const struct image *im;
	VEC(struct symbol_place) stubs; /* sorted by addr */
	struct arena texts;             /* their names */
	bool stubs_read;
};

/* .symtab, or .dynsym with the debug file's .symtab (`debug` may be NULL). */
void symbol_table_read(struct symbol_table *t, const struct image *im, const struct image *debug);
void symbol_table_release(struct symbol_table *t);
/* NULL where no symbol is.  O(log symbols), less where the look-up before was near. */
struct symbol_place *symbol_table_find(struct symbol_table *t, uint64_t addr);
/* All PLT stubs, by address. */
const struct symbol_place *symbol_table_stubs(struct symbol_table *t, size_t *ret_count);

#endif
