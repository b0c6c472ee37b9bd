/* Lists the modules of a process and finds their files. */
#include "process/process_internal.h"

#include "base/filename.h"
#include "image/arch.h"
#include "image/elf/elf_const.h"

#include <dirent.h>
#include <stdlib.h>

static void push_module(struct process *p, const struct dump_file *f, bool gone)
{
	struct opened_modules *all = p->modules;
	struct opened_module *o = mem_zeroed(1, sizeof *o);
	o->module = (struct process_module){ .path = f->module ? f->path : "",
					     .build_id = f->build_id,
					     .start = f->start,
					     .end = f->end,
					     .bias = f->bias,
					     .gone = gone };
	o->index = all->count;
	notes_init(&o->notes);
	all->list = mem_resize(all->list, (all->count + 1) * sizeof *all->list);
	all->list[all->count++] = o;
}

size_t process_module_count(const struct process *p)
{
	return p->modules->count;
}

const struct process_module *process_module(const struct process *p, size_t i)
{
	ASSERT(i < p->modules->count);
	return &p->modules->list[i]->module;
}

/* Returns the module at an address, or NULL. Unloaded modules only if no memory is there now. */
struct opened_module *process_opened_at(const struct process *p, uint64_t addr)
{
	const struct opened_modules *all = p->modules;
	const struct dump_file *f = dump_module(&p->dump, addr);
	ASSERT(all->count >= p->dump.file_count);
	if (f)
		return all->list[f - p->dump.files];
	for (size_t i = all->count; i-- > p->dump.file_count;) {
		const struct process_module *m = &all->list[i]->module;
		if (*m->path && addr >= m->start && addr < m->end && !dump_region(&p->dump, addr))
			return all->list[i];
	}
	return NULL;
}

const struct process_module *process_module_at(const struct process *p, uint64_t addr)
{
	const struct opened_module *o = process_opened_at(p, addr);
	return o ? &o->module : NULL;
}

static struct opened_module *module_of_id(const struct process *p, struct bytes build_id)
{
	for (size_t i = 0; i < p->modules->count; i++)
		if (same_build_id(p->modules->list[i]->module.build_id, build_id))
			return p->modules->list[i];
	return NULL;
}

static bool is_of_module(const struct process *p, size_t debug_file)
{
	const struct input *in = &p->modules->given[debug_file].input;
	return !in->archive && module_of_id(p, in->images[0].build_id);
}

void process_mark_used(const struct process *p, bool *used)
{
	for (size_t i = 0; i < p->wish.find->debug_files.count; i++)
		used[i] |= is_of_module(p, i);
}

bool process_check_debug_files(const struct process *p, struct heft_err *err)
{
	for (size_t i = 0; i < p->wish.find->debug_files.count; i++) {
		if (!is_of_module(p, i))
			return fail(err, HEFT_EARG, HEFT_NO_OFFSET,
				    "%s: no module of the process has its build ID",
				    p->wish.find->debug_files.data[i]);
	}
	return true;
}

static struct opened_module *module_of_name(const struct process *p, const char *name)
{
	for (size_t i = 0; i < p->modules->count; i++)
		if (strcmp(file_name(p->modules->list[i]->module.path), name) == 0)
			return p->modules->list[i];
	return NULL;
}

static bool program_settle(struct process *p, const struct given_program *g)
{
	struct opened_module *o = module_of_id(p, g->build_id);
	if (!o)
		o = module_of_name(p, file_name(g->path));
	if (!o)
		o = module_of_name(p, HEAP_PROGRAM);
	if (!o)
		return false;
	if (g->build_id.size > 0 && o->module.build_id.size > 0 &&
	    !same_build_id(g->build_id, o->module.build_id))
		note(p->wish.notes, g->path, HEFT_NO_OFFSET, 0,
		     "not the build that ran (its build ID differs); functions may be wrong");
	o->program = g->path;
	return true;
}

