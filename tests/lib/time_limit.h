/* A limit on one piece of work, for tests that find hangs: it is of processor time, so that a busy
 * machine breaks no test. */
#ifndef HEFT_TESTS_TIME_LIMIT_H
#define HEFT_TESTS_TIME_LIMIT_H

#include <sys/time.h>
#include <unistd.h>

/* From now on, `seconds` of processor time raise SIGPROF, and twenty times as long by the clock
 * SIGALRM, which is for threads that wait for each other; 0 ends the limit. */
static inline void time_limit(unsigned seconds)
{
	const struct itimerval limit = { .it_value.tv_sec = seconds };
	setitimer(ITIMER_PROF, &limit, NULL);
	alarm(20 * seconds);
}

#endif
