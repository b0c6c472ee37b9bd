/* go_table.h - where a program has the tables of Go's runtime (debug/pclntab.h), and from where
 * their numbers count.
 *
 * Borrows from the image.  Read-only once opened: any number of threads. */
#ifndef HEFT_PROGRAM_GO_TABLE_H
#define HEFT_PROGRAM_GO_TABLE_H

#include "debug/pclntab.h"
#include "image/image.h"

/* A table that the runtime has of the whole program, under the name it has for Go's linker. */
struct go_part {
	const char *name;
	uint64_t addr, size; /* 0 bytes: not found */
};

/* Addresses; 0 and 0: not found. */
struct go_range {
	uint64_t start, end;
};

/* Types by their distances from `types`; pointers to tables of methods. */
enum { GO_MASK = 1, GO_TYPE_LINKS = 3, GO_METHOD_TABLES, GO_BUILD_INFO, GO_PARTS };
enum { GO_TYPE_LINK_SIZE = 4 };

struct go_table {
	const struct section *section;
	uint64_t off; /* in the section */
	struct pclntab tab;
	/* From Go 1.18 on, what belongs to functions but code and numbers (struct
	 * pclntab_func.data) counts from here; 0: not found. */
	uint64_t func_data;
	struct go_range types; /* descriptions of types and their names */
	/* Variables without pointers that the collector follows; those that may have some. */
	struct go_range noptr, data;
	struct go_part parts[GO_PARTS];
};

/* Whether the image seems to have such a table, damaged or not. */
bool go_table_present(const struct image *im);
/* False where the image has no such table.  One of a version not known, or a damaged one, is a
 * note. */
bool go_table_open(struct go_table *g, const struct image *im, struct notes *notes);

/* The table of one image at a time, opened when it is first asked for: what stands beside a program
 * for its symbols and the sources share it.  Zeroed = nothing asked for.  One thread. */
struct go_slot {
	const struct image *im;
	bool found;
	struct go_table table;
};
/* NULL where the image has none; stays until the next image is asked for. */
const struct go_table *go_slot_open(struct go_slot *s, const struct image *im, struct notes *notes);

/* As pclntab_func.  Code that no table of lines is about, such as the trampolines of Go's linker,
 * ends in front of the zeros that align what follows. */
bool go_table_func(const struct go_table *g, const struct image *im, uint64_t i,
		   struct pclntab_func *ret);
/* The address of a piece of data of a function, by its place in struct pclntab_func.data; false
 * where it has none. */
bool go_table_data(const struct go_table *g, const struct pclntab_func *f, uint64_t i,
		   uint64_t *ret);
/* The calls that were inlined into a function: a table of values by address has their numbers, and
 * *ret_addr is where they stand, go_table_call_size bytes each.  Returns how many, 0 where there
 * are none. */
uint64_t go_table_calls(const struct go_table *g, const struct image *im,
			const struct pclntab_func *f, uint64_t *ret_addr);
/* The offset of that table of values, 0: there is none. */
uint64_t go_table_call_values(const struct go_table *g, const struct pclntab_func *f);
static inline uint64_t go_table_call_size(const struct go_table *g)
{
	return g->tab.layout == PCLNTAB_20 ? 16 : 20;
}
/* The code that the table is about: from the first function to the end of the last. */
void go_table_code(const struct go_table *g, uint64_t *ret_start, uint64_t *ret_end);
/* The VM address of the table. */
static inline uint64_t go_table_addr(const struct go_table *g)
{
	return g->section->addr + g->off;
}

#endif
