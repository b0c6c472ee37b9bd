/* Opens the inputs of a profile, and checks that all files that the user named are used. */
#include "measure/open_inputs.h"

/* Opens the process of a core. A core is both a program's image and a process. */
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

/* Joins the debug files of the finder and of the configuration file. */
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

/* Adds the configuration file's regions. If the finder has a region of the same name, the finder's
 * region stays. */
static void join_regions(struct heft_profile *p)
{
	const struct memory_regions *more = &p->configured.regions;
	for (size_t i = 0; i < more->list.count; i++) {
		const struct memory_region *r = &more->list.data[i];
		if (!regions_find(&p->context.wish.regions, str_of(r->name)))
			(void)regions_add(&p->context.wish.regions, str_of(r->name), r->origin,
					  r->length);
	}
	wish_release(&p->configured);
}

static void run_describe(struct heft_profile *p, struct entry *e)
{
	const struct input *in = &e->program.input;
	const struct image *im = program_image(&e->program);
	e->format = in->linkmap ? "linker map"
		    : im        ? arena_copy(&p->arena, str_of(image_describe(&in->images[0])))
		    : in->thin  ? "thin archive"
				: "archive";
	e->build_id = build_id_text(&p->arena, im ? im->build_id : (struct bytes){ NULL, 0 });
	e->debug_path = "";
	e->file_size = max_u64(input_size(in), in->file.bytes.size);
}

/* Records which files of the options belong to an input. */
static void run_mark_used(struct heft_profile *p, const struct entry *e)
{
	if (!p->used)
		p->used = arena_new(&p->arena, bool, p->context.wish.debug_files.count + 1);
	program_mark_used(&e->program, p->used);
	p->has_core |= e->process.open;
	if (e->process.open)
		process_mark_used(&e->process, p->used);
}

bool inputs_check(const struct heft_profile *p, struct heft_err *err)
{
	if (p->context.wish.programs.count > 0 && !p->has_core)
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET,
			    "%s: no input is a core that it could be the program of",
			    p->context.wish.programs.data[0]);
	return program_check_used(&p->context.wish, p->used, err);
}

bool entry_open(struct heft_profile *p, struct entry *e, struct heft_err *err)
{
	ASSERT(!e->program.open);
	if (!program_open(&e->program, e->path, USE_SIZE, &p->context.wish, &p->context.notes,
			  err) ||
	    !run_open_process(p, e, err))
		return false;
	run_describe(p, e);
	run_mark_used(p, e);
	p->labels.keeps |= e->program.input.rest != NULL;
	return true;
}

/* True if measured data is not needed after it is summed up. */
static bool run_forgets(const struct heft_profile *p)
{
	return !p->keep_ranges && !p->trace.fn && p->trace_texts.count == 0;
}

/* True if archives are measured portion by portion, so that only one portion is in memory. */
static bool runs_in_portions(const struct heft_profile *p)
{
	bool each = run_forgets(p) && !p->stacking && !p->samples;
	for (size_t i = 0; i < p->levels.count; i++)
		each &= p->levels.data[i].source->portions;
	return each;
}

bool inputs_open(struct heft_profile *p, struct heft_err *err)
{
	join_debug_files(p);
	join_source_maps(p);
	join_regions(p);
	if (p->as_bloaty) /* Bloaty knows no debug files. */
		p->context.wish.flags |= HEFT_FIND_NO_MAP;
	/* Each input is closed before the next is opened, unless names of a base are paired. */
	p->one_by_one = run_forgets(p) && p->entries.count > 1 && !profile_first(p, HEFT_BASE);
	p->labels.keeps = p->one_by_one;
	p->context.wish.in_portions = runs_in_portions(p);
	const size_t count = p->one_by_one ? 1 : p->entries.count;
	for (size_t i = 0; i < count; i++)
		if (!entry_open(p, &p->entries.data[i], err))
			return false;
	return p->one_by_one || inputs_check(p, err);
}
