/* collect_internal.h - declares the state and functions that the files collect*.c share. */
#pragma once

#include "names/demangle.h"
#include "names/supersize.h"
#include "snapshot/collect.h"
#include "snapshot/contents.h"
#include "image/slices.h"
#include "attr/code_pass.h"

/* A piece of the linker map (struct linkmap_piece) that has a size */
struct piece_place {
	uint64_t addr;
	uint64_t piece; /* Index in map->pieces */
};

/* Names for the data of an owner: text ids. `full` is 0 until needed */
struct owned_name {
	uint32_t full, template_name, name;
	uint16_t flags;
};

struct collect {
	struct snapshot *s;
	uint32_t container;
	const struct collect_input *in;
	struct demangler demangler;
	struct supersize_name name;
	struct text scratch;
	VEC(uint32_t)
	sources;                      /* Per label of a compile unit: text id of its path, or 0 */
	VEC(struct owned_name) owned; /* Per label of a symbol: its names as an owner of data */
	VEC(uint32_t)
	groups;         /* Per label: the value of `group` when it was last seen */
	uint32_t group; /* Number of addresses with symbols so far */
	const struct image *image;
	uint32_t object; /* Text id of the object to which bytes belong if the map states none */
	struct slices slices;
	bool texts_lack_ends;     /* True if texts of the image lack a final 0 (collect_gaps.c) */
	struct contents contents; /* Used to hash the contents of symbols */
	struct code_pass read;    /* Releases the pages that hashing has read */
	const struct section *section;
	uint32_t to;          /* Index in snapshot.sections */
	uint64_t begin, end;  /* `begin`: start of the section. `end`: end of the last symbol */
	uint64_t limit;       /* End of the section's addresses */
	struct bytes bytes;   /* The section's bytes in the file, if it is loaded */
	uint64_t padding;     /* Bytes of padding before the next symbols */
	uint64_t done;        /* The bytes of the current gap below this address were added */
	bool owned_by_others; /* True if bytes without a symbol have owners in the layer */
	uint32_t gaps;        /* Number of symbols made for gaps so far */
	VEC(struct piece_place)
	pieces;       /* By address. Empty if the map is of another build */
	size_t piece; /* Index of the last piece found */
	size_t slice; /* Index in `slices` of the next slice */
	struct span_cursor unit, owner_cursor;
	/* No text begins below these addresses, so they need no second search. not_wide[0]: 2-byte
	 * characters. not_wide[1]: 4-byte characters. not_text: single bytes. */
	uint64_t not_wide[2], not_text;
	uint64_t literal_end;
	label_id owner; /* Owner of the current bytes in the layer of symbols. LABEL_NONE
			       * if not needed */
	VEC(label_id)
	labels; /* Per symbol: label of its name, or LABEL_NONE */
	label_id label;
	/* With a linker map, per new symbol: label of the symbol that uses it. */
	VEC(label_id) owners;
	VEC(uint32_t)
	object_of_owner; /* Per label: text id of its object. UINT32_MAX if there are several */
};

/* Gives bytes to the next symbols. Bytes before them that are in no symbol become their padding. */
static inline void collect_take(struct collect *c, uint64_t addr, uint64_t size)
{
	c->padding = addr - c->end;
	c->end = addr + size;
}

void collect_map_pieces(struct collect *c);
/* Returns the map's piece at an address of the current section, or NULL. O(log pieces). */
const struct linkmap_piece *collect_piece_at(struct collect *c, uint64_t addr);
/* What the map states about merged bytes at an address */
struct merged {
	uint64_t end;   /* End of the bytes. UINT64_MAX if the map has no piece */
	unsigned width; /* Strings: bytes of a character, 1, 2 or 4. 0 if unknown */
	bool constants; /* True for constants, false for strings */
};
struct merged collect_merged(struct collect *c, uint64_t addr);
/* For a program without a symbol table: adds the map's names at unnamed addresses with known
 * sizes. */
void collect_map_names(const struct collect_input *in);
/* Records the object of a symbol. Strings and constants that it uses get that object too. */
void collect_learn_owner(struct collect *c, const struct snap_symbol *y);
/* Completes the paths of symbols from `first` on. A merged string or constant has no object in the
 * map, so it gets that of its user. If there are several users or none, it gets the only object
 * made from its source file. A symbol without a source file gets that of its object. */
void collect_complete_paths(struct collect *c, size_t first);

/* collect_names.c: sets the names and flags of a symbol of the current section. */
void collect_name(struct collect *c, struct str raw, struct snap_symbol *y);
/* Sets the shorter names of a symbol. `full`: its final full name. */
void collect_forms(struct collect *c, struct str full, struct snap_symbol *y);
/* Adds a symbol whose names are set. Sets its paths. */
void collect_place(struct collect *c, struct snap_symbol *y);
/* Adds a symbol. `label`: the label of its linkage name. */
void collect_native(struct collect *c, uint64_t addr, uint64_t size, label_id label);
/* Adds a symbol with a final name: a literal, "** x" or "Overhead: x" (snapshot.h). */
void collect_named(struct collect *c, uint64_t addr, uint64_t size, struct str name);
/* Begins, in c->scratch, a name for bytes without a symbol. `whole`: they are a whole section. */
void collect_set_mark(struct collect *c, bool whole);
/* Adds `count` functions that a compiler outlined as one symbol. */
void collect_outlined(struct collect *c, uint64_t addr, uint64_t size, size_t count);
void collect_add(struct collect *c, struct snap_symbol *y);

/* collect_charges.c: adds the charges (struct snap_charge) of a program, whose symbols begin at
 * `first`. */
void collect_charges(struct collect *c, size_t first);

/* collect_aliases.c: adds the last symbol again for each other object that defines it. `raw`: its
 * linkage name. */
void collect_path_aliases(struct collect *c, struct str raw);
/* If the linker joined the last symbol with equal functions of other objects, sets its object: the
 * first of them in the linker map. */
void collect_shared_code(struct collect *c, struct str raw);
/* Sets the object of the last symbol, a string literal with the bytes `text`. Adds it again for
 * each other object that has the text. */
void collect_string_aliases(struct collect *c, struct bytes text);

/* collect_gaps.c: adds the bytes of the current section before `to` that no symbol table covers. */
void collect_gap(struct collect *c, uint64_t to);

/* A text in memory, with its final 0 if it has one. `width`: 1, 2 or 4 bytes per character */
struct literal {
	struct bytes bytes;
	unsigned width;
	bool big_endian;
};

/* True for an ASCII character that a text may have: printable ones, white space and escape. */
static inline bool literal_has_char(uint8_t c)
{
	return (c >= 0x20 && c < 0x7f) || (c >= '\a' && c <= '\r') || c == 0x1b;
}

/* literals.c: appends the name of a literal: the text in quotes, or "string literal". */
void literal_name(struct text *out, const struct literal *l);
/* True if a text that ends with 0 begins at the start of `l`. Characters must be printable or
 * Unicode, unless `any`. *ret is its size, or the number of bytes in which none begins. */
bool literal_size(const struct literal *l, bool any, uint64_t *ret);
