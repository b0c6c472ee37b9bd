/* Makes the layer of a core from the layers of its modules' files. */
#include "source/process_layer.h"

#include "image/elf/elf_const.h"
#include "source/source.h"

void process_claim_mappings(const struct source_file *f, bool as_fallback, struct claims *vm)
{
	size_t count;
	const struct process_mapping *m = process_mappings(f->process, &count);
	for (size_t i = 0; i < count; i++) {
		const bool brackets = as_fallback && m[i].label[0] != '[';
		claim(vm, m[i].addr, m[i].size,
		      brackets ? label_format(f->labels, "[%s]", m[i].label)
			       : label_borrow(f->labels, str_of(m[i].label)),
		      WHY_MAPPING);
	}
}

/* Appends the spans of a module's file that region `r` maps, at their addresses in the process. */
static void move_spans(const struct spans *vm, uint64_t bias, const struct region *r,
		       struct claims *out)
{
	const uint64_t low = r->addr - bias;
	if (r->size > UINT64_MAX - low)
		return;
	size_t i = spans_from(vm, low);
	i -= i > 0;
	for (; i < vm->list.count && vm->list.data[i].start < low + r->size; i++) {
		const struct span *s = &vm->list.data[i];
		const uint64_t from = max_u64(s->start, low);
		const uint64_t to = min_u64(s->start + s->size, low + r->size);
		if (from < to)
			claim(out, from + bias, to - from, s->label, WHY_MODULE);
	}
}

/* Measures a module's file by itself. */
static void run_alone(const struct source_file *f, const struct source *source,
		      const struct process_module *m, struct spans *ret_vm)
{
	struct layer layer = { .exact = false };
	struct measure alone = { .file = { .path = NULL } };
	struct notes notes; /* Dropped: many, and not about the dump */
	ASSERT(m->input && !source->core);
	notes_init(&notes);
	measure_begin(&alone,
		      &(struct source_file){ .path = m->path,
					     .input = m->input,
					     .debug = m->debug,
					     .labels = f->labels,
					     .notes = &notes,
					     .threads = f->threads },
		      f->dwarf->wish);
	measure_run(&alone, source, &layer);
	measure_release(&alone);
	if (notes.count > 0)
		note(f->notes, f->path, HEFT_NO_OFFSET, 0,
		     "there are notes on files of modules; measured alone, such a file shows its "
		     "own");
	notes_release(&notes);
	*ret_vm = layer.vm;
	layer.vm = (struct spans){ { NULL, 0, 0 } };
	layer_release(&layer);
}

static void process_layer_add_module(const struct source_file *f, const struct source *source,
				     size_t file, struct claims *out)
{
	const struct dump *d = &f->process->dump;
	const struct dump_file *mapped = &d->files[file];
	const struct process_module *m = process_module(f->process, file);
	struct spans vm;
	process_open_module(f->process, m);
	if (!m->input) {
		note(f->notes, f->path, HEFT_NO_OFFSET, m->end - m->start,
		     "files of modules are not to be had: %s", m->path);
		return;
	}
	run_alone(f, source, m, &vm);
	for (size_t i = 0; i < d->region_count; i++) {
		const struct region *r = &d->regions[i];
		if (r->file > 0 ? r->file == file + 1
				: r->addr >= mapped->start && r->addr < mapped->end)
			move_spans(&vm, m->bias, r, out);
	}
	spans_release(&vm);
}

void process_layer(const struct source_file *f, const struct source *source, struct layer *ret)
{
	const struct dump *d = &f->process->dump;
	struct claims vm = { 0 };
	for (size_t i = 0; i < d->file_count; i++) {
		if (d->files[i].module)
			process_layer_add_module(f, source, i, &vm);
		progress_tell("modules", i + 1, d->file_count);
	}
	process_finish(f, ret, &vm);
}

void process_finish(const struct source_file *f, struct layer *l, struct claims *vm)
{
	const struct image *core = &f->input->images[0];
	struct claims rest = { 0 }, file = { 0 };
	ASSERT(f->process);
	l->exact = true;
	process_claim_mappings(f, true, &rest);
	for (size_t i = 0; i < core->segment_count; i++)
		if (core->segments[i].type == PT_NOTE)
			claim(&file, core->file_off + core->segments[i].off,
			      core->segments[i].file_size,
			      label_borrow(f->labels, STR("[core notes]")), WHY_SEGMENT);
	claims_own(f, &l->vm, vm);
	layer_finish(f, l, &rest, &file);
}
