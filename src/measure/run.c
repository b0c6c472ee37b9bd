/* Runs a profile: opens and measures the inputs, and sums up their bytes. */
#include "measure/profile.h"
#include "measure/text_places.h"

#include "code/ref_store.h"
#include "graph/graph.h"
#include "image/comdat.h"

/* Returns the first level that shows symbols, or NULL. */
static const struct level *symbols_level(const struct heft_profile *p)
{
	for (size_t i = 0; i < p->levels.count; i++)
		if (p->levels.data[i].source->run == source_symbols)
			return &p->levels.data[i];
	return NULL;
}

/* True if rows need the certainty of owners. */
static bool wants_sure(const struct heft_profile *p)
{
	return p->how_sure || p->sure_kept != 0;
}

unsigned profile_needs(const struct heft_profile *p)
{
	unsigned needs = p->counting || wants_sure(p) ? NEED_SYMBOLS : 0;
	for (size_t i = 0; i < p->levels.count; i++)
		needs |= source_needs(p->levels.data[i].source);
	return needs;
}

/* Removes levels that repeat an earlier one, as in -d sections -d sections,symbols: each of their
 * rows would be the only child of a row with its label. */
static void levels_distinct(struct heft_profile *p)
{
	size_t kept = 0;
	for (size_t i = 0; i < p->levels.count; i++) {
		bool seen = false;
		for (size_t k = 0; k < kept; k++)
			seen |= p->levels.data[k].source == p->levels.data[i].source &&
				p->levels.data[k].rules == p->levels.data[i].rules;
		if (!seen)
			p->levels.data[kept++] = p->levels.data[i];
	}
	ASSERT(kept > 0);
	p->levels.count = kept;
}

/* Splits a level of directories or stacks into one level per component. */
static bool split_paths(struct heft_profile *p, struct heft_err *err)
{
	for (size_t i = 0; p->depth > 0 && i < p->levels.count; i++) {
		const struct level whole = p->levels.data[i];
		if (whole.source->text != TEXT_DIRECTORY && whole.source->text != TEXT_STACK)
			continue;
		if (p->depth > LEVELS_MAX - p->levels.count + 1)
			return fail(err, HEFT_ELIMIT, HEFT_NO_OFFSET, "more than %d levels",
				    LEVELS_MAX);
		vec_reserve(&p->levels, p->depth);
		struct level *at = &p->levels.data[i];
		memmove(at + p->depth, at + 1, (p->levels.count - i - 1) * sizeof *at);
		p->levels.count += p->depth - 1;
		for (unsigned k = 0; k < p->depth; k++) {
			at[k] = whole;
			at[k].depth = k + 1;
			at[k].name = arena_format(&p->arena, "%s%u", whole.name, k + 1);
		}
		i += p->depth - 1;
	}
	ASSERT(p->levels.count <= LEVELS_MAX);
	return true;
}

static bool states_regions(struct entry *e)
{
	const struct memory_regions *r = program_regions(&e->program);
	return r && r->list.count > 0 && !r->list.data[0].open;
}

/* Adds a data source as the first level. */
static bool run_add_first(struct heft_profile *p, const char *name, struct heft_err *err)
{
	if (!profile_add_source(p, name, err))
		return false;
	const size_t given = p->levels.count - 1;
	const struct level added = p->levels.data[given];
	memmove(&p->levels.data[1], p->levels.data, given * sizeof added);
	p->levels.data[0] = added;
	return true;
}

/* Adds memory regions as the first level (HEFT_PROFILE_REGIONS). */
static bool run_add_regions(struct heft_profile *p, struct heft_err *err)
{
	struct entry *first = &p->entries.data[0];
	if (!p->by_regions || profile_needs(p) & NEED_REGIONS)
		return true;
	if (states_regions(first))
		return run_add_first(p, "libraries", err) && run_add_first(p, "regions", err);
	return !first->program.input.archive || run_add_first(p, "armembers", err);
}

static void run_set_view(struct heft_profile *p, struct level *l)
{
	l->view = source_view(l->source, context_style(&p->context, HEFT_NAMES_SHORT));
	l->view.rules = l->rules;
	l->view.level = l->depth;
	l->view.paths = &p->context.wish.paths;
	l->view.spaces = &p->namespaces;
}

/* Numbers the layers, and returns their number. Levels with the same data source share a layer. */
static size_t number_layers(struct heft_profile *p)
{
	size_t count = 0;
	for (size_t i = 0; i < p->levels.count; i++) {
		struct level *l = &p->levels.data[i];
		l->layer = count;
		for (size_t k = 0; k < i; k++)
			if (p->levels.data[k].source->run == l->source->run)
				l->layer = p->levels.data[k].layer;
		count += l->layer == count;
		run_set_view(p, l);
	}
	ASSERT(count > 0 && count <= p->levels.count);
	return count;
}

