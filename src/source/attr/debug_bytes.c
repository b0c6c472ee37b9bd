#include "source/attr/debug_bytes.h"

#include "base/bits.h"
#include "base/sort.h"
#include "debug/index.h"
#include "debug/line.h"

/* ---- labels by a number ------------------------------------------------------------------------ */

/* Keys come in rising order as a rule; one that does not is left out, which costs its label only. */
static void keyed_add(keyed_vec *v, uint64_t key, label_id label)
{
	if (v->count == 0 || v->data[v->count - 1].key < key)
		vec_push(v, (struct keyed){ key, label });
}

static label_id keyed_find(const keyed_vec *v, uint64_t key)
{
	const size_t low = lower_bound(v->data, v->count, sizeof *v->data, key);
	return low < v->count && v->data[low].key == key ? v->data[low].label : LABEL_NONE;
}

/* ---- claims of section bytes --------------------------------------------------------------- */

/* An offset as the unit counts, in the whole section. */
static uint64_t placed(const struct debug_bytes *b, enum dw_section in, uint64_t off)
{
	return b->base ? add_sat(off, b->base[in]) : off;
}

static void put(struct debug_bytes *b, enum dw_section in, uint64_t off, uint64_t size, label_id l)
{
	if (b->own && l != LABEL_NONE)
		claim(&b->claims[in], placed(b, in, off), size, l, WHY_DEBUG);
}

/* What reaches to the next thing in its section.  Things of one owner stand together, so the first
 * of a run speaks for the run. */
static void put_open(struct debug_bytes *b, enum dw_section in, uint64_t off, label_id l)
{
	struct claims *c = &b->claims[in];
	off = placed(b, in, off);
	if (!b->own || l == LABEL_NONE || off >= b->info->dwarf.size[in])
		return;
	if (c->list.count > 0) {
		const struct claim *last = &c->list.data[c->list.count - 1];
		if (last->label == l && last->size == SIZE_UNKNOWN && last->start <= off)
			return;
	}
	claim_unknown(c, off, l, WHY_DEBUG);
}

/* The word with the bit of an offset (placed); NULL outside the section. */
static uint64_t *seen_word(struct debug_bytes *b, enum dw_section in, uint64_t off)
{
	return b->own ? bits_word(&b->seen[in], b->info->dwarf.size[in], off) : NULL;
}

/* Whether nobody asked about this offset of a section before. */
static bool first_sight(struct debug_bytes *b, enum dw_section in, uint64_t off)
{
	return b->own && bits_first(&b->seen[in], b->info->dwarf.size[in], placed(b, in, off));
}

static void put_string(struct debug_bytes *b, enum dw_section table, uint64_t off, label_id l)
{
	if (first_sight(b, table, off))
		claim_unknown(&b->claims[table], placed(b, table, off), l, WHY_DEBUG);
}

/* ---- walking a unit -------------------------------------------------------------------------- */

static void put_waiting(struct debug_bytes *b)
{
	for (size_t i = 0; i < b->waiting_count; i++) {
		const struct waiting_string *w = &b->waiting[i];
		put_string(b, w->table, w->off, w->owner);
	}
	b->waiting_count = 0;
}

/* References are all over the table, so each waits until its bit has come from memory. */
static void on_string(void *ctx, enum dw_section table, uint64_t off)
{
	struct debug_bytes *b = ctx;
	const uint64_t *word = seen_word(b, table, placed(b, table, off));
	if (!word)
		return;
	__builtin_prefetch(word, 1);
	if (b->waiting_count == COUNT_OF(b->waiting))
		put_waiting(b);
	b->waiting[b->waiting_count++] = (struct waiting_string){ off, b->owner, table };
}

static void on_list(void *ctx, enum dw_section in, uint64_t off)
{
	struct debug_bytes *b = ctx;
	put_open(b, in, off, b->owner);
}

static void on_variable(void *ctx, uint64_t die_off, uint64_t addr)
{
	struct debug_bytes *b = ctx;
	uint64_t vm;
	if (!dwarf_is_tombstone(b->unit->dwarf, addr, b->unit->address_size) &&
	    debuginfo_addr(b->info, addr, &vm))
		b->variable(b->ctx, vm, b->unit_label, die_off);
}

