#include "base/pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum { THREADS_MAX = 64 };

struct job {
	atomic_size_t next;
	size_t count;
	void (*fn)(void *ctx, size_t i, unsigned worker);
	void *ctx;
};

struct worker {
	struct job *job;
	unsigned index;
};

unsigned pool_threads(unsigned wanted)
{
	if (wanted == 0) {
		const long n = sysconf(_SC_NPROCESSORS_ONLN);
		wanted = n > 0 ? (unsigned)n : 1;
	}
	return wanted < THREADS_MAX ? wanted : THREADS_MAX;
}

static void *work(void *arg)
{
	const struct worker *w = arg;
	struct job *job = w->job;
	for (;;) {
		const size_t i = atomic_fetch_add(&job->next, 1);
		if (i >= job->count)
			return NULL;
		job->fn(job->ctx, i, w->index);
	}
}

void parallel_for(unsigned threads, size_t count, void (*fn)(void *ctx, size_t i, unsigned worker),
		  void *ctx)
{
	struct job job = { .count = count, .fn = fn, .ctx = ctx };
	struct worker workers[THREADS_MAX];
	pthread_t ids[THREADS_MAX];
	unsigned n = pool_threads(threads);
	if (n > count)
		n = count ? (unsigned)count : 1;
	unsigned started = 1;
	for (; started < n; started++) {
		workers[started] = (struct worker){ &job, started };
		if (pthread_create(&ids[started], NULL, work, &workers[started]) != 0)
			break;
	}
	workers[0] = (struct worker){ &job, 0 };
	work(&workers[0]);
	for (unsigned i = 1; i < started; i++)
		pthread_join(ids[i], NULL);
}
