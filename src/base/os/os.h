/* os.h - hides the differences between systems: pages of memory, files, libraries, threads.
 *
 * posix.c, windows.c and wasi.c each define all functions, except that POSIX and WASI share those
 * of unix_files.c. No other file of the library depends on the system. A failing function sets
 * errno. Thread-safe. */
#ifndef HEFT_BASE_OS_OS_H
#define HEFT_BASE_OS_OS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

size_t os_page_size(void);
/* Returns zeroed memory of whole pages. A page takes memory once it is written. NULL without
 * memory. */
void *os_pages_new(size_t size);
void os_pages_free(void *p, size_t size);
/* Gives whole pages back to the system. Pages of os_map() are read again when used. The contents of
 * other pages become undefined. */
void os_pages_drop(void *p, size_t size);

enum os_file_kind { OS_FILE, OS_FOLDER, OS_LINK, OS_PIPE, OS_OTHER };

struct os_file {
	enum os_file_kind kind;
	uint64_t size, stored; /* In bytes. `stored` is less if the file has holes */
	uint64_t device, inode;
	int64_t modified; /* Seconds since 1970 */
};

bool os_fd_look(int fd, struct os_file *ret);
/* Reads facts about a file. Follows links. */
bool os_path_look(const char *path, struct os_file *ret);
/* Reads facts about a file without following links: a link is OS_LINK. */
bool os_entry_look(const char *path, struct os_file *ret);
/* Opens a file for reading. -1 on failure. `waits`: wait for the writer of a pipe. */
int os_open(const char *path, bool waits);
/* Returns a second descriptor of the file. -1 on failure. */
int os_dup(int fd);
/* Maps the file's bytes (at least one) for reading. NULL on failure. `sparse`: the file has holes,
 * which must not take memory. */
void *os_map(int fd, size_t size, bool sparse);
/* Reads the file's bytes into memory, where they stay if the file becomes shorter. NULL on failure,
 * with EIO if the file is shorter than `size`. Holes do not take memory. */
void *os_copy(int fd, size_t size);
/* Unmaps memory of os_map(), os_copy(), os_scratch_map() and os_pages_new(). */
void os_unmap(void *p, size_t size);
/* Returns the absolute path without links, with slashes, or NULL. Free the path with free(). */
char *os_real_path(const char *path);
/* Creates a file with a new name. Replaces the XXXXXX at the end of `path`. `shared`: with the
 * usual rights of a new file; otherwise only its owner may use it. Returns a descriptor for
 * writing, or -1 on failure. */
int os_new_file(char *path, bool shared);
/* Renames a file. Replaces an existing file. */
bool os_rename(const char *from, const char *to);
/* Creates a folder that only its owner may use. */
bool os_make_folder(const char *path);
/* True if the folder belongs to the user and nobody else may write to it. */
bool os_is_own_folder(const char *path);

/* Storage for bytes that are written at rising offsets and later mapped. It is a nameless file in
 * $TMPDIR, or memory on systems without nameless files. Unwritten bytes are zero. */
struct os_scratch {
	int fd; /* -1 if the bytes are in memory */
	uint8_t *p;
	uint64_t size; /* Number of bytes at p */
};
bool os_scratch_open(struct os_scratch *s);
/* Returns the number of bytes that can be stored. UINT64_MAX if unknown. */
uint64_t os_scratch_room(const struct os_scratch *s);
bool os_scratch_write(struct os_scratch *s, const uint8_t *p, size_t size, uint64_t at);
/* Maps the first `size` bytes. Free the memory with os_unmap(). NULL on failure. */
void *os_scratch_map(struct os_scratch *s, size_t size);
void os_scratch_close(struct os_scratch *s);

/* Loads a shared library, which stays loaded. NULL if there is none of that name. */
void *os_library_open(const char *name);
/* Returns the address of a function or an object. NULL if the library has none of that name. */
void *os_library_find(void *library, const char *name);
/* Returns the number of processors in use, at least 1. */
unsigned os_processors(void);
/* Returns the bounds of the thread's stack. False if they are unknown. */
bool os_stack_bounds(uintptr_t *ret_low, uintptr_t *ret_high);

#endif
