/* mem.h - memory that may run out without ending the process.
 *
 * All that a public handle allocates belongs to its domain, a struct memory.  A public function
 * enters the domain of its handle and leaves a place to come back to (GUARDED); mem_alloc and its
 * like take from the domain that the thread has entered.  Where there is no memory, where the user
 * cancels, or where an invariant is broken, call_raise goes back to that place at once, over all
 * functions between: they clean nothing up, and the handle is *broken* from then on.  A broken
 * handle can only be freed, and that frees its whole domain.
 *
 * What is no memory (a mapping, a library's object) is told to the domain by memory_own, so that it
 * goes with it.
 *
 * A thread that has entered no domain (the tests of single modules) gets memory that belongs to
 * nobody, and the process ends where there is none.
 *
 * Cost: 32 bytes and about 20 ns an allocation.  Threads: one domain may be used by several threads
 * at once; workers of parallel_for use that of the thread which started them. */
#ifndef HEFT_BASE_MEM_H
#define HEFT_BASE_MEM_H

#include "heft.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

struct memory;

/* NULL where there is no memory. */
struct memory *memory_new(void);
/* Frees a domain.  Of a broken one all memory is freed and what it owns released; of another one
 * nothing: what is still there has found its way to other handles, and belongs to nobody then. */
void memory_delete(struct memory *m);
/* Whether a call on the domain's handle was given up. */
bool memory_is_broken(const struct memory *m);
/* The domain that the thread's allocations belong to; returns the one before, which the caller
 * enters again.  For functions that add to a handle other than the call's own. */
struct memory *memory_enter(struct memory *m);

/* The inputs (file.h) that stand for names in all that works in the thread's domain: borrowed, NULL
 * for none.  Where the thread has entered no domain, there are none. */
struct file_inputs;
void memory_set_inputs(const struct file_inputs *in);
const struct file_inputs *memory_inputs(void);

/* As malloc, realloc and calloc, but never NULL.  Sizes of files have 64 bits: more than the
 * address space has is no memory.  Where they give much memory, they ask the user whether the call
 * is to go on (progress_ask). */
void *mem_alloc(uint64_t size);
void *mem_resize(void *p, uint64_t size);
void *mem_zeroed(uint64_t count, size_t size);
/* As mem_resize, of memory that never had more than its `before` bytes: those behind are 0.  What
 * is not used of a large array takes no memory then. */
void *mem_grow_zeroed(void *p, uint64_t before, uint64_t size);
/* NULL where there is no memory: for sizes that a file states. */
void *memory_try(uint64_t size);
/* Takes what the functions above gave, and NULL.  What the C library gave is for free. */
void mem_free(void *p);
/* Gives the system what was freed in small pieces: the C library keeps it until its last piece is
 * free.  For the end of a step that took very many of them.  Cost: a visit to each free piece. */
void mem_give_back(void);

/* Has `release(thing)` called if the domain is freed while broken.  The token ends that. */
struct owned;
struct owned *memory_own(void (*release)(void *thing), void *thing);
void memory_disown(struct owned *token);
/* The thing is another one now: a library has moved it. */
void memory_own_moved(struct owned *token, void *thing);
/* Allocators for libraries that take one: memory of the domain, NULL where there is none. */
void *memory_zalloc(void *ctx, unsigned count, unsigned size); /* zlib */
void *memory_lalloc(void *ctx, size_t count, size_t size);     /* liblzma */
void *memory_palloc(size_t size, void *ctx);                   /* PCRE2 */
void memory_zfree(void *ctx, void *p);
void memory_pfree(void *p, void *ctx);

/* A zeroed handle in a domain of its own, to which its first member points; NULL where there is no
 * memory. */
void *handle_new(size_t size);
/* Frees a handle with its domain, unless it is NULL: `release` frees what is in it, and the handle,
 * where no call on it was given up. */
void handle_free(void *handle, void (*release)(void *handle));
/* Breaks the domain of a handle that a call on another one, which is broken, has changed and left
 * unfinished. */
void memory_break(struct memory *m, const struct memory *other);
/* A call that fails because a handle, other than the one it is made on, is broken. */
void memory_need_whole(const struct memory *m);

/* ---- calls ----------------------------------------------------------------------------------- */

/* A call of a public function that is under way. */
struct call {
	jmp_buf at;
	struct call *outer;
	struct memory *memory, *outer_memory;
	pthread_mutex_t *lock;        /* that the thread holds meanwhile, or NULL */
	bool asks;                    /* it is the thread that the user made the call on */
	volatile enum heft_code code; /* why it was given up; HEFT_OK: it was not */
	char text[160];
};

/* False, and fills *err, where the handle is broken. */
bool call_enter(struct call *c, struct memory *m, struct heft_err *err);
/* Ends the call; one that was given up breaks the handle and fills *err. */
void call_leave(struct call *c, struct heft_err *err);
/* Gives the thread's call up.  Ends the process where the thread is in none. */
_Noreturn void call_raise(enum heft_code code, const char *text);

/* ---- progress -------------------------------------------------------------------------------- */

/* What calls on the handle of a domain tell the user of how far they are, and whether they are to
 * go on.  He is asked on the thread of the call only, not on those that it started, and not while a
 * lock is held (call_lock).  A call that he cancels is given up with HEFT_ECANCELED. */
void memory_set_progress(struct memory *m, heft_progress_fn fn, void *ctx);
/* Gives the thread's domain the progress of another one. */
void memory_take_progress(const struct memory *from);

/* What is done is counted in bytes of input: `total` of all, of which the part at work has `size`,
 * behind `before` that are done. */
void progress_begin(uint64_t total);
void progress_part(uint64_t before, uint64_t size);
/* Tells the user what is at work, and that `done` of `of` pieces of the part are done (of 0: as
 * before).  `what` is not copied: a literal, or a text of the handle. */
void progress_tell(const char *what, uint64_t done, uint64_t of);
/* Asks him again, without news. */
void progress_ask(void);
/* The same for functions that another library has called: false where he cancels; the next
 * progress_ask then gives the call up. */
bool progress_goes_on(void);

/* Take and leave a lock under which memory is allocated: giving the call up leaves it.  One at a
 * time. */
void call_lock(pthread_mutex_t *lock);
void call_unlock(pthread_mutex_t *lock);

/* The domain that the thread has entered, or NULL. */
struct memory *memory_current(void);
/* A thread of the pool: a call of its own that takes from `m`, between the two. */
void call_begin(struct call *c, struct memory *m);
void call_end(struct call *c);

/* Runs `expression`, which is a bool, as a call on the handle whose domain is `memory`; false, with
 * *err filled, where it was given up. */
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

/* The same inside a call, for functions that another library has called and that must return to it;
 * without a domain, the expression alone. */
#define GUARDED_INSIDE(err, expression)                                                            \
	(memory_current() ? GUARDED(memory_current(), (err), (expression)) : (expression))

/* The same of a call without a handle: in a domain that ends with it. */
#define GUARDED_ALONE(err, expression)                                                             \
	__extension__({                                                                            \
		struct memory *const alone_ = memory_new();                                        \
		const bool done_ = GUARDED(alone_, err, expression);                               \
		memory_delete(alone_);                                                             \
		done_;                                                                             \
	})

/* The same of an expression that holds no memory where it may be given up, such as one that only
 * writes: it needs no domain, which saves 60 ns. */
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

/* The same of statements that cannot fail but for memory; the handle's next call says so. */
#define GUARDED_VOID(memory, ...) (void)GUARDED(memory, NULL, (__VA_ARGS__, true))

#endif
