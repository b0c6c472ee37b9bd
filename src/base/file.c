#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static bool map_fd(struct file *f, int fd, const char *path, struct heft_err *err)
{
	struct stat st;
	if (fstat(fd, &st) != 0)
		return fail_sys(err, "%s", path);
	if (S_ISDIR(st.st_mode))
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "%s: is a directory", path);
	if (!S_ISREG(st.st_mode))
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "%s: not a regular file", path);
	if (st.st_size == 0)
		return fail(err, HEFT_EFORMAT, 0, "%s: the file is empty", path);
	void *p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED)
		return fail_sys(err, "%s", path);
	f->bytes = (struct bytes){ p, (uint64_t)st.st_size };
	f->device = (uint64_t)st.st_dev;
	f->inode = (uint64_t)st.st_ino;
	return true;
}

bool file_open(struct file *f, const char *path, struct heft_err *err)
{
	memset(f, 0, sizeof *f);
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return fail_sys(err, "%s", path);
	const bool ok = map_fd(f, fd, path, err);
	close(fd);
	if (ok) {
		const size_t size = strlen(path) + 1;
		f->path = memcpy(xmalloc(size), path, size);
	}
	return ok;
}

void file_close(struct file *f)
{
	if (f->bytes.p)
		munmap((void *)(uintptr_t)f->bytes.p, f->bytes.size);
	free(f->path);
	memset(f, 0, sizeof *f);
}
