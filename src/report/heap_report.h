/* heap_report.h - holds the contents of a report about heaps, for the formats.
 *
 * Call stacks are paths in one tree of steps. Frames that look equal to people are one site,
 * whatever process, thread or address they came from. Made once, then read only. */
#ifndef HEFT_REPORT_HEAP_REPORT_H
#define HEFT_REPORT_HEAP_REPORT_H

#include "base/json.h"
#include "base/reader.h"
#include "base/vec.h"
#include "map/rows.h"
#include "process/process.h"
#include "report/report.h"

/* A frame, shared by all calls on one line of a function. */
struct heap_site {
	struct heft_frame frame; /* Frame of the first call found. */
	const char *label;       /* The function, otherwise MODULE+0xADDR or the address. */
	uint32_t module;         /* Index in modules. 0 if there is none. */
	enum process_frame_kind kind;
};

/* A frame with all frames that called it. [0] is the root; parents come first. */
struct heap_step {
	uint32_t parent, site;
};

/* Class of a leaf in a report of leaks: how its blocks can be reached. */
enum leaf_reach { LEAF_UNKNOWN, LEAF_LOST, LEAF_INDIRECT };

/* Number of measures that all rows have. Some rows have one more measure. */
enum { HEAP_MEASURES = HEFT_HEAP_WITH_CALLEES };

/* Blocks and bytes that one stack holds. */
struct heap_leaf {
	uint32_t step, class; /* `class`: second part of the rows' key, beside the stack. */
	uint64_t now[HEAP_MEASURES], base[HEAP_MEASURES];
};

struct heap_report_module {
	const char *path, *name;
	struct bytes build_id;
	uint64_t start, end, bias;
};

/* What is known about a whole heap. */
struct heap_info {
	struct heft_heap_info of;
	uint64_t parts[HEFT_HEAP_PARTS]; /* Bytes. All 0 if the dump has no blocks. */
	bool no_names;                   /* Frames are addresses in the modules' headers. */
	bool with_arguments;             /* Written reports state the arguments of the command. */
	size_t unsettled; /* For a check: number of places left out, because a stopped thread was
			   * working on them. */
	const char *said; /* For a check: the last message of the C library. "" if there is none. */
};

struct heap_report {
	const struct heap_info *info, *base; /* `base` is NULL if it is no diff. */
	struct heft_heap_query query;
	VEC(struct heap_report_module) modules; /* [0] means no module. */
	VEC(struct heap_site) sites;            /* [0] is the root's. */
	VEC(struct heap_step) steps;
	VEC(struct heap_leaf) leaves; /* Sorted by step, then class. No leaf is all 0. */
	struct heft_measure measures[HEFT_HEAP_WITH_CALLEES + 1];
	struct tree tree;
	struct heft_table table; /* `ref` of a row is its step if rows are by stack, otherwise
				  * its site. */
	const struct heft_note *notes;
	size_t note_count;
};

/* Texts of rows. */
enum heap_text { HEAP_MODULE, HEAP_FILE, HEAP_LINE, HEAP_REACH, HEAP_TEXTS };

/* Functions that formats call. */
static inline const struct heap_site *heap_step_site(const struct heap_report *r, uint32_t step)
{
	return &r->sites.data[r->steps.data[step].site];
}
extern const struct heft_measure heap_measures[HEFT_HEAP_WITH_CALLEES + 1];
extern const struct heft_text heap_texts[HEAP_TEXTS];
extern const char *const heap_by_names[];                  /* "stack" and so on. */
extern const char *const heap_part_names[HEFT_HEAP_PARTS]; /* "blocks" and so on. */
/* "canary" and so on. */
extern const char *const heap_damage_words[HEFT_HEAP_FREED_WRITTEN + 1];
/* Steps of a stack, outermost first. The vec is emptied before and reused. */
struct heap_path {
	VEC(uint32_t) steps;
};
void heap_path_of(struct heap_path *path, const struct heap_report *r, uint32_t step);

/* Writes the report. Formats that show stacks use the leaves. */
bool heap_report_write(const struct heap_report *r, const struct heft_write_opts *o, struct sink *s,
		       struct heft_err *err);
void out_heap_pprof(const struct heap_report *r, bool live_only, struct sink *s);

/* Returns the command for pages and JSON, which people hand on. Without arguments asked for, only
 * the name of the program. */
struct str heap_command(const struct heap_info *i);

/* Write parts of pages. */
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
/* A thread of a dump. No frames means that its stack is unknown. */
struct heap_thread_stack {
	uint32_t id;
	const char *name; /* "" if unknown. */
	const struct heft_frame *const *frames;
	size_t count;
};
void out_heap_stacks_begin(size_t count, bool json, struct sink *s);
void out_heap_stack(const struct heap_thread_stack *t, size_t index, bool json, struct sink *s);
void out_heap_death(const struct heap_info *info, const struct heap_thread_stack *t,
		    struct sink *s);
/* Writes what the process has at an address: everything but the symbol. */
void heap_put_process(const struct heft_heap_place *at, struct sink *s);
void out_heap_place(const struct heft_heap_place *at, bool json, struct sink *s);

#endif
