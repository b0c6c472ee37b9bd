/* forks.c - a signal handler forks again and again while the program allocates from new stacks.
 *
 *	forks TIMES
 *
 * Parent and child go on in the handler, with blocks of HANDLER bytes, and out of it with blocks of
 * LOOP bytes; each child ends after CHILD of these.  bump.c is the allocator: it may be
 * interrupted anywhere. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LOOP = 48, HANDLER = 4096, CHILD = 200, WAYS = 1 << 14 };

static volatile int again, left, is_child, until_end = CHILD;

static void on_alarm(int signal)
{
	const int saved = errno;
	(void)signal;
	if (is_child || left == 0)
		return;
	left--;
	const pid_t pid = fork();
	is_child = pid == 0;
	for (int i = 0; i < 3; i++)
		free(malloc(HANDLER));
	if (pid > 0) {
		int status;
		if (waitpid(pid, &status, 0) != pid || status != 0)
			_exit(3);
	}
	again = 1;
	errno = saved;
}

/* The next fork comes after 100 to 1,000 us of work. */
static void arm(unsigned seed)
{
	const struct itimerval once = { { 0, 0 },
					{ 0, 100 + (int)(seed * 2654435761U >> 8) % 900 } };
	again = 0;
	setitimer(ITIMER_REAL, &once, NULL);
}

static __attribute__((noinline)) void walk(unsigned way, int depth)
{
	if (depth == 0)
		free(malloc(LOOP));
	else if (way & 1)
		walk(way >> 1, depth - 1);
	else
		walk(way >> 1, depth - 1);
	__asm__ volatile("" ::: "memory");
}

int main(int argc, char **argv)
{
	left = argc > 1 ? atoi(argv[1]) : 10;
	signal(SIGALRM, on_alarm);
	again = 1;
	for (unsigned way = 0; left > 0 || is_child; way++) {
		if (again && !is_child)
			arm(way);
		walk(way % WAYS, 14);
		if (is_child && --until_end == 0)
			exit(0);
	}
	return 0;
}
