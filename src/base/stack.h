/* stack.h - calls that may need a deep stack, whichever thread they are made from.
 *
 * The threads of pool.h have STACK_SIZE, but heft also runs on the caller's: the main thread, whose
 * stack the user limits (ulimit -s), or one of another program that has as little as 256 KiB.  What
 * may need more than STACK_FREE asks here, and runs on a thread of its own where the caller's has
 * no room: 20 to 40 us for the call. */
#ifndef HEFT_BASE_STACK_H
#define HEFT_BASE_STACK_H

#include "base/base.h"

#include <pthread.h>

/* Bytes of stack: of the threads that heft starts; what heft needs of any thread without asking. */
#define STACK_SIZE ((size_t)8 << 20)
#define STACK_FREE ((size_t)128 << 10)

/* What is known of the stack of one thread.  A zeroed struct knows nothing yet; it belongs to whom
 * the calls are made for and may move from thread to thread, but not be used by two at once. */
struct stack {
	bool known;
	pthread_t thread;
	uintptr_t low, high;
};

/* Calls fn(ctx) with at least `need` bytes of stack; false, and not called, where there is no
 * thread to be had.  The first call of a thread costs up to 50 us, others 10 ns. */
bool stack_call(struct stack *s, size_t need, void (*fn)(void *ctx), void *ctx);

/* pthread_create with a stack of `size` bytes; 0 or an errno. */
int stack_thread(pthread_t *ret, size_t size, void *(*fn)(void *ctx), void *ctx);

#endif
