/* heap_rows.h - defines the rows of a report about heaps, and the facts about each heap.
 *
 * Call stacks are paths in one tree of steps. Frames that look equal to users are one site,
 * whatever process, thread or address they come from. Read-only after it is made. */
#pragma once

#include "base/reader.h"
#include "base/vec.h"
#include "map/rows.h"
#include "process/process.h"

/* A frame, shared by all calls on one line of a function. */
struct heap_site {
	struct heft_frame frame; /* Frame of the first call found */
	const char *label;       /* The function, otherwise MODULE+0xADDR, otherwise the address */
	uint32_t module;         /* Index in modules. 0 without one */
	enum process_frame_kind kind;
};

/* A frame with its callers. Step 0 is the root. A parent has a lower index than its children. */
struct heap_step {
	uint32_t parent, site;
};

/* In a leak report: how a leaf's blocks can be reached. */
enum leaf_reach { LEAF_UNKNOWN, LEAF_LOST, LEAF_INDIRECT };

/* Number of measures that all rows have. Some rows have one more measure. */
enum { HEAP_MEASURES = HEFT_HEAP_WITH_CALLEES };

/* Blocks and bytes of one stack. */
struct heap_leaf {
	uint32_t step, class; /* `step`: index in heap_report.steps. `class`: class of thread, size
			       * or age, if rows are by these. Otherwise 0 */
	uint64_t now[HEAP_MEASURES], base[HEAP_MEASURES];
};

struct heap_report_module {
	const char *path, *name;
	struct bytes build_id;
	uint64_t start, end, bias;
};

/* Facts about a whole heap. */
struct heap_info {
	struct heft_heap_info of;
	uint64_t parts[HEFT_HEAP_PARTS]; /* Bytes by kind of part. All 0 if the dump has no
					  * blocks */
	bool no_names;                   /* True if frames have no names, only addresses in a
					  * module */
	bool with_arguments;             /* True if reports include the arguments of the command */
	size_t unsettled; /* For a search for damage: number of places skipped, because a stopped
			   * thread was changing them */
	const char *said; /* For a search for damage: last message of the C library, or "" */
};

struct heap_report {
	const struct heap_info *info, *base; /* `base` is NULL without a diff */
	struct heft_heap_query query;
	VEC(struct heap_report_module) modules; /* [0] stands for no module */
	VEC(struct heap_site) sites;            /* [0] is the site of the root */
	VEC(struct heap_step) steps;
	VEC(struct heap_leaf) leaves; /* Sorted by step, then class. No leaf is all 0 */
	struct heft_measure measures[HEFT_HEAP_WITH_CALLEES + 1];
	struct tree tree;
	struct heft_table table; /* row_ref() is the step if rows are stacks, otherwise the site */
	const struct heft_note *notes;
	size_t note_count;
};

/* Text columns of rows. */
enum heap_text { HEAP_MODULE, HEAP_FILE, HEAP_LINE, HEAP_REACH, HEAP_TEXTS };

static inline const struct heap_site *heap_step_site(const struct heap_report *r, uint32_t step)
{
	return &r->sites.data[r->steps.data[step].site];
}
extern const struct heft_measure heap_measures[HEFT_HEAP_WITH_CALLEES + 1];
extern const struct heft_text heap_texts[HEAP_TEXTS];
/* Steps of a stack, outermost first. Reused and emptied for each stack. */
struct heap_path {
	VEC(uint32_t) steps;
};
void heap_path_of(struct heap_path *path, const struct heap_report *r, uint32_t step);
