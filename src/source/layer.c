#include "source/source.h"

#include "base/sort.h"

void layer_release(struct layer *l)
{
	spans_release(&l->vm);
	spans_release(&l->file);
}

static bool traced(const struct trace *t, enum heft_domain domain, const struct claim *c)
{
	for (size_t i = 0; i < t->addr_count; i++)
		if (t->addrs[i].domain == domain && t->addrs[i].addr >= c->start &&
		    t->addrs[i].addr - c->start < c->size)
			return true;
	return t->addr_count == 0;
}

static void trace_claims(const struct source_file *f, enum heft_domain domain,
			 const struct claims *c)
{
	char label[4096];
	for (size_t i = 0; f->trace && i < c->list.count; i++) {
		const struct claim *k = &c->list.data[i];
		if (!traced(f->trace, domain, k))
			continue;
		const struct str text = label_text(f->labels, k->label);
		const size_t len = min_u64(text.len, sizeof label - 1);
		memcpy(label, text.p, len);
		label[len] = '\0';
		f->trace->fn(f->trace->ctx, f->path, f->source, domain, k->start,
			     k->size == SIZE_UNKNOWN ? UINT64_MAX : k->size, label,
			     why_text(k->why));
	}
}

void layer_add_vm(const struct source_file *f, struct layer *l, struct claims *vm)
{
	struct spans s;
	trace_claims(f, HEFT_VM, vm);
	claims_resolve(vm, UINT64_MAX, &s);
	spans_overlay(&l->vm, &s);
}

void layer_add_file(const struct source_file *f, struct layer *l, struct claims *file)
{
	struct spans s;
	trace_claims(f, HEFT_FILE, file);
	claims_resolve(file, f->map->file_size, &s);
	spans_overlay(&l->file, &s);
}

/* Where sections begin, sorted, in one domain. */
static uint64_t *section_starts(const struct source_file *f, enum heft_domain domain, size_t *count)
{
	VEC(uint64_t) starts = { 0 };
	for (size_t i = 0; i < f->input->image_count; i++) {
		const struct image *im = &f->input->images[i];
		for (size_t k = 1; k < im->section_count; k++) {
			const struct section *s = &im->sections[k];
			if (domain == HEFT_FILE)
				vec_push(&starts, im->file_off + s->off);
			else if (s->alloc)
				vec_push(&starts, s->addr);
		}
	}
	sort_by_key(starts.data, starts.count, sizeof *starts.data);
	*count = starts.count;
	return starts.data;
}

static void pad(const struct source_file *f, struct spans *s, enum heft_domain domain)
{
	size_t count;
	uint64_t *starts = section_starts(f, domain, &count);
	spans_pad(s, f->labels, starts, count);
	free(starts);
}

void layer_finish(const struct source_file *f, struct layer *l)
{
	struct claims vm = { 0 }, file = { 0 };
	struct spans translated;
	basemap_clip_vm(f->map, &l->vm);
	basemap_translate(f->map, &l->vm, &translated);
	spans_overlay(&l->file, &translated);
	fallback_claims(f, &vm, &file);
	layer_add_vm(f, l, &vm);
	basemap_clip_vm(f->map, &l->vm);
	layer_add_file(f, l, &file);
	pad(f, &l->vm, HEFT_VM);
	pad(f, &l->file, HEFT_FILE);
	basemap_check(f->map, &l->vm, &l->file);
}
