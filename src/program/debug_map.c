/* Collects the DWARF of a Mach-O program from the objects that its debug map names. */
#include "program/companion_forms.h"

#include "base/intern.h"
#include "base/sort.h"
#include "debug/write/moved_unit.h"
#include "image/arch.h"
#include "program/debuginfo.h"

/* A symbol's range in the object, and `to`, its VM address in the program. Sorted by addr */
struct placed {
	uint64_t addr, size, to;
};

struct debug_map_making {
	const struct image *im;
	const struct program_wish *wish;
	struct notes *notes;
	struct moved_dwarf dwarf;
	struct intern paths; /* Paths of archives. A path's id is its index in `archives` */
	VEC(struct input *)
	archives;                  /* Opened archives. NULL for one that cannot be read */
	VEC(struct placed) placed; /* Ranges of the current object */
	VEC(struct moved_piece) pieces;
	uint64_t missing; /* Number of objects that were not found */
};

static bool exists(struct text *path)
{
	text_add_char(path, '\0');
	return file_exists(path->p);
}

static bool debug_map_try_path(struct text *path, struct str dir, struct str file)
{
	text_set(path, dir);
	text_add_char(path, '/');
	text_add(path, file);
	return exists(path);
}

static struct str debug_map_last_part(struct str path)
{
	for (size_t i = path.len; i-- > 0;)
		if (path.p[i] == '/')
			return (struct str){ path.p + i + 1, path.len - i - 1 };
	return path;
}

static bool debug_map_try_dir(struct text *path, const char *dir, struct str file)
{
	return debug_map_try_path(path, str_of(dir), file) ||
	       debug_map_try_path(path, str_of(dir), debug_map_last_part(file));
}

/* Finds the file that the linker read as `file`, and sets *path to its path. False without one. */
static bool debug_map_find_file(const struct debug_map_making *m, struct str file,
				struct text *path)
{
	enum { NAME_LENGTH_MAX = 4096 };
	const struct program_wish *wish = m->wish;
	if (file.len == 0 || file.len > NAME_LENGTH_MAX)
		return false;
	if (paths_apply(&wish->paths, file, path) && exists(path))
		return true;
	if (wish->sysroot && debug_map_try_dir(path, wish->sysroot, file))
		return true;
	for (size_t i = 0; i < wish->debug_dirs.count; i++)
		if (debug_map_try_dir(path, wish->debug_dirs.data[i], file))
			return true;
	text_set(path, file);
	if (exists(path))
		return true;
	/* Last, tries the folder of the program. */
	const struct str own = str_of(m->im->path), name = debug_map_last_part(own);
	const bool bare = name.len == own.len;
	const struct str dir = { own.p, own.len - name.len - !bare };
	return debug_map_try_path(path, bare ? STR(".") : dir, debug_map_last_part(file));
}

static struct input *debug_map_open_file(struct debug_map_making *m, struct str file)
{
	struct text path = { 0 };
	struct heft_err err;
	struct input *in = mem_zeroed(1, sizeof *in);
	const bool found = debug_map_find_file(m, file, &path);
	const bool ok = found && input_open(in, path.p, USE_SIZE, m->notes, &err);
	if (found && !ok)
		note(m->notes, m->im->path, HEFT_NO_OFFSET, 0,
		     "an object of the debug map is not used: %s", err.text);
	m->missing += !found;
	text_release(&path);
	if (ok)
		return in;
	mem_free(in);
	return NULL;
}

