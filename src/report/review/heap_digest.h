/* heap_digest.h - a heap in one line of JSON, to compare many of them: numbers, hashes and names of
 * functions or addresses in modules; no contents of memory, no arguments of the command. */
#ifndef HEFT_REPORT_REVIEW_HEAP_DIGEST_H
#define HEFT_REPORT_REVIEW_HEAP_DIGEST_H

#include "base/fnv.h"
#include "report/heap_report.h"

enum { DIGEST_STACKS = 10, DIGEST_FRAMES = 8, DIGEST_HOLDERS = 3 };

/* A stack and what it holds.  Texts are borrowed. */
struct digest_stack {
	uint64_t
		hash; /* of all frames: module's file name and function, or address in the module */
	uint64_t live_bytes, live;
	const char *frames[DIGEST_FRAMES]; /* "module!function", innermost first */
	size_t frame_count;
};

/* What was damaged, how often, by whose blocks; one a kind and function. */
struct digest_damage {
	enum heft_heap_damage_kind kind;
	const char *holder; /* the frame that asked for the block; "" where it is not known */
	uint64_t count;
};

struct heap_digest {
	struct heap_info info;
	const char *core;   /* the name of its file */
	uint64_t signature; /* of the stacks that hold most; out_heap_digest sets it */
	struct digest_stack stacks[DIGEST_STACKS];
	size_t stack_count;
	bool knows_leaks;              /* all that is live and leaks is known */
	uint64_t leaked_bytes, leaked; /* blocks */
	VEC(struct digest_damage) damages;
};

/* "module!function", or "module+0x12": a frame as another run of the program has it. */
const char *digest_frame(struct arena *arena, const struct heft_frame *f);
/* Goes on from the hash of the frames before; DIGEST_START at first. */
#define DIGEST_START FNV_START
uint64_t digest_hash(uint64_t hash, const char *frame);

void out_heap_digest(struct heap_digest *d, struct sink *s);

#endif
