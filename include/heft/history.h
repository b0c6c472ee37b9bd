/* history.h - part of heft.h: builds of programs, kept over time. */
#ifndef HEFT_H
#include "heft.h" /* which includes this file in its turn */
#elif !defined(HEFT_PART_HISTORY_H)
#define HEFT_PART_HISTORY_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- histories -------------------------------------------------------------- */

/* Snapshots of the builds of a product, each with its commit and time, in a file of SQLite or a
 * database of PostgreSQL or ClickHouse, whose tables docs/history.md describes.  A build costs what
 * it changed, and is read back as it was added.
 *
 *     struct heft_history *h = heft_history_open("history.db", HEFT_HISTORY_WRITE, &err);
 *     struct heft_build facts = { .size = sizeof facts, .product = "app", .commit = "1a2b3c" };
 *     if (h && heft_history_add(h, snapshot, &facts, NULL, &err))
 *             heft_history_write(h, HEFT_HISTORY_LOG, NULL, NULL, &sink, &err);
 *     heft_history_free(h);
 *
 * Any number of processes may use one history at once: what is added is there as a whole or not at
 * all, and writers wait for each other, a minute at most.  After a failure of heft_history_add or
 * heft_history_remove the handle can only be freed, and the history is as it was before. */
struct heft_history;

enum heft_history_flag {
	/* Builds may be added and removed; the file is made where there is none. */
	HEFT_HISTORY_WRITE = 1 << 0,
	/* Where another process writes, opening and changing fail at once, and do not wait. */
	HEFT_HISTORY_NO_WAIT = 1 << 1,
};
/* `store` is a file, postgresql://[USER@]HOST[:PORT]/DATABASE (libpq's form; the password comes
 * from ~/.pgpass) or clickhouse://[USER@]HOST[:PORT]/DATABASE (from ~/.netrc).  `flags` are bits of
 * enum heft_history_flag.  NULL on failure: HEFT_EFORMAT where it is no history or damaged,
 * HEFT_EUNSUPPORTED where a later heft made it, or this one was built without the engine, HEFT_EIO
 * where it cannot be opened, is locked, its server is away, or the disk is full, HEFT_EARG where
 * the address has a password in it. */
HEFT_API struct heft_history *heft_history_open(const char *store, unsigned flags,
						struct heft_err *err);
HEFT_API void heft_history_free(struct heft_history *h);

/* A number that was measured of a build beside its symbols.  Never grows. */
struct heft_history_row {
	const char *source; /* "regions", "libraries", "budgets", "heap" */
	const char *kind;   /* what is counted: "file", "vm", "used", "limit", "live_bytes" */
	const char *label;  /* "FLASH"; of several levels with " > " between: "FLASH > libm.a" */
	double value;
};

/* What is known of a build.  NULL in what is given to heft_history_add is "". */
struct heft_build {
	size_t size;   /* sizeof(struct heft_build) */
	uint64_t id;   /* its number in the history, from 1; set by the history */
	int64_t time;  /* of the commit: seconds since 1970, UTC */
	uint64_t file; /* bytes of the file; set by the history, as are the next two */
	uint64_t vm;   /* bytes of the VM image; 0 in files of SuperSize, which do not tell it */
	uint64_t symbols;
	const char *product, *config; /* builds of the same two are compared */
	const char *commit;           /* not empty; with these two it names the build */
	const char *parent;           /* the commit before it; "": not known */
	const char *branch, *machine;
	/* Only given: rows beside the symbols.  Of a source that none of them has nothing is said,
	 * and the build counts as unchanged there. */
	const struct heft_history_row *rows;
	size_t row_count;
};

/* The second since 1970 that a text names: "2026-11-23", "2026-11-23T18:00" (UTC) or "@SECONDS". */
HEFT_API bool heft_history_parse_time(const char *text, int64_t *ret, struct heft_err *err);

/* What became of a build that was added. */
enum heft_history_outcome {
	HEFT_HISTORY_ADDED,
	/* It is there already, and holds the same. */
	HEFT_HISTORY_SAME,
	/* It was there and held something else, which is gone. */
	HEFT_HISTORY_REPLACED,
};
/* Adds a snapshot that is open, and no difference.  `ret` may be NULL. */
HEFT_API bool heft_history_add(struct heft_history *h, const struct heft_snapshot *s,
			       const struct heft_build *facts, enum heft_history_outcome *ret,
			       struct heft_err *err);

