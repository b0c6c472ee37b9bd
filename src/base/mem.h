/* mem.h - allocates memory that may run out without ending the process.
 *
 * All memory of a public handle belongs to its domain, a struct memory. A public function enters
 * the domain of its handle and sets a place to return to (GUARDED). mem_alloc() and similar
 * functions allocate from the domain that the thread has entered. If memory runs out, if the user
 * cancels, or if an invariant is broken, call_raise() returns to that place at once, across all
 * functions between. These do not clean up. The handle is *broken* from then on. A broken handle
 * can only be freed. That frees its whole domain.
 *
 * Things that are no memory (a mapping, an object of a library) are registered with memory_own(),
 * so that they are freed with the domain.
 *
 * A thread that has entered no domain (tests of single modules) gets memory without an owner, and
 * the process ends if there is none.
 *
 * Cost: 32 bytes and about 20 ns per allocation. Threads: several threads may use a domain at once.
 * Workers of parallel_for use the domain of the thread that started them. */
#ifndef HEFT_BASE_MEM_H
#define HEFT_BASE_MEM_H

#include "heft.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

struct memory;

/* Makes a domain. NULL if there is no memory. */
struct memory *memory_new(void);
/* Frees a domain. If it is broken, frees all its memory and releases what it owns. Otherwise its
 * remaining memory has moved to other handles, and then has no owner. */
void memory_delete(struct memory *m);
/* True if a call on the domain's handle was given up. */
bool memory_is_broken(const struct memory *m);
/* Sets the domain of the thread's allocations. Returns the previous domain. The caller must enter
 * that domain again. Used by functions that add to another handle than that of the call. */
struct memory *memory_enter(struct memory *m);

/* Sets the inputs (file.h) that replace files for all work in the thread's domain. Borrowed. NULL
 * for none. A thread in no domain has none. */
struct file_inputs;
void memory_set_inputs(const struct file_inputs *in);
const struct file_inputs *memory_inputs(void);

/* Allocate like malloc, realloc and calloc, but never return NULL. A size above the address
 * space counts as running out of memory. Large allocations ask the user whether to go on
 * (progress_ask). */
void *mem_alloc(uint64_t size);
void *mem_resize(void *p, uint64_t size);
void *mem_zeroed(uint64_t count, size_t size);
/* Resizes memory like mem_resize(), and zeroes the new bytes. `before` is the greatest size in
 * bytes that the memory has had so far. Pages of a large array that are not used take no memory. */
void *mem_grow_zeroed(void *p, uint64_t before, uint64_t size);
/* Allocates. NULL if there is no memory. For sizes that a file states. */
void *memory_try(uint64_t size);
/* Frees memory of the functions above. NULL is allowed. Memory of the C library needs free(). */
void mem_free(void *p);
/* Gives memory of freed small pieces back to the system. The C library keeps it until its last
 * piece is free. For the end of a step that used very many pieces. Cost: a visit to each free
 * piece. */
void mem_give_back(void);

/* Registers `release(thing)`, called if the domain is freed while broken, until memory_disown(). */
struct owned;
struct owned *memory_own(void (*release)(void *thing), void *thing);
void memory_disown(struct owned *token);
/* Changes the registered thing, after a library has moved it. */
void memory_own_moved(struct owned *token, void *thing);
/* Allocators for libraries that accept one. They allocate in the memory domain of the thread. NULL
 * if there is no memory. */
void *memory_zalloc(void *ctx, unsigned count, unsigned size); /* zlib */
void *memory_lalloc(void *ctx, size_t count, size_t size);     /* liblzma */
void *memory_palloc(size_t size, void *ctx);                   /* PCRE2 */
void memory_zfree(void *ctx, void *p);
void memory_pfree(void *p, void *ctx);

/* Makes a zeroed handle in a domain of its own. Its first member points to the domain. NULL if
 * there is no memory. */