/* Measures the layers that other layers borrow if `borrowed`, otherwise the other layers. */
static void run_layers(struct heft_profile *p, struct entry *e, bool borrowed)
{
	size_t next = 0;
	vec_each(const struct level, l, &p->levels) {
		if (l->layer != next)
			continue;
		next++;
		if (measure_lends(l->source) != borrowed)
			continue;
		/* In a core, this layer comes from the modules, without certainty. */
		const bool sure = l->source->run == source_symbols && !e->process.open;
		e->measure.file.sure = sure && wants_sure(p) ? &e->sure : NULL;
		measure_run(&e->measure, l->source, &e->layers[l->layer]);
		e->measure.file.sure = NULL;
	}
	ASSERT(next == e->layer_count);
}

/* True if something needs the references between an input's symbols. */
static bool wants_graph(const struct heft_profile *p, const struct entry *e)
{
	bool chains = false;
	for (size_t i = 0; i < p->levels.count; i++)
		chains |= p->levels.data[i].source->run == source_dominators;
	return e->role == HEFT_INPUT && (p->retaining || (p->keeping && p->entries.count == 1) ||
					 (chains && symbols_level(p)));
}

/* True if the references need a layer of their own: one where symbols own their debug info, as the
 * units or files of another level do. */
static bool graph_is_apart(const struct heft_profile *p)
{
	bool units = false;
	for (size_t i = 0; i < p->levels.count; i++) {
		const struct source *s = p->levels.data[i].source;
		units |= (s->units || s->dwarf) && s->run != source_packages &&
			 s->run != source_symbols;
	}
	return p->retaining && units && !p->debug_owners;
}

/* Reads the references of an input from those of its code. Measures symbols, if no level does. */
static void run_read_graph(struct heft_profile *p, struct entry *e, struct ref_store *refs)
{
	struct source_file *f = &e->measure.file;
	struct layer own = { .exact = false };
	const bool apart = graph_is_apart(p), stays = f->debug_stays;
	const struct layer *known = f->symbols, *symbols = apart ? NULL : f->symbols;
	if (!symbols) {
		f->debug_stays = stays && !apart;
		f->refs = refs;
		entry_measure_aside(e, "symbols", apart ? &own : &e->more[0]);
		f->refs = NULL;
		f->debug_stays = stays;
		symbols = apart ? &own : &e->more[0];
		f->symbols = apart || f->trace ? known : f->symbols;
	}
	e->graph = mem_zeroed(1, sizeof *e->graph);
	source_graph_make(f, symbols, refs, e->graph);
	f->graph = apart ? NULL : e->graph;
	layer_release(&own);
}

static void run_sources(struct heft_profile *p, struct entry *e, size_t layer_count)
{
	struct ref_store refs = {
		.im = wants_graph(p, e) ? graph_image(&e->program.input) : NULL,
	};
	ASSERT(!e->layers);
	e->layers = mem_zeroed(layer_count, sizeof *e->layers);
	e->layer_count = layer_count;
	e->measure.file.refs = refs.im && !graph_is_apart(p) ? &refs : NULL;
	run_layers(p, e, true);
	if (p->counting && !symbols_level(p))
		measure_run(&e->measure, source_find(STR("symbols")), &e->more[0]);
	e->measure.file.refs = NULL;
	if (wants_sure(p) && e->sure.vm.list.count + e->sure.file.list.count == 0)
		entry_measure_aside(e, "sure", &e->sure);
	if (refs.im)
		run_read_graph(p, e, &refs);
	else if (p->retaining && e->role == HEFT_INPUT)
		note(&p->context.notes, e->path, HEFT_NO_OFFSET, 0,
		     "references are read in a program, a library or an object; `retained` lacks "
		     "others");
	run_layers(p, e, false);
	e->measure.file.graph = NULL;
}

static const struct spans *row_spans(const struct entry *e, const struct level *l,
				     enum heft_domain domain)
{
	const struct layer *renamed = e->renamed ? &e->renamed[l->layer] : NULL;
	if (!renamed || (renamed->vm.list.count == 0 && renamed->file.list.count == 0))
		return entry_spans(e, l, domain);
	return domain == HEFT_VM ? &renamed->vm : &renamed->file;
}

static void update_views(struct heft_profile *p, const struct entry *e, enum heft_domain domain)
{
	vec_each(struct level, l, &p->levels) {
		if (!view_is_plain(&l->view))
			view_update(&l->view, &p->labels, row_spans(e, l, domain),
				    p->context.threads, &p->context.notes);
	}
}

