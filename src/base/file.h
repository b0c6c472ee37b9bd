/* file.h - maps input files read-only, or copies them, and holds inputs that replace files.
 *
 * The bytes stay valid and unchanged until file_close(), so that parsed data may borrow them. Only
 * regular files are opened. A directory, a device or an empty file is an error with its own
 * message. Reading is thread-safe.
 *
 * A domain (mem.h) may have inputs of its own. file_open() of such a name uses the bytes or the
 * descriptor of the input, and looks for no file. */
#ifndef HEFT_BASE_FILE_H
#define HEFT_BASE_FILE_H

#include "base/err.h"
#include "base/reader.h"
#include "base/vec.h"

struct file {
	char *path;         /* owned */
	struct bytes bytes; /* The whole file */
	uint64_t device, inode;
	int64_t modified;     /* Seconds since 1970. 0 if unknown. */
	bool cut;             /* The packed contents are damaged or cut off. `bytes` ends there. */
	struct bytes *mapped; /* Mapped or copied bytes, owned */
	bool copied;          /* The bytes are a copy in memory, as of a pipe */
	struct owned *owned;
};

enum {
	MAPPINGS_MAX = 256
}; /* More files may be open than this. file_mapped_at() does not know the others. */

bool file_open(struct file *f, const char *path, struct heft_err *err);
/* Opens a file like file_open(), or reads a pipe to its end, at most 1 GiB, and waits for it. For
 * texts that the user names. */
bool file_open_stream(struct file *f, const char *path, struct heft_err *err);
void file_close(struct file *f);
/* True if the bytes are those of a mapped file, so that pages_drop() only costs time. */
static inline bool file_is_mapped(const struct file *f)
{
	return f->mapped && !f->copied;
}
/* True if file_open() may find something at the path. */
bool file_exists(const char *path);
/* Replaces the bytes of the file by those of a mapping of mmap(2), its unpacked contents. The
 * mapping then belongs to the file. */
void file_replace(struct file *f, struct bytes mapped);

/* Inputs that replace files, by name. A zeroed list is empty. Names and bytes are borrowed,
 * descriptors belong to the list. */
struct file_inputs {
	VEC(struct file_input {
		const char *name;
		struct bytes bytes; /* p is NULL if the input is the file of `fd` */
		int fd;
		struct owned *owned;
	})
	list;
	bool copied; /* Files are read into memory instead of mapped. */
};

/* Adds bytes. If `bytes` is empty, adds a copy of the descriptor. The descriptor must be of a
 * regular file that is not empty. */
bool file_inputs_add(struct file_inputs *in, const char *name, struct bytes bytes, int fd,
		     struct heft_err *err);
const struct file_input *file_inputs_find(const struct file_inputs *in, const char *name);
void file_inputs_release(struct file_inputs *in);

/* Returns the absolute path without links, like realpath(3), or NULL. Free it with mem_free(). */
char *file_real_path(const char *path);
/* Returns the path of the open file whose mapping holds the address. NULL if there is none. Only
 * reads atomic variables, so handlers of SIGBUS may call it. A mapping raises SIGBUS if its file
 * became shorter or cannot be read. The path is valid while the file is open. */
const char *file_mapped_at(const void *address);

#endif
