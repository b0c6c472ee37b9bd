#include "source/measure.h"

void measure_begin(struct measure *m, const struct source_file *of, const struct program_wish *wish)
{
	m->dwarf = (struct dwarf_slot){ .wish = wish };
	m->file = *of;
	m->file.map = &m->map;
	m->file.dwarf = &m->dwarf;
	if (!m->file.go)
		m->file.go = &m->go;
	basemap_build(&m->map, of->input, of->labels, of->regions);
}

void measure_run(struct measure *m, const struct source *s, struct layer *ret)
{
	m->file.source = s->name;
	source_run(s, &m->file, ret);
}

void measure_release(struct measure *m)
{
	dwarf_slot_release(&m->dwarf);
	basemap_release(&m->map);
}
