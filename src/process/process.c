#include "process/process.h"

#include "process/process_internal.h"

#include <stdlib.h>

static void begin(struct process *p, const struct process_wish *wish, unsigned threads,
		  struct notes *notes)
{
	p->open = true;
	p->wish = *wish;
	p->threads = threads;
	p->notes = notes;
	p->modules = xcalloc(1, sizeof *p->modules);
	p->modules->count = p->dump.file_count;
	p->modules->list = xcalloc(p->dump.file_count + 1, sizeof *p->modules->list);
}

bool process_open(struct process *p, const char *path, const struct dump_wish *dump,
		  const struct process_wish *wish, unsigned threads, struct notes *notes,
		  struct heft_err *err)
{
	memset(p, 0, sizeof *p);
	if (!dump_open(&p->dump, path, dump, notes, err))
		return false;
	begin(p, wish, threads, notes);
	return true;
}

bool process_of_image(struct process *p, const struct image *core, const struct process_wish *wish,
		      unsigned threads, struct notes *notes, struct heft_err *err)
{
	memset(p, 0, sizeof *p);
	if (!dump_of_image(&p->dump, core, notes, err))
		return false;
	begin(p, wish, threads, notes);
	return true;
}

static void close_module(struct opened_module *m)
{
	if (m->has_info) {
		symbolizer_release(&m->symbolizer);
		debuginfo_close(&m->info);
	}
	symbol_table_release(&m->symbols);
	companion_close(&m->debug);
	if (m->input_open)
		input_close(&m->input);
}

static void release_heap(struct process_heap *h)
{
	heap_layout_release(&h->layout);
	heap_scan_release(&h->blocks);
	calls_release(&h->calls);
	records_release(&h->records);
}

void process_close(struct process *p)
{
	if (!p->open)
		return;
	for (size_t i = 0; i < p->modules->count; i++)
		close_module(&p->modules->list[i]);
	free(p->modules->list);
	intern_release(&p->modules->texts);
	vec_release(&p->modules->frames);
	free(p->modules);
	if (p->heap_read)
		release_heap(&p->heap);
	dump_close(&p->dump);
	memset(p, 0, sizeof *p);
}

const struct process_heap *process_read_heap(struct process *p)
{
	struct process_heap *h = &p->heap;
	if (p->heap_read)
		return h;
	p->heap_read = true;
	records_read(&h->records, &p->dump, p->notes);
	dump_learn_threads(&p->dump, &h->records);
	calls_read(&h->calls, &p->dump, &h->records, p->notes);
	heap_scan(&h->blocks, &p->dump, &h->calls, p->threads, p->notes);
	heap_layout_make(&h->layout, &p->dump, &h->records, &h->blocks);
	return h;
}
