/* session.h - part of heft.h: settings that all handles share. */
#ifndef HEFT_H
#include "heft.h" /* heft.h includes this file. */
#elif !defined(HEFT_PART_SESSION_H)
#define HEFT_PART_SESSION_H

#ifdef __cplusplus
extern "C" {
#endif

/* A session holds the settings: how programs are found, how names are shown, how many threads work,
 * and which function gets the progress. It also collects notes about oddities of the inputs. Each
 * handle that opens something is made from a session.
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
 * A handle takes the settings of its session when it first opens or reads something. Later settings
 * count for other handles. A session lives as long as a handle that was made from it, so it may be
 * freed first.
 *
 * A session and all handles made from it are used by one thread at a time. Another thread needs a
 * copy (heft_session_copy). */
struct heft_session;

/* Makes a session. NULL only if there is no memory. Free the session with heft_session_free().
 * heft_session_free(NULL) does nothing. */
HEFT_API struct heft_session *heft_session_new(void);
/* Makes a session with the same settings and inputs, without notes. NULL if there is no memory, or
 * if `from` is NULL or broken. */
HEFT_API struct heft_session *heft_session_copy(const struct heft_session *from);
HEFT_API void heft_session_free(struct heft_session *s);

/* Returns the settings that say how parts of programs are found (heft/finder.h). The settings
 * belong to the session. NULL if the session is NULL. */
struct heft_finder;
HEFT_API struct heft_finder *heft_session_finder(struct heft_session *s);

/* How names of symbols and functions are shown. */
enum heft_demangle {
	HEFT_NAMES_RAW,   /* Linkage names. */
	HEFT_NAMES_SHORT, /* Without parameters, template arguments and clone suffixes. */
	HEFT_NAMES_FULL,
	/* Short in rows. Full if functions are looked up (where, blocks, stack). */
	HEFT_NAMES_AUTO,
};
/* Sets the style of names; HEFT_NAMES_AUTO by default. A data source that names a style keeps its
 * own style. */
HEFT_API void heft_session_set_demangle(struct heft_session *s, enum heft_demangle style);

/* Sets the number of threads; 0 (default) means one per processor. Never changes a result. */
HEFT_API void heft_session_set_threads(struct heft_session *s, unsigned threads);

/* Sets whether inputs are read into memory as a whole. False (default): inputs are mapped, so that
 * only what is read takes memory. But if a mapped file becomes shorter, or its disk fails, while
 * heft works on it, the system raises SIGBUS (heft_file_at). True: opening such a file fails with
 * HEFT_EIO, and later changes of the file have no effect. Servers want true. */
HEFT_API void heft_session_set_copying(struct heft_session *s, bool copies);

/* Sets the function that long calls on all handles of the session call from now on; see
 * heft_progress_fn. NULL (default) calls nothing. */
HEFT_API void heft_session_set_progress(struct heft_session *s, heft_progress_fn progress,
					void *ctx);

/* Returns the number of notes. Notes are about the inputs of the living handles, in the order in
 * which the handles were made. Several notes of one kind about one file count once. A note is freed
 * with its handle. A pointer to a note is valid until the next call on a handle of the session. */
HEFT_API size_t heft_session_note_count(struct heft_session *s);
/* Returns note `i`. NULL past the last. */
HEFT_API const struct heft_note *heft_session_note(struct heft_session *s, size_t i);

#ifdef __cplusplus
}
#endif
#endif
