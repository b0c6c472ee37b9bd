/* records.h - reads the recorder's pages in a dump: the process, threads, modules, stacks and their
 * counters. docs/heap-format.md describes the pages, block.h has the layout.
 *
 * Pages are found by their magic and verified by check, address and sizes. A page that fails
 * becomes a note. A fork or a copy may duplicate pages. Only pages count that name the same process
 * page as most pages do. Numbers are converted to the host's byte order. Texts end with 0, and
 * sizes fit their fields. */
#pragma once

#include "heap/block.h"
#include "base/vec.h"
#include "heap/dump.h"

/* Stands for the path of the program's module if the recorder could not get it. */
#define HEAP_PROGRAM "(program)"

struct record_page {
	struct bytes entries; /* The first `used` entries of the page, in the process's byte
			       * order */
	uint32_t slot, epoch;
};

/* Pages of one kind, indexed by page number - 1. entries.size is 0 if a page is missing */
struct record_pages {
	struct record_page *data;
	size_t count, cap;
};

struct record_place {
	uint64_t addr;
	uint32_t kind; /* Value of enum heap_page_kind */
	/* Bytes of the page that the recorder owns. An embedded heap may have only the process
	 * page: then they end after its entry, and blocks may follow. */
	uint32_t size;
};

struct records {
	bool found;                          /* True if there is a process page */
	struct heap_process process;         /* The process page. Zeros if there is none. */
	char command[HEAP_COMMAND_MOST + 1]; /* Command line. "" if unknown. */
	char beside[HEAP_BESIDE_MOST + 1];   /* Functions that return unrecorded memory. "" if
					      * none or unknown */
	VEC(struct heap_module) modules;
	VEC(struct heap_thread) threads;  /* Entry n - 1 is thread slot n */
	VEC(struct heap_moment) timeline; /* Ascending by time. Entries out of order are dropped */
	VEC(struct heap_gone) gone;       /* The oldest first */
	struct record_pages nodes, stacks;
	struct record_pages remote;      /* Frees by other threads than the one that allocated.
					  * Page i belongs to page i of `stacks` */
	VEC(struct record_place) places; /* Sorted by address */
	uint64_t missing;    /* Number of pages that the process page counts but the dump lacks */
	uint64_t page_bytes; /* Total bytes of all `places`: the recorder's own memory */
};

void records_read(struct records *r, const struct dump *d, struct notes *notes);
void records_release(struct records *r);

/* Reads and returns the header of a page, unchecked. */
struct heap_page record_head(struct reader *r);

/* Reads a stack by its id, its frees by other threads, and its thread slot. False if not found. */
bool records_stack(const struct records *r, const struct dump *d, uint32_t id,
		   struct heap_stack *ret, struct heap_remote *ret_remote, uint32_t *ret_slot);
