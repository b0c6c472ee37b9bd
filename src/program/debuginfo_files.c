/* Opens the files to which an image's DWARF refers: dwz's supplementary file (DWARF 5, 7.3.6, and
 * GNU's .gnu_debugaltlink), packages (7.3.5) and .dwo files (7.3.2). */
#include "program/debuginfo_internal.h"

#include "base/sort.h"
#include "image/debugfile.h"

#include <errno.h>

#define SYSTEM_DIR "/usr/lib/debug"

/* Longest name of a file in bytes. Longer names are ignored. */
enum { NAME_LENGTH_MAX = 4096 };

/* Opens a file. NULL if it cannot be read. Adds a note unless the file does not exist. */
static struct debuginfo_other *other_open(const struct debuginfo *d, const char *path, bool split)
{
	struct heft_err err = { 0 };
	struct debuginfo_other *o = mem_zeroed(1, sizeof *o);
	if (input_open(&o->in, path, USE_DEBUG_FILE, d->dwarf.notes, &err)) {
		if (!o->in.archive) {
			debuginfo_open_sections(&o->info, &o->in.images[0], split, d->dwarf.notes);
			return o;
		}
		(void)fail(&err, HEFT_EFORMAT, HEFT_NO_OFFSET, "%s: is an archive", path);
		input_close(&o->in);
	}
	if (err.sys_errno != ENOENT && err.sys_errno != ENOTDIR)
		note(d->dwarf.notes, d->image->path, HEFT_NO_OFFSET, 0,
		     "debug information elsewhere cannot be read: %s", err.text);
	mem_free(o);
	return NULL;
}

static void other_close(struct debuginfo_other *o)
{
	if (!o)
		return;
	for (uint32_t i = 0; o->units && i < o->index.units; i++)
		mem_free(o->units[i]);
	mem_free(o->units);
	vec_release(&o->ids);
	debuginfo_close(&o->info);
	input_close(&o->in);
	mem_free(o);
}

void debuginfo_files_close(struct debuginfo_files *f)
{
	other_close(f->sup);
	for (size_t i = 0; i < f->packages.count; i++)
		other_close(f->packages.data[i]);
	for (size_t i = 0; i < f->given_dwos.count; i++)
		other_close(f->given_dwos.data[i]);
	for (size_t i = 0; i < f->dwos.count; i++)
		other_close(f->dwos.data[i]);
	vec_release_all(&f->packages, &f->given_dwos, &f->dwos);
	intern_release(&f->paths);
	abbrev_cache_release(&f->abbrevs);
	arena_release(&f->arena);
}

/* Returns the folder of a path: "." if it names none, "" for the root. */
static struct str debuginfo_files_folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? (struct str){ path, (size_t)(slash - path) } : STR(".");
}

struct sup_link {
	struct str name;
	struct bytes id; /* Build id, or checksum of .debug_sup */
};

/* Reads .debug_sup (DWARF 5, 7.3.6): version, a flag for supplementary files, path, length of a
 * checksum, checksum. Both files have the same checksum. False if damaged or not version 5. */
static bool read_debug_sup(const struct image *im, const struct section *s, bool *ret_is_sup,
			   struct sup_link *ret)
{
	struct reader r = reader_of(section_bytes(im, s), im->big_endian);
	const uint16_t version = read_u16(&r);
	*ret_is_sup = read_u8(&r) != 0;
	ret->name = read_cstr(&r);
	ret->id.size = read_uleb(&r);
	ret->id.p = read_take(&r, ret->id.size);
	return reader_ok(&r) && version == 5;
}

/* Finds the reference to a supplementary file. False if none, or if it is damaged (with a note). */
static bool find_link(const struct image *im, struct notes *notes, struct sup_link *ret)
{
	const struct section *s = image_section_find(im, ".gnu_debugaltlink");
	bool is_sup = false, ok = false;
	if (s) { /* GNU's form: the path, NUL, and the file's build id */
		struct reader r = reader_of(section_bytes(im, s), im->big_endian);
		ret->name = read_cstr(&r);
		ret->id.size = reader_left(&r);
		ret->id.p = read_take(&r, ret->id.size);
		ok = reader_ok(&r);
	} else {
		s = image_section_find(im, ".debug_sup");
		if (!s)
			return false;
		ok = read_debug_sup(im, s, &is_sup, ret);
	}
	if (ok && is_sup)
		return false;
	if (ok && ret->name.len && ret->name.len <= NAME_LENGTH_MAX)
		return true;
	note(notes, im->path, add_sat(im->file_off, s->off), s->file_size,
	     "section " STR_FMT " is damaged", STR_ARG(s->name));
	return false;
}

