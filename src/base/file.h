/* file.h - maps input files read-only, or copies them, and keeps inputs that replace files.
 *
 * The bytes stay valid and unchanged until file_close(), so that parsed data may borrow them. Only
 * regular files are opened. A directory, a device or an empty file is an error with its own
 * message. Reading is thread-safe.
 *
 * A domain (mem.h) may have inputs of its own. file_open() of the name of an input uses its bytes
 * or its descriptor, and does not look for a file. */
#ifndef HEFT_BASE_FILE_H
#define HEFT_BASE_FILE_H

#include "base/err.h"
#include "base/reader.h"
#include "base/vec.h"

struct file {
	char *path;         /* Allocated */
	struct bytes bytes; /* All bytes of the file */
	uint64_t device, inode;
	int64_t modified;     /* Seconds since 1970. 0 if unknown */
	bool cut;             /* True if compressed contents are damaged or truncated */
	struct bytes *mapped; /* Mapped or copied bytes, allocated */
	bool copied;          /* True if the bytes are a copy in memory, as of a pipe */
	struct owned *owned;
};

enum {
	MAPPINGS_MAX = 256
}; /* Maximal number of files that file_mapped_at() knows. More files may be open. */

bool file_open(struct file *f, const char *path, struct heft_err *err);
/* Opens a file like file_open(), or reads a pipe to its end, at most 1 GiB. Waits for the pipe. For
 * text files that the user names. */
bool file_open_stream(struct file *f, const char *path, struct heft_err *err);
void file_close(struct file *f);
/* True if the bytes are those of a mapped file. Then pages_drop() only costs time. */
static inline bool file_is_mapped(const struct file *f)
{
	return f->mapped && !f->copied;
}
/* True if file_open() may find something at the path. */
bool file_exists(const char *path);
/* Replaces the bytes of the file by `mapped`, its unpacked contents in memory of mmap(2). The file
 * then owns that memory. */
void file_replace(struct file *f, struct bytes mapped);

/* Inputs that replace files, by name. A zeroed list is empty. Names and bytes are borrowed. The
 * list owns the descriptors. */
struct file_inputs {
	VEC(struct file_input {
		const char *name;
		struct bytes bytes; /* p is NULL if the input is the file of `fd` */
		int fd;
		struct owned *owned;
	})
	list;
	bool copied; /* True if files are read into memory instead of mapped */
};

/* Adds an input of `bytes`. If `bytes` is empty, adds a copy of the descriptor, which must be of a
 * regular file that is not empty. */
bool file_inputs_add(struct file_inputs *in, const char *name, struct bytes bytes, int fd,
		     struct heft_err *err);
const struct file_input *file_inputs_find(const struct file_inputs *in, const char *name);
void file_inputs_release(struct file_inputs *in);

/* Returns the absolute path without links, like realpath(3), or NULL. Use mem_free(). */
char *file_real_path(const char *path);
/* Returns the path of the open file whose mapping holds the address. NULL if there is none.
 * Handlers of SIGBUS may call it, because it reads only atomic variables. The system sends SIGBUS
 * if a mapped file became shorter or cannot be read. The path is valid while the file is open. */
const char *file_mapped_at(const void *address);

#endif
