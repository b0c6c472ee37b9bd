/* Searches for the separate debug file of an image and checks that candidates belong to it. */
#include "image/debugfile.h"

#include "base/inflate.h"
#include "base/library.h"
#include "base/os/os.h"
#include "base/text.h"
#include "base/unpack.h"

#include <stdlib.h>
#include <unistd.h>

#define SYSTEM_DIR "/usr/lib/debug"

/* Properties that identify the right debug file. */
struct wanted {
	const struct image *im;
	const char *image_dir; /* Absolute path without a final slash. NULL if im is not a file */
	bool is_file;          /* True if device and inode of the image's own file are known. A
			        * candidate with the same ones is that file, so it is rejected. */
	uint64_t device, inode;
	bool has_crc;
	uint32_t crc; /* CRC of .gnu_debuglink */
	const struct debug_search *how;
	struct notes *notes;
	struct arena arena;
};

bool same_build_id(struct bytes a, struct bytes b)
{
	return a.size == b.size && a.size > 0 && memcmp(a.p, b.p, a.size) == 0;
}

/* True if the candidate matches: by build id if both have one, else by the CRC-32 of the whole file
 * (.gnu_debuglink). */
static bool is_match(const struct wanted *w, const struct input *in, bool by_link)
{
	const struct bytes want = w->im->build_id, have = in->images[0].build_id;
	const char *path = in->file.path;
	if (want.size && have.size) {
		if (same_build_id(want, have))
			return true;
		note(w->notes, w->im->path, HEFT_NO_OFFSET, 0,
		     "%s belongs to another build (its build id differs)", path);
		return false;
	}
	if (!by_link) {
		note(w->notes, w->im->path, HEFT_NO_OFFSET, 0, "%s has no build id", path);
		return false;
	}
	if (crc32_of(in->file.bytes) == w->crc)
		return true;
	note(w->notes, w->im->path, HEFT_NO_OFFSET, 0,
	     "%s belongs to another build (its CRC differs)", path);
	return false;
}

static bool try_file(const struct wanted *w, const char *path, bool by_link)
{
	struct input in;
	struct heft_err err;
	if (!file_exists(path))
		return false;
	if (!input_open(&in, path, USE_DEBUG_FILE, NULL, &err)) {
		note(w->notes, w->im->path, HEFT_NO_OFFSET, 0, "no debug file: %s", err.text);
		return false;
	}
	const bool same = w->is_file && in.file.device == w->device && in.file.inode == w->inode;
	const bool ok = !same && !in.archive && is_match(w, &in, by_link);
	input_close(&in);
	return ok;
}

static char *debugfile_keep(const char *path)
{
	const size_t size = strlen(path) + 1;
	return memcpy(mem_alloc(size), path, size);
}

static char *try_link(struct wanted *w, const char *dir, const char *sub, const char *name)
{
	const char *path = arena_format(&w->arena, "%s%s/%s", dir, sub, name);
	return try_file(w, path, true) ? debugfile_keep(path) : NULL;
}

const char *build_id_path(struct arena *a, const char *dir, struct bytes id)
{
	if (id.size < 2 || id.size > 64)
		return NULL;
	const char *hex = build_id_text(a, id);
	return arena_format(a, "%s/.build-id/%.2s/%s.debug", dir, hex, hex + 2);
}

static char *debugfile_find_build_id(struct wanted *w)
{
	for (size_t i = 0; i <= w->how->dir_count; i++) {
		const char *dir = i < w->how->dir_count ? w->how->dirs[i] : SYSTEM_DIR;
		const char *path = build_id_path(&w->arena, dir, w->im->build_id);
		if (path && try_file(w, path, false))
			return debugfile_keep(path);
	}
	return NULL;
}

/* Reads .gnu_debuglink: a file name with NUL, zeros to a multiple of 4, the CRC-32 in the image's
 * byte order. Returns the name, or NULL. */
