/* os.h - hides the differences between systems: pages of memory, files, libraries, threads.
 *
 * posix.c, windows.c and wasi.c each define all functions, except that POSIX and WASI share those
 * of unix_files.c. No other file of the library depends on the system. A failing function sets
 * errno. Thread-safe. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

size_t os_page_size(void);
/* Returns zeroed memory of whole pages, or NULL. A page takes memory when it is written. `sparse`:
 * most pages will not be written. */
void *os_pages_new(size_t size, bool sparse);
void os_pages_free(void *p, size_t size);
/* Gives whole pages back to the system. Pages of os_map() are read again when used. Other pages
 * have undefined contents. */
void os_pages_drop(void *p, size_t size);

enum os_file_kind { OS_FILE, OS_FOLDER, OS_LINK, OS_PIPE, OS_OTHER };

struct os_file {
	enum os_file_kind kind;
	uint64_t size, stored; /* `stored`: bytes on disk, fewer if the file has holes */
	uint64_t device, inode;
	int64_t modified; /* Time of the last change, in seconds since 1970 */
};

bool os_fd_look(int fd, struct os_file *ret);
/* Describes the file at a path. Follows links. */
bool os_path_look(const char *path, struct os_file *ret);
/* Describes the entry at a path. Does not follow links: a link is OS_LINK. */
bool os_entry_look(const char *path, struct os_file *ret);
/* Opens a file for reading, or returns -1. `waits`: wait for the writer of a pipe. */
int os_open(const char *path, bool waits);
/* Returns another descriptor of the file, or -1. */
int os_dup(int fd);
/* Maps the file for reading. The file must not be empty. NULL on failure. `sparse`: the file has
 * holes, which must not take memory. */
void *os_map(int fd, size_t size, bool sparse);
/* Reads the file into memory, where it stays if the file becomes shorter. NULL on failure, with EIO
 * if the file is shorter than `size`. Holes take no memory. */
void *os_copy(int fd, size_t size);
/* Frees memory of os_map(), os_copy(), os_scratch_map() and os_pages_new(). */
void os_unmap(void *p, size_t size);
/* Returns the absolute path without links, with slashes, or NULL. Free it with free(). */
char *os_real_path(const char *path);
/* Creates a file. Replaces the XXXXXX at the end of `path` so that the name is new. `shared`: with
 * the usual rights of a new file, else only for its owner. Returns a descriptor, or -1. */
int os_new_file(char *path, bool shared);
/* Renames a file. Replaces `to` if it exists. */
bool os_rename(const char *from, const char *to);
bool os_make_folder(const char *path);
/* True if the folder belongs to the user and nobody else may write to it. */
bool os_is_own_folder(const char *path);

/* Stores bytes that are written at rising offsets and mapped later: a nameless file in $TMPDIR, or
 * memory on systems without nameless files. Other bytes are zero */
struct os_scratch {
	int fd; /* -1 if in memory */
	uint8_t *p;
	uint64_t size; /* Number of bytes at `p` */
};
bool os_scratch_open(struct os_scratch *s);
/* Returns how many bytes can be stored. UINT64_MAX if unknown. */
uint64_t os_scratch_room(const struct os_scratch *s);
bool os_scratch_write(struct os_scratch *s, const uint8_t *p, size_t size, uint64_t at);
/* Maps the first `size` bytes, or returns NULL. Free them with os_unmap(). */
void *os_scratch_map(struct os_scratch *s, size_t size);
void os_scratch_close(struct os_scratch *s);

/* Loads a shared library, which stays loaded. NULL if there is none of this name. */
void *os_library_open(const char *name);
/* Returns a function or variable of the library. NULL if it has none of this name. */
void *os_library_find(void *library, const char *name);
/* Returns how many processors the process may use, at least 1. */
unsigned os_processors(void);
/* Returns the bounds of the thread's stack. False if unknown. */
bool os_stack_bounds(uintptr_t *ret_low, uintptr_t *ret_high);
