/* Claims code and data by addresses of symbols. symbol_rule.h decides which of them own bytes. */
#include "attr/attr_refs.h"

#include "base/sort.h"
#include "code/ref_store.h"
#include "image/elf/elf_const.h"
#include "program/symbol_rule.h"

/* Adds a symbol whose section has no bytes in the VM image to places->outside. */
static void list_outside(const struct attr *a, const struct image *im, const struct symbol *s)
{
	const bool common = s->section == SYM_COMMON;
	uint64_t addr = common ? 0 : s->value;
	if (!a->f->places || a->owner != BY_SYMBOL || s->size == 0 || s->name.len == 0 ||
	    s->section == SYM_NO_SECTION || (!common && s->section >= im->section_count))
		return;
	(void)symbol_addr(im, s, &addr);
	vec_push(&a->f->places->outside,
		 (struct named_place){ addr, s->size, label_borrow(a->f->labels, s->name),
				       s->section });
}

/* True if a name that Go's linker defines marks the start of many nameless objects. In a table
 * without sizes, the symbol would own all of them. From Go 1.26 on, the linker states their common
 * size. */
static bool begins_many(struct str name)
{
	static const char *const known[] = { "runtime.pclntab", "type.*",        "type:*",
					     "go.func.*",       "go:func.*",     "go.string.*",
					     "go:string.*",     "runtime.types", "typerel.*",
					     "typerel:*",       "runtime.rodata" };
	const bool mangled = str_starts(name, STR("_")); /* Mach-O names begin with "_" */
	const struct str plain = { name.p + mangled, name.len - mangled };
	for (size_t i = 0; i < COUNT_OF(known); i++)
		if (str_eq(plain, str_of(known[i])))
			return true;
	return false;
}

static void collect_table(struct attr *a, const struct image *im, const struct section *table,
			  place_vec *sized)
{
	struct symtab t;
	const label_id *labels = table == a->scratch->symtab   ? a->scratch->sym_labels
				 : table == a->scratch->dynsym ? a->scratch->dyn_labels
							       : NULL;
	const bool guess = a->owner == BY_SYMBOL && extents_wanted(a->im);
	if (!attr_open_symbols(a, im, table, &t))
		return;
	for (size_t i = 1; i < t.count; i++) {
		const struct symbol s = symtab_get(&t, i);
		const struct section *in = NULL;
		uint64_t addr;
		if (!symbol_names_a_place(&s) || (!image_states_sizes(im) && begins_many(s.name)))
			continue;
		if (symbol_addr(im, &s, &addr))
			in = symbol_section(im, &s, addr);
		if (!in) {
			list_outside(a, im, &s);
			continue;
		}
		/* A debug file may number its sections differently. */
		const struct section *own = in->index < a->im->section_count
						    ? &a->im->sections[in->index]
						    : NULL;
		if (!own || own->addr != in->addr || own->size != in->size)
			own = image_section_at(a->im, addr);
		struct place p = { .addr = addr,
				   .size = symbol_size_in(in, &s, addr),
				   .label = labels ? labels[i] : symbol_label(a, &s),
				   .rank = symbol_rank(&s),
				   .section = own ? own->index : in->index,
				   .code = in->exec,
				   .vague = s.type == STT_NOTYPE && s.bind != STB_LOCAL,
				   .local = s.bind == STB_LOCAL };
		if (p.label == LABEL_NONE && a->owner == BY_SYMBOL)
			p.label = label_format(a->f->labels, "[Anonymous symbol #%zu]", i);
		if (s.guessed && guess && section_is_data(in) && !in->exec && p.size > 0)
			vec_push(&a->scratch->guessed, p);
		else if (p.size > 0 && !begins_many(s.name))
			vec_push(sized, p);
		else if (addr - in->addr < in->size && (in->exec || section_is_data(in)))
			vec_push(&a->scratch->unsized, p);
	}
}

