/* file.h - input files, mapped read-only, and inputs that stand for one.
 *
 * The bytes stay valid and unchanged until file_close, so that everything parsed
 * from them may borrow.  Only regular files are opened (a directory, device or
 * empty file is an error with its own words).  Reading is thread-safe.
 *
 * A domain (mem.h) may have inputs of its own: file_open of such a name gives the bytes or the
 * descriptor of the input, and no file is looked for. */
#ifndef HEFT_BASE_FILE_H
#define HEFT_BASE_FILE_H

#include "base/err.h"
#include "base/reader.h"
#include "base/vec.h"

struct file {
	char *path;         /* owned */
	struct bytes bytes; /* the whole file */
	uint64_t device, inode;
	int64_t modified; /* seconds since 1970; 0: not known */
	bool cut; /* what was packed in it is damaged or cut off: `bytes` came before that */
	struct bytes *mapped; /* what is mapped; owned */
	struct owned *owned;
};

enum {
	MAPPINGS_MAX = 256
}; /* more files than that may be open; file_mapped_at knows the others not */

bool file_open(struct file *f, const char *path, struct heft_err *err);
/* As file_open, and of a pipe all that comes until its end, at most 1 GiB; waits for it.  For texts
 * that the user names. */
bool file_open_stream(struct file *f, const char *path, struct heft_err *err);
void file_close(struct file *f);
/* Whether file_open may find something at the path. */
bool file_exists(const char *path);
/* Gives the file other bytes, which a mapping made by mmap(2) holds and which belong to it then:
 * what was packed in it. */
void file_replace(struct file *f, struct bytes mapped);

/* What stands for a name.  A zeroed list is empty; the names and bytes are borrowed, the
 * descriptors belong to the list. */
struct file_inputs {
	VEC(struct file_input {
		const char *name;
		struct bytes bytes; /* p NULL: the file behind `fd` */
		int fd;
		struct owned *owned;
	})
	list;
};

/* Adds bytes, or where `bytes` are none a copy of the descriptor, which is to be of a regular file
 * that is not empty. */
bool file_inputs_add(struct file_inputs *in, const char *name, struct bytes bytes, int fd,
		     struct heft_err *err);
const struct file_input *file_inputs_find(const struct file_inputs *in, const char *name);
void file_inputs_release(struct file_inputs *in);

/* The absolute path without links, as realpath(3) has it, for mem_free; NULL where there is
 * none. */
char *file_real_path(const char *path);
/* The path of the open file whose mapping holds the address; NULL where none does.  For handlers
 * of SIGBUS, which a mapping raises where its file became shorter or cannot be read: it only reads
 * atomic variables, and the path is valid while the file is open. */
const char *file_mapped_at(const void *address);

#endif
