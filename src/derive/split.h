/* split.h - finds functions in code without any list of them.
 *
 * A function begins at an address that the caller gives, that a call leads to, or that code of
 * another function takes. It also begins after an instruction that ends the flow (a return, a jump,
 * a call that does not return), if no jump or jump table crosses that address. A jump across a
 * known beginning leaves its function. So does a jump after the frame is released, or to code that
 * saves registers. Calls that do not return are found in rounds: a function does not return if it
 * has no return and no jump leaves it.
 *
 * Other signs decide the other cases:
 *   - a jump to code after an end may be a tail call; if nothing else leads to that code,
 *   a function begins there although the jump crosses its beginning;
 *   - code to which another function jumps begins a function, unless that function also jumps to
 *   code before it: compilers move parts of functions away, sometimes in several pieces;
 *   - code that looks like a beginning, or is aligned like its neighbours, begins a function
 *   although jumps cross it, if nothing leads there;
 *   - code that reads registers which callers do not set is reached by unwinding and belongs to the
 *   previous function; so does code that is not aligned like its neighbours.
 *
 * Bytes that are not all code are data until the next named beginning.
 *
 * Time: O(n log n) for any bytes. The result is the same for any number of threads. */
#pragma once

#include "derive/derive.h"

/* Addresses, sorted, each once */
typedef VEC(uint64_t) addr_vec;

void addrs_sort(addr_vec *v);
/* True if the list has an address in [from, to). */
bool addrs_within(const addr_vec *v, uint64_t from, uint64_t to);

/* Code at `from` takes the address `to`. `number`: true if this may be a number that only looks
 * like an address */
struct split_taken {
	uint64_t to, from;
	bool number;
};

typedef VEC(struct split_taken) taken_vec;

/* A jump that leaves its function */
struct leap {
	uint64_t to, from;
	bool conditional; /* True if it is conditional, or leads to a moved part of the function,
			   * which no call reaches */
	bool sure;        /* True if a known function begins between `from` and `to` */
};

typedef VEC(struct leap) leap_vec;

/* Evidence of functions. Lists of addresses must be sorted by addrs_sort() */
struct split_signs {
	addr_vec starts;   /* Addresses where functions begin */
	addr_vec pointers; /* Addresses where functions, or parts of them, may begin */
	taken_vec taken;   /* Addresses that code takes, sorted by `to`. If another function takes
			    * one, a function begins there */
	leap_vec leaps;    /* Jumps of code outside of all extents */
	addr_vec others;   /* Starts of functions outside of all extents. May be empty */
	addr_vec objects;  /* Only for microcontrollers: addresses in code that other code uses, so
			    * they may be data */
	addr_vec wholes;   /* Starts of functions that extend to the next start, because only
			    * unwinding leads to some of their code */
};

struct split_facts {
	const struct image *image;
	/* The code: its extents are split. Conventions and sites do not matter. */
	const struct derive_facts *code;
	const struct split_signs *signs;
};

struct split_function {
	uint64_t addr, size; /* Range with the literals after the code, but without padding */
	bool bad;            /* True if some bytes are no instructions, although a symbol, call or
			      * pointer shows that a function begins at `addr` */
};

typedef VEC(struct split_function) split_function_vec;

/* Appends the functions by address. Each is in one extent. */
void split_code(const struct split_facts *f, unsigned threads, split_function_vec *ret);