void process_list_gone(struct process *p)
{
	const struct calls *c = &p->heap.calls;
	ASSERT(p->modules->count == p->dump.file_count);
	for (size_t i = p->dump.file_count; i < c->modules.count; i++)
		push_module(p, &c->modules.data[i], true);
	for (size_t i = 0; i < p->modules->waiting.count; i++)
		(void)program_settle(p, &p->modules->waiting.data[i]);
}

void process_close_modules(struct process *p)
{
	struct opened_modules *all = p->modules;
	for (size_t i = 0; i < all->count; i++) {
		struct opened_module *o = all->list[i];
		if (o->locator.symbolizer) {
			symbolizer_release(&o->symbolizer);
			debuginfo_close(&o->info);
		}
		process_close_table(o);
		symbol_table_release(&o->symbols);
		locator_release(&o->locator);
		companion_close(&o->debug);
		if (o->input_open)
			input_close(&o->input);
		vec_release(&o->frames);
		name_cache_release(&o->known);
		notes_release(&o->notes);
		mem_free(o);
	}
	for (size_t i = 0; all->given && i < p->wish.find->debug_files.count; i++)
		if (all->given[i].open)
			input_close(&all->given[i].input);
	mem_free_all(all->given, all->list, all->spot_of);
	vec_release_all(&all->waiting, &all->spots, &all->mappings, &all->frames, &all->found);
	arena_release(&all->arena);
	mem_free(all);
}

static bool process_modules_is_program(const struct input *in)
{
	return !in->archive && in->image_count == 1 && in->images[0].kind == IMAGE_EXEC;
}

static bool process_modules_open_given(struct process *p, struct heft_err *err)
{
	p->modules->given = mem_zeroed(p->wish.find->debug_files.count + 1,
				       sizeof *p->modules->given);
	for (size_t i = 0; i < p->wish.find->debug_files.count; i++) {
		struct given_file *g = &p->modules->given[i];
		g->open = input_open(&g->input, p->wish.find->debug_files.data[i], USE_DEBUG_FILE,
				     p->wish.notes, err);
		if (!g->open)
			return false;
	}
	return true;
}

/* Reads the build id of a file. Its bytes live as long as the process. Size 0 if there is none. */
static bool process_modules_read_build_id(struct process *p, const char *path, struct bytes *ret,
					  struct heft_err *err)
{
	struct input in;
	if (!input_open(&in, path, USE_SIZE, p->wish.notes, err))
		return false;
	const struct bytes id = in.archive ? (struct bytes){ NULL, 0 } : in.images[0].build_id;
	const struct str text = { (const char *)id.p, id.size };
	*ret = (struct bytes){ id.size ? (const uint8_t *)arena_copy(&p->modules->arena, text)
				       : NULL,
			       id.size };
	input_close(&in);
	return true;
}

/* True if `g` is a module in the recorder's list. process_list_gone() adds unloaded ones later. */
static bool is_noted(const struct process *p, const struct given_program *g)
{
	const struct records *r = &p->heap.records;
	vec_each(const struct heap_module, m, &r->modules) {
		const struct bytes id = { m->build_id, m->build_id_size };
		if (same_build_id(id, g->build_id) ||
		    strcmp(file_name(m->path), file_name(g->path)) == 0)
			return true;
	}
	return false;
}

/* Fails if the file that the user names as the program is a dump. */
static bool check_program(const char *path, struct heft_err *err)
{
	struct file f;
	if (!file_open(&f, path, err))
		return false;
	const bool dump = file_format_serves(file_format_of(f.bytes, NULL), USE_HEAP);
	file_close(&f);
	return !dump ||
	       fail(err, HEFT_EARG, HEFT_NO_OFFSET,
		    "%s: a dump, but the program is named here: one dump is looked at, and "
		    "heft heap diff compares two",
		    path);
}

/* Assigns a program to a module by build id, or else by name. */
static bool place_program(struct process *p, const char *path, struct heft_err *err)
{
	struct given_program g = { .path = path };
	if (!process_modules_read_build_id(p, path, &g.build_id, err))
		return false;
	if (program_settle(p, &g))
		return true;
	vec_push(&p->modules->waiting, g);
	return is_noted(p, &g) ||
	       fail(err, HEFT_EARG, HEFT_NO_OFFSET,
		    "%s: no module of the process has its build ID or its name", path);
}

