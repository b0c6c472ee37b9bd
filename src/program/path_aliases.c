#include "program/path_aliases.h"

#include "base/text.h"
#include "image/elf_const.h"
#include "image/input.h"

static void add_definition(struct path_aliases *p, struct str name, uint32_t object)
{
	const uint32_t id = intern_add(&p->names, name);
	while (p->first.count <= id) {
		vec_push(&p->first, UINT32_MAX);
		vec_push(&p->counts, 0);
	}
	const uint32_t before = p->first.data[id];
	if (before != UINT32_MAX && p->list.data[before].object == object)
		return;
	p->first.data[id] = (uint32_t)p->list.count;
	p->counts.data[id]++;
	vec_push(&p->list, (struct path_alias){ object, before });
}

/* What may stand in several objects: weak and unique definitions. */
static void read_object(struct path_aliases *p, const struct image *im, uint32_t object)
{
	const struct section *table = image_section_type(im, SHT_SYMTAB, 1);
	struct symtab t;
	if (!table || !symtab_open(&t, im, table))
		return;
	for (size_t i = 1; i < t.count; i++) {
		const struct symbol y = symtab_get(&t, i);
		const bool kept_once = y.bind == STB_WEAK || y.bind == STB_GNU_UNIQUE;
		if (kept_once && y.name.len > 0 && y.section != SYM_NO_SECTION &&
		    y.section < im->section_count)
			add_definition(p, y.name, object);
	}
}

/* Members that the map names, by its form "libx.a(y.o)". */
static void read_input(struct path_aliases *p, const struct input *in, struct str path)
{
	struct text name = { 0 };
	for (size_t i = 0; i < in->image_count; i++) {
		uint32_t object;
		text_set(&name, path);
		if (in->archive) {
			text_add_char(&name, '(');
			text_add(&name, in->images[i].member);
			text_add_char(&name, ')');
		}
		if (intern_find(&p->map->objects, text_str(&name), &object))
			read_object(p, &in->images[i], object);
	}
	text_release(&name);
}

static bool open_object(struct input *in, const struct linkmap *map, struct str path)
{
	struct notes notes;
	struct text full = { 0 };
	bool ok = false;
	notes_init(&notes);
	for (int beside = 0; beside < 2 && !ok; beside++) {
		const char *own = map->file.path ? map->file.path : "";
		const char *slash = strrchr(own, '/');
		full.len = 0;
		if (beside)
			text_set(&full, (struct str){ own, slash ? (size_t)(slash - own) + 1 : 0 });
		text_add(&full, path);
		text_add_char(&full, '\0');
		ok = file_exists(full.p) && input_open(in, full.p, &notes, NULL);
	}
	text_release(&full);
	notes_release(&notes);
	return ok;
}

void path_aliases_read(struct path_aliases *p, const struct linkmap *map, struct notes *notes)
{
	struct intern seen = { { 0 } }; /* files */
	size_t opened = 0;
	p->map = map;
	for (uint32_t i = 0; i < map->objects.entries.count; i++) {
		struct str path = intern_get(&map->objects, i);
		const char *open = str_ends(path, STR(")")) ? memchr(path.p, '(', path.len) : NULL;
		uint32_t id;
		struct input in;
		path.len = open ? (size_t)(open - path.p) : path.len;
		if (intern_find(&seen, path, &id))
			continue;
		(void)intern_borrow(&seen, path);
		if (!open_object(&in, map, path))
			continue;
		read_input(p, &in, path);
		input_close(&in);
		opened++;
	}
	if (opened == 0)
		note(notes, map->file.path ? map->file.path : "", HEFT_NO_OFFSET, 0,
		     "no object of the linker map is where it says: no path aliases");
	intern_release(&seen);
}

void path_aliases_release(struct path_aliases *p)
{
	intern_release(&p->names);
	vec_release(&p->first);
	vec_release(&p->counts);
	vec_release(&p->list);
}

uint32_t path_aliases_find(const struct path_aliases *p, struct str name, uint32_t *ret)
{
	uint32_t id;
	if (!intern_find(&p->names, name, &id))
		return 0;
	*ret = p->first.data[id];
	return p->counts.data[id];
}
