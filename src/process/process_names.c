/* Names the functions at addresses. */
#include "process/process_internal.h"

#include "base/filename.h"
#include "base/pool.h"
#include "base/sort.h"

#include <stdio.h>

#define MADE_NAME "sub_"

/* Returns the locator for names of a module. NULL if the module's file was not found. */
static struct locator *process_locator(const struct process *p, struct opened_module *o)
{
	if (!o->module.input || o->names_ready)
		return o->names_ready ? &o->locator : NULL;
	const struct image *im = &o->module.input->images[0];
	const struct image *debug = o->module.debug ? &o->module.debug->images[0] : NULL;
	o->names_ready = true;
	o->locator.style = p->wish.style;
	o->locator.symbols = &o->symbols;
	symbol_table_read(&o->symbols, im, debug);
	const struct image *holder = debug && !debuginfo_present(im) ? debug : im;
	if (!p->wish.dwarf || !debuginfo_present(holder))
		return &o->locator;
	const struct debug_search how = wish_search(p->wish.find);
	debuginfo_open(&o->info, holder, &how, &o->notes);
	symbolizer_init(&o->symbolizer, &o->info);
	o->locator.symbolizer = &o->symbolizer;
	return &o->locator;
}

/* Returns the generated name of a function without a symbol: "sub_ADDRESS", as in `heft size`. ""
 * if no unwind table has it. */
static const char *made_name(struct process *p, struct opened_module *o, uint64_t addr)
{
	uint64_t start;
	return process_function_start(p, o, addr, &start)
		       ? arena_format(&o->locator.texts, MADE_NAME "%" PRIx64, start)
		       : "";
}

static bool is_made_name(const struct heft_frame *f)
{
	return *f->linkage == '\0' && *f->file == '\0' &&
	       str_starts(str_of(f->function), STR(MADE_NAME));
}

/* Appends the functions at `addr`, which is the address in the process minus module.bias. */
static void push_frames(struct process *p, struct opened_module *o, uint64_t addr,
			process_frame_vec *ret)
{
	const struct heft_frame *functions;
	const char *unit;
	struct locator *l = process_locator(p, o);
	const size_t count = l ? locator_functions(l, addr, &functions, &unit) : 0;
	if (count == 0) {
		const struct symbol_place *s = l ? locator_symbol(l, addr) : NULL;
		const char *name = s ? s->memo : l ? made_name(p, o, addr) : "";
		vec_push(ret, (struct heft_frame){ .function = name,
						   .linkage = s ? s->name : "",
						   .file = "",
						   .module = o->module.path,
						   .addr = addr });
	}
	for (size_t i = 0; i < count; i++) {
		vec_push(ret, functions[i]);
		ret->data[ret->count - 1].module = o->module.path;
	}
}

struct process_place process_locate(struct process *p, uint64_t addr)
{
	struct opened_module *o = process_opened_at(p, addr);
	if (!o)
		return (struct process_place){ .module = NULL, .addr = addr };
	process_find_file(p, o);
	struct locator *l = process_locator(p, o);
	process_take_notes(p, o);
	return (struct process_place){ &o->module, l, addr - o->module.bias };
}

void process_add_name(struct text *t, const struct heft_frame *f)
{
	char addr[32];
	if (*f->function) {
		text_add(t, str_of(f->function));
		return;
	}
	if (*f->module) {
		text_adds(t, str_of(file_name(f->module)), STR("+"));
	}
	snprintf(addr, sizeof addr, "0x%" PRIx64, f->addr);
	text_add(t, str_of(addr));
}

struct spot_key {
	uint64_t frame;
	uint32_t node, module;
};

struct symbol_job {
	struct process *p;
	size_t *first; /* `order` has module m's addresses in [first[m], first[m + 1]) */
	struct process_spot **order;
};

/* Appends the frames from the cache, or else from the module's file. */
static void push_known_frames(struct process *p, struct opened_module *o, uint64_t addr,
			      process_frame_vec *ret)
{
	size_t count = 0;
	const size_t first = ret->count;
	const struct heft_frame *known = name_cache_find(&o->known, addr, &count);
	for (size_t i = 0; i < count; i++) {
		vec_push(ret, known[i]);
		ret->data[ret->count - 1].module = o->module.path;
	}
	if (known)
		return;
	if (!p->wish.no_names)
		process_find_file(p, o);
	push_frames(p, o, addr, ret);
	/* Caches only frames with names, because debug info may later name the others. */
	const struct heft_frame *last = &ret->data[ret->count - 1];
	if (p->wish.name_cache && *last->function && !is_made_name(last))
		name_cache_add(&o->known, addr, ret->data + first, ret->count - first);
}

static void name_spot(struct process *p, struct process_spot *s)
{
	ASSERT(s->module <= p->modules->count);
	struct opened_module *o = s->module > 0 ? p->modules->list[s->module - 1] : NULL;
	process_frame_vec *frames = o ? &o->frames : &p->modules->frames;
	s->first = (uint32_t)frames->count;
	if (o)
		push_known_frames(p, o, s->frame - 1 - o->module.bias, frames);
	else if (s->frame != 0) /* The root of the call tree has frame 0 */
		vec_push(frames, (struct heft_frame){ .function = "",
						      .linkage = "",
						      .file = "",
						      .module = "",
						      .addr = s->frame - 1 });
	if (s->frame == HEAP_FRAME_CUT)
		frames->data[frames->count - 1].function = process_cut_off;
	s->count = (uint32_t)frames->count - s->first;
}