static bool sup_matches(const struct image *im, struct bytes id)
{
	const struct section *s = image_section_find(im, ".debug_sup");
	struct sup_link own;
	bool is_sup;
	if (same_build_id(im->build_id, id))
		return true;
	return s && read_debug_sup(im, s, &is_sup, &own) && is_sup && same_build_id(own.id, id);
}

bool debuginfo_is_sup(const struct image *im, const struct image *sup)
{
	struct sup_link link;
	return find_link(im, NULL, &link) && sup_matches(sup, link.id);
}

static bool try_sup(struct debuginfo *d, const struct sup_link *link, const char *path)
{
	struct debuginfo_files *f = d->files;
	f->sup = other_open(d, path, false);
	if (!f->sup)
		return false;
	if (sup_matches(f->sup->info.image, link->id)) {
		d->dwarf.sup = &f->sup->info.dwarf;
		return true;
	}
	note(d->dwarf.notes, d->image->path, HEFT_NO_OFFSET, 0,
	     "%s belongs to another build (its build id differs)", path);
	other_close(f->sup);
	f->sup = NULL;
	return false;
}

static bool try_given_sup(struct debuginfo *d, const struct debug_search *how,
			  const struct sup_link *link)
{
	for (size_t i = 0; how && i < how->file_count; i++) {
		struct input in;
		if (!input_open(&in, how->files[i], USE_DEBUG_FILE, NULL, NULL))
			continue;
		const bool is = !in.archive && sup_matches(&in.images[0], link->id);
		input_close(&in);
		if (is && try_sup(d, link, how->files[i]))
			return true;
	}
	return false;
}

/* Returns the path that the link states. A relative path counts from the image's real folder. */
static const char *debuginfo_files_own_path(struct debuginfo *d, struct str name)
{
	struct arena *a = &d->files->arena;
	if (name.p[0] == '/')
		return arena_copy(a, name);
	char *real = file_real_path(d->image->path);
	const struct str dir = debuginfo_files_folder_of(real ? real : d->image->path);
	const char *path = arena_format(a, STR_FMT "/" STR_FMT, STR_ARG(dir), STR_ARG(name));
	mem_free(real);
	return path;
}

/* Returns the part of a path after the last "/.dwz/", or its last component. */
static const char *dwz_tail(const char *path)
{
	const char *tail = strrchr(path, '/');
	tail = tail ? tail + 1 : path;
	for (const char *at = path; (at = strstr(at, "/.dwz/")) != NULL; at++)
		tail = at + 6;
	return tail;
}

/* Tries each folder above the image as the root, and as a folder of debug files, because the image
 * may be in a copy of another machine's files. */
static bool try_tree(struct debuginfo *d, const struct sup_link *link, const char *own)
{
	struct arena *a = &d->files->arena;
	char *real = file_real_path(d->image->path);
	bool found = false;
	for (char *slash = real ? strrchr(real, '/') : NULL; slash && slash > real && !found;
	     slash = strrchr(real, '/')) {
		*slash = '\0';
		const char *by_name = arena_format(a, "%s/.dwz/%s", real, dwz_tail(own));
		const char *by_path = arena_format(a, "%s%s", real, own);
		found = (file_exists(by_name) && try_sup(d, link, by_name)) ||
			(own[0] == '/' && file_exists(by_path) && try_sup(d, link, by_path));
	}
	mem_free(real);
	return found;
}

