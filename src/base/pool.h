/* pool.h - worker threads: one parallel-for.
 *
 * parallel_for calls fn(ctx, i, worker) once for every i in [0, count), from up
 * to `threads` threads (the caller's is one of them; worker < threads).  Which
 * worker gets which i is open, so results go to slot i and are merged in order
 * afterwards.  Not nested.  threads 0 = one a processor. */
#ifndef HEFT_BASE_POOL_H
#define HEFT_BASE_POOL_H

#include "base/base.h"

unsigned pool_threads(unsigned wanted);
void parallel_for(unsigned threads, size_t count, void (*fn)(void *ctx, size_t i, unsigned worker),
		  void *ctx);

#endif