/* Collects symbols from .symtab, or else .dynsym, and from the debug file's table. */
static void attr_symbols_collect(struct attr *a, place_vec *sized)
{
	const struct section *given = a->debug ? image_section_type(a->debug, SHT_SYMTAB, 1) : NULL;
	if (a->scratch->symtab && (!given || image_symbols(a->im)))
		collect_table(a, a->im, a->scratch->symtab, sized);
	if (given)
		collect_table(a, a->debug, given, sized);
	if (a->scratch->dynsym && !a->scratch->symtab)
		collect_table(a, a->im, a->scratch->dynsym, sized);
}

COMPARISON(attr_symbols_by_rule, struct place, ORDER(b->size, a->size), ORDER(a->rank, b->rank))

/* Lists the symbols that claim bytes. list_outside() has listed those that claim none. */
static void attr_symbols_list_places(const struct labels *labels, struct places *to,
				     const place_vec *v)
{
	vec_reserve(&to->list, v->count);
	vec_each(const struct place, p, v) {
		if (!label_is_fallback(labels, p->label)) /* The label is a symbol's name */
			vec_push(&to->list,
				 (struct named_place){ p->addr, p->size, p->label, p->section });
	}
}

void attr_list_sized(struct attr *a, place_vec *ret)
{
	ASSERT(ret->count == 0 && a->scratch->unsized.count == 0 && a->scratch->guessed.count == 0);
	attr_symbols_collect(a, ret);
	vec_sort_then(ret, attr_symbols_by_rule);
	symbols_cut_crossing(ret->data, ret->count, sizeof *ret->data);
	vec_sort_then(&a->scratch->unsized, attr_symbols_by_rule);
	vec_sort_then(&a->scratch->guessed, attr_symbols_by_rule);
}

void attr_sized_symbols(struct attr *a)
{
	struct places *places = a->f->places;
	place_vec sized = { 0 };
	ASSERT(a->owner == BY_SYMBOL);
	if (places) {
		vec_push(&places->images, places->list.count);
		vec_push(&places->outside_images, places->outside.count);
	}
	attr_list_sized(a, &sized);
	if (places)
		attr_symbols_list_places(a->f->labels, places, &sized);
	for (size_t i = 0; a->f->refs && a->f->refs->im == a->im && i < sized.count; i++)
		vec_push(&a->f->refs->symbols, sized.data[i].addr);
	for (size_t i = 0; i < sized.count; i++)
		claim(&a->vm_claims, sized.data[i].addr, sized.data[i].size, sized.data[i].label,
		      WHY_SYMBOL);
	vec_release(&sized);
}

void attr_list_guessed(struct attr *a)
{
	attr_symbols_list_places(a->f->labels, a->f->places, &a->scratch->guessed);
}

const struct place *attr_unsized_at(const struct attr *a, uint64_t addr)
{
	const size_t low = vec_lower(&a->scratch->unsized, addr);
	return low < a->scratch->unsized.count && a->scratch->unsized.data[low].addr == addr
		       ? &a->scratch->unsized.data[low]
		       : NULL;
}

/* Claims the code after a label without a size. It ends at the next label, the next owner or the
 * end of the section. A label at or within owned code claims nothing. */
void attr_unsized_symbols(struct attr *a)
{
	size_t next = 0;
	for (size_t i = 0; i < a->scratch->unsized.count; i++) {
		const struct place *p = &a->scratch->unsized.data[i];
		const struct section *in = image_section_at(a->im, p->addr);
		if (!p->code || !in || (i > 0 && p[-1].addr == p->addr))
			continue;
		while (next < a->vm.list.count && a->vm.list.data[next].start <= p->addr)
			next++;
		const struct span *before = next > 0 ? &a->vm.list.data[next - 1] : NULL;
		if (before && p->addr - before->start < before->size)
			continue;
		uint64_t end = in->addr + in->size;
		if (next < a->vm.list.count)
			end = min_u64(end, a->vm.list.data[next].start);
		for (size_t k = i + 1; k < a->scratch->unsized.count; k++) {
			if (a->scratch->unsized.data[k].addr == p->addr)
				continue;
			end = min_u64(end, a->scratch->unsized.data[k].addr);
			break;
		}
		if (end > p->addr && !attr_is_fill(a->im, in, p->addr, end))
			claim(&a->vm_claims, p->addr, end - p->addr, p->label, WHY_UNSIZED_SYMBOL);
	}
}
