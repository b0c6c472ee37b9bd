/* hooks.c - defines the functions that programs call. They are compiled with frame pointers, so the
 * two words at a hook's frame are the caller's frame pointer and the return address.
 *
 * All forms of C++'s operators new and delete call these hooks. So do strdup, getline, asprintf and
 * all other functions of the C library that allocate for their caller. */
#include "recorder.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#ifdef HEFT_WRAP
#define HOOK(name) __wrap_##name
#else
#define HOOK(name) name
#endif

EXPORT void *HOOK(malloc)(size_t size);
EXPORT void HOOK(free)(void *p);
EXPORT void *HOOK(calloc)(size_t count, size_t size);
EXPORT void *HOOK(realloc)(void *p, size_t size);
EXPORT void *HOOK(reallocarray)(void *p, size_t count, size_t size);
EXPORT void *HOOK(memalign)(size_t align, size_t size);
EXPORT void *HOOK(aligned_alloc)(size_t align, size_t size);
EXPORT int HOOK(posix_memalign)(void **ret, size_t align, size_t size);
EXPORT void *HOOK(valloc)(size_t size);
EXPORT void *HOOK(pvalloc)(size_t size);
EXPORT size_t HOOK(malloc_usable_size)(void *p);
EXPORT void HOOK(cfree)(void *p);
EXPORT void HOOK(free_sized)(void *p, size_t size);
EXPORT void HOOK(free_aligned_sized)(void *p, size_t align, size_t size);

HOT void *HOOK(malloc)(size_t size)
{
	const struct caller from = CALLER;
	return block_malloc(size, &from);
}

HOT void HOOK(free)(void *p)
{
	block_free(p, (uintptr_t)__builtin_frame_address(0),
		   (uintptr_t)__builtin_return_address(0));
}

void HOOK(cfree)(void *p)
{
	block_free(p, (uintptr_t)__builtin_frame_address(0),
		   (uintptr_t)__builtin_return_address(0));
}

void HOOK(free_sized)(void *p, size_t size)
{
	(void)size;
	block_free(p, (uintptr_t)__builtin_frame_address(0),
		   (uintptr_t)__builtin_return_address(0));
}

void HOOK(free_aligned_sized)(void *p, size_t align, size_t size)
{
	(void)align;
	(void)size;
	block_free(p, (uintptr_t)__builtin_frame_address(0),
		   (uintptr_t)__builtin_return_address(0));
}

static inline void *array_calloc(size_t count, size_t size, const struct caller *from)
{
	size_t all;
	if (__builtin_mul_overflow(count, size, &all)) {
		errno = ENOMEM;
		return NULL;
	}
	return block_calloc(all, from);
}

void *HOOK(calloc)(size_t count, size_t size)
{
	const struct caller from = CALLER;
	return array_calloc(count, size, &from);
}

void *HOOK(realloc)(void *p, size_t size)
{
	const struct caller from = CALLER;
	return block_realloc(p, size, &from);
}

void *HOOK(reallocarray)(void *p, size_t count, size_t size)
{
	const struct caller from = CALLER;
	size_t all;
	if (__builtin_mul_overflow(count, size, &all)) {
		errno = ENOMEM;
		return NULL;
	}
	return block_realloc(p, all, &from);
}

/* Returns the least power of two that is at least `align` and HEAP_ALIGN, as glibc does. */
static size_t round_align(size_t align)
{
	size_t n = HEAP_ALIGN;
	while (n < align && n <= SIZE_MAX / 2)
		n *= 2;
	return n;
}

static void *any_memalign(size_t align, size_t size, const struct caller *from)
{
	if (align > SIZE_MAX / 2 + 1) {
		errno = EINVAL;
		return NULL;
	}
	return block_memalign(round_align(align), size, from);
}

void *HOOK(memalign)(size_t align, size_t size)
{
	const struct caller from = CALLER;
	return any_memalign(align, size, &from);
}