/* Lists in m->placed the range in the object of each symbol of the debug map. */
static void list_placed(struct debug_map_making *m, const struct image *object,
			const struct debug_object *o)
{
	const struct moved_symbol *moved = &m->im->moved_symbols[o->first];
	ASSERT(object->kind == IMAGE_OBJECT && o->count > 0);
	const struct section *table = image_symbols(object);
	struct intern names = { 0 };
	struct symtab t;
	m->placed.count = 0;
	if (!table || !symtab_open(&t, object, table))
		return;
	/* `first`: per distinct name, the index of its first symbol in the debug map. */
	size_t *first = mem_zeroed(o->count + 1, sizeof *first);
	for (size_t i = 0; i < o->count; i++) {
		const size_t known = names.entries.count;
		if (intern_borrow(&names, moved[i].name) == known)
			first[known] = i;
	}
	for (size_t i = 1; i < t.count; i++) {
		const struct symbol s = symtab_get(&t, i);
		uint64_t addr;
		uint32_t id;
		if (!intern_find(&names, s.name, &id) || s.section >= object->section_count ||
		    !symbol_addr(object, &s, &addr))
			continue;
		const struct moved_symbol *to = &moved[first[id]];
		vec_push(&m->placed,
			 (struct placed){ addr, to->size > 0 ? min_u64(to->size, s.size) : s.size,
					  to->addr });
	}
	mem_free(first);
	intern_release(&names);
	vec_sort(&m->placed);
}

/* Adds the range of symbol i to m->pieces, at its address in the object's DWARF. The range ends at
 * most where the next one begins. */
static void debug_map_add_piece(struct debug_map_making *m, const struct debuginfo *d, size_t i)
{
	const struct placed *p = &m->placed.data[i];
	const uint64_t room = i + 1 < m->placed.count ? p[1].addr - p->addr : UINT64_MAX;
	size_t low;
	BISECT(low, 0, d->windows.count, mid, d->windows.data[mid].vm <= p->addr);
	const struct debuginfo_window *w = low > 0 ? &d->windows.data[low - 1] : NULL;
	if (!w || p->addr - w->vm >= w->size || p->size == 0)
		return;
	vec_push(&m->pieces, (struct moved_piece){ w->addr + (p->addr - w->vm),
						   min_u64(p->size, room), p->to });
}

static void move_units(struct debug_map_making *m, struct dwarf *d)
{
	struct units units;
	struct abbrev_cache cache = { 0 };
	struct unit u;
	units_init(&units, d);
	for (size_t i = 0; i < units_count(&units, DW_INFO); i++)
		if (units_get(&units, DW_INFO, i, &u) && unit_open(&u, &cache, NULL) &&
		    u.tag == DW_TAG_compile_unit && !unit_is_skeleton(&u))
			moved_unit_write(&m->dwarf, &units, &u);
	abbrev_cache_release(&cache);
	units_release(&units);
}

static void debug_map_add_object(struct debug_map_making *m, const struct image *object,
				 const struct debug_object *o)
{
	struct debuginfo d;
	if (object->kind != IMAGE_OBJECT || !image_same_arch(object, m->im) ||
	    object->bits != m->im->bits || object->big_endian != m->im->big_endian ||
	    !debuginfo_present(object))
		return;
	debuginfo_open(&d, object, NULL, m->notes);
	list_placed(m, object, o);
	m->pieces.count = 0;
	for (size_t i = 0; i < m->placed.count; i++)
		debug_map_add_piece(m, &d, i);
	m->dwarf.pieces = m->pieces.data;
	m->dwarf.piece_count = m->pieces.count;
	m->dwarf.budget = 16 * object->bytes.size;
	if (m->pieces.count > 0)
		move_units(m, &d.dwarf);
	debuginfo_close(&d);
}

/* True if the object's time is the one in the debug map, or if one of them is unknown. */
static bool same_time(struct debug_map_making *m, const struct debug_object *o, uint64_t time)
{
	if (o->time == 0 || time == 0 || o->time == time)
		return true;
	note(m->notes, m->im->path, HEFT_NO_OFFSET, 0,
	     STR_FMT " was changed since the program was linked: its debug info is not used",
	     STR_ARG(o->path));
	return false;
}

