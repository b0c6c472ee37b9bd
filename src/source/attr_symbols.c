/* Symbols that say where code and data are.
 *
 * Where ranges overlap, the symbol that starts first owns the bytes; of those that start
 * together the longest, then a typed one before an untyped, a global one before a weak before
 * a local, then the one with fewer underscores in front, then the first of its table. */
#include "source/attr.h"

#include "base/sort.h"
#include "image/elf_const.h"

enum { INDEX_BITS = 20 };

static uint32_t rank_of(const struct symbol *s)
{
	const uint32_t index = (uint32_t)min_u64(s->index, (1u << INDEX_BITS) - 1);
	const uint32_t untyped = s->type == STT_NOTYPE;
	const uint32_t bind = s->bind == STB_LOCAL ? 2 : s->bind == STB_WEAK ? 1 : 0;
	uint32_t underscores = 0;
	while (underscores < s->name.len && underscores < 15 && s->name.p[underscores] == '_')
		underscores++;
	return (untyped << 8 | bind << 4 | underscores) << INDEX_BITS | index;
}

/* $a, $d, $t, $x, also with a suffix: they mark kinds of bytes (ARM, AArch64, RISC-V). */
static bool is_mapping_symbol(const struct symbol *s)
{
	return s->type == STT_NOTYPE && s->name.len >= 2 && s->name.p[0] == '$' &&
	       strchr("adtxc", s->name.p[1]) != NULL;
}

static bool names_a_place(const struct symbol *s)
{
	switch (s->type) {
	case STT_NOTYPE:
	case STT_OBJECT:
	case STT_FUNC:
	case STT_TLS:
	case STT_GNU_IFUNC:
	case STT_ARM_TFUNC: return !is_mapping_symbol(s);
	default: return false;
	}
}

/* The section a symbol is in, if its bytes are part of the VM image. */
static const struct section *section_of(const struct image *im, const struct symbol *s,
					uint64_t addr)
{
	if (s->section == SYM_NO_SECTION || s->section >= im->section_count)
		return NULL;
	const struct section *in = &im->sections[s->section];
	if (!section_takes_vm(im, in) || addr < in->addr || addr - in->addr > in->size)
		return NULL;
	return in;
}

static void collect_table(struct attr *a, const struct image *im, const struct section *table,
			  place_vec *sized)
{
	struct symtab t;
	const label_id *labels = table == a->symtab   ? a->sym_labels
				 : table == a->dynsym ? a->dyn_labels
						      : NULL;
	if (!symtab_open(&t, im, table))
		return;
	for (size_t i = 1; i < t.count; i++) {
		const struct symbol s = symtab_get(&t, i);
		uint64_t addr;
		if (!names_a_place(&s) || !symbol_addr(im, &s, &addr))
			continue;
		const struct section *in = section_of(im, &s, addr);
		if (!in)
			continue;
		struct place p = { .addr = addr,
				   .size = min_u64(s.size, in->size - (addr - in->addr)),
				   .label = labels ? labels[i] : symbol_label(a, &s),
				   .rank = rank_of(&s),
				   .code = in->exec,
				   .vague = s.type == STT_NOTYPE && s.bind != STB_LOCAL };
		if (p.label == LABEL_NONE)
			p.label = label_format(a->f->labels, "[Anonymous symbol #%zu]", i);
		if (s.size > 0)
			vec_push(sized, p);
		else if (addr - in->addr < in->size && (in->exec || section_is_data(in)))
			vec_push(&a->unsized, p);
	}
}

/* Every symbol table there is: .symtab, or .dynsym with the separate debug file's. */
static void collect(struct attr *a, place_vec *sized)
{
	const struct section *given = a->debug ? image_section_type(a->debug, SHT_SYMTAB, 1) : NULL;
	if (a->symtab)
		collect_table(a, a->im, a->symtab, sized);
	if (given)
		collect_table(a, a->debug, given, sized);
	if (a->dynsym && !a->symtab)
		collect_table(a, a->im, a->dynsym, sized);
}

static int by_rule(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	if (x->size != y->size)
		return x->size > y->size ? -1 : 1;
	return x->rank < y->rank ? -1 : x->rank > y->rank;
}

/* By address, then by the rule above. */
static void sort_places(place_vec *v)
{
	sort_by_key(v->data, v->count, sizeof *v->data);
	for (size_t i = 0; i < v->count;) {
		size_t j = i + 1;
		while (j < v->count && v->data[j].addr == v->data[i].addr)
			j++;
		if (j - i > 1)
			qsort(&v->data[i], j - i, sizeof *v->data, by_rule);
		i = j;
	}
}

/* The others of a run that starts at one address, as long as its first. */
static void list_aliases(const struct attr *a, const place_vec *v)
{
	const struct place *owner = NULL;
	for (size_t i = 0; a->f->aliases && i < v->count; i++) {
		const struct place *p = &v->data[i];
		if (!owner || owner->addr != p->addr)
			owner = p;
		else if (owner->size == p->size && owner->label != p->label)
			vec_push(&a->f->aliases->list, (struct alias){ owner->label, p->label });
	}
}

void attr_sized_symbols(struct attr *a)
{
	place_vec sized = { 0 };
	collect(a, &sized);
	sort_places(&sized);
	sort_places(&a->unsized);
	list_aliases(a, &sized);
	for (size_t i = 0; i < sized.count; i++)
		claim(&a->vm_claims, sized.data[i].addr, sized.data[i].size, sized.data[i].label,
		      WHY_SYMBOL);
	vec_release(&sized);
}

const struct place *attr_unsized_at(const struct attr *a, uint64_t addr)
{
	size_t low = 0, high = a->unsized.count;
	while (low < high) {
		const size_t mid = low + (high - low) / 2;
		if (a->unsized.data[mid].addr < addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low < a->unsized.count && a->unsized.data[low].addr == addr ? &a->unsized.data[low]
									   : NULL;
}

/* Labels in hand-written code reach to the next one, the next owner or the section's end. */
void attr_unsized_symbols(struct attr *a)
{
	size_t next = 0; /* first span that starts behind the symbol */
	for (size_t i = 0; i < a->unsized.count; i++) {
		const struct place *p = &a->unsized.data[i];
		const struct section *in = image_section_at(a->im, p->addr);
		if (!p->code || !in || (i > 0 && p[-1].addr == p->addr))
			continue;
		while (next < a->vm.list.count && a->vm.list.data[next].start <= p->addr)
			next++;
		uint64_t end = in->addr + in->size;
		if (next < a->vm.list.count)
			end = min_u64(end, a->vm.list.data[next].start);
		for (size_t k = i + 1; k < a->unsized.count; k++) {
			if (a->unsized.data[k].addr == p->addr)
				continue;
			end = min_u64(end, a->unsized.data[k].addr);
			break;
		}
		if (end > p->addr)
			claim(&a->vm_claims, p->addr, end - p->addr, p->label, WHY_UNSIZED_SYMBOL);
	}
}