/* Returns 1 + the index of the first level that shows generics, or 0. */
static size_t generics_level(const struct heft_profile *p)
{
	for (size_t i = 0; i < p->levels.count; i++)
		if (p->levels.data[i].source->text == TEXT_GENERIC)
			return i + 1;
	return 0;
}

static bool names_symbols(const struct level *l)
{
	return source_names_symbols(l->source);
}

bool profile_is_filtered(const struct heft_profile *p)
{
	return p->include || p->exclude || p->no_debug || p->sure_kept != 0;
}

/* Sections, segments and base map of an input, for filters */
struct filter_places {
	struct layer sections, segments;
	struct spans base; /* Base map of the VM image */
};

/* Measures what filters test: sections, segments, base map. In Bloaty's mode, only the base map. */
static void places_measure(struct heft_profile *p, struct entry *e, struct filter_places *ret)
{
	*ret = (struct filter_places){ 0 };
	if (!profile_is_filtered(p))
		return;
	ret->base = entry_base_vm(e);
	if (p->as_bloaty)
		return;
	entry_measure_aside(e, "sections", &ret->sections);
	entry_measure_aside(e, "segments", &ret->segments);
}

static void walk_add_places(struct rollup_walk *w, const struct heft_profile *p,
			    const struct entry *e, const struct filter_places *f)
{
	const bool vm = w->domain == HEFT_VM;
	if (!profile_is_filtered(p))
		return;
	w->base = vm ? &f->base : &e->measure.map.file;
	if (p->as_bloaty)
		return;
	w->sections = vm ? &f->sections.vm : &f->sections.file;
	w->segments = vm ? &f->segments.vm : &f->segments.file;
}

/* The start of each image in an archive. Symbols with equal names in two images are counted
 * separately. */
struct image_places {
	uint32_t first;         /* Number of the first image. The count runs through all inputs */
	VEC(uint64_t) vm, file; /* Offsets at which images start in the VM image and in the file */
};

static void image_places_find(struct image_places *ret, const struct heft_profile *p,
			      const struct entry *e)
{
	const struct input *in = &e->program.input;
	*ret = (struct image_places){ .first = p->image_total };
	uint64_t sections = in->sections_before; /* Sections of earlier images (image.h) */
	/* Bytes before the first image of a portion belong to the last image of an earlier portion.
	 * This portion may have no image. */
	if (p->counting && in->images_before > 0) {
		ret->first--;
		vec_push(&ret->vm, sections << OBJECT_SECTION_SHIFT);
		vec_push(&ret->file, in->begin);
	} else if (p->counting && in->rest && in->image_count == 0) {
		vec_push(&ret->vm, UINT64_MAX);
		vec_push(&ret->file, UINT64_MAX);
	}
	for (size_t i = 0; p->counting && in->archive && i < in->image_count; i++) {
		vec_push(&ret->vm, sections << OBJECT_SECTION_SHIFT);
		vec_push(&ret->file, in->images[i].file_off);
		sections += in->images[i].section_count;
	}
}

static void walk_add_images(struct rollup_walk *w, const struct image_places *images)
{
	const bool vm = w->domain == HEFT_VM;
	w->first_image = images->first;
	w->image_starts = vm ? images->vm.data : images->file.data;
	w->image_count = images->vm.count;
}

/* Describes VM image or file of an input for rollup_add(). Borrows `levels` and `places`. */
static struct rollup_walk run_walk_of(struct heft_profile *p, const struct entry *e,
				      enum heft_domain domain, struct rollup_level *levels,
				      const struct filter_places *places)
{
	const struct layer *symbols = p->counting ? entry_layer(p, e, source_symbols) : NULL;
	ASSERT(p->levels.count <= LEVELS_MAX);
	for (size_t i = 0; i < p->levels.count; i++) {
		const struct level *l = &p->levels.data[i];
		const bool name = l->view.form == VIEW_NAME || l->view.form == VIEW_GENERIC;
		levels[i] = (struct rollup_level){ row_spans(e, l, domain), l->view.shown,
						   name && !l->view.rules && !p->as_bloaty &&
							   names_symbols(l) };
	}
	struct rollup_walk w = { .domain = domain,
				 .role = e->role,
				 .levels = levels,
				 .level_count = p->levels.count,
				 .symbols = !symbols            ? NULL
					    : domain == HEFT_VM ? &symbols->vm
								: &symbols->file,
				 .generics = generics_level(p),
				 .labels = &p->labels };
	walk_add_places(&w, p, e, places);
	if (wants_sure(p)) {
		w.sure = domain == HEFT_VM ? &e->sure.vm : &e->sure.file;
		for (size_t i = 0; i < SURE_WORDS; i++)
			w.sure_labels[i] = label_borrow(&p->labels, str_of(sure_words[i]));
	}
	return w;
}

