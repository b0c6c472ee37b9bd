/* Claims, by compile unit, bytes without debug info: the linker map tells the object of each byte.
 * If the debug info has exactly one unit for an object, that unit gets the whole object. An object
 * without a unit counts as a unit. */
#include "attr/attr.h"

#include "debug/path.h"
#include "image/elf/elf_const.h"
#include "linkmap/linkmap.h"
#include "program/plt.h"

#define OWNER_SEVERAL (LABEL_NONE - 1)

struct map_objects {
	struct attr *a;
	const struct linkmap *map;
	label_id *owners; /* one owner per object */
};

/* Returns true if the linker map names the right objects for a section. Linkers attribute sections
 * that they make themselves to any object. Tables about code belong to the owners of the code. */
static bool is_of_objects(const struct image *im, const struct section *s)
{
	static const char *const made[] = { ".interp", ".eh_frame", ".gcc_except_table",
					    ".ARM.ex", ".iplt",     ".igot",
					    ".dyn",    ".rel",      ".gnu.",
					    ".hash",   ".note",     ".version" };
	if (!section_takes_vm(im, s) || section_is_plt(s) || section_is_got(s) ||
	    (s->type != SHT_PROGBITS && s->type != SHT_NOBITS))
		return false;
	for (size_t i = 0; i < COUNT_OF(made); i++)
		if (str_starts(s->name, str_of(made[i])))
			return false;
	return true;
}

void attr_each_piece(const struct image *im, const struct linkmap *map, map_piece_fn *fn, void *ctx)
{
	for (size_t i = 1; i < im->section_count; i++) {
		const struct section *s = &im->sections[i];
		const uint32_t found = is_of_objects(im, s)
					       ? linkmap_find_section(map, s->name,
								      s->addr - s->vm_bias, s->size)
					       : LINKMAP_NONE;
		if (found == LINKMAP_NONE)
			continue;
		const struct linkmap_section *in = &map->sections.data[found];
		for (uint32_t k = 0; k < in->piece_count; k++) {
			struct linkmap_piece moved = map->pieces.data[in->first_piece + k];
			const struct linkmap_piece *p = &moved;
			moved.addr += s->vm_bias;
			const bool own = p->kind == LINKMAP_OBJECT || p->kind == LINKMAP_COMMON;
			if (own && p->size > 0 && p->object != LINKMAP_NONE &&
			    !str_eq(linkmap_piece_name(map, p), STR(".dynbss")))
				fn(ctx, p);
		}
	}
}

static void attr_linkmap_learn_unit(void *ctx, const struct linkmap_piece *p)
{
	struct map_objects *o = ctx;
	const struct spans *vm = &o->a->vm;
	label_id *owner = &o->owners[p->object];
	ASSERT(p->object < o->map->objects.entries.count);
	size_t i = spans_from(vm, p->addr);
	i -= i > 0 && vm->list.data[i - 1].start + vm->list.data[i - 1].size > p->addr;
	for (; i < vm->list.count && vm->list.data[i].start < p->addr + p->size; i++) {
		const label_id unit = vm->list.data[i].label;
		*owner = *owner == LABEL_NONE || *owner == unit ? unit : OWNER_SEVERAL;
	}
}

label_id attr_object_label(struct labels *labels, const struct linkmap *map, uint32_t object)
{
	struct text path = { 0 };
	path_join(&path, STR(""), STR(""), linkmap_object(map, object));
	const label_id label = label_copy(labels, text_str(&path));
	text_release(&path);
	return label;
}

static void attr_linkmap_claim_piece(void *ctx, const struct linkmap_piece *p)
{
	struct map_objects *o = ctx;
	label_id *owner = &o->owners[p->object];
	if (*owner == OWNER_SEVERAL)
		return;
	if (*owner == LABEL_NONE)
		*owner = attr_object_label(o->a->f->labels, o->map, p->object);
	claim(&o->a->vm_claims, p->addr, p->size, *owner, WHY_LINKER_MAP);
}

void attr_linkmap(struct attr *a)
{
	struct map_objects o = { .a = a, .map = a->f->linkmap };
	ASSERT(a->owner == BY_UNIT && o.map);
	const size_t count = o.map->objects.entries.count;
	o.owners = mem_zeroed(count + 1, sizeof *o.owners);
	for (size_t i = 0; i < count; i++)
		o.owners[i] = LABEL_NONE;
	attr_each_piece(a->im, o.map, attr_linkmap_learn_unit, &o);
	attr_each_piece(a->im, o.map, attr_linkmap_claim_piece, &o);
	attr_commit_vm(a);
	mem_free(o.owners);
}
