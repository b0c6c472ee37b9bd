/* os.h - what systems do differently: memory by the page, files, libraries, threads.
 *
 * posix.c, windows.c and wasi.c each define all of it but for what unix_files.c defines for POSIX
 * and WASI.  No other file of the library asks which system it is built for.  What fails sets
 * errno.  Threads: any. */
#ifndef HEFT_BASE_OS_OS_H
#define HEFT_BASE_OS_OS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- memory ---------------------------------------------------------------------------------- */

size_t os_page_size(void);
/* Zeroed memory of whole pages, which costs memory once written; NULL where there is no room. */
void *os_pages_new(size_t size);
void os_pages_free(void *p, size_t size);
/* Gives whole pages back: memory holds anything from then on, pages of os_map are read again. */
void os_pages_drop(void *p, size_t size);

/* ---- files ----------------------------------------------------------------------------------- */

enum os_file_kind { OS_FILE, OS_FOLDER, OS_LINK, OS_PIPE, OS_OTHER };

struct os_file {
	enum os_file_kind kind;
	uint64_t size, stored; /* bytes; `stored` is less where it has holes */
	uint64_t device, inode;
	int64_t modified; /* seconds since 1970 */
};

bool os_fd_look(int fd, struct os_file *ret);
/* Follows links. */
bool os_path_look(const char *path, struct os_file *ret);
/* Does not: a link is OS_LINK. */
bool os_entry_look(const char *path, struct os_file *ret);
/* Opens a file to read its bytes; -1 on failure.  `waits`: for the writer of a pipe. */
int os_open(const char *path, bool waits);
/* A second descriptor of the file; -1 on failure. */
int os_dup(int fd);
/* The file's bytes, of which there is at least one, for reading; NULL on failure.  `sparse`: it has
 * holes, which are to take no memory. */
void *os_map(int fd, size_t size, bool sparse);
/* Takes what os_map, os_scratch_map and os_pages_new gave. */
void os_unmap(void *p, size_t size);
/* The absolute path without links, with slashes, for free(); NULL where there is none. */
char *os_real_path(const char *path);
/* Makes a file with a name that no file has: `path` ends in XXXXXX, which is replaced.  `shared`:
 * with the rights of any new file, else for its owner alone.  A descriptor to write to; -1 on
 * failure. */
int os_new_file(char *path, bool shared);
/* Puts a file in the place of another one, which may be there. */
bool os_rename(const char *from, const char *to);
/* Makes a folder for its owner alone. */
bool os_make_folder(const char *path);
/* Whether the folder is the user's and nobody else may write to it. */
bool os_is_own_folder(const char *path);

/* Bytes that are written at growing places, and read as memory afterwards: a file without a name in
 * $TMPDIR, or memory where the system has no such files.  What was not written is zero. */
struct os_scratch {
	int fd; /* -1: memory */
	uint8_t *p;
	uint64_t size; /* of p */
};
bool os_scratch_open(struct os_scratch *s);
/* How many bytes can be stored; UINT64_MAX: not known. */
uint64_t os_scratch_room(const struct os_scratch *s);
bool os_scratch_write(struct os_scratch *s, const uint8_t *p, size_t size, uint64_t at);
/* The first `size` bytes, for os_unmap; NULL on failure. */
void *os_scratch_map(struct os_scratch *s, size_t size);
void os_scratch_close(struct os_scratch *s);

/* ---- libraries and threads ------------------------------------------------------------------- */

/* A shared library that stays loaded; NULL where there is none of that name. */
void *os_library_open(const char *name);
/* The address of a function or an object; NULL where the library has none of the name. */
void *os_library_find(void *library, const char *name);
/* Processors that are at work; at least 1. */
unsigned os_processors(void);
/* The bounds of the thread's stack; false where they cannot be found out. */
bool os_stack_bounds(uintptr_t *ret_low, uintptr_t *ret_high);

#endif
