/* truth.c - allocates in every way there is and keeps its own account of it, by call stack as
 * libgcc's unwinder sees it.
 *
 *	truth SEED OPS THREADS
 *
 * Asks the recorder for a snapshot, if there is one, and prints a line for every stack:
 *	FUNCTION ALLOCS BYTES FREES FREED AT_PEAK TEMPORARY ADDR,ADDR...
 * FUNCTION is where the function that allocates begins, the addresses are those of its callers,
 * innermost first.  With one thread, "peak BYTES" comes first. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unwind.h>

enum { SITES = 2048, HELD = 400, DEPTH = 64, THREADS_MAX = 8 };

struct site {
	uintptr_t function, pcs[DEPTH];
	int count;
	uint64_t allocs, bytes, frees, freed, at_peak, temporary;
};

struct held {
	void *p;
	size_t size;
	struct site *site;
	struct worker *by;
};

struct worker {
	int number;
	uint32_t random;
	long ops;
	struct site sites[SITES];
	struct held held[HELD];
	void *newest;
};

static struct worker workers[THREADS_MAX];
static struct held shared[HELD]; /* handed from thread to thread */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int64_t live, peak;
static int threads;

static uint32_t roll(struct worker *w, uint32_t n)
{
	w->random = w->random * 1664525 + 1013904223;
	return (w->random >> 8) % n;
}

/* ---- the account ----------------------------------------------------------------------------- */

struct trace {
	uintptr_t pcs[DEPTH + 2];
	int count;
};

static _Unwind_Reason_Code keep(struct _Unwind_Context *c, void *ctx)
{
	struct trace *t = ctx;
	if (t->count < DEPTH + 2 && _Unwind_GetIP(c) != 0)
		t->pcs[t->count++] = _Unwind_GetIP(c);
	return _URC_NO_REASON;
}

/* The site of a function that called this: frames 0 and 1 are this and the function. */
static __attribute__((noinline)) struct site *site_of(struct worker *w, void *function)
{
	struct trace t = { .count = 0 };
	_Unwind_Backtrace(keep, &t);
	uint64_t h = (uintptr_t)function;
	for (int i = 2; i < t.count; i++)
		h = (h ^ t.pcs[i]) * 0x9e3779b97f4a7c15;
	for (unsigned at = (unsigned)(h >> 32);; at++) {
		struct site *s = &w->sites[at % SITES];
		if (s->function == 0) {
			s->function = (uintptr_t)function;
			s->count = t.count - 2;
			memcpy(s->pcs, t.pcs + 2, (size_t)s->count * sizeof s->pcs[0]);
			return s;
		}
		if (s->function == (uintptr_t)function && s->count == t.count - 2 &&
		    memcmp(s->pcs, t.pcs + 2, (size_t)s->count * sizeof s->pcs[0]) == 0)
			return s;
	}
}

static void note_alloc(struct worker *w, struct held *h, void *p, size_t size, struct site *site)
{
	if (p == NULL)
		abort();
	*h = (struct held){ p, size, site, w };
	memset(p, 0x5a, size);
	site->allocs++;
	site->bytes += size;
	live += (int64_t)size;
	w->newest = p;
}

static void note_peak(struct worker *w)
{
	if (threads > 1 || live <= peak)
		return;
	peak = live;
	for (int i = 0; i < SITES; i++)
		w->sites[i].at_peak = w->sites[i].bytes - w->sites[i].freed;
}

static void note_free(struct worker *w, struct held *h)
{
	note_peak(w);
	__atomic_fetch_add(&h->site->frees, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&h->site->freed, h->size, __ATOMIC_RELAXED);
	live -= (int64_t)h->size;
	if (w->newest == h->p && h->by == w)
		h->site->temporary++;
	w->newest = NULL;
	h->p = NULL;
}

/* ---- all ways to allocate -------------------------------------------------------------------- */

#define SITE(name, call)                                                                           \
	static __attribute__((noinline)) void name(struct worker *w, struct held *h, size_t size)  \
	{                                                                                          \
		struct site *s = site_of(w, (void *)name);                                         \
		void *p = call;                                                                    \
		note_alloc(w, h, p, size, s);                                                      \
	}

static void *aligned_by_posix(size_t align, size_t size)
{
	void *p = NULL;
	return posix_memalign(&p, align, size) == 0 ? p : NULL;
}

