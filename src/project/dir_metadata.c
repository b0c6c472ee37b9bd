/* Finds the owners of source files in DIR_METADATA files. */
#include "project/dir_metadata.h"

#include "base/file.h"
#include "base/filename.h"
#include "base/os/os.h"

static const char file_of_folder[] = "DIR_METADATA";

enum {
	FILES_MOST = 64
}; /* Most files to read for one folder. More mean a circle, and reading stops. */

bool dir_metadata_matches(const char *path)
{
	struct os_file is;
	return strcmp(file_name(path), file_of_folder) == 0 ||
	       (os_path_look(path, &is) && is.kind == OS_FOLDER);
}

static struct str dir_metadata_folder_of(struct str path)
{
	while (path.len > 0 && path.p[path.len - 1] != '/')
		path.len--;
	while (path.len > 0 && path.p[path.len - 1] == '/')
		path.len--;
	return path;
}

void dir_metadata_open(struct dir_metadata *d, const char *path)
{
	char *real = file_real_path(path);
	memset(d, 0, sizeof *d);
	d->root = str_of(arena_copy(&d->arena, str_of(real ? real : path)));
	if (strcmp(file_name(d->root.p), file_of_folder) == 0)
		d->root = dir_metadata_folder_of(d->root);
	mem_free(real);
}

void dir_metadata_close(struct dir_metadata *d)
{
	intern_release(&d->folders);
	vec_release(&d->components);
	arena_release(&d->arena);
	memset(d, 0, sizeof *d);
}

/* Finds the quoted text after `key` at the start of a line, ignoring blanks. False without one. */
static bool quoted_behind(struct str line, struct str key, struct str *ret)
{
	size_t i = 0;
	while (i < line.len && (line.p[i] == ' ' || line.p[i] == '\t'))
		i++;
	line = (struct str){ line.p + i, line.len - i };
	if (!str_starts(line, key))
		return false;
	const char *open = memchr(line.p, '"', line.len);
	const size_t rest = open ? line.len - (size_t)(open + 1 - line.p) : 0;
	const char *end = rest > 0 ? memchr(open + 1, '"', rest) : NULL;
	if (!end)
		return false;
	*ret = (struct str){ open + 1, (size_t)(end - open - 1) };
	return true;
}

/* Finds the next line of *text with a quoted value of the key. Moves *text to the line after it. */
static bool next_value(struct str *text, struct str key, struct str *ret)
{
	bool found = false;
	while (text->len > 0 && !found) {
		const char *end = memchr(text->p, '\n', text->len);
		const size_t size = end ? (size_t)(end - text->p) : text->len;
		found = quoted_behind((struct str){ text->p, size }, key, ret);
		const size_t skip = min_u64(size + 1, text->len);
		*text = (struct str){ text->p + skip, text->len - skip };
	}
	return found;
}

/* Returns the component that a file below the root states. "" without one, or without the file. */
static const char *dir_metadata_read_file(struct dir_metadata *d, struct str path, unsigned *left)
{
	const char *full = arena_format(&d->arena, STR_FMT "/" STR_FMT, STR_ARG(d->root),
					STR_ARG(path));
	const char *component = "";
	struct heft_err err;
	struct file f;
	struct str value;
	if (*left == 0 || !file_exists(full) || !file_open(&f, full, &err))
		return "";
	--*left;
	struct str text = { (const char *)f.bytes.p, f.bytes.size };
	if (next_value(&text, STR("component:"), &value))
		component = arena_copy(&d->arena, value);
	text = (struct str){ (const char *)f.bytes.p, f.bytes.size };
	while (*component == '\0' && next_value(&text, STR("mixins:"), &value))
		if (str_starts(value, STR("//")))
			component = dir_metadata_read_file(
				d, (struct str){ value.p + 2, value.len - 2 }, left);
	file_close(&f);
	return component;
}

/* Returns the component of a folder itself, without the folders above it. */
static const char *own_component(struct dir_metadata *d, struct str folder)
{
	uint32_t id;
	if (!intern_find(&d->folders, folder, &id)) {
		const char *file = arena_format(&d->arena, STR_FMT "%s%s", STR_ARG(folder),
						folder.len > 0 ? "/" : "", file_of_folder);
		unsigned left = FILES_MOST;
		(void)intern_add(&d->folders, folder);
		vec_push(&d->components, dir_metadata_read_file(d, str_of(file), &left));
		id = (uint32_t)d->components.count - 1;
	}
	return d->components.data[id];
}

const char *dir_metadata_find(struct dir_metadata *d, struct str path)
{
	if (path.len > d->root.len && str_starts(path, d->root) && path.p[d->root.len] == '/')
		path = (struct str){ path.p + d->root.len + 1, path.len - d->root.len - 1 };
	if (path.len == 0 || strchr("/$([<", path.p[0]))
		return "";
	for (struct str folder = dir_metadata_folder_of(path);;
	     folder = dir_metadata_folder_of(folder)) {
		const char *component = own_component(d, folder);
		if (*component || folder.len == 0)
			return component;
	}
}
