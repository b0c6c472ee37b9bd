/* Claims by source file: code by rows of line programs, variables by the declaring file. */
#include "attr/attr_scratch.h"
#include "debug/decl.h"
#include "debugowners/debug_bytes.h"
#include "debugowners/lines.h"
#include "base/sort.h"
#include "image/elf/elf_const.h"
#include "program/symbol_rule.h"

/* The file table of one line program, with labels of its files. */
struct decl_files {
	bool open;
	const struct dwarf *dwarf;
	uint64_t off; /* Offset of the line program. DW_NO_OFFSET if none is open */
	struct line_program program;
	label_id *labels; /* Per file of the table: its label. LABEL_NONE until needed */
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

/* Opens the file table of a unit (of its skeleton unit, if it is split). False if there is none. */
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

/* Claims local symbols without DWARF for the source file that the STT_FILE symbol before them
 * names. If exactly one unit has that file name, the unit gets the symbols. */

/* An STT_FILE symbol and the local symbols after it (gABI, "Symbol Table"). gold puts all hidden
 * symbols after the last file symbol. */
struct attr_file_symbols_group {
	struct str file;
	size_t first, end; /* Indexes [first, end) of the local symbols */
};

/* A label that owns bytes, with the hash of the last component of its path. */
struct attr_file_symbols_known {
	uint64_t hash;
	uint64_t label;
};

struct file_symbols {
	struct attr *a;
	const struct image *im;
	struct symtab table;
	VEC(struct attr_file_symbols_known) known; /* Sorted by hash */
};

static struct str attr_file_symbols_last_part(struct str path)
{
	size_t start = path.len;
	while (start > 0 && path.p[start - 1] != '/' && path.p[start - 1] != '\\')
		start--;
	return (struct str){ path.p + start, path.len - start };
}

static bool is_called(const struct file_symbols *f, label_id label, struct str file)
{
	return str_eq(attr_file_symbols_last_part(label_text(f->a->f->labels, label)),
		      attr_file_symbols_last_part(file));
}

static uint64_t hash_of(struct str path)
{
	const struct str name = attr_file_symbols_last_part(path);
	return hash_bytes(name.p, name.len);
}

static void list_known(struct file_symbols *f)
{
	const struct spans *vm = &f->a->vm;
	const size_t count = f->a->f->labels->kinds.count;
	bool *seen = mem_zeroed(count, sizeof *seen);
	for (size_t i = 0; i < vm->list.count; i++) {
		const label_id label = vm->list.data[i].label;
		if (seen[label])
			continue;
		seen[label] = true;
		const uint64_t hash = hash_of(label_text(f->a->f->labels, label));
		vec_push(&f->known, (struct attr_file_symbols_known){ hash, label });
	}
	mem_free(seen);
	vec_sort(&f->known);
}

/* Returns the only label with this file name. LABEL_NONE if there is none, or several. */
static label_id only_known(const struct file_symbols *f, struct str file)
{
	const uint64_t hash = hash_of(file);
	size_t low = vec_lower(&f->known, hash);
	label_id found = LABEL_NONE;
	for (; low < f->known.count && f->known.data[low].hash == hash; low++) {
		const label_id label = (label_id)f->known.data[low].label;
		if (!is_called(f, label, file))
			continue;
		if (found != LABEL_NONE)
			return LABEL_NONE;
		found = label;
	}
	return found;
}

static label_id owner_of_group(const struct file_symbols *f,
			       const struct attr_file_symbols_group *g)
{
	const struct attr *a = f->a;
	for (size_t i = g->first; i < g->end; i++) {
		const struct symbol s = symtab_get_nameless(&f->table, i);
		uint64_t addr;
		if (!symbol_addr(f->im, &s, &addr))
			continue;
		const label_id label = spans_label(&a->vm, addr);
		if (label != LABEL_NONE && is_called(f, label, g->file))
			return label;
	}
	const label_id label = only_known(f, g->file);
	return label != LABEL_NONE ? label : label_copy(a->f->labels, g->file);
}

static void claim_group(const struct file_symbols *f, const struct attr_file_symbols_group *g)
{
	struct attr *a = f->a;
	const label_id owner = g->file.len > 0 ? owner_of_group(f, g) : LABEL_NONE;
	if (owner == LABEL_NONE)
		return;
	for (size_t i = g->first; i < g->end; i++) {
		const struct symbol s = symtab_get_nameless(&f->table, i);
		uint64_t addr;
		if (s.size == 0 || s.type == STT_SECTION || s.visibility != STV_DEFAULT ||
		    !symbol_addr(f->im, &s, &addr))
			continue;
		attr_claim_vm(a, addr, s.size, owner);
		a->scratch->by_file += a->scratch->dwarf == NULL;
	}
}

void attr_file_symbols(struct attr *a, const struct image *im)
{
	struct file_symbols f = { .a = a, .im = im };
	struct attr_file_symbols_group g = { 0 };
	const struct section *table = image_section_type(im, SHT_SYMTAB, 1);
	ASSERT(a->owner != BY_SYMBOL);
	if (!table || !symtab_open(&f.table, im, table))
		return;
	list_known(&f);
	for (size_t i = 1; i < f.table.count; i++) {
		const struct symbol s = symtab_get_nameless(&f.table, i);
		if (s.bind != STB_LOCAL && symtab_has_locals_first(&f.table))
			break;
		if (s.type == STT_FILE) {
			const struct symbol file = symtab_get(&f.table, i);
			claim_group(&f, &g);
			g = (struct attr_file_symbols_group){ symbol_source(&file), i + 1, i + 1 };
		}
		g.end = i + 1;
	}
	claim_group(&f, &g);
	vec_release(&f.known);
}
