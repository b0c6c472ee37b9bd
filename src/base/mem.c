/* Allocates memory in domains, ends calls that failed, and reports progress. */
#include "base/mem.h"

#include "base/err.h"
#include "base/large.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Header of an allocation. The allocations of a domain (memory of one handle, mem.h) form a ring */
struct mem_piece {
	struct mem_piece *prev, *next;
	struct memory *memory; /* The domain, or NULL if no handle owns the allocation */
	size_t mapped;         /* Bytes from large_new(). 0 or OWNS: the memory is malloc's */
};

/* Value of `mapped` if the memory is malloc's and contains a struct owned. */
#define OWNS SIZE_MAX

struct owned {
	void (*release)(void *thing);
	void *thing;
};

struct memory {
	pthread_mutex_t lock;
	struct mem_piece head;
	enum heft_code broken; /* Code of the call_raise() that broke the handle, or HEFT_OK */
	const struct file_inputs *inputs;
	struct progress {
		heft_progress_fn fn; /* NULL if nobody receives progress */
		void *ctx;
		bool cancelled;
		const char *what; /* Text of the last report of progress */
		uint64_t done, total, before, size;
	} progress;
};

static _Thread_local struct {
	struct memory *memory;
	struct call *call;
	size_t taken; /* Bytes allocated since the user was last asked whether to continue */
} here;

static void *system_resize(void *ctx, void *p, size_t size)
{
	(void)ctx;
	if (size > 0)
		return realloc(p, size);
	free(p);
	return NULL;
}

static struct heft_allocator allocator = { sizeof allocator, system_resize, NULL };

bool heft_set_allocator(const struct heft_allocator *a, struct heft_err *err)
{
	static const struct heft_allocator standard = { sizeof standard, system_resize, NULL };
	if (a && (a->size < sizeof *a || !a->resize))
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "an allocator without a function");
	allocator = a ? *a : standard;
	return true;
}

static bool is_large(size_t size)
{
	return LARGE_MAPPED && size >= LARGE_FROM && allocator.resize == system_resize;
}

/* Allocates memory with its header. Here and in the next functions, `size` includes the header.
 * NULL if memory runs out. */
static struct mem_piece *piece_new(size_t size, bool zeroed)
{
	const bool large = is_large(size);
	const bool cleared = zeroed && allocator.resize == system_resize;
	struct mem_piece *p = large     ? large_new(size)
			      : cleared ? calloc(1, size)
					: allocator.resize(allocator.ctx, NULL, size);
	if (p && zeroed && !large && !cleared)
		memset(p, 0, size);
	if (p)
		p->mapped = large ? size : 0;
	return p;
}

static void piece_free(struct mem_piece *p)
{
	if (p->mapped > 0 && p->mapped != OWNS)
		large_free(p, p->mapped);
	else
		allocator.resize(allocator.ctx, p, 0);
}

/* Moves an allocation from its mapping to malloc, because it became small. */
static struct mem_piece *piece_from_large(struct mem_piece *p, size_t size)
{
	struct mem_piece *small = allocator.resize(allocator.ctx, NULL, size);
	if (!small)
		return NULL;
	memcpy(small, p, size);
	small->mapped = 0;
	piece_free(p);
	return small;
}

static struct mem_piece *piece_resize(struct mem_piece *p, size_t size)
{
	if (!is_large(size))
		return p->mapped > 0 ? piece_from_large(p, size)
				     : allocator.resize(allocator.ctx, p, size);
	struct mem_piece *moved = p->mapped > 0 ? large_resize(p, p->mapped, size)
						: large_from(p, size);
	if (moved)
		moved->mapped = size;
	return moved;
}

static void link_piece(struct mem_piece *p, struct memory *m)
{
	p->memory = m;
	if (!m)
		return;
	pthread_mutex_lock(&m->lock);
	p->prev = &m->head;
	p->next = m->head.next;
	p->next->prev = p->prev->next = p;
	pthread_mutex_unlock(&m->lock);
}

static void unlink_piece(struct mem_piece *p)
{
	struct memory *m = p->memory;
	if (!m)
		return;
	pthread_mutex_lock(&m->lock);
	p->next->prev = p->prev;
	p->prev->next = p->next;
	pthread_mutex_unlock(&m->lock);
}

struct memory *memory_new(void)
{
	struct memory *m = allocator.resize(allocator.ctx, NULL, sizeof *m);
	if (!m)
		return NULL;
	memset(m, 0, sizeof *m);
	pthread_mutex_init(&m->lock, NULL);
	m->head.next = m->head.prev = &m->head;
	return m;
}