void debuginfo_open_sup(struct debuginfo *d, const struct debug_search *how)
{
	struct arena *a = &d->files->arena;
	const size_t dir_count = how ? how->dir_count : 0;
	ASSERT(!d->files->sup && !d->dwarf.sup);
	d->files->given = how ? how->files : NULL;
	d->files->given_count = how ? how->file_count : 0;
	struct sup_link link;
	if (!find_link(d->image, d->dwarf.notes, &link) || try_given_sup(d, how, &link))
		return;
	const char *own = debuginfo_files_own_path(d, link.name);
	if (try_sup(d, &link, own))
		return;
	for (size_t i = 0; i <= dir_count; i++) {
		const char *dir = i < dir_count ? how->dirs[i] : SYSTEM_DIR;
		const char *by_id = build_id_path(a, dir, link.id);
		if (by_id && try_sup(d, &link, by_id))
			return;
		const char *by_name = arena_format(a, "%s/.dwz/%s", dir, dwz_tail(own));
		if (strcmp(by_name, own) != 0 && try_sup(d, &link, by_name))
			return;
	}
	if (try_tree(d, &link, own))
		return;
	note(d->dwarf.notes, d->image->path, HEFT_NO_OFFSET, d->dwarf.size[DW_INFO],
	     "the supplementary debug file %s is missing", own);
}

static bool open_index(struct debuginfo_other *o)
{
	if (!package_open(&o->index, &o->info.dwarf, DW_CU_INDEX))
		return false;
	if (o->index.units)
		o->units = mem_zeroed(o->index.units, sizeof(struct package_dwarf *));
	return true;
}

static void open_package(struct debuginfo *d, const char *path)
{
	struct debuginfo_other *o = other_open(d, path, true);
	if (o && open_index(o)) {
		vec_push(&d->files->packages, o);
		return;
	}
	if (o)
		note(d->dwarf.notes, d->image->path, HEFT_NO_OFFSET, 0,
		     "%s is no package of split units: it has no index", path);
	other_close(o);
}

/* Opens a file that the user gave: a package or a .dwo file. Closes any other file. */
static void debuginfo_files_open_given(struct debuginfo *d, const char *path)
{
	struct debuginfo_other *o = other_open(d, path, true);
	if (o && !debuginfo_is_split(o->info.image))
		other_close(o);
	else if (o && open_index(o))
		vec_push(&d->files->packages, o);
	else if (o)
		vec_push(&d->files->given_dwos, o);
}

/* Opens the packages: the user's, then IMAGE.dwp. For an image X.debug, also X.dwp. */
static void open_packages(struct debuginfo *d)
{
	struct debuginfo_files *f = d->files;
	const struct str path = str_of(d->image->path);
	f->packages_tried = true;
	for (size_t i = 0; i < f->given_count; i++)
		debuginfo_files_open_given(d, f->given[i]);
	open_package(d, arena_format(&f->arena, STR_FMT ".dwp", STR_ARG(path)));
	if (str_ends(path, STR(".debug")))
		open_package(d, arena_format(&f->arena, "%.*s.dwp", (int)(path.len - 6), path.p));
}

/* Finds a unit's id: in the header since version 5, in the first DIE in GNU's version 4. */
static bool unit_id(struct debuginfo_files *f, const struct unit *u, const struct unit *skeleton,
		    uint64_t *ret)
{
	struct unit opened = *u;
	if (u->version >= 5) {
		*ret = u->signature;
		return u->type == DW_UT_split_compile;
	}
	if (u->in != DW_INFO || !unit_open(&opened, &f->abbrevs, skeleton))
		return false;
	*ret = opened.signature;
	return opened.tag == DW_TAG_compile_unit;
}

static bool find_in_package(struct debuginfo_files *f, struct debuginfo_other *o,
			    const struct unit *skeleton, struct unit *ret)
{
	struct package_unit found;
	if (!package_find(&o->index, skeleton->signature, &found))
		return false;
	ASSERT(found.row < o->index.units);
	struct package_dwarf **known = &o->units[found.row];
	if (!*known) {
		*known = mem_alloc(sizeof **known);
		package_dwarf_init(*known, &o->info.dwarf, &found);
	}
	uint64_t off = 0, id;
	/* A package has exactly one unit per range of .debug_info. */
	return unit_next(&(*known)->dwarf, DW_INFO, &off, ret) && unit_id(f, ret, skeleton, &id) &&
	       id == skeleton->signature;
}

