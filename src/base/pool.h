/* pool.h - worker threads: a parallel-for, and jobs whose results are taken in order.
 *
 * parallel_for calls fn(ctx, i, worker) once for every i in [0, count), from up
 * to `threads` threads (the caller's is one of them; worker < threads).  Which
 * worker gets which i is open, so results go to slot i and are merged in order
 * afterwards.  Not nested.  threads 0 = one a processor.  The threads that are started have
 * STACK_SIZE bytes of stack (stack.h), whatever the limits of the process.  Allocations of workers
 * belong to the caller's domain; where one is given up (memory.h), so is the caller's call when all
 * have ended.  So is it where the user cancels, whom the caller's thread asks after each job. */
#ifndef HEFT_BASE_POOL_H
#define HEFT_BASE_POOL_H

#include "base/base.h"

unsigned pool_threads(unsigned wanted);
void parallel_for(unsigned threads, size_t count, void (*fn)(void *ctx, size_t i, unsigned worker),
		  void *ctx);

/* Jobs that are made and taken in one order, whatever thread works on them.  A job lives in one of
 * `slot_count` slots of `slot_size` bytes, the caller's memory, so no more than that are under way;
 * 2 slots a thread keep all busy. */
struct pool_line {
	void *ctx;
	void *slots;
	size_t slot_count, slot_size;
	/* Prepares the next job; false where there is none.  One call at a time, on any thread. */
	bool (*make)(void *ctx, void *slot);
	/* On any thread, beside others and beside make and take. */
	void (*work)(void *ctx, void *slot, unsigned worker);
	/* On the caller's thread, in the order in which jobs were made. */
	void (*take)(void *ctx, void *slot);
};

/* Runs until make says that there are no more and all are taken.  threads as above. */
void pool_run_line(unsigned threads, const struct pool_line *line);

#endif