/* Passes alignments that are not a power of two to the real function, because libraries differ. */
void *HOOK(aligned_alloc)(size_t align, size_t size)
{
	const struct caller from = CALLER;
	if (!is_power(align)) {
		if (recorder.real.malloc == NULL)
			boot();
		if (recorder.real.aligned_alloc != NULL)
			return recorder.real.aligned_alloc(align, size);
	}
	return block_memalign(align, size, &from);
}

int HOOK(posix_memalign)(void **ret, size_t align, size_t size)
{
	const struct caller from = CALLER;
	if (!is_power(align) || align % sizeof(void *) != 0)
		return EINVAL;
	const int saved = errno;
	void *p = block_memalign(align, size, &from);
	/* If memory runs out, set errno too, like glibc. */
	errno = p != NULL ? saved : ENOMEM;
	if (p == NULL)
		return ENOMEM;
	*ret = p;
	return 0;
}

size_t page_size(void)
{
	const long size = sysconf(_SC_PAGESIZE);
	return size > 0 ? (size_t)size : 4096;
}

void *HOOK(valloc)(size_t size)
{
	const struct caller from = CALLER;
	return block_memalign(page_size(), size, &from);
}

void *HOOK(pvalloc)(size_t size)
{
	const struct caller from = CALLER;
	const size_t page = page_size();
	if (size > SIZE_MAX - page) {
		errno = ENOMEM;
		return NULL;
	}
	return block_memalign(page, (size + page - 1) & ~(page - 1), &from);
}

size_t HOOK(malloc_usable_size)(void *p)
{
	return block_usable_size(p);
}

#ifndef HEFT_WRAP
EXPORT int dlclose(void *handle);
EXPORT int prctl(int option, ...);
EXPORT void exit(int status);
EXPORT void _exit(int status);
EXPORT void _Exit(int status);

/* Forgets all unwind rules (rows), because other code may get the module's addresses later. */
int dlclose(void *handle)
{
	if (recorder.real.dlclose == NULL)
		boot();
	if (recorder.real.dlclose == NULL)
		return -1;
	rows_forget();
	const int r = recorder.real.dlclose(handle);
	rows_forget();
	return r;
}

/* Notes that the program filters system calls. Unexpected system calls may then end it. */
int prctl(int option, ...)
{
	unsigned long a[4];
	va_list args;
	va_start(args, option);
	for (int i = 0; i < 4; i++)
		a[i] = va_arg(args, unsigned long);
	va_end(args);
	if (recorder.real.prctl == NULL)
		boot();
	if (recorder.real.prctl == NULL) {
		errno = ENOSYS;
		return -1;
	}
	const int r = recorder.real.prctl(option, a[0], a[1], a[2], a[3]);
	if (option == PR_SET_SECCOMP && r == 0)
		recorder.filtered = true;
	return r;
}

/* Stores callee-saved registers in this frame, because they may hold pointers of the program, and
 * notes the end of the process. */
#define NOTE_END()                                                                                 \
	do {                                                                                       \
		const struct caller from = CALLER;                                                 \
		__builtin_unwind_init();                                                           \
		snapshot_note_end(&from, from.sp - 2 * sizeof(uintptr_t) - SAVED_MOST);            \
	} while (0)
#ifdef __x86_64__
enum { SAVED_MOST = 5 * 8 }; /* Bytes of rbx and r12 to r15, pushed below the frame's address */
#else
enum { SAVED_MOST = 128 };
#endif

void exit(int status)
{
	NOTE_END();
	if (recorder.real.exit == NULL)
		boot();
	if (recorder.real.exit != NULL)
		recorder.real.exit(status);
	__builtin_trap();
}

void _exit(int status)
{
	NOTE_END();
	snapshot_at_exit();
	if (recorder.real.exit_now != NULL)
		recorder.real.exit_now(status);
	__builtin_trap();
}

void _Exit(int status)
{
	_exit(status);
}

/* Second names of the C library's functions. A program with its own malloc may still use them, for
 * example posix_memalign of the C library. A library between the hooks and the C library may call
 * them inside a hook. In that case `real` is that library's function, and the hook calls the C
 * library's. */
