/* Makes the layers of a profile's input. */
#include "measure/profile.h"

const struct spans *entry_spans(const struct entry *e, const struct level *l,
				enum heft_domain domain)
{
	ASSERT(l->layer < e->layer_count);
	const struct layer *layer = &e->layers[l->layer];
	return domain == HEFT_VM ? &layer->vm : &layer->file;
}

struct entry *profile_first(const struct heft_profile *p, enum heft_role role)
{
	for (size_t i = 0; i < p->entries.count; i++)
		if (p->entries.data[i].role == role)
			return &p->entries.data[i];
	return NULL;
}

struct heft_file_info entry_info(const struct entry *e)
{
	return (struct heft_file_info){ .size = sizeof(struct heft_file_info),
					.path = e->path,
					.format = e->format ? e->format : "",
					.build_id = e->build_id ? e->build_id : "",
					.debug_path = e->debug_path ? e->debug_path : "",
					.file_size = e->file_size,
					.vm_size = e->vm_size,
					.role = e->role };
}

static void renamed_forget(struct entry *e)
{
	for (size_t i = 0; e->renamed && i < e->layer_count; i++)
		layer_release(&e->renamed[i]);
	mem_free(e->renamed);
	e->renamed = NULL;
}

void entry_forget_more(struct entry *e)
{
	renamed_forget(e);
	for (size_t i = 0; i < COUNT_OF(e->more); i++)
		layer_release(&e->more[i]);
	layer_release(&e->sure);
}

void entry_forget_layers(struct entry *e)
{
	entry_forget_more(e);
	for (size_t i = 0; i < e->layer_count; i++)
		layer_release(&e->layers[i]);
	mem_free(e->layers);
	ASSERT(!e->renamed);
	e->layers = NULL;
	e->layer_count = 0;
	measure_release(&e->measure);
}

void entry_release(struct entry *e)
{
	entry_forget_layers(e);
	process_close(&e->process);
	program_close(&e->program);
}

const struct layer *entry_layer(const struct heft_profile *p, const struct entry *e, source_fn *run)
{
	for (size_t i = 0; i < p->levels.count; i++)
		if (p->levels.data[i].source->run == run)
			return &e->layers[p->levels.data[i].layer];
	const struct layer *more = &e->more[run == source_compileunits];
	return more->vm.list.count > 0 || more->file.list.count > 0 ? more : NULL;
}

void entry_measure_aside(struct entry *e, const char *source, struct layer *ret)
{
	struct source_file *f = &e->measure.file;
	struct trace *const trace = f->trace;
	struct notes unread, *const notes = f->notes;
	notes_init(&unread);
	f->notes = &unread;
	f->trace = NULL;
	measure_run(&e->measure, source_find(str_of(source)), ret);
	f->trace = trace;
	f->notes = notes;
	notes_release(&unread);
}

/* Measures `symbols` or `compileunits` if no level shows them, without notes. Compile units are
 * measured only in the VM image, so they own no debug info. */
void entry_measure_more(struct heft_profile *p, struct entry *e, source_fn *run)
{
	const bool symbols = run == source_symbols, vm_only = e->measure.file.vm_only;
	struct notes unread, *const notes = e->measure.file.notes;
	ASSERT(symbols || run == source_compileunits);
	if (entry_layer(p, e, run) && (!symbols || e->measure.file.places))
		return;
	notes_init(&unread);
	e->measure.file.notes = &unread;
	if (symbols) {
		e->measure.file.places = &p->places;
		e->places_begin = places_mark(&p->places);
	}
	e->measure.file.vm_only = vm_only || !symbols;
	layer_release(&e->more[!symbols]);
	measure_run(&e->measure, source_find(symbols ? STR("symbols") : STR("compileunits")),
		    &e->more[!symbols]);
	if (symbols)
		e->places_end = places_mark(&p->places);
	e->measure.file.vm_only = vm_only;
	e->measure.file.notes = notes;
	notes_release(&unread);
}

static bool kept_levels(const struct heft_profile *p, size_t i, enum heft_domain domain,
			struct rollup_level *ret)
{
	if (i >= p->entries.count || !p->entries.data[i].layers)
		return false;
	for (size_t k = 0; k < p->levels.count; k++) {
		const struct level *l = &p->levels.data[k];
		ret[k] = (struct rollup_level){ entry_spans(&p->entries.data[i], l, domain),
						view_is_plain(&l->view) ? NULL : l->view.shown };
	}
	return true;
}

