/* Claims GHC's info tables, which precede code, and static objects of Haskell programs.
 *
 * The first word of a static object points to code that follows an info table. The object of a
 * function, or of a value that is not computed yet, belongs to that code, unless it has a symbol.
 * Objects of constructors belong to the owner that refers to them (attr_refs.c). */
#include "attr/attr_refs.h"

#include "base/sort.h"
#include "image/elf/elf_const.h"

void attr_ghc_code(struct attr *a)
{
	struct span_cursor cursor = { &a->vm, 0 };
	ASSERT(a->vm_claims.list.count == 0);
	vec_each(const struct ghc_table, t, &a->scratch->ghc.list) {
		const label_id owner = cursor_label(&cursor, t->entry);
		if (owner != LABEL_NONE)
			claim(&a->vm_claims, t->entry - t->size, t->size, owner, WHY_RUNTIME);
	}
}

static void closure_add(struct attr *a, uint64_t addr, uint64_t to)
{
	if (ghc_table_at(&a->scratch->ghc, to))
		vec_push(&a->scratch->closures, (struct closure){ addr, to });
}

static bool holds_closures(const struct section *s)
{
	return s->write && !s->exec && !s->nobits && section_is_data(s);
}

/* Lists static objects of an image at a fixed address: words that point just after info tables. */
static void closures_of_words(struct attr *a, const struct section *s)
{
	struct reader r = reader_of(section_bytes(a->im, s), a->im->big_endian);
	const struct ghc_tables *g = &a->scratch->ghc;
	const uint64_t low = g->list.data[0].entry, high = vec_last(&g->list)->entry;
	reader_seek(&r, align_up(s->addr, 8) - s->addr);
	while (reader_left(&r) >= 8) {
		const uint64_t addr = s->addr + r.pos, to = read_u64(&r);
		if (to >= low && to <= high)
			closure_add(a, addr, to);
	}
}

/* Returns true if a relocation points to code of another library. GHC's names of such code show
 * that an info table precedes it. */
static bool leads_to_import(const struct reloc_iter *it, const struct reloc *r)
{
	if (r->symbol == 0 || r->symbol >= it->symbols.count)
		return false;
	const struct symbol s = symtab_get(&it->symbols, r->symbol);
	return s.section == SYM_NO_SECTION && str_ends(s.name, STR("_info"));
}

static void closures_of_relocs(struct attr *a, const struct section *table)
{
	struct reloc_iter it;
	struct reloc r;
	uint64_t to;
	if (!reloc_open(&it, a->im, table))
		return;
	while (reloc_next(&it, &r)) {
		const struct section *in = r.alloc && r.addr % 8 == 0
						   ? image_section_at(a->im, r.addr)
						   : NULL;
		if (!in || !holds_closures(in))
			continue;
		if (reloc_target(&it, &r, &to))
			closure_add(a, r.addr, to);
		else if (leads_to_import(&it, &r))
			vec_push(&a->scratch->closures, (struct closure){ r.addr, 0 });
	}
}

static void closures_list(struct attr *a)
{
	const struct image *im = a->im;
	const bool fixed = im->type == ET_EXEC && !im->moves;
	ASSERT(a->scratch->closures.count == 0 && a->scratch->ghc.list.count > 0);
	each_section(s, im) {
		if (fixed && holds_closures(s))
			closures_of_words(a, s);
		else if (!fixed && section_is_reloc(s))
			closures_of_relocs(a, s);
	}
	vec_sort(&a->scratch->closures);
}

/* Returns the maximal size of a static object with this info table. */
static uint64_t closure_room(const struct ghc_table *t)
{
	enum { WORD = 8, THUNK_WORDS = 4 };
	if (!t)
		return UINT64_MAX;
	if (t->type == GHC_THUNK_STATIC)
		return THUNK_WORDS * WORD;
	/* The object has a code pointer, fields, and, if it refers to other objects, a link. */
	const bool links = t->words > 0 || t->data != 0;
	return t->type <= GHC_FUNCTION_LAST ? (t->words + 1 + links) * WORD : UINT64_MAX;
}

/* Returns the end of object i, at most the start of the next object or symbol. */
static uint64_t closure_end(const struct attr *a, size_t i)
{
	const place_vec *unsized = &a->scratch->unsized;
	const struct closure *c = &a->scratch->closures.data[i];
	const struct section *in = image_section_at(a->im, c->addr);
	const size_t next = vec_upper(unsized, c->addr);
	uint64_t end = add_sat(c->addr, closure_room(ghc_table_at(&a->scratch->ghc, c->entry)));
	end = min_u64(end, in ? in->addr + in->size : c->addr);
	if (i + 1 < a->scratch->closures.count)
		end = min_u64(end, c[1].addr);
	return next < unsized->count ? min_u64(end, unsized->data[next].addr) : end;
}