EXPORT void *__libc_malloc(size_t size);
EXPORT void __libc_free(void *p);
EXPORT void *__libc_calloc(size_t count, size_t size);
EXPORT void *__libc_realloc(void *p, size_t size);
EXPORT void *__libc_memalign(size_t align, size_t size);

#define IS_BETWEEN(name)                                                                           \
	(recorder.real.second.name != NULL && recorder.real.second.name != recorder.real.name)

void *__libc_malloc(size_t size)
{
	const struct caller from = CALLER;
	return IS_BETWEEN(malloc) ? recorder.real.second.malloc(size) : block_malloc(size, &from);
}

void __libc_free(void *p)
{
	if (IS_BETWEEN(free) && !block_is_ours(p))
		recorder.real.second.free(p);
	else
		block_free(p, (uintptr_t)__builtin_frame_address(0),
			   (uintptr_t)__builtin_return_address(0));
}

void *__libc_calloc(size_t count, size_t size)
{
	const struct caller from = CALLER;
	return IS_BETWEEN(calloc) ? recorder.real.second.calloc(count, size)
				  : array_calloc(count, size, &from);
}

void *__libc_realloc(void *p, size_t size)
{
	const struct caller from = CALLER;
	return IS_BETWEEN(realloc) && !block_is_ours(p) ? recorder.real.second.realloc(p, size)
							: block_realloc(p, size, &from);
}

void *__libc_memalign(size_t align, size_t size)
{
	const struct caller from = CALLER;
	return IS_BETWEEN(memalign) ? recorder.real.second.memalign(align, size)
				    : any_memalign(align, size, &from);
}

static void deep_free(void *p)
{
	if (block_is_ours(p))
		block_free(p, (uintptr_t)__builtin_frame_address(0),
			   (uintptr_t)__builtin_return_address(0));
	else
		recorder.real.below.free(p);
}

static void *deep_realloc(void *p, size_t size)
{
	const struct caller from = CALLER;
	return block_is_ours(p) ? block_realloc(p, size, &from)
				: recorder.real.below.realloc(p, size);
}

static size_t deep_usable_size(void *p)
{
	return block_is_ours(p) ? block_usable_size(p) : recorder.real.below.usable_size(p);
}

/* Aliases of hooks, which no other module can replace. They lack the C library's attributes. */
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wmissing-attributes"
#endif
#define OWN(name)                                                                                  \
	extern __typeof__(name) own_##name __attribute__((alias(#name), visibility("hidden")))
OWN(malloc);
OWN(free);
OWN(calloc);
OWN(realloc);
OWN(reallocarray);
OWN(memalign);
OWN(aligned_alloc);
OWN(posix_memalign);
OWN(valloc);
OWN(pvalloc);
OWN(malloc_usable_size);
OWN(__libc_malloc);
OWN(__libc_free);
OWN(__libc_calloc);
OWN(__libc_realloc);
OWN(__libc_memalign);
OWN(dlclose);
OWN(prctl);
OWN(exit);
OWN(_exit);
OWN(_Exit);

#define ENTRY(name) { #name, (void *)own_##name, NULL, NULL }
#define ENTRY_DEEP(name, deep)                                                                     \
	{ #name, (void *)own_##name, (void *)deep_##deep, (void **)&recorder.real.below.deep }
const struct hook hooks[] = {
	ENTRY(malloc),
	ENTRY_DEEP(free, free),
	ENTRY(calloc),
	ENTRY_DEEP(realloc, realloc),
	ENTRY(reallocarray),
	ENTRY(memalign),
	ENTRY(aligned_alloc),
	ENTRY(posix_memalign),
	ENTRY(valloc),
	ENTRY(pvalloc),
	ENTRY_DEEP(malloc_usable_size, usable_size),
	ENTRY(__libc_malloc),
	ENTRY_DEEP(__libc_free, free),
	ENTRY(__libc_calloc),
	ENTRY_DEEP(__libc_realloc, realloc),
	ENTRY(__libc_memalign),
	ENTRY(dlclose),
	ENTRY(prctl),
	ENTRY(exit),
	ENTRY(_exit),
	ENTRY(_Exit),
	{ NULL, NULL, NULL, NULL },
};
#endif
