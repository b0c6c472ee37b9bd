/* split.h - finds functions in code if nothing tells where they begin.
 *
 * A function begins at an address that the caller names, that a call leads to, or that code of
 * another function takes. A function also begins after an instruction that ends the flow (a return,
 * a jump, a call that does not return), if no jump and no jump table crosses that place. A jump
 * across a known beginning leaves its function. So does a jump after the frame is released, or to
 * code that saves registers. Calls that do not return are found in rounds: a function does not
 * return if it has no return and no jump leaves it.
 *
 * Further signs decide if these do not:
 *   - a jump to code after an end may be a call; if nothing else leads to that code, a function
 *   begins there although the jump crosses its beginning;
 *   - code that another function jumps to begins a function, unless that other function also jumps
 *   to code before it: compilers move parts of functions away, sometimes in several pieces;
 *   - code that looks like a beginning, or is aligned like its neighbours, begins a function
 *   although jumps cross it, if nothing leads there;
 *   - code that reads registers which no caller sets is reached by unwinding and belongs to the
 *   function before it; so does code that is not aligned like its neighbours.
 *
 * If bytes are not code as a whole, they are data until the next named beginning.
 *
 * Time: O(n log n) for any bytes. The result is the same for any number of threads. */
#ifndef HEFT_DERIVE_SPLIT_H
#define HEFT_DERIVE_SPLIT_H

#include "derive/derive.h"

/* Sorted addresses without duplicates. */
typedef VEC(uint64_t) addr_vec;

void addrs_sort(addr_vec *v);
/* True if an address lies in [from, to). */
bool addrs_within(const addr_vec *v, uint64_t from, uint64_t to);

/* Code at `from` takes the address `to`. number: it may be a number that only looks like an
 * address. */
struct split_taken {
	uint64_t to, from;
	bool number;
};

typedef VEC(struct split_taken) taken_vec;

/* A jump that leaves its function. */
struct leap {
	uint64_t to, from;
	bool conditional; /* Has a condition, or leads to a part of the function that was moved
			   * away. No call leads to such a part. */
	bool sure;        /* A known function begins between both addresses. */
};

typedef VEC(struct leap) leap_vec;

/* Signs of functions. Lists of addresses are those of addrs_sort(). */
struct split_signs {
	addr_vec starts;   /* Addresses at which functions begin */
	addr_vec pointers; /* Addresses at which functions, or parts of functions, may begin */
	taken_vec taken;   /* Addresses taken by code, sorted by `to`. If another function takes
			    * one, a function begins there. */
	leap_vec leaps;    /* Jumps from code outside all extents */
	addr_vec others;   /* Starts of functions outside all extents. May be empty. */
	addr_vec objects;  /* Only for microcontrollers: addresses that may be data among code */
	addr_vec wholes;   /* Starts of functions that reach to the next start. Some of their code
			    * is reached only by unwinding. */
};

struct split_facts {
	const struct image *image;
	/* The code. Its extents are split into functions. Conventions and sites do not matter. */
	const struct derive_facts *code;
	const struct split_signs *signs;
};

struct split_function {
	uint64_t addr, size; /* Size with the literals after the code, without padding */
	bool bad;            /* Not all bytes are code, although something names this beginning */
};

typedef VEC(struct split_function) split_function_vec;

/* Appends the functions, by address. Each lies in one extent. */
void split_code(const struct split_facts *f, unsigned threads, split_function_vec *ret);

#endif
