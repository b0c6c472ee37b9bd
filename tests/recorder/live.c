/* live.c - a process to take snapshots of: threads in known functions, known memory, signals that
 * must not be lost.  Prints "ready", runs until SIGTERM, then prints how many signals came. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { THREADS = 6, SENT = 80000, BIG = 24 << 20 };
char *known;
static char big[BIG];
static volatile sig_atomic_t came, stop;
static atomic_int waiting;

static void count(int number)
{
	(void)number;
	came++;
}

static void end(int number)
{
	(void)number;
	stop = 1;
}

void *waits_here(void *ctx)
{
	char local[64] = "local of a thread";
	waiting++;
	for (;;)
		if (usleep(1000) == 0 && local[0] == 'x')
			return ctx;
}

/* Of a real-time signal every one is delivered. */
static void *sends(void *ctx)
{
	pthread_t *to = ctx;
	for (int i = 0; i < SENT; i++) {
		while (pthread_kill(*to, SIGRTMIN) != 0)
			usleep(100);
		if (i % 20 == 0)
			usleep(1000);
	}
	return NULL;
}

int main(void)
{
	pthread_t ids[THREADS], self = pthread_self();
	struct sigaction a = { .sa_handler = count, .sa_flags = SA_RESTART };
	sigset_t rt;
	sigemptyset(&rt);
	sigaddset(&rt, SIGRTMIN);
	sigaction(SIGRTMIN, &a, NULL);
	signal(SIGTERM, end);
	known = malloc(100000);
	memset(known, 'k', 100000);
	strcpy(known, "known memory");
	memset(big + BIG / 2, 'b', 5000);
	mprotect(malloc(1), 0, PROT_READ | PROT_WRITE);
	/* Reserved and never touched: the core must not be larger for it. */
	if (mmap(NULL, (size_t)1 << 40, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) == MAP_FAILED)
		return 2;
	pthread_sigmask(SIG_BLOCK, &rt, NULL);
	for (int i = 0; i < THREADS - 1; i++)
		pthread_create(&ids[i], NULL, waits_here, NULL);
	pthread_create(&ids[THREADS - 1], NULL, sends, &self);
	pthread_sigmask(SIG_UNBLOCK, &rt, NULL);
	while (waiting < THREADS - 1)
		usleep(1000);
	puts("ready");
	fflush(stdout);
	while (!stop)
		usleep(1000);
	pthread_join(ids[THREADS - 1], NULL);
	printf("%d of %d\n", (int)came, SENT);
	return 0;
}
