/* Reads and writes files with the names of functions at addresses. */
#include "process/name_cache.h"

#include "base/file.h"
#include "base/fnv.h"
#include "base/os/os.h"
#include "base/text.h"

#include <dirent.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { CHECK_SIZE = 8, PATH_ROOM = 4096, TEMPORARY_AGE = 3600 /* TEMPORARY_AGE: seconds */ };

static bool process_name_cache_find(const struct name_cache *c, uint64_t addr, uint32_t *ret)
{
	struct map_at at = map_at(&c->by_addr, hash_u64(addr));
	while (map_next(&c->by_addr, &at, ret))
		if (c->list.data[*ret].addr == addr)
			return true;
	return false;
}

const struct heft_frame *name_cache_find(const struct name_cache *c, uint64_t addr,
					 size_t *ret_count)
{
	uint32_t i;
	if (!process_name_cache_find(c, addr, &i))
		return NULL;
	ASSERT(c->list.data[i].first + c->list.data[i].count <= c->frames.count);
	*ret_count = c->list.data[i].count;
	return &c->frames.data[c->list.data[i].first];
}

static void name_cache_add_names(struct name_cache *c, uint64_t addr, size_t first)
{
	ASSERT(first <= c->frames.count && c->list.count < UINT32_MAX);
	map_add(&c->by_addr, hash_u64(addr), (uint32_t)c->list.count);
	vec_push(&c->list, (struct cached_names){ addr, first, c->frames.count - first });
}

void name_cache_add(struct name_cache *c, uint64_t addr, const struct heft_frame *frames,
		    size_t count)
{
	const size_t first = c->frames.count;
	for (size_t i = 0; i < count; i++) {
		struct heft_frame f = frames[i];
		f.function = arena_copy(&c->texts, str_of(f.function));
		f.linkage = arena_copy(&c->texts, str_of(f.linkage));
		f.file = arena_copy(&c->texts, str_of(f.file));
		f.module = "";
		vec_push(&c->frames, f);
	}
	name_cache_add_names(c, addr, first);
	c->changed = true;
}

void name_cache_release(struct name_cache *c)
{
	arena_release(&c->texts);
	vec_release_all(&c->list, &c->frames);
	map_release(&c->by_addr);
	*c = (struct name_cache){ .changed = false };
}

static void head_text(char ret[80], enum heft_demangle style)
{
	snprintf(ret, 80, "heft names of %.30s, style %d\n", HEFT_VERSION, (int)style);
}

static void name_cache_put_text(struct text *t, const char *s)
{
	text_add_varint(t, strlen(s));
	text_add(t, str_of(s));
}

static void name_cache_put(struct text *t, const struct name_cache *c, const struct cached_names *n)
{
	text_add_varint(t, n->addr);
	text_add_varint(t, n->count);
	for (size_t i = 0; i < n->count; i++) {
		const struct heft_frame *f = &c->frames.data[n->first + i];
		name_cache_put_text(t, f->function);
		name_cache_put_text(t, f->linkage);
		name_cache_put_text(t, f->file);
		text_add_varint(t, f->line);
		text_add_varint(t, f->column);
		text_add_varint(t, f->addr);
		text_add_varint(t, f->inlined);
	}
}

static const char *name_cache_read_text(struct name_cache *c, struct reader *r)
{
	const uint64_t size = read_uleb(r);
	const char *p = (const char *)read_take(r, size);
	return p && !memchr(p, '\0', size) ? arena_copy(&c->texts, (struct str){ p, size })
					   : (reader_fail(r), "");
}

static void name_cache_read_names(struct name_cache *c, struct reader *r)
{
	uint32_t known;
	const uint64_t addr = read_uleb(r);
	const size_t first = c->frames.count;
	uint64_t count = read_uleb(r);
	if (count == 0 || process_name_cache_find(c, addr, &known))
		reader_fail(r);
	for (; count > 0 && reader_ok(r); count--) {
		struct heft_frame f = { .function = name_cache_read_text(c, r),
					.linkage = name_cache_read_text(c, r),
					.file = name_cache_read_text(c, r),
					.module = "" };
		f.line = (uint32_t)read_uleb(r);
		f.column = (uint32_t)read_uleb(r);
		f.addr = read_uleb(r);
		f.inlined = read_uleb(r) != 0;
		vec_push(&c->frames, f);
	}
	if (reader_ok(r))
		name_cache_add_names(c, addr, first);
}

