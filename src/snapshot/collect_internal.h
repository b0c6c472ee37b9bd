/* collect_internal.h - what the parts of collect share.  Private to collect*.c. */
#ifndef HEFT_SNAPSHOT_COLLECT_INTERNAL_H
#define HEFT_SNAPSHOT_COLLECT_INTERNAL_H

#include "names/demangle.h"
#include "names/supersize.h"
#include "snapshot/collect.h"

/* A symbol of the tables. */
struct native {
	uint64_t key; /* what it is sorted by */
	uint64_t addr, size;
	struct str name;
	uint32_t section; /* index in the image */
	uint32_t rank;    /* symbol_rank: lower is better */
};

typedef VEC(struct native) native_vec;

struct collect {
	struct snapshot *s;
	uint32_t container;
	const struct collect_input *in;
	struct demangler demangler;
	struct supersize_name name;
	struct text scratch;
	VEC(uint32_t) sources; /* by label: text id of its path; 0: not made yet */
	/* The section at work. */
	const struct section *section;
	uint32_t to;          /* in s->sections */
	uint32_t gaps;        /* star symbols for gaps so far */
	uint32_t map_section; /* in map->sections; LINKMAP_NONE: none, or another build's */
	size_t piece;         /* cursor into map->pieces */
	struct span_cursor unit;
};

/* Shorter texts than this are taken for data, their end included. */
enum { LITERAL_MIN = 4 };

/* collect_names.c: adds a symbol; `raw` as the linker has it, for native ones. */
void collect_native(struct collect *c, uint64_t addr, uint64_t size, struct str raw);
/* The same with a name that is final: literals, star and overhead symbols. */
void collect_named(struct collect *c, uint64_t addr, uint64_t size, struct str name);

/* collect_gaps.c: the bytes [from, to) of the section at work, which no symbol of a table has; `before` is the
 * name of the symbol in front of them ("": none). */
void collect_gap(struct collect *c, uint64_t from, uint64_t to, struct str before);

/* literals.c: the name of a literal of these bytes (ends included): "text", or string literal. */
void literal_name(struct text *out, struct bytes b);
/* Whether the bytes begin with a text and its 0 (printable or UTF-8); *ret is its size with that, or how many
 * bytes no text of that kind can begin in. */
bool literal_size(struct bytes b, uint64_t *ret);

#endif
