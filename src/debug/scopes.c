/* Reads the functions of a unit, and the functions inlined into them. */
#include "debug/scopes.h"

#include "base/map.h"

/* Greatest number of references from a scope to the DIE that names it. Three are usual: inlined
 * subroutine, abstract instance, declaration. A scope with more gets no name. */
enum { CHAIN_MAX = 16 };

/* What one DIE says about itself */
struct scopes_facts {
	struct die_code code;
	struct value name, linkage, origin, specification;
	uint32_t call_file, call_line, call_column, decl_file, decl_line;
	bool has_decl;
};

/* A function that was found already. `key` is the reference (a DIE) that led to it */
struct scopes_memo {
	uint64_t key;
	uint32_t function;
};

/* The scope that contains a list of children */
struct around {
	uint32_t scope;
	bool function; /* True if a subprogram contains the list, with or without code */
};

struct scopes_walk {
	struct scopes *out;
	struct units *units;
	const struct unit *unit;
	struct reader r;
	VEC(struct around) around; /* One per open list of children */
	VEC(struct flat_range) ranges;
	VEC(struct scopes_memo) memos;
	struct map by_key; /* Index in `memos`, by key */
	uint64_t range_budget;
	uint64_t scopes_max;
	uint32_t scope; /* Scope whose address ranges are being read */
	bool skip_types;
};

static uint32_t number_32(const struct value *v)
{
	return (uint32_t)min_u64(value_number(v), UINT32_MAX);
}

static void scopes_take(struct scopes_facts *f, uint16_t name, const struct value *v)
{
	switch (name) {
	case DW_AT_name: f->name = *v; break;
	case DW_AT_linkage_name:
	case DW_AT_MIPS_linkage_name: f->linkage = *v; break;
	case DW_AT_abstract_origin: f->origin = *v; break;
	case DW_AT_specification: f->specification = *v; break;
	case DW_AT_low_pc: f->code.low = *v; break;
	case DW_AT_high_pc: f->code.high = *v; break;
	case DW_AT_ranges: f->code.ranges = *v; break;
	case DW_AT_call_file: f->call_file = number_32(v); break;
	case DW_AT_call_line: f->call_line = number_32(v); break;
	case DW_AT_call_column: f->call_column = number_32(v); break;
	case DW_AT_decl_file: f->decl_file = number_32(v); break;
	case DW_AT_decl_line:
		f->decl_line = number_32(v);
		f->has_decl = true;
		break;
	default: break;
	}
}

static void read_facts(const struct unit *u, struct reader *r, const struct die *d,
		       struct scopes_facts *f)
{
	*f = (struct scopes_facts){ 0 };
	for (unsigned i = 0; i < d->abbrev->count; i++) {
		const struct abbrev_attr *a = die_attr(u, d, i);
		struct value v;
		die_value(u, r, a, &v);
		scopes_take(f, a->name, &v);
	}
}

/* Adds what a DIE says to the function, if the function lacks it. */
static void add_facts(struct scope_function *fn, const struct unit *u, const struct scopes_facts *f)
{
	struct str s;
	if (fn->name.len == 0 && value_string(u, &f->name, &s))
		fn->name = s;
	if (fn->linkage.len == 0 && value_string(u, &f->linkage, &s))
		fn->linkage = s;
	if (fn->decl_line == 0 && f->has_decl) {
		const struct unit *holder = u->skeleton ? u->skeleton : u;
		fn->decl_file = f->decl_file;
		fn->decl_line = f->decl_line;
		fn->decl_dwarf = holder->dwarf;
		fn->decl_lines = holder->line_off;
	}
}

static const struct value *next_link(const struct scopes_facts *f)
{
	return f->origin.kind != VALUE_NONE ? &f->origin : &f->specification;
}