static const char *read_debuglink(struct wanted *w)
{
	const struct section *s = image_section_find(w->im, ".gnu_debuglink");
	if (!s)
		return NULL;
	struct reader r = reader_of(section_bytes(w->im, s), w->im->big_endian);
	const struct str name = read_cstr(&r);
	reader_seek(&r, align_up(r.pos, 4));
	w->crc = read_u32(&r);
	w->has_crc = reader_ok(&r);
	if (!w->has_crc || name.len == 0 || memchr(name.p, '/', name.len)) {
		note(w->notes, w->im->path, s->off, s->file_size,
		     "section .gnu_debuglink is damaged");
		return NULL;
	}
	return arena_copy(&w->arena, name);
}

static char *find_debuglink(struct wanted *w)
{
	const char *name = read_debuglink(w);
	if (!name || !w->image_dir)
		return NULL;
	/* Removes the sysroot: finds the folder's path on the machine that runs the image. */
	const char *root = w->how->sysroot, *below = w->image_dir;
	const size_t size = root ? strlen(root) : 0;
	if (size > 0 && strncmp(below, root, size) == 0 && below[size] == '/')
		below += size;
	char *found = try_link(w, w->image_dir, "", name);
	if (!found)
		found = try_link(w, w->image_dir, "/.debug", name);
	for (size_t i = 0; i <= w->how->dir_count && !found; i++) {
		const char *dir = i < w->how->dir_count ? w->how->dirs[i] : SYSTEM_DIR;
		found = try_link(w, dir, below, name);
		if (!found && i < w->how->dir_count)
			found = try_link(w, dir, "", name);
		if (!found && i < w->how->dir_count)
			found = try_link(w, dir, "/.debug", name);
	}
	return found;
}

/* True if alloc sections have the same addresses and sizes in both files. At least one must be in
 * both. */
static bool sections_agree(const struct image *im, const struct image *debug)
{
	size_t same = 0;
	if (im->machine != debug->machine || im->kind != IMAGE_EXEC || debug->kind != IMAGE_EXEC)
		return false;
	each_section(s, im) {
		if (!s->alloc || s->size == 0 || s->name.len == 0)
			continue;
		const struct section *other = image_section_named(debug, s->name);
		if (other && (other->addr != s->addr || other->size != s->size))
			return false;
		same += other != NULL;
	}
	return same > 0;
}

bool debugfile_is_of(const struct image *im, const struct input *in, struct notes *notes,
		     const char **ret_why)
{
	struct wanted w = { .im = im };
	const bool linked = read_debuglink(&w) != NULL;
	const uint32_t crc = crc32_of(in->file.bytes);
	arena_release(&w.arena);
	*ret_why = linked ? "its CRC is not that of .gnu_debuglink"
			  : "sections are in other places, and there is no .gnu_debuglink";
	if (linked)
		return crc == w.crc;
	if (!sections_agree(im, &in->images[0]))
		return false;
	note(notes, im->path, HEFT_NO_OFFSET, 0,
	     "%s is taken for its debug file, since sections agree: there are no build ids to "
	     "compare, and no .gnu_debuglink with a CRC",
	     in->file.path);
	return true;
}

/* Returns the file with the image's name and UUID in a dSYM bundle beside the image, or NULL. */
static char *find_dsym(struct wanted *w)
{
	const char *slash = strrchr(w->im->path, '/');
	const char *name = slash ? slash + 1 : w->im->path;
	const char *path = arena_format(&w->arena, "%s.dSYM/Contents/Resources/DWARF/%s",
					w->im->path, name);
	return w->im->build_id.size > 0 && try_file(w, path, false) ? debugfile_keep(path) : NULL;
}

#ifdef HEFT_HAVE_DEBUGINFOD

/* Functions of libdebuginfod, see debuginfod_find_debuginfo(3). */
struct debuginfod {
	void *(*begin)(void);
	int (*find)(void *client, const unsigned char *build_id, int size, char **ret_path);
	void (*end)(void *client);
};

