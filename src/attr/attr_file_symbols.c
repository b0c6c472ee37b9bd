/* Claims local symbols without DWARF for the source file that the STT_FILE symbol before them
 * names. If exactly one unit has that file name, the unit gets the symbols. */
#include "attr/attr_scratch.h"

#include "base/sort.h"
#include "image/elf/elf_const.h"
#include "program/symbol_rule.h"

/* An STT_FILE symbol and the local symbols after it (gABI, "Symbol Table"). gold puts all hidden
 * symbols after the last file symbol. */
struct attr_file_symbols_group {
	struct str file;
	size_t first, end; /* Range of local symbols */
};

/* A label that owns bytes. Sorted by the last part of its path. */
struct attr_file_symbols_known {
	uint64_t hash;
	uint64_t label;
};

struct file_symbols {
	struct attr *a;
	const struct image *im;
	struct symtab table;
	VEC(struct attr_file_symbols_known) known; /* sorted */
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
	sort_by_key(f->known.data, f->known.count, sizeof *f->known.data);
}

/* Returns the only label with this file name. LABEL_NONE if there is none, or several. */
static label_id only_known(const struct file_symbols *f, struct str file)
{
	const uint64_t hash = hash_of(file);
	size_t low = lower_bound(f->known.data, f->known.count, sizeof *f->known.data, hash);
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
		const struct symbol s = symtab_get(&f->table, i);
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
		const struct symbol s = symtab_get(&f->table, i);
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
		const struct symbol s = symtab_get(&f.table, i);
		if (s.bind != STB_LOCAL && symtab_has_locals_first(&f.table))
			break;
		if (s.type == STT_FILE) {
			claim_group(&f, &g);
			g = (struct attr_file_symbols_group){ symbol_source(&s), i + 1, i + 1 };
		}
		g.end = i + 1;
	}
	claim_group(&f, &g);
	vec_release(&f.known);
}
