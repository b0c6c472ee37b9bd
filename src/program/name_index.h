/* name_index.h - the symbols of an image by what people call them: the one rule of names.
 *
 * Every command that takes a name asks here.  A text means the symbols that know it by the surest
 * form (names/name_forms.h); those that know it by another one come after them.  So the linker's
 * name wins over "f(int)", that over "f", and each over its clones.  Besides:
 *
 *   sub_ADDRESS   the code there, as heft calls a function without a name
 *   NAME@plt      the stub of a function of another module
 *
 * The first look-up reads the symbol tables (40 bytes a symbol, 16 to 32 of its linker's names); a
 * look-up by another form demangles all names once (16 bytes a form).  One thread. */
#ifndef HEFT_PROGRAM_NAME_INDEX_H
#define HEFT_PROGRAM_NAME_INDEX_H

#include "image/image.h"
#include "names/name_forms.h"
#include "program/symbol_table.h"

struct named_symbol {
	uint64_t addr, size; /* size 0: not stated */
	const char *name;    /* the linker's */
	const char *file;    /* of a local symbol: see symbol_place */
	const struct section *section;
};

/* A symbol that a text means. */
struct name_match {
	uint64_t addr;
	const struct named_symbol *symbol; /* NULL: of "sub_ADDRESS" without a symbol */
	enum name_form form;
};

typedef VEC(struct name_match) name_matches;

/* A text of a symbol. */
struct name_key {
	uint64_t hash;
	uint32_t who;
	uint8_t form;
};

typedef VEC(uint64_t) name_hashes; /* sorted */

struct name_index {
	/* private */
	const struct image *im, *debug;
	struct symbol_table *table; /* borrowed, or NULL: has the stubs of the PLT */
	VEC(struct named_symbol) list;
	VEC(struct name_key) keys; /* by hash: the linker's names, then all forms */
	name_hashes hex;           /* of names that look like numbers */
	name_hashes imports;       /* of all texts of symbols that other modules define */
	struct name_forms forms;
	struct text plain;
	bool read, hex_read, imports_read, forms_read;
};

/* Borrows all; `debug` and `table` may be NULL.  Nothing is read yet. */
void name_index_init(struct name_index *n, const struct image *im, const struct image *debug,
		     struct symbol_table *table);
void name_index_release(struct name_index *n);
/* Adds what a text means to *ret, by form and address, an address once.  How many were added. */
size_t name_index_find(struct name_index *n, struct str text, name_matches *ret);
/* Whether a text of hexadecimal digits is the name of a symbol, or the identifier of a C++ one.
 * Costs a look at all names once. */
bool name_index_has_hex(struct name_index *n, struct str digits);
/* Whether the image refers to a symbol of this text that another module defines.  Demangles the
 * names of all such symbols once. */
bool name_index_has_import(struct name_index *n, struct str text);
/* How many of the matches from `from` on have the form of the first of them. */
size_t name_matches_surest(const name_matches *m, size_t from);

#endif
