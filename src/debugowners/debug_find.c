/* Finds the owners of the debug bytes of one unit or line program. */
#include "debugowners/debug_find.h"

static uint64_t debug_find_size_of(const struct findings *f, enum dw_section in)
{
	return f->all->info->dwarf.size[in];
}

void find_sized(struct findings *f, enum dw_section in, uint64_t off, uint64_t size, label_id l)
{
	if (f->all->own && l != LABEL_NONE)
		claim(&f->claims[in], find_placed(f, in, off), size, l, WHY_DEBUG);
}

void find_open(struct findings *f, enum dw_section in, uint64_t off, label_id l)
{
	struct claims *c = &f->claims[in];
	off = find_placed(f, in, off);
	if (!f->all->own || l == LABEL_NONE || off >= debug_find_size_of(f, in))
		return;
	if (c->list.count > 0) {
		const struct claim *last = &c->list.data[c->list.count - 1];
		if (last->label == l && last->size == SIZE_UNKNOWN && last->start <= off)
			return;
	}
	claim_unknown(c, off, l, WHY_DEBUG);
}

bool find_first(struct findings *f, enum dw_section in, uint64_t off)
{
	return f->all->own &&
	       bits_first(&f->seen[in], debug_find_size_of(f, in), find_placed(f, in, off));
}

void find_string(struct findings *f, enum dw_section table, uint64_t off, label_id l)
{
	if (find_first(f, table, off))
		claim_unknown(&f->claims[table], find_placed(f, table, off), l, WHY_DEBUG);
}

static void put_waiting(struct findings *f)
{
	for (size_t i = 0; i < f->waiting_count; i++) {
		const struct waiting_string *w = &f->waiting[i];
		find_string(f, w->table, w->off, w->owner);
	}
	f->waiting_count = 0;
}

/* Records a string reference. Its claim waits until its bit in f->seen was prefetched. */
static void on_string(void *ctx, enum dw_section table, uint64_t off)
{
	struct findings *f = ctx;
	const uint64_t *word = f->all->own
				       ? bits_word(&f->seen[table], debug_find_size_of(f, table),
						   find_placed(f, table, off))
				       : NULL;
	if (!word)
		return;
	__builtin_prefetch(word, 1);
	if (f->waiting_count == COUNT_OF(f->waiting))
		put_waiting(f);
	f->waiting[f->waiting_count++] = (struct waiting_string){ off, f->owner, table };
}

static void on_list(void *ctx, enum dw_section in, uint64_t off)
{
	struct findings *f = ctx;
	find_open(f, in, off, f->owner);
}

static void debug_find_on_variable(void *ctx, uint64_t die_off, uint64_t addr)
{
	struct findings *f = ctx;
	uint64_t vm;
	if (!f->declared && !dwarf_is_tombstone(f->unit->dwarf, addr, f->unit->address_size) &&
	    debuginfo_data_addr(f->all->info, addr, &vm))
		f->all->variable(f->all->ctx, f, vm, die_off);
}

static void debug_find_on_range(void *ctx, uint64_t addr, uint64_t size)
{
	struct findings *f = ctx;
	uint64_t vm;
	if (debuginfo_addr(f->all->info, addr, &vm))
		f->all->code(f->all->ctx, vm, size, f->unit_label, &f->vm);
}

struct described {
	struct die_code code;
	struct value name, linkage, location, origin;
	bool declaration;
};