static void index_units(struct debuginfo_files *f, struct debuginfo_other *o,
			const struct unit *skeleton)
{
	uint64_t off = 0, id;
	struct unit u;
	o->indexed = true;
	while (unit_next(&o->info.dwarf, DW_INFO, &off, &u))
		if (unit_id(f, &u, skeleton, &id))
			vec_push(&o->ids, (struct debuginfo_id){ id, u.off });
	vec_sort(&o->ids);
}

static bool find_in_dwo(struct debuginfo_files *f, struct debuginfo_other *o,
			const struct unit *skeleton, struct unit *ret)
{
	if (!o->indexed)
		index_units(f, o, skeleton);
	size_t lo;
	BISECT(lo, 0, o->ids.count, mid, o->ids.data[mid].id < skeleton->signature);
	if (lo == o->ids.count || o->ids.data[lo].id != skeleton->signature)
		return false;
	uint64_t off = o->ids.data[lo].off;
	return unit_next(&o->info.dwarf, DW_INFO, &off, ret);
}

/* Lists the possible paths of a .dwo file, at most 2. Returns their number. */
static size_t dwo_paths(const struct debuginfo *d, const struct unit *u, struct arena *a,
			const char *ret[2])
{
	const struct str name = u->dwo_name, dir = u->comp_dir;
	size_t count = 0;
	if (name.len > NAME_LENGTH_MAX || dir.len > NAME_LENGTH_MAX)
		return 0;
	if (name.p[0] == '/') {
		ret[count++] = arena_copy(a, name);
		return count;
	}
	if (dir.len)
		ret[count++] = arena_format(a, STR_FMT "/" STR_FMT, STR_ARG(dir), STR_ARG(name));
	ret[count++] = arena_format(a, STR_FMT "/" STR_FMT,
				    STR_ARG(debuginfo_files_folder_of(d->image->path)),
				    STR_ARG(name));
	return count;
}

/* Finds a split unit in the .dwo files `paths`. False if none has it. Sets *ret_seen if one of the
 * files can be read. */
static bool find_dwo(struct debuginfo *d, const struct unit *skeleton, const char *const *paths,
		     size_t count, struct unit *ret, bool *ret_seen)
{
	const struct debuginfo_other *before = NULL;
	struct debuginfo_files *f = d->files;
	*ret_seen = false;
	for (size_t i = 0; i < count; i++) {
		const uint32_t at = intern_add(&f->paths, str_of(paths[i]));
		ASSERT(at <= f->dwos.count);
		if (at == f->dwos.count)
			vec_push(&f->dwos, other_open(d, paths[i], true));
		struct debuginfo_other *o = f->dwos.data[at];
		if (!o || (before && before->in.file.device == o->in.file.device &&
			   before->in.file.inode == o->in.file.inode))
			continue;
		before = o;
		*ret_seen = true;
		if (find_in_dwo(d->files, o, skeleton, ret))
			return true;
		note(d->dwarf.notes, d->image->path, HEFT_NO_OFFSET, skeleton->size,
		     "%s belongs to another build (no unit in it has the id %016" PRIx64 ")",
		     paths[i], skeleton->signature);
	}
	return false;
}

bool debuginfo_split(struct debuginfo *d, const struct unit *skeleton, struct unit *ret)
{
	struct debuginfo_files *f = d->files;
	if (skeleton->dwo_name.len == 0)
		return false;
	if (!f->packages_tried)
		open_packages(d);
	for (size_t i = 0; i < f->packages.count; i++)
		if (find_in_package(f, f->packages.data[i], skeleton, ret))
			return true;
	for (size_t i = 0; i < f->given_dwos.count; i++)
		if (find_in_dwo(f, f->given_dwos.data[i], skeleton, ret))
			return true;
	struct arena a = { 0 };
	const char *paths[2];
	const size_t count = dwo_paths(d, skeleton, &a, paths);
	bool seen;
	const bool found = find_dwo(d, skeleton, paths, count, ret, &seen);
	if (!seen)
		note(d->dwarf.notes, d->image->path, HEFT_NO_OFFSET, skeleton->size,
		     "split units are missing: there is neither %s.dwp nor %s (in %s)",
		     d->image->path, count ? paths[0] : "a .dwo file", d->image->path);
	arena_release(&a);
	return found;
}
