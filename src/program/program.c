/* Opens a program. Finds its debug file, linker map, DWARF and symbols on request. */
#include "program/program.h"

#include "base/filename.h"
#include "debug/sourcemap/source_map.h"
#include "image/linkmap_image.h"
#include "program/made_by.h"
#include "program/companion_forms.h"
#include "program/companion.h"
#include "image/elf/elf_const.h"
#include "program/debuginfo.h"

/* What a named debug file is: another program's, the debug file, a part of it, or an archive. */
enum given_use { GIVEN_OTHER, GIVEN_DEBUG, GIVEN_PART, GIVEN_USELESS };

static enum given_use use_of(const struct program *p, const struct input *in)
{
	const struct image *own = program_image(p), *im = in->archive ? NULL : &in->images[0];
	const struct image *debug = companion_image(&p->debug);
	if (!im)
		return GIVEN_USELESS;
	if (own && same_build_id(im->build_id, own->build_id))
		return GIVEN_DEBUG;
	if (debuginfo_is_split(im) ||
	    (own && (debuginfo_is_sup(own, im) || (debug && debuginfo_is_sup(debug, im)))))
		return GIVEN_PART;
	const char *why;
	const bool comparable = own && own->build_id.size > 0 && im->build_id.size > 0;
	if (own && !comparable && debugfile_is_of(own, in, p->notes, &why))
		return GIVEN_DEBUG;
	return GIVEN_OTHER;
}

/* Opens a debug file that the user gave. A PDB belongs only to the program that names it. */
static bool program_open_given(const struct program *p, const char *path, struct input *in,
			       enum given_use *ret, struct heft_err *err)
{
	const struct image *own = program_image(p);
	struct file f;
	if (!file_open(&f, path, err))
		return false;
	if (file_format_of(f.bytes, NULL)->kind != KIND_PDB) {
		if (!input_adopt(in, &f, USE_DEBUG_FILE, p->notes, err))
			return false;
		*ret = use_of(p, in);
		return true;
	}
	const bool sound = pdb_file_check(f.bytes, path, err);
	const bool is = own && sound && pdb_file_is_of(f.bytes, own);
	*ret = is ? GIVEN_DEBUG : GIVEN_OTHER;
	*in = (struct input){ .file = f };
	if (sound && !is)
		return true;
	file_close(&f);
	return sound && pdb_file_open(own, path, in, p->notes, err);
}

/* Returns the path of the program's file in a dSYM bundle. The caller frees it with mem_free().
 * NULL if the path is not a bundle. */
static char *bundle_file(const struct program *p, const char *path)
{
	struct arena a = { 0 };
	const char *slash = strrchr(p->path, '/');
	const char *inner = arena_format(&a, "%s/Contents/Resources/DWARF/%s", path,
					 slash ? slash + 1 : p->path);
	const size_t size = strlen(inner) + 1;
	char *ret = file_exists(inner) ? memcpy(mem_alloc(size), inner, size) : NULL;
	arena_release(&a);
	return ret;
}

static bool use_debug_file(struct program *p, size_t i, struct heft_err *err)
{
	const char *path = p->wish->debug_files.data[i];
	struct input in;
	enum given_use use;
	char *inner = bundle_file(p, path);
	const bool opened = program_open_given(p, inner ? inner : path, &in, &use, err);
	mem_free(inner);
	if (!opened)
		return false;
	p->given[i] = use == GIVEN_DEBUG || use == GIVEN_PART;
	if (use == GIVEN_DEBUG && !p->debug.open) {
		p->debug = (struct companion){ .open = true, .input = in };
		return true;
	}
	input_close(&in);
	if (use == GIVEN_USELESS)
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET,
			    "%s: is an archive, cannot be used as a debug file", path);
	return use != GIVEN_DEBUG ||
	       fail(err, HEFT_EARG, HEFT_NO_OFFSET, "%s: a second debug file of %s", path, p->path);
}

void program_mark_used(const struct program *p, bool *used)
{
	for (size_t i = 0; p->given && i < p->wish->debug_files.count; i++)
		used[i] |= p->given[i];
}

