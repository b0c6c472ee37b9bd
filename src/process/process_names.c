/* Names of the functions around an address. */
#include "process/process_internal.h"

#include "base/filename.h"

#include <stdio.h>

/* In memory of the process; copies of one text are one. */
static const char *made_up(struct process *p, const char *text)
{
	struct intern *in = &p->modules->texts;
	return intern_get(in, intern_add(in, str_of(text))).p;
}

static const char *place_name(struct process *p, const char *path, uint64_t addr)
{
	char text[512];
	if (path)
		snprintf(text, sizeof text, "%s+0x%" PRIx64, file_name(path), addr);
	else
		snprintf(text, sizeof text, "0x%" PRIx64, addr);
	return made_up(p, text);
}

static void ready_names(struct process *p, struct opened_module *o)
{
	const struct image *im = &o->module.input->images[0];
	const struct image *debug = o->module.debug ? &o->module.debug->images[0] : NULL;
	o->names_ready = true;
	symbol_table_read(&o->symbols, im, debug);
	const struct image *holder = debug && !debuginfo_present(im) ? debug : im;
	if (!p->wish.dwarf || !debuginfo_present(holder))
		return;
	o->has_info = true;
	const struct debug_search how = wish_search(p->wish.program);
	debuginfo_open(&o->info, holder, &how, p->notes);
	symbolizer_init(&o->symbolizer, &o->info);
}

static const char *function_name(const struct scope_function *f)
{
	if (!f)
		return "";
	return f->linkage.len > 0 ? f->linkage.p : f->name.len > 0 ? f->name.p : "";
}

/* What debug info says; the outermost function may have a symbol where it has no linker name. */
static void push_frames(struct process *p, const struct symbolized *s, const char *symbol)
{
	for (size_t i = 0; i < s->frame_count; i++) {
		const struct frame *f = &s->frames[i];
		const bool bare = !f->function || f->function->linkage.len == 0;
		const char *name = function_name(f->function);
		if (i + 1 == s->frame_count && bare && symbol)
			name = symbol;
		vec_push(&p->modules->frames, (struct process_frame){ *name ? name : "?", f->file,
								      f->line, *name != '\0' });
	}
}

static void name_in_module(struct process *p, struct opened_module *o, uint64_t pc)
{
	const uint64_t addr = pc - o->module.bias;
	struct symbolized s;
	if (o->module.input && !o->names_ready)
		ready_names(p, o);
	const struct symbol_place *symbol = o->names_ready ? symbol_table_find(&o->symbols, addr)
							   : NULL;
	if (o->has_info && symbolizer_find(&o->symbolizer, addr, &s))
		push_frames(p, &s, symbol ? symbol->name : NULL);
	if (p->modules->frames.count > 0)
		return;
	const char *name = symbol ? symbol->name : place_name(p, o->module.file->path, addr);
	vec_push(&p->modules->frames, (struct process_frame){ name, "", 0, symbol != NULL });
}

/* Modules that were mapped once and are gone: the recorder may have kept them. */
static const char *gone_name(struct process *p, uint64_t pc)
{
	for (size_t i = p->heap_read ? p->heap.records.modules.count : 0; i-- > 0;) {
		const struct heap_module *m = &p->heap.records.modules.data[i];
		if (pc >= m->start && pc < m->end)
			return place_name(p, m->path, pc - m->bias);
	}
	return place_name(p, NULL, pc);
}

size_t process_name(struct process *p, uint64_t pc, const struct process_frame **ret)
{
	const struct dump_file *file = dump_module(&p->dump, pc);
	p->modules->frames.count = 0;
	if (file)
		name_in_module(p, process_open_module(p, (size_t)(file - p->dump.files)), pc);
	else
		vec_push(&p->modules->frames,
			 (struct process_frame){ gone_name(p, pc), "", 0, false });
	*ret = p->modules->frames.data;
	return p->modules->frames.count;
}
