/* collect_internal.h - what the parts of collect share.  Private to collect*.c. */
#ifndef HEFT_SNAPSHOT_COLLECT_INTERNAL_H
#define HEFT_SNAPSHOT_COLLECT_INTERNAL_H

#include "names/demangle.h"
#include "names/supersize.h"
#include "snapshot/collect.h"
#include "snapshot/contents.h"
#include "image/slices.h"
#include "source/attr/code_pass.h"

/* A piece of the map that has a size. */
struct piece_place {
	uint64_t addr;
	uint64_t piece; /* in map->pieces */
};

/* The names of data that go by their owner, as ids of texts; full 0: not made yet. */
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
	VEC(uint32_t) sources; /* by label of the units: text id of its path; 0: not made yet */
	VEC(struct owned_name) owned; /* by label of the symbols */
	VEC(uint32_t) groups;         /* by label: the last address where it was, see `group` */
	uint32_t group;               /* addresses with symbols so far */
	/* The image at work. */
	const struct image *image;
	uint32_t object;          /* of what the map has no object for */
	struct slices slices;     /* of the image */
	bool texts_lack_ends;     /* in the image: see collect_gaps.c */
	struct contents contents; /* of the image */
	struct code_pass read;    /* of contents */
	/* The section at work. */
	const struct section *section;
	uint32_t to;         /* in s->sections */
	uint64_t begin, end; /* addresses: of the section; behind the last byte that has a symbol */
	uint64_t limit;      /* the end of the section */
	struct bytes bytes;  /* of the file behind it, if it is loaded */
	uint64_t padding;    /* in front of the symbols at work */
	uint64_t done;       /* of the gap at work: what has no owner begins here */
	bool owned_by_others;           /* bytes without a symbol go by their owner in the map */
	uint32_t gaps;                  /* star symbols for gaps so far */
	VEC(struct piece_place) pieces; /* of the map, by address; none: it is of another build */
	size_t piece;                   /* the last one looked up */
	size_t slice;                   /* the next one */
	struct span_cursor unit, owner_cursor;
	/* Texts are looked for once: none of 2 (0) or 4 (1) bytes a character begins below
	 * not_wide[i], and none of single bytes below not_text but those that were found. */
	uint64_t not_wide[2], not_text;
	uint64_t literal_end; /* of the last one */
	label_id owner; /* of the bytes at work, in the symbols source; LABEL_NONE: not asked */
	VEC(label_id) labels; /* by symbol made: the label of its name; LABEL_NONE: it has none */
	label_id label;       /* of the symbol at work */
	/* Where there is a map. */
	VEC(label_id) owners;          /* by symbol made: who uses it */
	VEC(uint32_t) object_of_owner; /* by label: text id; UINT32_MAX: several */
};

/* Bytes get symbols: what stands between them and the bytes before is the padding of the symbols
 * that are added next. */
static inline void collect_take(struct collect *c, uint64_t addr, uint64_t size)
{
	c->padding = addr - c->end;
	c->end = addr + size;
}

/* collect_map.c: fills c->pieces for the section at work. */
void collect_map_pieces(struct collect *c);
/* The piece of the map that holds an address of the section at work; NULL: none.  O(log pieces). */
const struct linkmap_piece *collect_piece_at(struct collect *c, uint64_t addr);
/* What the map says of merged bytes at an address. */
struct merged {
	uint64_t end;   /* of the piece; UINT64_MAX where nothing is known to be merged */
	unsigned width; /* of strings: bytes of a character, 1, 2 or 4; 0: it does not say */
	bool constants; /* no strings */
};
struct merged collect_merged(struct collect *c, uint64_t addr);
/* Of a program without a symbol table of its own: adds the places of the map's names, where there
 * are no others, as far as their sizes are known. */
void collect_map_names(const struct collect_input *in);
/* Remembers the object of a symbol for what is used by it ... */
void collect_learn_owner(struct collect *c, const struct snap_symbol *y);
/* ... and gives it to symbols without one, from `first` on: linkers do not say whose merged strings
 * and constants are.  A symbol whose user has no object, or several, gets the object that was made
 * of its source file, if there is one alone; a symbol without a source file gets the one its object
 * has. */
void collect_complete_paths(struct collect *c, size_t first);

/* collect_names.c: fills in names and flags of a symbol of the section at work. */
void collect_name(struct collect *c, struct str raw, struct snap_symbol *y);
/* The names of a full form that is final. */
void collect_forms(struct collect *c, struct str full, struct snap_symbol *y);
/* Adds a symbol that has its names; finds its paths. */
void collect_place(struct collect *c, struct snap_symbol *y);
/* Adds a symbol by the label of the linker's name. */
void collect_native(struct collect *c, uint64_t addr, uint64_t size, label_id label);
/* The same with a name that is final: literals, star and overhead symbols. */
void collect_named(struct collect *c, uint64_t addr, uint64_t size, struct str name);
/* Begins the name of what has no symbol in c->scratch: of a whole section, or of a part of one. */
void collect_set_mark(struct collect *c, bool whole);
/* Adds one for `count` functions that a compiler took out of others. */
void collect_outlined(struct collect *c, uint64_t addr, uint64_t size, size_t count);
/* Adds one that is complete. */
void collect_add(struct collect *c, struct snap_symbol *y);

/* collect_charges.c: adds the charges of a program whose symbols are there from `first` on. */
void collect_charges(struct collect *c, size_t first);

/* collect_aliases.c: the last symbol added, whose name the linker has as `raw`, again for each
 * other object that defines it. */
void collect_path_aliases(struct collect *c, struct str raw);
/* The last symbol added, which is a text with all its bytes, gets the object that has it, and is
 * added again for each other one. */
void collect_string_aliases(struct collect *c, struct bytes text);

/* collect_gaps.c: the bytes up to an address of the section at work, which no symbol of a table
 * has. */
void collect_gap(struct collect *c, uint64_t to);

/* A text in memory: its bytes (end included), of 1, 2 or 4 a character. */
struct literal {
	struct bytes bytes;
	unsigned width;
	bool big_endian;
};

/* literals.c: its name: "text", or string literal. */
void literal_name(struct text *out, const struct literal *l);
/* Whether text (printable or Unicode; `any`: whatever) and its 0 begin there; *ret is their size,
 * or how many bytes no text of that kind can begin in. */
bool literal_size(const struct literal *l, bool any, uint64_t *ret);

#endif
