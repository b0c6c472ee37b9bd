/* Uses what only the linker map tells: names of a stripped program, and where merged strings are
 * and how wide their characters. Finds objects of bytes by the code or data that uses them. */
#include "snapshot/collect_internal.h"

#include "base/sort.h"
#include "image/elf/elf_const.h"
#include "linkmap/linkmap_names.h"

static uint32_t collect_map_section_of(const struct linkmap *map, const struct section *s)
{
	return map ? linkmap_find_section(map, s->name, s->addr - s->vm_bias, s->size)
		   : LINKMAP_NONE;
}

void collect_map_pieces(struct collect *c)
{
	const struct linkmap *map = c->in->map;
	const uint32_t found = collect_map_section_of(map, c->section);
	c->pieces.count = 0;
	if (found == LINKMAP_NONE)
		return;
	const struct linkmap_section *s = &map->sections.data[found];
	ASSERT((uint64_t)s->first_piece + s->piece_count <= map->pieces.count);
	for (uint32_t i = s->first_piece; i < s->first_piece + s->piece_count; i++)
		if (map->pieces.data[i].size > 0)
			vec_push(&c->pieces,
				 (struct piece_place){
					 map->pieces.data[i].addr + c->section->vm_bias, i });
}

const struct linkmap_piece *collect_piece_at(struct collect *c, uint64_t addr)
{
	const struct piece_place *list = c->pieces.data;
	const size_t count = c->pieces.count;
	const bool near = c->piece < count && list[c->piece].addr <= addr &&
			  (c->piece + 1 == count || list[c->piece + 1].addr > addr);
	if (!near) {
		const size_t behind = upper_bound(list, count, sizeof *list, addr);
		if (behind == 0)
			return NULL;
		c->piece = behind - 1;
	}
	const struct linkmap_piece *p = &c->in->map->pieces.data[list[c->piece].piece];
	return addr - p->addr < p->size ? p : NULL;
}

/* Returns the part after the last dot. */
static struct str collect_map_last_word(struct str name)
{
	size_t from = name.len;
	while (from > 0 && name.p[from - 1] != '.')
		from--;
	return (struct str){ name.p + from, name.len - from };
}

/* Returns the character width in a compiler's name of a string section, such as 2 for
 * ".rodata.main.str2.4". */
static unsigned collect_map_string_width(struct str name)
{
	const size_t end = name.len - collect_map_last_word(name).len;
	if (end < 6 || memcmp(name.p + end - 6, ".str", 4) != 0)
		return 0;
	const char digit = name.p[end - 2];
	return digit == '1' || digit == '2' || digit == '4' ? (unsigned)(digit - '0') : 0;
}

struct merged collect_merged(struct collect *c, uint64_t addr)
{
	const struct linkmap_piece *p = collect_piece_at(c, addr);
	if (!p || p->kind != LINKMAP_MERGED)
		return (struct merged){ .end = UINT64_MAX };
	const struct str name = linkmap_piece_name(c->in->map, p);
	const bool constants = str_starts(collect_map_last_word(name), STR("cst")) ||
			       str_eq(name, STR("merge constants"));
	return (struct merged){ p->addr + p->size, collect_map_string_width(name), constants };
}

enum { OBJECT_SEVERAL = UINT32_MAX };

void collect_learn_owner(struct collect *c, const struct snap_symbol *y)
{
	if (!c->in->map || y->object == 0)
		return;
	const label_id label = cursor_label(&c->owner_cursor, y->addr);
	if (label == LABEL_NONE || label_is_fallback(c->in->file->labels, label) ||
	    !c->s->sections.data[c->to].in_memory)
		return;
	while (c->object_of_owner.count <= label)
		vec_push(&c->object_of_owner, 0);
	uint32_t *object = &c->object_of_owner.data[label];
	*object = *object == 0 || *object == y->object ? y->object : OBJECT_SEVERAL;
}

/* The object of a source, or the source of an object. A pair that code shows counts more than one
 * that data shows, because linkers assign a shared string to only one of its objects */
struct other_path {
	uint32_t text; /* Text id. 0 if unknown */
	bool by_code;
};

static void collect_map_learn_path(struct other_path *known, uint32_t text, bool code)
{
	if (known->by_code && !code)
		return;
	if (known->text == 0 || (code && !known->by_code))
		known->text = text;
	else if (known->text != text)
		known->text = OBJECT_SEVERAL;
	known->by_code = code;
}

/* Finds, per text id, the object made from each source file, and the source of each object. */
static void learn_paths(const struct collect *c, size_t first, struct other_path *object_of,
			struct other_path *source_of)
{
	for (size_t i = first; i < c->s->symbols.count; i++) {
		const struct snap_symbol *y = &c->s->symbols.data[i];
		const bool code = c->s->sections.data[y->section].letter == 't';
		if (y->source == 0 || y->object == 0)
			continue;
		collect_map_learn_path(&object_of[y->source], y->object, code);
		collect_map_learn_path(&source_of[y->object], y->source, code);
	}
}

