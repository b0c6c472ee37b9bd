/* session.h - part of heft.h: settings that all handles share. */
#ifndef HEFT_H
#include "heft.h" /* heft.h includes this file. */
#elif !defined(HEFT_PART_SESSION_H)
#define HEFT_PART_SESSION_H

#ifdef __cplusplus
extern "C" {
#endif

/* A session holds settings: where files are searched, how names are shown, the number of threads,
 * and the progress function. It also collects notes about odd inputs. Each handle that opens files
 * is created from a session.
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
 * A handle uses the settings that its session has when the handle first opens or reads a file.
 * Later settings do not affect the handle. A session may be freed before its handles; it is kept
 * until they are freed.
 *
 * Only one thread at a time may use a session and the handles created from it. Another thread needs
 * a copy (heft_session_copy). */
struct heft_session;

/* Creates a session. NULL only if there is no memory. Free the session with heft_session_free(),
 * which accepts NULL. */
HEFT_API struct heft_session *heft_session_new(void);
/* Creates a session with the same settings and inputs, without notes. NULL if there is no memory,
 * or if `from` is NULL or broken. */
HEFT_API struct heft_session *heft_session_copy(const struct heft_session *from);
HEFT_API void heft_session_free(struct heft_session *s);

/* Returns the settings that locate the files of programs (heft/finder.h). They belong to the
 * session. NULL if the session is NULL. */
struct heft_finder;
HEFT_API struct heft_finder *heft_session_finder(struct heft_session *s);

/* How names of symbols and functions are shown. */
enum heft_demangle {
	HEFT_NAMES_RAW,   /* Linkage names. */
	HEFT_NAMES_SHORT, /* Without parameters, template arguments and clone suffixes. */
	HEFT_NAMES_FULL,
	/* Short in rows. Full in look-ups of functions (where, blocks, stack). */
	HEFT_NAMES_AUTO,
};
/* Sets how names are shown. Default: HEFT_NAMES_AUTO. Has no effect on data sources with a style of
 * their own, such as "rawsymbols" and "fullsymbols". */
HEFT_API void heft_session_set_demangle(struct heft_session *s, enum heft_demangle style);

/* Sets the number of threads, which never changes a result. 0 (default): one per processor. */
HEFT_API void heft_session_set_threads(struct heft_session *s, unsigned threads);

/* Sets whether inputs are read completely into memory. False (default): inputs are mapped, so only
 * the used parts take memory. But the system sends SIGBUS (heft_file_at) if a mapped file becomes
 * shorter, or its disk fails, while heft reads it. True: opening such a file fails with HEFT_EIO,
 * and later changes of the file have no effect. Servers should set this. */
HEFT_API void heft_session_set_copying(struct heft_session *s, bool copies);

/* Sets the progress function of later calls on all handles of the session; see heft_progress_fn.
 * NULL (default) for none. */
HEFT_API void heft_session_set_progress(struct heft_session *s, heft_progress_fn progress,
					void *ctx);

/* Returns the number of notes about the inputs of the existing handles. Notes are sorted by the age
 * of their handles. Notes of one kind about one file are one note. A note is freed with its handle.
 * A pointer to a note is valid until the next call on a handle of the session. */
HEFT_API size_t heft_session_note_count(struct heft_session *s);
/* Returns note `i`. NULL past the last one. */
HEFT_API const struct heft_note *heft_session_note(struct heft_session *s, size_t i);

#ifdef __cplusplus
}
#endif
#endif