bool program_check_used(const struct program_wish *wish, const bool *used, struct heft_err *err)
{
	for (size_t i = 0; i < wish->debug_files.count; i++) {
		struct arena scratch = { 0 };
		struct input in;
		const char *path = wish->debug_files.data[i];
		if (used[i])
			continue;
		if (pdb_file_named(path))
			return fail(err, HEFT_EARG, HEFT_NO_OFFSET,
				    "%s: no input names a PDB of this GUID and age", path);
		if (!input_open(&in, path, USE_SIZE, NULL, err))
			return false;
		if (in.images[0].build_id.size > 0)
			fail(err, HEFT_EARG, HEFT_NO_OFFSET,
			     "%s: no input has this debug file's build ID %s, or no build ID and "
			     "its "
			     "CRC in .gnu_debuglink",
			     path, build_id_text(&scratch, in.images[0].build_id));
		else
			fail(err, HEFT_EARG, HEFT_NO_OFFSET,
			     "%s: has no build ID, and no input has its CRC in .gnu_debuglink, or "
			     "no "
			     ".gnu_debuglink and sections where it has them",
			     path);
		input_close(&in);
		arena_release(&scratch);
		return false;
	}
	return true;
}

/* Sections that image and map both have: `same` agree in address and size, `other` do not */
struct program_agreement {
	size_t same, other;
	struct text differing; /* Names of differing sections */
};

static void compare_section(const struct linkmap *map, const struct section *s,
			    struct program_agreement *a)
{
	bool named = false, same = false;
	for (size_t k = 0; k < map->sections.count && !same; k++) {
		const struct linkmap_section *m = &map->sections.data[k];
		if (!str_eq(linkmap_text(map, m->name), s->name))
			continue;
		named = true;
		same = linkmap_section_is(map, m, s->name, s->addr - s->vm_bias, s->size);
	}
	a->same += same;
	a->other += named && !same;
	if (named && !same) {
		text_adds(&a->differing, a->differing.len > 0 ? STR(", ") : STR(""), s->name);
	}
}

static struct program_agreement compare_map(const struct program *p, const struct linkmap *map)
{
	const struct image *im = program_image(p);
	struct program_agreement a = { 0 };
	for (size_t i = 1; im && i < im->section_count; i++) {
		const struct section *s = &im->sections[i];
		if (s->alloc && s->size > 0 && s->name.len > 0)
			compare_section(map, s, &a);
	}
	return a;
}

/* Uses the map if it agrees with more sections than the one in use, and with at least one. */
static void offer_map(struct program *p, struct linkmap *map, size_t *best)
{
	struct program_agreement a = compare_map(p, map);
	text_release(&a.differing);
	if (a.same <= *best) {
		linkmap_release(map);
		return;
	}
	if (p->map_open)
		linkmap_release(&p->map);
	p->map = *map;
	p->map_open = true;
	*best = a.same;
}

static void note_differences(const struct program *p)
{
	struct program_agreement a = compare_map(p, &p->map);
	if (a.other > 0)
		note(p->notes, p->path, HEFT_NO_OFFSET, 0,
		     "the linker map is of another build: it differs in " STR_FMT,
		     STR_ARG(text_str(&a.differing)));
	text_release(&a.differing);
}

static bool use_maps(struct program *p, struct heft_err *err)
{
	size_t best = 0;
	for (size_t i = 0; i < p->wish->maps.count; i++) {
		struct linkmap map;
		if (!linkmap_open(&map, p->wish->maps.data[i], p->notes, err))
			return false;
		offer_map(p, &map, &best);
	}
	p->map_tried = true;
	if (p->map_open)
		note_differences(p);
	else if (program_image(p))
		note(p->notes, p->path, HEFT_NO_OFFSET, 0,
		     "%s is the linker map of another build: no section is where it says",
		     p->wish->maps.data[0]);
	return true;
}

/* True for a source map: for a WebAssembly module, it may be given as a linker map. */
static bool is_source_map(const char *path)
{
	struct heft_err err;
	struct file f;
	if (!file_open(&f, path, &err))
		return false;
	const bool is = source_map_matches(f.bytes);
	file_close(&f);
	return is;
}