static void run_sum_up(struct heft_profile *p, struct entry *e)
{
	struct rollup_level vm_levels[LEVELS_MAX], file_levels[LEVELS_MAX];
	struct filter_places places;
	update_views(p, e, HEFT_VM);
	update_views(p, e, HEFT_FILE);
	places_measure(p, e, &places);
	struct image_places images;
	image_places_find(&images, p, e);
	struct rollup_walk vm = run_walk_of(p, e, HEFT_VM, vm_levels, &places);
	struct rollup_walk file = run_walk_of(p, e, HEFT_FILE, file_levels, &places);
	walk_add_images(&vm, &images);
	walk_add_images(&file, &images);
	struct spans code = { 0 };
	if (p->code) {
		measure_code(&e->measure, &code);
		file.code = &code;
	}
	rollup_add_both(&p->rollup, &vm, &file, p->context.threads);
	p->image_total += (uint32_t)e->program.input.image_count;
	spans_release(&code);
	layer_release(&places.sections);
	layer_release(&places.segments);
	spans_release(&places.base);
	vec_release_all(&images.vm, &images.file);
}

static bool namespaces_wanted(const struct heft_profile *p)
{
	for (size_t i = 0; i < p->levels.count; i++)
		if (p->levels.data[i].source->text == TEXT_NAMESPACE)
			return true;
	return false;
}

/* Adds the stack sizes of an input, if any are known. */
static bool run_add_stacks(struct heft_profile *p, struct entry *e, struct heft_err *err)
{
	struct stack_use use;
	if (!p->stacking || e->role != HEFT_INPUT)
		return true;
	bool good = stack_read(&use, &e->program, err);
	for (size_t i = 0; good && i < p->levels.count; i++)
		if (names_symbols(&p->levels.data[i]))
			stack_column_add(&p->stacks, &use,
					 entry_spans(e, &p->levels.data[i], HEFT_VM),
					 &p->levels.data[i].view);
	if (!good && err->code == HEFT_EUNSUPPORTED) {
		note(&p->context.notes, e->path, HEFT_NO_OFFSET, 0, "%s", err->text);
		good = true;
	}
	stack_release(&use);
	return good;
}

static bool run_measure(struct heft_profile *p, struct entry *e, size_t layer_count,
			struct heft_err *err)
{
	struct source_file of = measure_input(&e->program, e->process.open ? &e->process : NULL,
					      profile_needs(p));
	of.labels = &p->labels;
	of.notes = &p->context.notes;
	of.threads = p->context.threads;
	of.samples = p->samples;
	of.places = p->listing_aliases || p->keep_ranges || p->pairing ? &p->places : NULL;
	of.debug_stays = !p->debug_owners;
	of.own_headers = p->own_headers;
	of.as_bloaty = p->as_bloaty;
	of.trace = p->trace.fn ? &p->trace : NULL;
	measure_begin(&e->measure, &of, &p->context.wish);
	if (p->as_bloaty) /* As in layers, short gaps belong to what precedes them */
		spans_pad(&e->measure.map.file, &p->labels, PAD_OWNERS, NULL, 0);
	const uint64_t vm_size = e->measure.map.vm_size;
	if (vm_size > UINT64_MAX - p->vm_total)
		return fail(err, HEFT_ELIMIT, HEFT_NO_OFFSET,
			    "%s: the VM images of the inputs add up to more than 2^64 bytes",
			    e->path);
	p->vm_total += vm_size;
	e->vm_size += vm_size;
	if (e->measure.map.regions) {
		region_sums_add(e->role == HEFT_BASE ? &p->base_regions : &p->regions,
				&e->measure.map, &p->arena);
		note_regions(e->path, program_image(&e->program), &e->measure.map,
			     &p->context.notes);
	}
	e->places_begin = places_mark(&p->places);
	run_sources(p, e, layer_count);
	if (p->as_bloaty)
		p->vm_total -= entry_forget_vm(e);
	e->places_end = places_mark(&p->places);
	ASSERT(e->places_begin.list <= e->places_end.list);
	if (namespaces_wanted(p))
		source_namespaces(&e->measure.file, &p->namespaces);
	for (size_t i = 0; i < e->program.input.image_count; i++)
		p->has_wasm |= str_eq(str_of(e->program.input.images[i].format),
				      STR("WebAssembly"));
	e->has_dwarf |= dwarf_slot_found(&e->measure.dwarf);
	e->debug_path = arena_copy(&p->arena, str_of(program_debug_path(&e->program)));
	return true;
}