static void debug_find_read_described(const struct unit *u, const struct die *d, struct reader r,
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

/* Greatest number of range list entries to read in search of a range. Many DIEs may use a list. */
enum { LIST_HEAD = 64 };

static bool first_code(const struct unit *u, const struct die_code *code, uint64_t *ret)
{
	uint64_t budget = LIST_HEAD;
	*ret = DW_NO_OFFSET;
	die_ranges_some(u, code, first_range, ret, &budget);
	return *ret != DW_NO_OFFSET;
}

/* Replaces *e by its abstract instance or declaration. False if that is not in this unit. */
static bool read_origin(const struct unit *u, struct described *e)
{
	struct die d;
	const struct value origin = e->origin;
	if (origin.kind != VALUE_REF || origin.u < u->die_off || origin.u >= unit_end(u))
		return false;
	struct reader r = unit_reader(u, origin.u);
	if (!die_next(u, &r, &d) || !d.abbrev)
		return false;
	debug_find_read_described(u, &d, r, e);
	return true;
}

enum { ORIGINS_MAX = 4 };

static label_id label_by_name(struct findings *f, struct described *e)
{
	struct value plain = e->name;
	struct str name;
	for (unsigned i = 0; i < ORIGINS_MAX; i++) {
		if (value_string(f->unit, &e->linkage, &name) && name.len > 0)
			return local_label(&f->labels, name);
		if (!read_origin(f->unit, e))
			break;
		if (plain.kind == VALUE_NONE)
			plain = e->name;
	}
	return value_string(f->unit, &plain, &name) && name.len > 0 ? local_label(&f->labels, name)
								    : LABEL_NONE;
}

static bool on_enter(void *ctx, const struct die *d, const struct reader *attrs)
{
	struct findings *f = ctx;
	struct described e;
	uint64_t addr, vm = 0;
	label_id label = LABEL_NONE;
	bool there, tls;
	debug_find_read_described(f->unit, d, *attrs, &e);
	const bool data = e.location.kind == VALUE_BLOCK;
	if (data)
		there = expression_addr(f->unit, e.location.block, &addr, &tls) && !tls;
	else
		there = first_code(f->unit, &e.code, &addr);
	if (!there && (e.declaration || d->abbrev->tag == DW_TAG_variable))
		return false;
	if (there && (data ? debuginfo_data_addr : debuginfo_addr)(f->all->info, addr, &vm))
		label = spans_label(f->all->vm, vm);
	if (label == LABEL_NONE)
		label = label_by_name(f, &e);
	if (label == LABEL_NONE)
		return false;
	f->owner = label;
	f->entry_off = d->off;
	return true;
}

static void on_leave(void *ctx, uint64_t end_off)
{
	struct findings *f = ctx;
	find_sized(f, f->unit->in, f->entry_off, end_off - f->entry_off, f->owner);
	f->owner = f->unit_label;
}

static void debug_find_put_text(struct findings *f, struct dwarf *d, enum dw_section table,
				struct str s)
{
	const struct bytes t = d->bytes[table];
	const uintptr_t p = (uintptr_t)s.p, start = (uintptr_t)t.p;
	if (t.size > 0 && p >= start && p - start < t.size)
		find_string(f, table, p - start, f->unit_label);
}

/* Claims the bytes of each row of a line program for the owner of the row's address. */
static void debug_find_put_rows(struct findings *f, struct line_program *p)
{
	struct span_cursor cursor = { f->all->vm, 0 };
	struct line_row row;
	label_id last = LABEL_NONE;
	uint64_t vm;
	while (line_next(p, &row)) {
		if (!row.end_sequence)
			last = debuginfo_addr(f->all->info, row.addr, &vm)
				       ? cursor_label(&cursor, vm)
				       : LABEL_NONE;
		find_sized(f, DW_LINE, row.start, row.off - row.start, last);
	}
}

void find_line_program(struct findings *f, struct line_program *p)
{
	static const enum dw_section tables[] = { DW_LINE_STR, DW_STR };
	for (size_t k = 0; k < COUNT_OF(tables); k++) {
		for (size_t i = 0; i < p->dirs.count; i++)
			debug_find_put_text(f, p->dwarf, tables[k], p->dirs.data[i]);
		for (size_t i = 0; i < p->files.count; i++)
			debug_find_put_text(f, p->dwarf, tables[k], p->files.data[i].name);
	}
	if (f->all->by_symbol)
		debug_find_put_rows(f, p);
	find_sized(f, DW_LINE, p->off, p->size, f->unit_label);
}

void find_decorate(const struct debug_bytes *b, struct text *name)
{
	/* rustc adds the object file's name after the name of the source:
	 * "src/lib.rs/@/std.e28293b1-cgu.0". */
	if (b->by_file)
		name->len = str_find(text_str(name), STR("/@/"));
	if (b->by_symbol)
		text_add(name, STR(" (debug info)"));
}

bool find_unit_name(const struct debug_bytes *b, const struct unit *u, struct text *ret)
{
	if (b->f->as_bloaty && u->name.len > 0)
		text_set(ret, u->name);
	else if (!unit_name(u, ret))
		return false;
	find_decorate(b, ret);
	return true;
}

/* Claims the unit's own parts of the tables of addresses, strings and lists. */
static void table_bytes(struct findings *f, const struct unit *u)
{
	const uint64_t header = u->offset_size == 8 ? 16 : 8;
	const bool by_symbol = f->all->by_symbol;
	const label_id l = f->unit_label;
	find_open(f, DW_ABBREV, u->abbrev_off, l);
	if (u->str_offsets_base != DW_NO_OFFSET && !by_symbol)
		find_open(f, DW_STR_OFFSETS,
			  u->str_offsets_base -
				  (u->version >= 5 ? min_u64(header, u->str_offsets_base) : 0),
			  l);
	if (u->addr_base != DW_NO_OFFSET && !by_symbol)
		find_open(f, DW_ADDR,
			  u->addr_base - (u->version >= 5 ? min_u64(header, u->addr_base) : 0), l);
	/* In GNU's split DWARF 4, the skeleton refers to the lists of ranges. */
	if (u->ranges_base != DW_NO_OFFSET)
		find_open(f, DW_RANGES, u->ranges_base, l);
	if (u->rnglists_base != DW_NO_OFFSET)
		find_open(f, DW_RNGLISTS, u->rnglists_base - min_u64(header + 4, u->rnglists_base),
			  l);
	if (u->loclists_base != DW_NO_OFFSET)
		find_open(f, DW_LOCLISTS, u->loclists_base - min_u64(header + 4, u->loclists_base),
			  l);
}

/* Claims a function's code, for units whose first entry gives no code. Returns false. */
static bool on_function(void *ctx, const struct die *d, const struct reader *attrs)
{
	struct findings *f = ctx;
	struct described e;
	if (d->abbrev->tag == DW_TAG_subprogram) {
		debug_find_read_described(f->unit, d, *attrs, &e);
		die_ranges_some(f->unit, &e.code, debug_find_on_range, f, &f->range_budget);
	}
	return false;
}

/* Gives an instance (code of another unit, from link-time optimization) a label of its own, and
 * returns true. The label is replaced later by that of the unit in which the source is. */
static bool on_instance(void *ctx, const struct die *d, const struct reader *attrs)
{
	struct findings *f = ctx;
	struct described e;
	debug_find_read_described(f->unit, d, *attrs, &e);
	const bool instance = e.origin.kind == VALUE_REF_INFO;
	if (instance) {
		f->owner = f->unit_label = local_label_pending(&f->labels);
		f->entry_off = d->off;
		vec_push(&f->instances,
			 (struct instance_label){ f->unit_label, e.origin.u, f->instances_unit });
	}
	if (d->abbrev->tag == DW_TAG_subprogram)
		die_ranges_some(f->unit, &e.code, debug_find_on_range, f, &f->range_budget);
	return instance;
}

static void on_leave_instance(void *ctx, uint64_t end_off)
{
	struct findings *f = ctx;
	find_sized(f, f->unit->in, f->entry_off, end_off - f->entry_off, f->owner);
	f->owner = f->unit_label = f->instances_unit;
}

/* Claims the code of an entry of any kind, as Bloaty does. Declarations, entries that the linker
 * removed, and the entries inside of both claim nothing. Returns true for a declaration or removed
 * entry. */
static bool on_any_entry(void *ctx, const struct die *d, const struct reader *attrs)
{
	struct findings *f = ctx;
	const struct unit *u = f->unit;
	struct described e;
	uint64_t low;
	const bool first = d->off == u->die_off;
	debug_find_read_described(u, d, *attrs, &e);
	const bool dropped = value_addr(u, &e.code.low, &low) &&
			     (low == 0 || dwarf_is_tombstone(u->dwarf, low, u->address_size));
	f->declared = !first && (e.declaration || dropped);
	if (!f->declared && (!first || f->foreign))
		die_ranges_some(u, &e.code, debug_find_on_range, f, &f->range_budget);
	return f->declared;
}

static void on_leave_declared(void *ctx, uint64_t end_off)
{
	struct findings *f = ctx;
	(void)end_off;
	f->declared = false;
}

static void walk_entries(struct findings *f, const struct unit *u, bool has_code)
{
	const struct debug_bytes *b = f->all;
	struct walker w = { .ctx = f, .string = on_string, .list = on_list };
	if (b->variable)
		w.variable = debug_find_on_variable;
	if (b->by_symbol) {
		w.enter = on_enter;
		w.leave = on_leave;
	} else if (b->code && b->f->as_bloaty) {
		w.all = true;
		w.enter = on_any_entry;
		w.leave = on_leave_declared;
	} else if (b->code && unit_is_made_by_linker(u)) {
		f->instances_unit = f->unit_label;
		w.enter = on_instance;
		w.leave = on_leave_instance;
	} else if (!has_code && b->code && !unit_is_type(u)) {
		w.enter = on_function;
	}
	if (!b->own || f->foreign)
		w.string = NULL, w.list = NULL;
	f->unit = u;
	f->owner = f->unit_label;
	unit_walk(u, &w);
	put_waiting(f);
}

/* Walks the split unit of a skeleton, which has the unit's name and its variables' addresses. */
static void walk_split(struct findings *f, const struct unit *skeleton, struct abbrev_cache *cache)
{
	struct unit u;
	struct text name = { 0 };
	if (!debuginfo_split(f->all->info, skeleton, &u) || !unit_open(&u, cache, skeleton))
		return;
	if (find_unit_name(f->all, &u, &name))
		f->unit_label = local_label(&f->labels, text_str(&name));
	text_release(&name);
	f->foreign = true;
	if (f->all->variable)
		walk_entries(f, &u, true);
	f->foreign = false;
}

struct unit_found find_unit(struct findings *f, struct unit *u, struct abbrev_cache *cache,
			    bool split)
{
	const struct debug_bytes *b = f->all;
	struct unit_found ret = { .label = LABEL_NONE };
	struct text name = { 0 };
	struct die top;
	struct described e = { 0 };
	uint64_t addr;
	ASSERT(f->waiting_count == 0 && !f->foreign);
	if (!unit_open(u, cache, NULL))
		return ret;
	f->unit = u;
	f->unit_label = find_unit_name(b, u, &name) ? local_label(&f->labels, text_str(&name))
						    : local_label_pending(&f->labels);
	text_release(&name);
	if (split && unit_is_skeleton(u))
		walk_split(f, u, cache);
	f->unit = u;
	struct reader r = unit_reader(u, u->die_off);
	if (die_next(u, &r, &top) && top.abbrev)
		debug_find_read_described(u, &top, r, &e);
	ret.code = e.code; /* Code attributes of the first entry */
	const bool has_code = !b->code || first_code(u, &ret.code, &addr);
	table_bytes(f, u);
	walk_entries(f, u, has_code);
	if (b->code && !b->f->as_bloaty && unit_is_made_by_linker(u))
		ret.code = (struct die_code){ 0 }; /* The code of such a unit includes padding after
						    * other owners' functions. */
	find_sized(f, u->in, u->off, u->size, f->unit_label);
	ret.label = f->unit_label;
	return ret;
}
