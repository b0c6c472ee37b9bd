/* Implements the data sources `symbols`, `compileunits` and `sourcefiles`: all bytes that the file
 * has because of a symbol, unit or file. */
#include "attr/panics.h"
#include "attr/passes.h"
#include "image/elf/elf_const.h"
#include "names/demangle.h"
#include "names/microsoft.h"
#include "names/module_name.h"
#include "source/as_bloaty.h"
#include "source/source.h"

/* True if a name is in Microsoft's form, and no hash ("??@") that replaces a long name. */
static bool is_microsoft(struct str name)
{
	return microsoft_likely(name) && memchr(name.p, '@', name.len) &&
	       !str_starts(name, STR("??@"));
}

/* Notes the first name for which `is_such` is true and which heft cannot demangle. */
static void note_raw(const struct source_file *f, const struct symtab *t,
		     bool (*is_such)(struct str name), const char *text)
{
	struct demangler d = { 0 };
	for (size_t i = 1; i < t->count; i++) {
		const struct str name = symtab_get(t, i).name;
		if (is_such(name) && demangle(&d, name, HEFT_NAMES_SHORT).p == name.p) {
			note(f->notes, f->path, HEFT_NO_OFFSET, 0, "%s", text);
			break;
		}
	}
	demangler_release(&d);
}

/* Notes names that stay mangled, because users search for readable names. */
static void note_raw_names(const struct source_file *f, const struct image *im)
{
	const struct section *table = image_states_sizes(im)
					      ? NULL
					      : image_section_type(im, SHT_SYMTAB, 1);
	struct symtab t;
	if (!table || f->as_bloaty || !symtab_open(&t, im, table))
		return;
	note_raw(
		f, &t, is_microsoft,
		"names of Microsoft's scheme that cannot be read are shown as the linker has them");
	note_raw(f, &t, module_name_is_swift,
		 "names of Swift that cannot be read are shown as the linker has them");
}

/* Keeps where symbols without an owner begin: addresses, and offsets in the file. */
static void starts_keep(const struct image *im, const struct attr_scratch *scratch,
			struct layer *ret)
{
	for (size_t i = 0; i < scratch->nobodys.count; i++) {
		const uint64_t addr = scratch->nobodys.data[i];
		const struct section *in = image_section_at(im, addr);
		vec_push(&ret->vm_starts, addr);
		if (in && addr - in->addr < in->file_size)
			vec_push(&ret->file_starts, im->file_off + in->off + addr - in->addr);
	}
}

static void attribute_input(const struct source_file *f, enum owner owner, struct layer *ret)
{
	struct claims file = { 0 };
	label_id *members = mem_zeroed(f->input->image_count, sizeof *members);
	for (size_t i = 0; i < f->input->image_count; i++) {
		struct attr_scratch scratch = { .debug_owner = LABEL_NONE };
		struct attr a = { .f = f,
				  .im = &f->input->images[i],
				  .debug = f->debug ? &f->debug->images[0] : NULL,
				  .owner = owner,
				  .file_claims = file,
				  .scratch = &scratch };
		if (f->as_bloaty && bloaty_claims(&a))
			bloaty_run(&a);
		else
			attr_passes_run(&a, i, f->input->image_count);
		if (owner == BY_SYMBOL)
			note_raw_names(f, a.im);
		file = a.file_claims;
		spans_append(&ret->vm, &a.vm);
		starts_keep(a.im, &scratch, ret);
		members[i] = scratch.debug_owner;
		attr_scratch_release(&scratch);
	}
	if (f->input->archive && !f->as_bloaty)
		attr_archive(f, owner == BY_SYMBOL ? NULL : members, &file);
	mem_free(members);
	layer_finish(f, ret, NULL, &file);
}

/* Runs the data source `symbols`. Sets *sure to how certain each owner is. `to`: receives the
 * claims with the labels of *sure, or NULL. */
static void symbols_with_sure(const struct source_file *f, struct layer *ret, struct layer *sure,
			      struct origins *to)
{
	struct origins origins = { 0 };
	struct source_file own = *f;
	own.origins = to ? to : &origins;
	own.sure = sure;
	attribute_input(&own, BY_SYMBOL, ret);
	origins_release(&origins);
}

void source_symbols(const struct source_file *f, struct layer *ret)
{
	if (f->panics)
		panics_clear(f->panics);
	if (f->sure)
		symbols_with_sure(f, ret, f->sure, NULL);
	else
		attribute_input(f, BY_SYMBOL, ret);
}

void source_sure(const struct source_file *f, struct layer *ret)
{
	struct layer symbols = { 0 };
	struct source_file own = *f;
	own.places = NULL;
	own.panics = NULL;
	own.refs = NULL;
	symbols_with_sure(&own, &symbols, ret, f->origins);
	layer_release(&symbols);
}

void source_compileunits(const struct source_file *f, struct layer *ret)
{
	attribute_input(f, BY_UNIT, ret);
}

void source_sourcefiles(const struct source_file *f, struct layer *ret)
{
	attribute_input(f, BY_FILE, ret);
}
