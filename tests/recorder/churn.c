/* churn.c - threads that do nothing but allocate, resize and free, for snapshots at any moment.
 * Prints "ready" and runs until it is ended. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 8, KEPT = 64 };

static void *churn(void *ctx)
{
	void *kept[KEPT] = { NULL };
	uint32_t r = (uint32_t)(uintptr_t)ctx;
	for (;;) {
		r = r * 1664525 + 1013904223;
		void **at = &kept[r >> 26];
		const size_t size = r >> 8 & ((r & 0x700) != 0 ? 255 : 8191);
		if ((r & 0x3800) == 0) {
			*at = realloc(*at, size + 1);
		} else {
			free(*at);
			*at = malloc(size);
		}
		if (*at != NULL)
			memset(*at, 'c', size);
	}
}

int main(void)
{
	pthread_t id;
	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_create(&id, NULL, churn, (void *)(i * 7919 + 1));
	puts("ready");
	fflush(stdout);
	pause();
	return 0;
}