static void on_range(void *ctx, uint64_t addr, uint64_t size)
{
	struct debug_bytes *b = ctx;
	uint64_t vm;
	if (b->code && debuginfo_addr(b->info, addr, &vm))
		b->code(b->ctx, vm, size, b->unit_label);
}

/* ---- by symbol: whom an entry describes ---------------------------------------------------------- */

struct described {
	struct die_code code;
	struct value name, linkage, location, origin;
	bool declaration;
};

static void read_described(const struct unit *u, const struct die *d, struct reader r,
			   struct described *ret)
{
	memset(ret, 0, sizeof *ret);
	for (unsigned i = 0; i < d->abbrev->count; i++) {
		const struct abbrev_attr *a = die_attr(u, d, i);
		struct value v;
		die_value(u, &r, a, &v);
		die_code_take(&ret->code, a->name, &v);
		switch (a->name) {
		case DW_AT_name: ret->name = v; break;
		case DW_AT_linkage_name:
		case DW_AT_MIPS_linkage_name: ret->linkage = v; break;
		case DW_AT_location: ret->location = v; break;
		case DW_AT_abstract_origin:
		case DW_AT_specification: ret->origin = v; break;
		case DW_AT_declaration: ret->declaration = v.u != 0; break;
		default: break;
		}
	}
}

static void first_range(void *ctx, uint64_t addr, uint64_t size)
{
	uint64_t *first = ctx;
	(void)size;
	if (*first == DW_NO_OFFSET)
		*first = addr;
}

static bool address_of(const struct unit *u, const struct described *e, uint64_t *ret)
{
	bool tls;
	*ret = DW_NO_OFFSET;
	if (e->location.kind == VALUE_BLOCK)
		return expression_addr(u, e->location.block, ret, &tls) && !tls;
	die_ranges(u, &e->code, first_range, ret);
	return *ret != DW_NO_OFFSET;
}

/* The entry it is an instance or the definition of. */
static bool read_origin(const struct unit *u, struct described *e)
{
	struct die d;
	const struct value origin = e->origin;
	if (origin.kind != VALUE_REF || origin.u < u->die_off || origin.u >= unit_end(u))
		return false;
	struct reader r = unit_reader(u, origin.u);
	if (!die_next(u, &r, &d) || !d.abbrev)
		return false;
	read_described(u, &d, r, e);
	return true;
}

enum { ORIGINS_MAX = 4 };

static label_id label_by_name(const struct debug_bytes *b, struct described *e)
{
	struct value plain = e->name;
	struct str name;
	for (unsigned i = 0; i < ORIGINS_MAX; i++) {
		if (value_string(b->unit, &e->linkage, &name) && name.len > 0)
			return label_copy(b->f->labels, name);
		if (!read_origin(b->unit, e))
			break;
		if (plain.kind == VALUE_NONE)
			plain = e->name;
	}
	return value_string(b->unit, &plain, &name) && name.len > 0 ? label_copy(b->f->labels, name)
								    : LABEL_NONE;
}

static bool on_enter(void *ctx, const struct die *d, const struct reader *attrs)
{
	struct debug_bytes *b = ctx;
	struct described e;
	uint64_t addr, vm;
	label_id label = LABEL_NONE;
	read_described(b->unit, d, *attrs, &e);
	const bool placed = address_of(b->unit, &e, &addr);
	if (!placed && (e.declaration || d->abbrev->tag == DW_TAG_variable))
		return false;
	if (placed && debuginfo_addr(b->info, addr, &vm))
		label = spans_label(b->vm, vm);
	if (label == LABEL_NONE)
		label = label_by_name(b, &e);
	if (label == LABEL_NONE)
		return false;
	b->owner = label;
	b->entry_off = d->off;
	return true;
}