/* Tries a map in the program's folder, and uses it if it agrees with the program. `likely`: only
 * its name suggests a map, so a map that does not agree causes no note. */
static void try_map(struct program *p, const char *path, bool likely)
{
	struct notes notes;
	struct linkmap map;
	struct heft_err why;
	if (p->map_open || !file_exists(path) || is_source_map(path))
		return;
	notes_init(&notes);
	const bool ok = linkmap_open(&map, path, &notes, &why);
	struct program_agreement a = ok ? compare_map(p, &map) : (struct program_agreement){ 0 };
	if (ok && a.same > 0) {
		p->map = map;
		p->map_open = true;
		notes_append(p->notes, &notes);
	} else if (ok) {
		linkmap_release(&map);
	}
	if (!p->map_open && !likely)
		note(p->notes, path, ok ? HEFT_NO_OFFSET : why.offset, 0, "not used: %s",
		     ok ? "it is the linker map of another build" : why.text);
	text_release(&a.differing);
	notes_release(&notes);
}

static void try_maps(struct program *p, struct arena *a, const char *stem, bool likely)
{
	try_map(p, arena_format(a, "%s.map", stem), likely);
	try_map(p, arena_format(a, "%s.map.gz", stem), likely);
}

/* Searches for a map of "fw.elf": "fw.elf.map" (Pico SDK, Make) or "fw.map" (CMake, Zephyr,
 * ESP-IDF, Arduino, PlatformIO). Also searches the folders of IDEs. */
static void find_map(struct program *p)
{
	/* Relative to the program's folder. */
	static const char *const folders[] = { "",        "../",      "map/",
					       "../map/", "../List/", "../Listings/" };
	struct arena a = { 0 };
	const char *path = p->path;
	const char *name = file_name(path), *dot = strrchr(name, '.');
	const int folder = (int)(name - path), stem = (int)(dot && dot > name ? dot - name : 0);
	try_maps(p, &a, path, false);
	for (size_t i = 0; stem > 0 && i < COUNT_OF(folders); i++)
		try_maps(p, &a,
			 arena_format(&a, "%.*s%s%.*s", folder, path, folders[i], stem, name),
			 true);
	if (stem > 0 && strstr(path, ".pio/build/"))
		try_maps(p, &a, arena_format(&a, "%.*s../../../%.*s", folder, path, stem, name),
			 true);
	try_maps(p, &a, arena_format(&a, "%.*soutput", folder, path), true);
	try_maps(p, &a, arena_format(&a, "%.*slinker", folder, path), true);
	arena_release(&a);
}

const struct linkmap *program_map(struct program *p)
{
	if (p->input.linkmap)
		return p->input.linkmap;
	if (!p->map_tried && wish_finds_map(p->wish) && program_image(p))
		find_map(p);
	if (!p->map_tried && p->map_open)
		note_differences(p);
	p->map_tried = true;
	return p->map_open ? &p->map : NULL;
}

const struct memory_regions *program_regions(struct program *p)
{
	const struct image *im = program_image(p);
	if (p->regions_read || !im || im->kind != IMAGE_EXEC)
		return &p->regions;
	const struct linkmap *map = program_map(p);
	p->regions_read = true;
	regions_copy(&p->regions, &p->wish->regions);
	if (p->regions.list.count == 0 && map)
		regions_of_map(&p->regions, map, p->path, p->notes);
	if (p->regions.list.count == 0)
		regions_of_segments(&p->regions, im);
	return &p->regions;
}

static void program_begin(struct program *p, const char *path, const struct program_wish *wish,
			  struct notes *notes)
{
	ASSERT(path && wish && notes);
	memset(p, 0, sizeof *p);
	p->path = path;
	p->wish = wish;
	p->notes = notes;
	p->dwarf.wish = wish;
}

