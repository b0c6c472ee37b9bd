/* heft.h - the public interface of libheft.
 *
 * libheft tells where the bytes of a native program go.  A program's bytes live
 * in two spaces: the file, and the VM image it asks for.  A data source gives
 * ranges of a space to labels; every byte of a space has exactly one owner for
 * every source, so the rows of a profile always add up to the size of the space.
 *
 *     struct heft_err err;
 *     struct heft_session *s = heft_session_new();
 *     struct heft_profile *p = heft_profile_new(s);
 *     if (p && heft_profile_add_source(p, "sections", &err) &&
 *         heft_profile_add_file(p, "/bin/ls", HEFT_INPUT, &err) &&
 *         heft_profile_run(p, &err)) {
 *             const struct heft_row *top = heft_profile_table(p)->top;
 *             for (size_t i = 0; i < top->child_count; i++)
 *                     printf("%" PRIu64 " %s\n",
 *                            top->children[i]->now[HEFT_SIZE_FILE].whole,
 *                            top->children[i]->label);
 *     }
 *     heft_profile_free(p);
 *     heft_session_free(s);
 *
 * Errors.  A function that can fail returns false, or NULL where it makes something, and fills the
 * struct heft_err given last, which may be NULL.  Oddities of the input are notes and never fail a
 * call.  The library never prints and never exits.
 *
 * Handles.  They are opaque, made by heft_X_new and freed by heft_X_free, which takes NULL.  A
 * handle that opens something is made from a session (heft/session.h): heft_X_new gives NULL where
 * there is no memory, or the session is NULL.  A handle that is made from others, or of what it is
 * given, takes a struct heft_err as well.
 *
 * Where a call runs out of memory, is cancelled by its progress function, or finds an invariant of
 * heft's own broken, its handle is *broken*: from then on it can only be freed.  Every later call
 * on it that can fail does so for the same reason, settings do nothing, and look-ups find nothing.
 * A report, a list of samples or the like that was made from a broken handle is broken as well.
 *
 * Structs.  One whose first member is `size_t size` is the caller's, who sets `size` to the sizeof
 * of the struct before it is given to a call, also to one that fills it; it may grow in later
 * versions.  A call fails with HEFT_EARG where `size` is less than the struct's first version had:
 * it was forgotten.  All others belong to the library and are only to be read.  They are handed out
 * by pointer or in lists of pointers, and may grow at their end; one that stands in a list itself
 * says that it never grows.  Where the life of a text or pointer is not stated, it is that of the
 * handle that told it.  Texts are NUL-terminated, are copied where they are given, and are never
 * NULL where the description does not say so.
 *
 * Lists.  heft_X_THING_count tells how many there are, heft_X_THING gives number i, counted from 0.
 * Past the last it returns NULL, or fails with HEFT_ENOTFOUND.
 *
 * Enumerators.  A number never changes its meaning; later versions add greater ones.  One that
 * counts the others (HEFT_CHANGES) is the count that this header knows.  Measures of a table are
 * found by their names (heft_table_measure).
 *
 * Inputs.  Calls that open something take its path.  heft_finder_add_input has a name stand for
 * bytes in memory or for an open file wherever a handle of that session is given a path.
 *
 * Threads.  Different sessions may be used by different threads at once; one session, with all
 * handles that were made from it, by one thread at a time.  A call may start workers of its own,
 * which end before it returns. */
#ifndef HEFT_H
#define HEFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define HEFT_API __attribute__((visibility("default")))
#else
#define HEFT_API
#endif

/* ---- version -------------------------------------------------------------- */

/* Of this header; heft_version tells that of the library.  Numbers of later versions are
 * greater. */
#define HEFT_VERSION_MAJOR 0
#define HEFT_VERSION_MINOR 1
#define HEFT_VERSION_PATCH 0
#define HEFT_VERSION_NUMBER                                                                        \
	(HEFT_VERSION_MAJOR * 1000000 + HEFT_VERSION_MINOR * 1000 + HEFT_VERSION_PATCH)

/* "0.1.0", and the same as HEFT_VERSION_NUMBER has it.  Static; any thread. */
HEFT_API const char *heft_version(void);
HEFT_API int heft_version_number(void);

/* ---- errors and notes ---------------------------------------------------- */

#define HEFT_NO_OFFSET UINT64_MAX

/* Why a call failed, in a word. */
enum heft_code {
	HEFT_OK = 0,
	HEFT_EIO,          /* the operating system said no; sys_errno is set */
	HEFT_EFORMAT,      /* the bytes contradict their format */
	HEFT_EUNSUPPORTED, /* a format or version heft does not read */
	HEFT_EARG,         /* the caller's mistake: unknown source, bad expression ... */
	HEFT_ELIMIT,       /* over a limit of heft's own */
	HEFT_ENOTFOUND,    /* nothing is at this address, or no element has this number */
	HEFT_ENOMEM,       /* no memory; the handle can only be freed from then on */
	HEFT_ECANCELED,    /* the progress function said so; the handle can only be freed */
	HEFT_EINTERNAL, /* an invariant of heft's own broke: a bug; the handle can only be freed */
};

