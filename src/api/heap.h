/* heap.h - the inside of struct heft_heap: a dump, what was found in it, and the symbols of its
 * modules. */
#ifndef HEFT_API_HEAP_H
#define HEFT_API_HEAP_H

#include "base/intern.h"
#include "heap/blocks.h"
#include "heap/damage.h"
#include "heap/layout.h"
#include "heap/reach.h"
#include "program/wish.h"
#include "report/heap_report.h"

/* What is, or was, mapped as a module. */
struct process_module {
	const char *path; /* as the process had it */
	struct bytes build_id;
	uint64_t start, end, bias;
	const char *program;      /* the user's own file for it, or NULL */
	const char *debug_file;   /* likewise */
	struct heft_where *where; /* NULL: nothing was found, or it was not needed */
	bool tried;
	VEC(struct heft_heap_frame) frames;
	uint64_t hidden; /* bytes held by frames without a name */
};

/* A distinct frame: the functions there, innermost first, are frames[first..first+count) of the module. */
struct heap_spot {
	uint64_t frame;
	uint32_t module; /* [0] stands for none */
	uint32_t first, count;
};

struct heft_heap {
	struct arena arena;
	struct notes notes;
	/* settings */
	struct program_wish find;
	VEC(struct dump_piece) pieces;
	struct dump_wish wish;
	bool has_base;
	uint64_t base_addr;
	enum heft_demangle style;
	unsigned threads;
	/* found */
	bool open, damages_known;
	struct dump dump;
	struct records records;
	struct calls calls;
	struct blocks_found blocks;
	struct heap_layout layout;
	struct damages damages;
	struct heft_heap_info info;
	VEC(struct process_module) modules; /* of the calls, after [0], which stands for none */
	VEC(struct heap_spot) spots;
	uint32_t *spot_of;                  /* by call node */
	VEC(struct heft_heap_frame) frames; /* of the block, before and after told last */
	VEC(struct heft_note) all_notes;
};

enum heft_heap_part heap_part_of(enum heap_part_kind kind);

/* Lists the modules and finds the files the user named among them. */
bool heap_modules_list(struct heft_heap *h, struct heft_err *err);
void heap_modules_close(struct heft_heap *h);
/* Index of the module at an address; 0: none. */
uint32_t heap_module_at(const struct heft_heap *h, uint64_t addr);
/* Opens it if that was not tried; NULL: nothing can be opened. */
struct heft_where *heap_module_open(struct heft_heap *h, uint32_t module);

/* Finds the functions of all frames of the dump, once; several threads at work. */
void heap_symbolize(struct heft_heap *h);
/* The frames of a spot. */
static inline const struct heft_heap_frame *heap_spot_frames(const struct heft_heap *h,
							     const struct heap_spot *s)
{
	return h->modules.data[s->module].frames.data + s->first;
}

struct heft_heap_report {
	struct heap_report report; /* first: the formats' view */
	struct arena arena;
	struct notes notes;
	struct intern classes; /* labels of leaves' classes, where rows are by these */
	VEC(struct heft_note) all_notes;
};

/* Steps of the stacks of a heap in the report's tree. */
struct heap_join;
struct heap_join *heap_join_new(struct heft_heap_report *r, struct heft_heap *now,
				struct heft_heap *base);
void heap_join_free(struct heap_join *j);
/* The step of a call node, once for each heap: an array by node; the caller frees. */
uint32_t *heap_join_steps(struct heap_join *j, struct heft_heap *h);

/* The step that is shown innermost: without the allocator's own frames. */
uint32_t heap_shown_step(const struct heap_report *r, uint32_t step);
/* The step that what a stack holds counts for. */
uint32_t heap_owner_step(const struct heap_report *r, uint32_t step);

/* Adds the leaves of a heap, unsorted; `steps` by call node. */
bool heap_leaves_add(struct heft_heap_report *r, struct heft_heap *h, const uint32_t *steps,
		     bool base, struct heft_err *err);
/* Drops what the filters by frame do not let through, joins equal ones, sorts. */
bool heap_leaves_finish(struct heft_heap_report *r, struct heft_err *err);
/* Makes the rows from the leaves. */
void heap_rows_make(struct heft_heap_report *r);

#endif