static void run_add_retained(struct heft_profile *p, const struct entry *e)
{
	struct rollup_level levels[LEVELS_MAX];
	for (size_t i = 0; i < p->levels.count; i++)
		levels[i] = (struct rollup_level){ row_spans(e, &p->levels.data[i], HEFT_VM),
						   p->levels.data[i].view.shown, false };
	p->retained.vm = p->sort_domain == HEFT_VM;
	retained_column_add(&p->retained, e->graph, &p->rollup.tree, levels, p->levels.count,
			    p->context.threads);
}

/* Uses the references of an input, which no one needs later. */
static void run_use_graph(struct heft_profile *p, struct entry *e)
{
	const struct level *l = &p->levels.data[p->levels.count - 1];
	if (!e->graph)
		return;
	if (p->retaining)
		run_add_retained(p, e);
	if (p->keeping && source_names_symbols(l->source))
		keepers_find(&p->keepers, e->graph, view_is_plain(&l->view) ? NULL : l->view.shown,
			     p->labels.names.entries.count, program_symbolizer(&e->program));
	graph_release(e->graph);
	mem_free(e->graph);
	e->graph = NULL;
}

static bool entry_sum(struct heft_profile *p, struct entry *e, struct heft_err *err)
{
	dwarf_slot_release(&e->measure.dwarf);
	run_sum_up(p, e);
	run_use_graph(p, e);
	/* Notes COMDAT groups that several inputs have. Each copy is counted. */
	const struct input *in = &e->program.input;
	for (size_t i = 0; p->counting && e->role == HEFT_INPUT && i < in->image_count; i++) {
		const struct image *im = &in->images[i];
		struct comdat c;
		for (size_t at = 1; comdat_next(im, &at, &c);) {
			const size_t known = p->comdats.entries.count;
			if (intern_add(&p->comdats, c.name) < known)
				note(&p->context.notes, e->path, im->file_off + c.off, c.size,
				     "a COMDAT group is in an earlier object too; linkers keep "
				     "one copy");
		}
	}
	entry_forget_more(e);
	if (!run_add_stacks(p, e, err))
		return false;
	if (!p->keep_ranges)
		entry_forget_layers(e);
	return true;
}

/* Adds rows for memory regions that are empty, as linkers print them. */
static void add_empty_regions(struct heft_profile *p)
{
	const struct level *first = p->levels.data;
	if (!first->source->regions || p->diff || profile_is_filtered(p))
		return;
	p->empty_from = (uint32_t)p->rollup.tree.nodes.count;
	vec_each(const struct region_sum, r, &p->regions.list)
		if (r->used == 0 && !r->open)
			(void)tree_get(&p->rollup.tree, 0, label_copy(&p->labels, str_of(r->name)));
	p->empty_to = (uint32_t)p->rollup.tree.nodes.count;
	ASSERT(p->empty_from <= p->empty_to);
}

/* Measures an input and adds it to the sums, by portions. `before`: bytes of the inputs before. */
static bool entry_run(struct heft_profile *p, struct entry *e, uint64_t before, size_t layer_count,
		      struct heft_err *err)
{
	const struct input *in = &e->program.input;
	for (;;) {
		progress_part(before + in->begin, input_size(in) - in->begin);
		progress_tell(e->path, 0, 1);
		if (!run_measure(p, e, layer_count, err) || (!p->pairing && !entry_sum(p, e, err)))
			return false;
		e->file_size = input_size(in);
		if (!in->rest)
			return true;
		ASSERT(!p->pairing && !p->keep_ranges);
		if (!program_next_portion(&e->program))
			return true;
	}
}

/* Opens, measures and closes one input after the other, so that only one is in memory. */
static bool measure_one_by_one(struct heft_profile *p, size_t layer_count, struct heft_err *err)
{
	vec_each(struct entry, e, &p->entries) {
		if (!e->program.open && !entry_open(p, e, err))
			return false;
		progress_begin(e->file_size);
		if (!entry_run(p, e, 0, layer_count, err))
			return false;
		entry_release(e);
	}
	return inputs_check(p, err);
}

static bool measure_together(struct heft_profile *p, size_t layer_count, struct heft_err *err)
{
	uint64_t before = 0, total = 0;
	for (size_t i = 0; i < p->entries.count; i++)
		total += p->entries.data[i].file_size;
	progress_begin(total);
	vec_each(struct entry, e, &p->entries) {
		if (!entry_run(p, e, before, layer_count, err))
			return false;
		before += e->file_size;
		p->diff = p->diff || e->role == HEFT_BASE;
	}
	if (p->pairing && !base_names_find(p, err))
		return false;
	for (size_t i = 0; p->pairing && i < p->entries.count; i++)
		if (!entry_sum(p, &p->entries.data[i], err))
			return false;
	return true;
}

