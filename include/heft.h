/* heft.h - the public interface of libheft.
 *
 * libheft measures which parts of a native program its bytes belong to. A program has two address
 * spaces: its file, and the VM image that the file describes. A data source, such as "sections",
 * assigns ranges of a space to labels. Each byte of a space has exactly one label per source, so
 * the rows of a profile add up to the size of the space.
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
 *                            top->children[i]->now[HEFT_SIZE_FILE],
 *                            top->children[i]->label);
 *     }
 *     heft_profile_free(p);
 *     heft_session_free(s);
 *
 * Errors. A function that can fail returns false, or NULL if it creates an object. It fills the
 * struct heft_err that is its last argument and may be NULL. Odd inputs cause notes; a note never
 * makes a call fail. The library never prints and never exits.
 *
 * Handles. Handles are opaque. heft_X_new creates a handle, heft_X_free frees it and accepts NULL.
 * A handle that opens files is created from a session (heft/session.h): heft_X_new returns NULL if
 * there is no memory or if the session is NULL. If a handle is created from other handles or from
 * data, heft_X_new also takes a struct heft_err.
 *
 * A handle becomes *broken* if a call on it runs out of memory, is cancelled by its progress
 * function, or finds an invariant of heft broken. A broken handle can only be freed. Every later
 * call on it that can fail does so for the same reason. Settings do nothing, and look-ups find
 * nothing. Objects created from a broken handle, such as reports and samples, are broken too.
 *
 * Structs. A struct whose first member is `size_t size` belongs to the caller, who sets `size` to
 * the sizeof of the struct before each call with it. Such a struct may grow in later versions. A
 * call fails with HEFT_EARG if `size` is less than in the first version of the struct, because the
 * caller did not set it. All other structs belong to the library and may only be read. They are
 * returned by pointer and may grow at their end, unless their description says that they never
 * grow.
 *
 * Texts and pointers. Unless stated otherwise, they are valid until the handle that returned them
 * is freed. Texts are NUL-terminated and never NULL, unless the description says so. Texts that the
 * caller gives are copied.
 *
 * Lists. heft_X_THING_count returns the number of elements, heft_X_THING returns element i, counted
 * from 0. After the last element it returns NULL, or fails with HEFT_ENOTFOUND.
 *
 * Enumerators. A number never changes its meaning; later versions add greater numbers. An
 * enumerator like HEFT_CHANGES is the number of enumerators in this version. heft_table_measure()
 * finds the measures of a table by name.
 *
 * Inputs. Calls that open a file take its path. heft_finder_add_input() defines a name for bytes in
 * memory or for an open file. Handles of that session accept the name instead of a path.
 *
 * Threads. Several threads may use different sessions at once. Only one thread at a time may use a
 * session and the handles created from it. A call may start threads, which end before the call
 * returns. */
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

/* ---- version of the library ----------------------------------------------- */

/* Version of this header. heft_version() returns the version of the library. Later versions have
 * greater numbers. */
#define HEFT_VERSION_MAJOR 1
#define HEFT_VERSION_MINOR 0
#define HEFT_VERSION_PATCH 0
#define HEFT_VERSION_NUMBER                                                                        \
	(HEFT_VERSION_MAJOR * 1000000 + HEFT_VERSION_MINOR * 1000 + HEFT_VERSION_PATCH)

/* Return the library's version: as text ("1.0.0"), and as a number like HEFT_VERSION_NUMBER. The
 * text is static. Thread-safe. */
HEFT_API const char *heft_version(void);
HEFT_API int heft_version_number(void);

/* ---- errors and notes ---------------------------------------------------- */

#define HEFT_NO_OFFSET UINT64_MAX

/* Reasons why a call failed. */
enum heft_code {
	HEFT_OK = 0,
	HEFT_EIO,          /* The operating system reported an error. sys_errno is set. */
	HEFT_EFORMAT,      /* The input violates its format. */
	HEFT_EUNSUPPORTED, /* Heft does not read this format or version. */
	HEFT_EARG,         /* Mistake of the caller, such as an unknown source. */
	HEFT_ELIMIT,       /* A limit of heft was exceeded. */
	HEFT_ENOTFOUND,    /* Nothing is at this address, or no element has this number. */
	HEFT_ENOMEM,       /* Memory ran out. The handle can only be freed now. */
	HEFT_ECANCELED,    /* The progress function cancelled the call. The handle can only be
			    * freed now. */
	HEFT_EINTERNAL,    /* Heft has a bug: one of its invariants is broken. The handle can only
			    * be freed now. */
};

/* Describes why a call failed. Belongs to the caller, who need not initialise it. This struct
 * never grows. */
struct heft_err {
	enum heft_code code;
	int sys_errno;   /* Value of errno. 0 unless code is HEFT_EIO. */
	uint64_t offset; /* Byte offset in the file. HEFT_NO_OFFSET if there is none. */
	char text[400];  /* One line without a newline. Names the file first. */
};

/* A note: an input is odd, but the call continued. heft_session_note() returns it. It belongs to
 * the handle that read the input. */
