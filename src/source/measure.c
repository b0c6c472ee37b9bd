/* Prepares an input for its sources, and runs them. */
#include "source/measure.h"

unsigned source_needs(const struct source *s)
{
	return (s->symbols ? NEED_SYMBOLS : 0) | (s->dwarf ? NEED_DWARF : 0) |
	       (s->units ? NEED_UNITS : 0) | (s->regions ? NEED_REGIONS : 0);
}

struct source_file measure_input(struct program *p, struct process *core, unsigned needs)
{
	const struct image *im = program_image(p);
	const bool units = im && needs & NEED_UNITS;
	/* The source packages does not need DWARF made from Go's tables. */
	if (units && im->kind == IMAGE_EXEC)
		(void)program_debug_file(p);
	const bool dwarf = needs & NEED_DWARF || (units && im->debug_object_count > 0);
	return (struct source_file){ .path = p->path,
				     .input = &p->input,
				     .go = &p->go,
				     .process = core,
				     .debug = needs & (NEED_SYMBOLS | NEED_DWARF | NEED_UNITS)
						      ? program_debug(p, dwarf)
						      : NULL,
				     .linkmap = needs & NEED_UNITS ? program_map(p) : NULL,
				     .regions = needs & NEED_REGIONS ? program_regions(p) : NULL };
}

void measure_begin(struct measure *m, const struct source_file *of, const struct program_wish *wish)
{
	ASSERT(of->input && of->labels && of->notes && wish);
	m->dwarf = (struct dwarf_slot){ .wish = wish };
	m->file = *of;
	m->file.map = &m->map;
	m->file.dwarf = &m->dwarf;
	m->file.panics = &m->panics;
	if (!m->file.go)
		m->file.go = &m->go;
	basemap_build(&m->map, of->input, of->labels, of->regions);
}

bool measure_lends(const struct source *s)
{
	return s->run == source_symbols || s->run == source_compileunits;
}

void measure_run(struct measure *m, const struct source *s, struct layer *ret)
{
	ASSERT(m->file.map == &m->map && m->file.dwarf == &m->dwarf);
	m->file.source = s->name;
	source_run(s, &m->file, ret);
	if (m->file.origins || m->file.trace) /* If origins or traces are needed, each source
					       * makes its own claims */
		return;
	if (s->run == source_symbols)
		m->file.symbols = ret;
	else if (s->run == source_compileunits)
		m->file.units = ret;
}

void measure_code(const struct measure *m, struct spans *ret)
{
	const struct input *in = m->file.input;
	struct claims code = { 0 };
	struct spans found = { 0 };
	uint64_t end = in->begin;
	for (size_t i = 0; i < in->image_count; i++) {
		const struct image *im = &in->images[i];
		for (size_t k = 1; k < im->section_count; k++)
			if (im->sections[k].exec)
				claim(&code, im->file_off + im->sections[k].off,
				      im->sections[k].file_size, 0, WHY_SECTION);
	}
	claims_resolve(&code, input_size(in), &found);
	spans_cut(&found, input_size(in));
	for (size_t i = 0; i < found.list.count; i++) {
		const struct span *s = &found.list.data[i];
		spans_push(ret, end, s->start - end, LABEL_NONE);
		spans_push(ret, s->start, s->size, 0);
		end = s->start + s->size;
	}
	spans_push(ret, end, input_size(in) - end, LABEL_NONE);
	ASSERT(spans_total(ret) == input_size(in) - in->begin);
	spans_release(&found);
}

void measure_release(struct measure *m)
{
	dwarf_slot_release(&m->dwarf);
	panics_clear(&m->panics);
	basemap_release(&m->map);
}
