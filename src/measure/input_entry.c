/* Makes the layers of a profile's input. */
#include "measure/profile.h"

const struct spans *entry_spans(const struct entry *e, const struct level *l,
				enum heft_domain domain)
{
	const struct layer *layer = &e->layers[l->layer];
	return domain == HEFT_VM ? &layer->vm : &layer->file;
}

struct heft_file_info entry_info(const struct entry *e)
{
	return (struct heft_file_info){ .size = sizeof(struct heft_file_info),
					.path = e->path,
					.format = e->format ? e->format : "",
					.build_id = e->build_id ? e->build_id : "",
					.debug_path = program_debug_path(&e->program),
					.file_size = input_size(&e->program.input),
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
}

void entry_forget_layers(struct entry *e)
{
	entry_forget_more(e);
	for (size_t i = 0; i < e->layer_count; i++)
		layer_release(&e->layers[i]);
	mem_free(e->layers);
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

/* Measures layers that no level shows. Notes about them are dropped. Units measured in this way do
 * not own debug info, because nobody needs that. */
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
