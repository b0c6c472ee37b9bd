/* Claims bytes without debug info for compile units. The linker map states the object of each byte.
 * If the debug info has exactly one unit of an object, that unit gets all bytes of the object. With
 * several units, nothing is claimed. An object without a unit is treated as a unit. For the data
 * source `objects`, each object gets its own bytes. */
#include "attr/attr.h"

#include "base/sort.h"
#include "debug/path.h"
#include "image/elf/elf_const.h"
#include "linkmap/linkmap.h"
#include "program/plt.h"

#define OWNER_SEVERAL (LABEL_NONE - 1)

struct map_objects {
	struct attr *a;
	const struct linkmap *map;
	label_id *owners; /* Per object: the unit that gets its bytes */
	/* Addresses of variables that the loader copies into the program, sorted */
	VEC(uint64_t) copies;
};

typedef void map_piece_fn(struct map_objects *o, const struct linkmap_piece *p);

/* True if the map assigns a section to the right objects. Linkers attribute some sections that
 * they generate to arbitrary objects. Such sections belong to the owners of the code that they
 * describe. */
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

static void copies_list(struct map_objects *o)
{
	struct reloc_iter it;
	struct reloc r;
	each_section(s, o->a->im) {
		if (!s->alloc || !reloc_open(&it, o->a->im, s))
			continue;
		while (reloc_next(&it, &r))
			if (r.kind == RELOC_COPY && r.alloc)
				vec_push(&o->copies, r.addr);
	}
	vec_sort(&o->copies);
}

/* True if the linker made a range of a section for variables of shared libraries. GNU ld attributes
 * such ranges (.dynbss, .data.rel.ro) to the first object. */
static bool has_copies(const struct map_objects *o, const struct linkmap_piece *p)
{
	const size_t i = vec_lower(&o->copies, p->addr);
	return i < o->copies.count && o->copies.data[i] - p->addr < p->size;
}

/* Calls fn for each range of the map that came from an object, in sections that the image has. */
static void attr_linkmap_each_piece(struct map_objects *o, map_piece_fn *fn)
{
	const struct image *im = o->a->im;
	const struct linkmap *map = o->map;

	each_section(s, im) {
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
			if (own && p->size > 0 && p->object != LINKMAP_NONE && !has_copies(o, p))
				fn(o, p);
		}
	}
}

static void attr_linkmap_learn_unit(struct map_objects *o, const struct linkmap_piece *p)
{
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

static label_id attr_linkmap_label(struct labels *labels, const struct linkmap *map,
				   uint32_t object)
{
	struct text path = { 0 };
	path_join(&path, STR(""), STR(""), linkmap_object(map, object));
	const label_id label = label_copy(labels, text_str(&path));
	text_release(&path);
	return label;
}

static void attr_linkmap_claim_piece(struct map_objects *o, const struct linkmap_piece *p)
{
	label_id *owner = &o->owners[p->object];
	if (*owner == OWNER_SEVERAL)
		return;
	if (*owner == LABEL_NONE)
		*owner = attr_linkmap_label(o->a->f->labels, o->map, p->object);
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
	copies_list(&o);
	if (!a->f->unit_objects)
		attr_linkmap_each_piece(&o, attr_linkmap_learn_unit);
	attr_linkmap_each_piece(&o, attr_linkmap_claim_piece);
	attr_commit_vm(a);
	mem_free(o.owners);
	vec_release(&o.copies);
}

void attr_linkmap_vote(struct attr *a)
{
	struct unit_objects *const u = a->f->unit_objects;
	for (size_t i = 0; u && i < a->vm_claims.list.count; i++) {
		const struct claim *c = &a->vm_claims.list.data[i];
		const label_id object = spans_label(&a->vm, c->start);
		if (object != LABEL_NONE && object != c->label)
			unit_objects_vote(u, c->label, unit_object(u, object), c->size);
	}
}
