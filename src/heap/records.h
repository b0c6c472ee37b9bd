/* records.h - the recorder's pages in a dump: the process, threads, modules, stacks and what they
 * counted.  docs/heap-format.md; block.h has the layout.
 *
 * Pages are found by their magic and proven by their check, address and sizes; a page that fails is
 * a note. A page found twice (fork, copies) counts once: the one that names the process page of
 * most. Numbers are in the host's byte order here; text ends with 0, sizes are within their
 * fields. */
#ifndef HEFT_HEAP_RECORDS_H
#define HEFT_HEAP_RECORDS_H

#include "heap/block.h"
#include "base/vec.h"
#include "heap/dump.h"

/* The path of a module that is the program, where that could not be asked for. */
#define HEAP_PROGRAM "(program)"

struct record_page {
	struct bytes entries; /* `used` entries, in the byte order of the process */
	uint32_t slot, epoch;
};

/* By number - 1; entries.size 0: missing. */
struct record_pages {
	struct record_page *data;
	size_t count, cap;
};

struct record_place {
	uint64_t addr;
	uint32_t kind; /* enum heap_page_kind */
	/* bytes that are the recorder's: of an embedded heap, whose process page is the only one,
	 * no more than that says, for its blocks may follow at once */
	uint32_t size;
};

struct records {
	bool found;                          /* there is a process page */
	struct heap_process process;         /* zeros where there is none */
	char command[HEAP_COMMAND_MOST + 1]; /* "": not told */
	char beside[HEAP_BESIDE_MOST + 1];   /* "": not told, or none */
	VEC(struct heap_module) modules;
	VEC(struct heap_thread) threads;  /* slot n is [n - 1] */
	VEC(struct heap_moment) timeline; /* in order of time, stale ones left out */
	VEC(struct heap_gone) gone;       /* freed blocks, the oldest first */
	struct record_pages nodes, stacks;
	struct record_pages remote; /* what other slots freed of the stacks page of that number */
	VEC(struct record_place) places; /* of all pages, by address */
	uint64_t missing; /* pages of this recorder that the process page counts and nobody found */
	uint64_t page_bytes; /* of all places: the recorder's own memory */
};

void records_read(struct records *r, const struct dump *d, struct notes *notes);
void records_release(struct records *r);

/* The head of a page; nothing of it is checked. */
struct heap_page record_head(struct reader *r);

/* The stack of an id; false where there is no such entry. */
bool records_stack(const struct records *r, const struct dump *d, uint32_t id,
		   struct heap_stack *ret, struct heap_remote *ret_remote, uint32_t *ret_slot);

#endif