static bool use_given(struct program *p, struct heft_err *err)
{
	const struct image *im;
	struct str packer = STR("");
	ASSERT(p->input.archive || p->input.image_count == 1);
	p->open = true;
	progress_begin(p->input.file.bytes.size);
	progress_tell(p->path, 0, 1);
	im = program_image(p);
	if (im)
		packer = made_by_packer(im);
	if (packer.len > 0)
		note(p->notes, p->path, HEFT_NO_OFFSET, 0,
		     "packed by %.*s: what it holds shows once it is unpacked (upx -d)",
		     (int)packer.len, packer.p);
	/* Adds a note if the linker map leaves unknown which sections have bytes in the file. */
	struct text names = { 0 };
	if (p->input.linkmap)
		linkmap_doubts(p->input.linkmap, &names);
	if (names.len > 0)
		note(p->notes, p->path, HEFT_NO_OFFSET, 0,
		     "counted as stored; only the program tells whether they are "
		     "(NOLOAD): " STR_FMT,
		     STR_ARG(text_str(&names)));
	text_release(&names);
	if (p->wish->arch && !input_take_slice(&p->input, p->path, p->wish->arch, err))
		return false;
	/* In two rounds, because a debug file may complete another that comes later. */
	const size_t count = p->wish->debug_files.count;
	ASSERT(!p->given);
	p->given = mem_zeroed(count + 1, sizeof *p->given);
	for (size_t i = 0; i < 2 * count; i++)
		if (!p->given[i % count] && !use_debug_file(p, i % count, err))
			return false;
	return p->wish->maps.count == 0 || use_maps(p, err);
}

bool program_open(struct program *p, const char *path, enum file_use use,
		  const struct program_wish *wish, struct notes *notes, struct heft_err *err)
{
	struct arena a = { 0 };
	struct str archive, member;
	program_begin(p, path, wish, notes);
	/* Tries "lib.a(member.o)", unless a file has that whole name. */
	if (!file_exists(path) && input_member_split(path, &archive, &member)) {
		const char *file = arena_copy(&a, archive);
		const bool inside = file_exists(file);
		p->open = inside && input_open(&p->input, file, USE_SIZE, notes, err);
		arena_release(&a);
		if (inside)
			return p->open && input_take_member(&p->input, use, path, member, err) &&
			       use_given(p, err);
	}
	return (wish->in_portions ? input_open_portion : input_open)(&p->input, path, use, notes,
								     err) &&
	       use_given(p, err);
}

bool program_next_portion(struct program *p)
{
	p->go = (struct go_slot){ 0 };
	return input_next_portion(&p->input);
}

bool program_adopt(struct program *p, struct file *f, enum file_use use,
		   const struct program_wish *wish, struct notes *notes, struct heft_err *err)
{
	program_begin(p, f->path, wish, notes);
	return input_adopt(&p->input, f, use, p->notes, err) && use_given(p, err);
}

bool program_parse(struct program *p, const char *path, struct bytes bytes,
		   const struct program_wish *wish, struct notes *notes, struct heft_err *err)
{
	program_begin(p, path, wish, notes);
	p->map_tried = true;
	return input_parse(&p->input, path, bytes, notes, err) && use_given(p, err);
}

bool program_check_alone(const struct program *p, struct heft_err *err)
{
	if (p->wish->programs.count > 0)
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET,
			    "%s: no input is a core that it could be the program of",
			    p->wish->programs.data[0]);
	bool *used = mem_zeroed(p->wish->debug_files.count + 1, sizeof *used);
	program_mark_used(p, used);
	const bool all = program_check_used(p->wish, used, err);
	mem_free(used);
	return all;
}

bool program_open_alone(struct program *p, const char *path, enum file_use use,
			const struct program_wish *wish, struct notes *notes, struct heft_err *err)
{
	return program_open(p, path, use, wish, notes, err) && program_check_alone(p, err);
}

static void symbolizer_close(struct symbolizer *s)
{
	if (s)
		symbolizer_release(s);
	mem_free(s);
}

