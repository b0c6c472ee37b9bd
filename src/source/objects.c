/* Implements the sources objects and libraries: the linker map gives the object of each piece.
 * Other bytes (debug info, unwind tables, programs without a map) belong to their compile unit. A
 * unit belongs to the object that has its code. */
#include "attr/attr.h"
#include "source/library_name.h"
#include "source/source.h"

struct objects {
	const struct source_file *f;
	struct layer units;
	VEC(label_id)
	of_unit;          /* Per label: the object of a compile unit. LABEL_NONE: the unit
			        * itself */
	label_id *labels; /* Label of each object in the map */
	struct claims pieces;
};

static void objects_claim_piece(void *ctx, const struct linkmap_piece *p)
{
	struct objects *o = ctx;
	label_id *object = &o->labels[p->object];
	if (*object == LABEL_NONE)
		*object = attr_object_label(o->f->labels, o->f->linkmap, p->object);
	claim(&o->pieces, p->addr, p->size, *object, WHY_LINKER_MAP);
}

/* Learns the object of a compile unit: a piece's object is the object of the unit that owns its
 * code. */
static void objects_learn_unit(void *ctx, const struct linkmap_piece *p)
{
	struct objects *o = ctx;
	const label_id unit = spans_label(&o->units.vm, p->addr);
	if (unit < o->of_unit.count && !label_is_fallback(o->f->labels, unit) &&
	    o->of_unit.data[unit] == LABEL_NONE)
		o->of_unit.data[unit] = o->labels[p->object];
}

static void each_piece(struct objects *o, map_piece_fn *fn)
{
	for (size_t i = 0; i < o->f->input->image_count; i++)
		attr_each_piece(&o->f->input->images[i], o->f->linkmap, fn, o);
}

static void relabel(const struct objects *o, struct spans *s)
{
	for (size_t i = 0; i < s->list.count; i++) {
		struct span *k = &s->list.data[i];
		ASSERT(k->label < o->of_unit.count);
		if (o->of_unit.data[k->label] != LABEL_NONE)
			k->label = o->of_unit.data[k->label];
	}
}

/* Sets the label of each claim to the label that its bytes show. */
static void objects_relabel_origins(const struct source_file *f, const struct layer *made)
{
	for (size_t i = 0; f->origins && i < f->origins->claims.list.count; i++) {
		struct claim *c = &f->origins->claims.list.data[i];
		if (!label_is_fallback(f->labels, c->label))
			c->label = spans_label(&made->vm, c->start);
	}
}

static void objects_run_units(struct objects *o)
{
	struct source_file f = *o->f;
	struct notes notes;
	notes_init(&notes); /* Drops notes: the map has what the units lack. */
	f.notes = &notes;
	f.linkmap = NULL;
	f.trace = NULL;
	source_compileunits(&f, &o->units);
	for (size_t i = 0; i < f.labels->kinds.count; i++)
		vec_push(&o->of_unit, LABEL_NONE);
	each_piece(o, objects_learn_unit);
	relabel(o, &o->units.vm);
	relabel(o, &o->units.file);
	notes_release(&notes);
}

/* Claims the map's pieces in memory and in the file, before the owners from units. Bytes that are
 * copied at start count at both addresses. */
static void objects_join(struct objects *o, struct layer *ret)
{
	const struct basemap *map = o->f->map;
	basemap_add_copies(map, &ret->vm);
	basemap_clip_vm(map, &ret->vm);
	basemap_translate(map, &ret->vm, &ret->file);
	spans_overlay(&ret->vm, &o->units.vm);
	spans_overlay(&ret->file, &o->units.file);
	basemap_check_vm(map, &ret->vm);
	basemap_check_file(map, &ret->file);
}

static void by_map(const struct source_file *f, struct layer *ret)
{
	struct objects o = { .f = f };
	const size_t count = f->linkmap->objects.entries.count;
	o.labels = mem_alloc((count + 1) * sizeof *o.labels);
	for (size_t i = 0; i < count; i++)
		o.labels[i] = LABEL_NONE;
	each_piece(&o, objects_claim_piece);
	claims_own(f, &ret->vm, &o.pieces);
	objects_run_units(&o);
	objects_join(&o, ret);
	objects_relabel_origins(f, ret);
	ASSERT(o.units.vm.list.count == 0 && o.units.file.list.count == 0);
	mem_free(o.labels);
	vec_release(&o.of_unit);
}

void source_objects(const struct source_file *f, struct layer *ret)
{
	if (f->input->archive)
		source_armembers(f, ret);
	else if (f->linkmap)
		by_map(f, ret);
	else
		source_compileunits(f, ret);
}

static void to_libraries(const struct source_file *f, struct spans *s, label_id *of, size_t count)
{
	for (size_t i = 0; i < s->list.count; i++) {
		const label_id object = s->list.data[i].label;
		if (object >= count || label_is_fallback(f->labels, object))
			continue;
		if (of[object] == LABEL_NONE)
			of[object] = label_copy(f->labels,
						library_name(label_text(f->labels, object)));
		s->list.data[i].label = of[object];
	}
	spans_pad(s, NULL, 0, NULL, 0);
}

void source_libraries(const struct source_file *f, struct layer *ret)
{
	source_objects(f, ret);
	const size_t count = f->labels->kinds.count;
	label_id *of = mem_alloc((count + 1) * sizeof *of);
	for (size_t i = 0; i < count; i++)
		of[i] = LABEL_NONE;
	to_libraries(f, &ret->vm, of, count);
	to_libraries(f, &ret->file, of, count);
	basemap_check_vm(f->map, &ret->vm);
	basemap_check_file(f->map, &ret->file);
	objects_relabel_origins(f, ret);
	mem_free(of);
}
