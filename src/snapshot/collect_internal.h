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

/* Names of data named after their owner, as text ids. `full` is 0 if not made yet. */
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
	sources; /* Per label of the units source: text id of its path, or 0. */
	VEC(struct owned_name) owned; /* Per label of the symbols source. */
	VEC(uint32_t)
	groups;         /* Per label: number of the address at which the label last occurred. */
	uint32_t group; /* Number of addresses with symbols so far. */
	/* State of the current image. */
	const struct image *image;
	uint32_t object;          /* Object of bytes for which the map states none. */
	struct slices slices;     /* Belongs to the current image. */
	bool texts_lack_ends;     /* Texts of the image lack a 0 at the end (see collect_gaps.c). */
	struct contents contents; /* Belongs to the current image. */
	struct code_pass read;    /* Pass over code that fills `contents`. */
	/* State of the current section. */
	const struct section *section;
	uint32_t to;          /* Index in s->sections. */
	uint64_t begin, end;  /* `begin`: address of the section. `end`: end of the last byte
			       * that has a symbol. */
	uint64_t limit;       /* Address of the section's end. */
	struct bytes bytes;   /* Bytes of the section in the file, if it is loaded. */
	uint64_t padding;     /* Bytes of padding before the current symbols. */
	uint64_t done;        /* In the current gap: start of the bytes without an owner. */
	bool owned_by_others; /* Bytes without a symbol belong to their owner in the map. */
	uint32_t gaps;        /* Number of star symbols for gaps so far. */
	VEC(struct piece_place)
	pieces;       /* Pieces of the map, sorted by address. Empty if the map
					 * is of another build. */
	size_t piece; /* Index of the last piece looked up. */
	size_t slice; /* Index of the next slice. */
	struct span_cursor unit, owner_cursor;
	/* Limits that avoid a second search. No text with characters of 2 bytes begins below
	 * not_wide[0], of 4 bytes below not_wide[1]. No further text of single bytes begins below
	 * not_text. */
	uint64_t not_wide[2], not_text;
	uint64_t literal_end; /* Address where the last literal ends. */
	label_id owner;       /* Owner of the current bytes in the symbols source. LABEL_NONE if
			       * not requested. */
	VEC(label_id)
	labels;         /* Per symbol: the label of its name. LABEL_NONE if none. */
	label_id label; /* Label of the symbol that is being read. */
	/* Only if there is a map: */
	VEC(label_id) owners; /* Per symbol made: label of its user. */
	VEC(uint32_t)
	object_of_owner; /* Per label: text id of its object. UINT32_MAX if there
				        * are several. */
};

/* Assigns bytes to the next symbols. The bytes between them and the previous symbol become the
 * padding of the next symbols. */
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
/* Facts of the map about merged bytes at an address. */
struct merged {
	uint64_t end;   /* End of the piece. UINT64_MAX if no merged bytes are known. */
	unsigned width; /* For strings: bytes of a character, 1, 2 or 4. 0 if the map has none. */
	bool constants; /* The bytes are constants, no strings. */
};
struct merged collect_merged(struct collect *c, uint64_t addr);
/* For a program without a symbol table. Adds the map's names at addresses without a name, if their
 * sizes are known. */
void collect_map_names(const struct collect_input *in);
/* Records the object of a symbol. Strings and constants that the symbol uses get it, too. */
void collect_learn_owner(struct collect *c, const struct snap_symbol *y);
/* Completes paths of symbols from `first` on. A symbol without an object gets the object of its
 * user, because linkers do not state the objects of merged strings and constants. If the user has
 * no object or several, the symbol gets the object made from its source file, if there is only one.
 * A symbol without a source file gets the source of its object. */
void collect_complete_paths(struct collect *c, size_t first);

/* collect_names.c: fills in names and flags of a symbol of the current section. */
void collect_name(struct collect *c, struct str raw, struct snap_symbol *y);
/* Fills in the names of a symbol from its final full name. */
void collect_forms(struct collect *c, struct str full, struct snap_symbol *y);
/* Adds a symbol that has its names, and finds its paths. */
void collect_place(struct collect *c, struct snap_symbol *y);
/* Adds a symbol by the label of its linkage name. */
void collect_native(struct collect *c, uint64_t addr, uint64_t size, label_id label);
/* Adds a symbol with a final name: a literal, star symbol or overhead symbol. */
void collect_named(struct collect *c, uint64_t addr, uint64_t size, struct str name);
/* Begins a name in c->scratch for bytes without a symbol: a whole section if `whole`, otherwise a
 * part of a section. */
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
/* Sets the object of the last symbol. The symbol is a whole text. Adds the symbol again for each
 * other object that has the text. */
void collect_string_aliases(struct collect *c, struct bytes text);

/* collect_gaps.c: adds the bytes before address `to` of the current section that are in no symbol
 * of a table. */
void collect_gap(struct collect *c, uint64_t to);

/* A text in memory: its bytes, including the end, and 1, 2 or 4 bytes per character. */
struct literal {
	struct bytes bytes;
	unsigned width;
	bool big_endian;
};

/* literals.c: appends the name of a literal: the text in quotes, or "string literal". */
void literal_name(struct text *out, const struct literal *l);
/* True if a text and its ending 0 begin at the start of `l`. Its characters must be printable or
 * Unicode. With `any`, all characters are allowed. *ret is the size of the text. If false, no such
 * text begins in the next *ret bytes. */
bool literal_size(const struct literal *l, bool any, uint64_t *ret);

#endif
