/* The modules of a process, the files that have their symbols, and the functions of all frames. */
#include "api/heap.h"
#include "api/where.h"

#include "base/filename.h"
#include "base/pool.h"
#include "base/sort.h"

#include <stdlib.h>
#include <unistd.h>

/* ---- the list ------------------------------------------------------------------------------- */

/* The modules of the calls, each one further: [0] stands for none.  Files that are no modules have no path. */
static void add_all(struct heft_heap *h)
{
	vec_push(&h->modules, (struct process_module){ .path = "" });
	for (size_t i = 0; i < h->calls.modules.count; i++) {
		const struct dump_file *f = &h->calls.modules.data[i];
		vec_push(&h->modules, (struct process_module){ .path = f->module ? f->path : "",
							       .build_id = f->build_id,
							       .start = f->start,
							       .end = f->end,
							       .bias = f->bias });
	}
}

static bool knows_modules(const struct heft_heap *h)
{
	for (size_t i = 1; i < h->modules.count; i++)
		if (*h->modules.data[i].path)
			return true;
	return false;
}

uint32_t heap_module_at(const struct heft_heap *h, uint64_t addr)
{
	for (size_t i = 1; i < h->modules.count; i++)
		if (*h->modules.data[i].path && addr >= h->modules.data[i].start &&
		    addr < h->modules.data[i].end)
			return (uint32_t)i;
	return 0;
}

/* ---- files that the user names -------------------------------------------------------------- */

/* The build id in the arena; size 0: none. */
static bool read_build_id(struct heft_heap *h, const char *path, struct bytes *ret,
			  struct heft_err *err)
{
	struct input in;
	if (!input_open(&in, path, &h->notes, err))
		return false;
	*ret = (struct bytes){ NULL, 0 };
	if (!in.archive && in.images[0].build_id.size > 0) {
		const struct bytes id = in.images[0].build_id;
		*ret = (struct bytes){ (const uint8_t *)arena_copy(
					       &h->arena,
					       (struct str){ (const char *)id.p, id.size }),
				       id.size };
	}
	input_close(&in);
	return true;
}

static struct process_module *module_of_id(struct heft_heap *h, struct bytes id)
{
	for (size_t i = 1; i < h->modules.count; i++)
		if (same_build_id(h->modules.data[i].build_id, id))
			return &h->modules.data[i];
	return NULL;
}

static struct process_module *module_of_name(struct heft_heap *h, const char *name)
{
	for (size_t i = 1; i < h->modules.count; i++)
		if (strcmp(file_name(h->modules.data[i].path), name) == 0)
			return &h->modules.data[i];
	return NULL;
}

/* By build id, then by name, in a dump without modules as it is. */
static bool place_program(struct heft_heap *h, const char *path, struct heft_err *err)
{
	struct bytes id;
	if (!read_build_id(h, path, &id, err))
		return false;
	if (!knows_modules(h))
		vec_push(&h->modules, (struct process_module){
					      .path = path, .build_id = id, .end = UINT64_MAX });
	struct process_module *m = module_of_id(h, id);
	if (!m)
		m = module_of_name(h, file_name(path));
	if (!m)
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET,
			    "%s: no module of the process has its build ID or its name", path);
	if (id.size > 0 && m->build_id.size > 0 && !same_build_id(id, m->build_id))
		note(&h->notes, path, HEFT_NO_OFFSET, 0,
		     "not the build that ran (its build ID differs); functions may be wrong");
	m->program = path;
	return true;
}

bool heap_modules_list(struct heft_heap *h, struct heft_err *err)
{
	add_all(h);
	for (size_t i = 0; i < h->find.programs.count; i++)
		if (!place_program(h, h->find.programs.data[i], err))
			return false;
	for (size_t i = 0; i < h->find.debug_files.count; i++) {
		const char *path = h->find.debug_files.data[i];
		struct bytes id;
		if (!read_build_id(h, path, &id, err))
			return false;
		struct process_module *m = module_of_id(h, id);
		if (!m)
			return fail(err, HEFT_EARG, HEFT_NO_OFFSET,
				    "%s: no module of the process has its build ID", path);
		m->debug_file = path;
	}
	return true;
}

