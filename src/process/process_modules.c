/* The files of modules: given by hand, at their path, or by build id. */
#include "process/process_internal.h"

#include "image/elf_const.h"

/* ---- candidates --------------------------------------------------------------------------- */

/* A separate debug file has no code. */
static bool has_code(const struct image *im)
{
	for (size_t i = 0; i < im->section_count; i++)
		if (im->sections[i].exec && im->sections[i].file_size > 0)
			return true;
	return im->section_count == 0;
}

static bool is_program(const struct input *in)
{
	return !in->archive && in->image_count == 1 && in->images[0].kind == IMAGE_EXEC;
}

static void take_given(const struct process *p, struct mapped_module *m)
{
	for (size_t i = 0; i < p->wish.given_count; i++) {
		const struct input *in = p->wish.given[i];
		if (!is_program(in) || !same_build_id(in->images[0].build_id, m->file->build_id))
			continue;
		if (has_code(&in->images[0]))
			m->input = in;
		else
			m->debug = in;
	}
}

/* Why a file is not the module's; NULL: it is. */
static const char *what_differs(const struct process *p, const struct dump_file *file,
				const struct input *in)
{
	if (!is_program(in))
		return "no program or library any more";
	const struct image *im = &in->images[0];
	if (p->dump.machine != EM_NONE && im->machine != p->dump.machine)
		return "for another machine";
	if (file->build_id.size > 0 && !same_build_id(file->build_id, im->build_id))
		return "of another build than the process ran (its build id differs)";
	return NULL;
}

static bool try_path(struct process *p, struct opened_module *o, const char *path)
{
	struct heft_err err;
	if (!input_open(&o->input, path, p->notes, &err))
		return false;
	const char *wrong = what_differs(p, o->module.file, &o->input);
	if (wrong) {
		note(p->notes, p->dump.path, HEFT_NO_OFFSET, 0, "%s is %s: not used", path, wrong);
		input_close(&o->input);
		return false;
	}
	o->input_open = true;
	o->module.input = &o->input;
	return true;
}

/* ---- looking for one ------------------------------------------------------------------------ */

/* The path as the kernel states it; a file that was replaced while it ran may have come back. */
static bool try_own_path(struct process *p, struct opened_module *o)
{
	const char *path = o->module.file->path;
	struct str s = str_of(path);
	struct arena scratch = { 0 };
	if (s.len == 0 || s.p[0] != '/')
		return false;
	if (str_ends(s, STR(" (deleted)")))
		s.len -= strlen(" (deleted)");
	const bool found = try_path(p, o, arena_copy(&scratch, s));
	arena_release(&scratch);
	return found;
}

/* Debug files state where symbols, lines and sections are as well as the module itself. */
static bool try_build_id(struct process *p, struct opened_module *o)
{
	const struct debug_search how = wish_search(p->wish.program);
	struct arena scratch = { 0 };
	bool found = false;
	for (size_t i = 0; i <= how.dir_count && !found && wish_finds_debug(p->wish.program); i++) {
		const char *dir = i < how.dir_count ? how.dirs[i] : "/usr/lib/debug";
		const char *path = build_id_path(&scratch, dir, o->module.file->build_id);
		found = path && try_path(p, o, path);
	}
	arena_release(&scratch);
	return found;
}

/* What the kernel maps into every process is whole in the dump. */
static bool try_memory(struct process *p, struct opened_module *o)
{
	const struct dump_file *file = o->module.file;
	struct heft_err err;
	if (strcmp(file->path, "[vdso]") != 0)
		return false;
	o->input_open = input_parse(&o->input, file->path,
				    dump_at(&p->dump, file->start, file->end - file->start), NULL,
				    &err);
	o->module.input = o->input_open ? &o->input : NULL;
	return o->input_open;
}

static void find_debug(struct process *p, struct opened_module *o)
{
	if (!o->module.debug && companion_find(&o->debug, &o->module.input->images[0],
					       p->wish.program, p->wish.dwarf, p->notes))
		o->module.debug = &o->debug.input;
}

/* Without headers in the dump the bias was guessed; the file knows better. */
static void correct_bias(const struct process *p, struct mapped_module *m)
{
	const struct image *im = &m->input->images[0];
	const size_t file = (size_t)(m->file - p->dump.files);
	for (size_t i = 0; i < p->dump.region_count; i++) {
		const struct region *r = &p->dump.regions[i];
		if (r->file != file + 1 || !r->exec)
			continue;
		for (size_t k = 0; k < im->segment_count; k++) {
			const struct segment *s = &im->segments[k];
			const uint64_t skip = s->off - r->file_off;
			if (s->type == PT_LOAD && s->exec && skip < max_u64(s->align, 4096))
				m->bias = r->addr + skip - s->addr;
		}
		return;
	}
}

static void open_file(struct process *p, struct opened_module *o)
{
	struct mapped_module *m = &o->module;
	take_given(p, m);
	if (!m->input && !try_memory(p, o) && !try_own_path(p, o) && !try_build_id(p, o)) {
		m->input = m->debug;
		m->debug = NULL;
	}
	if (!m->input) {
		note(p->notes, p->dump.path, HEFT_NO_OFFSET, m->file->end - m->file->start,
		     "files of modules are not to be had: %s", m->file->path);
		return;
	}
	if (m->file->build_id.size == 0) {
		note(p->notes, p->dump.path, HEFT_NO_OFFSET, m->file->end - m->file->start,
		     "nothing tells whether %s is the file that was mapped", m->file->path);
		correct_bias(p, m);
	}
	find_debug(p, o);
}

struct opened_module *process_open_module(struct process *p, size_t file)
{
	ASSERT(file < p->modules->count);
	struct opened_module *o = &p->modules->list[file];
	const struct dump_file *f = &p->dump.files[file];
	if (o->tried)
		return o;
	o->tried = true;
	o->module = (struct mapped_module){ .file = f, .bias = f->bias };
	if (f->module)
		open_file(p, o);
	return o;
}

const struct mapped_module *process_module(struct process *p, size_t file)
{
	return &process_open_module(p, file)->module;
}
