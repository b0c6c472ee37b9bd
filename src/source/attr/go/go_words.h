/* go_words.h - which numbers in the code and the data of a Go program are addresses.
 *
 * Go's linker leaves no relocations in a program at a fixed place, but its compilers make addresses
 * in few ways: a program that is linked at two addresses shows which.
 *
 * Borrows from the image and the table.  Read-only once read: any number of threads. */
#ifndef HEFT_SOURCE_ATTR_GO_GO_WORDS_H
#define HEFT_SOURCE_ATTR_GO_GO_WORDS_H

#include "code/code.h"
#include "program/go_table.h"
#include "source/attr/go/go_mask.h"

/* Zeroed: no program of Go's. */
struct go_words {
	const struct image *im;
	const struct go_table *table; /* or NULL */
	struct go_range code;         /* what go_words_judge is about: from Go 1.16 on */
	struct go_mask mask;
};

/* `table` is that of the image, or NULL.  Time and memory as go_mask_read. */
void go_words_read(struct go_words *w, const struct image *im, const struct go_table *table);
void go_words_release(struct go_words *w);

static inline bool go_words_is_code(const struct go_words *w, uint64_t addr)
{
	return addr >= w->code.start && addr < w->code.end;
}

enum go_ref {
	GO_ADDRESS,
	GO_NUMBER, /* it looks like an address */
	GO_EITHER, /* nothing tells which of both */
};

/* Says what a reference in Go's code is; go_words_is_code has to be true of ref->from. */
enum go_ref go_words_judge(const struct go_words *w, const struct code_ref *ref);

/* Whether the word at `place`, which holds `target`, is a number that looks like an address.
 * `place_written` and `target_written` say whether the sections there can be written to.  To be
 * asked of programs of Go's alone, and of words that the mask does not know. */
bool go_words_no_address(const struct go_words *w, uint64_t place, bool place_written,
			 uint64_t target, bool target_written);

#endif
