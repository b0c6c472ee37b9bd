/* Claims bytes for compile units, by DWARF: code and variables. Then claims local symbols by
 * STT_FILE symbols, and debug sections by unit or symbol. For BY_FILE, claims what attr_files.c
 * does not. */
#include "attr/attr_scratch.h"
#include "debugowners/debug_bytes.h"

#include "base/sort.h"
#include "image/elf/elf_const.h"
#include "program/key_functions.h"

static const struct place *sized_at(const struct attr *a, uint64_t addr)
{
	const size_t low = vec_lower(&a->scratch->sized, addr);
	return low < a->scratch->sized.count && a->scratch->sized.data[low].addr == addr
		       ? &a->scratch->sized.data[low]
		       : NULL;
}

/* Returns true if a symbol begins at the start of the code, and a symbol ends at its end. */
static bool fits(const struct attr *a, uint64_t addr, uint64_t size)
{
	enum { PADDING = 4 };
	const struct section *in = image_section_at(a->im, addr);
	if (!sized_at(a, addr) || !in || size > in->addr + in->size - addr)
		return false;
	const size_t next = vec_lower(&a->scratch->sized, addr + size);
	const struct place *last = &a->scratch->sized.data[next - 1];
	return last->addr + last->size <= addr + size &&
	       addr + size - (last->addr + last->size) < PADDING;
}

/* Records that a unit has code of this address and size. Returns how many units had it before. */
static uint64_t count_overlay(struct attr *a, uint64_t addr, uint64_t size)
{
	enum { MOST = 1024 };
	vec_each(struct overlay_code, c, &a->scratch->overlays)
		if (c->addr == addr && c->size == size)
			return c->units++;
	if (a->scratch->overlays.count < MOST)
		vec_push(&a->scratch->overlays, (struct overlay_code){ addr, size, 1 });
	return 0;
}

/* Finds the overlay of code. Overlays run at the same address, which is all that DWARF states. The
 * symbols show which overlay has such code. If several have, the order of the units decides. */
static uint64_t overlay_place(struct attr *a, uint64_t addr, uint64_t size, bool in_order)
{
	enum { NUMBERS = 128 };
	const unsigned shift = a->im->overlay_shift;
	uint64_t skip = in_order ? count_overlay(a, addr, size) : 0, found = addr;
	for (uint64_t i = 0; i < NUMBERS; i++) {
		const uint64_t at = addr + (i << shift);
		if (!fits(a, at, size))
			continue;
		found = at;
		if (skip-- == 0)
			break;
	}
	return found;
}

static void attr_units_claim_code(const struct attr *a, uint64_t addr, uint64_t size,
				  label_id label, struct claims *ret)
{
	const struct section *in = image_section_at(a->im, addr);
	if (in && section_takes_vm(a->im, in))
		claim(ret, addr, min_u64(size, in->addr + in->size - addr), label, WHY_DEBUG);
}

/* Claims code of a unit. Units come in order if `ret` is the attr's own list of claims. */
static void on_code(void *ctx, uint64_t addr, uint64_t size, label_id unit, struct claims *ret)
{
	struct attr *a = ctx;
	if (a->im->overlay_shift > 0)
		addr = overlay_place(a, addr, size, ret == &a->vm_claims);
	attr_units_claim_code(a, addr, size, unit, ret);
}

void attr_claim_vm(struct attr *a, uint64_t addr, uint64_t size, label_id label)
{
	attr_units_claim_code(a, addr, size, label, &a->vm_claims);
}

/* Claims a variable. Its size is the size of its symbol, or else of its type. */
static void attr_units_on_variable(void *ctx, struct findings *f, uint64_t addr, uint64_t die_off)
{
	struct attr *a = ctx;
	const struct place *p = sized_at(a, addr);
	const label_id label = a->owner == BY_FILE ? attr_decl_file(f, die_off) : f->unit_label;
	uint64_t size;
	if (p)
		on_code(a, addr, p->size, label, &f->vm);
	else if (!a->f->as_bloaty && variable_size(f->unit, die_off, &size))
		on_code(a, addr, size, label, &f->vm);
}

static void on_done(void *ctx, struct findings *f)
{
	(void)ctx;
	attr_files_release(f);
}

/* Lists the starts of symbols without an owner. Otherwise their bytes would count as padding of the
 * data before them. */
static void nobodys_list(struct attr *a, const place_vec *from)
{
	struct span_cursor cursor = { &a->vm, 0 };
	for (size_t i = 0; i < from->count; i++)
		if (cursor_label(&cursor, from->data[i].addr) == LABEL_NONE)
			vec_push(&a->scratch->nobodys, from->data[i].addr);
}

/* Keeps sized data symbols without an owner, such as vtables and type information. Later, the first
 * unit that refers to one of them gets it as a whole. */
static void keep_unowned(struct attr *a)
{
	struct span_cursor cursor = { &a->vm, 0 };
	size_t count = 0;
	for (size_t i = 0; i < a->scratch->sized.count; i++) {
		const struct place p = a->scratch->sized.data[i];
		const bool inside = count > 0 && p.addr - a->scratch->sized.data[count - 1].addr <
							 a->scratch->sized.data[count - 1].size;
		if (!p.code && !inside && cursor_label(&cursor, p.addr) == LABEL_NONE)
			a->scratch->sized.data[count++] = p;
	}
	a->scratch->sized.count = count;
}