void heap_modules_close(struct heft_heap *h)
{
	for (size_t i = 0; i < h->modules.count; i++) {
		heft_where_free(h->modules.data[i].where);
		vec_release(&h->modules.data[i].frames);
	}
	vec_release(&h->modules);
	vec_release(&h->spots);
	free(h->spot_of);
}

/* ---- opening one ---------------------------------------------------------------------------- */

static struct heft_where *open_file(const struct heft_heap *h, const struct process_module *m,
				    const char *path)
{
	struct heft_where *w = heft_where_new();
	struct program_wish wish = { .flags = h->find.flags };
	struct heft_err err;
	for (size_t i = 0; i < h->find.debug_dirs.count; i++)
		wish_add_debug_dir(&wish, h->find.debug_dirs.data[i]);
	if (m->debug_file && strcmp(m->debug_file, path) != 0)
		wish_add_debug_file(&wish, m->debug_file);
	heft_where_set_demangle(w, h->style);
	where_set_wish(w, &wish);
	wish_release(&wish);
	if (heft_where_open(w, path, &err))
		return w;
	heft_where_free(w);
	return NULL;
}

/* A file that is there and of the build that ran. */
static bool try_file(struct heft_heap *h, struct process_module *m, const char *path)
{
	if (!path || access(path, R_OK) != 0)
		return false;
	m->where = open_file(h, m, path);
	if (!m->where)
		return false;
	if (m->build_id.size == 0 || path == m->program ||
	    same_build_id(where_build_id(m->where), m->build_id))
		return true;
	note(&h->notes, path, HEFT_NO_OFFSET, 0,
	     "not the build that the process ran (its build ID differs): not used");
	heft_where_free(m->where);
	m->where = NULL;
	return false;
}

/* In the user's root, where the process found it, and by its name alone. */
static bool try_paths(struct heft_heap *h, struct process_module *m, struct arena *scratch)
{
	const char *root = h->find.sysroot;
	if (root && (try_file(h, m, arena_format(scratch, "%s/%s", root, m->path)) ||
		     try_file(h, m, arena_format(scratch, "%s/%s", root, file_name(m->path)))))
		return true;
	return m->path[0] == '/' && try_file(h, m, m->path);
}

static bool try_build_id(struct heft_heap *h, struct process_module *m, struct arena *scratch)
{
	for (size_t i = 0; i < h->find.debug_dirs.count; i++)
		if (try_file(h, m, build_id_path(scratch, h->find.debug_dirs.data[i], m->build_id)))
			return true;
	return wish_finds_debug(&h->find) &&
	       try_file(h, m, build_id_path(scratch, "/usr/lib/debug", m->build_id));
}

/* `scratch` is the caller's: several threads open modules at once. */
static void open_module(struct heft_heap *h, struct process_module *m, struct arena *scratch)
{
	if (m->tried || !*m->path)
		return;
	m->tried = true;
	if (m->program ? try_file(h, m, m->program) : try_paths(h, m, scratch))
		return;
	if (m->debug_file && try_file(h, m, m->debug_file))
		return;
	try_build_id(h, m, scratch);
}

struct heft_where *heap_module_open(struct heft_heap *h, uint32_t module)
{
	open_module(h, &h->modules.data[module], &h->arena);
	return h->modules.data[module].where;
}

/* ---- functions ------------------------------------------------------------------------------ */

static const char *text_or_empty(const char *text)
{
	return text ? text : "";
}

/* The functions at an address of the module's own headers, innermost first; at least one. */
static void add_frames(struct process_module *m, uint64_t addr)
{
	struct heft_location at = { 0 };
	const bool known = m->where && heft_where_find(m->where, addr, &at);
	const struct heft_heap_frame symbol = { .function = text_or_empty(at.symbol),
						.linkage = text_or_empty(at.symbol_linkage),
						.file = "",
						.module = m->path,
						.addr = addr };
	if (!known || at.frame_count == 0) {
		vec_push(&m->frames, symbol);
		return;
	}
	for (size_t i = 0; i < at.frame_count; i++) {
		const struct heft_frame *f = &at.frames[i];
		const bool last = i + 1 == at.frame_count;
		struct heft_heap_frame frame = { .function = f->function,
						 .linkage = f->linkage,
						 .file = f->file,
						 .line = f->line,
						 .column = f->column,
						 .module = m->path,
						 .addr = addr,
						 .inlined = !last };
		if (last && !*frame.function)
			frame.function = symbol.function;
		if (last && !*frame.linkage)
			frame.linkage = symbol.linkage;
		vec_push(&m->frames, frame);
	}
}

