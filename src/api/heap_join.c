/* One tree of call stacks for all heaps of a report: frames that people see as the same are. */
#include "api/heap.h"

#include "base/filename.h"

#include <stdlib.h>

/* Open addressing over the index + 1 of what is kept elsewhere; a power of two. */
struct index {
	uint32_t *slots;
	size_t size, used;
};

/* What makes two frames one. */
struct site_key {
	uint32_t function, file, module, line;
	uint64_t addr; /* where the function has no name */
};

struct heap_join {
	struct heft_heap_report *r;
	struct intern functions, files, names;
	VEC(struct site_key) keys; /* by site */
	VEC(bool) other_builds;    /* by module: the heaps have it of two builds */
	struct index sites, steps;
	struct text path;
	const struct paths *paths;
};

static uint64_t mix(uint64_t a, uint64_t b)
{
	const uint64_t h = (a ^ b * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xd6e8feb86659fd93);
	return h ^ h >> 32;
}

/* ---- modules -------------------------------------------------------------------------------- */

/* By name: that of another process, or another build, is the same. */
static uint32_t join_module(struct heap_join *j, const struct process_module *m)
{
	struct heap_report *r = &j->r->report;
	if (!*m->path)
		return 0;
	const uint32_t id = intern_borrow(&j->names, str_of(file_name(m->path)));
	if (id < r->modules.count) {
		const struct bytes known = r->modules.data[id].build_id;
		if (known.size > 0 && m->build_id.size > 0 && !same_build_id(known, m->build_id))
			j->other_builds.data[id] = true;
		return id;
	}
	vec_push(&r->modules, (struct heap_report_module){ .path = m->path,
							   .name = file_name(m->path),
							   .build_id = m->build_id,
							   .start = m->start,
							   .end = m->end,
							   .bias = m->bias });
	vec_push(&j->other_builds, false);
	return id;
}

static uint32_t *join_modules(struct heap_join *j, const struct heft_heap *h)
{
	uint32_t *ret = xcalloc(h->modules.count + 1, sizeof *ret);
	for (size_t i = 0; i < h->modules.count; i++)
		ret[i] = join_module(j, &h->modules.data[i]);
	return ret;
}

/* ---- frames --------------------------------------------------------------------------------- */

/* Names are looked for without underscores and the C library's "__GI_" in front. */

/* Functions of the allocator: frames of these are no news where they are innermost. */
static const char *const allocators[] = {
	"malloc",       "calloc",       "realloc",           "reallocarray",   "memalign",
	"valloc",       "pvalloc",      "aligned_alloc",     "posix_memalign", "libc_malloc",
	"libc_calloc",  "libc_realloc", "libc_memalign",     "wrap_malloc",    "wrap_calloc",
	"wrap_realloc", "rust_alloc",   "rust_alloc_zeroed", "rust_realloc",
};

/* Functions that allocate on behalf of their caller. */
static const char *const helpers[] = {
	"strdup",    "strndup",        "wcsdup",        "asprintf",
	"vasprintf", "asprintf_chk",   "vasprintf_chk", "vasprintf_internal",
	"getline",   "getdelim",       "IO_getdelim",   "IO_getline",
	"realpath",  "realpath_stk",   "alloc_dir",     "opendir_tail",
	"opendir",   "fopen_internal", "IO_new_fopen",  "fopen",
	"g_malloc",  "g_malloc0",      "g_realloc",     "g_strdup",
	"xmalloc",   "xcalloc",        "xrealloc",      "xstrdup",
};

/* Layers of the C++ library between a container and operator new, by the start of the name. */
static const char *const helper_starts[] = {
	"std::__new_allocator<",  "__gnu_cxx::new_allocator<", "std::allocator<",
	"std::allocator_traits<", "std::__allocate_guarded<",
};

static bool is_one_of(const char *name, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(name, list[i]) == 0)
			return true;
	return false;
}

/* operator new and new[] (Itanium C++ ABI 5.1.5.1: _Znw, _Zna). */
static bool is_operator_new(const struct heft_heap_frame *f)
{
	return strncmp(f->linkage, "_Znw", 4) == 0 || strncmp(f->linkage, "_Zna", 4) == 0 ||
	       strncmp(f->function, "operator new", 12) == 0;
}

