/* go_table.h - finds the tables of Go's runtime in a program (runtime/pclntab.h), and their base
 * addresses.
 *
 * Borrows from the image. Read-only once opened: any number of threads. */
#ifndef HEFT_PROGRAM_GO_TABLE_H
#define HEFT_PROGRAM_GO_TABLE_H

#include "runtime/pclntab.h"
#include "image/image.h"

/* A table of the runtime for the whole program. Its name is that of Go's linker. */
struct go_part {
	const char *name;
	uint64_t addr, size; /* `size` is 0 if not found. */
};

/* A range of addresses. Both members are 0 if the range was not found. */
struct go_range {
	uint64_t start, end;
};

/* GO_TYPE_LINKS lists types by their distances from `types`. GO_METHOD_TABLES lists pointers to
 * tables of methods. */
enum { GO_MASK = 1, GO_TYPE_LINKS = 3, GO_METHOD_TABLES, GO_BUILD_INFO, GO_PARTS };
enum { GO_TYPE_LINK_SIZE = 4 };

struct go_table {
	const struct section *section;
	uint64_t off; /* Offset in the section. */
	struct pclntab tab;
	/* Since Go 1.18: base of the functions' data (struct pclntab_func.data). 0 if not found */
	uint64_t func_data;
	struct go_range types; /* Descriptions of types and their names */
	/* Variables for the garbage collector: without pointers, with pointers. */
	struct go_range noptr, data;
	struct go_part parts[GO_PARTS];
};

/* True if the image seems to have a table of Go's runtime, damaged or not. */
bool go_table_present(const struct image *im);
/* Opens the table. False if the image has none. An unknown version or damage becomes a note. */
bool go_table_open(struct go_table *g, const struct image *im, struct notes *notes);

/* Holds the table of one image, opened at the first request. The companion and the sources share
 * it. All zero: empty. One thread. */
struct go_slot {
	const struct image *im;
	bool found;
	struct go_table table;
};
/* Returns the table of an image. NULL if it has none. Valid until another image is requested. */
const struct go_table *go_slot_open(struct go_slot *s, const struct image *im, struct notes *notes);

/* Reads function `i` as pclntab_func does. Code without a table of lines, such as the trampolines
 * of Go's linker, ends before the zeros that align the next function. */
bool go_table_func(const struct go_table *g, const struct image *im, uint64_t i,
		   struct pclntab_func *ret);
/* Finds the address of a piece of data of a function, by its index in struct pclntab_func.data.
 * False if there is none. */
bool go_table_data(const struct go_table *g, const struct pclntab_func *f, uint64_t i,
		   uint64_t *ret);
/* Returns the number of calls that were inlined into a function. The calls begin at *ret_addr, with
 * go_table_call_size() bytes each. The table of values at go_table_call_values() maps addresses to
 * numbers of calls. */
uint64_t go_table_calls(const struct go_table *g, const struct image *im,
			const struct pclntab_func *f, uint64_t *ret_addr);
/* Returns the offset of the table that maps addresses to inlined calls. 0 if there is none. */
uint64_t go_table_call_values(const struct go_table *g, const struct pclntab_func *f);
static inline uint64_t go_table_call_size(const struct go_table *g)
{
	return g->tab.layout == PCLNTAB_20 ? 16 : 20;
}
/* Returns the address range of the code in the table, from the first function to the end of the
 * last. */
void go_table_code(const struct go_table *g, uint64_t *ret_start, uint64_t *ret_end);
/* Returns the VM address of the table. */
static inline uint64_t go_table_addr(const struct go_table *g)
{
	return g->section->addr + g->off;
}

#endif