static void on_leave(void *ctx, uint64_t end_off)
{
	struct debug_bytes *b = ctx;
	put(b, b->unit->in, b->entry_off, end_off - b->entry_off, b->owner);
	b->owner = b->unit_label;
}

/* ---- line programs --------------------------------------------------------------------------------- */

static void put_text(struct debug_bytes *b, enum dw_section table, struct str s)
{
	const struct bytes t = b->info->dwarf.bytes[table];
	const uintptr_t p = (uintptr_t)s.p, start = (uintptr_t)t.p;
	if (t.size > 0 && p >= start && p - start < t.size)
		put_string(b, table, p - start, b->unit_label);
}

static void put_line_names(struct debug_bytes *b, const struct line_program *p)
{
	static const enum dw_section tables[] = { DW_LINE_STR, DW_STR };
	for (size_t k = 0; k < COUNT_OF(tables); k++) {
		for (size_t i = 0; i < p->dirs.count; i++)
			put_text(b, tables[k], p->dirs.data[i]);
		for (size_t i = 0; i < p->files.count; i++)
			put_text(b, tables[k], p->files.data[i].name);
	}
}

/* The bytes of each row go to the owner of its address. */
static void put_rows(struct debug_bytes *b, struct line_program *p)
{
	struct span_cursor cursor = { b->vm, 0 };
	struct line_row row;
	label_id last = LABEL_NONE;
	uint64_t vm;
	while (line_next(p, &row)) {
		if (!row.end_sequence)
			last = debuginfo_addr(b->info, row.addr, &vm) ? cursor_label(&cursor, vm)
								      : LABEL_NONE;
		put(b, DW_LINE, row.start, row.off - row.start, last);
	}
}

static void line_bytes(struct debug_bytes *b, const struct unit *u)
{
	struct line_program p;
	/* The table of files of a split unit, which has no rows, stands first; nothing refers to it
	 * but the numbers of DW_AT_decl_file (7.3.2.2). */
	if (b->own && u->line_off == DW_NO_OFFSET && u->dwarf->split)
		put_open(b, DW_LINE, 0, b->unit_label);
	if (!b->own || u->line_off == DW_NO_OFFSET)
		return;
	keyed_add(&b->by_line, placed(b, DW_LINE, u->line_off), b->unit_label);
	if (!first_sight(b, DW_LINE, u->line_off))
		return;
	if ((b->by_symbol || b->info->dwarf.size[DW_LINE_STR] > 0) &&
	    line_open(&p, u->dwarf, u->line_off, u->address_size, u->comp_dir,
		      u->str_offsets_base)) {
		put_line_names(b, &p);
		if (b->by_symbol)
			put_rows(b, &p);
		put(b, DW_LINE, p.off, p.size, b->unit_label);
		line_release(&p);
		return;
	}
	put_open(b, DW_LINE, u->line_off, b->unit_label);
}

/* ---- macros ------------------------------------------------------------------------------------------- */

struct macros {
	struct debug_bytes *b;
	enum dw_section in;
	VEC(uint64_t) todo;
};

static void on_macro_string(void *ctx, enum dw_section table, uint64_t off)
{
	struct macros *m = ctx;
	put_string(m->b, table, off, m->b->unit_label);
}

static void on_import(void *ctx, uint64_t off)
{
	struct macros *m = ctx;
	vec_push(&m->todo, off);
}

/* Parts are imported by many units; the first has them. */
static void macro_bytes(struct debug_bytes *b, const struct unit *u)
{
	struct macros m = { .b = b, .in = u->version >= 5 ? DW_MACRO : DW_MACINFO };
	const struct macro_refs refs = { .string = on_macro_string,
					 .import = on_import,
					 .ctx = &m };
	if (b->info->dwarf.size[m.in] == 0)
		m.in = m.in == DW_MACRO ? DW_MACINFO : DW_MACRO;
	if (!b->own || u->macro_off == DW_NO_OFFSET)
		return;
	vec_push(&m.todo, u->macro_off);
	while (m.todo.count > 0) {
		const uint64_t off = m.todo.data[--m.todo.count];
		uint64_t size;
		if (first_sight(b, m.in, off) &&
		    macro_walk(u->dwarf, m.in, off, u->str_offsets_base, &refs, &size))
			put(b, m.in, off, size, b->unit_label);
	}
	vec_release(&m.todo);
}

