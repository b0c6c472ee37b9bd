/* err.h - makes errors and notes.
 *
 * An error means that a call cannot do its job. The failing function fills a struct heft_err
 * (heft.h) and returns false. A note means that the input is odd but heft continued. There is one
 * note per file and kind, with its count and the number of affected bytes. Several threads may use
 * struct notes at once (note() takes a lock). */
#pragma once

#include "base/map.h"
#include "heft.h"

#include <pthread.h>
#include <stdarg.h>

/* Fills *err (may be NULL) and returns false, so that a function can `return fail(err, ...)`. `off`
 * is an offset in the file, or HEFT_NO_OFFSET. The text must begin with the file name. Control
 * characters in names become escapes (tame.h), so that the text stays one line. */
bool fail(struct heft_err *err, enum heft_code code, uint64_t off, const char *fmt, ...)
	PRINTF_LIKE(4, 5);

/* Like fail(), for a failed system call: appends strerror(errno). */
bool fail_sys(struct heft_err *err, const char *fmt, ...) PRINTF_LIKE(2, 3);

struct notes {
	pthread_mutex_t lock;
	struct heft_note *data;
	size_t count, cap;
	struct map map; /* Key: path and kind of a note. Value: its index in `data` */
	struct {
		uint64_t *data; /* Hashes of the places given to note_is_first() */
		size_t count, cap;
	} places;
	struct map by_place;
};

void notes_init(struct notes *n);
void notes_release(struct notes *n);

/* Records a note. A kind of note is a file and a literal `fmt` (its address). The first note of a
 * kind keeps its text and offset. Later ones add to its count and bytes. `path` names the file
 * (copied). Does nothing if `n` is NULL. The text is one line, like that of an error. O(1). */
void note(struct notes *n, const char *path, uint64_t off, uint64_t bytes, const char *fmt, ...)
	PRINTF_LIKE(5, 6);

/* True if this is the first call for a place in a file. If several passes read the file, only the
 * first one notes the place. Always true if `n` is NULL. O(1). */
bool note_is_first(struct notes *n, const char *path, uint64_t place);

/* True if there is a note of the same kind on the same file. */
bool notes_have(struct notes *n, const struct heft_note *like);

void note_copy(struct notes *n, const struct heft_note *from);

void notes_append(struct notes *n, struct notes *more);