void program_close(struct program *p)
{
	symbolizer_close(p->symbolizer);
	symbolizer_close(p->besides);
	for (size_t i = 0; p->names && i < p->input.image_count; i++)
		name_index_release(&p->names[i]);
	mem_free(p->names);
	if (p->symbols_read)
		symbol_table_release(&p->symbols);
	dwarf_slot_release(&p->dwarf);
	if (p->map_open)
		linkmap_release(&p->map);
	regions_release(&p->regions);
	companion_close(&p->debug);
	companion_close(&p->lines);
	if (p->open)
		input_close(&p->input);
	mem_free(p->given);
	memset(p, 0, sizeof *p);
}

const struct input *program_debug(struct program *p, bool dwarf)
{
	const struct image *im = program_image(p);
	const bool tried = dwarf ? p->dwarf_tried : p->debug_tried;
	if (im && !p->debug.open && !tried)
		companion_find(&p->debug, im, p->wish, dwarf, &p->go, p->notes);
	else if (im && dwarf && !tried && companion_lacks_lines(&p->debug))
		companion_find(&p->lines, im, p->wish, true, &p->go, p->notes);
	p->debug_tried = true;
	p->dwarf_tried |= dwarf;
	if (dwarf && p->lines.open)
		return &p->lines.input;
	return p->debug.open ? &p->debug.input : NULL;
}

const char *program_debug_file(struct program *p)
{
	const struct image *im = program_image(p);
	if (im && !p->debug.open && !p->dwarf_tried)
		companion_find(&p->debug, im, p->wish, true, NULL, p->notes);
	return program_debug_path(p);
}

const struct image *program_debug_image(struct program *p, bool dwarf)
{
	const struct input *in = program_debug(p, dwarf);
	return in ? &in->images[0] : NULL;
}

/* Returns the DWARF of the image or its debug file, with dwz's and split files. Or NULL. */
static struct debuginfo *program_dwarf(struct program *p)
{
	const struct image *im = program_image(p);
	return im ? dwarf_slot_open(&p->dwarf, im, program_debug_image(p, true), p->notes) : NULL;
}

struct symbol_table *program_symbols(struct program *p)
{
	if (!p->symbols_read && program_image(p))
		symbol_table_read(&p->symbols, program_image(p), program_debug_image(p, false));
	p->symbols_read = true;
	return &p->symbols;
}

struct name_index *program_names(struct program *p, size_t i)
{
	const size_t count = p->input.image_count;
	struct symbol_table *stubs = program_image(p) ? program_symbols(p) : NULL;
	ASSERT(i < count);
	if (!p->names) {
		p->names = mem_zeroed(count, sizeof *p->names);
		for (size_t k = 0; k < count; k++)
			name_index_init(&p->names[k], &p->input.images[k],
					program_debug_image(p, false), stubs);
	}
	return &p->names[i];
}

static struct symbolizer *symbolizer_open(struct debuginfo *info)
{
	struct symbolizer *s = mem_zeroed(1, sizeof *s);
	symbolizer_init(s, info);
	return s;
}

struct symbolizer *program_symbolizer(struct program *p)
{
	struct debuginfo *info = p->symbolizer_tried ? NULL : program_dwarf(p);
	struct debuginfo *own = NULL;
	if (info)
		p->symbolizer = symbolizer_open(info);
	if (info && info->image != program_image(p))
		own = dwarf_slot_open(&p->dwarf, program_image(p), NULL, p->notes);
	if (own)
		p->symbolizer->besides = p->besides = symbolizer_open(own);
	p->symbolizer_tried = true;
	return p->symbolizer;
}

/* The functions below find what an image lacks: a separate debug file, or symbols in another
 * form. */

/* Opens the file at `path`. Frees `path` in any case. */
static bool companion_take(struct companion *c, const struct image *im, char *path,
			   struct notes *notes,
			   bool (*open)(const struct image *im, const char *path, struct input *in,
					struct notes *notes, struct heft_err *err))
{
	struct heft_err err;
	if (!path)
		return false;
	ASSERT(!c->open);
	c->open = open(im, path, &c->input, notes, &err);
	if (!c->open && note_is_first(notes, path, HEFT_NO_OFFSET))
		note(notes, im->path, HEFT_NO_OFFSET, 0, "debug file not used: %s", err.text);
	mem_free(path);
	return c->open;
}

