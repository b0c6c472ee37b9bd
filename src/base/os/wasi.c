/* Implements os.h for WASI, preview 1: one thread, no mappings, and only files below the folders
 * that the host has opened. */
#define _GNU_SOURCE /* For getentropy */
#include "base/os/os.h"
#include "base/os/scratch_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

size_t os_page_size(void)
{
	return 65536;
}

void *os_pages_new(size_t size, bool sparse)
{
	(void)sparse;
	return calloc(1, size);
}

void os_pages_free(void *p, size_t size)
{
	(void)size;
	free(p);
}

/* The memory of WebAssembly cannot shrink. */
void os_pages_drop(void *p, size_t size)
{
	(void)p;
	(void)size;
}

/* WASI cannot duplicate a descriptor. */
int os_dup(int fd)
{
	(void)fd;
	errno = ENOTSUP;
	return -1;
}

/* WASI has no mappings, so the whole file is read. */
void *os_map(int fd, size_t size, bool sparse)
{
	(void)sparse;
	uint8_t *const p = malloc(size);
	size_t done = 0;
	while (p && done < size) {
		const ssize_t n = pread(fd, p + done, size - done, (off_t)done);
		if (n <= 0) {
			errno = n < 0 ? errno : EIO;
			free(p);
			return NULL;
		}
		done += (size_t)n;
	}
	return p;
}

void *os_copy(int fd, size_t size)
{
	return os_map(fd, size, false);
}

void os_unmap(void *p, size_t size)
{
	os_pages_free(p, size);
}

/* WASI has no current folder, and nothing that resolves links. So the path stays as it is. */
char *os_real_path(const char *path)
{
	struct os_file is;
	return os_path_look(path, &is) ? strdup(path) : NULL;
}

/* Ignores `shared`: the host decides who may use a file. */
int os_new_file(char *path, bool shared)
{
	char *const stamp = path + strlen(path) - 6;
	char name[7];
	uint32_t random;
	(void)shared;
	for (unsigned tries = 0; tries < 100; tries++) {
		if (getentropy(&random, sizeof random) != 0)
			return -1;
		snprintf(name, sizeof name, "%06x", (unsigned)(random & 0xffffff));
		memcpy(stamp, name, 6);
		const int fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0666);
		if (fd >= 0 || errno != EEXIST)
			return fd;
	}
	return -1;
}

/* WASI does not tell who owns a folder, so none is trusted. */
bool os_is_own_folder(const char *path)
{
	(void)path;
	return false;
}

bool os_scratch_open(struct os_scratch *s)
{
	*s = (struct os_scratch){ .fd = -1 };
	return true;
}

/* A module has at most 4 GiB of memory. */
uint64_t os_scratch_room(const struct os_scratch *s)
{
	(void)s;
	return UINT32_MAX;
}

bool scratch_reach(struct os_scratch *s, uint64_t end)
{
	if (end <= s->size)
		return true;
	const uint64_t grown = end > 2 * s->size ? end : 2 * s->size;
	uint8_t *const p = grown <= SIZE_MAX / 2 ? realloc(s->p, (size_t)grown) : NULL;
	if (!p) {
		errno = ENOMEM;
		return false;
	}
	memset(p + s->size, 0, (size_t)(grown - s->size));
	s->p = p;
	s->size = grown;
	return true;
}

void os_scratch_close(struct os_scratch *s)
{
	free(s->p);
	s->p = NULL;
}

void *os_library_open(const char *name)
{
	(void)name;
	return NULL;
}

void *os_library_find(void *library, const char *name)
{
	(void)library;
	(void)name;
	return NULL;
}

unsigned os_processors(void)
{
	return 1;
}

/* Bounds of the only stack, from the linker. */
extern char __stack_low, __stack_high;

bool os_stack_bounds(uintptr_t *ret_low, uintptr_t *ret_high)
{
	*ret_low = (uintptr_t)&__stack_low;
	*ret_high = (uintptr_t)&__stack_high;
	return true;
}
