/* mem.h - allocates memory, and ends a call instead of the process if memory runs out.
 *
 * All memory of a public handle belongs to its domain, a struct memory. A public function enters
 * the domain of its handle and sets a place to return to (GUARDED). mem_alloc() and similar
 * functions allocate from the domain that the thread has entered. call_raise() ends the call if
 * memory runs out, the user cancels, or an invariant is broken: it jumps to the place to return to.
 * The functions in between do not clean up. The handle is *broken* from then on: it can only be
 * freed. Freeing it frees its whole domain.
 *
 * Resources other than memory (a mapping, an object of a library) are registered with memory_own()
 * and released with the domain.
 *
 * A thread that has entered no domain (tests of single modules) gets memory without an owner.
 * Without memory, its process ends.
 *
 * Cost: 32 bytes and about 20 ns per allocation. Threads: several threads may use a domain at once.
 * Workers of parallel_for use the domain of the thread that started them. */
#pragma once

#include "heft.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

struct memory;

/* Creates a domain. NULL if there is no memory. */
struct memory *memory_new(void);
/* Frees a domain and all its memory, and releases the resources that it owns. */
void memory_delete(struct memory *m);
bool memory_is_broken(const struct memory *m);
/* Sets the domain in which the thread allocates. Returns the previous domain, which the caller must
 * enter again. For functions that allocate for another handle than the one of the call. */
struct memory *memory_enter(struct memory *m);

/* Sets the named inputs (file.h) that replace files in the thread's domain. Borrows the list. NULL
 * removes it. The thread must have entered a domain. */
struct file_inputs;
void memory_set_inputs(const struct file_inputs *in);
const struct file_inputs *memory_inputs(void);

/* Like malloc, realloc and calloc. If memory runs out, or the size exceeds the address space,
 * call_raise() ends the call: never NULL. Large allocations call progress_ask(). */
void *mem_alloc(uint64_t size);
void *mem_resize(void *p, uint64_t size);
void *mem_zeroed(uint64_t count, size_t size);
/* Like mem_resize(), and zeroes the new bytes. `before`: the greatest size that the memory ever
 * had. Unused pages of a large array take no memory. */
void *mem_grow_zeroed(void *p, uint64_t before, uint64_t size);
/* Allocates memory whose size a file states. NULL if there is no memory. */
void *memory_try(uint64_t size);
/* Frees memory of the functions above. NULL is allowed. Memory of the C library needs free(). */
void mem_free(void *p);
/* Frees several pointers: mem_free_all(a, b). */
#define mem_free_all(...)                                                                          \
	mem_free_list((void *const[]){ __VA_ARGS__ },                                              \
		      sizeof((void *const[]){ __VA_ARGS__ }) / sizeof(void *))
void mem_free_list(void *const *list, size_t count);
/* Returns small freed memory to the system, which the C library would keep. Call it after a step
 * that used very many small allocations. Visits all free memory. */
void mem_give_back(void);

/* Makes the domain own a resource: when the domain is freed, it calls release(thing).
 * memory_disown() ends the ownership. */
struct owned;
struct owned *memory_own(void (*release)(void *thing), void *thing);
void memory_disown(struct owned *token);
/* Replaces the pointer to a resource that a library has moved. */
void memory_own_moved(struct owned *token, void *thing);
/* Allocation functions for libraries, in the thread's domain. NULL if memory runs out. */
void *memory_zalloc(void *ctx, unsigned count, unsigned size); /* zlib */
void *memory_lalloc(void *ctx, size_t count, size_t size);     /* liblzma */
void *memory_palloc(size_t size, void *ctx);                   /* PCRE2 */
void memory_zfree(void *ctx, void *p);
void memory_pfree(void *p, void *ctx);

/* Creates a zeroed handle with a domain of its own, which its first member points to. NULL if there
 * is no memory. */
void *handle_new(size_t size);
/* Frees a handle with its domain, so with all memory that calls on the handle allocated. Nobody
 * frees the handle's contents one by one. NULL is allowed. */
void handle_free(void *handle);
/* If the domain `other` is broken, also breaks `m`: a call on `other` has left `m` half changed. */
void memory_break(struct memory *m, const struct memory *other);
/* Ends the call if the domain of another handle is broken. */
void memory_need_whole(const struct memory *m);

