#define _GNU_SOURCE /* MAP_ANONYMOUS, realpath, SEEK_HOLE */
#include "base/file.h"

#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* What is mapped now, for file_mapped_at.  A slot is taken by its size and used when its path is
 * there. */
static struct file_mapping {
	_Atomic(uint64_t) size; /* 0: free */
	_Atomic(uintptr_t) start;
	_Atomic(const char *) path;
} mappings[MAPPINGS_MAX];

static void mapping_add(struct bytes b, const char *path)
{
	for (size_t i = 0; i < COUNT_OF(mappings); i++) {
		uint64_t none = 0;
		if (atomic_load_explicit(&mappings[i].size, memory_order_relaxed) != 0 ||
		    !atomic_compare_exchange_strong(&mappings[i].size, &none, b.size))
			continue;
		atomic_store(&mappings[i].start, (uintptr_t)b.p);
		atomic_store(&mappings[i].path, path);
		return;
	}
}

static void mapping_remove(struct bytes b)
{
	for (size_t i = 0; i < COUNT_OF(mappings); i++) {
		if (atomic_load(&mappings[i].start) != (uintptr_t)b.p)
			continue;
		atomic_store(&mappings[i].path, NULL);
		atomic_store(&mappings[i].start, 0);
		atomic_store(&mappings[i].size, 0);
		return;
	}
}

static void file_unmap(struct bytes b)
{
	mapping_remove(b);
	munmap((void *)(uintptr_t)b.p, (size_t)b.size);
}

static void release_mapping(void *thing)
{
	file_unmap(*(const struct bytes *)thing);
}

const char *file_mapped_at(const void *address)
{
	for (size_t i = 0; i < COUNT_OF(mappings); i++) {
		const char *path = atomic_load(&mappings[i].path);
		const uintptr_t start = atomic_load(&mappings[i].start);
		/* The last page of a mapping is whole. */
		const uint64_t size = align_up(atomic_load(&mappings[i].size), 4096);
		if (path && (uintptr_t)address - start < size)
			return path;
	}
	return NULL;
}

static bool check_fd(int fd, const char *path, struct stat *ret, struct heft_err *err)
{
	if (fstat(fd, ret) != 0)
		return fail_sys(err, "%s", path);
	if (S_ISDIR(ret->st_mode))
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "%s: is a directory", path);
	if (S_ISFIFO(ret->st_mode) || S_ISSOCK(ret->st_mode))
		return fail(
			err, HEFT_EARG, HEFT_NO_OFFSET,
			"%s: a pipe, but heft reads parts of a file in any order: write it to a "
			"file first",
			path);
	if (!S_ISREG(ret->st_mode))
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "%s: not a regular file", path);
	return ret->st_size > 0 || fail(err, HEFT_EFORMAT, 0, "%s: the file is empty", path);
}

