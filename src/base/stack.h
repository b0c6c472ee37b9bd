/* stack.h - runs calls that may need a deep stack, from any thread.
 *
 * Threads of pool.h have STACK_SIZE bytes. But heft also runs on the caller's thread: the main
 * thread has the stack of ulimit -s, and a thread of another program may have only 256 KiB. Code
 * that may need more than STACK_FREE bytes calls stack_call(). That function uses another thread if
 * the caller's stack is too small, which costs 20 to 40 us per call. */
#pragma once

#include "base/base.h"

#include <pthread.h>

/* STACK_SIZE: stack of threads that heft starts. STACK_FREE: bytes that heft may use on any thread
 * without a check. */
#define STACK_SIZE ((size_t)8 << 20)
#define STACK_FREE ((size_t)128 << 10)

/* A thread's stack. All zero at first. Several threads may use it, one at a time */
struct stack {
	bool known;
	pthread_t thread;
	uintptr_t low, high;
};

/* Calls fn(ctx) with at least `need` bytes of stack. False, without a call, if no thread can be
 * started. The first call of a thread takes up to 50 us, later ones 10 ns. */
bool stack_call(struct stack *s, size_t need, void (*fn)(void *ctx), void *ctx);

/* Like pthread_create(), with `size` bytes of stack. Returns 0 or an errno. */
int stack_thread(pthread_t *ret, size_t size, void *(*fn)(void *ctx), void *ctx);