/* Takes builds out, by id; the others stay as they were.  The file becomes smaller. */
HEFT_API bool heft_history_remove(struct heft_history *h, const uint64_t *ids, size_t count,
				  struct heft_err *err);

/* Which builds count, and what is asked about them.  Zeroed but for `size`: all. */
struct heft_history_query {
	size_t size;                           /* sizeof(struct heft_history_query) */
	const char *product, *config, *branch; /* NULL: any */
	/* What is measured.  "file" (default), "vm", or the name of a
	 * section, source, object, component or symbol, with the kind in front where several are
	 * called so: "symbol:main".  A source or object that ends in '/': all below it.  Of rows
	 * that were given the label, or "SOURCE:LABEL" or "SOURCE.KIND:LABEL".  Of
	 * HEFT_HISTORY_ROWS a source.  The log has "file" unless told otherwise. */
	const char *of;
	const char *from, *to; /* HEFT_HISTORY_BISECT and _ROWS: words for builds */
	uint64_t limit;        /* HEFT_HISTORY_TREND: bytes that are to be reached; 0: none */
};

/* The builds that a query lets through, by time; they hold until the next call that takes a query,
 * or changes the history.  `query` may be NULL.  False only where the call was given up. */
HEFT_API bool heft_history_select(struct heft_history *h, const struct heft_history_query *query,
				  struct heft_err *err);
/* Of the last heft_history_select; all of them before the first. */
HEFT_API size_t heft_history_build_count(const struct heft_history *h);
HEFT_API bool heft_history_build(const struct heft_history *h, size_t i, struct heft_build *ret);
/* The place in this list of the build that a word names: "latest", "first", a commit or four
 * characters of its start, "#ID", a branch (its latest build), a date, "2026-11-23" or
 * "2026-11-23T18:00" (UTC; the latest build until then); "~N" behind it: the N-th before that.
 * HEFT_ENOTFOUND where there is none, HEFT_EARG where it may be several. */
HEFT_API bool heft_history_find(const struct heft_history *h, const char *word, size_t *ret,
				struct heft_err *err);

/* Opens the snapshot of a build by its id; `into` is a handle that has not opened anything. */
HEFT_API bool heft_history_read(struct heft_history *h, uint64_t id, struct heft_snapshot *into,
				struct heft_err *err);

/* What can be told about builds. */
enum heft_history_report {
	HEFT_HISTORY_LOG, /* a row a build, the latest first */
	/* A row a symbol that a build changed, by build; for other tools. */
	HEFT_HISTORY_CHANGES,
	HEFT_HISTORY_BLAME,  /* a row a build that changed it, the latest first */
	HEFT_HISTORY_BISECT, /* the steps from one build to another, the largest first */
	HEFT_HISTORY_TREND,  /* slope and forecast; then a row a change of level */
	/* A row for each of a source that differs from one build to another, by falling change. */
	HEFT_HISTORY_ROWS,
};
/* Writes a report; `query` and `opts` may be NULL.  The formats are those of heft_query_run. */
HEFT_API bool heft_history_write(struct heft_history *h, enum heft_history_report what,
				 const struct heft_history_query *query,
				 const struct heft_query_opts *opts, const struct heft_sink *sink,
				 struct heft_err *err);

/* The sizes of what query.of names, one for each build that the query lets through, in their order:
 * `count` of them at most into `ret`.  HEFT_ENOTFOUND where no build has anything of the name. */
HEFT_API bool heft_history_values(struct heft_history *h, const struct heft_history_query *query,
				  double *ret, size_t count, struct heft_err *err);

/* A change from one build to the next. */
struct heft_step {
	size_t size;            /* sizeof(struct heft_step) */
	uint64_t before, build; /* ids; before 0: there is none */
	double was, now;        /* bytes; parts where several names share them */
	/* The parent of the build is another commit than that of the one before: commits between
	 * the two may not have been built. */
	bool apart;
};
/* The rows of the last report of HEFT_HISTORY_BLAME or HEFT_HISTORY_BISECT. */
HEFT_API size_t heft_history_step_count(const struct heft_history *h);
HEFT_API bool heft_history_step(const struct heft_history *h, size_t i, struct heft_step *ret);

#ifdef __cplusplus
}
#endif
#endif