void memory_delete(struct memory *m)
{
	struct mem_piece *next;
	if (!m)
		return;
	for (struct mem_piece *p = m->head.next; p != &m->head; p = next) {
		next = p->next;
		p->memory = NULL;
		if (p->mapped == OWNS) {
			struct owned *const o = (struct owned *)(p + 1);
			o->release(o->thing);
		}
		piece_free(p);
	}
	pthread_mutex_destroy(&m->lock);
	allocator.resize(allocator.ctx, m, 0);
}

bool memory_is_broken(const struct memory *m)
{
	return m && m->broken != HEFT_OK;
}

struct memory *memory_enter(struct memory *m)
{
	struct memory *before = here.memory;
	ASSERT(!m || m->head.next);
	here.memory = m;
	return before;
}

struct memory *memory_current(void)
{
	return here.memory;
}

void memory_set_inputs(const struct file_inputs *in)
{
	if (here.memory)
		here.memory->inputs = in;
}

const struct file_inputs *memory_inputs(void)
{
	return here.memory ? here.memory->inputs : NULL;
}

enum { ASK_EVERY = 1 << 18 };

/* Counts allocated bytes. May end the call, if the user cancels: every long call allocates. */
static void count_taken(uint64_t size)
{
	here.taken += size < ASK_EVERY ? (size_t)size : ASK_EVERY;
	if (here.taken < ASK_EVERY)
		return;
	here.taken = 0;
	progress_ask();
}

static void *mem_add_piece(uint64_t size, bool zeroed)
{
	if (size > SIZE_MAX - sizeof(struct mem_piece))
		return NULL;
	struct mem_piece *p = piece_new(sizeof *p + (size_t)size, zeroed);
	if (!p)
		return NULL;
	link_piece(p, here.memory);
	return p + 1;
}

void *memory_try(uint64_t size)
{
	return mem_add_piece(size, false);
}

static _Noreturn void raise_no_memory(uint64_t size)
{
	char text[80];
	snprintf(text, sizeof text, "out of memory (%" PRIu64 " bytes wanted)", size);
	call_raise(HEFT_ENOMEM, text);
}

void *mem_alloc(uint64_t size)
{
	count_taken(size);
	void *p = mem_add_piece(size, false);
	if (!p)
		raise_no_memory(size);
	return p;
}

void *mem_zeroed(uint64_t count, size_t size)
{
	if (size > 0 && count > UINT64_MAX / size)
		raise_no_memory(UINT64_MAX);
	count_taken(count * size);
	void *p = mem_add_piece(count * size, true);
	if (!p)
		raise_no_memory(count * size);
	return p;
}

/* Resizes memory, which stays in the ring. Without memory, returns NULL and changes nothing. */
static struct mem_piece *resize_piece(struct mem_piece *p, size_t size)
{
	struct memory *m = p->memory;
	if (!m)
		return piece_resize(p, size);
	pthread_mutex_lock(&m->lock);
	struct mem_piece *moved = piece_resize(p, size);
	if (moved)
		moved->next->prev = moved->prev->next = moved;
	pthread_mutex_unlock(&m->lock);
	return moved;
}

void *mem_resize(void *p, uint64_t size)
{
	if (!p)
		return mem_alloc(size);
	if (size > SIZE_MAX - sizeof(struct mem_piece))
		raise_no_memory(size);
	count_taken(size);
	struct mem_piece *moved = resize_piece((struct mem_piece *)p - 1,
					       sizeof *moved + (size_t)size);
	if (moved)
		return moved + 1;
	raise_no_memory(size);
}

void *mem_grow_zeroed(void *p, uint64_t before, uint64_t size)
{
	ASSERT(before <= size);
	if (!p)
		return mem_zeroed(size, 1);
	const bool fresh = ((struct mem_piece *)p - 1)->mapped > 0;
	p = mem_resize(p, size);
	if (!fresh)
		memset((char *)p + before, 0, (size_t)(size - before));
	return p;
}

void mem_free(void *p)
{
	if (!p)
		return;
	struct mem_piece *piece = (struct mem_piece *)p - 1;
	unlink_piece(piece);
	piece_free(piece);
}

void mem_free_list(void *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		mem_free(list[i]);
}

void mem_give_back(void)
{
#ifdef __GLIBC__
	if (allocator.resize == system_resize)
		malloc_trim(0);
#endif
}

struct owned *memory_own(void (*release)(void *thing), void *thing)
{
	struct owned *o = memory_try(sizeof *o);
	if (o) {
		*o = (struct owned){ release, thing };
		((struct mem_piece *)o - 1)->mapped = OWNS;
		return o;
	}
	release(thing);
	raise_no_memory(sizeof *o);
}

void memory_disown(struct owned *token)
{
	mem_free(token);
}

void memory_own_moved(struct owned *token, void *thing)
{
	token->thing = thing;
}

void *memory_zalloc(void *ctx, unsigned count, unsigned size)
{
	(void)ctx;
	return memory_try((size_t)count * size);
}

void *memory_lalloc(void *ctx, size_t count, size_t size)
{
	(void)ctx;
	return memory_try(count * size);
}