static void note_no_dwarf(const struct attr *a)
{
	if (a->owner == BY_UNIT && a->f->linkmap)
		note(a->f->notes, a->f->path, HEFT_NO_OFFSET, 0,
		     "no debug info: objects, as the linker map has them, stand for compile units");
	else if (a->scratch->by_file > 0)
		note(a->f->notes, a->f->path, HEFT_NO_OFFSET, 0,
		     "no debug info: local symbols (%" PRIu64 ") go to the file that the symbol "
		     "table names, the rest stays with its section",
		     a->scratch->by_file);
	else
		note(a->f->notes, a->f->path, HEFT_NO_OFFSET, 0,
		     "no debug info and no local symbols: %s are not known",
		     a->owner == BY_FILE ? "source files" : "compile units");
}

static void read_dwarf(struct attr *a)
{
	ASSERT(!a->scratch->bytes);
	if (!a->scratch->dwarf)
		return;
	if (a->owner == BY_FILE)
		attr_file_rows(a);
	a->scratch->bytes = mem_zeroed(1, sizeof *a->scratch->bytes);
	*a->scratch->bytes = (struct debug_bytes){ .f = a->f,
						   .info = a->scratch->dwarf,
						   .own = a->scratch->dwarf->image == a->im &&
							  !a->f->vm_only,
						   .by_file = a->owner == BY_FILE,
						   .code = on_code,
						   .variable = attr_units_on_variable,
						   .done = on_done,
						   .ctx = a,
						   .vm_claims = &a->vm_claims };
	debug_bytes_walk(a->scratch->bytes);
	attr_linkmap_vote(a);
	attr_commit_vm(a);
}

static void close_bytes(struct attr *a)
{
	if (a->scratch->bytes)
		debug_bytes_release(a->scratch->bytes);
	mem_free(a->scratch->bytes);
	a->scratch->bytes = NULL;
}

/* Reads the DWARF of the image and of its debug file. A program with a PDB may also have DWARF.
 * DWARF is read first, because units of a PDB often have only the object's name. */
static void read_all_dwarf(struct attr *a)
{
	struct debuginfo *given = source_dwarf(a->f, a->im, a->debug);
	struct debuginfo *own = source_own_dwarf(a->f, a->im, given);
	a->scratch->dwarf = own ? own : given;
	read_dwarf(a);
	if (!own)
		return;
	struct debug_bytes *bytes = a->scratch->bytes;
	a->scratch->bytes = NULL;
	a->scratch->dwarf = given;
	read_dwarf(a);
	close_bytes(a);
	a->scratch->dwarf = own;
	a->scratch->bytes = bytes;
}

void attr_units(struct attr *a)
{
	const bool by_map = a->owner == BY_UNIT && a->f->linkmap;
	ASSERT(a->owner != BY_SYMBOL && a->vm.list.count == 0 && !a->scratch->bytes);
	a->scratch->symtab = image_section_type(a->im, SHT_SYMTAB, 1);
	a->scratch->dynsym = image_section_type(a->im, SHT_DYNSYM, 1);
	attr_list_sized(a, &a->scratch->sized);
	if (a->f->unit_objects)
		attr_linkmap(a);
	read_all_dwarf(a);
	if (a->f->as_bloaty && a->scratch->dwarf) /* Bloaty knows units by debug info alone. */
		return;
	if (by_map && !a->f->unit_objects)
		attr_linkmap(a);
	if (!by_map || !a->f->input->linkmap) /* The linker map provides the local symbols. */
		attr_file_symbols(a, a->im);
	if (a->debug)
		attr_file_symbols(a, a->debug);
	attr_commit_vm(a);
	if (a->scratch->dwarf && a->owner == BY_UNIT)
		attr_bare_list(a);
	nobodys_list(a, &a->scratch->sized);
	nobodys_list(a, &a->scratch->unsized);
	vec_sort(&a->scratch->nobodys);
	keep_unowned(a);
	if (!a->scratch->dwarf)
		note_no_dwarf(a);
}

/* Claims the image's own debug sections. A separate debug file is not measured. */
void attr_debug_sections(struct attr *a)
{
	if (a->owner == BY_SYMBOL) {
		a->scratch->dwarf = source_dwarf(a->f, a->im, NULL);
		a->scratch->bytes = mem_zeroed(1, sizeof *a->scratch->bytes);
		*a->scratch->bytes = (struct debug_bytes){ .f = a->f,
							   .info = a->scratch->dwarf,
							   .own = true,
							   .by_symbol = true,
							   .vm = &a->vm };
		debug_bytes_walk(a->scratch->bytes);
	}
	ASSERT(!a->scratch->bytes || a->scratch->bytes->info == a->scratch->dwarf);
	if (a->scratch->bytes && a->scratch->bytes->own) {
		a->scratch->bytes->vm = &a->vm;
		debug_bytes_claim(a->scratch->bytes, &a->file_claims);
		if (a->scratch->bytes->any && !a->scratch->bytes->several)
			a->scratch->debug_owner = a->scratch->bytes->sole;
	}
	close_bytes(a);
}

/* Claims tables of C++ classes (vtables, type information) for the key function's unit or file. */

void attr_key_functions(struct attr *a)
{
	const struct section *given = a->debug ? image_section_type(a->debug, SHT_SYMTAB, 1) : NULL;
	const struct section *own = a->scratch->symtab ? a->scratch->symtab : a->scratch->dynsym;
	const bool from_debug = given && !a->scratch->symtab;
	const struct section *table = from_debug ? given : own;
	key_table_vec list = { 0 };
	ASSERT(a->owner != BY_SYMBOL);
	if (table)
		key_functions_find(a->im, from_debug ? a->debug : a->im, table, &list);
	vec_each(const struct key_table, t, &list) {
		const label_id owner = spans_label(&a->vm, t->function);
		if (owner != LABEL_NONE)
			claim(&a->vm_claims, t->addr, t->size, owner, WHY_KEY_FUNCTION);
	}
	vec_release(&list);
}
