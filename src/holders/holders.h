/* holders.h - defines struct heft_heap and struct heft_heap_report: which functions hold the memory
 * of a process. For api/ and the writers of report/.
 *
 * All functions allocate memory that the struct heft_heap owns (base/mem.h). */
#pragma once

#include "base/intern.h"
#include "heap/damage.h"
#include "holders/heap_rows.h"
#include "program/session.h"

struct heft_heap {
	struct memory *memory; /* Must be the first field: see handle_new(). */
	struct arena arena;
	struct context context;
	/* Settings. `flags`: bits of enum heft_heap_flag. */
	unsigned flags;
	const char *name_cache; /* Folder of cached names of frames, or NULL */
	/* State after opening. */
	bool open, damages_known;
	uint32_t pid;    /* Id of a living process. 0 for a file */
	uint8_t *tables; /* Copy of a living process's recorder pages (live_tables()), borrowed by
			  * `process`. NULL for a file */
	struct process process;
	struct damages damages;
	struct heap_info info;
	VEC(struct heft_heap_moment) moments; /* Sorted by time */
	struct arena answer;                  /* Frames of the blocks returned last */
};

struct heft_heap_report {
	struct heap_report report; /* Must be the first field, because the formats use it */
	struct memory *memory;     /* Memory of the heap */
	struct arena arena;
	struct notes *notes;   /* Notes of the heap */
	struct intern classes; /* Labels of threads, sizes or ages, if rows are by these */
	VEC(struct heft_note) all_notes;
};

/* Opens a dump. A handle opens only one. False, with *err, on failure. */
bool heap_open(struct heft_heap *h, const char *path, struct heft_err *err);
/* Opens a running process. The recorder's pages in it are read like a file of the recorder. */
bool heap_open_process(struct heft_heap *h, uint32_t pid, struct heft_err *err);

/* Returns module `i` of the process, which must exist. */
struct heft_heap_module heap_module(struct heft_heap *h, size_t i);
/* A thread of a dump. Without frames, its stack is unknown. */
struct heap_thread_stack {
	uint32_t id;
	const char *name; /* "" if unknown */
	const struct heft_frame *const *frames;
	size_t count;
};
/* Returns thread `i` of the dump. Its frames are valid until h->answer is released. */
struct heap_thread_stack heap_thread_stack(struct heft_heap *h, size_t i);

/* Searches damage. Only the first call does the work. Returns the number of damages. */
size_t heap_find_damage(struct heft_heap *h);
/* Returns damage `i`. Its blocks are valid until h->answer is released. */
struct heft_heap_damage heap_damage(struct heft_heap *h, size_t i);

/* Makes a report on a heap, or on its difference to `base` (may be NULL). False, with *err, on
 * failure. Both heaps keep the names of their frames for later reports. */
bool heap_report_make(struct heft_heap_report **ret, struct heft_heap *h, struct heft_heap *base,
		      const struct heft_heap_query *query, struct heft_err *err);
void heap_report_release(struct heft_heap_report *r);

/* Makes the steps (struct heap_step) of all stacks. Returns an array with the step of each call
 * node of `now`, and in *ret_base that of `base`, or NULL. The caller frees the arrays. This and
 * the following functions are private to holders/. */
uint32_t *heap_join(struct heft_heap_report *r, struct heft_heap *now, struct heft_heap *base,
		    uint32_t **ret_base);
/* Returns the innermost step that is shown, which owns a stack's bytes. Skips frames of the
 * allocator and of helpers, which allocate for their callers, unless the stack has no other
 * frames. */
uint32_t heap_owner_step(const struct heap_report *r, uint32_t step);
/* Adds a heap's leaves, unsorted. `steps` is indexed by call node. False, with *err, on failure. */
bool heap_leaves_add(struct heft_heap_report *r, struct heft_heap *h, const uint32_t *steps,
		     bool base, struct heft_err *err);
/* Removes leaves that filters reject, joins equal ones, sorts. False if a filter is invalid. */
bool heap_leaves_finish(struct heft_heap_report *r, struct heft_err *err);
/* Makes the rows from the leaves. */
void heap_rows_make(struct heft_heap_report *r);