/* Adds the member of an archive: "libx.a(y.o)". */
static void debug_map_add_member(struct debug_map_making *m, const struct debug_object *o,
				 size_t open)
{
	const struct str member = { o->path.p + open + 1, o->path.len - open - 2 };
	const struct str archive = { o->path.p, open };
	const uint32_t at = intern_add(&m->paths, archive);
	ASSERT(at <= m->archives.count);
	if (at == m->archives.count)
		vec_push(&m->archives, debug_map_open_file(m, archive));
	else
		m->missing += !m->archives.data[at];
	const struct input *in = m->archives.data[at];
	for (size_t i = 0; in && i < in->image_count; i++) {
		const struct image *im = &in->images[i];
		if (!str_eq(im->member, member) ||
		    (o->time != 0 && im->time != o->time && i + 1 < in->image_count))
			continue;
		if (same_time(m, o, im->time))
			debug_map_add_object(m, im, o);
		return;
	}
}

static void debug_map_add_file(struct debug_map_making *m, const struct debug_object *o)
{
	struct input *in = debug_map_open_file(m, o->path);
	if (!in)
		return;
	if (!in->archive && same_time(m, o, (uint64_t)in->file.modified))
		debug_map_add_object(m, &in->images[0], o);
	input_close(in);
	mem_free(in);
}

/* True if the DWARF has reached its maximal size: its offsets have 32 bits. */
static bool is_full(const struct debug_map_making *m)
{
	const uint64_t most = UINT32_MAX / 2;
	return m->dwarf.made.info.len > most || m->dwarf.made.line.len > most ||
	       m->dwarf.made.ranges.len > most;
}

static void add_objects(struct debug_map_making *m)
{
	for (size_t i = 0; i < m->im->debug_object_count; i++) {
		const struct debug_object *o = &m->im->debug_objects[i];
		const char *open = str_ends(o->path, STR(")")) ? memchr(o->path.p, '(', o->path.len)
							       : NULL;
		if (o->count == 0 || is_full(m))
			continue;
		if (open)
			debug_map_add_member(m, o, (size_t)(open - o->path.p));
		else
			debug_map_add_file(m, o);
	}
	if (is_full(m))
		note(m->notes, m->im->path, HEFT_NO_OFFSET, 0,
		     "the objects have more debug info than 2 GiB: the rest is left out");
	if (m->missing > 0)
		note(m->notes, m->im->path, HEFT_NO_OFFSET, 0,
		     "%" PRIu64 " of the %zu objects that hold the debug info are not where the "
		     "linker saw them, as " STR_FMT " (--path-map says where they are)",
		     m->missing, m->im->debug_object_count, STR_ARG(m->im->debug_objects[0].path));
}

static void debug_map_make(struct debug_map_making *m, struct input *ret)
{
	struct image_build b;
	struct text bytes = { 0 };
	*ret = (struct input){ .images = mem_zeroed(1, sizeof *ret->images),
			       .image_count = 1,
			       .notes = m->notes };
	made_image_begin(&b, ret->images, m->im, m->im->path, m->notes);
	made_image_add_dwarf(&b, &bytes, &m->dwarf.made);
	build_finish(&b, 0, 0);
	ret->owned = bytes.p;
}

static void debug_map_release(struct debug_map_making *m)
{
	for (size_t i = 0; i < m->archives.count; i++) {
		if (m->archives.data[i])
			input_close(m->archives.data[i]);
		mem_free(m->archives.data[i]);
	}
	vec_release_all(&m->archives, &m->placed, &m->pieces);
	intern_release(&m->paths);
	dwarf_made_release(&m->dwarf.made);
}

bool debug_map_open(const struct image *im, const struct program_wish *wish, struct input *ret,
		    struct notes *notes)
{
	struct debug_map_making m = { .im = im, .wish = wish, .notes = notes };
	const struct dwarf_form form = { .address_size = im->bits / 8,
					 .quantum = 1,
					 .big_endian = im->big_endian };
	if (im->debug_object_count == 0 || im->member.len > 0)
		return false;
	dwarf_made_init(&m.dwarf.made, &form);
	add_objects(&m);
	const bool any = m.dwarf.made.info.len > 0;
	if (any)
		debug_map_make(&m, ret);
	debug_map_release(&m);
	return any;
}