/* Maps zeros in place of [start, end) of a mapping that begins at p; false where that cannot be. */
static bool map_zeros(unsigned char *p, uint64_t start, uint64_t end)
{
	const size_t size = (size_t)(end - start);
	if (mmap(p + start, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
	    MAP_FAILED)
		return false;
	madvise(p + start, size, MADV_HUGEPAGE);
	return true;
}

/* A page of a hole takes memory once it is read, in the mapping of a file; one of zeros takes
 * none.  Small holes are left as they are, and those behind many others. */
static void map_holes(unsigned char *p, uint64_t size, int fd)
{
	enum { HOLE_MIN = 2 << 20, HOLES_MAX = 1024, LOOKS_MAX = 1 << 16 };
	const off_t before = lseek(fd, 0, SEEK_CUR);
	uint64_t at = 0;
	for (unsigned i = 0, holes = 0; at < size && i < LOOKS_MAX && holes < HOLES_MAX; i++) {
		const off_t hole = lseek(fd, (off_t)at, SEEK_HOLE);
		if (hole < 0 || (uint64_t)hole >= size)
			break;
		const off_t data = lseek(fd, hole, SEEK_DATA);
		if (data < 0 && errno != ENXIO)
			break;
		at = data < 0 ? size : min_u64((uint64_t)data, size);
		const uint64_t start = align_up((uint64_t)hole, HOLE_MIN);
		const uint64_t end = at / HOLE_MIN * HOLE_MIN;
		if (end <= start)
			continue;
		if (!map_zeros(p, start, end))
			break;
		holes++;
	}
	if (before >= 0)
		lseek(fd, before, SEEK_SET);
}

static bool map_fd(struct file *f, int fd, const char *path, struct heft_err *err)
{
	struct stat st;
	if (!check_fd(fd, path, &st, err))
		return false;
	if ((uint64_t)st.st_size > SIZE_MAX / 2)
		return fail(err, HEFT_ELIMIT, HEFT_NO_OFFSET,
			    "%s: larger than the address space of this heft, which is for 32 bits",
			    path);
	void *p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED)
		return fail_sys(err, "%s", path);
	if ((uint64_t)st.st_blocks < (uint64_t)st.st_size / 512)
		map_holes(p, (uint64_t)st.st_size, fd);
	f->bytes = (struct bytes){ p, (uint64_t)st.st_size };
	f->device = (uint64_t)st.st_dev;
	f->inode = (uint64_t)st.st_ino;
	f->modified = (int64_t)st.st_mtime;
	return true;
}

/* Has the mapping go with the domain, and be known to file_mapped_at. */
static void keep_mapping(struct file *f)
{
	struct bytes *mapped = mem_alloc(sizeof *mapped);
	*mapped = f->bytes;
	mapping_add(f->bytes, f->path);
	f->mapped = mapped;
	f->owned = memory_own(release_mapping, mapped);
}

static void drop_mapping(struct file *f)
{
	if (!f->owned)
		return;
	file_unmap(*f->mapped);
	memory_disown(f->owned);
	mem_free(f->mapped);
	f->owned = NULL;
}

static bool file_map_path(struct file *f, const char *path, struct heft_err *err)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 && strcmp(path, "-") == 0)
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET,
			    "-: heft reads no standard input here, for it reads parts of a file in "
			    "any order: name a file");
	const bool ok = fd < 0 ? fail_sys(err, "%s", path) : map_fd(f, fd, path, err);
	if (fd >= 0)
		close(fd);
	return ok;
}

bool file_open(struct file *f, const char *path, struct heft_err *err)
{
	const struct file_input *in = file_inputs_find(memory_inputs(), path);
	memset(f, 0, sizeof *f);
	const size_t size = strlen(path) + 1;
	char *copy = memcpy(mem_alloc(size), path, size);
	if (in && in->bytes.p)
		f->bytes = in->bytes;
	else if (!(in ? map_fd(f, in->fd, path, err) : file_map_path(f, path, err))) {
		mem_free(copy);
		return false;
	}
	f->path = copy;
	if (!in || !in->bytes.p)
		keep_mapping(f);
	return true;
}

enum { STREAM_MAX = 1 << 30, STREAM_STEP = 1 << 16 };

/* Reads on until the end. */
static bool file_read_all(int fd, struct text *t, const char *path, struct heft_err *err)
{
	ssize_t n = 1;
	while (n != 0) {
		if (t->cap - t->len < STREAM_STEP)
			t->p = vec_grow(t->p, &t->cap, t->len + STREAM_STEP, 1);
		n = read(fd, t->p + t->len, t->cap - t->len);
		if (n < 0 && errno != EINTR)
			return fail_sys(err, "%s", path);
		t->len += n > 0 ? (size_t)n : 0;
		if (t->len > STREAM_MAX)
			return fail(err, HEFT_ELIMIT, HEFT_NO_OFFSET,
				    "%s: more than 1 GiB comes through the pipe", path);
	}
	return t->len > 0 || fail(err, HEFT_EFORMAT, 0, "%s: the file is empty", path);
}