struct spot_key {
	uint64_t frame;
	uint32_t node, module;
};

struct symbol_job {
	struct heft_heap *h;
	size_t *first; /* spots of a module: [first[m], first[m + 1]) after sorting by module */
	struct heap_spot **order;
};

static void symbolize_module(void *ctx, size_t i, unsigned worker)
{
	const struct symbol_job *job = ctx;
	struct process_module *m = &job->h->modules.data[i];
	struct arena scratch = { 0 };
	(void)worker;
	if (job->first[i] < job->first[i + 1])
		open_module(job->h, m, &scratch);
	for (size_t k = job->first[i]; k < job->first[i + 1]; k++) {
		struct heap_spot *s = job->order[k];
		s->first = (uint32_t)m->frames.count;
		add_frames(m, s->frame - 1 - m->bias);
		s->count = (uint32_t)m->frames.count - s->first;
	}
	arena_release(&scratch);
}

/* One spot for each distinct frame, by address. */
static void make_spots(struct heft_heap *h)
{
	const size_t count = h->calls.nodes.count;
	struct spot_key *keys = xcalloc(count + 1, sizeof *keys);
	for (size_t i = 0; i < count; i++) {
		const struct call_node *n = &h->calls.nodes.data[i];
		uint32_t module = n->module == CALLS_NONE ? 0 : n->module + 1;
		if (module == 0 && n->frame > HEAP_FRAME_CUT)
			module = heap_module_at(h, n->frame - 1); /* the user's program */
		keys[i] = (struct spot_key){ n->frame, (uint32_t)i, module };
	}
	sort_by_key(keys, count, sizeof *keys);
	h->spot_of = xcalloc(count + 1, sizeof *h->spot_of);
	for (size_t i = 0; i < count; i++) {
		if (i == 0 || keys[i].frame != keys[i - 1].frame ||
		    keys[i].module != keys[i - 1].module)
			vec_push(&h->spots, (struct heap_spot){ .frame = keys[i].frame,
								.module = keys[i].module });
		h->spot_of[keys[i].node] = (uint32_t)(h->spots.count - 1);
	}
	free(keys);
}

/* Spots in order of their modules, within one by address. */
static void sort_spots(struct heft_heap *h, struct symbol_job *job)
{
	const size_t modules = h->modules.count;
	job->first = xcalloc(modules + 2, sizeof *job->first);
	job->order = xcalloc(h->spots.count + 1, sizeof(struct heap_spot *));
	for (size_t i = 0; i < h->spots.count; i++)
		job->first[h->spots.data[i].module + 2]++;
	for (size_t m = 2; m < modules + 2; m++)
		job->first[m] += job->first[m - 1];
	for (size_t i = 0; i < h->spots.count; i++)
		job->order[job->first[h->spots.data[i].module + 1]++] = &h->spots.data[i];
}

/* What is held by functions without a name, once a module. */
static void note_hidden(struct heft_heap *h)
{
	for (size_t i = 0; i < h->calls.stacks.count; i++) {
		const struct call_stack *s = &h->calls.stacks.data[i];
		const struct heap_spot *spot = &h->spots.data[h->spot_of[s->node]];
		if (s->node > 0 && *heap_spot_frames(h, spot)->function == '\0')
			h->modules.data[spot->module].hidden += h->calls.counted ? s->live_bytes
										 : s->block_bytes;
	}
	for (size_t i = 1; i < h->modules.count; i++) {
		const struct process_module *m = &h->modules.data[i];
		if (m->hidden > 0)
			note(&h->notes, m->path, HEFT_NO_OFFSET, m->hidden,
			     m->where ? "no debug file: functions without a symbol are shown as "
					"offsets"
				      : "the file was not found: its functions are shown as "
					"offsets");
	}
}

void heap_symbolize(struct heft_heap *h)
{
	struct symbol_job job = { .h = h };
	if (h->spot_of)
		return;
	make_spots(h);
	sort_spots(h, &job);
	parallel_for(h->threads, h->modules.count, symbolize_module, &job);
	free(job.first);
	free(job.order);
	note_hidden(h);
}
