/* Implements the data sources `mappings`, `modules` and `threads`, which describe the memory of a
 * dumped process. */
#include "source/process_layer.h"

/* Returns true if the input is no dump. Then the fallback label gets all bytes. */
static bool is_no_dump(const struct source_file *f, struct layer *ret)
{
	if (f->process)
		return false;
	note(f->notes, f->path, HEFT_NO_OFFSET, 0, "no dump of a process: '%s' has nothing to say",
	     f->source);
	layer_finish(f, ret, NULL, NULL);
	return true;
}

void source_mappings(const struct source_file *f, struct layer *ret)
{
	struct claims vm = { 0 };
	if (is_no_dump(f, ret))
		return;
	process_claim_mappings(f, false, &vm);
	process_finish(f, ret, &vm);
}

void source_modules(const struct source_file *f, struct layer *ret)
{
	struct claims vm = { 0 };
	if (is_no_dump(f, ret))
		return;
	const struct dump *d = &f->process->dump;
	for (size_t i = 0; i < d->region_count; i++) {
		const struct region *r = &d->regions[i];
		const struct dump_file *m = r->file > 0 ? &d->files[r->file - 1]
							: dump_module(d, r->addr);
		claim(&vm, r->addr, r->size,
		      label_copy(f->labels, m && m->module ? str_of(m->path) : STR("[none]")),
		      WHY_MAPPING);
	}
	process_finish(f, ret, &vm);
}

static label_id thread_label(const struct source_file *f, uint32_t id)
{
	const struct dump *d = &f->process->dump;
	const char *name = "";
	for (size_t i = 0; i < d->thread_count; i++)
		if (d->threads[i].id == id) {
			name = d->threads[i].name;
			break;
		}
	return *name ? label_format(f->labels, "thread %" PRIu32 " (%s)", id, name)
		     : label_format(f->labels, "thread %" PRIu32, id);
}

struct memory_claiming {
	const struct source_file *f;
	struct claims *vm;
	uint32_t last; /* Thread of the previous block. Its label is `label` */
	label_id label;
};

/* Claims a block with its header for the thread that allocated it, if its call stack is
 * recorded. */
static void claim_block(void *ctx, const struct heap_part *p, const struct heap_found *block)
{
	struct memory_claiming *k = ctx;
	const uint32_t id = block ? block->thread : 0;
	if (id == 0)
		return;
	if (id != k->last)
		k->label = thread_label(k->f, id);
	k->last = id;
	claim(k->vm, p->addr, p->size, k->label, WHY_ALLOCATION);
}

void source_threads(const struct source_file *f, struct layer *ret)
{
	struct claims vm = { 0 };
	if (is_no_dump(f, ret))
		return;
	size_t count;
	const struct process_mapping *m = process_mappings(f->process, &count);
	struct memory_claiming k = { .f = f, .vm = &vm };
	heap_parts_each(&process_read_heap(f->process)->layout, claim_block, &k);
	for (size_t i = 0; i < count; i++)
		if (m[i].thread > 0)
			claim(&vm, m[i].addr, m[i].size, thread_label(f, m[i].thread), WHY_MAPPING);
	process_finish(f, ret, &vm);
}
