/* alias.h - lists the places of the inputs' symbols, and finds symbols that name the same bytes.
 *
 * A place is a symbol with the range of its bytes. The data source `symbols` lists places while it
 * claims them. A snapshot has a symbol for each place. If symbols have the same address and size,
 * the first in the list owns the bytes (program/symbol_rule.h). The others are its aliases.
 * alias_index finds the aliases' names by the owner's shown label. One thread at a time. */
#pragma once

#include "map/view.h"

struct named_place {
	uint64_t addr;
	uint64_t size;    /* Bytes, limited to the symbol's section */
	label_id label;   /* Label of its linkage name */
	uint32_t section; /* Index in its image, or SYM_COMMON */
};

/* Places in the VM image, by image, address, rank. Of equal addresses, the owner is first */
struct places {
	VEC(struct named_place) list;
	VEC(size_t) images; /* Per image: index in `list` of its first place */
	/* Symbols without bytes in the VM image, in table order: variables of .tbss, contents of
	 * sections that are not loaded, common symbols of objects (addr 0). */
	VEC(struct named_place) outside;
	VEC(size_t) outside_images;
};

/* Lengths of the lists in struct places at one time. Later they show what was added since */
struct places_mark {
	size_t list, images, outside, outside_images;
};

static inline struct places_mark places_mark(const struct places *p)
{
	return (struct places_mark){ p->list.count, p->images.count, p->outside.count,
				     p->outside_images.count };
}

/* Copies the places that were added between two marks. */
void places_copy(struct places *ret, const struct places *from, const struct places_mark *begin,
		 const struct places_mark *end);
void places_release(struct places *p);

/* The aliases' names, by the shown label of the owner */
struct alias_index {
	const char **names; /* Names of aliases, sorted by owner */
	struct alias_run {
		label_id owner;
		uint32_t count;
		size_t first;
	} *runs; /* Sorted by owner */
	size_t run_count;
};

/* Builds the index. Names are in the form of `view`. Skips aliases named like their owner. */
void alias_index_build(struct alias_index *x, const struct places *p, struct view *view,
		       struct labels *labels, unsigned threads, struct notes *notes);
const struct alias_run *alias_index_find(const struct alias_index *x, label_id owner);