/* Checks that each byte of each input is in TOTAL or was filtered out. */
static void check_totals(const struct heft_profile *p)
{
	const uint64_t *now = tree_sums(&p->rollup.tree, 0, HEFT_INPUT);
	const uint64_t *base = tree_base(&p->rollup.tree, 0);
	uint64_t file = 0, vm = 0;
	for (size_t i = 0; i < p->entries.count; i++) {
		file += p->entries.data[i].file_size;
		vm += p->entries.data[i].vm_size;
	}
	ASSERT(now[HEFT_SIZE_FILE] + base[HEFT_SIZE_FILE] + p->rollup.omitted_file == file);
	ASSERT(now[HEFT_SIZE_VM] + base[HEFT_SIZE_VM] + p->rollup.omitted_vm == vm);
}

/* Adds notes about rewriting rules of shown levels that matched no label. */
static void note_rules(struct heft_profile *p)
{
	const char *path = p->entries.data[0].path;
	bool shows_paths = false;
	for (size_t i = 0; i < p->levels.count; i++) {
		const struct level *l = &p->levels.data[i];
		const bool again = i > 0 && l->rules == p->levels.data[i - 1].rules;
		if (l->rules && !again)
			rules_note_unused(l->rules, l->name, &p->context.notes);
		shows_paths = shows_paths || view_shows_paths(&l->view);
	}
	if (shows_paths)
		paths_note_unused(&p->context.wish.paths, path, &p->context.notes);
}

static const char *run_node_label(void *ctx, uint32_t node)
{
	const struct heft_profile *p = ctx;
	return label_text(&p->labels, p->rollup.tree.nodes.data[node].key).p;
}

static const char *node_full_name(void *ctx, uint32_t node, uint32_t level, size_t i)
{
	struct heft_profile *p = ctx;
	struct level *l = &p->levels.data[level];
	return view_full_name(&l->full, &l->view, &p->labels, p->rollup.tree.nodes.data[node].key,
			      i);
}

static void run_list_aliases(void *ctx, uint32_t node, uint32_t level, struct heft_row *row)
{
	const struct heft_profile *p = ctx;
	const struct alias_index *index = &p->levels.data[level].aliases;
	const struct alias_run *run = alias_index_find(index, p->rollup.tree.nodes.data[node].key);
	if (!run)
		return;
	ASSERT(run->count > 0);
	row->aliases = index->names + run->first;
	row->alias_count = run->count;
}

enum { ROW_TEXTS = STACK_COLUMN_TEXTS + 1 + REGION_TEXTS };

/* Returns a row's texts: those of its stack, the bytes that it retains, then `regions`, or "" if
 * that is NULL. */
static const char *const *run_texts_of(struct heft_profile *p, const struct level *l, uint32_t node,
				       const char *const *regions)
{
	const char **texts = arena_new(&p->arena, const char *, ROW_TEXTS);
	const bool symbols = l && names_symbols(l);
	size_t count = 0;
	if (p->stacking) {
		stack_column_texts(&p->stacks,
				   symbols ? p->rollup.tree.nodes.data[node].key : LABEL_NONE,
				   &p->arena, texts);
		count = STACK_COLUMN_TEXTS;
	}
	if (p->retaining)
		texts[count++] = retained_column_text(&p->retained, l ? node : UINT32_MAX,
						      &p->arena);
	for (unsigned i = 0; i < REGION_TEXTS; i++)
		texts[count + i] = regions ? regions[i] : "";
	return texts;
}

/* If the level shows memory regions, sets the texts of a region's row. */
static void run_fill_row(void *ctx, uint32_t node, uint32_t level, struct heft_row *row)
{
	struct heft_profile *p = ctx;
	const struct level *l = level < p->levels.count ? &p->levels.data[level] : NULL;
	if (p->listing_aliases)
		run_list_aliases(ctx, node, level, row);
	if (l && l->source->regions)
		row->texts = region_texts_of(&p->regions, row->label, &p->arena);
	if (p->stacking || p->retaining)
		row->texts = run_texts_of(p, l, node, row->texts);
}

static void run_make_top(struct heft_profile *p, const struct rows_opts *opts, struct arena *arena,
			 struct heft_table *table)
{
	p->row_opts = *opts;
	tree_close(&p->rollup.tree);
	if (p->levelwise)
		p->row_opts.sort = HEFT_SORT_NONE;
	table->top = p->levelwise ? rows_begin(&p->maker, &p->rollup.tree, &p->row_opts, arena)
				  : rows_build(&p->rollup.tree, &p->row_opts, arena);
}