/* ---- units ------------------------------------------------------------------------------------------- */

/* rustc puts the object file's name behind that of the source: "src/lib.rs/@/std.e28293b1-cgu.0". */
static void cut_object_name(struct text *name)
{
	const struct str mark = STR("/@/");
	for (size_t i = 0; i + mark.len < name->len; i++)
		if (memcmp(name->p + i, mark.p, mark.len) == 0) {
			name->len = i;
			return;
		}
}

static label_id label_of_text(const struct debug_bytes *b, struct text *name)
{
	if (b->by_file)
		cut_object_name(name);
	if (b->by_symbol)
		text_add(name, STR(" (debug info)"));
	return label_copy(b->f->labels, text_str(name));
}

/* The first unit that has a name, for those that stand before all names (type units of .dwo
 * files). */
static label_id first_named(struct debug_bytes *b)
{
	struct text name = { 0 };
	struct unit u;
	uint64_t off = 0;
	if (b->named)
		return b->first_name;
	b->named = true;
	b->first_name = LABEL_NONE;
	while (b->first_name == LABEL_NONE && unit_next(&b->info->dwarf, DW_INFO, &off, &u)) {
		dwarf_pass(&b->info->dwarf, DW_INFO, 0, unit_end(&u));
		if (unit_open(&u, &b->cache, NULL) && unit_name(&u, &name))
			b->first_name = label_of_text(b, &name);
	}
	text_release(&name);
	return b->first_name;
}

/* Partial and type units have no name: they go to a unit that has the same line program, else to
 * the first that has a name. */
static label_id unit_label(struct debug_bytes *b, const struct unit *u)
{
	struct text name = { 0 };
	label_id label = LABEL_NONE;
	if (unit_name(u, &name))
		label = label_of_text(b, &name);
	if (label == LABEL_NONE && u->tag == DW_TAG_partial_unit)
		label = keyed_find(&b->partial, u->off);
	if (label == LABEL_NONE && u->line_off != DW_NO_OFFSET)
		label = keyed_find(&b->by_line, placed(b, DW_LINE, u->line_off));
	if (label == LABEL_NONE && !b->base)
		label = first_named(b);
	if (label == LABEL_NONE) {
		text_set(&name, STR("(units without a name)"));
		label = label_of_text(b, &name);
	}
	text_release(&name);
	return label;
}

/* The unit's own parts of tables. */
static void table_bytes(struct debug_bytes *b, const struct unit *u)
{
	const uint64_t header = u->offset_size == 8 ? 16 : 8;
	const label_id l = b->unit_label;
	put_open(b, DW_ABBREV, u->abbrev_off, l);
	if (u->str_offsets_base != DW_NO_OFFSET && !b->by_symbol)
		put_open(b, DW_STR_OFFSETS,
			 u->str_offsets_base -
				 (u->version >= 5 ? min_u64(header, u->str_offsets_base) : 0),
			 l);
	if (u->addr_base != DW_NO_OFFSET && !b->by_symbol)
		put_open(b, DW_ADDR,
			 u->addr_base - (u->version >= 5 ? min_u64(header, u->addr_base) : 0), l);
	/* GNU's split version 4: lists that the other half refers to. */
	if (u->ranges_base != DW_NO_OFFSET)
		put_open(b, DW_RANGES, u->ranges_base, l);
	if (u->rnglists_base != DW_NO_OFFSET)
		put_open(b, DW_RNGLISTS, u->rnglists_base - min_u64(header + 4, u->rnglists_base),
			 l);
	if (u->loclists_base != DW_NO_OFFSET)
		put_open(b, DW_LOCLISTS, u->loclists_base - min_u64(header + 4, u->loclists_base),
			 l);
}

