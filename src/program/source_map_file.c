/* Finds a WebAssembly module's source map, and opens it as the separate debug file. */
#include "program/companion_forms.h"

#include "debug/sourcemap/source_map.h"

static char *source_map_file_keep(const char *path)
{
	const size_t size = strlen(path) + 1;
	return memcpy(mem_alloc(size), path, size);
}

/* Finds the map of the image among those that the user named. NULL if there is none. Adds a note if
 * all are for other modules. */
static char *find_wished(const struct image *im, const struct program_wish *w, struct notes *notes)
{
	vec_each(const struct wished_source_map, m, &w->source_maps) {
		if (strcmp(m->id, im->path) == 0 ||
		    (im->source_map.len > 0 && str_eq(str_of(m->id), im->source_map)))
			return source_map_file_keep(m->path);
	}
	if (w->source_maps.count > 0 && str_eq(str_of(im->format), STR("WebAssembly")) &&
	    note_is_first(notes, im->path, HEFT_NO_OFFSET))
		note(notes, im->path, HEFT_NO_OFFSET, 0,
		     "no source map was named for this file: its id is '" STR_FMT
		     "' or its path as given",
		     STR_ARG(im->source_map));
	return NULL;
}

/* Searches the image's folder for the last component of the URL. */
static char *find_beside(const struct image *im)
{
	enum { URL_LENGTH_MAX = 4096 };
	struct str name = im->source_map;
	struct arena a = { 0 };
	if (name.len == 0 || name.len > URL_LENGTH_MAX || str_starts(name, STR("data:")))
		return NULL;
	for (size_t i = name.len; i-- > 0;) {
		if (name.p[i] == '?' || name.p[i] == '#')
			name.len = i;
		if (name.p[i] != '/')
			continue;
		name = (struct str){ name.p + i + 1, name.len - i - 1 };
		break;
	}
	const char *slash = strrchr(im->path, '/');
	const int len = slash ? (int)(slash - im->path) + 1 : 0;
	const char *path = arena_format(&a, "%.*s" STR_FMT, len, im->path, STR_ARG(name));
	char *found = name.len > 0 && file_exists(path) ? source_map_file_keep(path) : NULL;
	arena_release(&a);
	return found;
}

char *source_map_find(const struct image *im, const struct program_wish *wish, struct notes *notes)
{
	char *found = find_wished(im, wish, notes);
	return found || !wish_finds_debug(wish) || im->member.len > 0 ? found : find_beside(im);
}

static void source_map_file_make(const struct source_map *map, const struct image *im,
				 struct input *in)
{
	const struct section *code = NULL;
	ASSERT(in->image_count == 1 && in->file.path);
	for (size_t i = 1; i < im->section_count && !code; i++)
		if (im->sections[i].exec && im->sections[i].alloc)
			code = &im->sections[i];
	struct image_build b;
	struct dwarf_made d;
	struct text bytes = { 0 };
	source_map_dwarf(map, code ? code->off : 0, code ? code->file_size : 0,
			 code ? code->addr : 0, &d);
	made_image_begin(&b, in->images, im, in->file.path, in->notes);
	made_image_add_dwarf(&b, &bytes, &d);
	build_finish(&b, 0, 0);
	dwarf_made_release(&d);
	in->owned = bytes.p;
}

bool source_map_open(const struct image *im, const char *path, struct input *in,
		     struct notes *notes, struct heft_err *err)
{
	struct source_map map;
	const char *problem;
	uint64_t pos;
	memset(in, 0, sizeof *in);
	if (!file_open(&in->file, path, err))
		return false;
	if (!source_map_parse(&map, in->file.bytes, &problem, &pos)) {
		(void)fail(err, HEFT_EFORMAT, pos, "%s: the source map is damaged: %s", path,
			   problem);
		source_map_release(&map);
		file_close(&in->file);
		return false;
	}
	if (map.damaged > 0)
		note(notes, path, HEFT_NO_OFFSET, 0,
		     "the source map has %" PRIu64 " mappings to sources that it does not name",
		     map.damaged);
	in->images = mem_zeroed(1, sizeof *in->images);
	in->image_count = 1;
	in->notes = notes;
	source_map_file_make(&map, im, in);
	source_map_release(&map);
	return true;
}