const struct heft_measure size_measures[SIZE_ALL] = {
	[HEFT_SIZE_FILE] = { "file", "file", HEFT_BYTES, false, false, "bytes in the file" },
	[HEFT_SIZE_VM] = { "vm", "vm", HEFT_BYTES, false, false, "bytes in the VM image" },
	[HEFT_SIZE_COUNT] = { "count", "symbols", HEFT_COUNT, false, false,
			      "distinct symbols that own some of these bytes" },
	[HEFT_SIZE_COPIES] = { "copies", "copies", HEFT_BYTES, false, false,
			       "bytes in the file of all instances but the largest" },
	[SIZE_CODE] = { "code", "code", HEFT_BYTES, false, false, "bytes in executable sections" },
	[SIZE_SURE] = { "stated", "stated", HEFT_BYTES, false, false,
			"bytes in the VM image whose symbol a table of the file states" },
	[SIZE_SURE + 1] = { "proved", "proved", HEFT_BYTES, false, false,
			    "bytes in the VM image whose symbol several facts prove" },
	[SIZE_SURE + 2] = { "inferred", "inferred", HEFT_BYTES, false, false,
			    "bytes in the VM image whose symbol is only likely" },
};

struct heft_table profile_begin_table(const struct heft_profile *p, struct rows_opts *ret_opts,
				      struct arena *arena)
{
	struct heft_measure *measures = arena_new(arena, struct heft_measure, MEASURES_MAX);
	memcpy(measures, size_measures, HEFT_SIZE_MEASURES * sizeof *measures);
	if (p->rollup.code > 0)
		measures[p->rollup.code] = size_measures[SIZE_CODE];
	for (unsigned i = 0; p->rollup.sure > 0 && i < SURE_WORDS; i++)
		measures[p->rollup.sure + i] = size_measures[SIZE_SURE + i];
	for (unsigned m = 0; m < p->rollup.tree.measures; m++)
		measures[m].shared = p->shared >> m & 1;
	const uint32_t file = 1u << HEFT_SIZE_FILE, vm = 1u << HEFT_SIZE_VM;
	const uint32_t by_code = 1u << p->rollup.code;
	const uint32_t by_size = (p->sort_domain & HEFT_FILE ? file : 0) |
				 (p->sort_domain & HEFT_VM ? vm : 0);
	*ret_opts = (struct rows_opts){
		.measures = measures,
		.limit = p->rows,
		.sort = p->sort != HEFT_SORT_AUTO ? p->sort
			: p->diff                 ? HEFT_SORT_GROWTH
						  : HEFT_SORT_SIZE,
		.keys = p->code ? by_code : by_size,
		.told = file | vm,
		.diff = p->diff,
		.drop_repeats = true,
		.others_last = !p->as_bloaty,
		.empty_from = p->empty_from,
		.empty_to = p->empty_to,
		.label = run_node_label,
		.full_name = node_full_name,
		.ctx = (void *)(uintptr_t)p,
	};
	const char **names = arena_new(arena, const char *, p->levels.count);
	for (size_t i = 0; i < p->levels.count; i++)
		names[i] = p->levels.data[i].name;
	return (struct heft_table){ .size = sizeof(struct heft_table),
				    .levels = names,
				    .level_count = p->levels.count,
				    .measures = measures,
				    .measure_count = p->rollup.tree.measures,
				    .sorted_by = p->sort_domain == HEFT_VM ? HEFT_SIZE_VM
									   : HEFT_SIZE_FILE,
				    .diff = p->diff };
}

static uint8_t padding_group(void *ctx, uint32_t node)
{
	const struct heft_profile *p = ctx;
	return p->rollup.tree.nodes.data[node].key == p->padding;
}

/* True if the profile has the padding that lld puts after the last read-only page. Its size changes
 * at random with every build, so a diff lists its row last. */
static bool has_padding(struct heft_profile *p)
{
	const size_t known = p->labels.kinds.count;
	p->padding = label_borrow(&p->labels, STR(".relro_padding"));
	return p->padding < known;
}

/* Finds the measures whose rows do not add up to the total. A symbol with bytes in several sections
 * counts once per section, but only once in the total. */
static uint32_t measures_shared(const struct tree *t)
{
	uint32_t ret = 0;
	for (uint32_t m = HEFT_SIZE_COUNT; m < t->measures; m++)
		if (!tree_adds_up(t, m))
			ret |= 1u << m;
	return ret;
}

