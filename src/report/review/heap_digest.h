/* heap_digest.h - writes a heap in one line of JSON, to compare many heaps: numbers, hashes and
 * names of functions or addresses in modules. Neither contents of memory nor arguments of the
 * command. */
#ifndef HEFT_REPORT_REVIEW_HEAP_DIGEST_H
#define HEFT_REPORT_REVIEW_HEAP_DIGEST_H

#include "base/fnv.h"
#include "report/heap_report.h"

enum { DIGEST_STACKS = 10, DIGEST_FRAMES = 8, DIGEST_HOLDERS = 3 };

/* A stack and what it holds. Texts are borrowed. */
struct digest_stack {
	uint64_t hash; /* Hash of all frames: the module's file name and function, or address in
		       * the module. */
	uint64_t live_bytes, live;
	const char *frames[DIGEST_FRAMES]; /* "module!function", innermost first. */
	size_t frame_count;
};

/* Damage: its kind, its number, and the function that owns the blocks. One element per kind and
 * function. */
struct digest_damage {
	enum heft_heap_damage_kind kind;
	const char *holder; /* Frame that asked for the block. "" if unknown. */
	uint64_t count;
};

struct heap_digest {
	struct heap_info info;
	const char *core;   /* Name of the dump's file. */
	uint64_t signature; /* Of the stacks that hold most. Set by out_heap_digest(). */
	struct digest_stack stacks[DIGEST_STACKS];
	size_t stack_count;
	bool knows_leaks;              /* All live blocks and leaks are known. */
	uint64_t leaked_bytes, leaked; /* `leaked` counts blocks. */
	VEC(struct digest_damage) damages;
};

/* Returns a frame in a form that is the same in every run of the program: "module!function" or
 * "module+0x12". */
const char *digest_frame(struct arena *arena, const struct heft_frame *f);
/* Adds a frame to the hash of the previous frames. Begin with DIGEST_START. */
#define DIGEST_START FNV_START
uint64_t digest_hash(uint64_t hash, const char *frame);

void out_heap_digest(struct heap_digest *d, struct sink *s);

#endif
