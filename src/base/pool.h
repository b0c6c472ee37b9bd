/* pool.h - runs jobs on worker threads: a parallel loop, and jobs whose results are taken in order.
 *
 * parallel_for() calls fn(ctx, i, worker) once for each i in [0, count), on at most `threads`
 * threads, including the caller's. worker < threads. Any worker may get any i, so results should go
 * to slot i and be merged in order later. Calls must not be nested. threads 0 means one per
 * processor. Started threads have STACK_SIZE bytes of stack (stack.h), whatever the limits of the
 * process. Allocations of workers belong to the same handle as the caller's (mem.h). If a job ends
 * its call (mem.h), the caller's call ends too, after all workers have ended. The caller's thread
 * asks the user after each job whether to continue. */
#pragma once

#include "base/base.h"

unsigned pool_threads(unsigned wanted);
void parallel_for(unsigned threads, size_t count, void (*fn)(void *ctx, size_t i, unsigned worker),
		  void *ctx);

/* Jobs that are made in order, worked on by any thread, and taken in order. A job is in one of
 * `slot_count` slots of `slot_size` bytes, in the caller's memory. 2 slots per thread keep all
 * threads busy. */
struct pool_line {
	void *ctx;
	void *slots;
	size_t slot_count, slot_size;
	/* Prepares the next job. False if none. Called on any thread, but never twice at once. */
	bool (*make)(void *ctx, void *slot);
	/* Works on a job. Called on any thread, in parallel with other calls. */
	void (*work)(void *ctx, void *slot, unsigned worker);
	/* Takes a job that is done. Called on the caller's thread, in the order of making. */
	void (*take)(void *ctx, void *slot);
};

/* Runs all jobs until make() returns false. Returns after all were taken. `threads` as for
 * parallel_for(). */
void pool_run_line(unsigned threads, const struct pool_line *line);