void *memory_palloc(size_t size, void *ctx)
{
	(void)ctx;
	return memory_try(size);
}

void memory_zfree(void *ctx, void *p)
{
	(void)ctx;
	mem_free(p);
}

void memory_pfree(void *p, void *ctx)
{
	(void)ctx;
	mem_free(p);
}

void *handle_new(size_t size)
{
	struct memory *m = memory_new(), *before = memory_enter(m);
	void *handle = m ? memory_try(size) : NULL;
	memory_enter(before);
	if (!handle) {
		memory_delete(m);
		return NULL;
	}
	memset(handle, 0, size);
	memcpy(handle, &m, sizeof m);
	return handle;
}

void handle_free(void *handle)
{
	struct memory *m;
	if (!handle)
		return;
	memcpy(&m, handle, sizeof m);
	memory_delete(m);
}

void memory_break(struct memory *m, const struct memory *other)
{
	m->broken = other->broken;
}

void memory_need_whole(const struct memory *m)
{
	if (m->broken != HEFT_OK)
		call_raise(m->broken, "a handle of an earlier call that was given up");
}

void call_begin(struct call *c, struct memory *m)
{
	c->outer = here.call;
	c->outer_memory = here.memory;
	c->memory = m;
	c->lock = NULL;
	c->code = HEFT_OK;
	c->asks = c->outer && c->outer->asks;
	here.call = c;
	here.memory = m;
}

void call_end(struct call *c)
{
	here.call = c->outer;
	here.memory = c->outer_memory;
}

bool call_enter(struct call *c, struct memory *m, struct heft_err *err)
{
	if (!m)
		return fail(err, HEFT_ENOMEM, HEFT_NO_OFFSET, "out of memory");
	if (m->broken != HEFT_OK)
		return fail(err, m->broken, HEFT_NO_OFFSET,
			    "an earlier call was given up: the handle can only be freed");
	call_begin(c, m);
	if (!c->outer) {
		c->asks = true;
		here.taken = 0;
		memory_set_progress(m, m->progress.fn, m->progress.ctx);
	}
	return true;
}

void call_leave(struct call *c, struct heft_err *err)
{
	call_end(c);
	if (c->code == HEFT_OK)
		return;
	if (c->memory)
		c->memory->broken = c->code;
	fail(err, c->code, HEFT_NO_OFFSET, "%s", c->text);
}

void call_raise(enum heft_code code, const char *text)
{
	struct call *c = here.call;
	if (!c) {
		fflush(stdout);
		fprintf(stderr, "heft: %s\n", text);
		_exit(code == HEFT_EINTERNAL ? 3 : 2);
	}
	if (c->lock)
		pthread_mutex_unlock(c->lock);
	c->code = code;
	snprintf(c->text, sizeof c->text, "%s", text);
	longjmp(c->at, 1);
}

void memory_set_progress(struct memory *m, heft_progress_fn fn, void *ctx)
{
	m->progress = (struct progress){ .fn = fn, .ctx = ctx, .what = "" };
}

void memory_take_progress(const struct memory *from)
{
	memory_set_progress(here.memory, from->progress.fn, from->progress.ctx);
}

/* Returns the progress of the thread's call, or NULL if nobody receives it. */
static struct progress *progress_here(void)
{
	const struct call *c = here.call;
	return c && c->asks && !c->lock && c->memory && c->memory->progress.fn
		       ? &c->memory->progress
		       : NULL;
}

void progress_begin(uint64_t total)
{
	struct progress *p = progress_here();
	if (!p)
		return;
	p->total = total;
	p->done = 0;
	progress_part(0, total);
}

void progress_part(uint64_t before, uint64_t size)
{
	struct progress *p = progress_here();
	if (!p)
		return;
	p->before = before;
	p->size = size;
}

bool progress_goes_on(void)
{
	struct progress *p = progress_here();
	if (p && !p->cancelled)
		p->cancelled = !p->fn(p->ctx, p->what, p->done, p->total);
	return !p || !p->cancelled;
}

void progress_ask(void)
{
	if (!progress_goes_on())
		call_raise(HEFT_ECANCELED, "cancelled");
}

void progress_tell(const char *what, uint64_t done, uint64_t of)
{
	struct progress *p = progress_here();
	if (!p)
		return;
	p->what = what;
	if (of > 0)
		p->done = p->before + (uint64_t)((double)done / (double)of * (double)p->size);
	p->done = p->done < p->total ? p->done : p->total;
	progress_ask();
}

void call_lock(pthread_mutex_t *lock)
{
	pthread_mutex_lock(lock);
	if (here.call)
		here.call->lock = lock;
}

void call_unlock(pthread_mutex_t *lock)
{
	if (here.call)
		here.call->lock = NULL;
	pthread_mutex_unlock(lock);
}
