/* file.h - input files, mapped read-only.
 *
 * The bytes stay valid and unchanged until file_close, so that everything parsed
 * from them may borrow.  Only regular files are opened (a directory, device or
 * empty file is an error with its own words).  Reading is thread-safe. */
#ifndef HEFT_BASE_FILE_H
#define HEFT_BASE_FILE_H

#include "base/err.h"
#include "base/reader.h"

struct file {
	char *path;         /* owned */
	struct bytes bytes; /* the whole file */
	uint64_t device, inode;
	struct bytes *mapped; /* what is mapped; owned */
	struct owned *owned;
};

enum {
	MAPPINGS_MAX = 256
}; /* more files than that may be open; file_mapped_at knows the others not */

bool file_open(struct file *f, const char *path, struct heft_err *err);
void file_close(struct file *f);
/* Gives the file other bytes, which a mapping made by mmap(2) holds and which belong to it then:
 * what was packed in it. */
void file_replace(struct file *f, struct bytes mapped);
/* The absolute path without links, as realpath(3) has it, for mem_free; NULL where there is
 * none. */
char *file_real_path(const char *path);
/* The path of the open file whose mapping holds the address; NULL where none does.  For handlers
 * of SIGBUS, which a mapping raises where its file became shorter or cannot be read: it only reads
 * atomic variables, and the path is valid while the file is open. */
const char *file_mapped_at(const void *address);

#endif
