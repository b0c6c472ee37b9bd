/* The symbols source: everything the file holds because of a symbol. */
#include "source/attr.h"

#include "base/pool.h"
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

/* The labels of a table's symbols by index: relocations, versions and hashes name them so. */
static label_id *read_labels(const struct attr *a, const struct section *table, size_t *count)
{
	struct symtab t;
	if (!table || !symtab_open(&t, a->im, table))
		return NULL;
	label_id *labels = xcalloc(t.count, sizeof *labels);
	for (size_t i = 0; i < t.count; i++) {
		const struct symbol s = symtab_get(&t, i);
		labels[i] = symbol_label(a, &s);
	}
	*count = t.count;
	return labels;
}

static void read_symbols(struct attr *a)
{
	a->symtab = image_section_type(a->im, SHT_SYMTAB, 1);
	a->dynsym = image_section_type(a->im, SHT_DYNSYM, 1);
	a->sym_labels = read_labels(a, a->symtab, &a->sym_count);
	a->dyn_labels = read_labels(a, a->dynsym, &a->dyn_count);
}

static void note_made_up(const struct attr *a)
{
	if (a->made_up > 0)
		note(a->f->notes, a->f->path, HEFT_NO_OFFSET, 0,
		     "functions without a symbol (%" PRIu64 ") are named sub_ADDRESS; their bounds "
		     "are those of unwind tables, entry points and calls",
		     a->made_up);
}

/* Two things that need nothing of each other. */
struct pair {
	struct attr *a, *b;
	void (*first)(struct attr *a);
	void (*second)(struct attr *b);
};

static void run_one(void *ctx, size_t i, unsigned worker)
{
	const struct pair *p = ctx;
	(void)worker;
	if (i == 0)
		p->first(p->a);
	else
		p->second(p->b);
}

/* Smaller images are not worth a thread. */
enum { PARALLEL_MIN = 1 << 20 };

/* The second gets a copy of the attr; its claims follow those of the first. */
static void side_by_side(struct attr *a, void (*first)(struct attr *a),
			 void (*second)(struct attr *b))
{
	struct attr b = *a;
	struct pair p = { a, &b, first, second };
	memset(&b.vm_claims, 0, sizeof b.vm_claims);
	memset(&b.file_claims, 0, sizeof b.file_claims);
	parallel_for(a->im->bytes.size < PARALLEL_MIN ? 1 : a->f->threads, 2, run_one, &p);
	claims_append(&a->vm_claims, &b.vm_claims);
	claims_append(&a->file_claims, &b.file_claims);
}

static void tables_and_unwind(struct attr *b)
{
	attr_unwind_bytes(b);
	attr_symbol_tables(b);
	/* In order, they cost the resolving that follows next to nothing. */
	claims_sort(&b->vm_claims);
	claims_sort(&b->file_claims);
}

/* Who owns the code: the surest first. */
static void attribute_code(struct attr *a)
{
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
}

/* `number` of the `total` images of the input. */
static void attribute_image(struct attr *a, size_t number, size_t total)
{
	source_progress(a->f, "symbols", 2 * number, 2 * total);
	read_symbols(a);
	attribute_code(a);
	source_progress(a->f, "references", 2 * number + 1, 2 * total);
	side_by_side(a, attr_refs, tables_and_unwind);
	attr_commit_vm(a);
	attr_got(a);
	attr_padding(a);
	attr_tables(a);
	attr_commit_vm(a);
	attr_relocs(a);
	attr_commit_vm(a);
	attr_objects(a);
	note_made_up(a);
	vec_release(&a->got);
	vec_release(&a->fdes);
	vec_release(&a->unsized);
	free(a->sym_labels);
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
		attribute_image(&a, i, f->input->image_count);
		file = a.file_claims;
		spans_append(&ret->vm, &a.vm);
	}
	layer_add_file(f, ret, &file);
	layer_finish(f, ret);
}
