/* Opens input files and maps them into memory. */
#include "base/file.h"

#include "base/os/os.h"
#include "base/text.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

/* Slots for mapped files, for file_mapped_at(). A thread takes a slot by setting `size`. The slot
 * is in use once `path` is set */
static struct file_mapping {
	_Atomic(uint64_t) size; /* 0 if the slot is free */
	_Atomic(uintptr_t) start;
	_Atomic(const char *) path;
} mappings[MAPPINGS_MAX];

static void mapping_add(struct bytes b, const char *path)
{
	ASSERT(b.size > 0 && path); /* Nonzero `size` and `path` mark a slot as in use */
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
	os_unmap((void *)(uintptr_t)b.p, (size_t)b.size);
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
		/* The mapping ends at a page boundary. */
		const uint64_t size = align_up(atomic_load(&mappings[i].size), 4096);
		if (path && (uintptr_t)address - start < size)
			return path;
	}
	return NULL;
}

static bool check_fd(int fd, const char *path, struct os_file *ret, struct heft_err *err)
{
	if (!os_fd_look(fd, ret))
		return fail_sys(err, "%s", path);
	if (ret->kind == OS_FOLDER)
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "%s: is a directory", path);
	if (ret->kind == OS_PIPE)
		return fail(
			err, HEFT_EARG, HEFT_NO_OFFSET,
			"%s: a pipe, but heft reads parts of a file in any order: write it to a "
			"file first",
			path);
	if (ret->kind != OS_FILE)
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "%s: not a regular file", path);
	return ret->size > 0 ||
	       fail(err, HEFT_EFORMAT, HEFT_NO_OFFSET, "%s: the file is empty", path);
}

static bool map_fd(struct file *f, int fd, const char *path, struct heft_err *err)
{
	struct os_file is;
	if (!check_fd(fd, path, &is, err))
		return false;
	if (is.size > SIZE_MAX / 2)
		return fail(err, HEFT_ELIMIT, HEFT_NO_OFFSET,
			    "%s: larger than the address space of this heft, which is for 32 bits",
			    path);
	const struct file_inputs *in = memory_inputs();
	f->copied = in && in->copied;
	void *p = f->copied ? os_copy(fd, (size_t)is.size)
			    : os_map(fd, (size_t)is.size, is.stored / 512 < is.size / 512);
	if (!p && f->copied && errno == EIO)
		return fail_sys(err, "%s: cannot read all of the file", path);
	if (!p)
		return fail_sys(err, "%s", path);
	f->bytes = (struct bytes){ p, is.size };
	f->device = is.device;
	f->inode = is.inode;
	f->modified = is.modified;
	return true;
}

/* Makes the current handle (mem.h) own the mapping, and file_mapped_at() know it. */
static void keep_mapping(struct file *f)
{
	ASSERT(!f->owned && f->bytes.p);
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
	const int fd = os_open(path, false);
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
	return t->len > 0 || fail(err, HEFT_EFORMAT, HEFT_NO_OFFSET, "%s: the file is empty", path);
}

/* Copies bytes to a mapping, because every struct file has one. */
static bool keep_copy(struct file *f, struct bytes from, const char *path, struct heft_err *err)
{
	const size_t size = strlen(path) + 1;
	f->path = memcpy(mem_alloc(size), path, size);
	void *p = os_pages_new((size_t)from.size, false);
	if (!p) {
		fail_sys(err, "%s", path);
		mem_free((char *)(uintptr_t)f->path);
		f->path = NULL;
		return false;
	}
	memcpy(p, from.p, (size_t)from.size);
	f->bytes = (struct bytes){ p, from.size };
	f->copied = true;
	keep_mapping(f);
	return true;
}

bool file_open_stream(struct file *f, const char *path, struct heft_err *err)
{
	struct os_file is;
	if (file_inputs_find(memory_inputs(), path) || !os_path_look(path, &is) ||
	    is.kind != OS_PIPE)
		return file_open(f, path, err);
	memset(f, 0, sizeof *f);
	const int fd = os_open(path, true);
	if (fd < 0)
		return fail_sys(err, "%s", path);
	struct text t = { 0 };
	const bool ok = file_read_all(fd, &t, path, err) &&
			keep_copy(f, (struct bytes){ (const uint8_t *)t.p, t.len }, path, err);
	text_release(&t);
	ASSERT(!ok || f->bytes.size == 0 || f->bytes.p);
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
	f->copied = false;
	keep_mapping(f);
}

void file_close(struct file *f)
{
	drop_mapping(f);
	mem_free(f->path);
	memset(f, 0, sizeof *f);
}

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
	struct os_file is;
	if (!check_fd(fd, in->name, &is, err))
		return false;
	in->fd = os_dup(fd);
	if (in->fd < 0)
		return fail_sys(err, "%s", in->name);
	in->owned = memory_own(file_close_fd, (void *)(intptr_t)in->fd);
	return true;
}

bool file_inputs_add(struct file_inputs *in, const char *name, struct bytes bytes, int fd,
		     struct heft_err *err)
{
	struct file_input made = { .name = name, .bytes = bytes, .fd = -1 };
	ASSERT(name && !file_inputs_find(in, name));
	vec_reserve(&in->list, 1);
	if (!bytes.p && !copy_fd(&made, fd, err))
		return false;
	if (bytes.p && bytes.size == 0)
		return fail(err, HEFT_EFORMAT, HEFT_NO_OFFSET, "%s: the file is empty", name);
	in->list.data[in->list.count++] = made;
	return true;
}

void file_inputs_release(struct file_inputs *in)
{
	vec_each(struct file_input, one, &in->list) {
		if (!one->owned)
			continue;
		close(one->fd);
		memory_disown(one->owned);
	}
	vec_release(&in->list);
}

char *file_real_path(const char *path)
{
	char *real = os_real_path(path);
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
