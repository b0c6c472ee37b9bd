/* heap.h - the inside of struct heft_heap. */
#ifndef HEFT_API_HEAP_H
#define HEFT_API_HEAP_H

#include "base/intern.h"
#include "heap/damage.h"
#include "measure/session.h"
#include "process/process.h"
#include "report/heap_report.h"

struct heft_heap {
	struct memory *memory; /* Must be the first field: see handle_new(). */
	struct arena arena;
	struct context context;
	/* Settings. */
	unsigned flags;         /* Bits of enum heft_heap_flag. */
	const char *name_cache; /* NULL if there is none. */
	/* State after opening. */
	bool open, damages_known;
	uint32_t pid;    /* Id of a living process. 0 for a file. */
	uint8_t *tables; /* Tables of a living process, borrowed by `process`. NULL for a file. */
	struct process process;
	struct damages damages;
	struct heap_info info;
	VEC(struct heft_heap_moment) moments; /* Sorted by time. */
	struct arena answer;                  /* Frames of the blocks that were returned last. */
};

struct heft_heap_report {
	struct heap_report report; /* Must be the first field: the formats use it. */
	struct memory *memory;     /* Memory of the heap. */
	struct arena arena;
	struct notes *notes;   /* Notes of the heap. */
	struct intern classes; /* Labels of leaves' classes, if rows are by class. */
	VEC(struct heft_note) all_notes;
};

/* Looks for damage, once. Returns how many pieces of damage there are. */
size_t heap_find_damage(struct heft_heap *h);
/* Returns damage `i`. Its blocks are valid until h->answer is released. */
struct heft_heap_damage heap_damage(struct heft_heap *h, size_t i);

/* Builds the steps of a heap's stacks in the report's tree. */
struct heap_join;
struct heap_join *heap_join_new(struct heft_heap_report *r, struct heft_heap *now,
				struct heft_heap *base);
void heap_join_free(struct heap_join *j);
/* Returns the step of each call node of a heap. Call once per heap. The caller frees the array. */
uint32_t *heap_join_steps(struct heap_join *j, struct heft_heap *h);

/* Returns the step that a stack's bytes count for, which is shown innermost. It skips frames of the
 * allocator and frames that allocate for their callers, unless the stack has no other frames. */
uint32_t heap_owner_step(const struct heap_report *r, uint32_t step);

/* Adds the leaves of a heap, unsorted. `steps` is indexed by call node. */
bool heap_leaves_add(struct heft_heap_report *r, struct heft_heap *h, const uint32_t *steps,
		     bool base, struct heft_err *err);
/* Drops the leaves that the filters by frame reject, joins equal leaves, and sorts. */
bool heap_leaves_finish(struct heft_heap_report *r, struct heft_err *err);
/* Makes the rows from the leaves. */
void heap_rows_make(struct heft_heap_report *r);

#endif
