/* Claims undefined symbols for BY_UNIT and BY_FILE. A symbol belongs to the first code that calls
 * its PLT stub or reads its GOT slot. Without such code, the symbol belongs to the owner of the
 * first relocation that names it. Also claims code without a unit. */
#include "attr/attr_scratch.h"

#include "base/sort.h"

static size_t first_use(const struct attr *a, uint64_t addr)
{
	return vec_lower(&a->scratch->uses, addr);
}

/* Returns the label of the first code that uses an address in the range, or LABEL_NONE. */
static label_id user_of(const struct attr *a, uint64_t addr, uint64_t size)
{
	const size_t i = first_use(a, addr);
	return i < a->scratch->uses.count && a->scratch->uses.data[i].addr - addr < size
		       ? (label_id)a->scratch->uses.data[i].user
		       : LABEL_NONE;
}

static void attr_imports_give(label_id *labels, size_t symbol, label_id owner)
{
	if (labels[symbol] == LABEL_NONE)
		labels[symbol] = owner;
}

static void by_stub(void *user, const struct plt_stub *stub)
{
	struct attr *a = user;
	attr_imports_give(a->scratch->dyn_labels, stub->slot->symbol,
			  user_of(a, stub->section->addr + stub->off, stub->size));
}

static void by_relocs(struct attr *a, const struct section *table)
{
	struct reloc_iter it;
	struct reloc r;
	struct span_cursor cursor = { &a->vm, 0 };
	if (!reloc_open(&it, a->im, table) || (it.patched && !it.patched->alloc))
		return;
	const struct section *in = it.symbols.section;
	const bool dynamic = in && in == a->scratch->dynsym;
	label_id *labels = dynamic                          ? a->scratch->dyn_labels
			   : in && in == a->scratch->symtab ? a->scratch->sym_labels
							    : NULL;
	const size_t count = dynamic ? a->scratch->dyn_count : a->scratch->sym_count;
	while (labels && reloc_next(&it, &r))
		if (r.alloc && r.symbol > 0 && r.symbol < count)
			attr_imports_give(labels, r.symbol, cursor_label(&cursor, r.addr));
}

struct attr_imports_named {
	uint64_t hash;
	uint64_t index; /* Index in .dynsym */
};

typedef VEC(struct attr_imports_named) named_vec;

static bool attr_imports_is_wanted(const struct symbol *s)
{
	return s->section == SYM_NO_SECTION && s->name.len > 0;
}

static named_vec attr_imports_list(const struct attr *a, const struct symtab *dynamic)
{
	named_vec list = { 0 };
	for (size_t i = 1; i < dynamic->count; i++) {
		const struct symbol s = symtab_get(dynamic, i);
		if (attr_imports_is_wanted(&s) && a->scratch->dyn_labels[i] != LABEL_NONE)
			vec_push(&list, (struct attr_imports_named){
						hash_bytes(s.name.p, s.name.len), i });
	}
	vec_sort(&list);
	return list;
}

/* Gives a symbol of .symtab the owner of the .dynsym symbol with the same name. */
static void attr_imports_by_name(struct attr *a)
{
	struct symtab dynamic, table;
	if (!a->scratch->dynsym || !a->scratch->symtab ||
	    !symtab_open(&dynamic, a->im, a->scratch->dynsym) ||
	    !symtab_open(&table, a->im, a->scratch->symtab))
		return;
	named_vec list = attr_imports_list(a, &dynamic);
	for (size_t i = 1; list.count > 0 && i < table.count; i++) {
		const struct symbol s = symtab_get(&table, i);
		if (!attr_imports_is_wanted(&s) || a->scratch->sym_labels[i] != LABEL_NONE)
			continue;
		const char *at = memchr(s.name.p, '@', s.name.len); /* Splits "name@VERSION" */
		const struct str name = { s.name.p, at ? (size_t)(at - s.name.p) : s.name.len };
		const uint64_t hash = hash_bytes(name.p, name.len);
		size_t k = vec_lower(&list, hash);
		for (; k < list.count && list.data[k].hash == hash; k++)
			if (str_eq(symtab_get(&dynamic, list.data[k].index).name, name)) {
				a->scratch->sym_labels[i] =
					a->scratch->dyn_labels[list.data[k].index];
				break;
			}
	}
	vec_release(&list);
}

