/* Symbols that say where code and data are; the rule is that of symbol_rule.h. */
#include "source/attr/attr.h"

#include "base/sort.h"
#include "image/elf_const.h"
#include "program/symbol_rule.h"

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
		if (!symbol_names_a_place(&s) || !symbol_addr(im, &s, &addr))
			continue;
		const struct section *in = symbol_section(im, &s, addr);
		if (!in)
			continue;
		struct place p = { .addr = addr,
				   .size = min_u64(s.size, in->size - (addr - in->addr)),
				   .label = labels ? labels[i] : symbol_label(a, &s),
				   .rank = symbol_rank(&s),
				   .code = in->exec,
				   .vague = s.type == STT_NOTYPE && s.bind != STB_LOCAL };
		if (p.label == LABEL_NONE && a->owner == BY_SYMBOL)
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

void attr_list_sized(struct attr *a, place_vec *ret)
{
	collect(a, ret);
	sort_by_key_then(ret->data, ret->count, sizeof *ret->data, by_rule);
	sort_by_key_then(a->unsized.data, a->unsized.count, sizeof *a->unsized.data, by_rule);
}

void attr_sized_symbols(struct attr *a)
{
	place_vec sized = { 0 };
	attr_list_sized(a, &sized);
	list_aliases(a, &sized);
	for (size_t i = 0; i < sized.count; i++)
		claim(&a->vm_claims, sized.data[i].addr, sized.data[i].size, sized.data[i].label,
		      WHY_SYMBOL);
	vec_release(&sized);
}

const struct place *attr_unsized_at(const struct attr *a, uint64_t addr)
{
	const size_t low = lower_bound(a->unsized.data, a->unsized.count, sizeof *a->unsized.data,
				       addr);
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