/* Follows references until both the name and the linkage name are known. */
static void scopes_follow(struct scopes_walk *k, struct scope_function *fn,
			  const struct scopes_facts *first)
{
	const struct unit *u = k->unit;
	struct scopes_facts f = *first;
	add_facts(fn, u, &f);
	for (int i = 0; i < CHAIN_MAX && fn->linkage.len == 0; i++) {
		const struct value link = *next_link(&f);
		uint64_t off;
		struct die d;
		if (link.kind == VALUE_NONE || !(u = units_follow(k->units, u, &link, &off)))
			return;
		struct reader r = unit_reader(u, off);
		if (!die_next(u, &r, &d) || !d.abbrev)
			return;
		read_facts(u, &r, &d, &f);
		add_facts(fn, u, &f);
	}
}

static uint32_t new_function(struct scopes_walk *k, const struct scopes_facts *f)
{
	struct scope_function fn = { .name = STR(""),
				     .linkage = STR(""),
				     .decl_lines = DW_NO_OFFSET };
	scopes_follow(k, &fn, f);
	vec_push(&k->out->functions, fn);
	return (uint32_t)k->out->functions.count - 1;
}

/* Returns the function that a scope is code of. Scopes that say nothing themselves share the
 * function that they refer to. */
static uint32_t scopes_function_of(struct scopes_walk *k, const struct scopes_facts *f)
{
	const struct value *link = next_link(f);
	if (f->name.kind != VALUE_NONE || f->linkage.kind != VALUE_NONE || f->has_decl ||
	    link->kind == VALUE_NONE)
		return new_function(k, f);
	const bool near = link->kind == VALUE_REF || link->kind == VALUE_REF_INFO;
	const uint64_t key = link->u << 2 | (near ? 0 : link->kind == VALUE_REF_SUP ? 1 : 2);
	uint32_t i;
	struct map_at at = map_at(&k->by_key, hash_u64(key));
	while (map_next(&k->by_key, &at, &i))
		if (k->memos.data[i].key == key)
			return k->memos.data[i].function;
	const uint32_t function = new_function(k, f);
	map_put(&k->by_key, &at, (uint32_t)k->memos.count);
	vec_push(&k->memos, (struct scopes_memo){ key, function });
	return function;
}

static void scopes_take_range(void *ctx, uint64_t addr, uint64_t size)
{
	struct scopes_walk *k = ctx;
	vec_push(&k->ranges, (struct flat_range){ addr, add_sat(addr, size), k->scope });
}

static uint32_t add_scope(struct scopes_walk *k, const struct die *d, uint32_t parent)
{
	struct scopes_facts f;
	read_facts(k->unit, &k->r, d, &f);
	if (k->out->list.count >= k->scopes_max)
		reader_fail(&k->r);
	if (!reader_ok(&k->r))
		return SCOPE_NONE;
	k->scope = (uint32_t)k->out->list.count;
	vec_push(&k->out->list, (struct scope){ .die_off = d->off,
						.parent = parent,
						.function = scopes_function_of(k, &f),
						.call_file = f.call_file,
						.call_line = f.call_line,
						.call_column = f.call_column });
	die_ranges_some(k->unit, &f.code, scopes_take_range, k, &k->range_budget);
	ASSERT(parent == SCOPE_NONE || parent < k->scope);
	return k->scope;
}

static bool has_attr(const struct unit *u, const struct die *d, uint16_t name)
{
	for (unsigned i = 0; i < d->abbrev->count; i++)
		if (die_attr(u, d, i)->name == name)
			return true;
	return false;
}

static bool is_type(uint16_t tag)
{
	switch (tag) {
	case DW_TAG_array_type:
	case DW_TAG_class_type:
	case DW_TAG_enumeration_type:
	case DW_TAG_structure_type:
	case DW_TAG_subroutine_type:
	case DW_TAG_union_type: return true;
	default: return false;
	}
}

/* Moves after a DIE and its children, if the DIE states where they end. Otherwise moves after the
 * DIE alone, and returns true because its children follow. */
static bool skip_to_sibling(struct scopes_walk *k, const struct die *d)
{
	const uint64_t start = k->r.pos;
	for (unsigned i = 0; i < d->abbrev->count; i++) {
		const struct abbrev_attr *a = die_attr(k->unit, d, i);
		struct value v;
		die_value(k->unit, &k->r, a, &v);
		if (a->name != DW_AT_sibling)
			continue;
		if (v.kind != VALUE_REF || v.u < k->r.pos)
			break;
		reader_seek(&k->r, v.u);
		return false;
	}
	if (reader_ok(&k->r)) {
		k->r.pos = start;
		die_skip(k->unit, &k->r, d->abbrev);
	}
	return true;
}

