/* err.h - errors and notes.
 *
 * An error says that a call cannot do its job; the failing function fills a
 * struct heft_err (public, include/heft.h) and returns false.
 * A note says that the input is odd and that heft went on.  Notes are collected
 * per file, one record a kind, with a count and the bytes concerned.
 * struct notes may be used by several threads at once (note() takes a lock). */
#ifndef HEFT_BASE_ERR_H
#define HEFT_BASE_ERR_H

#include "base/map.h"
#include "heft.h"

#include <pthread.h>
#include <stdarg.h>

/* Fills *err (may be NULL) and returns false, so that a failing function can `return fail(err,
 * ...)`.  `off` is a byte in the file, HEFT_NO_OFFSET for none. The text names the file first.
 * Names in it may hold any bytes: those that would act on a terminal become escapes (tame.h), so it
 * stays one line. */
bool fail(struct heft_err *err, enum heft_code code, uint64_t off, const char *fmt, ...)
	PRINTF_LIKE(4, 5);

/* The same for a failed system call: appends strerror(errno). */
bool fail_sys(struct heft_err *err, const char *fmt, ...) PRINTF_LIKE(2, 3);

struct notes {
	pthread_mutex_t lock;
	struct heft_note *data;
	size_t count, cap;
	struct map map; /* data, by path and kind */
	struct {
		uint64_t *data; /* hashes of the places that note_is_first was asked about */
		size_t count, cap;
	} places;
	struct map by_place;
};

void notes_init(struct notes *n);
void notes_release(struct notes *n);

/* Records one oddity.  The first of a (path, fmt) pair keeps its text and
 * offset; later ones add to its count and bytes.  `fmt` must be a string
 * literal (its address identifies the kind).  `path` names the file (copied);
 * `n` may be NULL: then nothing happens.  The text is one line, as that of an error.  O(1). */
void note(struct notes *n, const char *path, uint64_t off, uint64_t bytes, const char *fmt, ...)
	PRINTF_LIKE(5, 6);

/* Whether this is the first question about a place in a file: what several passes find there is
 * noted by one of them.  `n` may be NULL: then it always is.  O(1). */
bool note_is_first(struct notes *n, const char *path, uint64_t place);

/* Whether there is a note of the same kind on the same file. */
bool notes_have(struct notes *n, const struct heft_note *like);

/* Adds a note as others have it, which keep theirs. */
void note_copy(struct notes *n, const struct heft_note *from);

/* Adds the notes of `more`, which loses them, to those of n: as if they had been made there. */
void notes_append(struct notes *n, struct notes *more);

#endif
