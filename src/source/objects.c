/* Implements the data sources `objects` and `libraries`: the linker map tells the object of each
 * piece. What the file has because of a piece (names, relocations, unwind tables, stubs) belongs to
 * that object too. Debug info belongs to the object that has the unit's code. */
#include "source/library_name.h"
#include "source/source.h"

static void units_to_objects(const struct unit_objects *u, struct spans *s)
{
	for (size_t i = 0; i < s->list.count; i++)
		s->list.data[i].label = unit_object(u, s->list.data[i].label);
	spans_pad(s, NULL, 0, NULL, 0);
}

/* Sets the label of each claim to the one that its bytes have in the layer. */
static void objects_relabel_origins(const struct source_file *f, const struct layer *made)
{
	for (size_t i = 0; f->origins && i < f->origins->claims.list.count; i++) {
		struct claim *c = &f->origins->claims.list.data[i];
		if (!label_is_fallback(f->labels, c->label))
			c->label = spans_label(&made->vm, c->start);
	}
}

static void by_map(const struct source_file *f, struct layer *ret)
{
	struct unit_objects units = { 0 };
	struct source_file own = *f;
	struct notes notes;
	notes_init(&notes); /* Dropped: the map has what units lack */
	own.notes = &notes;
	own.unit_objects = &units;
	source_compileunits(&own, ret);
	units_to_objects(&units, &ret->vm);
	units_to_objects(&units, &ret->file);
	basemap_check_vm(f->map, &ret->vm);
	basemap_check_file(f->map, &ret->file);
	objects_relabel_origins(f, ret);
	notes_release(&notes);
	vec_release(&units.votes);
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