/* A running call of a public function. */
struct call {
	jmp_buf at;
	struct call *outer;
	struct memory *memory, *outer_memory;
	pthread_mutex_t *lock;        /* Lock that the thread holds by call_lock(), or NULL */
	bool asks;                    /* True on the caller's thread, which asks the user whether to
				       * continue */
	volatile enum heft_code code; /* Reason why the call was ended, or HEFT_OK */
	char text[160];
};

/* Begins a call. False, with *err, if the handle is broken. */
bool call_enter(struct call *c, struct memory *m, struct heft_err *err);
/* Ends the call. If call_raise() has ended it early, breaks the handle and fills *err. */
void call_leave(struct call *c, struct heft_err *err);
/* Ends the thread's call early. If the thread is in no call, ends the process. */
_Noreturn void call_raise(enum heft_code code, const char *text);

/* Sets the function that receives progress of calls on a domain's handle. If it returns false, the
 * call ends with HEFT_ECANCELED. It is called only on the thread of the call, and never under a
 * call_lock(). */
void memory_set_progress(struct memory *m, heft_progress_fn fn, void *ctx);
/* Makes the thread's domain report progress to the function of the domain `from`. */
void memory_take_progress(const struct memory *from);

/* Start to count progress in bytes of input: `total` of all parts, `size` of the current part,
 * `before` of the parts before it. */
void progress_begin(uint64_t total);
void progress_part(uint64_t before, uint64_t size);
/* Reports progress: `done` of `of` pieces of the current part are done. With `of` 0, the number of
 * done bytes stays. `what` says what is done: a literal, or a text of the handle (not copied). */
void progress_tell(const char *what, uint64_t done, uint64_t of);
/* Asks the user's function whether to continue. */
void progress_ask(void);
/* Like progress_ask(), for code that a library calls: returns false if the user cancels. The next
 * progress_ask() then ends the call. */
bool progress_goes_on(void);

/* Take and release a lock under which memory is allocated. If the call ends early, the lock is
 * released. A thread holds at most one. */
void call_lock(pthread_mutex_t *lock);
void call_unlock(pthread_mutex_t *lock);

/* Returns the domain that the thread has entered, or NULL. */
struct memory *memory_current(void);
/* Begin and end a call on another thread, which then allocates in `m`. */
void call_begin(struct call *c, struct memory *m);
void call_end(struct call *c);

/* Evaluates `expression`, a bool, as a call on the handle with the domain `memory`. False, with
 * *err, if call_raise() has ended the call. */
#define GUARDED(memory, err, expression)                                                           \
	__extension__({                                                                            \
		struct call call_;                                                                 \
		volatile bool guarded_ = false;                                                    \
		if (call_enter(&call_, (memory), (err))) {                                         \
			if (setjmp(call_.at) == 0)                                                 \
				guarded_ = (expression);                                           \
			else                                                                       \
				guarded_ = false;                                                  \
			call_leave(&call_, (err));                                                 \
		}                                                                                  \
		guarded_;                                                                          \
	})

/* Like GUARDED, inside a call, for code that a library has called and that must return to it.
 * Without a domain, only evaluates the expression. */
#define GUARDED_INSIDE(err, expression)                                                            \
	(memory_current() ? GUARDED(memory_current(), (err), (expression)) : (expression))

/* Like GUARDED, for a call without a handle. Creates a domain for it. */
#define GUARDED_ALONE(err, expression)                                                             \
	__extension__({                                                                            \
		struct memory *const alone_ = memory_new();                                        \
		const bool done_ = GUARDED(alone_, err, expression);                               \
		memory_delete(alone_);                                                             \
		done_;                                                                             \
	})

/* Like GUARDED, for an expression that allocates nothing, such as one that only writes. Saves 60
 * ns, because it enters no domain. */
#define GUARDED_BARE(err, expression)                                                              \
	__extension__({                                                                            \
		struct call call_;                                                                 \
		volatile bool guarded_ = false;                                                    \
		call_begin(&call_, NULL);                                                          \
		if (setjmp(call_.at) == 0)                                                         \
			guarded_ = (expression);                                                   \
		else                                                                               \
			guarded_ = false;                                                          \
		call_leave(&call_, (err));                                                         \
		guarded_;                                                                          \
	})

/* Like GUARDED, for statements that fail only if memory runs out. The handle's next call then
 * fails. */
#define GUARDED_VOID(memory, ...) (void)GUARDED(memory, NULL, (__VA_ARGS__, true))
