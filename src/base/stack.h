/* stack.h - runs calls that may need a deep stack, from any thread.
 *
 * Threads of pool.h have STACK_SIZE. But heft also runs on the caller's thread. The main thread has
 * the stack of ulimit -s. A thread of another program may have as little as 256 KiB. Code that may
 * need more than STACK_FREE calls stack_call(). stack_call() uses another thread if the caller's
 * stack has no room. That costs 20 to 40 us per call. */
#ifndef HEFT_BASE_STACK_H
#define HEFT_BASE_STACK_H

#include "base/base.h"

#include <pthread.h>

/* STACK_SIZE: stack of threads that heft starts, in bytes. STACK_FREE: stack that heft needs on any
 * thread without asking. */
#define STACK_SIZE ((size_t)8 << 20)
#define STACK_FREE ((size_t)128 << 10)

/* Facts about the stack of a thread. A zeroed struct knows nothing yet. The struct may move from
 * thread to thread. Two threads must not use it at once. */
struct stack {
	bool known;
	pthread_t thread;
	uintptr_t low, high;
};

/* Calls fn(ctx) with at least `need` bytes of stack. False, without calling, if no thread can be
 * started. The first call of a thread costs up to 50 us, others 10 ns. */
bool stack_call(struct stack *s, size_t need, void (*fn)(void *ctx), void *ctx);

/* Starts a thread like pthread_create, with a stack of `size` bytes. 0 or an errno. */
int stack_thread(pthread_t *ret, size_t size, void *(*fn)(void *ctx), void *ctx);

#endif
