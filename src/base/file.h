/* file.h - maps input files read-only, or copies them. Also keeps named inputs in memory that
 * replace files.
 *
 * The bytes stay valid and unchanged until file_close(), so that parsed data may borrow them. Only
 * regular files are opened. A directory, a device or an empty file is an error with its own
 * message. Reading is thread-safe.
 *
 * A handle may have inputs of its own (memory_set_inputs() in mem.h). file_open() of the name of an
 * input uses its bytes or its descriptor, and does not look for a file. */
#pragma once

#include "base/err.h"
#include "base/reader.h"
#include "base/vec.h"

struct file {
	char *path;         /* Owned */
	struct bytes bytes; /* All bytes of the file */
	uint64_t device, inode;
	int64_t modified;     /* Time of the last change, in seconds since 1970. 0 if unknown */
	bool cut;             /* True if compressed contents are damaged or truncated */
	struct bytes *mapped; /* The mapping or the copy of the file, owned */
	bool copied;          /* True if the bytes are a copy in memory, as for a pipe */
	struct owned *owned;
};

enum { MAPPINGS_MAX = 256 }; /* Number of files that file_mapped_at() can know. More may be open */

bool file_open(struct file *f, const char *path, struct heft_err *err);
/* Like file_open(), but also reads a pipe to its end, at most 1 GiB, for which it waits. For text
 * files that the user names. */
bool file_open_stream(struct file *f, const char *path, struct heft_err *err);
void file_close(struct file *f);
/* True if the bytes are those of a mapped file. Then pages_drop() only costs time. */
static inline bool file_is_mapped(const struct file *f)
{
	return f->mapped && !f->copied;
}
bool file_exists(const char *path);
/* Replaces the file's bytes by unpacked contents in memory of mmap(2), which the file then owns. */
void file_replace(struct file *f, struct bytes mapped);

/* Named inputs that replace files. Zeroed: no inputs. Borrows names and bytes. Owns descriptors */
struct file_inputs {
	VEC(struct file_input {
		const char *name;
		struct bytes bytes; /* p is NULL if the input is the file `fd` */
		int fd;
		struct owned *owned;
	})
	list;
	bool copied; /* True if files are read into memory instead of mapped */
};

/* Adds an input with these bytes, or, if they are empty, with the contents of the file `fd`, which
 * must be regular and not empty. Copies the descriptor. */
bool file_inputs_add(struct file_inputs *in, const char *name, struct bytes bytes, int fd,
		     struct heft_err *err);
const struct file_input *file_inputs_find(const struct file_inputs *in, const char *name);
void file_inputs_release(struct file_inputs *in);

/* Returns the absolute path without links, as realpath(3), or NULL. Free it with mem_free(). */
char *file_real_path(const char *path);
/* Returns the path of the open file that is mapped at an address, or NULL. It is valid while the
 * file is open. Only reads atomic variables, so that handlers of SIGBUS may call it. The system
 * sends that signal if a mapped file became shorter or cannot be read. */
const char *file_mapped_at(const void *address);
