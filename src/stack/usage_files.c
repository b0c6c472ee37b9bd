/* Finds .su files: those that the user named, otherwise those beside the program and the objects of
 * its linker map. */
#include "stack/depths.h"
#include "stack/stated.h"

#include "base/err.h"
#include "base/file.h"
#include "base/filename.h"
#include "base/os/os.h"

#include <dirent.h>

struct usage_files_search {
	struct stated *to;
	struct program *p;
	struct arena arena; /* Owns paths */
};

static const char suffix[] = ".su";

static void usage_files_read_file(struct usage_files_search *s, const char *path)
{
	struct heft_err err;
	struct file f;
	if (!file_open(&f, path, &err)) {
		note(s->p->notes, path, HEFT_NO_OFFSET, 0, "not read: %s", err.text);
		return;
	}
	const uint64_t bad = stated_add(s->to,
					(struct str){ (const char *)f.bytes.p, f.bytes.size });
	if (bad > 0)
		note(s->p->notes, path, HEFT_NO_OFFSET, 0,
		     "lines that are not of -fstack-usage: %" PRIu64, bad);
	file_close(&f);
}

typedef VEC(const char *) paths;

static const char *usage_files_join(struct usage_files_search *s, const char *folder,
				    const char *name)
{
	return arena_format(&s->arena, "%s/%s", folder, name);
}

/* Reads a file, or adds a folder to *folders. Follows no symbolic links, which could lead back. */
static void usage_files_read_entry(struct usage_files_search *s, const char *path, paths *folders)
{
	struct os_file is;
	if (!os_entry_look(path, &is))
		return;
	if (is.kind == OS_FOLDER)
		vec_push(folders, path);
	else if (is.kind == OS_FILE && str_ends(str_of(path), str_of(suffix)))
		usage_files_read_file(s, path);
}

/* Reads all .su files in a folder and in the folders below it. */
static void read_tree(struct usage_files_search *s, const char *folder)
{
	paths folders = { 0 };
	vec_push(&folders, folder);
	for (size_t i = 0; i < folders.count; i++) {
		DIR *d = opendir(folders.data[i]);
		const struct dirent *e;
		while (d && (e = readdir(d)) != NULL)
			if (e->d_name[0] != '.')
				usage_files_read_entry(
					s, usage_files_join(s, folders.data[i], e->d_name),
					&folders);
		if (d)
			closedir(d);
	}
	vec_release(&folders);
}

static bool usage_files_read_named(struct usage_files_search *s, const char *path,
				   struct heft_err *err)
{
	struct os_file is;
	if (!os_path_look(path, &is))
		return fail_sys(err, "%s", path);
	if (is.kind == OS_FOLDER)
		read_tree(s, path);
	else
		usage_files_read_file(s, path);
	return true;
}

static const char *usage_files_folder_of(struct usage_files_search *s, const char *path)
{
	const size_t len = (size_t)(file_name(path) - path);
	return len == 0 ? "." : arena_copy(&s->arena, (struct str){ path, max_u64(len - 1, 1) });
}

/* Tries the file of frames beside an object. `stem`: its path without the last suffix. The
 * frames of "x.c.o" are in "x.su" if gcc named them, in "x.c.su" if cmake did. */
static bool try_stem(struct usage_files_search *s, const char *folder, struct str stem)
{
	const bool absolute = stem.len > 0 && stem.p[0] == '/';
	const char *path = arena_format(&s->arena, "%s%s" STR_FMT "%s", absolute ? "" : folder,
					absolute ? "" : "/", STR_ARG(stem), suffix);
	if (!file_exists(path))
		return false;
	usage_files_read_file(s, path);
	return true;
}

/* Returns the path of an object. For an archive member, "lib.a(x.o)", it is beside the archive. */
static struct str usage_files_object_path(struct usage_files_search *s, struct str name)
{
	const struct str file = file_name_str(name);
	const char *open = memchr(file.p, '(', file.len);
	if (!open || name.p[name.len - 1] != ')')
		return name;
	const size_t folder = name.len - file.len;
	return str_of(arena_format(&s->arena, "%.*s%.*s", (int)folder, name.p,
				   (int)(name.p + name.len - open - 2), open + 1));
}

static void read_beside_objects(struct usage_files_search *s, const struct linkmap *map)
{
	const char *folder = usage_files_folder_of(s, s->p->path);
	for (size_t i = 0; i < map->objects.entries.count; i++) {
		struct str path = usage_files_object_path(s, map->objects.entries.data[i]);
		for (unsigned tries = 0; tries < 2; tries++) {
			const size_t name = path.len - file_name_str(path).len;
			while (path.len > name && path.p[path.len - 1] != '.')
				path.len--;
			path.len = path.len > name ? path.len - 1 : 0;
			if (path.len == 0 || try_stem(s, folder, path) || try_stem(s, ".", path))
				break;
		}
	}
}

/* Reads files beside the program. "cc -o prog main.c" compiles and links, and leaves
 * "prog-main.su". */
static void read_beside_program(struct usage_files_search *s)
{
	const char *folder = usage_files_folder_of(s, s->p->path);
	const char *prefix = arena_format(&s->arena, "%s-", file_name(s->p->path));
	DIR *d = opendir(folder);
	const struct dirent *e;
	while (d && (e = readdir(d)) != NULL)
		if (str_starts(str_of(e->d_name), str_of(prefix)) &&
		    str_ends(str_of(e->d_name), str_of(suffix)))
			usage_files_read_file(s, usage_files_join(s, folder, e->d_name));
	if (d)
		closedir(d);
}

bool usage_files_read(struct stated *ret, struct program *p, struct heft_err *err)
{
	struct usage_files_search s = { .to = ret, .p = p };
	const struct program_wish *w = p->wish;
	bool good = true;
	for (size_t i = 0; good && i < w->stack_usage.count; i++)
		good = usage_files_read_named(&s, w->stack_usage.data[i], err);
	if (w->stack_usage.count == 0) {
		const struct linkmap *map = program_map(p);
		if (map)
			read_beside_objects(&s, map);
		read_beside_program(&s);
	}
	arena_release(&s.arena);
	return good;
}
