/* split.h - functions in code of which nothing says where they begin.
 *
 * A function begins where the caller says so and where a call leads.  Another one begins behind
 * what does not go on (a return, a jump, a call that does not return) if no jump and no jump table
 * leads from one side of the place to the other.  A jump over a known beginning leaves its
 * function; so does one whose frame is gone, or that leads to what saves registers.  Calls that do
 * not return are found on the way, in rounds: a function does not return that has no return and
 * leaves by no jump.
 *
 * Bytes that are no code as a whole are data, up to the next beginning that something names.
 *
 * O(n log n) for any bytes.  The result is the same for any number of threads. */
#ifndef HEFT_CODE_SPLIT_H
#define HEFT_CODE_SPLIT_H

#include "blocks/derive.h"

/* Addresses, sorted, each once. */
typedef VEC(uint64_t) addr_vec;

void addrs_sort(addr_vec *v);
/* Whether there is one in [from, to). */
bool addrs_within(const addr_vec *v, uint64_t from, uint64_t to);

struct split_facts {
	const struct image *image;
	/* The code: its extents are the stretches that are split.  Conventions and sites do not
	 * matter. */
	const struct derive_facts *code;
	const addr_vec *starts;   /* functions begin there */
	const addr_vec *pointers; /* these may be functions, or parts of them */
	const addr_vec *objects;  /* of microcontrollers: these may be data among the code */
	const addr_vec *wholes;   /* starts of functions that reach to the next start: only
				   * unwinding leads to some of their code */
};

struct split_function {
	uint64_t addr, size; /* without what pads it; with the literals behind it */
	bool bad;            /* not all of it is code, though something says that it begins here */
};

typedef VEC(struct split_function) split_function_vec;

/* Appends the functions, by address; each lies in one extent. */
void split_code(const struct split_facts *f, unsigned threads, split_function_vec *ret);

#endif
