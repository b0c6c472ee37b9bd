/* split.h - functions in code of which nothing says where they begin.
 *
 * A function begins where the caller says so, where a call leads, and where code of another
 * function takes the address.  Another one begins after what does not go on (a return, a jump, a
 * call that does not return) if no jump and no jump table leads from one side of the place to the
 * other.  A jump over a known beginning leaves its function; so does one whose frame is gone, or
 * that leads to what saves registers.  Calls that do not return are found on the way, in rounds: a
 * function does not return that has no return and leaves by no jump.
 *
 * Further signs decide where these do not:
 *   - a jump to what stands after an end may be a call, so that code which nothing leads to begins
 *     a function although the jump crosses its beginning;
 *   - so does code to which a jump from another function leads, unless that function also jumps to
 *     what stands before it: compilers move parts of functions away, some in several pieces;
 *   - code that looks like a beginning, or is aligned as its neighbours are, begins a function
 *     although jumps cross it, if nothing leads there;
 *   - code that reads registers which no caller hands over is what unwinding leads to, and belongs
 *     to the function before it; so does code that is not aligned as its neighbours are.
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

/* Code at `from` takes the address `to`, or has a number that may be one. */
struct split_taken {
	uint64_t to, from;
	bool number;
};

typedef VEC(struct split_taken) taken_vec;

/* A jump that leaves its function. */
struct leap {
	uint64_t to, from;
	bool conditional; /* or to what no call leads to: a part of the function, moved away */
	bool sure;        /* a known function begins in between */
};

typedef VEC(struct leap) leap_vec;

struct split_facts {
	const struct image *image;
	/* The code: its extents are the stretches that are split.  Conventions and sites do not
	 * matter. */
	const struct derive_facts *code;
	const addr_vec *starts;   /* functions begin there */
	const addr_vec *pointers; /* these may be functions, or parts of them */
	const taken_vec *taken;   /* the same, by `to`; one of another function is a function */
	const leap_vec *leaps;    /* from code that is in no extent */
	const addr_vec *others;   /* starts of functions that are in none; may be empty */
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
