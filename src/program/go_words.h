/* go_words.h - distinguishes addresses from numbers in the code and data of a Go program.
 *
 * Go's linker writes no relocations into a program at a fixed address. But its compilers make
 * addresses in few ways, which were found by linking a program at two addresses.
 *
 * The results borrow from the image and the Go table. After reading, any number of threads may use
 * the results. */
#ifndef HEFT_PROGRAM_GO_WORDS_H
#define HEFT_PROGRAM_GO_WORDS_H

#include "code/code.h"
#include "program/go_table.h"

/* Tells which words of a Go program's variables are pointers. Go's garbage collector stores this as
 * a bit program. Time and memory: O(words of the variables), one bit per word. Zeroed: nothing is
 * known. */
struct go_mask {
	struct go_range of; /* Addresses that the mask covers */
	uint64_t word;      /* Bytes */
	uint8_t *bits;
};

/* Reads the mask from a table. `table` may be NULL. */
void go_mask_read(struct go_mask *m, const struct image *im, const struct go_table *table);
void go_mask_release(struct go_mask *m);

static inline bool go_mask_knows(const struct go_mask *m, uint64_t addr)
{
	return addr >= m->of.start && addr < m->of.end;
}

/* True if the word is a pointer. Only for addresses that go_mask_knows(). */
static inline bool go_mask_is_pointer(const struct go_mask *m, uint64_t addr)
{
	const uint64_t i = (addr - m->of.start) / m->word;
	return m->bits[i / 8] >> i % 8 & 1;
}

/* Facts about the words of a Go program. A zeroed struct: not a Go program. */
struct go_words {
	const struct image *im;
	const struct go_table *table; /* Go's table, or NULL */
	struct go_range code;         /* Code that go_words_judge() can judge, from Go 1.16 on */
	struct go_mask mask;
};

/* Reads the facts. `table` belongs to the image, or is NULL. Time and memory like
 * go_mask_read(). */
void go_words_read(struct go_words *w, const struct image *im, const struct go_table *table);
void go_words_release(struct go_words *w);

static inline bool go_words_is_code(const struct go_words *w, uint64_t addr)
{
	return addr >= w->code.start && addr < w->code.end;
}

enum go_ref {
	GO_ADDRESS,
	GO_NUMBER, /* A number that looks like an address */
	GO_EITHER, /* Unknown: an address or a number */
};

/* Judges a reference in Go's code. go_words_is_code() must be true for ref->from. */
enum go_ref go_words_judge(const struct go_words *w, const struct code_ref *ref);

/* True if the word `target` at address `place` is a number, not an address. `place_written`,
 * `target_written`: the sections at these addresses are writable. Only for Go programs, and for
 * words that the mask does not know. */
bool go_words_no_address(const struct go_words *w, uint64_t place, bool place_written,
			 uint64_t target, bool target_written);

#endif
