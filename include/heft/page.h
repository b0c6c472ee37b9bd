/* page.h - part of heft.h: reports as one html file. */
#ifndef HEFT_H
#include "heft.h" /* which includes this file in its turn */
#elif !defined(HEFT_PART_PAGE_H)
#define HEFT_PART_PAGE_H

#ifdef __cplusplus
extern "C" {
#endif

/* One html file with the rows of several reports, a tab each, that a browser shows without a
 * network: as treemap, flame graph, table, grouped and filtered by whoever looks.
 *
 *     struct heft_page *page = heft_page_new(session);
 *     if (page && heft_page_add_profile(page, "a.out", profile, &err))
 *             heft_page_write(page, &sink, &err);
 *     heft_page_free(page);
 *
 * What is added is copied: the profile may go.  One thread a handle. */
struct heft_page;

/* Never fails (memory apart).  Free with heft_page_free; NULL is fine there. */
HEFT_API struct heft_page *heft_page_new(struct heft_session *s);
HEFT_API void heft_page_free(struct heft_page *p);

/* What a file, or an input that stands for its name, is by its first bytes. */
enum heft_input_kind {
	HEFT_INPUT_PROGRAM, /* for a profile; what heft does not know is taken for one */
	HEFT_INPUT_LIST,    /* a .size file, a zip file, dex or data pack: for a snapshot */
	HEFT_INPUT_LISTS,   /* a .sizediff file */
	HEFT_INPUT_DUMP,    /* a core, or what the heap recorder wrote */
	HEFT_INPUT_SAMPLES, /* what perf record wrote: of a program, for heft_samples_new */
	HEFT_INPUT_HISTORY, /* a file of SQLite, or postgresql://...: heft history shows it */
};
HEFT_API bool heft_input_look(const struct heft_session *s, const char *path,
			      enum heft_input_kind *ret, struct heft_err *err);

/* Each adds a tab.  `title` is its name. */
/* A profile that has run: all its rows, whatever limit was set, also those that did not change.
 * Its sources are what they can be grouped by.  Where the last one is symbols and the run was with
 * HEFT_PROFILE_RANGES, the page tells who refers to each symbol, which texts its data hold and
 * whether the program has the same a second time. */
HEFT_API bool heft_page_add_profile(struct heft_page *p, const char *title,
				    struct heft_profile *profile, struct heft_err *err);
/* The same, and the page tells the code of functions, where the last source is symbols and the run
 * was with HEFT_PROFILE_RANGES.  Of one program: its instructions by basic block, as
 * heft_blocks_disassemble has them, for which `blocks` have the same file open; and how often each
 * block ran where there are `samples` (NULL: none).  Of a profile with bases: what changed of the
 * instructions of functions that changed their size; `blocks` may be NULL.  A page takes 512 KiB of
 * code: of the functions that ran most, then of the largest ones, or of those whose size changed
 * most; 16 KiB of one function, of a diff 2 KiB before and after; it says of how many.
 * HEFT_EUNSUPPORTED: heft was built without a disassembler. */
struct heft_samples;
HEFT_API bool heft_page_add_profile_code(struct heft_page *p, const char *title,
					 struct heft_profile *profile, struct heft_blocks *blocks,
					 struct heft_samples *samples, struct heft_err *err);
/* The symbols of a snapshot; with `before`, or of a .sizediff file, what changed. */
HEFT_API bool heft_page_add_snapshot(struct heft_page *p, const char *title,
				     const struct heft_snapshot *before,
				     const struct heft_snapshot *after, struct heft_err *err);
/* The call stacks of a heap; with `base` what changed from there. */
HEFT_API bool heft_page_add_heap(struct heft_page *p, const char *title, struct heft_heap *heap,
				 struct heft_heap *base, struct heft_err *err);
/* How often functions and their basic blocks ran, those that did. */
HEFT_API bool heft_page_add_samples(struct heft_page *p, const char *title, struct heft_samples *s,
				    struct heft_err *err);

/* What stands above the rows of a tab: "product", "app".  Never grows. */
struct heft_page_fact {
	const char *name, *text;
};
/* A point in time, in a chart.  Never grows. */
struct heft_page_build {
	const char *label, *branch, *date;
	size_t before; /* so many places before it is the one that it is compared with; 0: none */
};
/* A size over the builds: one value each.  Never grows. */
struct heft_page_series {
	const char *title;
	const double *values;
};
/* Sizes over time, and a table of what changed. */
struct heft_page_timeline {
	size_t size;                          /* sizeof(struct heft_page_timeline) */
	const struct heft_page_build *builds; /* by time */
	size_t build_count;
	const struct heft_page_series *series;
	size_t series_count;
	const struct heft_page_fact *facts;
	size_t fact_count;
	/* The caller's own: levels, measures with values now and before, texts, rows. */
	const struct heft_table *table;
};
/* A tab of a timeline that a program has found itself.  HEFT_EARG where it has no table. */
HEFT_API bool heft_page_add_timeline(struct heft_page *p, const char *title,
				     const struct heft_page_timeline *t, struct heft_err *err);

HEFT_API bool heft_page_write(struct heft_page *p, const struct heft_sink *sink,
			      struct heft_err *err);

#ifdef __cplusplus
}
#endif
#endif
