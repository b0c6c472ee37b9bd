/* Writes stacks of a heap as a profile for pprof, with the usual values of heap profiles. */
#include "base/text.h"
#include "report/heap_report.h"
#include "report/pprof.h"

struct heap_profile {
	struct pprof pprof;
	const struct heap_report *r;
	size_t first_value;
	uint32_t *mappings; /* Per module: its id. 0 if unused */
	uint32_t mapping_count;
};

/* The values of each sample. If only live memory is requested, omits the first two. */
static const struct {
	enum heft_heap_measure measure;
	const char *type, *unit;
} values[] = {
	{ HEFT_HEAP_ALLOCS, "alloc_objects", "count" },
	{ HEFT_HEAP_ALLOC_BYTES, "alloc_space", "bytes" },
	{ HEFT_HEAP_LIVE, "inuse_objects", "count" },
	{ HEFT_HEAP_LIVE_BYTES, "inuse_space", "bytes" },
};
enum { ALLOCATED = 2 };

/* Writes a sample. A location's number is its site's number, from 1. An inlined function has its
 * own location. */
static void out_heap_pprof_put_sample(struct heap_profile *p, const struct heap_leaf *l)
{
	struct text m = { 0 }, packed = { 0 };
	for (uint32_t step = l->step; step != 0; step = p->r->steps.data[step].parent)
		text_add_varint(&packed, (uint64_t)p->r->steps.data[step].site + 1);
	if (l->step == 0)
		text_add_varint(&packed, 1);
	pprof_message(&m, 1, &packed);
	for (size_t i = p->first_value; i < COUNT_OF(values); i++)
		text_add_varint(&packed, l->now[values[i].measure]);
	pprof_message(&m, 2, &packed);
	/* The label "bytes" is the mean size of a block. */
	const uint64_t *v = l->now;
	pprof_string(&p->pprof, &packed, 1, "bytes");
	pprof_uint(&packed, 3,
		   v[HEFT_HEAP_ALLOCS] > 0 ? v[HEFT_HEAP_ALLOC_BYTES] / v[HEFT_HEAP_ALLOCS]
		   : v[HEFT_HEAP_LIVE] > 0 ? v[HEFT_HEAP_LIVE_BYTES] / v[HEFT_HEAP_LIVE]
					   : 0);
	pprof_string(&p->pprof, &packed, 4, "bytes");
	pprof_message(&m, 3, &packed);
	pprof_message(&p->pprof.out, 2, &m);
	text_release(&m);
	text_release(&packed);
}

/* Returns the offset to subtract from a module's addresses. If frames have no names, addresses are
 * written relative to the module's headers, so that they are equal in all processes. */
static uint64_t moved(const struct heap_profile *p, const struct heap_report_module *m)
{
	return p->r->info->no_names ? m->bias : 0;
}

static void out_heap_pprof_put_mapping(struct heap_profile *p, uint32_t module)
{
	const struct heap_report_module *m = &p->r->modules.data[module];
	struct text t = { 0 };
	char id[80];
	bool named = false;
	for (size_t i = 1; i < p->r->sites.count && !named; i++)
		named = p->r->sites.data[i].module == module && *p->r->sites.data[i].frame.function;
	p->mappings[module] = ++p->mapping_count;
	hex_text(id, m->build_id.p, (size_t)min_u64(m->build_id.size, sizeof id / 2 - 1));
	pprof_uint(&t, 1, p->mapping_count);
	pprof_uint(&t, 2, m->start - moved(p, m));
	pprof_uint(&t, 3, m->end - moved(p, m));
	pprof_string(&p->pprof, &t, 5, m->path);
	pprof_string(&p->pprof, &t, 6, id);
	for (unsigned field = 7; field <= 10; field++)
		pprof_uint(&t, field, named);
	pprof_message(&p->pprof.out, 3, &t);
	text_release(&t);
}

static void out_heap_pprof_put_location(struct heap_profile *p, uint32_t site)
{
	const struct heap_site *s = &p->r->sites.data[site];
	const struct heap_report_module *m = &p->r->modules.data[s->module];
	struct text t = { 0 }, line = { 0 };
	pprof_uint(&t, 1, (uint64_t)site + 1);
	pprof_uint(&t, 2, p->mappings[s->module]);
	pprof_uint(&t, 3, s->frame.addr + m->bias - moved(p, m));
	pprof_uint(&line, 1, (uint64_t)site + 1);
	pprof_uint(&line, 2, s->frame.line);
	if (!p->r->info->no_names)
		pprof_message(&t, 4, &line);
	pprof_message(&p->pprof.out, 4, &t);
	text_release(&t);
	text_release(&line);
}

static void out_heap_pprof_put_function(struct heap_profile *p, uint32_t site)
{
	const struct heap_site *s = &p->r->sites.data[site];
	struct text t = { 0 };
	pprof_uint(&t, 1, (uint64_t)site + 1);
	pprof_string(&p->pprof, &t, 2, s->label);
	pprof_string(&p->pprof, &t, 3, *s->frame.linkage ? s->frame.linkage : s->label);
	pprof_string(&p->pprof, &t, 4, s->frame.file);
	pprof_message(&p->pprof.out, 5, &t);
	text_release(&t);
}

static void out_heap_pprof_put_profile(struct heap_profile *p)
{
	const struct heap_report *r = p->r;
	for (size_t i = p->first_value; i < COUNT_OF(values); i++)
		pprof_type(&p->pprof, 1, values[i].type, values[i].unit);
	for (size_t i = 0; i < r->leaves.count; i++)
		if (p->first_value == 0 || r->leaves.data[i].now[HEFT_HEAP_LIVE] > 0)
			out_heap_pprof_put_sample(p, &r->leaves.data[i]);
	/* Writes the modules as mappings, in the order in which the process has them. */
	p->mappings = mem_zeroed(r->modules.count + 1, sizeof *p->mappings);
	for (size_t m = 1; m < r->modules.count; m++)
		if (*r->modules.data[m].path)
			out_heap_pprof_put_mapping(p, (uint32_t)m);
	for (uint32_t i = 0; i < r->sites.count; i++)
		out_heap_pprof_put_location(p, i);
	for (uint32_t i = 0; i < r->sites.count && !r->info->no_names; i++)
		out_heap_pprof_put_function(p, i);
	pprof_type(&p->pprof, 11, "space", "bytes");
	pprof_uint(&p->pprof.out, 12, r->info->of.sample > 0 ? r->info->of.sample : 1);
	pprof_uint(&p->pprof.out, 9, r->info->of.started + r->info->of.taken_at);
	pprof_uint(&p->pprof.out, 10, r->info->of.taken_at);
	pprof_string(&p->pprof, &p->pprof.out, 14, "inuse_space");
}

void out_heap_pprof(const struct heap_report *r, bool live_only, struct sink *s)
{
	struct heap_profile p = { .r = r, .first_value = live_only ? ALLOCATED : 0 };
	pprof_init(&p.pprof);
	out_heap_pprof_put_profile(&p);
	if (!pprof_finish(&p.pprof, s))
		s->failed = true;
	mem_free(p.mappings);
}
