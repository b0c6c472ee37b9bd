/* The symbols source: everything the file holds because of a symbol. */
#include "source/attr.h"

#include "image/elf_const.h"

void attr_put(struct attr *a, const struct section *s, uint64_t off, uint64_t size, label_id label,
	      enum why why)
{
	if (label == LABEL_NONE || off >= s->size)
		return;
	size = min_u64(size, s->size - off);
	if (section_takes_vm(a->im, s))
		claim(&a->vm_claims, s->addr + off, size, label, why);
	else if (off < s->file_size)
		claim(&a->file_claims, a->im->file_off + s->off + off,
		      min_u64(size, s->file_size - off), label, why);
}

void attr_commit_vm(struct attr *a)
{
	struct layer l = { .vm = a->vm };
	layer_add_vm(a->f, &l, &a->vm_claims);
	a->vm = l.vm;
}

label_id symbol_label(const struct attr *a, const struct symbol *s)
{
	return s->name.len > 0 ? label_borrow(a->f->labels, s->name) : LABEL_NONE;
}

/* Ordinary data and code by name.  Sections with a purpose of their own (unwind tables, Go's
 * pclntab, kernel tables ...) hold what belongs to many; one reference to them says little. */
bool section_is_data(const struct section *s)
{
	static const char *const kinds[] = { ".text",  ".rodata",  ".data",  ".bss",   ".tdata",
					     ".tbss",  ".sdata",   ".sbss",  ".rdata", ".lrodata",
					     ".ldata", ".lbss",    ".ltext", ".noptr", ".init",
					     ".fini",  ".srodata", ".const" };
	const struct str bolt = STR(".bolt.org");
	struct str name = s->name;
	if (!s->alloc || (s->type != SHT_PROGBITS && s->type != SHT_NOBITS))
		return false;
	if (str_starts(name, bolt))
		name = (struct str){ name.p + bolt.len, name.len - bolt.len };
	for (size_t i = 0; i < COUNT_OF(kinds); i++)
		if (str_starts(name, str_of(kinds[i])))
			return true;
	/* Whatever it is called, code is code. */
	return s->exec && !str_starts(name, STR(".plt"));
}

uint64_t pointer_size(const struct image *im)
{
	return im->bits / 8;
}

bool load_pointer(const struct image *im, uint64_t addr, uint64_t *ret)
{
	const struct bytes b = image_at(im, addr, pointer_size(im));
	struct reader r = reader_of(b, im->big_endian);
	*ret = read_uint(&r, (unsigned)pointer_size(im));
	return reader_ok(&r);
}

/* The labels of the dynamic symbols by index: relocations and version tables name them so. */
static void read_dynamic_symbols(struct attr *a)
{
	struct symtab t;
	a->dynsym = image_section_type(a->im, SHT_DYNSYM, 1);
	if (!a->dynsym || !symtab_open(&t, a->im, a->dynsym))
		return;
	a->dyn_labels = xcalloc(t.count, sizeof *a->dyn_labels);
	a->dyn_count = t.count;
	for (size_t i = 0; i < t.count; i++) {
		const struct symbol s = symtab_get(&t, i);
		a->dyn_labels[i] = symbol_label(a, &s);
	}
}

static void note_made_up(const struct attr *a)
{
	if (a->made_up > 0)
		note(a->f->notes, a->f->path, HEFT_NO_OFFSET, 0,
		     "%" PRIu64 " functions without a symbol are named sub_ADDRESS; their bounds "
		     "are those of unwind tables, entry points and calls",
		     a->made_up);
}

static void attribute_image(struct attr *a)
{
	read_dynamic_symbols(a);
	attr_sized_symbols(a);
	attr_commit_vm(a);
	attr_got_init(a);
	attr_plt(a);
	attr_commit_vm(a);
	attr_unwind_read(a);
	attr_unwind_bounds(a);
	attr_commit_vm(a);
	attr_discover(a);
	attr_commit_vm(a);
	attr_unsized_symbols(a);
	attr_commit_vm(a);
	attr_refs(a);
	attr_commit_vm(a);
	attr_got(a);
	attr_commit_vm(a);
	attr_unwind_bytes(a);
	attr_tables(a);
	attr_commit_vm(a);
	attr_relocs(a);
	attr_commit_vm(a);
	note_made_up(a);
	vec_release(&a->got);
	vec_release(&a->fdes);
	vec_release(&a->unsized);
	free(a->dyn_labels);
}

void source_symbols(const struct source_file *f, struct layer *ret)
{
	struct claims file = { 0 };
	for (size_t i = 0; i < f->input->image_count; i++) {
		struct attr a = { .f = f,
				  .im = &f->input->images[i],
				  .debug = f->debug ? &f->debug->images[0] : NULL,
				  .file_claims = file };
		attribute_image(&a);
		file = a.file_claims;
		/* Images follow each other in the VM space. */
		for (size_t k = 0; k < a.vm.list.count; k++)
			spans_push(&ret->vm, a.vm.list.data[k].start, a.vm.list.data[k].size,
				   a.vm.list.data[k].label);
		spans_release(&a.vm);
	}
	layer_add_file(f, ret, &file);
	layer_finish(f, ret);
}