/* Without debug info, removes a symbol's source if it belongs to another object than the map
 * states. Such a source is that of the code that refers to the data. */
static void contradictions_drop(struct collect *c, size_t first, const struct other_path *object_of)
{
	for (size_t i = first; i < c->s->symbols.count; i++) {
		struct snap_symbol *y = &c->s->symbols.data[i];
		const struct other_path *known = &object_of[y->source];
		if (y->source != 0 && y->object != 0 && known->by_code &&
		    known->text != OBJECT_SEVERAL && known->text != y->object)
			y->source = 0;
	}
}

static void complete_path(uint32_t *path, const struct other_path *known)
{
	if (*path == 0 && known->text != OBJECT_SEVERAL)
		*path = known->text;
}

static uint32_t object_of_user(const struct collect *c, label_id owner)
{
	const bool known = owner != LABEL_NONE && owner < c->object_of_owner.count;
	const uint32_t object = known ? c->object_of_owner.data[owner] : 0;
	return object == OBJECT_SEVERAL ? 0 : object;
}

/* If a source is an object ("Scrt1.o"), makes it the symbol's object. The STT_FILE symbol of an
 * assembly object names the object itself. */
static void move_objects(struct collect *c, size_t first)
{
	for (size_t i = first; i < c->s->symbols.count; i++) {
		struct snap_symbol *y = &c->s->symbols.data[i];
		const struct str source = snapshot_text(c->s, y->source);
		if (!str_ends(source, STR(".o")) && !str_ends(source, STR(".obj")))
			continue;
		if (y->object == 0)
			y->object = y->source;
		y->source = 0;
	}
}

void collect_complete_paths(struct collect *c, size_t first)
{
	if (!c->in->map) {
		move_objects(c, first);
		return;
	}
	const size_t texts = c->s->texts.entries.count;
	struct other_path *object_of = mem_zeroed(2 * texts, sizeof *object_of);
	struct other_path *source_of = object_of + texts;
	learn_paths(c, first, object_of, source_of);
	if (c->in->no_debug) {
		contradictions_drop(c, first, object_of);
		memset(object_of, 0, 2 * texts * sizeof *object_of);
		learn_paths(c, first, object_of, source_of);
	}
	for (size_t i = first; i < c->s->symbols.count; i++) {
		struct snap_symbol *y = &c->s->symbols.data[i];
		if (y->object == 0)
			y->object = object_of_user(c, c->owners.data[i - first]);
		complete_path(&y->object, &object_of[y->source]);
		complete_path(&y->source, &source_of[y->object]);
	}
	mem_free(object_of);
	move_objects(c, first);
}

static bool has_symbol(const struct named_place *list, size_t count, uint32_t section,
		       uint64_t addr)
{
	size_t i = lower_bound(list, count, sizeof *list, addr);
	while (i < count && list[i].addr == addr && list[i].section != section)
		i++;
	return i < count && list[i].addr == addr;
}

/* Adds the map's names for a section. Places from index `known` on are new. */
static void collect_map_add_names(const struct collect_input *in, const struct linkmap_names *n,
				  const struct section *to, size_t known)
{
	struct places *p = in->places;
	const bool in_vm = section_takes_vm(&in->file->input->images[0], to);
	for (size_t i = n->list.count; i-- > 0;) {
		const struct linkmap_name *y = &n->list.data[i];
		if (in_vm && has_symbol(p->list.data, known, to->index, y->addr))
			continue;
		const struct named_place place = { .addr = y->addr,
						   .size = y->size,
						   .label = label_copy(in->file->labels, y->name),
						   .section = to->index };
		if (in_vm)
			vec_push(&p->list, place);
		else
			vec_push(&p->outside, place);
	}
}

static void collect_map_name_sections(const struct collect_input *in, struct linkmap_names *n,
				      size_t known, bool code)
{
	const struct image *im = &in->file->input->images[0];
	each_section(to, im) {
		const uint32_t found = to->exec == code && to->alloc
					       ? collect_map_section_of(n->map, to)
					       : LINKMAP_NONE;
		if (found == LINKMAP_NONE)
			continue;
		linkmap_names_read(n, found);
		collect_map_add_names(in, n, to, known);
	}
}

COMPARISON(collect_map_longer_first, struct named_place, ORDER(b->size, a->size))

static bool collect_map_has_symbols(const struct input *in)
{
	return in && in->image_count > 0 && image_section_type(&in->images[0], SHT_SYMTAB, 1);
}

void collect_map_names(const struct collect_input *in)
{
	struct linkmap_names n = { .map = in->map };
	struct places *p = in->places;
	const size_t known = p->list.count;
	if (!in->map || in->file->input->image_count == 0 ||
	    collect_map_has_symbols(in->file->input) || collect_map_has_symbols(in->file->debug))
		return;
	/* Names code first (linkmap_names.h says why) */
	collect_map_name_sections(in, &n, known, true);
	collect_map_name_sections(in, &n, known, false);
	sort_by_key_then(p->list.data, p->list.count, sizeof *p->list.data,
			 collect_map_longer_first);
	linkmap_names_release(&n);
}