static enum site_kind kind_of(const struct heft_heap_frame *f)
{
	if (strncmp(file_name(f->module), "libheft-heap.", 13) == 0 || is_operator_new(f))
		return SITE_ALLOCATOR;
	const char *name = *f->linkage ? f->linkage : f->function;
	if (strncmp(name, "__GI_", 5) == 0)
		name += 5;
	name += strspn(name, "_");
	if (is_one_of(name, allocators, COUNT_OF(allocators)))
		return SITE_ALLOCATOR;
	if (is_one_of(name, helpers, COUNT_OF(helpers)))
		return SITE_HELPER;
	for (size_t i = 0; i < COUNT_OF(helper_starts); i++)
		if (strncmp(f->function, helper_starts[i], strlen(helper_starts[i])) == 0)
			return SITE_HELPER;
	return SITE_PLAIN;
}

static const char *label_of(struct arena *a, const struct heft_heap_frame *f)
{
	if (*f->function)
		return f->function;
	if (*f->module)
		return arena_format(a, "%s+0x%" PRIx64, file_name(f->module), f->addr);
	return arena_format(a, "0x%" PRIx64, f->addr);
}

static uint64_t hash_site(const struct site_key *k)
{
	return mix(mix((uint64_t)k->function << 32 | k->file, (uint64_t)k->module << 32 | k->line),
		   k->addr);
}

static bool same_site(const struct site_key *a, const struct site_key *b)
{
	return a->function == b->function && a->file == b->file && a->module == b->module &&
	       a->line == b->line && a->addr == b->addr;
}

static void grow_sites(struct heap_join *j)
{
	struct index *x = &j->sites;
	x->size = x->size ? 2 * x->size : 4096;
	free(x->slots);
	x->slots = xcalloc(x->size, sizeof *x->slots);
	for (size_t i = 0; i < j->keys.count; i++) {
		size_t at = hash_site(&j->keys.data[i]) & (x->size - 1);
		while (x->slots[at])
			at = (at + 1) & (x->size - 1);
		x->slots[at] = (uint32_t)i + 1;
	}
}

/* The place in the index of a site, or where it is to go. */
static uint32_t *find_site(struct heap_join *j, const struct site_key *k)
{
	struct index *x = &j->sites;
	if (2 * j->keys.count >= x->size)
		grow_sites(j);
	size_t at = hash_site(k) & (x->size - 1);
	while (x->slots[at] && !same_site(&j->keys.data[x->slots[at] - 1], k))
		at = (at + 1) & (x->size - 1);
	return &x->slots[at];
}

static const char *shown_path(struct heap_join *j, const char *path)
{
	if (paths_empty(j->paths) || !paths_apply(j->paths, str_of(path), &j->path))
		return path;
	return arena_copy(&j->r->arena, text_str(&j->path));
}

static uint32_t join_site(struct heap_join *j, const struct heft_heap_frame *f, uint32_t module,
			  bool cut)
{
	const bool named = *f->function, loose = j->other_builds.data[module];
	const struct site_key key = {
		.function = intern_borrow(&j->functions, str_of(f->function)),
		.file = loose ? 0 : intern_borrow(&j->files, str_of(f->file)),
		.module = module,
		.line = loose ? 0 : f->line,
		.addr = named ? 0 : f->addr,
	};
	uint32_t *slot = find_site(j, &key);
	if (*slot)
		return *slot - 1;
	struct heap_site site = { .frame = *f, .module = module, .kind = SITE_CUT };
	site.label = "(cut off)";
	site.frame.file = shown_path(j, f->file);
	if (!cut) {
		site.kind = kind_of(f);
		site.label = label_of(&j->r->arena, f);
	}
	vec_push(&j->r->report.sites, site);
	vec_push(&j->keys, key);
	*slot = (uint32_t)j->keys.count;
	return *slot - 1;
}

/* ---- steps ---------------------------------------------------------------------------------- */

static uint64_t hash_step(struct heap_step s)
{
	return mix(s.parent, s.site);
}

static void grow_steps(struct heap_join *j)
{
	const struct heap_report *r = &j->r->report;
	struct index *x = &j->steps;
	x->size = x->size ? 2 * x->size : 1 << 16;
	free(x->slots);
	x->slots = xcalloc(x->size, sizeof *x->slots);
	for (size_t i = 1; i < r->steps.count; i++) {
		size_t at = hash_step(r->steps.data[i]) & (x->size - 1);
		while (x->slots[at])
			at = (at + 1) & (x->size - 1);
		x->slots[at] = (uint32_t)i;
	}
}

