/* digest.h - summarizes a heap in a few lines, to compare many heaps. A digest has numbers, hashes,
 * and names of functions or addresses in modules. It has no memory contents and no command
 * arguments. */
#pragma once

#include "holders/holders.h"

enum { DIGEST_STACKS = 10, DIGEST_FRAMES = 8, DIGEST_HOLDERS = 3 };

/* A stack with its blocks and bytes. Texts are borrowed. */
struct digest_stack {
	uint64_t hash; /* Hash of all frames: the module's file name with the function, or the
		        * address in the module */
	uint64_t live_bytes, live;
	const char *frames[DIGEST_FRAMES]; /* "module!function", innermost first. */
	size_t frame_count;
};

/* Damage: kind, count, and the function that owns the blocks. One element per kind and function. */
struct digest_damage {
	enum heft_heap_damage_kind kind;
	const char *holder; /* Function that allocated the block. "" if unknown */
	uint64_t count;
};

struct heap_digest {
	struct heap_info info;
	const char *core;   /* Name of the dump's file. */
	uint64_t signature; /* Hash of the stacks with most bytes */
	struct digest_stack stacks[DIGEST_STACKS];
	size_t stack_count;
	bool knows_leaks;              /* True if all live blocks and leaks are known */
	uint64_t leaked_bytes, leaked; /* `leaked` is a number of blocks */
	VEC(struct digest_damage) damages;
};

/* Makes the digest of an open heap. False, with *err, on failure. Release d->damages. Texts belong
 * to `arena` or the heap. */
bool heap_digest_make(struct heap_digest *d, struct heft_heap *h, struct arena *arena,
		      struct heft_err *err);
