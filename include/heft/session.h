/* session.h - part of heft.h: what all work has in common, said once. */
#ifndef HEFT_H
#include "heft.h" /* which includes this file in its turn */
#elif !defined(HEFT_PART_SESSION_H)
#define HEFT_PART_SESSION_H

#ifdef __cplusplus
extern "C" {
#endif

/* A session says once how programs are found, how names are shown, how many threads work, and who
 * is told of progress; it tells what was odd in the inputs.  Each handle that opens something is
 * made from a session.
 *
 *     struct heft_session *s = heft_session_new();
 *     struct heft_where *w = s ? heft_where_new(s) : NULL;
 *     if (w) {
 *             heft_finder_add_debug_dir(heft_session_finder(s), "/srv/debug");
 *             ok = heft_where_open(w, "a.out", &err);
 *     }
 *     heft_where_free(w);
 *     heft_session_free(s);
 *
 * A handle takes the settings of its session when it first opens or reads something.  What is set
 * afterwards counts for other handles.  A session lives as long as a handle that was made from it,
 * so it may be freed first.
 *
 * A session and all handles that were made from it are used by one thread at a time.  Another
 * thread takes a copy (heft_session_copy). */
struct heft_session;

/* NULL only where there is no memory.  Free with heft_session_free; NULL is fine there. */
HEFT_API struct heft_session *heft_session_new(void);
/* A session with the same settings and inputs, without notes.  NULL where there is no memory, or
 * `from` is NULL or broken. */
HEFT_API struct heft_session *heft_session_copy(const struct heft_session *from);
HEFT_API void heft_session_free(struct heft_session *s);

/* How what belongs to programs is found (heft/finder.h).  It belongs to the session; NULL for a
 * session that is NULL. */
struct heft_finder;
HEFT_API struct heft_finder *heft_session_finder(struct heft_session *s);

/* How names of symbols and functions are shown. */
enum heft_demangle {
	HEFT_NAMES_RAW,   /* as the linker sees them */
	HEFT_NAMES_SHORT, /* without parameters, template arguments and clone suffixes */
	HEFT_NAMES_FULL,
	/* Short in rows; full where functions are looked up (where, blocks, stack). */
	HEFT_NAMES_AUTO,
};
/* HEFT_NAMES_AUTO unless set.  A data source that names a style keeps to it. */
HEFT_API void heft_session_set_demangle(struct heft_session *s, enum heft_demangle style);

/* Threads to use, 0 (default): one a processor.  Never changes a result. */
HEFT_API void heft_session_set_threads(struct heft_session *s, unsigned threads);

/* Asks `progress` in long calls on all handles of the session, from now on; see heft_progress_fn.
 * NULL (default): nobody is asked. */
HEFT_API void heft_session_set_progress(struct heft_session *s, heft_progress_fn progress,
					void *ctx);

/* What was odd in the inputs of the handles that there are, in the order in which these were made.
 * A note of one kind on one file is told once.  A note goes with its handle; a pointer to one holds
 * until the next call on a handle of the session. */
HEFT_API size_t heft_session_note_count(struct heft_session *s);
/* NULL past the last. */
HEFT_API const struct heft_note *heft_session_note(struct heft_session *s, size_t i);

#ifdef __cplusplus
}
#endif
#endif
