/* Makes one tree of call stacks for all heaps of a report. Frames that look equal become one. */
#include "holders/holders.h"

#include "base/filename.h"

/* Key of a frame. Frames with equal keys are one site. */
struct site_key {
	uint32_t function, file, module, line;
	uint64_t addr; /* Address of a function without a name. 0 for other functions. */
};

struct heap_join {
	struct heft_heap_report *r;
	struct intern functions, files, names;
	VEC(struct site_key) keys; /* Keys, indexed by site */
	VEC(uint32_t) by_name;     /* Per id in `names`: index of the module with that name */
	VEC(bool) other_builds;    /* Per module: true if the heaps have two builds of it */
	struct map sites, steps;   /* `sites`: index by key. `steps`: index in the report */
	struct text path;
	const struct paths *paths;
};

static uint32_t module_of_build(const struct heap_report *r, struct bytes build_id)
{
	for (uint32_t i = 1; build_id.size > 0 && i < r->modules.count; i++)
		if (same_build_id(r->modules.data[i].build_id, build_id))
			return i;
	return 0;
}

/* Returns the index of a module in the report, 0 without a path. Adds the module if it is new.
 * Modules with one file name are one, even of two processes or builds. So are modules with one
 * build id: a core names files, the recorder may name links. */
static uint32_t join_module(struct heap_join *j, const struct process_module *m)
{
	struct heap_report *r = &j->r->report;
	if (!*m->path)
		return 0;
	const uint32_t name = intern_borrow(&j->names, str_of(file_name(m->path)));
	if (name < j->by_name.count) {
		const uint32_t id = j->by_name.data[name];
		const struct bytes known = r->modules.data[id].build_id;
		if (known.size > 0 && m->build_id.size > 0 && !same_build_id(known, m->build_id))
			j->other_builds.data[id] = true;
		return id;
	}
	const uint32_t same = module_of_build(r, m->build_id);
	const uint32_t id = same != 0 ? same : (uint32_t)r->modules.count;
	vec_push(&j->by_name, id);
	if (same != 0)
		return same;
	vec_push(&r->modules, (struct heap_report_module){ .path = m->path,
							   .name = file_name(m->path),
							   .build_id = m->build_id,
							   .start = m->start,
							   .end = m->end,
							   .bias = m->bias });
	vec_push(&j->other_builds, false);
	return id;
}

/* Returns per module of the process, from index 1 on, the index of its module in the report. */
static uint32_t *join_modules(struct heap_join *j, const struct heft_heap *h)
{
	const size_t count = process_module_count(&h->process);
	uint32_t *ret = mem_zeroed(count + 1, sizeof *ret);
	for (size_t i = 0; i < count; i++)
		ret[i + 1] = join_module(j, process_module(&h->process, i));
	return ret;
}

static const char *heap_join_label_of(struct heap_join *j, const struct heft_frame *f)
{
	struct text *t = &j->path;
	if (*f->function)
		return f->function;
	text_set(t, STR(""));
	process_add_name(t, f);
	return arena_copy(&j->r->arena, text_str(t));
}

static const char *heap_join_shown_path(struct heap_join *j, const char *path)
{
	if (paths_empty(j->paths) || !paths_apply(j->paths, str_of(path), &j->path))
		return path;
	return arena_copy(&j->r->arena, text_str(&j->path));
}

static uint32_t join_site(struct heap_join *j, const struct heft_frame *f, uint32_t module)
{
	const bool named = *f->function, loose = j->other_builds.data[module];
	const struct site_key key = {
		.function = intern_borrow(&j->functions, str_of(f->function)),
		.file = loose ? 0 : intern_borrow(&j->files, str_of(f->file)),
		.module = module,
		.line = loose ? 0 : f->line,
		.addr = named ? 0 : f->addr,
	};
	uint32_t id;
	struct map_at at = map_at(&j->sites, hash_bytes(&key, sizeof key));
	while (map_next(&j->sites, &at, &id))
		if (memcmp(&j->keys.data[id], &key, sizeof key) == 0)
			return id;
	struct heap_site site = { .frame = *f, .module = module };
	site.kind = process_frame_kind(f);
	site.frame.file = heap_join_shown_path(j, f->file);
	site.label = heap_join_label_of(j, f);
	id = (uint32_t)j->keys.count;
	map_put(&j->sites, &at, id);
	vec_push(&j->r->report.sites, site);
	vec_push(&j->keys, key);
	return id;
}

