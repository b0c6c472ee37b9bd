/* heap_report.h - what a report about heaps holds, for the formats that write it.
 *
 * Call stacks are paths in one tree of steps, joined by their frames as people see them (sites),
 * whatever process, thread or address they came from.  Made once, then read only. */
#ifndef HEFT_REPORT_HEAP_REPORT_H
#define HEFT_REPORT_HEAP_REPORT_H

#include "base/json.h"
#include "base/reader.h"
#include "base/vec.h"
#include "map/rows.h"
#include "process/process.h"
#include "report/report.h"

/* A frame, the same for all calls on one line of a function. */
struct heap_site {
	struct heft_frame frame; /* of the first call seen */
	const char *label;       /* the function, else MODULE+0xADDR or the address */
	uint32_t module;         /* index in modules; 0: none */
	enum process_frame_kind kind;
};

/* A frame and all that called it; [0] is the root, parents come first. */
struct heap_step {
	uint32_t parent, site;
};

/* The class of a leaf in a report of leaks: how its blocks can be reached. */
enum leaf_reach { LEAF_UNKNOWN, LEAF_LOST, LEAF_INDIRECT };

/* Measures of all rows: those before the one of some. */
enum { HEAP_MEASURES = HEFT_HEAP_WITH_CALLEES };

/* What one stack holds. */
struct heap_leaf {
	uint32_t step, class; /* class: of what the rows are by, beside the stack */
	uint64_t now[HEAP_MEASURES], base[HEAP_MEASURES];
};

struct heap_report_module {
	const char *path, *name;
	struct bytes build_id;
	uint64_t start, end, bias;
};

/* What is known of a heap as a whole. */
struct heap_info {
	struct heft_heap_info of;
	uint64_t parts[HEFT_HEAP_PARTS]; /* bytes; all 0 where the dump has no blocks */
	bool no_names;                   /* frames are addresses of the modules' headers */
	bool with_arguments;             /* what is handed on states those of the command */
	size_t unsettled; /* of a check: places left out, where a stopped thread was at work */
	const char *said; /* of a check: the C library's last words; "": none */
};

struct heap_report {
	const struct heap_info *info, *base; /* base NULL: no diff */
	struct heft_heap_query query;
	VEC(struct heap_report_module) modules; /* [0] stands for none */
	VEC(struct heap_site) sites;            /* [0] is the root's */
	VEC(struct heap_step) steps;
	VEC(struct heap_leaf) leaves; /* by step, then class; none is all 0 */
	struct heft_measure measures[HEFT_HEAP_WITH_CALLEES + 1];
	struct tree tree;
	struct heft_table table; /* rows by stack: ref is their step; by other sites: that site */
	const struct heft_note *notes;
	size_t note_count;
};

/* The texts of rows. */
enum heap_text { HEAP_MODULE, HEAP_FILE, HEAP_LINE, HEAP_REACH, HEAP_TEXTS };

/* What formats ask of a report. */
static inline const struct heap_site *heap_step_site(const struct heap_report *r, uint32_t step)
{
	return &r->sites.data[r->steps.data[step].site];
}
extern const struct heft_measure heap_measures[HEFT_HEAP_WITH_CALLEES + 1];
extern const struct heft_text heap_texts[HEAP_TEXTS];
extern const char *const heap_by_names[];                  /* "stack" ... */
extern const char *const heap_part_names[HEFT_HEAP_PARTS]; /* "blocks" ... */
/* "canary" ... */
extern const char *const heap_damage_words[HEFT_HEAP_FREED_WRITTEN + 1];
/* The steps of a stack, outermost first, in memory of the vec, which is emptied before. */
struct heap_path {
	VEC(uint32_t) steps;
};
void heap_path_of(struct heap_path *path, const struct heap_report *r, uint32_t step);

/* Writes the report; formats that show stacks take the leaves. */
bool heap_report_write(const struct heap_report *r, const struct heft_write_opts *o, struct sink *s,
		       struct heft_err *err);
void out_heap_pprof(const struct heap_report *r, bool live_only, struct sink *s);

/* The command as pages and JSON state it, which are handed on: unless arguments were asked for, the
 * name of the program alone. */
struct str heap_command(const struct heap_info *i);

/* Parts of pages. */
void out_heap_summary(const struct heap_info *info, struct sink *s);
void out_heap_summaries(const struct heap_info *now, const struct heap_info *base, struct sink *s);
void out_heap_layout(const struct heap_info *info, bool json, struct sink *s);
void out_heap_timeline(const struct heap_info *info, const struct heft_heap_moment *moments,
		       size_t count, bool json, struct sink *s);
void out_heap_timeline_svg(const struct heap_info *info, const struct heft_heap_moment *moments,
			   size_t count, struct sink *s);
void out_heap_check_begin(const struct heap_info *info, size_t count, bool json, struct sink *s);
void out_heap_damage(const struct heft_heap_damage *d, size_t index, bool json, struct sink *s);
void out_heap_check_end(bool json, struct sink *s);
/* A thread of a dump; no frames: its stack is not known. */
struct heap_thread_stack {
	uint32_t id;
	const char *name; /* "" if not known */
	const struct heft_frame *const *frames;
	size_t count;
};
void out_heap_stacks_begin(size_t count, bool json, struct sink *s);
void out_heap_stack(const struct heap_thread_stack *t, size_t index, bool json, struct sink *s);
void out_heap_death(const struct heap_info *info, const struct heap_thread_stack *t,
		    struct sink *s);
/* What the process has at an address, below what its program has there: all but the symbol. */
void heap_put_process(const struct heft_heap_place *at, struct sink *s);
void out_heap_place(const struct heft_heap_place *at, bool json, struct sink *s);

#endif