/* Adds the program, and all libraries in the dynamic linker's list. */
static void process_modules_add_image(struct process *p, const char *path, const struct image *im,
				      uint64_t load)
{
	const struct segment *dynamic = NULL;
	uint64_t end = load;
	each_segment(s, im) {
		if (s->type == PT_LOAD)
			end = max_u64(end, load + s->addr + s->vm_size);
		if (s->type == PT_DYNAMIC)
			dynamic = s;
	}
	dump_add_program(&p->dump, path, end > load ? end : UINT64_MAX, load);
	if (dynamic != NULL)
		dump_add_linked(&p->dump, load + dynamic->addr, dynamic->vm_size, path);
}

/* Adds the program as a module of a memory image, or of a core without a list of modules. QEMU's
 * user mode writes such cores. */
static bool process_modules_add_program(struct process *p, const char *path, uint64_t load,
					struct heft_err *err)
{
	struct input in;
	if (!input_open(&in, path, USE_SIZE, p->wish.notes, err))
		return false;
	if (!in.archive && load == 0 && p->dump.entry != 0)
		load = p->dump.entry - in.images[0].entry;
	if (in.archive)
		dump_add_program(&p->dump, path, UINT64_MAX, load);
	else
		process_modules_add_image(p, path, &in.images[0], load);
	input_close(&in);
	return true;
}

bool process_list_modules(struct process *p, struct heft_err *err)
{
	const struct program_wish *find = p->wish.find;
	bool known = false;
	ASSERT(p->modules->count == 0);
	for (size_t i = 0; i < find->programs.count; i++)
		if (!check_program(find->programs.data[i], err))
			return false;
	for (size_t i = 0; i < p->dump.file_count && !known; i++)
		known = p->dump.files[i].module;
	if (find->programs.count > 0 && !known &&
	    !process_modules_add_program(p, find->programs.data[0], find->dump.load, err))
		return false;
	for (size_t i = 0; i < p->dump.file_count; i++)
		push_module(p, &p->dump.files[i], false);
	for (size_t i = 0; i < find->programs.count; i++)
		if (!place_program(p, find->programs.data[i], err))
			return false;
	return process_modules_open_given(p, err);
}

static bool take_given(const struct process *p, struct process_module *m)
{
	for (size_t i = 0; i < p->wish.find->debug_files.count; i++) {
		const struct input *in = &p->modules->given[i].input;
		if (!process_modules_is_program(in) ||
		    !same_build_id(in->images[0].build_id, m->build_id))
			continue;
		/* A separate debug file has no code in the file, so it cannot be the module. */
		const struct image *im = &in->images[0];
		bool code = im->section_count == 0;
		for (size_t k = 0; k < im->section_count && !code; k++)
			code = im->sections[k].exec && im->sections[k].file_size > 0;
		if (code)
			m->input = in;
		else
			m->debug = in;
	}
	return m->input != NULL;
}

/* Returns why a file is not the module's file. NULL if it is. */
static const char *process_modules_what_differs(const struct process *p,
						const struct opened_module *o,
						const struct input *in, const char *path)
{
	if (!process_modules_is_program(in))
		return "no program or library any more";
	const struct image *im = &in->images[0];
	if (p->dump.arch && image_arch(im) != p->dump.arch)
		return "for another machine";
	if (path != o->program && o->module.build_id.size > 0 &&
	    !same_build_id(o->module.build_id, im->build_id))
		return "not the build that the process ran (its build ID differs)";
	return NULL;
}

/* State of the search for a module's file. */
struct module_search {
	const struct process *p;
	struct opened_module *o;
	struct arena scratch;
};

static bool try_path(struct module_search *s, const char *path)
{
	struct opened_module *o = s->o;
	struct heft_err err;
	if (!path || !input_open(&o->input, path, USE_SIZE, &o->notes, &err))
		return false;
	const char *wrong = process_modules_what_differs(s->p, o, &o->input, path);
	if (wrong) {
		note(&o->notes, path, HEFT_NO_OFFSET, 0, "%s: not used", wrong);
		input_close(&o->input);
		return false;
	}
	o->input_open = true;
	o->module.input = &o->input;
	return true;
}

