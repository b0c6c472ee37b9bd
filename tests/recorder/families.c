/* What jemalloc, tcmalloc and mimalloc offer beside malloc and free, mixed with these.  Says how
 * many blocks and bytes of 40,000 bytes and more stay that are to be recorded. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void must(int good, int line)
{
	if (!good) {
		printf("line %d\n", line);
		exit(1);
	}
}
#define MUST(condition) must(condition, __LINE__)

static char *volatile kept[4];

#ifdef JEMALLOC
void *mallocx(size_t, int), *rallocx(void *, size_t, int);
size_t sallocx(void *, int), xallocx(void *, size_t, size_t, int), nallocx(size_t, int);
void dallocx(void *, int), sdallocx(void *, size_t, int);
int mallctl(const char *, void *, size_t *, void *, size_t);

int main(void)
{
	unsigned arena;
	size_t size = sizeof arena;
	char *p = mallocx(40001, 0), *q = mallocx(40500, 7 | 0x40), *r = malloc(40002);
	MUST((uintptr_t)q % 128 == 0 && q[40499] == 0 && sallocx(p, 0) >= 40001);
	memset(p, 1, sallocx(p, 0));
	kept[0] = p = rallocx(p, 41000, 0x40);
	kept[1] = q;
	MUST(p[40000] == 1 && xallocx(p, 41500, 0, 0) >= 41000);
	sdallocx(r, 40002, 0);
	dallocx(malloc(40003), 0);
	free(mallocx(40004, 0));
	kept[2] = realloc(mallocx(40, 0), 40600);
	MUST(nallocx(100, 0) >= 100 && mallctl("arenas.create", &arena, &size, 0, 0) == 0);
	/* An arena of one's own: not recorded, and told. */
	const int flags = (int)(arena + 1) << 20 | 1 << 8;
	dallocx(memset(mallocx(40005, flags), 2, 40005), 1 << 8);
	printf("%d bytes in 3 blocks; told: mallocx\n", 41000 + 40500 + 40600);
	return 0;
}
#elif defined TCMALLOC
void *tc_malloc(size_t), *tc_memalign(size_t, size_t), *tc_realloc(void *, size_t), *tc_new(size_t);
void *tc_calloc(size_t, size_t), *tc_newarray(size_t), *tc_valloc(size_t);
void tc_free(void *), tc_free_sized(void *, size_t), tc_deletearray(void *), tc_cfree(void *);
size_t tc_malloc_size(void *), tc_nallocx(size_t, int);

int main(void)
{
	char *p = tc_malloc(40001), *q = tc_memalign(128, 40500);
	MUST((uintptr_t)q % 128 == 0);
	kept[0] = p = tc_realloc(p, 41000);
	kept[1] = q;
	MUST(tc_malloc_size(p) >= 41000 && tc_nallocx(100, 0) >= 100);
	tc_free(malloc(40002));
	tc_free_sized(malloc(40003), 40003);
	free(tc_new(40004));
	kept[2] = realloc(tc_calloc(1, 40), 40600);
	tc_deletearray(tc_newarray(40005));
	tc_cfree(tc_valloc(10));
	printf("%d bytes in 3 blocks; told: tc_valloc\n", 41000 + 40500 + 40600);
	return 0;
}
#else
void *mi_malloc(size_t), *mi_malloc_aligned(size_t, size_t), *mi_realloc(void *, size_t);
void *mi_new(size_t), *mi_zalloc(size_t), *mi_rezalloc(void *, size_t), *mi_heap_new(void);
void *mi_reallocf(void *, size_t), *mi_expand(void *, size_t), *mi_heap_malloc(void *, size_t);
void *mi_heap_realloc(void *, void *, size_t);
void mi_free(void *), mi_free_size(void *, size_t), mi_heap_destroy(void *);
size_t mi_usable_size(void *);

int main(void)
{
	char *p = mi_malloc(40001), *q = mi_malloc_aligned(40500, 128), *r = malloc(100);
	MUST((uintptr_t)q % 128 == 0);
	memset(p, 3, 40001);
	memset(r, 7, 100);
	kept[0] = p = mi_realloc(p, 41000);
	kept[1] = q;
	MUST(mi_usable_size(p) >= 41000 && p[40000] == 3);
	mi_free(malloc(40002));
	mi_free_size(malloc(40003), 40003);
	free(mi_new(40004));
	kept[2] = realloc(mi_zalloc(40), 40600);
	r = mi_reallocf(mi_rezalloc(r, 500), 600);
	MUST(r[99] == 7 && mi_expand(mi_malloc(100), 100000) == NULL);
	mi_free(r);
	void *heap = mi_heap_new();
	r = memset(mi_malloc(80), 5, 80);
	r = mi_heap_realloc(heap, r, 800);
	MUST(r[79] == 5 && mi_heap_malloc(heap, 40005) != NULL);
	mi_heap_destroy(heap);
	printf("%d bytes in 3 blocks; told: mi_heap_malloc\n", 41000 + 40500 + 40600);
	return 0;
}
#endif