static uint32_t join_step(struct heap_join *j, uint32_t parent, uint32_t site)
{
	struct heap_report *r = &j->r->report;
	uint32_t id;
	struct map_at at = map_at(&j->steps, hash_u64((uint64_t)parent << 32 | site));
	while (map_next(&j->steps, &at, &id)) {
		const struct heap_step *known = &r->steps.data[id];
		if (known->parent == parent && known->site == site)
			return id;
	}
	id = (uint32_t)r->steps.count;
	map_put(&j->steps, &at, id);
	vec_push(&r->steps, (struct heap_step){ parent, site });
	return id;
}

/* Returns the sites of all frames of a heap, grouped by struct process_spot. *ret_first has the
 * index of the first site per spot. */
static uint32_t *sites_of_spots(struct heap_join *j, const struct heft_heap *h, size_t **ret_first)
{
	const struct process *p = &h->process;
	const size_t spots = process_spot_count(p);
	uint32_t *modules = join_modules(j, h);
	size_t count = 0;
	*ret_first = mem_zeroed(spots + 1, sizeof **ret_first);
	for (size_t i = 0; i < spots; i++) {
		(*ret_first)[i] = count;
		count += process_spot(p, i)->count;
	}
	uint32_t *sites = mem_zeroed(count + 1, sizeof *sites);
	for (size_t i = 0; i < spots; i++) {
		const struct process_spot *s = process_spot(p, i);
		const struct heft_frame *f = process_spot_frames(p, s);
		for (uint32_t k = 0; k < s->count; k++)
			sites[(*ret_first)[i] + k] = join_site(j, &f[k], modules[s->module]);
	}
	mem_free(modules);
	return sites;
}

/* Returns for each call node of a heap the index of its step in heap_report.steps. */
static uint32_t *heap_join_steps(struct heap_join *j, const struct heft_heap *h)
{
	const struct calls *c = &h->process.heap.calls;
	size_t *first;
	j->paths = &h->context.wish.paths;
	uint32_t *sites = sites_of_spots(j, h, &first);
	uint32_t *steps = mem_zeroed(c->nodes.count + 1, sizeof *steps);
	for (uint32_t i = 1; i < c->nodes.count; i++) {
		const size_t spot = process_spot_of(&h->process, i);
		ASSERT(c->nodes.data[i].parent < i);
		uint32_t step = steps[c->nodes.data[i].parent];
		for (uint32_t k = process_spot(&h->process, spot)->count; k-- > 0;)
			step = join_step(j, step, sites[first[spot] + k]);
		steps[i] = step;
	}
	mem_free_all(first, sites);
	return steps;
}

uint32_t *heap_join(struct heft_heap_report *r, struct heft_heap *now, struct heft_heap *base,
		    uint32_t **ret_base)
{
	static const struct heft_frame nothing = {
		.function = process_no_stack, .linkage = "", .file = "", .module = ""
	};
	struct heap_join j = { .r = r };
	ASSERT(r->report.modules.count == 0 && r->report.steps.count == 0);
	intern_borrow(&j.files, STR(""));
	intern_borrow(&j.names, STR(""));
	vec_push(&r->report.modules, (struct heap_report_module){ .path = "", .name = "" });
	vec_push(&j.other_builds, false);
	vec_push(&j.by_name, 0);
	/* The modules must be known before frames are joined. */
	mem_free(join_modules(&j, now));
	if (base)
		mem_free(join_modules(&j, base));
	vec_push(&r->report.steps, (struct heap_step){ 0, join_site(&j, &nothing, 0) });
	uint32_t *steps = heap_join_steps(&j, now);
	*ret_base = base ? heap_join_steps(&j, base) : NULL;
	intern_release(&j.functions);
	intern_release(&j.files);
	intern_release(&j.names);
	vec_release_all(&j.keys, &j.other_builds, &j.by_name);
	map_release(&j.sites);
	map_release(&j.steps);
	text_release(&j.path);
	return steps;
}

/* Returns the first step, from `step` outward, whose site is not the allocator's nor, with
 * `helpers_too`, a helper. 0 if there is none. */
static uint32_t step_past(const struct heap_report *r, uint32_t step, bool helpers_too)
{
	for (uint32_t i = step; i != 0; i = r->steps.data[i].parent) {
		const enum process_frame_kind kind = heap_step_site(r, i)->kind;
		if (kind != PROCESS_FRAME_ALLOCATOR &&
		    !(helpers_too && kind == PROCESS_FRAME_HELPER))
			return i;
	}
	return 0;
}

uint32_t heap_owner_step(const struct heap_report *r, uint32_t step)
{
	ASSERT(step < r->steps.count);
	const uint32_t owner = step_past(r, step, true);
	const uint32_t shown = owner != 0 ? owner : step_past(r, step, false);
	return shown != 0 ? shown : step;
}
