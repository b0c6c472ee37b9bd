/* damage_internal.h - declares the parts of damage.c: overwritten headers (damage_headers.c), what
 * a thread that died in the allocator was doing (damage_abort.c), the C library's message
 * (damage_said.c). */
#pragma once

#include "heap/damage.h"

struct finding {
	struct damages *to;
	const struct dump *d;
	const struct records *r;
	struct calls *c;
	const struct blocks_found *b;
	const struct heap_layout *l;
};

/* Adds a damage without a block to the list. Returns the new element. */
struct damage *damage_add(const struct finding *g, enum damage_kind kind, uint64_t addr);

/* Finds chunks in use with a damaged header. */
void damage_headers(const struct finding *g);
/* If a thread died in the allocator, adds that damage with the block that the thread was freeing.
 * Otherwise returns false. */
bool damage_abort(const struct finding *g);
/* Returns the live block whose header address is in a register of the thread that died, or in the
 * first `stack_size` bytes of its stack. The C library mistakes this address for a chunk. SIZE_MAX
 * if there is none, or several. */
size_t damage_header_at_hand(const struct finding *g, uint64_t stack_size);
/* If there is no other damage, finds a recorded block that the program gave to the C library's own
 * free instead of the recorder's. */
void damage_foreign(const struct finding *g);
/* If there is no other damage, adds the damage that the C library's message reports. */
void damage_said(const struct finding *g);