SITE(by_malloc, malloc(size))
SITE(by_malloc_again, malloc(size))
SITE(by_calloc, calloc(1, size))
SITE(by_calloc_many, calloc(size, 1))
SITE(by_realloc, realloc(NULL, size))
SITE(by_reallocarray, reallocarray(NULL, size, 1))
SITE(by_memalign, memalign(64, size))
SITE(by_aligned_alloc, aligned_alloc(16, size))
SITE(by_valloc, valloc(size))

static __attribute__((noinline)) void by_posix(struct worker *w, struct held *h, size_t size)
{
	struct site *s = site_of(w, (void *)by_posix);
	void *p = NULL;
	if (posix_memalign(&p, 256, size) != 0)
		abort();
	note_alloc(w, h, p, size, s);
}

/* A block that grows or shrinks is freed by its old stack and allocated by the new. */
static __attribute__((noinline)) void change(struct worker *w, struct held *h, size_t size)
{
	struct site *s = site_of(w, (void *)change);
	struct held old = *h;
	void *p = realloc(h->p, size);
	note_free(w, &old);
	note_alloc(w, h, p, size, s);
}

typedef void (*way)(struct worker *, struct held *, size_t);
static const way ways[] = { by_malloc,  by_malloc_again, by_calloc,   by_calloc_many,
			    by_realloc, by_posix,        by_memalign, by_aligned_alloc,
			    by_valloc,  by_reallocarray };

static __attribute__((noinline)) void deeper(struct worker *w, struct held *h, size_t size,
					     int levels)
{
	if (levels > 0)
		deeper(w, h, size, levels - 1);
	else
		ways[roll(w, sizeof ways / sizeof ways[0])](w, h, size);
	__asm__ volatile("" ::: "memory");
}

/* ---- the run --------------------------------------------------------------------------------- */

static void release(struct worker *w, struct held *h)
{
	void *p = h->p;
	note_free(w, h);
	free(p);
}

static void hand_over(struct worker *w, struct held *h)
{
	pthread_mutex_lock(&lock);
	struct held *to = &shared[roll(w, HELD)];
	if (to->p != NULL)
		release(w, to);
	*to = *h;
	h->p = NULL;
	pthread_mutex_unlock(&lock);
}

static void *work(void *ctx)
{
	struct worker *w = ctx;
	for (long i = 0; i < w->ops; i++) {
		struct held *h = &w->held[roll(w, HELD)];
		const size_t size = 1 + roll(w, roll(w, 100) == 0 ? 200000 : 500);
		if (h->p == NULL)
			deeper(w, h, size, (int)roll(w, 6));
		else if (roll(w, 4) == 0)
			change(w, h, size);
		else if (threads > 1 && roll(w, 8) == 0)
			hand_over(w, h);
		else
			release(w, h);
		if (roll(w, 10) == 0 && h->p != NULL)
			release(w, h);
	}
	return NULL;
}

static void print(const struct worker *w)
{
	for (int i = 0; i < SITES; i++) {
		const struct site *s = &w->sites[i];
		if (s->function == 0)
			continue;
		printf("%lx %lu %lu %lu %lu %lu %lu ", s->function, s->allocs, s->bytes, s->frees,
		       s->freed, s->at_peak, s->temporary);
		for (int k = 0; k < s->count; k++)
			printf("%lx,", s->pcs[k]);
		printf("\n");
	}
}

int main(int argc, char **argv)
{
	static char buffer[1 << 16];
	pthread_t ids[THREADS_MAX];
	if (argc != 4)
		return 2;
	threads = atoi(argv[3]);
	if (threads < 1 || threads > THREADS_MAX)
		return 2;
	setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
	aligned_by_posix(16, 1);
	for (int i = 0; i < threads; i++) {
		struct worker *w = &workers[i];
		*w = (struct worker){ .number = i, .ops = atol(argv[2]) };
		w->random = (uint32_t)atoi(argv[1]) * 77 + (uint32_t)i;
	}
	for (int i = 1; i < threads; i++)
		if (pthread_create(&ids[i], NULL, work, &workers[i]) != 0)
			return 1;
	work(&workers[0]);
	for (int i = 1; i < threads; i++)
		pthread_join(ids[i], NULL);
	note_peak(&workers[0]);
	int (*snapshot)(void);
	void *p = dlsym(RTLD_DEFAULT, "heft_heap_snapshot");
	memcpy(&snapshot, &p, sizeof p);
	if (p != NULL && snapshot() != 0)
		return 1;
	if (threads == 1)
		printf("peak %ld\n", peak);
	for (int i = 0; i < threads; i++)
		print(&workers[i]);
	return 0;
}
