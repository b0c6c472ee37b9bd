/* Finds which objects of a linker map have the same function or string. */
#include "program/path_aliases.h"

#include "base/sort.h"
#include "base/text.h"
#include "image/elf/elf_const.h"
#include "image/input.h"

struct path_aliases_reading {
	struct path_aliases *to;
	unsigned what;          /* Bits of enum path_aliases_what */
	struct intern left_out; /* Keys (section_key) of sections that the map lists as discarded */
	struct text key;        /* Scratch */
	struct intern files_seen;
	size_t opened;
};

static void path_aliases_add_object(struct path_aliases *p, struct path_alias_keys *k,
				    struct str key, uint32_t object)
{
	const uint32_t id = intern_add(&k->keys, key);
	while (k->first.count <= id) {
		vec_push(&k->first, UINT32_MAX);
		vec_push(&k->counts, 0);
	}
	const uint32_t before = k->first.data[id];
	ASSERT(k->first.count == k->counts.count && p->list.count < UINT32_MAX);
	if (before != UINT32_MAX && p->list.data[before].object == object)
		return;
	k->first.data[id] = (uint32_t)p->list.count;
	k->counts.data[id]++;
	vec_push(&p->list, (struct path_alias){ object, before });
}

/* A function of the program. sort_by_key() sorts by the first field. */
struct function_name {
	uint64_t addr;
	struct str name;
};

bool path_aliases_list_shared(struct path_aliases *p, const struct linkmap *map,
			      const struct image *im)
{
	const struct section *table = image_section_type(im, SHT_SYMTAB, 1);
	VEC(struct function_name) list = { 0 };
	struct symtab t;
	if (map->linker == LINKMAP_GNU || map->linker == LINKMAP_MSVC || !table ||
	    !symtab_open(&t, im, table))
		return false;
	for (size_t i = 1; i < t.count; i++) {
		const struct symbol s = symtab_get(&t, i);
		uint64_t addr;
		if (s.type == STT_FUNC && s.size > 0 && symbol_addr(im, &s, &addr))
			vec_push(&list, (struct function_name){ addr, s.name });
	}
	vec_sort(&list);
	for (size_t i = 0; i < list.count; i++)
		if ((i > 0 && list.data[i - 1].addr == list.data[i].addr) ||
		    (i + 1 < list.count && list.data[i + 1].addr == list.data[i].addr))
			(void)intern_add(&p->sharing, list.data[i].name);
	vec_release(&list);
	return p->sharing.entries.count > 0;
}

/* Reads definitions that several objects may have: weak and unique symbols, and functions whose
 * code is shared (p->sharing). */
static void path_aliases_read_functions(struct path_aliases *p, const struct image *im,
					uint32_t object, unsigned what)
{
	const bool functions = what & PATH_ALIASES_FUNCTIONS, shared = what & PATH_ALIASES_SHARED;
	const struct section *table = image_section_type(im, SHT_SYMTAB, 1);
	struct symtab t;
	if (!table || !symtab_open(&t, im, table))
		return;
	for (size_t i = 1; i < t.count; i++) {
		const struct symbol y = symtab_get(&t, i);
		const bool kept_once = y.bind == STB_WEAK || y.bind == STB_GNU_UNIQUE;
		uint32_t id;
		if (y.name.len == 0 || y.section == SYM_NO_SECTION ||
		    y.section >= im->section_count)
			continue;
		if (functions && kept_once)
			path_aliases_add_object(p, &p->functions, y.name, object);
		if (shared && y.type == STT_FUNC && intern_find(&p->sharing, y.name, &id))
			path_aliases_add_object(p, &p->shared, y.name, object);
	}
}

static struct str path_aliases_section_key(struct text *key, uint32_t object, struct str section)
{
	key->len = 0;
	text_add_number(key, object);
	text_adds(key, STR(" "), section);
	return text_str(key);
}

static void read_left_out(struct path_aliases_reading *r)
{
	const struct linkmap *map = r->to->map;
	vec_each(const struct linkmap_piece, d, &map->discarded) {
		if (d->object != LINKMAP_NONE)
			(void)intern_add(&r->left_out,
					 path_aliases_section_key(&r->key, d->object,
								  linkmap_piece_name(map, d)));
	}
}

