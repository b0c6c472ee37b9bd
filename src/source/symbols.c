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

/* Names decide where types do not: every table heft reads by itself is left out. */
bool section_is_data(const struct section *s)
{
	static const char *const tables[] = { ".eh_frame", ".gcc_except_table", ".got", ".plt",
					      ".interp",   ".ARM.ex",           ".note" };
	if (!s->alloc || (s->type != SHT_PROGBITS && s->type != SHT_NOBITS))
		return false;
	for (size_t i = 0; i < COUNT_OF(tables); i++)
		if (str_starts(s->name, str_of(tables[i])))
			return false;
	return !str_ends(s->name, STR(".eh_frame")) && !str_ends(s->name, STR(".eh_frame_hdr")) &&
	       !str_ends(s->name, STR(".gcc_except_table"));
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