static bool load_debuginfod(struct debuginfod *d)
{
	static const char *const files[] = { "libdebuginfod.so.1", NULL };
	const struct library_function functions[] = {
		{ "debuginfod_begin", &d->begin },
		{ "debuginfod_find_debuginfo", &d->find },
		{ "debuginfod_end", &d->end },
	};
	return library_load(files, functions, COUNT_OF(functions));
}

static char *image_debugfile_find_debuginfod(struct wanted *w)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	const struct bytes id = w->im->build_id;
	struct debuginfod d;
	if (!w->how->debuginfod || !urls || !*urls || id.size < 2 || id.size > 64)
		return NULL;
	if (!load_debuginfod(&d)) {
		note(w->notes, w->im->path, HEFT_NO_OFFSET, 0,
		     "DEBUGINFOD_URLS is set, but libdebuginfod.so.1 is not installed");
		return NULL;
	}
	void *client = d.begin();
	if (!client)
		return NULL;
	char *given = NULL, *path = NULL;
	const int fd = d.find(client, id.p, (int)id.size, &given);
	if (fd >= 0)
		close(fd);
	else
		note(w->notes, w->im->path, HEFT_NO_OFFSET, 0,
		     "no debug file from the servers of DEBUGINFOD_URLS: %s", strerror(-fd));
	d.end(client);
	if (given)
		path = debugfile_keep(given);
	free(given); /* Allocated by the C library */
	if (fd >= 0 && path && try_file(w, path, false))
		return path;
	mem_free(path);
	return NULL;
}

#else

static char *image_debugfile_find_debuginfod(struct wanted *w)
{
	(void)w;
	return NULL;
}

#endif

static void locate_image(struct wanted *w)
{
	struct os_file is;
	if (!os_path_look(w->im->path, &is))
		return;
	w->is_file = true;
	w->device = is.device;
	w->inode = is.inode;
	char *real = file_real_path(w->im->path);
	if (!real)
		return;
	const char *slash = strrchr(real, '/');
	const size_t len = slash ? (size_t)(slash - real) : 0;
	w->image_dir = arena_copy(&w->arena, (struct str){ real, len });
	mem_free(real);
}

char *debugfile_find(const struct image *im, const struct debug_search *how, struct notes *notes)
{
	ASSERT(how && im->path);
	struct wanted w = { .im = im, .how = how, .notes = notes };
	if (im->member.len)
		return NULL;
	locate_image(&w);
	char *found = debugfile_find_build_id(&w);
	if (!found)
		found = find_debuglink(&w);
	if (!found)
		found = find_dsym(&w);
	if (!found)
		found = image_debugfile_find_debuginfod(&w);
	arena_release(&w.arena);
	return found;
}

bool debugdata_open(const struct image *im, struct input *ret, void **ret_owned)
{
	const struct section *s = image_section_find(im, ".gnu_debugdata");
	*ret_owned = NULL;
	if (!s)
		return false;
	struct heft_err err;
	struct bytes plain;
	if (!unpack(UNPACK_XZ, section_bytes(im, s), 0, &plain, &err)) {
		note(im->notes, im->path, im->file_off + s->off, s->file_size,
		     "section .gnu_debugdata cannot be unpacked: %s", err.text);
		return false;
	}
	struct arena names = { 0 };
	const char *path = arena_format(&names, "%s(.gnu_debugdata)", im->path);
	const bool ok = input_parse(ret, path, plain, im->notes, &err);
	arena_release(&names);
	if (!ok) {
		note(im->notes, im->path, im->file_off + s->off, s->file_size,
		     "section .gnu_debugdata holds no ELF file: %s", err.text);
		mem_free((void *)(uintptr_t)plain.p);
		return false;
	}
	*ret_owned = (void *)(uintptr_t)plain.p;
	return true;
}