static size_t unit_code(struct debug_bytes *b, const struct unit *u)
{
	struct die top;
	struct described e;
	struct reader r = unit_reader(u, u->die_off);
	if (!die_next(u, &r, &top) || !top.abbrev)
		return 0;
	read_described(u, &top, r, &e);
	return die_ranges(u, &e.code, on_range, b);
}

/* Units whose first entry says nothing of code: their functions do. */
static bool on_function(void *ctx, const struct die *d, const struct reader *attrs)
{
	struct debug_bytes *b = ctx;
	struct described e;
	if (d->abbrev->tag == DW_TAG_subprogram) {
		read_described(b->unit, d, *attrs, &e);
		die_ranges(b->unit, &e.code, on_range, b);
	}
	return false;
}

static void remember_versions(struct debug_bytes *b, const struct unit *u)
{
	b->address_size = u->address_size;
	b->offset_size = u->offset_size;
	if (u->addr_base != DW_NO_OFFSET)
		b->addr_version = u->version;
	if (u->str_offsets_base != DW_NO_OFFSET)
		b->str_offsets_version = u->version;
}

static void walk_entries(struct debug_bytes *b, const struct unit *u, bool has_code)
{
	struct walker w = { .ctx = b, .string = on_string, .list = on_list };
	if (b->variable)
		w.variable = on_variable;
	if (b->by_symbol) {
		w.enter = on_enter;
		w.leave = on_leave;
	} else if (!has_code && b->code && !unit_is_type(u)) {
		w.enter = on_function;
	}
	if (!b->own || b->foreign)
		w.string = NULL, w.list = NULL;
	b->unit = u;
	b->owner = b->unit_label;
	unit_walk(u, &w);
	put_waiting(b);
}

/* The other half of a skeleton knows its name and where its variables are. */
static void walk_split(struct debug_bytes *b, const struct unit *skeleton)
{
	struct unit u;
	if (debuginfo_split(b->info, skeleton, &u) && unit_open(&u, &b->cache, skeleton)) {
		struct text name = { 0 };
		if (unit_name(&u, &name))
			b->unit_label = label_of_text(b, &name);
		text_release(&name);
		b->foreign = true;
		if (b->variable)
			walk_entries(b, &u, true);
		b->foreign = false;
	}
}

void debug_bytes_unit(struct debug_bytes *b, struct unit *u)
{
	const bool readable = unit_open(u, &b->cache, NULL);
	if (!readable)
		return;
	b->unit = u;
	b->unit_label = unit_label(b, u);
	if (unit_is_skeleton(u))
		walk_split(b, u);
	/* Looking for a name may have pushed this unit's table out of the cache. */
	if (u->name.len == 0 && !unit_open(u, &b->cache, NULL))
		return;
	b->unit = u;
	remember_versions(b, u);
	if (u->signature && unit_is_type(u))
		vec_push(&b->by_signature, (struct keyed){ u->signature, b->unit_label });
	const bool has_code = !b->code || unit_code(b, u) > 0;
	table_bytes(b, u);
	line_bytes(b, u);
	macro_bytes(b, u);
	walk_entries(b, u, has_code);
	put(b, u->in, u->off, u->size, b->unit_label);
	b->several = b->several || (b->any && b->sole != b->unit_label);
	b->sole = b->unit_label;
	b->any = true;
}

static void all_units(struct debug_bytes *b, enum dw_section in)
{
	struct dwarf *d = &b->info->dwarf;
	uint64_t off = 0;
	struct unit u;
	dwarf_pass_begin(d, in);
	while (unit_next(d, in, &off, &u)) {
		dwarf_pass(d, in, u.off, unit_end(&u));
		debug_bytes_unit(b, &u);
		source_progress(b->f, "debug info", off, d->size[in]);
	}
	dwarf_pass_end(d, in);
}

/* ---- partial units: the first unit that imports one has it ----------------------------------------------- */

struct import {
	uint64_t to;   /* offset of the partial unit */
	uint64_t from; /* of the unit that imports it */
};

typedef VEC(struct import) import_vec;