struct spans entry_base_vm(const struct entry *e)
{
	const struct basemap *map = &e->measure.map;
	struct spans s = { 0 };
	for (size_t i = 0; i < map->ranges.count; i++)
		spans_push(&s, map->ranges.data[i].addr, map->ranges.data[i].size,
			   map->ranges.data[i].label);
	return s;
}

uint64_t entry_forget_vm(struct entry *e)
{
	const struct image *im = program_image(&e->program);
	const uint64_t size = e->measure.map.vm_size;
	if (!im || !im->own_spaces)
		return 0;
	for (size_t i = 0; i < e->layer_count; i++)
		spans_release(&e->layers[i].vm);
	vec_release(&e->measure.map.ranges);
	e->vm_size -= size;
	e->measure.map.vm_size = 0;
	return size;
}

struct range_walk {
	const struct heft_profile *profile;
	heft_range_fn fn;
	void *ctx;
	uint64_t at;   /* End of the previous range */
	uint64_t base; /* Address from which the shown addresses count */
	bool stopped;
};

static void walk_piece(void *ctx, uint64_t start, uint64_t size, const label_id *ids)
{
	struct range_walk *w = ctx;
	const char *labels[LEVELS_MAX];
	const size_t n = w->profile->levels.count;
	for (size_t k = 0; k < n; k++)
		labels[k] = label_text(&w->profile->labels, ids[k]).p;
	start -= w->base;
	w->stopped = w->stopped ||
		     (start > w->at && !w->fn(w->ctx, w->at, start - w->at, NULL, 0)) ||
		     !w->fn(w->ctx, start, size, labels, n);
	w->at = start + size;
}

bool profile_ranges(const struct heft_profile *p, size_t i, enum heft_domain domain,
		    heft_range_fn fn, void *ctx)
{
	struct rollup_level levels[LEVELS_MAX + 1];
	struct range_walk w = { .profile = p, .fn = fn, .ctx = ctx };
	size_t count = p->levels.count;
	if (!kept_levels(p, i, domain, levels))
		return false;
	const struct entry *e = &p->entries.data[i];
	struct spans base = { 0 };
	if (p->as_bloaty && domain == HEFT_VM) {
		base = entry_base_vm(e);
		const struct image *im = program_image(&e->program);
		w.base = im ? im->base : 0;
	}
	/* Bloaty cuts ranges where those of its base map end. */
	if (p->as_bloaty)
		levels[count++] = (struct rollup_level){ domain == HEFT_VM ? &base
									   : &e->measure.map.file,
							 NULL };
	rollup_pieces(levels, count, walk_piece, &w);
	spans_release(&base);
	return true;
}

bool profile_lookup(struct heft_profile *p, size_t i, enum heft_domain domain, uint64_t addr,
		    struct heft_place *ret)
{
	struct rollup_level levels[LEVELS_MAX];
	uint64_t start = 0, end = UINT64_MAX;
	if (!kept_levels(p, i, domain, levels))
		return false;
	for (size_t k = 0; k < p->levels.count; k++) {
		const struct span *s = spans_find(levels[k].spans, addr);
		if (!s)
			return false;
		const label_id id = levels[k].shown ? levels[k].shown[s->label] : s->label;
		p->place[k] = label_text(&p->labels, id).p;
		start = max_u64(start, s->start);
		end = min_u64(end, s->start + s->size);
	}
	ASSERT(start <= addr && addr < end);
	*ret = (struct heft_place){ .start = start,
				    .bytes = end - start,
				    .labels = p->place,
				    .label_count = p->levels.count };
	return true;
}

/* The functions below open the inputs of a profile, and check that all files that the user named
 * are used. */

/* Opens the process of a core, which is both an image and a process. */
static bool run_open_process(struct heft_profile *p, struct entry *e, struct heft_err *err)
{
	const struct image *im = program_image(&e->program);
	const struct process_wish wish = { .find = &p->context.wish,
					   .dwarf = profile_needs(p) & NEED_DWARF,
					   .style = HEFT_NAMES_RAW,
					   .threads = p->context.threads,
					   .notes = &p->context.notes };
	return !im || im->kind != IMAGE_CORE || process_of_image(&e->process, im, &wish, err);
}