static bool companion_open_object(const struct image *im, const char *path, struct input *in,
				  struct notes *notes, struct heft_err *err)
{
	(void)im;
	return input_open(in, path, USE_DEBUG_FILE, notes, err);
}

/* Opens symbols that are stored inside the image: .gnu_debugdata, the kernel's or Go's table. False
 * if it has none. */
static bool find_inside(struct companion *c, const struct image *im, unsigned go_parts,
			struct go_slot *go, struct notes *notes)
{
	const struct go_table *table;
	if ((go_parts & GO_SYMBOLS) &&
	    (debugdata_open(im, &c->input, &c->owned) || kernel_symbols_open(im, &c->input, notes)))
		return true;
	table = go ? go_slot_open(go, im, notes) : NULL;
	if (table)
		go_symbols_open(im, table, go_parts, &c->input, &c->owned, notes);
	return table != NULL;
}

bool companion_find(struct companion *c, const struct image *im, const struct program_wish *wish,
		    bool dwarf, struct go_slot *go, struct notes *notes)
{
	const bool symbols = image_symbols_name_places(im);
	/* If a program has a separate debug file, the DWARF inside the program describes only a few
	 * libraries. */
	const bool all = debuginfo_present(im) && im->debug_name.len == 0;
	if (im->kind != IMAGE_EXEC || (symbols && (!dwarf || all)))
		return false;
	const unsigned parts = (symbols ? 0 : GO_SYMBOLS) |
			       (dwarf && !debuginfo_present(im) ? GO_LINES : 0);
	const struct debug_search how = wish_search(wish);
	ASSERT(!c->open);
	c->inside =
		!(wish_finds_debug(wish) &&
		  (companion_take(c, im, debugfile_find(im, &how, notes), notes,
				  companion_open_object) ||
		   companion_take(c, im, pdb_file_find(im, &how, notes), notes, pdb_file_open))) &&
		!(dwarf &&
		  companion_take(c, im, source_map_find(im, wish, notes), notes, source_map_open));
	if (c->inside && parts != 0)
		c->open = find_inside(c, im, parts, go, notes);
	return c->open;
}

bool companion_lacks_lines(const struct companion *c)
{
	return c->open && c->inside && !debuginfo_present(companion_image(c));
}

void companion_close(struct companion *c)
{
	if (c->open)
		input_close(&c->input);
	mem_free(c->owned);
	memset(c, 0, sizeof *c);
}

void made_image_begin(struct image_build *b, struct image *ret, const struct image *im,
		      const char *path, struct notes *notes)
{
	const struct image_place at = { .path = path, .member = im->member };
	ASSERT(ret != im);
	build_init(b, ret, &at, im->bytes, notes);
	build_as(b, im);
	for (size_t i = 1; i < im->section_count; i++) {
		struct section s = im->sections[i];
		s.type = SHT_NOBITS;
		s.file_size = s.off = 0;
		s.link = s.info = 0;
		s.compressed = s.again = false;
		if (!s.alloc) /* A companion has no debug info of its image */
			s.name = STR("");
		build_section(b, &s);
	}
}

void made_image_add(struct image_build *b, struct text *bytes, struct str name,
		    const struct text *contents)
{
	const struct section s = {
		.name = name, .type = SHT_PROGBITS, .off = bytes->len, .file_size = contents->len
	};
	text_add(bytes, text_str(contents));
	b->im->bytes = (struct bytes){ (const uint8_t *)bytes->p, bytes->len };
	build_section(b, &s);
}

void made_image_add_dwarf(struct image_build *b, struct text *bytes, const struct dwarf_made *d)
{
	made_image_add(b, bytes, STR(".debug_info"), &d->info);
	made_image_add(b, bytes, STR(".debug_abbrev"), &d->abbrev);
	made_image_add(b, bytes, STR(".debug_line"), &d->line);
	made_image_add(b, bytes, STR(".debug_ranges"), &d->ranges);
}
