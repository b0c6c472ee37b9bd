/* go_table.h - finds the tables of Go's runtime in a program (runtime/pclntab.h), and the base
 * addresses for values in them.
 *
 * Borrows from the image. Once opened, any number of threads. */
#pragma once

#include "runtime/pclntab.h"
#include "image/image.h"
#include "code/code.h"

/* A table of the runtime about the whole program, with the name that Go's linker gives it */
struct go_part {
	const char *name;
	uint64_t addr, size; /* `size` is 0 if it was not found */
};

/* A range of addresses. Both fields are 0 if it was not found */
struct go_range {
	uint64_t start, end;
};

/* Indexes in go_table.parts. GO_TYPE_LINKS lists types by their distances from `types`.
 * GO_METHOD_TABLES lists pointers to tables of methods. */
enum { GO_MASK = 1, GO_TYPE_LINKS = 3, GO_METHOD_TABLES, GO_BUILD_INFO, GO_PARTS };
enum { GO_TYPE_LINK_SIZE = 4 };

struct go_table {
	const struct section *section;
	uint64_t off; /* Offset of the table in `section` */
	struct pclntab tab;
	/* Since Go 1.18: base of struct pclntab_func.data. 0 if not found. */
	uint64_t func_data;
	struct go_range types; /* Descriptions of types and their names */
	/* Ranges of variables without and with pointers, as the garbage collector knows them. */
	struct go_range noptr, data;
	struct go_part parts[GO_PARTS];
};

/* True if the image seems to have a table of Go's runtime, damaged or not. */
bool go_table_present(const struct image *im);
/* Opens the table. False if the image has none. An unknown version or damage becomes a note. */
bool go_table_open(struct go_table *g, const struct image *im, struct notes *notes);

/* Opens the table of one image at the first request, for the companion and the data sources. All
 * zero at first. One thread */
struct go_slot {
	const struct image *im;
	bool found;
	struct go_table table;
};
/* Returns the table of an image. NULL if it has none. Valid until another image is requested. */
const struct go_table *go_slot_open(struct go_slot *s, const struct image *im, struct notes *notes);

/* Reads function `i` like pclntab_record(). Code without a table of lines, such as the trampolines
 * of Go's linker, ends before the zeros that align the next function. */
bool go_table_func(const struct go_table *g, const struct image *im, uint64_t i,
		   struct pclntab_func *ret);
/* Finds the address of item `i` of a function's data (FUNCDATA in Go's assembler), which the list
 * pclntab_func.data has. Returns false if the function lacks it. */
bool go_table_data(const struct go_table *g, const struct pclntab_func *f, uint64_t i,
		   uint64_t *ret);
/* Returns the number of calls that were inlined into a function. They begin at *ret_addr and have
 * go_table_call_size() bytes each. The values at go_table_call_values() say which call an address
 * belongs to. */
uint64_t go_table_calls(const struct go_table *g, const struct image *im,
			const struct pclntab_func *f, uint64_t *ret_addr);
/* Returns the offset of the table that gives each address its inlined call. 0 if none. */
uint64_t go_table_call_values(const struct go_table *g, const struct pclntab_func *f);
static inline uint64_t go_table_call_size(const struct go_table *g)
{
	return g->tab.layout == PCLNTAB_20 ? 16 : 20;
}
/* Returns the address range of the code that the table describes. */
void go_table_code(const struct go_table *g, uint64_t *ret_start, uint64_t *ret_end);
static inline uint64_t go_table_addr(const struct go_table *g)
{
	return g->section->addr + g->off;
}

/* Distinguishes addresses from numbers in the code and data of a Go program.
 *
 * Go's linker writes no relocations into a program at a fixed address. But its compilers make
 * addresses in few ways, which were found by linking a program at two addresses.
 *
 * The results borrow from the image and the Go table. After reading, any number of threads may use
 * the results. */

/* Tells which words of a Go program's variables are pointers. Go's linker stores this for the
 * garbage collector as a program that produces the bits. Time and memory: O(words of the
 * variables), one bit per word. All zero if nothing is known. */
struct go_mask {
	struct go_range of; /* Address range that the mask covers */
	uint64_t word;      /* Size of a word in bytes */
	uint8_t *bits;
};

/* Reads the mask from a table. */
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
	const struct go_table *table;
	struct go_range code; /* Code that go_words_judge() can judge, from Go 1.16 on */
	struct go_mask mask;
};

/* Reads the facts. `table` belongs to the image. Time and memory like go_mask_read(). */
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

/* True if the word at address `place` is a number, although its value `target` looks like an
 * address. `place_written`, `target_written`: true if the sections at these addresses are writable.
 * Only for Go programs, and for words that struct go_mask does not know. */
bool go_words_no_address(const struct go_words *w, uint64_t place, bool place_written,
			 uint64_t target, bool target_written);
