/* api.c - what programs may rely on of malloc and its kin, with the recorder as without it.
 *
 *	api [foreign]      foreign: the allocator is not the C library's
 *
 * Exits 0, or 1 after naming what does not hold. */
#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define EXPECT(x)                                                                                  \
	do {                                                                                       \
		if (!(x)) {                                                                        \
			fprintf(stderr, "%d: %s\n", __LINE__, #x);                                 \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)

/* The compiler must not know.  Words of 32 bits have room for a block of half of all addresses. */
static volatile size_t huge = sizeof(size_t) > 4 ? PTRDIFF_MAX : SIZE_MAX - 4096;

static int aligned(const void *p, size_t align)
{
	return p != NULL && (uintptr_t)p % align == 0;
}

/* Not every allocator aligns its smallest blocks as max_align_t, has all functions or reports
 * failures as the C library does. */
static int foreign;

/* All that malloc_usable_size promises can be written. */
static void use(void *p, size_t size)
{
	EXPECT(aligned(p, foreign ? 8 : _Alignof(max_align_t)));
	EXPECT(malloc_usable_size(p) >= size);
	memset(p, 0xa5, malloc_usable_size(p));
}

static void sizes(void)
{
	for (size_t n = 0; n < 3000; n++) {
		void *p = malloc(n);
		use(p, n);
		p = realloc(p, n + n / 3 + 1);
		use(p, n + n / 3 + 1);
		free(p);
	}
	for (size_t n = 1; n < (size_t)1 << 26; n *= 2) {
		void *p = malloc(n - 1), *q = malloc(n + 1);
		use(p, n - 1);
		use(q, n + 1);
		free(p);
		free(q);
	}
}

static void zeros(void)
{
	for (size_t n = 1; n < 1000000; n = n * 3 + 1) {
		unsigned char *dirty = malloc(n);
		memset(dirty, 0xff, n);
		free(dirty);
		unsigned char *p = calloc(n, 1);
		for (size_t i = 0; i < n; i++)
			EXPECT(p[i] == 0);
		free(p);
	}
	void *p = malloc(0), *q = malloc(0);
	EXPECT(p != NULL && q != NULL && p != q);
	free(p);
	free(q);
	p = calloc(0, 5);
	EXPECT(p != NULL);
	free(p);
}

static void contents_stay(void)
{
	unsigned char *p = NULL;
	for (size_t n = 1; n < 300000; n = n * 5 / 4 + 1) {
		p = realloc(p, n);
		p[n - 1] = (unsigned char)n;
		for (size_t k = 1; k < n; k = k * 5 / 4 + 1)
			EXPECT(p[k - 1] == (unsigned char)k);
	}
	for (size_t n = 300000; n > 1; n /= 2) {
		p = reallocarray(p, n, 1);
		for (size_t k = 1; k < n; k = k * 5 / 4 + 1)
			EXPECT(p[k - 1] == (unsigned char)k);
	}
	free(p);
	/* Of an aligned block too. */
	p = memalign(1024, 100);
	memset(p, 7, 100);
	p = realloc(p, 100000);
	for (int i = 0; i < 100; i++)
		EXPECT(p[i] == 7);
	free(p);
}

/* Without an alignment, or with one: by each function in turn. */
static unsigned char *give(size_t align, size_t size)
{
	void *p = NULL;
	if (align == 0 && size % 3 == 0)
		return malloc(size);
	if (align == 0)
		return size % 3 == 1 ? calloc(1, size) : realloc(malloc(1), size);
	if (size % 3 == 0)
		return memalign(align, size);
	if (size % 3 == 1)
		return aligned_alloc(align, size);
	EXPECT(posix_memalign(&p, align, size) == 0);
	return p;
}

/* What malloc_usable_size promised is written, and kept by realloc, as far as the new block
 * goes. */
static void stays(unsigned char *p, size_t size, size_t to)
{
	const size_t usable = malloc_usable_size(p), kept = usable < to ? usable : to;
	EXPECT(usable >= size);
	for (size_t i = 0; i < usable; i++)
		p[i] = (unsigned char)(i * 7 + size);
	p = realloc(p, to);
	for (size_t i = 0; i < kept; i++)
		EXPECT(p[i] == (unsigned char)(i * 7 + size));
	use(p, to);
	free(p);
}

static void usable_stays(void)
{
	for (size_t align = 0; align <= 4096; align = align == 0 ? 8 : align * 2) {
		for (size_t n = 1; n <= 500; n++) {
			stays(give(align, n), n, n / 2 + 1);
			stays(give(align, n), n, n + 1);
			stays(give(align, n), n, n + 24);
			stays(give(align, n), n, 1000);
			stays(give(align, n), n, 200000);
		}
	}
}

static void alignments(void)
{
	for (size_t align = 1; align <= (size_t)1 << 20; align *= 2) {
		for (size_t n = foreign != 0; n < 5000; n = n * 2 + 1) {
			void *p = memalign(align, n), *q = NULL, *r = aligned_alloc(align, n);
			EXPECT(aligned(p, align) && aligned(r, align));
			use(p, n);
			use(r, n);
			if (align >= sizeof(void *)) {
				EXPECT(posix_memalign(&q, align, n) == 0 && aligned(q, align));
				use(q, n);
			}
			free(q);
			free(p);
			free(r);
		}
	}
	if (foreign)
		return;
	void *p = valloc(10), *q = pvalloc(10);
	EXPECT(aligned(p, 4096) && aligned(q, 4096));
	use(q, 4096);
	free(p);
	free(q);
	p = (void *)1;
	errno = 5;
	EXPECT(posix_memalign(&p, 24, 8) == EINVAL && p == (void *)1 && errno == 5);
	EXPECT(posix_memalign(&p, 2, 8) == EINVAL && p == (void *)1);
	EXPECT(posix_memalign(&p, 64, huge) == ENOMEM && p == (void *)1 && errno == ENOMEM);
}

static void failures(void)
{
	errno = 0;
	EXPECT(malloc(huge) == NULL && errno == ENOMEM);
	errno = 0;
	EXPECT(malloc(huge - 8) == NULL && errno == ENOMEM);
	errno = 0;
	EXPECT(malloc(huge * 2 + 1) == NULL && errno == ENOMEM);
	errno = 0;
	EXPECT(calloc(huge, 4) == NULL && errno == ENOMEM);
	errno = 0;
	EXPECT(reallocarray(NULL, huge, 4) == NULL && errno == ENOMEM);
	char *p = malloc(10);
	strcpy(p, "as it was");
	errno = 0;
	EXPECT(realloc(p, huge) == NULL && errno == ENOMEM);
	EXPECT(strcmp(p, "as it was") == 0);
	errno = 0;
	EXPECT(realloc(p, huge - 100) == NULL && errno == ENOMEM);
	EXPECT(strcmp(p, "as it was") == 0);
	free(p);
	errno = 0;
	EXPECT(memalign(64, huge) == NULL && errno == ENOMEM);
	errno = 0;
	EXPECT(pvalloc(huge * 2 + 1) == NULL && errno == ENOMEM);
	errno = 77;
	free(NULL);
	p = malloc(100);
	free(p);
	p = realloc(NULL, 20);
	EXPECT(p != NULL && errno == 77);
	EXPECT(realloc(p, 0) == NULL);
	EXPECT(malloc_usable_size(NULL) == 0);
}

static void from_the_library(void)
{
	char *p = strdup("a word"), *line = NULL;
	size_t size = 0;
	EXPECT(strcmp(p, "a word") == 0);
	free(p);
	EXPECT(asprintf(&p, "%0200d", 5) == 200);
	free(p);
	FILE *f = fopen("/proc/self/status", "r");
	EXPECT(f != NULL && getline(&line, &size, f) > 0);
	fclose(f);
	free(line);
	p = realpath("/proc/..", NULL);
	EXPECT(strcmp(p, "/") == 0);
	free(p);
}

/* ---- threads, fork, handlers ----------------------------------------------------------------- */

static pthread_key_t key;
static void *passed[16];
static _Atomic int stop, handled;

/* Runs as the thread ends, after or before the recorder's own destructor. */
static void late(void *p)
{
	free(p);
	void *again = malloc(70);
	use(again, 70);
	free(again);
}

static void *churn(void *ctx)
{
	uint32_t r = (uint32_t)(uintptr_t)ctx;
	void *p[32] = { 0 };
	pthread_setspecific(key, malloc(50));
	for (int i = 0; i < 5000; i++) {
		r = r * 1664525 + 1013904223;
		void **at = &p[r >> 27];
		free(*at);
		*at = malloc(r >> 8 & 1023);
		/* Blocks wander from thread to thread. */
		if (i % 8 == 0)
			*at = __atomic_exchange_n(&passed[r >> 20 & 15], *at, __ATOMIC_ACQ_REL);
	}
	for (int i = 0; i < 32; i++)
		free(p[i]);
	return NULL;
}

static void threads(void)
{
	pthread_t ids[16];
	pthread_key_create(&key, late);
	for (int round = 0; round < 4; round++) {
		for (uintptr_t i = 0; i < 16; i++)
			EXPECT(pthread_create(&ids[i], NULL, churn, (void *)(i + 1)) == 0);
		for (int i = 0; i < 16; i++)
			pthread_join(ids[i], NULL);
	}
	for (int i = 0; i < 16; i++) {
		free(passed[i]);
		passed[i] = NULL;
	}
}

static void *churn_on(void *ctx)
{
	while (!stop)
		free(malloc(100));
	return ctx;
}

static void forks(void)
{
	pthread_t ids[4];
	for (int i = 0; i < 4; i++)
		EXPECT(pthread_create(&ids[i], NULL, churn_on, NULL) == 0);
	for (int i = 0; i < 50; i++) {
		void *before = malloc(200);
		const pid_t pid = fork();
		EXPECT(pid >= 0);
		if (pid == 0) {
			free(before);
			pthread_t id;
			for (int k = 0; k < 100; k++)
				free(malloc(1000));
			EXPECT(pthread_create(&id, NULL, churn, NULL) == 0);
			pthread_join(id, NULL);
			exit(3);
		}
		int status = 0;
		EXPECT(waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
		       WEXITSTATUS(status) == 3);
		free(before);
	}
	stop = 1;
	for (int i = 0; i < 4; i++)
		pthread_join(ids[i], NULL);
}

static void vforks(void)
{
	for (int i = 0; i < 20; i++) {
		const pid_t pid = vfork();
		if (pid == 0) {
			execl("/bin/true", "true", (char *)NULL);
			_exit(9);
		}
		int status = 0;
		EXPECT(waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
		       WEXITSTATUS(status) == 0);
	}
}

/* Allocating in a handler is no good idea, and done; here never while malloc itself runs. */
static void on_signal(int number)
{
	(void)number;
	free(malloc(30));
	handled++;
}

static void handlers(void)
{
	signal(SIGUSR1, on_signal);
	for (int i = 0; i < 100; i++) {
		void *p = malloc(20);
		raise(SIGUSR1);
		free(p);
	}
	EXPECT(handled == 100);
}

int main(int argc, char **argv)
{
	foreign = argc > 1 && strcmp(argv[1], "foreign") == 0;
	sizes();
	zeros();
	contents_stay();
	usable_stays();
	alignments();
	if (!foreign)
		failures();
	from_the_library();
	threads();
	forks();
	vforks();
	handlers();
	puts("good");
	return 0;
}
