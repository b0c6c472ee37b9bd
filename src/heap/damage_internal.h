/* damage_internal.h - the parts of damage.c: headers that were written over (damage_headers.c), and
 * what a thread was at that died in the allocator (damage_abort.c), what the C library said
 * (damage_said.c). */
#ifndef HEFT_HEAP_DAMAGE_INTERNAL_H
#define HEFT_HEAP_DAMAGE_INTERNAL_H

#include "heap/damage.h"

struct finding {
	struct damages *to;
	const struct dump *d;
	const struct records *r;
	struct calls *c;
	const struct blocks_found *b;
	const struct heap_layout *l;
};

/* To the list; it names no block yet. */
struct damage *damage_add(const struct finding *g, enum damage_kind kind, uint64_t addr);

/* Chunks in use whose header is not whole. */
void damage_headers(const struct finding *g);
/* What the thread that died was freeing, or asked for, if it did so in the allocator; false where
 * it did not. */
bool damage_abort(const struct finding *g);
/* The live block of which a register of the thread that died, or a word in so many bytes of its
 * stack, is the address of the header: what the C library takes for the chunk of the block.
 * SIZE_MAX: none, or several. */
size_t damage_header_at_hand(const struct finding *g, uint64_t stack_size);
/* A recorded block that came to the C library's own free, where nothing else is found. */
void damage_foreign(const struct finding *g);
/* What the C library said, and the damage that it tells of if nothing else does. */
void damage_said(const struct finding *g);

#endif