bool name_cache_parse(struct name_cache *c, struct bytes file, enum heft_demangle style)
{
	char head[80];
	head_text(head, style);
	const size_t start = strlen(head);
	struct reader end = reader_at(file, false, file.size - CHECK_SIZE);
	bool good = file.size >= start + CHECK_SIZE && memcmp(file.p, head, start) == 0 &&
		    read_u64(&end) == fnv_add(FNV_START, file.p, file.size - CHECK_SIZE);
	struct reader r = reader_make(file.p, good ? file.size - CHECK_SIZE : 0, false);
	reader_seek(&r, good ? start : 0);
	while (good && reader_left(&r) > 0) {
		name_cache_read_names(c, &r);
		good = reader_ok(&r);
	}
	if (!good)
		name_cache_release(c);
	return good;
}

/* Makes "DIR/BUILDID". False if the path is too long or there is no build id. */
static bool name_cache_path_of(char ret[PATH_ROOM], const char *dir, struct bytes build_id)
{
	char hex[2 * 64 + 1];
	if (build_id.size == 0 || build_id.size > 64)
		return false;
	hex_text(hex, build_id.p, build_id.size);
	const int n = snprintf(ret, PATH_ROOM, "%s/%s", dir, hex);
	return n > 0 && n < PATH_ROOM;
}

/* Makes a folder, with its parents. True if it then is the user's own (os_is_own_folder()). */
static bool make_folder(const char *dir)
{
	char path[PATH_ROOM];
	const size_t size = strlen(dir);
	if (size >= sizeof path)
		return false;
	for (size_t i = 1; i <= size; i++) {
		if (dir[i] != '/' && dir[i] != '\0')
			continue;
		memcpy(path, dir, i);
		path[i] = '\0';
		os_make_folder(path);
	}
	return os_is_own_folder(dir);
}

void name_cache_read(struct name_cache *c, const char *dir, struct bytes build_id,
		     enum heft_demangle style)
{
	char path[PATH_ROOM];
	struct heft_err err;
	struct file f;
	if (!name_cache_path_of(path, dir, build_id) || !os_is_own_folder(dir) ||
	    !file_open(&f, path, &err))
		return;
	if (f.bytes.size <= NAME_CACHE_BYTES)
		name_cache_parse(c, f.bytes, style);
	file_close(&f);
}

static bool write_bytes(int fd, const char *p, size_t size)
{
	while (size > 0) {
		const ssize_t n = write(fd, p, size);
		if (n <= 0)
			return false;
		p += n;
		size -= (size_t)n;
	}
	return true;
}

/* Removes files of killed writers, and the oldest file if there are too many. Touches only files
 * with names that name_cache_write() makes. */
static void name_cache_make_room(const char *dir)
{
	char path[PATH_ROOM], oldest[PATH_ROOM] = "";
	int64_t first = 0;
	size_t count = 0;
	DIR *d = opendir(dir);
	const struct dirent *e;
	while (d && (e = readdir(d)) != NULL) {
		const char *name = e->d_name;
		struct os_file is;
		const size_t hex = strspn(name, "0123456789abcdef");
		const bool temporary = name[hex] == '.' && hex > 0;
		const int n = snprintf(path, sizeof path, "%s/%s", dir, name);
		if ((name[hex] != '\0' && !temporary) || n >= PATH_ROOM || !os_path_look(path, &is))
			continue;
		if (temporary && is.modified + TEMPORARY_AGE < (int64_t)time(NULL))
			unlink(path);
		if (!temporary && (count++ == 0 || is.modified < first)) {
			first = is.modified;
			memcpy(oldest, path, sizeof oldest);
		}
	}
	if (d)
		closedir(d);
	if (count > NAME_CACHE_FILES)
		unlink(oldest);
}

void name_cache_write(const struct name_cache *c, const char *dir, struct bytes build_id,
		      enum heft_demangle style)
{
	char path[PATH_ROOM], beside[PATH_ROOM + 8];
	struct text t = { 0 };
	if (!c->changed || !name_cache_path_of(path, dir, build_id) || !make_folder(dir))
		return;
	char head[80];
	head_text(head, style);
	text_add(&t, str_of(head));
	for (size_t i = 0; i < c->list.count && t.len < NAME_CACHE_BYTES / 2; i++)
		name_cache_put(&t, c, &c->list.data[i]);
	const uint64_t check = fnv_add(FNV_START, t.p, t.len);
	for (unsigned i = 0; i < CHECK_SIZE; i++)
		text_add_char(&t, (char)(check >> 8 * i));
	snprintf(beside, sizeof beside, "%s.XXXXXX", path);
	const int fd = os_new_file(beside, false);
	if (fd >= 0) {
		const bool written = write_bytes(fd, t.p, t.len);
		if (close(fd) != 0 || !written || !os_rename(beside, path))
			unlink(beside);
		name_cache_make_room(dir);
	}
	text_release(&t);
}
