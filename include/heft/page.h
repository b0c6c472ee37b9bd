/* page.h - part of heft.h: writes reports as one HTML file. */
#ifndef HEFT_H
#include "heft.h" /* heft.h includes this file. */
#elif !defined(HEFT_PART_PAGE_H)
#define HEFT_PART_PAGE_H

#ifdef __cplusplus
extern "C" {
#endif

/* Makes one HTML file with the rows of several reports, one tab per report. A browser shows it
 * offline as treemap, flame graph or table. The reader can group and filter the rows.
 *
 *     struct heft_page *page = heft_page_new(session);
 *     if (page && heft_page_add_profile(page, "a.out", profile, &err))
 *             heft_page_write(page, &sink, &err);
 *     heft_page_free(page);
 *
 * The page copies the data that is added, so the profile may be freed. One thread per handle. */
struct heft_page;

/* Creates a page. NULL if memory runs out. Free it with heft_page_free(), which accepts NULL. */
HEFT_API struct heft_page *heft_page_new(struct heft_session *s);
HEFT_API void heft_page_free(struct heft_page *p);

/* Kinds of files. heft_input_look() finds the kind by the first bytes of the file. `path` may be
 * the name of an added input. */
enum heft_input_kind {
	HEFT_INPUT_PROGRAM, /* A program, for a profile. Also any unknown file. */
	HEFT_INPUT_LIST,    /* A .size file, a zip file, a dex file or a data pack: for a
			     * snapshot. */
	HEFT_INPUT_LISTS,   /* A .sizediff file. */
	HEFT_INPUT_DUMP,    /* A core, or a file of the heap recorder. */
	HEFT_INPUT_SAMPLES, /* A file of perf record: for heft_samples_new(), with a program. */
	HEFT_INPUT_HISTORY, /* A SQLite file, or a URL postgresql://...: for heft history. */
};
HEFT_API bool heft_input_look(const struct heft_session *s, const char *path,
			      enum heft_input_kind *ret, struct heft_err *err);

/* Each of the functions below adds a tab. `title` is its name. */
/* Adds a profile that has run, with all rows: it must have no row limit, and includes unchanged
 * rows. The reader can group the rows by the profile's sources. The page shows more if the last
 * source is symbols and the run had HEFT_PROFILE_RANGES: the symbols that refer to each symbol, the
 * texts in its data, and copies of it in the program. With HEFT_PROFILE_KEEPERS, also what keeps it
 * in the program, and the shortest chain of references to it. */
HEFT_API bool heft_page_add_profile(struct heft_page *p, const char *title,
				    struct heft_profile *profile, struct heft_err *err);
/* Adds a profile like heft_page_add_profile(), with the code of functions. The last source must be
 * symbols, and the run must have had HEFT_PROFILE_RANGES.
 *
 * For one program, shows its instructions per basic block, like heft_blocks_disassemble(). `blocks`
 * must have the same file open. `samples` (may be NULL) adds how often each block ran. For a
 * profile with bases, shows changed instructions of functions whose size changed; `blocks` may be
 * NULL.
 *
 * A page has at most 512 KiB of code. The functions that ran most come first, then the largest
 * ones; in a diff, those whose size changed most. Limit per function: 16 KiB; in a diff, 2 KiB
 * before and after. The page states how many functions it shows. HEFT_EUNSUPPORTED if heft was
 * built without a disassembler. */
struct heft_samples;
HEFT_API bool heft_page_add_profile_code(struct heft_page *p, const char *title,
					 struct heft_profile *profile, struct heft_blocks *blocks,
					 struct heft_samples *samples, struct heft_err *err);
/* Adds the symbols of a snapshot. With `before`, or for a .sizediff file, adds the changes. */
HEFT_API bool heft_page_add_snapshot(struct heft_page *p, const char *title,
				     const struct heft_snapshot *before,
				     const struct heft_snapshot *after, struct heft_err *err);
/* Adds the call stacks of a heap. With `base`, adds the changes from `base` to `heap`. */
HEFT_API bool heft_page_add_heap(struct heft_page *p, const char *title, struct heft_heap *heap,
				 struct heft_heap *base, struct heft_err *err);
/* Adds the functions and basic blocks that ran, with their counts. */
HEFT_API bool heft_page_add_samples(struct heft_page *p, const char *title, struct heft_samples *s,
				    struct heft_err *err);

/* A fact shown above the rows of a tab: "product" with the value "app". This struct never grows. */
struct heft_page_fact {
	const char *name, *text;
};
/* A build, which is a point in time of a chart. This struct never grows. */
struct heft_page_build {
	const char *label, *branch, *date;
	size_t before; /* The base of this build is the build this many places earlier. 0 if
		        * there is none. */
};
/* A size over time: one value per build. This struct never grows. */
struct heft_page_series {
	const char *title;
	const double *values;
};
/* Sizes over time, and a table of changes. */
struct heft_page_timeline {
	size_t size;                          /* Set to sizeof(struct heft_page_timeline). */
	const struct heft_page_build *builds; /* Builds, sorted by time. */
	size_t build_count;
	const struct heft_page_series *series;
	size_t series_count;
	const struct heft_page_fact *facts;
	size_t fact_count;
	/* Table of changes. The caller sets its levels, measures, texts and rows with values now
	 * and before. */
	const struct heft_table *table;
};
/* Adds a tab with a timeline that the caller computed. HEFT_EARG if it has no table. */
HEFT_API bool heft_page_add_timeline(struct heft_page *p, const char *title,
				     const struct heft_page_timeline *t, struct heft_err *err);

HEFT_API bool heft_page_write(struct heft_page *p, const struct heft_sink *sink,
			      struct heft_err *err);

#ifdef __cplusplus
}
#endif
#endif
