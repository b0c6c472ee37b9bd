/* Holds the table of data sources. */
#include "program/dwarf_slot.h"
#include "source/process_layer.h"

#include "base/nearest.h"
#include "source/source.h"

static const struct source sources[] = {
	{ "allocations", "call stacks that hold the heap (cores of recorded processes)",
	  source_allocations, TEXT_STACK, true, true },
	{ "armembers", "the archive member, or the file itself", source_armembers, TEXT_AS_IS,
	  false, true, .portions = true },
	{ "blockkinds", "what code is: blocks, cold parts, landing pads, padding",
	  source_blockkinds, TEXT_AS_IS, true },
	{ "blocks", "machine basic blocks, as compilers state them or else the code shows",
	  source_blocks, TEXT_BLOCK, true },
	{ "compileunits", "source files that were compiled (debug info)", source_compileunits,
	  TEXT_PATH, true, false, true },
	{ "crates", "the same as packages", source_packages, TEXT_AS_IS, false, false, true },
	{ "directories", "directories of sourcefiles; see --depth (debug info)", source_sourcefiles,
	  TEXT_DIRECTORY, true },
	{ "dominators", "the chain of symbols that keep a byte in the program; see --depth",
	  source_dominators, TEXT_STACK, .symbols = true },
	{ "functions", "functions that basic blocks belong to, named as -C says", source_functions,
	  TEXT_CHOSEN, true },
	{ "generics", "symbols, all instances of a generic or template as one", source_symbols,
	  TEXT_GENERIC, .symbols = true, .portions = true },
	{ "hotness", "how often code ran: hot, warm, cold, never; see --perf", source_hotness,
	  TEXT_AS_IS, true },
	{ "inlines", "source line of the innermost inlined code (debug info)", source_inlines,
	  TEXT_PATH, true },
	{ "inlinestacks", "function and what was inlined into it (debug info)", source_inlinestacks,
	  TEXT_STACK, true },
	{ "inputfiles", "the input file, as named on the command line", source_inputfiles,
	  TEXT_AS_IS, false, true, .portions = true },
	{ "libraries", "static libraries, crates, directories of objects (linker map, debug info)",
	  source_libraries, TEXT_AS_IS, true, false, true, .portions = true },
	{ "mappings", "what is mapped into the process (cores)", source_mappings, TEXT_AS_IS, false,
	  true },
	{ "modules", "programs and libraries of the process (cores)", source_modules, TEXT_AS_IS,
	  false, true },
	{ "namespaces", "C++ namespace, Rust crate and module of symbols", source_symbols,
	  TEXT_NAMESPACE, true, .symbols = true },
	{ "objects", "object files, as the linker map has them, else compile units", source_objects,
	  TEXT_PATH, true, false, true, .portions = true },
	{ "packages", "Go import path, Rust crate, C++ namespace, library or directory",
	  source_packages, TEXT_AS_IS, false, false, true },
	{ "regions", "memory regions: where bytes are stored and where they run (firmware)",
	  source_regions, TEXT_AS_IS, false, false, false, true },
	{ "sections", "sections of the object file", source_sections, TEXT_AS_IS, false,
	  .portions = true },
	{ "segments", "segments the loader maps", source_segments, TEXT_AS_IS, false, true,
	  .portions = true },
	{ "sourcefiles", "source files that declare the code (debug info)", source_sourcefiles,
	  TEXT_PATH, true },
	{ "sure", "how sure heft is of the symbol that has a byte: stated, proved, inferred",
	  source_sure, TEXT_AS_IS, .symbols = true, .portions = true },
	{ "symbols", "symbols, named as -C says (short names unless set)", source_symbols,
	  TEXT_CHOSEN, .symbols = true, .portions = true },
	{ "rawsymbols", "symbols, as the linker names them", source_symbols, TEXT_AS_IS,
	  .symbols = true, .portions = true },
	{ "fullsymbols", "symbols, demangled in full", source_symbols, TEXT_FULL, .symbols = true,
	  .portions = true },
	{ "shortsymbols", "symbols, without parameters and template arguments", source_symbols,
	  TEXT_SHORT, .symbols = true, .portions = true },
	{ "targets", "the processor that bytes are for: architectures of GPU code, or the host",
	  source_targets, TEXT_AS_IS },
	{ "threads", "threads, by stack and by recorded heap blocks (cores)", source_threads,
	  TEXT_AS_IS, false, true },
};

