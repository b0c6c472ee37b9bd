/* Claims by source file: code by rows of line programs, variables by the declaring file. */
#include "attr/attr_scratch.h"
#include "debug/decl.h"
#include "debugowners/debug_bytes.h"
#include "debugowners/lines.h"

/* The file table of one line program, with labels of its files. */
struct decl_files {
	bool open;
	const struct dwarf *dwarf;
	uint64_t off; /* Offset of the program. DW_NO_OFFSET if no table is open. */
	struct line_program program;
	label_id *labels; /* Per file. LABEL_NONE if not made yet. */
	size_t label_count;
	struct text path;
};

void attr_file_rows(struct attr *a)
{
	struct lines l = { .f = a->f, .im = a->im, .info = a->scratch->dwarf, .vm = &a->vm_claims };
	lines_of_all(&l);
	attr_commit_vm(a);
}

static void close_table(struct decl_files *t)
{
	if (t->open)
		line_release(&t->program);
	mem_free(t->labels);
	t->open = false;
	t->labels = NULL;
	t->label_count = 0;
}

void attr_files_release(struct findings *f)
{
	if (!f->files)
		return;
	close_table(f->files);
	text_release(&f->files->path);
	mem_free(f->files);
	f->files = NULL;
}

/* Opens the file table of a unit. A split unit uses the files of its skeleton. */
static bool attr_files_open_table(struct decl_files *t, const struct unit *u)
{
	if (u->skeleton)
		u = u->skeleton;
	if (t->dwarf == u->dwarf && t->off == u->line_off)
		return t->open;
	close_table(t);
	t->dwarf = u->dwarf;
	t->off = u->line_off;
	t->open = u->line_off != DW_NO_OFFSET &&
		  line_open(&t->program, u->dwarf, u->line_off, u->address_size, u->comp_dir,
			    u->str_offsets_base);
	if (!t->open)
		return false;
	t->label_count = t->program.files.count;
	t->labels = mem_alloc(t->label_count * sizeof *t->labels);
	memset(t->labels, 0xff, t->label_count * sizeof *t->labels);
	return true;
}

label_id attr_decl_file(struct findings *f, uint64_t die_off)
{
	const struct unit *u = f->unit;
	struct decl decl;
	if (!f->files) {
		f->files = mem_zeroed(1, sizeof *f->files);
		f->files->off = DW_NO_OFFSET;
	}
	struct decl_files *t = f->files;
	if (!attr_files_open_table(t, u) || !decl_read(u, die_off, &decl) || !decl.has_file ||
	    decl.file >= t->label_count)
		return f->unit_label;
	const uint64_t file = decl.file;
	if (t->labels[file] == LABEL_NONE)
		t->labels[file] = line_path(&t->program, file, &t->path)
					  ? local_label(&f->labels, text_str(&t->path))
					  : f->unit_label;
	return t->labels[file];
}