static void run_make_rows(struct heft_profile *p)
{
	struct rows_opts opts;
	p->shared = measures_shared(&p->rollup.tree);
	const bool by_region = profile_needs(p) & NEED_REGIONS;
	p->table = profile_begin_table(p, &opts, &p->arena);
	if (p->diff && !p->as_bloaty && has_padding(p))
		opts.group = padding_group;
	if (p->listing_aliases || by_region || p->stacking || p->retaining)
		opts.fill = run_fill_row;
	vec_each(struct level, l, &p->levels)
		if (p->listing_aliases && names_symbols(l))
			alias_index_build(&l->aliases, &p->places, &l->view, &p->labels,
					  p->context.threads, &p->context.notes);
	/* Lists the table's text columns: stack sizes, retained bytes, then facts about regions. */
	size_t first = p->stacking ? STACK_COLUMN_TEXTS : 0;
	struct heft_text *texts = arena_new(&p->arena, struct heft_text, ROW_TEXTS);
	memcpy(texts, size_stack_texts, first * sizeof *texts);
	if (p->retaining)
		texts[first++] = size_retained_text;
	memcpy(texts + first, region_texts, REGION_TEXTS * sizeof *texts);
	p->table.texts = texts;
	p->table.text_count = first + (by_region ? REGION_TEXTS : 0);
	ASSERT(p->table.text_count <= ROW_TEXTS);
	run_make_top(p, &opts, &p->arena, &p->table);
	ASSERT(p->table.top && p->table.sorted_by < p->table.measure_count);
}

static unsigned measures_of(const struct heft_profile *p)
{
	return (p->counting ? ROLLUP_COUNT : 0) | (generics_level(p) > 0 ? ROLLUP_COPIES : 0) |
	       (p->code ? ROLLUP_CODE : 0) | (p->how_sure ? ROLLUP_SURE : 0);
}

/* Traces an address that the user wrote. Sets *found if the input has it. */
static void trace_in(struct heft_profile *p, struct program *program, const char *text, bool *found)
{
	struct text_places at = { 0 };
	for (size_t i = 0; program->open && i < program->input.image_count; i++) {
		if (!text_places_find(program_names(program, i), text, &at))
			continue;
		const uint64_t one = at.is_number ? at.number
				     : at.section ? at.section->addr + at.offset
						  : 0;
		if (at.is_number || at.section)
			vec_push(&p->trace_addrs, (struct trace_addr){ HEFT_VM, one });
		for (size_t k = 0; k < at.surest; k++)
			vec_push(&p->trace_addrs,
				 (struct trace_addr){ HEFT_VM,
						      at.matches.data[k].addr + at.offset });
		*found = true;
	}
	text_places_release(&at);
}

static bool find_traced(struct heft_profile *p, struct heft_err *err)
{
	for (size_t i = 0; i < p->trace_texts.count; i++) {
		const char *text = p->trace_texts.data[i];
		struct trace_addr number = { .domain = HEFT_VM };
		bool found = false;
		for (size_t k = 0; k < p->entries.count; k++)
			trace_in(p, &p->entries.data[k].program, text, &found);
		if (!found && !place_number(text, &number.addr))
			return fail(err, HEFT_EARG, HEFT_NO_OFFSET,
				    "'%.200s' is no address, section or symbol of the inputs",
				    text);
		if (!found)
			vec_push(&p->trace_addrs, number);
	}
	p->trace.addrs = p->trace_addrs.data;
	p->trace.addr_count = p->trace_addrs.count;
	return true;
}

bool profile_run(struct heft_profile *p, struct heft_err *err)
{
	if (p->ran)
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "a profile runs once");
	context_take(&p->context);
	if (p->entries.count == 0)
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "must specify at least one file");
	if (p->levels.count == 0 && !profile_add_source(p, "sections", err))
		return false;
	if (!p->as_bloaty)
		levels_distinct(p);
	if (!split_paths(p, err) || !inputs_open(p, err) || !run_add_regions(p, err))
		return false;
	p->ran = true;
	p->counting = p->counting || generics_level(p) > 0;
	if (!find_traced(p, err))
		return false;
	rollup_init(&p->rollup, measures_of(p), profile_first(p, HEFT_BASE) != NULL);
	p->rollup.filter = (struct filter){ .include = p->include,
					    .exclude = p->exclude,
					    .no_debug = p->no_debug,
					    .sure = p->sure_kept,
					    .notes = &p->context.notes };
	p->pairing = profile_first(p, HEFT_BASE) && base_names_wanted(p);
	if (!(p->one_by_one ? measure_one_by_one : measure_together)(p, number_layers(p), err))
		return false;
	add_empty_regions(p);
	progress_tell("rows", 1, 1);
	if (generics_level(p) > 0)
		rollup_add_copies(&p->rollup);
	check_totals(p);
	/* No note for an include filter that matches nothing: the empty result shows it. */
	if (p->exclude && !filter_excluded(&p->rollup.filter))
		note(&p->context.notes, p->entries.data[0].path, HEFT_NO_OFFSET, 0,
		     "no label matches the exclude filter");
	note_rules(p);
	if (p->context.wish.source_maps.count > 0 && !p->has_wasm)
		note(&p->context.notes, p->context.wish.source_maps.data[0].path, HEFT_NO_OFFSET, 0,
		     "not used: no input is a WebAssembly file");
	run_make_rows(p);
	return true;
}