/* Why a call failed.  The caller's; need not be initialised; never grows. */
struct heft_err {
	enum heft_code code;
	int sys_errno;   /* 0 unless code is HEFT_EIO */
	uint64_t offset; /* byte in the file, HEFT_NO_OFFSET where there is no one place */
	char text[400];  /* one line without newline; names the file first */
};

/* Something odd in an input that did not stop the call.  It belongs to the handle that read the
 * input; heft_session_note tells it. */
struct heft_note {
	const char *path; /* of the file, as the caller named it or heft found it */
	const char *text; /* the first one of this kind, in words */
	const char *kind; /* same pointer = same kind */
	uint64_t offset;  /* of the first one; HEFT_NO_OFFSET where there is no one place */
	uint64_t count;   /* how many of this kind in this file */
	uint64_t bytes;   /* bytes concerned, all together */
};

/* ---- output --------------------------------------------------------------- */

/* Where a call writes to.  `write` is called for each piece, in order, on the thread of the call;
 * `size` is not 0.  It returns false to stop: the call then fails with HEFT_EIO.  `ctx` is handed
 * through. A sink is borrowed for the time of the call.  Never grows. */
struct heft_sink {
	bool (*write)(void *ctx, const void *data, size_t size);
	void *ctx;
};

/* Writes to a file of the C library, which the caller opens and closes. */
HEFT_API struct heft_sink heft_sink_file(FILE *to);

/* Memory that a sink fills: `size` bytes at `data`, and a NUL after them.  Zeroed: empty, with
 * `data` NULL.  The memory is that of malloc.  Never grows. */
struct heft_buffer {
	char *data;
	size_t size, room;
};
/* Appends to a buffer, which outlives the sink.  A call fails with HEFT_EIO where there is no
 * memory for more. */
HEFT_API struct heft_sink heft_sink_buffer(struct heft_buffer *to);
/* Frees what is in a buffer, and empties it. */
HEFT_API void heft_buffer_release(struct heft_buffer *b);

/* ---- progress -------------------------------------------------------------- */

/* Asked now and then by every call on a handle of the session that it was set for, and on what was
 * made from this handle (diffs, queries, reports, samples), as long as the call may take long.
 * `what` is what the call is at, in a word or two; it holds for the time of the function.  `done`
 * and `total` count bytes of input, done <= total; total is 0 where it is not known.  `ctx` is the
 * one that was set.
 *
 * Returns true to go on.  False cancels: the call leaves nothing behind and fails with
 * HEFT_ECANCELED, and its handle can only be freed (see Handles above).
 *
 * The function is called on the thread that made the call, never on a worker.  It may be called
 * many times in a millisecond, so it should be quick, and it must not call the library. */
typedef bool (*heft_progress_fn)(void *ctx, const char *what, uint64_t done, uint64_t total);

/* ---- what there is -------------------------------------------------------- */

/* The built-in data sources.  Strings are static. */
HEFT_API size_t heft_source_count(void);
HEFT_API bool heft_source(size_t i, const char **ret_name, const char **ret_text);

/* A pass of the sources symbols, compileunits and sourcefiles: it gives bytes to their owners.
 * Passes run in the order of their numbers, and what an earlier one claims stays. */
struct heft_pass {
	size_t size;         /* sizeof(struct heft_pass) */
	const char *name;    /* "references" */
	const char *sources; /* that run it: "symbols", "compileunits, sourcefiles" */
	const char *needs;   /* names of passes that run before it, by ", "; "": none */
	const char *text;    /* which bytes it gives to whom */
};
/* Strings are static. */
HEFT_API size_t heft_pass_count(void);
HEFT_API bool heft_pass(size_t i, struct heft_pass *ret, struct heft_err *err);

/* Where the library's memory comes from.  Process-wide. */
struct heft_allocator {
	size_t size; /* sizeof(struct heft_allocator) */
	/* As realloc: gives `bytes` bytes, aligned for any type, with the contents of `p` (NULL:
	 * none), or NULL where there is no memory, which leaves `p` as it was.  bytes 0: frees `p`
	 * and returns NULL.  Called by several threads at once. */
	void *(*resize)(void *ctx, void *p, size_t bytes);
	void *ctx;
};

/* Sets the allocator (copied), NULL for that of the C library.  Before any other call of the
 * library, or while no handle exists; not for several threads at once.  HEFT_EARG for one without a
 * function.  The libraries that heft is made with (SQLite, PCRE2 ...) keep their own. */
HEFT_API bool heft_set_allocator(const struct heft_allocator *a, struct heft_err *err);

/* The path of the input file whose mapping holds the address, NULL where no open input does. Inputs
 * are mapped into memory, so the system raises SIGBUS where one becomes shorter, or cannot be read,
 * while heft works on it.  A program that wants to say so asks here, with the address of the signal
 * (si_addr), in its handler.  Async-signal-safe; any thread.  The path is valid while the input is
 * open.  Of more than 256 open inputs some are not known. */
HEFT_API const char *heft_file_at(const void *address);

#ifdef __cplusplus
}
#endif

#include "heft/session.h"
#include "heft/finder.h"
#include "heft/table.h"
#include "heft/profile.h"
#include "heft/where.h"
#include "heft/info.h"
#include "heft/blocks.h"
#include "heft/stack.h"
#include "heft/heap.h"
#include "heft/snapshot.h"
#include "heft/page.h"

#endif