/* In a mapping of its own, as the bytes of every file. */
static bool keep_copy(struct file *f, struct bytes from, const char *path, struct heft_err *err)
{
	const size_t size = strlen(path) + 1;
	f->path = memcpy(mem_alloc(size), path, size);
	void *p = mmap(NULL, (size_t)from.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		       -1, 0);
	if (p == MAP_FAILED) {
		fail_sys(err, "%s", path);
		mem_free((char *)(uintptr_t)f->path);
		f->path = NULL;
		return false;
	}
	memcpy(p, from.p, (size_t)from.size);
	f->bytes = (struct bytes){ p, from.size };
	keep_mapping(f);
	return true;
}

static bool read_pipe(struct file *f, int fd, const char *path, struct heft_err *err)
{
	struct text t = { 0 };
	const bool ok = file_read_all(fd, &t, path, err) &&
			keep_copy(f, (struct bytes){ (const uint8_t *)t.p, t.len }, path, err);
	text_release(&t);
	return ok;
}

bool file_open_stream(struct file *f, const char *path, struct heft_err *err)
{
	struct stat st;
	if (file_inputs_find(memory_inputs(), path) || stat(path, &st) != 0 ||
	    !S_ISFIFO(st.st_mode))
		return file_open(f, path, err);
	memset(f, 0, sizeof *f);
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return fail_sys(err, "%s", path);
	const bool ok = read_pipe(f, fd, path, err);
	close(fd);
	return ok;
}

bool file_exists(const char *path)
{
	return file_inputs_find(memory_inputs(), path) || access(path, F_OK) == 0;
}

void file_replace(struct file *f, struct bytes mapped)
{
	drop_mapping(f);
	f->bytes = mapped;
	keep_mapping(f);
}

void file_close(struct file *f)
{
	drop_mapping(f);
	mem_free(f->path);
	memset(f, 0, sizeof *f);
}

/* ---- inputs ---------------------------------------------------------------------------------- */

const struct file_input *file_inputs_find(const struct file_inputs *in, const char *name)
{
	for (size_t i = 0; in && i < in->list.count; i++)
		if (strcmp(in->list.data[i].name, name) == 0)
			return &in->list.data[i];
	return NULL;
}

static void file_close_fd(void *fd)
{
	close((int)(intptr_t)fd);
}

static bool copy_fd(struct file_input *in, int fd, struct heft_err *err)
{
	struct stat st;
	if (!check_fd(fd, in->name, &st, err))
		return false;
	in->fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	if (in->fd < 0)
		return fail_sys(err, "%s", in->name);
	in->owned = memory_own(file_close_fd, (void *)(intptr_t)in->fd);
	return true;
}

bool file_inputs_add(struct file_inputs *in, const char *name, struct bytes bytes, int fd,
		     struct heft_err *err)
{
	struct file_input made = { .name = name, .bytes = bytes, .fd = -1 };
	vec_reserve(&in->list, 1);
	if (!bytes.p && !copy_fd(&made, fd, err))
		return false;
	if (bytes.p && bytes.size == 0)
		return fail(err, HEFT_EFORMAT, 0, "%s: the file is empty", name);
	in->list.data[in->list.count++] = made;
	return true;
}

void file_inputs_release(struct file_inputs *in)
{
	for (size_t i = 0; i < in->list.count; i++) {
		struct file_input *one = &in->list.data[i];
		if (!one->owned)
			continue;
		close(one->fd);
		memory_disown(one->owned);
	}
	vec_release(&in->list);
}

char *file_real_path(const char *path)
{
	char *real = realpath(path, NULL);
	if (!real)
		return NULL;
	const size_t size = strlen(real) + 1;
	char *ret = memory_try(size);
	if (ret)
		memcpy(ret, real, size);
	free(real);
	if (!ret)
		call_raise(HEFT_ENOMEM, "out of memory");
	return ret;
}
