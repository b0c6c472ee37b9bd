/* heap_ops.c - what one malloc and one free cost at a stack depth.
 *
 *	heap_ops DEPTH THREADS OPS
 *
 * Each thread goes DEPTH - 6 calls down and from there makes OPS blocks of 16 to 271 bytes through
 * 6 more calls whose path changes from block to block (64 ways), and frees each after 64 others.
 * Prints the CPU nanoseconds of an operation (one malloc, one free), the mean over the threads. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { INNER = 6, WINDOW = 64, THREADS_MAX = 16 };

struct job {
	int depth;
	long ops;
	double ns;
	void *window[WINDOW];
};

#define LEAVE __asm__ volatile("" ::: "memory") /* no tail call */

static __attribute__((noinline)) void *inner(unsigned way, int left, size_t size);

static __attribute__((noinline)) void *left_way(unsigned way, int left, size_t size)
{
	void *p = left == 0 ? malloc(size) : inner(way >> 1, left - 1, size);
	LEAVE;
	return p;
}

static __attribute__((noinline)) void *right_way(unsigned way, int left, size_t size)
{
	void *p = left == 0 ? malloc(size) : inner(way >> 1, left - 1, size);
	LEAVE;
	return p;
}

static void *inner(unsigned way, int left, size_t size)
{
	void *p = (way & 1) != 0 ? left_way(way, left, size) : right_way(way, left, size);
	LEAVE;
	return p;
}

static __attribute__((noinline)) void loop(struct job *j)
{
	struct timespec a, b;
	uint32_t r = 12345;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
	for (long i = 0; i < j->ops; i++) {
		r = r * 1664525 + 1013904223;
		void **at = &j->window[i % WINDOW];
		free(*at);
		*at = inner(r >> 16, INNER / 2 - 1, 16 + (r >> 8 & 255));
	}
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
	j->ns = ((double)(b.tv_sec - a.tv_sec) * 1e9 + (double)(b.tv_nsec - a.tv_nsec)) /
		(double)j->ops;
	for (int i = 0; i < WINDOW; i++)
		free(j->window[i]);
	LEAVE;
}

static __attribute__((noinline)) void down(struct job *j, int left)
{
	if (left > 0)
		down(j, left - 1);
	else
		loop(j);
	LEAVE;
}

static void *run(void *ctx)
{
	struct job *j = ctx;
	/* loop, run, start_thread, clone are frames as well. */
	down(j, j->depth > INNER + 5 ? j->depth - INNER - 5 : 0);
	return NULL;
}

int main(int argc, char **argv)
{
	static struct job jobs[THREADS_MAX];
	pthread_t threads[THREADS_MAX];
	if (argc != 4)
		return 2;
	const int count = atoi(argv[2]);
	double sum = 0;
	if (count < 1 || count > THREADS_MAX)
		return 2;
	for (int i = 0; i < count; i++) {
		jobs[i].depth = atoi(argv[1]);
		jobs[i].ops = atol(argv[3]);
		if (pthread_create(&threads[i], NULL, run, &jobs[i]) != 0)
			return 1;
	}
	for (int i = 0; i < count; i++) {
		pthread_join(threads[i], NULL);
		sum += jobs[i].ns;
	}
	printf("%.1f\n", sum / count);
	return 0;
}
