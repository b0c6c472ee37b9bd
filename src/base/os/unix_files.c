#include "base/os/os.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static enum os_file_kind unix_file_kind(mode_t mode)
{
	if (S_ISREG(mode))
		return OS_FILE;
	if (S_ISDIR(mode))
		return OS_FOLDER;
	if (S_ISLNK(mode))
		return OS_LINK;
	return S_ISFIFO(mode) || S_ISSOCK(mode) ? OS_PIPE : OS_OTHER;
}

static bool unix_file_fill(int failed, const struct stat *st, struct os_file *ret)
{
	if (failed)
		return false;
	*ret = (struct os_file){ .kind = unix_file_kind(st->st_mode),
				 .size = (uint64_t)st->st_size,
				 .stored = (uint64_t)st->st_blocks * 512,
				 .device = (uint64_t)st->st_dev,
				 .inode = (uint64_t)st->st_ino,
				 .modified = (int64_t)st->st_mtime };
	return true;
}

bool os_fd_look(int fd, struct os_file *ret)
{
	struct stat st;
	return unix_file_fill(fstat(fd, &st), &st, ret);
}

bool os_path_look(const char *path, struct os_file *ret)
{
	struct stat st;
	return unix_file_fill(stat(path, &st), &st, ret);
}

bool os_entry_look(const char *path, struct os_file *ret)
{
	struct stat st;
	return unix_file_fill(lstat(path, &st), &st, ret);
}

int os_open(const char *path, bool waits)
{
	return open(path, O_RDONLY | O_CLOEXEC | (waits ? 0 : O_NONBLOCK));
}

bool os_rename(const char *from, const char *to)
{
	return rename(from, to) == 0;
}

bool os_make_folder(const char *path)
{
	return mkdir(path, S_IRWXU) == 0;
}