void source_run(const struct source *s, const struct source_file *f, struct layer *ret)
{
	ASSERT(f->input && f->map && f->labels && f->notes && ret->vm.list.count == 0);
	if (f->process && !s->core)
		process_layer(f, s, ret);
	else
		s->run(f, ret);
}

struct view source_view(const struct source *s, enum heft_demangle chosen)
{
	static const struct {
		enum view_form form;
		enum heft_demangle style;
		bool chosen;
	} views[] = {
		[TEXT_AS_IS] = { VIEW_NAME, HEFT_NAMES_RAW, false },
		[TEXT_CHOSEN] = { VIEW_NAME, HEFT_NAMES_RAW, true },
		[TEXT_SHORT] = { VIEW_NAME, HEFT_NAMES_SHORT, false },
		[TEXT_FULL] = { VIEW_NAME, HEFT_NAMES_FULL, false },
		[TEXT_PATH] = { VIEW_PATH, HEFT_NAMES_RAW, false },
		[TEXT_DIRECTORY] = { VIEW_DIRECTORY, HEFT_NAMES_RAW, false },
		[TEXT_STACK] = { VIEW_STACK, HEFT_NAMES_RAW, true },
		[TEXT_NAMESPACE] = { VIEW_NAMESPACE, HEFT_NAMES_RAW, false },
		[TEXT_GENERIC] = { VIEW_GENERIC, HEFT_NAMES_RAW, false },
		[TEXT_BLOCK] = { VIEW_BLOCK, HEFT_NAMES_RAW, true },
	};
	return (struct view){ .form = views[s->text].form,
			      .style = views[s->text].chosen ? chosen : views[s->text].style };
}

bool source_names_symbols(const struct source *s)
{
	return s->run == source_symbols && s->text != TEXT_NAMESPACE;
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
	for (size_t i = 0; i < COUNT_OF(sources); i++)
		if (is_plural_of(sources[i].name, name.p, name.len))
			return &sources[i];
	return NULL;
}

/* The functions below prepare inputs for data sources. */

/* Smallest input, in bytes, for which threads pay. */
enum { PARALLEL_MIN = 1 << 20 };

unsigned source_needs(const struct source *s)
{
	return (s->symbols ? NEED_SYMBOLS : 0) | (s->dwarf ? NEED_DWARF : 0) |
	       (s->units ? NEED_UNITS : 0) | (s->regions ? NEED_REGIONS : 0);
}

struct source_file measure_input(struct program *p, struct process *core, unsigned needs)
{
	const struct image *im = program_image(p);
	const bool units = im && needs & NEED_UNITS;
	/* `packages` does not need DWARF made from Go's tables */
	if (units && im->kind == IMAGE_EXEC)
		(void)program_debug_file(p);
	return (struct source_file){ .path = p->path,
				     .input = &p->input,
				     .go = &p->go,
				     .process = core,
				     .debug = needs & (NEED_SYMBOLS | NEED_DWARF | NEED_UNITS)
						      ? program_debug(p, needs & NEED_DWARF)
						      : NULL,
				     .finds_panics = needs & NEED_UNITS,
				     .linkmap = needs & NEED_UNITS ? program_map(p) : NULL,
				     .regions = needs & NEED_REGIONS ? program_regions(p) : NULL };
}

void measure_begin(struct measure *m, const struct source_file *of, const struct program_wish *wish)
{
	ASSERT(of->input && of->labels && of->notes && wish);
	m->dwarf = (struct dwarf_slot){ .wish = wish };
	m->file = *of;
	if (input_size(of->input) < PARALLEL_MIN)
		m->file.threads = 1;
	m->file.map = &m->map;
	m->file.dwarf = &m->dwarf;
	m->file.panics = of->finds_panics ? &m->panics : NULL;
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
	if (m->file.origins || m->file.trace) /* With origins or a trace, each source must make
					       * its own claims, so that no layer is shared */
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
	vec_each(const struct span, s, &found.list) {
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
	if (m->file.panics)
		panics_clear(m->file.panics);
	basemap_release(&m->map);
}
