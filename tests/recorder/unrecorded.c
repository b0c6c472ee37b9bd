/* A heap that nobody records: tells what is in it, does the damage that is named, and waits.
 * usage: unrecorded none|over|leak */
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCKS = 3000, THREADS = 3, LARGE = 128 << 10 };

static void *kept[THREADS][BLOCKS], *mapped[3];
static pthread_barrier_t done;

static void work(int t, unsigned seed)
{
	for (int round = 0; round < 20 * BLOCKS; round++) {
		const int i = rand_r(&seed) % BLOCKS;
		const size_t size = rand_r(&seed) % (rand_r(&seed) % 100 == 0 ? 30000 : 1500);
		free(kept[t][i]);
		kept[t][i] = rand_r(&seed) % 4 == 0 ? NULL : malloc(size);
		if (kept[t][i] != NULL)
			memset(kept[t][i], rand_r(&seed), size);
	}
}

static void *run(void *t)
{
	work((int)(long)t, (unsigned)(long)t);
	pthread_barrier_wait(&done);
	pause();
	return NULL;
}

static void tell(void)
{
	size_t count = 0, bytes = 0, large = 0;
	for (int t = 0; t < THREADS; t++)
		for (int i = 0; i < BLOCKS; i++)
			if (kept[t][i] != NULL) {
				count++;
				bytes += malloc_usable_size(kept[t][i]);
			}
	for (int i = 0; i < 3; i++) {
		count++;
		large++;
		bytes += malloc_usable_size(mapped[i]);
	}
	printf("%zu %zu %zu\n", count, bytes, large);
}

__attribute__((noinline)) static void lose(void)
{
	void **p = malloc(40001);
	*p = malloc(50001);
	__asm__ volatile("" : : "r"(p) : "memory");
}

__attribute__((noinline)) static void clear_stack(void)
{
	volatile char words[4096];
	for (size_t i = 0; i < sizeof words; i++)
		words[i] = 0;
}

int main(int argc, char **argv)
{
	pthread_t t;
	setvbuf(stdout, NULL, _IONBF, 0);
	mallopt(M_MMAP_THRESHOLD, LARGE);
	pthread_barrier_init(&done, NULL, THREADS);
	for (long i = 1; i < THREADS; i++)
		pthread_create(&t, NULL, run, (void *)i);
	work(0, 99);
	pthread_barrier_wait(&done);
	for (int i = 0; i < 3; i++)
		mapped[i] = malloc((1 << 20) + 12345 * i);
	tell();
	if (strcmp(argv[1], "over") == 0) {
		volatile char *p = malloc(40001);
		mapped[0] = (void *)p;
		for (int i = 0; i < 40; i++)
			p[40001 + i] = 'x';
		printf("%p\n", p);
	}
	if (strcmp(argv[1], "leak") == 0)
		lose();
	clear_stack();
	puts("ready");
	pause();
	return argc;
}