/* dwz writes imports in front of all other children. */
static void list_imports(const struct unit *u, import_vec *ret)
{
	struct reader r = unit_reader(u, u->die_off);
	struct die d;
	for (bool first = true; die_next(u, &r, &d) && d.abbrev; first = false) {
		if (!first && d.abbrev->tag != DW_TAG_imported_unit)
			return;
		for (unsigned i = 0; i < d.abbrev->count; i++) {
			const struct abbrev_attr *a = die_attr(u, &d, i);
			struct value v;
			die_value(u, &r, a, &v);
			if (!first && a->name == DW_AT_import && v.kind == VALUE_REF_INFO)
				vec_push(ret, (struct import){ v.u, u->off });
		}
	}
}

struct unit_label {
	uint64_t off;
	label_id label;
	bool partial;
};

typedef VEC(struct unit_label) unit_label_vec;

static struct unit_label *unit_around(const unit_label_vec *v, uint64_t off)
{
	const size_t above = upper_bound(v->data, v->count, sizeof *v->data, off);
	return above > 0 ? &v->data[above - 1] : NULL;
}

enum { IMPORT_ROUNDS = 8 };

static void spread_labels(const unit_label_vec *units, const import_vec *imports)
{
	bool changed = true;
	for (unsigned round = 0; round < IMPORT_ROUNDS && changed; round++) {
		changed = false;
		for (size_t i = 0; i < imports->count; i++) {
			const struct unit_label *from = unit_around(units, imports->data[i].from);
			struct unit_label *to = unit_around(units, imports->data[i].to);
			if (!from || !to || !to->partial || to->label != LABEL_NONE ||
			    from->label == LABEL_NONE)
				continue;
			to->label = from->label;
			changed = true;
		}
	}
}

static void find_partial_owners(struct debug_bytes *b)
{
	unit_label_vec units = { 0 };
	import_vec imports = { 0 };
	struct unit u;
	uint64_t off = 0;
	while (unit_next(&b->info->dwarf, DW_INFO, &off, &u)) {
		if (!unit_open(&u, &b->cache, NULL))
			continue;
		const bool partial = u.tag == DW_TAG_partial_unit;
		list_imports(&u, &imports);
		vec_push(&units,
			 (struct unit_label){ u.off, partial ? LABEL_NONE : unit_label(b, &u),
					      partial });
	}
	spread_labels(&units, &imports);
	for (size_t i = 0; i < units.count; i++)
		if (units.data[i].partial && units.data[i].label != LABEL_NONE)
			keyed_add(&b->partial, units.data[i].off, units.data[i].label);
	vec_release(&units);
	vec_release(&imports);
}

/* Only dwz makes partial units, and as the first ones. */
static bool starts_partial(struct debug_bytes *b)
{
	struct dwarf *d = &b->info->dwarf;
	uint64_t off = 0;
	struct unit u;
	if (!unit_next(d, DW_INFO, &off, &u))
		return false;
	dwarf_pass(d, DW_INFO, 0, unit_end(&u));
	return unit_open(&u, &b->cache, NULL) && u.tag == DW_TAG_partial_unit;
}

void debug_bytes_walk(struct debug_bytes *b)
{
	struct dwarf *d = &b->info->dwarf;
	/* Of packages only the index knows the units. */
	debug_package_walk(b, DW_CU_INDEX);
	debug_package_walk(b, DW_TU_INDEX);
	dwarf_pass_begin(d, DW_INFO);
	if (starts_partial(b)) {
		dwarf_pass_end(d, DW_INFO);
		find_partial_owners(b);
	}
	all_units(b, DW_INFO);
	all_units(b, DW_TYPES);
	sort_by_key(b->by_signature.data, b->by_signature.count, sizeof *b->by_signature.data);
}

void debug_bytes_release(struct debug_bytes *b)
{
	for (size_t i = 0; i < DW_SECTIONS; i++) {
		vec_release(&b->claims[i].list);
		spans_release(&b->owners[i]);
		free(b->seen[i]);
	}
	vec_release(&b->by_line);
	vec_release(&b->by_signature);
	vec_release(&b->partial);
	abbrev_cache_release(&b->cache);
}