void attr_ghc_closures(struct attr *a)
{
	const closure_vec *v = &a->scratch->closures;
	closures_list(a);
	for (size_t i = 0; i < v->count; i++) {
		const struct closure *c = &v->data[i];
		const struct ghc_table *t = ghc_table_at(&a->scratch->ghc, c->entry);
		const struct place *named = attr_unsized_at(a, c->addr);
		label_id owner = named ? named->label : LABEL_NONE;
		if (owner == LABEL_NONE && t &&
		    ((t->type >= GHC_FUNCTION && t->type <= GHC_FUNCTION_LAST) ||
		     t->type == GHC_THUNK_STATIC))
			owner = spans_label(&a->vm, c->entry);
		if (owner != LABEL_NONE)
			claim(&a->vm_claims, c->addr, closure_end(a, i) - c->addr, owner,
			      named ? WHY_UNSIZED_SYMBOL : WHY_RUNTIME);
	}
}

/* Returns the row's label for objects of a constructor. `t` is NULL if the constructor is in
 * another library. LABEL_NONE if the constructor's name is unknown. */
static label_id constructor_label(const struct attr *a, const struct ghc_table *t)
{
	enum { NAME_MOST = 1024 };
	if (!t)
		return label_borrow(a->f->labels,
				    STR("(objects of other libraries' constructors that "
					"nothing refers to)"));
	const struct section *in = ghc_table_constructs(t) ? image_section_at(a->im, t->data)
							   : NULL;
	if (!in)
		return LABEL_NONE;
	const struct bytes b = image_at(a->im, t->data,
					min_u64(NAME_MOST, in->addr + in->size - t->data));
	const uint8_t *end = memchr(b.p, 0, b.size);
	return end ? label_format(a->f->labels, "%.*s (objects that nothing refers to)",
				  (int)(end - b.p), (const char *)b.p)
		   : LABEL_NONE;
}

void attr_ghc_rest(struct attr *a)
{
	const closure_vec *v = &a->scratch->closures;
	struct span_cursor cursor = { &a->vm, 0 };
	for (size_t i = 0; i < v->count; i++) {
		const struct ghc_table *t = ghc_table_at(&a->scratch->ghc, v->data[i].entry);
		if (cursor_label(&cursor, v->data[i].addr) != LABEL_NONE)
			continue;
		const label_id row = constructor_label(a, t);
		if (row != LABEL_NONE)
			claim(&a->vm_claims, v->data[i].addr, closure_end(a, i) - v->data[i].addr,
			      row, WHY_RUNTIME);
	}
}

bool attr_ghc_cut(const struct attr *a, struct span *rest, struct span *ret)
{
	const struct ghc_tables *g = &a->scratch->ghc;
	const uint64_t end = rest->start + rest->size;
	size_t i = g->list.count > 0 ? vec_upper(&g->list, rest->start) : 0;
	for (; i < g->list.count && g->list.data[i].entry - g->list.data[i].size <= rest->start;
	     i++)
		rest->start = min_u64(g->list.data[i].entry, end);
	*ret = (struct span){ rest->start, end - rest->start, rest->label };
	if (i < g->list.count)
		ret->size = min_u64(ret->size,
				    g->list.data[i].entry - g->list.data[i].size - ret->start);
	rest->start = ret->start + ret->size;
	rest->size = end - rest->start;
	return ret->size > 0;
}

/* Changes targets within the first word of an object to the object's start. The low bits of a GHC
 * pointer are a tag. */
static void targets_untag(const closure_vec *closures, target_vec *targets)
{
	enum { TAGS = 7 };
	vec_each(struct target, t, targets) {
		const struct closure *c = vec_before(closures, t->addr);
		if (c && t->addr - c->addr <= TAGS)
			t->addr = c->addr;
	}
}

static void target_add(const struct attr *a, target_vec *to, uint64_t addr, label_id label)
{
	if (!spans_find(&a->vm, addr))
		vec_push(to, (struct target){ addr, label, WHY_RUNTIME });
}

void attr_ghc_targets(const struct attr *a, target_vec *targets)
{
	const struct attr_scratch *s = a->scratch;
	struct span_cursor cursor = { &a->vm, 0 };
	ASSERT(s->ghc.list.count > 0);
	targets_untag(&s->closures, targets);
	for (size_t i = 0; i < s->closures.count; i++)
		target_add(a, targets, s->closures.data[i].addr, LABEL_NONE);
	vec_each(const struct ghc_table, t, &s->ghc.list) {
		const label_id owner = t->data != 0 ? cursor_label(&cursor, t->entry) : LABEL_NONE;
		if (owner != LABEL_NONE)
			target_add(a, targets, t->data, owner);
	}
}
