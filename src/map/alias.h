/* alias.h - where the symbols of the inputs stand, and which of them name the same bytes.
 *
 * The symbols source lists the places while it claims them.  A snapshot has a symbol for each
 * place. Where several symbols stand at one address with one size, the first of the list owns the
 * bytes (program/symbol_rule.h says why); the others are its aliases, which alias_index turns into
 * names by the label a level shows.  One thread at a time. */
#ifndef HEFT_MAP_ALIAS_H
#define HEFT_MAP_ALIAS_H

#include "map/view.h"

/* A symbol with a size. */
struct named_place {
	uint64_t addr;
	uint64_t size;    /* bytes; it ends at the end of its section at the latest */
	label_id label;   /* its name as the linker has it */
	uint32_t section; /* index in its image, or SYM_COMMON */
};

/* Places in the VM image by image, address and rank: the owner of an address stands first. */
struct places {
	VEC(struct named_place) list;
	VEC(size_t) images; /* by image: where its places begin in `list` */
	/* Symbols whose section takes no room in the VM image, in the order of the tables:
	 * variables of .tbss, what a section that is not loaded holds, common symbols of objects
	 * (addr 0). */
	VEC(struct named_place) outside;
	VEC(size_t) outside_images;
};

/* How long the lists were at a time. */
struct places_mark {
	size_t list, images, outside, outside_images;
};

struct places_mark places_mark(const struct places *p);
/* What was added between two marks. */
void places_copy(struct places *ret, const struct places *from, const struct places_mark *begin,
		 const struct places_mark *end);
void places_release(struct places *p);

/* The shown names of the aliases of every shown label. */
struct alias_index {
	const char **names; /* grouped by owner */
	struct alias_run {
		label_id owner;
		uint32_t count;
		size_t first;
	} *runs; /* sorted by owner */
	size_t run_count;
};

/* Names as `view` shows them; those that look like their owner are left out. */
void alias_index_build(struct alias_index *x, const struct places *p, struct view *view,
		       struct labels *labels, unsigned threads, struct notes *notes);
const struct alias_run *alias_index_find(const struct alias_index *x, label_id owner);
void alias_index_release(struct alias_index *x);

#endif
