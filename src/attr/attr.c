/* Reads the symbols of an image and implements the functions that all attribution passes share. */
#define _GNU_SOURCE /* memmem */
#include "attr/attr_scratch.h"

#include "base/pool.h"
#include "image/elf/elf_const.h"
#include "program/symbol_rule.h"

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
	claims_own(a->f, &a->vm, &a->vm_claims);
	ASSERT(a->vm_claims.list.count == 0);
}

label_id symbol_label(const struct attr *a, const struct symbol *s)
{
	uint64_t addr;
	if (a->owner != BY_SYMBOL)
		return symbol_addr(a->im, s, &addr) ? spans_label(&a->vm, addr) : LABEL_NONE;
	if (s->name.len == 0 || symbol_is_mark(s))
		return LABEL_NONE;
	return label_borrow(a->f->labels, symbol_owner(s));
}

/* Returns true if a section, by its name, holds ordinary data or code. False for sections with a
 * special purpose, such as unwind tables and kernel tables. Each of them has data of many owners,
 * so one reference to it proves little. */
bool section_is_data(const struct section *s)
{
	static const char *const kinds[] = {
		".text", ".rodata",  ".data",    ".bss",    ".tdata",   ".tbss",    ".sdata",
		".sbss", ".rdata",   ".lrodata", ".ldata",  ".lbss",    ".ltext",   ".noptr",
		".init", ".fini",    ".srodata", ".const",  ".go.type", ".go.func", ".ccm",
		".dtcm", ".progmem", ".go_type", ".go_func"
	};
	const struct str bolt = STR(".bolt.org");
	struct str name = s->name;
	if (!s->alloc || (s->type != SHT_PROGBITS && s->type != SHT_NOBITS))
		return false;
	if (str_starts(name, bolt))
		name = (struct str){ name.p + bolt.len, name.len - bolt.len };
	for (size_t i = 0; i < COUNT_OF(kinds) && name.len > 1; i++)
		if (kinds[i][1] == name.p[1] && str_starts(name, str_of(kinds[i])))
			return true;
	if (name.len == 0) /* The file has lost the section's name. */
		return true;
	/* Accepts writable sections without file bytes and executable sections, whatever their name
	 * is. Rejects a section that a linker script reserves for the stack or heap: code that
	 * takes its address does not own it. */
	if (s->nobits && s->write && !str_starts(s->name, STR(".plt")) &&
	    !str_starts(s->name, STR(".got")))
		return !memmem(s->name.p, s->name.len, "stack", 5) &&
		       !memmem(s->name.p, s->name.len, "heap", 4);
	return s->exec && !str_starts(name, STR(".plt"));
}

uint64_t pointer_size(const struct image *im)
{
	return im->bits / 8;
}

struct attr attr_partner(const struct attr *a)
{
	struct attr b = *a;
	memset(&b.vm_claims, 0, sizeof b.vm_claims);
	memset(&b.file_claims, 0, sizeof b.file_claims);
	return b;
}

