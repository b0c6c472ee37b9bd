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

bool measure_lends(const struct source *s)
{
	return s->run == source_symbols || s->run == source_compileunits;
}

void measure_run(struct measure *m, const struct source *s, struct layer *ret)
{
	m->file.source = s->name;
	source_run(s, &m->file, ret);
	if (m->file.origins || m->file.trace) /* each source makes its own claims */
		return;
	if (s->run == source_symbols)
		m->file.symbols = ret;
	else if (s->run == source_compileunits)
		m->file.units = ret;
}

void measure_release(struct measure *m)
{
	dwarf_slot_release(&m->dwarf);
	basemap_release(&m->map);
}
