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
};

bool file_open(struct file *f, const char *path, struct heft_err *err);
void file_close(struct file *f);

#endif