int attr_sections_by_addr(const void *a, const void *b)
{
	const struct section *x = *(const struct section *const *)a;
	const struct section *y = *(const struct section *const *)b;
	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

bool load_pointer(const struct image *im, uint64_t addr, uint64_t *ret)
{
	const struct bytes b = image_at(im, addr, pointer_size(im));
	struct reader r = reader_of(b, im->big_endian);
	*ret = read_uint(&r, (unsigned)pointer_size(im));
	return reader_ok(&r);
}

struct symbols_names {
	struct symtab table;
	struct hashed_text *list; /* Indexed by symbol. `text` is NULL for a nameless symbol */
	uint32_t *sizes;
};

enum { NAMES_CHUNK = 8192 };

static void hash_names(void *ctx, size_t chunk, unsigned worker)
{
	const struct symbols_names *n = ctx;
	const size_t end = min_u64((chunk + 1) * NAMES_CHUNK, n->table.count);
	(void)worker;
	for (size_t i = chunk * NAMES_CHUNK; i < end; i++) {
		const struct symbol s = symtab_get(&n->table, i);
		n->sizes[i] = (uint32_t)min_u64(s.name.len, UINT32_MAX);
		if (s.name.len == 0 || symbol_is_mark(&s))
			continue;
		const struct str name = symbol_owner(&s);
		n->list[i] = (struct hashed_text){ name, hash_bytes(name.p, name.len) };
	}
}

/* Computes the labels of symbols for attribution by unit or file: a symbol belongs to the owner of
 * its address. An STT_FILE symbol, and a local symbol without an address, belongs to the owner of
 * the local symbols after it. */
static void labels_by_owner(const struct attr *a, const struct symtab *table, label_id *ret)
{
	label_id local = LABEL_NONE, file = LABEL_NONE;
	for (size_t i = table->count; i-- > 0;) {
		const struct symbol s = symtab_get_nameless(table, i);
		ret[i] = s.type == STT_FILE ? local : symbol_label(a, &s);
		if (s.type == STT_FILE)
			local = LABEL_NONE;
		else if (s.bind == STB_LOCAL && ret[i] != LABEL_NONE)
			local = ret[i];
	}
	for (size_t i = 1; i < table->count; i++) {
		const struct symbol s = symtab_get_nameless(table, i);
		uint64_t addr;
		if (s.bind != STB_LOCAL)
			break;
		if (s.type == STT_FILE)
			file = ret[i];
		else if (ret[i] == LABEL_NONE && s.visibility == STV_DEFAULT &&
			 !(symbol_addr(a->im, &s, &addr) && image_section_at(a->im, addr)))
			ret[i] = file;
	}
}

/* Reads the labels of a table's symbols. The result is indexed by symbol, because relocations,
 * versions and hash tables refer to symbols by index. */
static label_id *read_labels(const struct attr *a, const struct section *table, size_t *count,
			     uint32_t **ret_sizes)
{
	struct symbols_names n;
	*ret_sizes = NULL;
	if (!table || !symtab_open(&n.table, a->im, table))
		return NULL;
	*count = n.table.count;
	label_id *labels = mem_zeroed(*count, sizeof *labels);
	if (a->owner != BY_SYMBOL) {
		labels_by_owner(a, &n.table, labels);
		return labels;
	}
	n.list = mem_zeroed(*count, sizeof *n.list);
	n.sizes = *ret_sizes = mem_zeroed(*count, sizeof *n.sizes);
	parallel_for(a->f->threads, (*count + NAMES_CHUNK - 1) / NAMES_CHUNK, hash_names, &n);

	label_borrow_all(a->f->labels, n.list, *count, labels);
	mem_free(n.list);
	return labels;
}

static void symbols_forget(struct attr_scratch *s)
{
	mem_free_all(s->sym_labels, s->dyn_labels, s->sym_sizes, s->dyn_sizes);
}

void attr_scratch_release(struct attr_scratch *s)
{
	ASSERT(!s->refs && !s->bytes && s->late.count == 0);
	plt_release(&s->plt);
	vec_release_all(&s->uses, &s->bare, &s->nobodys, &s->fdes, &s->unsized, &s->guessed,
			&s->sized, &s->overlays);
	if (s->ghc.list.data)
		ghc_tables_release(&s->ghc);
	vec_release(&s->closures);
	symbols_forget(s);
}

void attr_read_symbols(struct attr *a)
{
	struct attr_scratch *const s = a->scratch;
	s->symtab = image_section_type(a->im, SHT_SYMTAB, 1);
	s->dynsym = image_section_type(a->im, SHT_DYNSYM, 1);
	symbols_forget(s);
	s->sym_labels = read_labels(a, s->symtab, &s->sym_count, &s->sym_sizes);
	s->dyn_labels = read_labels(a, s->dynsym, &s->dyn_count, &s->dyn_sizes);
	ASSERT(s->sym_labels || s->sym_count == 0);
	ASSERT(s->dyn_labels || s->dyn_count == 0);
}

void attr_symbols_of_stubs(struct attr *a)
{
	struct symtab t;
	ASSERT(a->owner != BY_SYMBOL);
	if (!a->scratch->symtab || !symtab_open(&t, a->im, a->scratch->symtab))
		return;
	for (size_t i = 1; i < a->scratch->sym_count; i++) {
		if (a->scratch->sym_labels[i] != LABEL_NONE)
			continue;
		const struct symbol s = symtab_get_nameless(&t, i);
		a->scratch->sym_labels[i] = symbol_label(a, &s);
	}
}

label_id attr_group_owner(const struct attr *a, const struct section *group)
{
	struct symtab t;
	ASSERT(group->type == SHT_GROUP);
	if (group->link >= a->im->section_count ||
	    !symtab_open(&t, a->im, &a->im->sections[group->link]) || group->info >= t.count)
		return LABEL_NONE;
	const struct symbol signature = symtab_get(&t, group->info);
	return symbol_label(a, &signature);
}

bool attr_open_symbols(const struct attr *a, const struct image *im, const struct section *table,
		       struct symtab *ret)
{
	if (!symtab_open(ret, im, table))
		return false;
	ret->name_sizes = table == a->scratch->symtab   ? a->scratch->sym_sizes
			  : table == a->scratch->dynsym ? a->scratch->dyn_sizes
							: NULL;
	return true;
}