void *handle_new(size_t size);
/* Frees a handle, unless it is NULL, and its domain. If no call on it was given up, `release` frees
 * its contents and the handle. */
void handle_free(void *handle, void (*release)(void *handle));
/* Breaks a domain that a call on another, broken handle has left half changed. */
void memory_break(struct memory *m, const struct memory *other);
/* Makes the call fail if the domain of another handle than its own is broken. */
void memory_need_whole(const struct memory *m);

/* A running call of a public function. */
struct call {
	jmp_buf at;
	struct call *outer;
	struct memory *memory, *outer_memory;
	pthread_mutex_t *lock;        /* Lock that the thread holds, or NULL */
	bool asks;                    /* Runs on the thread on which the user made the call */
	volatile enum heft_code code; /* Why the call was given up, else HEFT_OK. */
	char text[160];
};

/* Begins a call. False, with *err filled, if the handle is broken. */
bool call_enter(struct call *c, struct memory *m, struct heft_err *err);
/* Ends the call. If it was given up, breaks the handle and fills *err. */
void call_leave(struct call *c, struct heft_err *err);
/* Gives the thread's call up. Ends the process if the thread is in none. */
_Noreturn void call_raise(enum heft_code code, const char *text);

/* Sets the function that gets progress reports of calls on a domain's handle, and tells whether
 * they are to go on. It is called only on the thread of the call, and not while a lock is held
 * (call_lock). A canceled call is given up with HEFT_ECANCELED. */
void memory_set_progress(struct memory *m, heft_progress_fn fn, void *ctx);
/* Lets the thread's domain report progress by the function of another domain. */
void memory_take_progress(const struct memory *from);

/* Progress counts bytes of input: `total` in all. The current part has `size` bytes, after `before`
 * finished bytes. */
void progress_begin(uint64_t total);
void progress_part(uint64_t before, uint64_t size);
/* Reports the current work: `done` of `of` pieces of the part are done (of 0: unchanged). `what` is
 * not copied: it must be a literal, or a text of the handle. */
void progress_tell(const char *what, uint64_t done, uint64_t of);
/* Asks the user whether to go on, without new progress. */
void progress_ask(void);
/* Asks the same inside functions that another library has called. False if the user cancels. The
 * next progress_ask() then gives the call up. */
bool progress_goes_on(void);

/* Take and release a lock under which memory is allocated. Giving the call up releases it. One lock
 * at a time. */
void call_lock(pthread_mutex_t *lock);
void call_unlock(pthread_mutex_t *lock);

/* Returns the domain that the thread has entered, or NULL. */
struct memory *memory_current(void);
/* Begin and end a call on a thread of the pool. Until call_end(), the thread allocates from `m`. */
void call_begin(struct call *c, struct memory *m);
void call_end(struct call *c);

/* Runs `expression`, a bool, as a call on the handle of the domain `memory`. False, with *err
 * filled, if it was given up. */
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

/* Like GUARDED, inside a call, for functions that another library has called and that must return
 * to it. Without a domain, only evaluates the expression. */
#define GUARDED_INSIDE(err, expression)                                                            \
	(memory_current() ? GUARDED(memory_current(), (err), (expression)) : (expression))

/* Like GUARDED, for a call without a handle, in a domain that ends with the call. */
#define GUARDED_ALONE(err, expression)                                                             \
	__extension__({                                                                            \
		struct memory *const alone_ = memory_new();                                        \
		const bool done_ = GUARDED(alone_, err, expression);                               \
		memory_delete(alone_);                                                             \
		done_;                                                                             \
	})

/* Like GUARDED, for an expression that holds no memory when it may be given up, such as one that
 * only writes. Saves 60 ns, because no domain is entered. */
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

/* Like GUARDED, for statements that fail only if memory runs out. The next call on the handle
 * reports that. */
#define GUARDED_VOID(memory, ...) (void)GUARDED(memory, NULL, (__VA_ARGS__, true))

#endif