/* Tries the dump's memory for "[vdso]", the code that the kernel maps into every process. */
static bool try_memory(const struct process *p, struct opened_module *o)
{
	const struct process_module *m = &o->module;
	struct heft_err err;
	if (strcmp(m->path, "[vdso]") != 0)
		return false;
	o->input_open = input_parse(&o->input, m->path,
				    dump_at(&p->dump, m->start, m->end - m->start), NULL, &err);
	o->module.input = o->input_open ? &o->input : NULL;
	return o->input_open;
}

/* Returns a path that opens the file mapped at an address, even if the file was deleted
 * (/proc/PID/map_files, proc(5): entries are "START-END", hexadecimal). NULL if no file is mapped
 * or access is denied. */
static const char *mapped_file(uint32_t pid, uint64_t start, struct arena *a)
{
	const char *folder = arena_format(a, "/proc/%" PRIu32 "/map_files", pid);
	const char *ret = NULL;
	const struct dirent *e;
	DIR *d = opendir(folder);
	while (d != NULL && ret == NULL && (e = readdir(d)) != NULL) {
		char *end;
		if (strtoull(e->d_name, &end, 16) == start && *end == '-')
			ret = arena_format(a, "%s/%s", folder, e->d_name);
	}
	if (d != NULL)
		closedir(d);
	return ret;
}

/* Tries the files as the living process sees them. Its root may differ from heft's. The original of
 * a replaced file is still mapped. */
static bool try_living(struct module_search *s, const char *path)
{
	const uint32_t pid = s->p->wish.pid;
	const uint64_t at = s->o->module.start;
	if (pid == 0)
		return false;
	if (strcmp(path, HEAP_PROGRAM) == 0)
		return try_path(s, arena_format(&s->scratch, "/proc/%" PRIu32 "/exe", pid));
	if (path[0] == '/' &&
	    try_path(s, arena_format(&s->scratch, "/proc/%" PRIu32 "/root%s", pid, path)))
		return true;
	if (path[0] != '/' &&
	    try_path(s, arena_format(&s->scratch, "/proc/%" PRIu32 "/cwd/%s", pid, path)))
		return true;
	const char *mapped = mapped_file(pid, at, &s->scratch);
	return mapped != NULL && try_path(s, mapped);
}

/* Tries a folder: first with the path in the process, then with the file name alone. */
static bool try_below(struct module_search *s, struct str dir, const char *path)
{
	return try_path(s, arena_format(&s->scratch, STR_FMT "/%s", STR_ARG(dir), path)) ||
	       (strchr(path, '/') != NULL &&
		try_path(s,
			 arena_format(&s->scratch, STR_FMT "/%s", STR_ARG(dir), file_name(path))));
}

static struct str process_modules_folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? (struct str){ path, (size_t)(slash - path) } : STR(".");
}

/* Tries a relative path. The process's folder is unknown, so tries heft's folder, the dump's and
 * the program's. */
static bool try_relative(struct module_search *s, const char *path)
{
	const struct process *p = s->p;
	const char *exe = NULL;
	if (strcmp(path, HEAP_PROGRAM) == 0 || path[0] == '[')
		return false;
	for (size_t i = 0; i < p->modules->count && exe == NULL; i++)
		if (p->modules->list[i]->module.path[0] == '/')
			exe = p->modules->list[i]->module.path;
	for (size_t i = 0; i < p->wish.find->programs.count; i++)
		if (try_below(s, process_modules_folder_of(p->wish.find->programs.data[i]), path))
			return true;
	return try_path(s, path) || try_below(s, process_modules_folder_of(p->dump.path), path) ||
	       (exe != NULL && try_below(s, process_modules_folder_of(exe), path));
}

/* Tries the path as changed by the user's rules. */
static bool try_renamed(struct module_search *s, const char *path)
{
	struct text other = { 0 };
	bool found = false;
	if (!paths_empty(&s->p->wish.find->paths) &&
	    paths_apply(&s->p->wish.find->paths, str_of(path), &other))
		found = try_path(s, arena_copy(&s->scratch, text_str(&other)));
	text_release(&other);
	return found;
}

