/* callers.c - blocks that go to and fro between callers of different functions of one name.
 *
 * As it is: the program.  PLUGIN: a module that it opens, which opens itself under NEXT again.
 * STEP: a library that is preloaded, and calls what comes after it; STEP_LIBC: what the C library
 * calls it.  With OWN the program has functions of its own for some.  With one number as argument
 * in front, the program gives the plug-in a block of this size in another namespace, and dies. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <malloc.h>

#ifdef PLUGIN
void *kept, *unkept;

void *plugin_grow(void *p, size_t n)
{
	return realloc(p, n);
}

void plugin_free(void *p)
{
	free(p);
}

size_t plugin_size(void *p)
{
	return malloc_usable_size(p);
}

/* By the C library, which asks the program's malloc. */
char *plugin_copy(const char *text)
{
	return strdup(text);
}

char *plugin_make(size_t n)
{
	return memset(malloc(n), 1, n);
}

__attribute__((constructor)) static void at_open(void)
{
	char *copy = strdup("before dlopen has returned");
	free(copy);
	char *line = NULL;
	size_t room = 0;
	FILE *f = fopen("/proc/self/cmdline", "r");
	if (f != NULL && getline(&line, &room, f) > 0)
		line = realloc(line, 3 * room);
	free(line);
	fclose(f);
	kept = malloc(12345);
#ifdef NEXT
	void *other = dlopen(NEXT, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
	char *(*make)(size_t) = (char *(*)(size_t))dlsym(other, "plugin_make");
	free(make(77));
#endif
}
#elif defined STEP || defined OWN
void *__libc_malloc(size_t);
void __libc_free(void *);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
static unsigned long seen;

#ifdef STEP
static void *next(const char *name)
{
	seen++;
	return dlsym(RTLD_NEXT, name);
}
#define malloc_below(n)     ((void *(*)(size_t))next("malloc"))(n)
#define free_below(p)       ((void (*)(void *))next("free"))(p)
#define realloc_below(p, n) ((void *(*)(void *, size_t))next("realloc"))(p, n)
#else
#define malloc_below(n)     (seen++, __libc_malloc(n))
#define free_below(p)       (seen++, __libc_free(p))
#define realloc_below(p, n) (seen++, __libc_realloc(p, n))
#endif

#ifndef ONLY_FREE
void *malloc(size_t n)
{
	return malloc_below(n);
}

void *realloc(void *p, size_t n)
{
	return realloc_below(p, n);
}
#endif

void free(void *p)
{
	free_below(p);
}
#endif

#if !defined PLUGIN && !defined STEP
static int wrong;

static void *expect(char *p, int byte, size_t n)
{
	for (size_t i = 0; i < n; i++)
		wrong += p[i] != byte;
	return p;
}

static void plugin_use(void *module)
{
	void *(*grow)(void *, size_t) = (void *(*)(void *, size_t))dlsym(module, "plugin_grow");
	void (*give)(void *) = (void (*)(void *))dlsym(module, "plugin_free");
	size_t (*size)(void *) = (size_t (*)(void *))dlsym(module, "plugin_size");
	char *(*copy)(const char *) = (char *(*)(const char *))dlsym(module, "plugin_copy");
	char *(*make)(size_t) = (char *(*)(size_t))dlsym(module, "plugin_make");
	for (size_t n = 1; n < 600000; n = n * 7 + 3) {
		char *p = memset(malloc(n), 7, n);
		wrong += size(p) < n;
		give(expect(grow(p, 3 * n), 7, n));
		free(expect(realloc(make(n), 2 * n), 1, n));
		p = make(n);
		wrong += malloc_usable_size(p) < n;
		give(p);
		free(copy("text"));
		give(copy("text"));
		if (posix_memalign((void **)&p, 256, n) == 0)
			give(p);
		p = aligned_alloc(64, 64 * n);
		free(expect(grow(memset(p, 3, n), n), 3, n));
		give(calloc(3, n));
		free(reallocarray(make(n), 3, n));
	}
}

/* By the C library's handle, as interpreters call foreign functions. */
static void handle_use(void)
{
	void *libc = dlopen("libc.so.6", RTLD_NOW);
	void *(*grow)(void *, size_t) = (void *(*)(void *, size_t))dlsym(libc, "realloc");
	void (*give)(void *) = (void (*)(void *))dlsym(libc, "free");
	void *(*make)(size_t) = (void *(*)(size_t))dlvsym(libc, "malloc", "GLIBC_2.2.5");
	give(grow(strdup("text"), 5000));
	free(make != NULL ? make(100) : NULL);
	give(memset(malloc(3000), 2, 3000));
	dlclose(libc);
}

/* The other C library takes the header for its own. */
static int namespace_use(size_t size, const char *path)
{
	void *module = dlmopen(LM_ID_NEWLM, path, RTLD_NOW);
	void *(*grow)(void *, size_t) = (void *(*)(void *, size_t))dlsym(module, "plugin_grow");
	return grow(malloc(size), 5 * size) == NULL;
}

int main(int argc, char **argv)
{
	if (argc == 3 && atoi(argv[1]) > 0)
		return namespace_use(atoi(argv[1]), argv[2]);
	handle_use();
	for (int i = 1; i < argc; i++) {
		void *module = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
		if (module == NULL) {
			puts(dlerror());
			return 9;
		}
		plugin_use(module);
		if (i % 2 == 0)
			dlclose(module);
	}
	printf("%d wrong\n", wrong);
	return wrong != 0 ? 3 : 5;
}
#endif