/* Adds the debug files that the configuration file names to those of the finder. */
static void join_debug_files(struct heft_profile *p)
{
	for (size_t i = 0; i < p->configured_debug.count; i++) {
		const char *path = p->configured_debug.data[i];
		bool known = false;
		for (size_t k = 0; k < p->context.wish.debug_files.count; k++)
			known |= strcmp(p->context.wish.debug_files.data[k], path) == 0;
		if (!known)
			wish_add(&p->context.wish, &p->context.wish.debug_files, path);
	}
}

static void join_source_maps(struct heft_profile *p)
{
	for (size_t i = 0; i < p->configured_source_maps.count; i++) {
		const char *text = p->configured_source_maps.data[i];
		const char *equals = strchr(text, '=');
		const struct str id = { text, (size_t)(equals - text) };
		wish_add_source_map(&p->context.wish, arena_copy(&p->arena, id), equals + 1);
	}
	p->configured_source_maps.count = 0;
}

bool inputs_check(const struct heft_profile *p, struct heft_err *err)
{
	if (p->context.wish.programs.count > 0 && !p->has_core)
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET,
			    "%s: no input is a core that it could be the program of",
			    p->context.wish.programs.data[0]);
	return p->context.wish.debug_files.count == 0 ||
	       program_check_used(&p->context.wish, p->used, err);
}

bool entry_open(struct heft_profile *p, struct entry *e, struct heft_err *err)
{
	ASSERT(!e->program.open);
	if (!program_open(&e->program, e->path, USE_SIZE, &p->context.wish, &p->context.notes,
			  err) ||
	    !run_open_process(p, e, err))
		return false;
	const struct input *in = &e->program.input;
	const struct image *im = program_image(&e->program);
	e->format = in->linkmap ? "linker map"
		    : im        ? arena_copy(&p->arena, str_of(image_describe(&in->images[0])))
		    : in->thin  ? "thin archive"
				: "archive";
	e->build_id = build_id_text(&p->arena, im ? im->build_id : (struct bytes){ NULL, 0 });
	e->debug_path = "";
	e->file_size = max_u64(input_size(in), in->file.bytes.size);
	/* Marks those debug files of the options that belong to this input. */
	if (!p->used)
		p->used = arena_new(&p->arena, bool, p->context.wish.debug_files.count + 1);
	if (p->context.wish.debug_files.count > 0)
		program_mark_used(&e->program, p->used);
	p->has_core |= e->process.open;
	if (e->process.open)
		process_mark_used(&e->process, p->used);
	p->labels.keeps |= e->program.input.rest != NULL;
	return true;
}

/* True if nothing needs the measured data after it is summed up. */
static bool run_forgets(const struct heft_profile *p)
{
	return !p->keep_ranges && !p->trace.fn && p->trace_texts.count == 0;
}

/* True if archives are measured portion by portion, so that only one portion is in memory. */
static bool runs_in_portions(const struct heft_profile *p)
{
	bool each = run_forgets(p) && !p->stacking && !p->retaining && !p->samples;
	for (size_t i = 0; i < p->levels.count; i++)
		each &= p->levels.data[i].source->portions;
	return each;
}

bool inputs_open(struct heft_profile *p, struct heft_err *err)
{
	join_debug_files(p);
	join_source_maps(p);
	/* Adds the regions in the configuration file. Those of the finder win if names are
	 * equal. */
	const struct memory_regions *more = &p->configured.regions;
	vec_each(const struct memory_region, r, &more->list) {
		if (!regions_find(&p->context.wish.regions, str_of(r->name)))
			(void)regions_add(&p->context.wish.regions, str_of(r->name), r->origin,
					  r->length);
	}
	wish_release(&p->configured);
	if (p->as_bloaty) /* Bloaty does not search for debug files */
		p->context.wish.flags |= HEFT_FIND_NO_MAP;
	/* If set, each input is closed before the next one is opened. To pair names of a base, all
	 * must be open. */
	p->one_by_one = run_forgets(p) && p->entries.count > 1 && !profile_first(p, HEFT_BASE);
	p->labels.keeps = p->one_by_one;
	p->context.wish.in_portions = runs_in_portions(p);
	const size_t count = p->one_by_one ? 1 : p->entries.count;
	for (size_t i = 0; i < count; i++)
		if (!entry_open(p, &p->entries.data[i], err))
			return false;
	return p->one_by_one || inputs_check(p, err);
}