/* Tries the path below the sysroot, then the path itself. The kernel marks the path of a replaced
 * file as deleted, but the file may exist again. */
static bool try_own_path(struct module_search *s)
{
	const char *root = s->p->wish.find->sysroot;
	struct str name = str_of(s->o->module.path);
	if (str_ends(name, STR(" (deleted)")))
		name.len -= strlen(" (deleted)");
	const char *path = arena_copy(&s->scratch, name);
	if (root && try_below(s, str_of(root), path))
		return true;
	if (try_renamed(s, path) || try_living(s, path))
		return true;
	return path[0] == '/' ? try_path(s, path) : try_relative(s, path);
}

/* Tries debug files by build id. A debug file has the symbols, lines and sections of its module. */
static bool try_build_id(struct module_search *s)
{
	const struct debug_search how = wish_search(s->p->wish.find);
	for (size_t i = 0; i <= how.dir_count && wish_finds_debug(s->p->wish.find); i++) {
		const char *dir = i < how.dir_count ? how.dirs[i] : "/usr/lib/debug";
		if (try_path(s, build_id_path(&s->scratch, dir, s->o->module.build_id)))
			return true;
	}
	return false;
}

static bool try_all(const struct process *p, struct opened_module *o)
{
	struct module_search s = { .p = p, .o = o };
	const struct debug_search how = wish_search(p->wish.find);
	bool found = (o->program && try_path(&s, o->program)) || take_given(p, &o->module) ||
		     try_memory(p, o) || try_own_path(&s) || try_build_id(&s);
	/* Tries the folders for debug files that the user named, which may have modules. */
	for (size_t i = 0; i < how.dir_count && !found; i++)
		found = try_below(&s, str_of(how.dirs[i]), o->module.path);
	arena_release(&s.scratch);
	return found;
}

/* Corrects a bias that was guessed because the dump lacks the module's headers. */
static void correct_bias(const struct process *p, struct opened_module *o)
{
	const struct image *im = &o->module.input->images[0];
	for (size_t i = 0; i < p->dump.region_count; i++) {
		const struct region *r = &p->dump.regions[i];
		if (r->file != o->index + 1 || !r->exec)
			continue;
		each_segment(s, im) {
			const uint64_t skip = s->off - r->file_off;
			if (s->type == PT_LOAD && s->exec && skip < max_u64(s->align, 4096))
				o->module.bias = r->addr + skip - s->addr;
		}
		return;
	}
}

void process_find_own(struct process *p, struct opened_module *o)
{
	struct process_module *m = &o->module;
	if (o->tried || !*m->path)
		return;
	o->tried = true;
	if (!try_all(p, o)) {
		m->input = m->debug;
		m->debug = NULL;
	}
	if (!m->input || m->build_id.size > 0 || o->program)
		return;
	note(&o->notes, p->dump.path, HEFT_NO_OFFSET, m->end - m->start,
	     "nothing tells whether %s is the file that was mapped", m->path);
	correct_bias(p, o);
}

void process_find_file(struct process *p, struct opened_module *o)
{
	struct process_module *m = &o->module;
	process_find_own(p, o);
	if (!m->input || o->debug_tried)
		return;
	o->debug_tried = true;
	if (!m->debug && companion_find(&o->debug, &m->input->images[0], p->wish.find,
					p->wish.dwarf, &o->go, &o->notes))
		m->debug = &o->debug.input;
}

void process_take_notes(struct process *p, struct opened_module *o)
{
	if (p->wish.notes)
		notes_append(p->wish.notes, &o->notes);
}

void process_open_module(struct process *p, const struct process_module *m)
{
	/* A process_module is the first member of an opened_module. */
	struct opened_module *o = (struct opened_module *)(uintptr_t)m;
	ASSERT(o->index < p->modules->count && p->modules->list[o->index] == o);
	process_find_file(p, o);
	process_take_notes(p, o);
}
