/* collect_internal.h - declares the state and functions that the files collect*.c share. */
#ifndef HEFT_SNAPSHOT_COLLECT_INTERNAL_H
#define HEFT_SNAPSHOT_COLLECT_INTERNAL_H

#include "names/demangle.h"
#include "names/supersize.h"
#include "snapshot/collect.h"
#include "snapshot/contents.h"
#include "image/slices.h"
#include "attr/code_pass.h"

/* A piece of the linker map that has a size. */
struct piece_place {
	uint64_t addr;
	uint64_t piece; /* Index in map->pieces. */
};

/* Names of data that is named after its owner, as text ids. `full` is 0 if not made yet. */
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
	sources;                      /* Per label of the units source: text id of its path, or 0 */
	VEC(struct owned_name) owned; /* Per label of the symbols source. */
	VEC(uint32_t)
	groups;         /* Per label: number of the last address with that label */
	uint32_t group; /* Number of addresses with symbols so far. */
	/* State of the current image. */
	const struct image *image;
	uint32_t object;          /* Object of bytes that the map assigns to no object */
	struct slices slices;     /* Slices of the current image */
	bool texts_lack_ends;     /* True if texts of the image lack a final 0 (collect_gaps.c) */
	struct contents contents; /* Contents of the current image */
	struct code_pass read;    /* Pass over code that fills `contents`. */
	/* State of the current section. */
	const struct section *section;
	uint32_t to;          /* Index in s->sections */
	uint64_t begin, end;  /* `begin`: address of the section. `end`: end of the last byte
			       * that has a symbol. */
	uint64_t limit;       /* Address of the section's end */
	struct bytes bytes;   /* Bytes of the section in the file, if it is loaded. */
	uint64_t padding;     /* Bytes of padding before the current symbols. */
	uint64_t done;        /* In the current gap: start of the bytes that were not yet added */
	bool owned_by_others; /* Bytes without a symbol belong to their owner in the map. */
	uint32_t gaps;        /* Number of star symbols for gaps so far. */
	VEC(struct piece_place)
	pieces;       /* Pieces of the map, sorted by address. Empty if the map is from another
		       * build */
	size_t piece; /* Index of the last piece looked up. */
	size_t slice; /* Index of the next slice. */
	struct span_cursor unit, owner_cursor;
	/* Addresses below which no text begins, which avoids a second search: not_wide[0] for
	 * 2-byte characters, not_wide[1] for 4-byte characters, not_text for single bytes. */
	uint64_t not_wide[2], not_text;
	uint64_t literal_end; /* Address where the last literal ends. */
	label_id owner;       /* Owner of the current bytes by the symbols source. LABEL_NONE if
			       * not requested */
	VEC(label_id)
	labels;         /* Per symbol: label of its name. LABEL_NONE without a name */
	label_id label; /* Label of the current symbol */
	/* Per new symbol: label of its user. Only with a map. */
	VEC(label_id) owners;
	VEC(uint32_t)
	object_of_owner; /* Per label: text id of its object. UINT32_MAX for several objects */
};

/* Assigns bytes to the next symbols. Unassigned bytes before them become their padding. */
static inline void collect_take(struct collect *c, uint64_t addr, uint64_t size)
{
	c->padding = addr - c->end;
	c->end = addr + size;
}

/* collect_map.c: fills c->pieces for the current section. */
void collect_map_pieces(struct collect *c);
/* Returns the map's piece that contains an address of the current section. NULL if there is none.
 * O(log pieces). */
const struct linkmap_piece *collect_piece_at(struct collect *c, uint64_t addr);
/* What the map states about merged bytes at an address. */
struct merged {
	uint64_t end;   /* End of the piece. UINT64_MAX if the map has none */
	unsigned width; /* For strings: bytes of a character: 1, 2 or 4. 0 if unknown */
	bool constants; /* True if the bytes are constants, false for strings */
};
struct merged collect_merged(struct collect *c, uint64_t addr);
/* For a program without a symbol table: adds the map's names at unnamed addresses, if their sizes
 * are known. */
void collect_map_names(const struct collect_input *in);
/* Records the object of a symbol. Strings and constants that the symbol uses get that object
 * too. */
void collect_learn_owner(struct collect *c, const struct snap_symbol *y);
/* Completes paths of symbols from `first` on. A merged string or constant has no object in the map,
 * so it gets its user's object. If the user has none or several, the symbol gets the only object
 * made from its source file. A symbol without a source file gets its object's source. */
void collect_complete_paths(struct collect *c, size_t first);

/* collect_names.c: fills in names and flags of a symbol of the current section. */
void collect_name(struct collect *c, struct str raw, struct snap_symbol *y);
/* Fills in the shorter names of a symbol from its final full name. */
void collect_forms(struct collect *c, struct str full, struct snap_symbol *y);
/* Adds a symbol that already has names. Finds its paths. */
void collect_place(struct collect *c, struct snap_symbol *y);
/* Adds a symbol by the label of its linkage name. */
void collect_native(struct collect *c, uint64_t addr, uint64_t size, label_id label);
/* Adds a symbol whose name is final: a literal, star symbol or overhead symbol. */
void collect_named(struct collect *c, uint64_t addr, uint64_t size, struct str name);
/* Begins, in c->scratch, a name for bytes without a symbol. `whole`: they are a whole section,
 * otherwise a part of one. */
void collect_set_mark(struct collect *c, bool whole);
/* Adds one symbol for `count` functions that a compiler outlined. */
void collect_outlined(struct collect *c, uint64_t addr, uint64_t size, size_t count);
/* Adds a complete symbol. */
void collect_add(struct collect *c, struct snap_symbol *y);

/* collect_charges.c: adds the charges of a program. Its symbols begin at `first`. */
void collect_charges(struct collect *c, size_t first);

/* collect_aliases.c: adds the last symbol again, for each other object that defines it. `raw` is
 * the linker's name. */
void collect_path_aliases(struct collect *c, struct str raw);
/* Gives the last symbol to an object that defines it, if it shares its code with a function of
 * another object. */
void collect_shared_code(struct collect *c, struct str raw);
/* Sets the object of the last symbol, a whole text. Adds the symbol again for each other object
 * that has the text. */
void collect_string_aliases(struct collect *c, struct bytes text);

/* collect_gaps.c: adds the bytes before address `to` of the current section that no symbol table
 * covers. */
void collect_gap(struct collect *c, uint64_t to);

/* A text in memory: its bytes, including the end, and 1, 2 or 4 bytes per character. */
struct literal {
	struct bytes bytes;
	unsigned width;
	bool big_endian;
};

/* literals.c: appends the name of a literal: the text in quotes, or "string literal". */
void literal_name(struct text *out, const struct literal *l);
/* True if a text with its final 0 begins at the start of `l`. Characters must be printable or
 * Unicode, unless `any`. *ret is the text's size. If false, no text begins in the next *ret
 * bytes. */
bool literal_size(const struct literal *l, bool any, uint64_t *ret);

#endif