static void scopes_walk_die(struct scopes_walk *k, const struct die *d)
{
	static const struct around outside = { SCOPE_NONE, false };
	const struct abbrev *a = d->abbrev;
	struct around here = k->around.count ? k->around.data[k->around.count - 1] : outside;
	bool children = a->children;
	if (a->tag == DW_TAG_inlined_subroutine) {
		here.scope = add_scope(k, d, here.scope);
	} else if (a->tag == DW_TAG_subprogram) {
		here.function = true;
		here.scope = SCOPE_NONE;
		if (has_attr(k->unit, d, DW_AT_low_pc) || has_attr(k->unit, d, DW_AT_ranges))
			here.scope = add_scope(k, d, SCOPE_NONE);
		else
			die_skip(k->unit, &k->r, a);
	} else if (children && k->skip_types && !here.function && is_type(a->tag)) {
		children = skip_to_sibling(k, d);
	} else {
		die_skip(k->unit, &k->r, a);
	}
	if (children)
		vec_push(&k->around, here);
}

/* True for C and C++. Types of these languages have code only if they are inside a function. In
 * other languages, functions with code are in types (numbers: DWARF 5, table 7.17). */
static bool is_c_family(uint64_t language)
{
	switch (language) {
	case 0x01: /* C89 */
	case 0x02: /* C */
	case 0x04: /* C++ */
	case 0x0c: /* C99 */
	case 0x19: /* C++03 */
	case 0x1a: /* C++11 */
	case 0x1d: /* C11 */
	case 0x21: /* C++14 */
	case 0x2b: /* C++17 */
	case 0x2c: /* C17 */ return true;
	default: return false;
	}
}

static bool scopes_walk_dies(struct scopes_walk *k)
{
	for (struct die d; die_next(k->unit, &k->r, &d);) {
		if (d.abbrev)
			scopes_walk_die(k, &d);
		else if (k->around.count > 0)
			k->around.count--;
		/* Reads only the first DIE and its children. The bytes after them are padding. */
		if (k->around.count == 0)
			break;
	}
	return reader_ok(&k->r);
}

static void scopes_verify(const struct scopes *s)
{
	for (size_t i = 0; i < s->list.count; i++) {
		ASSERT(s->list.data[i].parent == SCOPE_NONE || s->list.data[i].parent < i);
		ASSERT(s->list.data[i].function < s->functions.count);
	}
	for (size_t i = 0; i < s->code.spans.count; i++)
		ASSERT(s->code.spans.data[i].who < s->list.count);
}

bool scopes_read(struct scopes *ret, struct units *units, const struct unit *u)
{
	struct scopes_walk k = {
		.out = ret,
		.units = units,
		.unit = u,
		.r = unit_reader(u, u->die_off),
		/* Limits on scopes and ranges, by the size of the unit. Real units stay below. */
		.scopes_max = min_u64(u->size / 4 + 16, SCOPE_NONE),
		.range_budget = 4 * u->size + 4096,
		.skip_types = is_c_family(u->language)
	};
	ret->list.count = ret->functions.count = 0;
	const bool ok = scopes_walk_dies(&k);
	if (!ok)
		note(u->dwarf->notes, u->dwarf->path, HEFT_NO_OFFSET, 0,
		     "a unit is damaged (%s+0x%" PRIx64 "): not all its functions are known",
		     dw_section_name(u->in), u->off);
	flat_lay(&ret->code, k.ranges.data, k.ranges.count);
	if (HEFT_CHECKS)
		scopes_verify(ret);
	vec_release_all(&k.around, &k.ranges, &k.memos);
	map_release(&k.by_key);
	return ok;
}

void scopes_release(struct scopes *s)
{
	vec_release_all(&s->list, &s->functions);
	flat_release(&s->code);
}
