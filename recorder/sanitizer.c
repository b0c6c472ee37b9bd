/* sanitizer.c - restarts a program that has a sanitizer without the recorder.
 *
 * A sanitizer has its own allocator, and its library ends the process if it is not loaded first.
 * A recorded program may start a program with a sanitizer, for example a build that runs its
 * tests. The recorder is initialized before all other modules, so this code runs before the
 * sanitizer's check.
 *
 * Sanitizers replace much of the C library, and start when one of their functions is called. So
 * this file uses only system calls, and the compiler must not replace a loop by memcpy or
 * strlen. */
#include "recorder.h"

#ifndef HEFT_WRAP
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static inline void keep_loop(void)
{
	__asm__ volatile("" ::: "memory");
}

static size_t text_size(const char *text)
{
	size_t n = 0;
	for (; text[n] != 0; n++)
		keep_loop();
	return n;
}

static char *bytes_copy(char *to, const char *from, size_t size)
{
	for (; size > 0; size--, keep_loop())
		*to++ = *from++;
	return to;
}

#pragma weak __asan_init
#pragma weak __hwasan_init
#pragma weak __lsan_init
#pragma weak __msan_init
#pragma weak __tsan_init
extern void __asan_init(void), __hwasan_init(void), __lsan_init(void), __msan_init(void),
	__tsan_init(void);

static bool is_sanitized(void)
{
	return __asan_init != NULL || __hwasan_init != NULL || __lsan_init != NULL ||
	       __msan_init != NULL || __tsan_init != NULL;
}

static const char preload[] = "LD_PRELOAD=";
enum { PRELOAD_SIZE = sizeof preload - 1 };

static bool has_prefix(const char *text, const char *prefix)
{
	for (; *prefix != 0; text++, prefix++)
		if (*text != *prefix)
			return false;
	return true;
}

/* Returns the size in bytes of an entry of LD_PRELOAD (ld.so(8)). A space, a colon or the end of
 * the text ends an entry. */
static size_t entry_size(const char *from)
{
	size_t size = 0;
	while (from[size] != 0 && from[size] != ' ' && from[size] != ':') {
		size++;
		keep_loop();
	}
	return size;
}

/* True if the last components of two paths are equal. LD_PRELOAD may lack a library's path. */
static bool same_file_name(const char *a, size_t a_size, const char *b, size_t b_size)
{
	while (a_size > 0 && b_size > 0 && a[a_size - 1] == b[b_size - 1]) {
		if (a[a_size - 1] == '/')
			return true;
		a_size--;
		b_size--;
	}
	return (a_size == 0 || a[a_size - 1] == '/') && (b_size == 0 || b[b_size - 1] == '/');
}

/* Copies LD_PRELOAD without the recorder's path `own`. False if LD_PRELOAD does not contain it. */
static bool preload_copy(char *to, const char *from, const char *own)
{
	const size_t own_size = text_size(own);
	bool found = false;
	to = bytes_copy(to, from, PRELOAD_SIZE);
	from += PRELOAD_SIZE;
	while (*from != 0) {
		const size_t size = entry_size(from);
		const bool here = same_file_name(from, size, own, own_size);
		if (!here) {
			to = bytes_copy(to, from, size);
			*to++ = ':';
		}
		found = found || here;
		from += size + (from[size] != 0);
	}
	*to = 0;
	return found;
}

static const char *auxiliary(char **env, uintptr_t type)
{
	while (*env != NULL)
		env++;
	for (const ElfW(auxv_t) *v = (const void *)(env + 1); v->a_type != AT_NULL; v++)
		if (v->a_type == type)
			return (const char *)v->a_un.a_val;
	return NULL;
}

static bool same_file(const char *a, const char *b)
{
	struct statx x, y;
	return syscall(SYS_statx, AT_FDCWD, a, 0, STATX_INO, &x) == 0 &&
	       syscall(SYS_statx, AT_FDCWD, b, 0, STATX_INO, &y) == 0 && x.stx_ino == y.stx_ino &&
	       x.stx_dev_major == y.stx_dev_major && x.stx_dev_minor == y.stx_dev_minor;
}

/* Starts this program again under the same name, which becomes the name of the process. */
static void restart(char **argv, char **env, char **new_env)
{
	enum { SCRIPT_MOST = 2 }; /* Words that the kernel puts before a script's name */
	static const char link[] = "/proc/self/exe";
	const char *name = auxiliary(env, AT_EXECFN);
	if (name != NULL && same_file(name, link))
		syscall(SYS_execve, name, argv, new_env);
	for (int i = 1; name != NULL && i <= SCRIPT_MOST && argv[i - 1] != NULL && argv[i] != NULL;
	     i++) {
		if (has_prefix(argv[i], name) && has_prefix(name, argv[i]))
			syscall(SYS_execve, name, argv + i, new_env);
	}
	syscall(SYS_execve, link, argv, new_env);
}

static void *memory_get(size_t size)
{
#ifdef SYS_mmap2 /* If it exists, SYS_mmap is an older call with other arguments */
	enum { MAP = SYS_mmap2 };
#else
	enum { MAP = SYS_mmap };
#endif
	const long p = syscall(MAP, NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			       -1, 0L);
	return p == -1 ? NULL : (void *)p;
}

void sanitized_restart(char **argv, char **env)
{
	size_t count = 0, at = SIZE_MAX;
	struct tables own;
	if (!is_sanitized() || !tables_find((uintptr_t)&recorder, &own))
		return;
	for (; env[count] != NULL; count++)
		if (has_prefix(env[count], preload))
			at = count;
	/* If the program was started through the dynamic linker, argv has changed. */
	if (at == SIZE_MAX || auxiliary(env, AT_BASE) == NULL)
		return;
	char **to = memory_get((count + 1) * sizeof *to);
	char *text = memory_get(text_size(env[at]) + 2);
	if (to == NULL || text == NULL || !preload_copy(text, env[at], own.path))
		return;
	bytes_copy((char *)to, (const char *)env, count * sizeof *to);
	to[at] = text[PRELOAD_SIZE] != 0 ? text : to[--count];
	to[count] = NULL;
	restart(argv, env, to);
}
#endif