static void list_bare(struct attr *a, const place_vec *from)
{
	struct span_cursor cursor = { &a->vm, 0 };
	vec_each(const struct place, p, from)
		if (p->code && cursor_label(&cursor, p->addr) == LABEL_NONE)
			vec_push(&a->scratch->bare, *p);
}

void attr_bare_list(struct attr *a)
{
	ASSERT(a->owner == BY_UNIT && a->scratch->bare.count == 0);
	list_bare(a, &a->scratch->sized);
	list_bare(a, &a->scratch->unsized);
	vec_sort(&a->scratch->bare);
}

const struct place *attr_bare_at(const struct attr *a, uint64_t addr)
{
	const size_t low = vec_lower(&a->scratch->bare, addr);
	return low < a->scratch->bare.count && a->scratch->bare.data[low].addr == addr
		       ? &a->scratch->bare.data[low]
		       : NULL;
}

/* Returns the label of the code that uses an address. LABEL_NONE if code of several labels does. */
static label_id only_user(const struct attr *a, uint64_t addr)
{
	size_t i = first_use(a, addr);
	if (i == a->scratch->uses.count || a->scratch->uses.data[i].addr != addr)
		return LABEL_NONE;
	const uint64_t user = a->scratch->uses.data[i].user;
	for (; i < a->scratch->uses.count && a->scratch->uses.data[i].addr == addr; i++)
		if (a->scratch->uses.data[i].user != user)
			return LABEL_NONE;
	return (label_id)user;
}

struct stub_users {
	const struct attr *attr;
	VEC(struct import_use) uses;
};

/* Counts the users of a stub as users of its target. In a shared library, callers call the stub
 * instead of the target. */
static void bare_by_stub(void *user, const struct plt_stub *stub)
{
	struct stub_users *u = user;
	const struct attr *a = u->attr;
	const struct attr_scratch *k = a->scratch;
	struct symtab dynamic;
	uint64_t addr;
	if (!symtab_open(&dynamic, a->im, k->dynsym))
		return;
	const struct symbol symbol = symtab_get(&dynamic, stub->slot->symbol);
	if (!symbol_addr(a->im, &symbol, &addr) || !attr_bare_at(a, addr))
		return;
	const uint64_t at = stub->section->addr + stub->off;
	for (size_t i = first_use(a, at);
	     i < k->uses.count && k->uses.data[i].addr - at < stub->size; i++)
		vec_push(&u->uses, (struct import_use){ addr, k->uses.data[i].user });
}

void attr_bare_claim(struct attr *a)
{
	struct attr_scratch *const k = a->scratch;
	struct stub_users through = { .attr = a };
	ASSERT(a->owner != BY_SYMBOL);
	/* The sort is stable, so the first use of an address stays first. */
	vec_sort(&k->uses);
	if (k->bare.count > 0) {
		plt_each(&k->plt, bare_by_stub, &through);
		vec_append(&k->uses, &through.uses);
		vec_release(&through.uses);
		vec_sort(&k->uses);
	}
	for (size_t i = 0; i < a->scratch->bare.count; i++) {
		const struct place *p = &a->scratch->bare.data[i];
		const label_id user = only_user(a, p->addr);
		const size_t next = spans_from(&a->vm, p->addr);
		if (user == LABEL_NONE || next == a->vm.list.count ||
		    a->vm.list.data[next].label != user)
			continue;
		uint64_t end = a->vm.list.data[next].start;
		ASSERT(end >= p->addr);
		if (p->size > 0)
			end = min_u64(end, add_sat(p->addr, p->size));
		if (i + 1 < a->scratch->bare.count)
			end = min_u64(end, a->scratch->bare.data[i + 1].addr);
		attr_claim_vm(a, p->addr, end - p->addr, user);
	}
	attr_commit_vm(a);
}

void attr_imports(struct attr *a)
{
	const struct plt *p = &a->scratch->plt;
	ASSERT(a->owner != BY_SYMBOL);
	plt_each(p, by_stub, a);
	for (size_t i = 0; i < p->slots.count; i++)
		attr_imports_give(a->scratch->dyn_labels, p->slots.data[i].symbol,
				  user_of(a, p->slots.data[i].addr, 1));
	for (size_t i = 1; i < a->im->section_count; i++)
		if (section_is_reloc(&a->im->sections[i]))
			by_relocs(a, &a->im->sections[i]);
	attr_imports_by_name(a);
}