static void read_strings(struct path_aliases_reading *r, const struct image *im,
			 const struct section *s, uint32_t object)
{
	const uint64_t merged = SHF_ALLOC | SHF_MERGE | SHF_STRINGS;
	uint32_t id;
	if ((s->flags & merged) != merged ||
	    (s->entsize != 1 && s->entsize != 2 && s->entsize != 4) ||
	    intern_find(&r->left_out, path_aliases_section_key(&r->key, object, s->name), &id))
		return;
	static const uint8_t zero[4];
	const struct bytes b = section_bytes(im, s);
	const uint64_t width = s->entsize; /* Bytes of a character. */
	uint64_t start = 0;
	for (uint64_t i = 0; width <= b.size - i; i += width) {
		if (memcmp(b.p + i, zero, width) != 0)
			continue;
		const struct str text = { (const char *)b.p + start, i + width - start };
		path_aliases_add_object(r->to, &r->to->strings, text, object);
		start = i + width;
	}
}

/* Reads an object, or those members of an archive that the map names as "libx.a(y.o)". */
static void path_aliases_read_input(struct path_aliases_reading *r, const struct input *in,
				    struct str path)
{
	struct text name = { 0 };
	for (size_t i = 0; i < in->image_count; i++) {
		uint32_t object;
		text_set(&name, path);
		if (in->archive) {
			text_adds(&name, STR("("), in->images[i].member, STR(")"));
		}
		if (!intern_find(&r->to->map->objects, text_str(&name), &object))
			continue;
		const struct image *im = &in->images[i];
		if (r->what & (PATH_ALIASES_FUNCTIONS | PATH_ALIASES_SHARED))
			path_aliases_read_functions(r->to, im, object, r->what);
		for (size_t k = 1; r->what & PATH_ALIASES_STRINGS && k < im->section_count; k++)
			read_strings(r, im, &im->sections[k], object);
	}
	text_release(&name);
}

static bool path_aliases_open_object(struct input *in, const struct linkmap *map, struct str path)
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
		ok = file_exists(full.p) && input_open(in, full.p, USE_SIZE, &notes, NULL);
	}
	text_release(&full);
	notes_release(&notes);
	return ok;
}

/* Reads an object's file once. In an archive, reads all members that the map names. */
static void path_aliases_read_file(struct path_aliases_reading *r, struct str object)
{
	const char *open = str_ends(object, STR(")")) ? memchr(object.p, '(', object.len) : NULL;
	const struct str path = { object.p, open ? (size_t)(open - object.p) : object.len };
	uint32_t id;
	struct input in;
	if (intern_find(&r->files_seen, path, &id))
		return;
	(void)intern_borrow(&r->files_seen, path);
	if (!path_aliases_open_object(&in, r->to->map, path))
		return;
	path_aliases_read_input(r, &in, path);
	input_close(&in);
	r->opened++;
}

void path_aliases_read(struct path_aliases *p, const struct linkmap *map, unsigned what,
		       struct notes *notes)
{
	struct path_aliases_reading r = { .to = p, .what = what };
	ASSERT(p->list.count == 0 || p->map == map);
	p->map = map;
	read_left_out(&r);
	for (uint32_t i = 0; i < map->objects.entries.count; i++)
		path_aliases_read_file(&r, intern_get(&map->objects, i));
	if (r.opened == 0 && what & PATH_ALIASES_FUNCTIONS)
		note(notes, map->file.path ? map->file.path : "", HEFT_NO_OFFSET, 0,
		     "no object of the linker map is where it says: no path aliases");
	intern_release(&r.left_out);
	intern_release(&r.files_seen);
	text_release(&r.key);
}

static void release_keys(struct path_alias_keys *k)
{
	intern_release(&k->keys);
	vec_release_all(&k->first, &k->counts);
}

void path_aliases_release(struct path_aliases *p)
{
	release_keys(&p->functions);
	release_keys(&p->strings);
	release_keys(&p->shared);
	intern_release(&p->sharing);
	vec_release(&p->list);
}

static uint32_t program_path_aliases_find(const struct path_alias_keys *k, struct str key,
					  uint32_t *ret)
{
	uint32_t id;
	if (!intern_find(&k->keys, key, &id))
		return 0;
	*ret = k->first.data[id];
	return k->counts.data[id];
}

uint32_t path_aliases_find(const struct path_aliases *p, struct str name, uint32_t *ret)
{
	return program_path_aliases_find(&p->functions, name, ret);
}

uint32_t path_aliases_find_shared(const struct path_aliases *p, struct str name, uint32_t *ret)
{
	return program_path_aliases_find(&p->shared, name, ret);
}

uint32_t path_aliases_find_string(const struct path_aliases *p, struct bytes text, uint32_t *ret)
{
	return program_path_aliases_find(&p->strings,
					 (struct str){ (const char *)text.p, text.size }, ret);
}