static void name_module(void *ctx, size_t i, unsigned worker)
{
	const struct symbol_job *job = ctx;
	struct process *p = job->p;
	const char *dir = p->wish.no_names ? NULL : p->wish.name_cache;
	struct opened_module *o = i > 0 && job->first[i] < job->first[i + 1]
					  ? p->modules->list[i - 1]
					  : NULL;
	(void)worker;
	if (o && dir && o->known.list.count == 0)
		name_cache_read(&o->known, dir, o->module.build_id, p->wish.style);
	for (size_t k = job->first[i]; k < job->first[i + 1]; k++)
		name_spot(p, job->order[k]);
	if (o && dir)
		name_cache_write(&o->known, dir, o->module.build_id, p->wish.style);
}

/* Makes a struct process_spot for each distinct address of the call tree, sorted by address. */
static void make_spots(struct process *p)
{
	struct opened_modules *all = p->modules;
	const struct calls *c = &p->heap.calls;
	struct spot_key *keys = mem_zeroed(c->nodes.count + 1, sizeof *keys);
	for (size_t i = 0; i < c->nodes.count; i++) {
		const struct call_node *n = &c->nodes.data[i];
		const struct opened_module *o = n->module == CALLS_NONE && n->frame > HEAP_FRAME_CUT
							? process_opened_at(p, n->frame - 1)
							: NULL;
		keys[i] = (struct spot_key){ n->frame, (uint32_t)i, 0 };
		if (n->module != CALLS_NONE || o)
			keys[i].module = (o ? (uint32_t)o->index : n->module) + 1;
	}
	ASSERT(!all->spot_of && all->spots.count == 0 && c->nodes.count < UINT32_MAX);
	sort_by_key(keys, c->nodes.count, sizeof *keys);
	all->spot_of = mem_zeroed(c->nodes.count + 1, sizeof *all->spot_of);
	for (size_t i = 0; i < c->nodes.count; i++) {
		if (i == 0 || keys[i].frame != keys[i - 1].frame ||
		    keys[i].module != keys[i - 1].module)
			vec_push(&all->spots, (struct process_spot){ .frame = keys[i].frame,
								     .module = keys[i].module });
		all->spot_of[keys[i].node] = (uint32_t)(all->spots.count - 1);
	}
	mem_free(keys);
}

/* Sorts the code addresses (struct process_spot) by module, then by address. */
static void sort_spots(struct process *p, struct symbol_job *job)
{
	const size_t modules = p->modules->count + 1, count = p->modules->spots.count;
	struct process_spot *spots = p->modules->spots.data;
	job->first = mem_zeroed(modules + 2, sizeof *job->first);
	job->order = mem_zeroed(count + 1, sizeof(struct process_spot *));
	for (size_t i = 0; i < count; i++)
		job->first[spots[i].module + 2]++;
	for (size_t m = 2; m < modules + 2; m++)
		job->first[m] += job->first[m - 1];
	for (size_t i = 0; i < count; i++)
		job->order[job->first[spots[i].module + 1]++] = &spots[i];
}

/* Adds a note per module with functions without a name: how many bytes belong to them. */
static void note_hidden(struct process *p)
{
	const struct opened_modules *all = p->modules;
	const struct calls *c = &p->heap.calls;
	uint64_t *hidden = mem_zeroed(all->count + 1, sizeof *hidden);
	vec_each(const struct call_stack, s, &c->stacks) {
		const struct process_spot *spot = &all->spots.data[all->spot_of[s->node]];
		const struct heft_frame *f = spot->count > 0 ? process_spot_frames(p, spot) : NULL;
		if (f && (*f->function == '\0' || is_made_name(f)))
			hidden[spot->module] += c->counted ? s->live_bytes : s->block_bytes;
	}
	for (size_t i = 1; i <= all->count; i++) {
		const struct process_module *m = &all->list[i - 1]->module;
		if (hidden[i] > 0)
			note(p->wish.notes, m->path, HEFT_NO_OFFSET, hidden[i],
			     m->input ? "no debug file: functions without a symbol are named "
					"sub_ADDRESS"
				      : "the file was not found: its functions are shown as "
					"offsets");
	}
	mem_free(hidden);
}

void process_name_calls(struct process *p)
{
	struct symbol_job job = { .p = p };
	struct opened_modules *all = p->modules;
	process_read_heap(p);
	if (all->spot_of && all->named == p->heap.calls.nodes.count)
		return;
	/* Drops all struct process_spot, because stacks were added to the call tree after they were
	 * made. */
	mem_free(all->spot_of);
	all->spot_of = NULL;
	all->spots.count = all->frames.count = 0;
	for (size_t i = 0; i < all->count; i++)
		all->list[i]->frames.count = 0;
	p->modules->named = p->heap.calls.nodes.count;
	make_spots(p);
	sort_spots(p, &job);
	parallel_for(p->wish.threads, p->modules->count + 1, name_module, &job);
	for (size_t i = 0; i < p->modules->count; i++)
		if (job.first[i + 1] < job.first[i + 2])
			process_take_notes(p, p->modules->list[i]);
	mem_free_all(job.first, job.order);
	if (!p->wish.no_names)
		note_hidden(p);
}

size_t process_spot_count(const struct process *p)
{
	return p->modules->spots.count;
}

const struct process_spot *process_spot(const struct process *p, size_t i)
{
	ASSERT(i < p->modules->spots.count);
	return &p->modules->spots.data[i];
}

size_t process_spot_of(const struct process *p, uint32_t node)
{
	return p->modules->spot_of[node];
}

const struct heft_frame *process_spot_frames(const struct process *p, const struct process_spot *s)
{
	const struct opened_modules *all = p->modules;
	const struct heft_frame *frames = s->module > 0 ? all->list[s->module - 1]->frames.data
							: all->frames.data;
	return frames ? frames + s->first : NULL;
}