struct heft_note {
	const char *path; /* Path of the file, as the caller named it or as heft found it. */
	const char *text; /* Text of the first note of this kind. */
	const char *kind; /* Kind of the note. Equal pointers mean equal kinds. */
	uint64_t offset;  /* Offset of the first note of this kind. HEFT_NO_OFFSET if none. */
	uint64_t count;   /* Number of notes of this kind in this file. */
	uint64_t bytes;   /* Total number of bytes that these notes are about. */
};

/* ---- output: receivers of written text ------------------------------------ */

/* Receives the output of a call. `write` is called for each piece, in order, on the thread of the
 * call. `size` is never 0. `write` returns false to stop: the call then fails with HEFT_EIO. `ctx`
 * is passed to `write`. A sink is borrowed during the call. This struct never grows. */
struct heft_sink {
	bool (*write)(void *ctx, const void *data, size_t size);
	void *ctx;
};

/* Returns a sink that writes to a file of the C library. The caller opens and closes the file. */
HEFT_API struct heft_sink heft_sink_file(FILE *to);

/* Memory that a sink fills: `size` bytes at `data`, and a NUL after them. `room` is the number of
 * allocated bytes. An empty buffer is all zero, with `data` NULL. The memory is malloc'ed. This
 * struct never grows. */
struct heft_buffer {
	char *data;
	size_t size, room;
};
/* Returns a sink that appends to a buffer. The buffer must live longer than the sink. A call fails
 * with HEFT_EIO if there is no memory for more bytes. */
HEFT_API struct heft_sink heft_sink_buffer(struct heft_buffer *to);
/* Frees the contents of a buffer and empties it. */
HEFT_API void heft_buffer_release(struct heft_buffer *b);

/* ---- progress of a long call ---------------------------------------------- */

/* Function that long calls call now and then. It serves all handles of the session that it was set
 * for, and all objects created from them (diffs, queries, reports, samples). `what` describes the
 * current work in a word or two; it is valid during the function. `done` and `total` count bytes of
 * input, done <= total; `total` is 0 if unknown. `ctx` is the pointer that was set.
 *
 * Returns true to continue. False cancels the call, which then fails with HEFT_ECANCELED and leaves
 * no file behind. Its handle can only be freed then (see Handles above).
 *
 * The function is called on the thread that made the call, never on a worker thread. It must be
 * quick, because it may be called many times per millisecond. It must not call the library. */
typedef bool (*heft_progress_fn)(void *ctx, const char *what, uint64_t done, uint64_t total);

/* ---- lists of sources and passes, and the allocator ----------------------- */

/* Return the number of built-in data sources, and the name and description of source `i`. Strings
 * are static. */
HEFT_API size_t heft_source_count(void);
HEFT_API bool heft_source(size_t i, const char **ret_name, const char **ret_text);

/* A pass of the data sources symbols, compileunits and sourcefiles. A pass assigns bytes to their
 * owners. Passes run in the order of their numbers. A later pass never changes the owner that an
 * earlier one assigned. */
struct heft_pass {
	size_t size;         /* Set to sizeof(struct heft_pass). */
	const char *name;    /* Name of the pass: "references". */
	const char *sources; /* Data sources that run it: "symbols", "compileunits, sourcefiles". */
	const char *needs;   /* Passes that must run before it, separated by ", ". "" if none. */
	const char *text;    /* Describes which bytes it assigns to which owner. */
};
/* Return the number of passes, and pass `i`. Strings are static. */
HEFT_API size_t heft_pass_count(void);
HEFT_API bool heft_pass(size_t i, struct heft_pass *ret, struct heft_err *err);

/* Allocator for all memory of the library. Process-wide. */
struct heft_allocator {
	size_t size; /* Set to sizeof(struct heft_allocator). */
	/* Works like realloc: returns `bytes` bytes, aligned for any type, with the contents of `p`
	 * (may be NULL). Returns NULL if memory runs out, and leaves `p` unchanged. If `bytes` is
	 * 0, frees `p` and returns NULL. Several threads call it at once. */
	void *(*resize)(void *ctx, void *p, size_t bytes);
	void *ctx;
};

/* Sets the allocator (copied). NULL restores the C library's. Call it before any other call of the
 * library, or while no handle exists, from one thread at a time. HEFT_EARG if `resize` is NULL.
 * Libraries inside heft (SQLite, PCRE2 ...) keep their own allocators. */
HEFT_API bool heft_set_allocator(const struct heft_allocator *a, struct heft_err *err);

/* Returns the path of the input file that is mapped at `address`. NULL if there is none. Inputs are
 * mapped into memory. If a file becomes shorter or unreadable while heft reads it, the system sends
 * SIGBUS. heft_session_set_copying() prevents this. A signal handler can pass the signal's address
 * (si_addr) to report the file. Async-signal-safe; thread-safe. The path is valid while the input
 * is open. Knows at most 256 open inputs. */
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
#include "heft/graph.h"
#include "heft/heap.h"
#include "heft/snapshot.h"
#include "heft/advice.h"
#include "heft/page.h"

#endif
