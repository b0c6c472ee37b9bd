/* name_index.h - finds the symbols of an image by the names that users type.
 *
 * All commands use it. A text may match symbols in several forms of their names
 * (names/name_forms.h). Symbols that match in the most exact form come first. So the linkage name
 * comes before "f(int)", then comes "f". Clones come later. Also understood:
 *
 *     sub_ADDRESS: the code there, as heft calls a function without a name
 *     NAME@plt: the stub of a function of another module
 *     type:NAME: the description of a Go type
 *
 * The first look-up reads the symbol tables (40 bytes per symbol, 16 to 32 per linkage name). A
 * look-up by another form demangles all names once (16 bytes per form). One thread. */
#pragma once

#include "image/image.h"
#include "names/name_forms.h"
#include "program/symbol_table.h"

struct named_symbol {
	uint64_t addr, size; /* 0 if not stated */
	const char *name;    /* Linkage name */
	const char *file;    /* Source file of a local symbol (symbol_place), or NULL */
	const struct section *section;
};

/* A symbol that matches a text. */
struct name_match {
	uint64_t addr;
	const struct named_symbol *symbol; /* NULL for "sub_ADDRESS" without a symbol */
	enum name_form form;
};

typedef VEC(struct name_match) name_matches;

/* A text by which a symbol is found. `who`: the symbol's index in name_index.list */
struct name_key {
	uint64_t hash;
	uint32_t who;
	uint8_t form;
};

typedef VEC(uint64_t) name_hashes;

struct name_index {
	/* Private. */
	const struct image *im, *debug;
	struct symbol_table *table; /* Borrowed, may be NULL. Used for PLT stubs */
	VEC(struct named_symbol) list;
	VEC(struct name_key) keys; /* By hash of linkage names or, after forms_read, of all forms */
	name_hashes hex;           /* Hashes of names that look like hexadecimal numbers */
	name_hashes imports;       /* Hashes of all forms of the names of imported symbols */
	struct name_forms forms;
	struct text plain;
	bool read, hex_read, imports_read, forms_read;
};

/* Borrows all arguments. `debug` and `table` may be NULL. Reads nothing yet. */
void name_index_init(struct name_index *n, const struct image *im, const struct image *debug,
		     struct symbol_table *table);
void name_index_release(struct name_index *n);
/* Appends the matches of a text to *ret, sorted by form and address, each address once. Returns
 * their number. */
size_t name_index_find(struct name_index *n, struct str text, name_matches *ret);
/* True if a text of hexadecimal digits is the name of a symbol, or the identifier of a C++ symbol.
 * Reads all names once. */
bool name_index_has_hex(struct name_index *n, struct str digits);
/* True if the image imports a symbol of this name. Demangles all imported names once. */
bool name_index_has_import(struct name_index *n, struct str text);
/* Returns how many matches from `from` on have the same, most exact, form as match `from`. */
size_t name_matches_surest(const name_matches *m, size_t from);

/* True for the name of a function without a symbol: "sub_" and its address. */
bool name_is_generated(struct str name, uint64_t *ret_addr);