static uint32_t join_step(struct heap_join *j, uint32_t parent, uint32_t site)
{
	struct heap_report *r = &j->r->report;
	struct index *x = &j->steps;
	const struct heap_step s = { parent, site };
	if (2 * r->steps.count >= x->size)
		grow_steps(j);
	size_t at = hash_step(s) & (x->size - 1);
	for (; x->slots[at]; at = (at + 1) & (x->size - 1)) {
		const struct heap_step *known = &r->steps.data[x->slots[at]];
		if (known->parent == parent && known->site == site)
			return x->slots[at];
	}
	x->slots[at] = (uint32_t)r->steps.count;
	vec_push(&r->steps, s);
	return x->slots[at];
}

/* The sites of all frames of a heap: those of a spot follow each other, *ret_first by spot. */
static uint32_t *sites_of_spots(struct heap_join *j, const struct heft_heap *h, size_t **ret_first)
{
	uint32_t *modules = join_modules(j, h);
	size_t count = 0;
	*ret_first = xcalloc(h->spots.count + 1, sizeof **ret_first);
	for (size_t i = 0; i < h->spots.count; i++) {
		(*ret_first)[i] = count;
		count += h->spots.data[i].count;
	}
	uint32_t *sites = xcalloc(count + 1, sizeof *sites);
	for (size_t i = 0; i < h->spots.count; i++) {
		const struct heap_spot *s = &h->spots.data[i];
		const struct heft_heap_frame *f = heap_spot_frames(h, s);
		for (uint32_t k = 0; k < s->count && s->frame != 0; k++) /* 0: the root's */
			sites[(*ret_first)[i] + k] = join_site(j, &f[k], modules[s->module],
							       s->frame == HEAP_FRAME_CUT);
	}
	free(modules);
	return sites;
}

uint32_t *heap_join_steps(struct heap_join *j, struct heft_heap *h)
{
	const size_t count = h->calls.nodes.count;
	size_t *first;
	j->paths = &h->find.paths;
	uint32_t *sites = sites_of_spots(j, h, &first);
	uint32_t *steps = xcalloc(count + 1, sizeof *steps);
	for (size_t i = 1; i < count; i++) {
		const uint32_t spot = h->spot_of[i];
		uint32_t step = steps[h->calls.nodes.data[i].parent];
		for (uint32_t k = h->spots.data[spot].count; k-- > 0;)
			step = join_step(j, step, sites[first[spot] + k]);
		steps[i] = step;
	}
	free(first);
	free(sites);
	return steps;
}

struct heap_join *heap_join_new(struct heft_heap_report *r, struct heft_heap *now,
				struct heft_heap *base)
{
	static const struct heft_heap_frame nothing = {
		.function = "(no stack)", .linkage = "", .file = "", .module = ""
	};
	struct heap_join *j = xcalloc(1, sizeof *j);
	j->r = r;
	intern_borrow(&j->files, STR(""));
	intern_borrow(&j->names, STR(""));
	vec_push(&r->report.modules, (struct heap_report_module){ .path = "", .name = "" });
	vec_push(&j->other_builds, false);
	/* Known before the first frame is joined. */
	free(join_modules(j, now));
	if (base)
		free(join_modules(j, base));
	vec_push(&r->report.steps, (struct heap_step){ 0, join_site(j, &nothing, 0, false) });
	return j;
}

void heap_join_free(struct heap_join *j)
{
	intern_release(&j->functions);
	intern_release(&j->files);
	intern_release(&j->names);
	vec_release(&j->keys);
	vec_release(&j->other_builds);
	free(j->sites.slots);
	free(j->steps.slots);
	text_release(&j->path);
	free(j);
}

/* ---- who a stack is told by ----------------------------------------------------------------- */

/* The first step outward from `step` whose site is of no kind up to `kind`; `step` itself if none. */
static uint32_t step_past(const struct heap_report *r, uint32_t step, bool helpers_too)
{
	for (uint32_t i = step; i != 0; i = r->steps.data[i].parent) {
		const enum site_kind kind = heap_step_site(r, i)->kind;
		if (kind != SITE_ALLOCATOR && !(helpers_too && kind == SITE_HELPER))
			return i;
	}
	return step;
}

uint32_t heap_shown_step(const struct heap_report *r, uint32_t step)
{
	return step_past(r, step, false);
}

uint32_t heap_owner_step(const struct heap_report *r, uint32_t step)
{
	return step_past(r, step, true);
}
