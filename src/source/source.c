#include "source/source.h"

static const struct source sources[] = {
	{ "armembers", "the archive member, or the file itself", source_armembers, TEXT_AS_IS },
	{ "inputfiles", "the input file, as named on the command line", source_inputfiles,
	  TEXT_AS_IS },
	{ "sections", "sections of the object file", source_sections, TEXT_AS_IS },
	{ "segments", "segments the loader maps", source_segments, TEXT_AS_IS },
	{ "symbols", "symbols, named as -C says (short names unless set)", source_symbols,
	  TEXT_CHOSEN },
	{ "rawsymbols", "symbols, as the linker names them", source_symbols, TEXT_AS_IS },
	{ "fullsymbols", "symbols, demangled in full", source_symbols, TEXT_FULL },
	{ "shortsymbols", "symbols, without parameters and template arguments", source_symbols,
	  TEXT_SHORT },
};

void source_progress(const struct source_file *f, const char *what, uint64_t done, uint64_t total)
{
	const struct progress *p = f->progress;
	if (!p || !p->fn || total == 0)
		return;
	const double share = (double)done / (double)total;
	p->fn(p->ctx, what, p->before + (uint64_t)(share * (double)f->map->file_size), p->total);
}

const struct source *source_at(size_t i)
{
	return i < COUNT_OF(sources) ? &sources[i] : NULL;
}

const struct source *source_find(struct str name)
{
	for (size_t i = 0; i < COUNT_OF(sources); i++)
		if (str_eq(name, str_of(sources[i].name)))
			return &sources[i];
	return NULL;
}
