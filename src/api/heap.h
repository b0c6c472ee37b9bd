/* heap.h - the inside of struct heft_heap. */
#ifndef HEFT_API_HEAP_H
#define HEFT_API_HEAP_H

#include "base/intern.h"
#include "heap/damage.h"
#include "measure/session.h"
#include "process/process.h"
#include "report/heap_report.h"

struct heft_heap {
	struct memory *memory; /* first: see handle_new */
	struct arena arena;
	struct context context;
	/* settings */
	unsigned flags;         /* enum heft_heap_flag */
	const char *name_cache; /* NULL: none */
	/* found */
	bool open, damages_known;
	uint32_t pid;    /* of a living process; 0: it is a file */
	uint8_t *tables; /* of a living process; borrowed by `process`, NULL where it is a file */
	struct process process;
	struct damages damages;
	struct heap_info info;
	VEC(struct heft_heap_moment) moments; /* by time */
	struct arena answer;                  /* frames of the blocks told last */
};

struct heft_heap_report {
	struct heap_report report; /* first: the formats' view */
	struct memory *memory;     /* that of the heap */
	struct arena arena;
	struct notes *notes;   /* the heap's */
	struct intern classes; /* labels of leaves' classes, where rows are by these */
	VEC(struct heft_note) all_notes;
};

/* Looks for damage, once; how many there are. */
size_t heap_find_damage(struct heft_heap *h);
/* One of them; its blocks stay until h->answer is released. */
struct heft_heap_damage heap_damage(struct heft_heap *h, size_t i);

/* Steps of the stacks of a heap in the report's tree. */
struct heap_join;
struct heap_join *heap_join_new(struct heft_heap_report *r, struct heft_heap *now,
				struct heft_heap *base);
void heap_join_free(struct heap_join *j);
/* The step of a call node, once for each heap: an array by node; the caller frees. */
uint32_t *heap_join_steps(struct heap_join *j, struct heft_heap *h);

/* The step that what a stack holds counts for, and that is shown innermost: without the allocator's
 * frames and those that allocate for their callers, unless all are. */
uint32_t heap_owner_step(const struct heap_report *r, uint32_t step);

/* Adds the leaves of a heap, unsorted; `steps` by call node. */
bool heap_leaves_add(struct heft_heap_report *r, struct heft_heap *h, const uint32_t *steps,
		     bool base, struct heft_err *err);
/* Drops what the filters by frame do not let through, joins equal ones, sorts. */
bool heap_leaves_finish(struct heft_heap_report *r, struct heft_err *err);
/* Makes the rows from the leaves. */
void heap_rows_make(struct heft_heap_report *r);

#endif
