/* Walks over debug info: runs units and line programs as jobs, and joins their claims. */
#include "debugowners/debug_bytes.h"

#include "base/pool.h"
#include "base/sort.h"
#include "debug/index.h"
#include "debugowners/debug_find.h"

/* Adds a label, unless its key is not above the last one: the list must stay sorted. */
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

static label_id label_of_name(const struct debug_bytes *b, const struct unit *u)
{
	struct text name = { 0 };
	const label_id label = find_unit_name(b, u, &name)
				       ? label_copy(b->f->labels, text_str(&name))
				       : LABEL_NONE;
	text_release(&name);
	return label;
}

/* Returns the label of a unit without a name (partial and type units): the label of the unit with
 * the same line program, otherwise of the first unit with a name. look_ahead() has found that unit,
 * because type units of .dwo files come before it. */
static label_id label_of_nameless(const struct debug_bytes *b, const struct unit *u)
{
	label_id label = LABEL_NONE;
	if (u->tag == DW_TAG_partial_unit)
		label = keyed_find(&b->partial, u->off);
	if (label == LABEL_NONE && u->line_off != DW_NO_OFFSET)
		label = keyed_find(&b->by_line, find_placed(&b->found, DW_LINE, u->line_off));
	if (b->f->as_bloaty) /* Bloaty skips other units without a name. */
		return label;
	if (label == LABEL_NONE && !b->found.base)
		label = b->first_name;
	if (label != LABEL_NONE)
		return label;
	struct text name = { 0 };
	text_set(&name, STR("(units without a name)"));
	find_decorate(b, &name);
	label = label_copy(b->f->labels, text_str(&name));
	text_release(&name);
	return label;
}

struct macros {
	struct findings *f;
	enum dw_section in;
	VEC(uint64_t) todo;
};

static void on_macro_string(void *ctx, enum dw_section table, uint64_t off)
{
	struct macros *m = ctx;
	find_string(m->f, table, off, m->f->unit_label);
}

static void on_import(void *ctx, uint64_t off)
{
	struct macros *m = ctx;
	vec_push(&m->todo, off);
}

/* Claims a unit's macro information and imported parts. The first unit to import a part owns it. */
static void macro_bytes(struct findings *f, const struct unit *u)
{
	struct macros m = { .f = f, .in = u->version >= 5 ? DW_MACRO : DW_MACINFO };
	const struct macro_refs refs = { .string = on_macro_string,
					 .import = on_import,
					 .ctx = &m };
	if (f->all->info->dwarf.size[m.in] == 0)
		m.in = m.in == DW_MACRO ? DW_MACINFO : DW_MACRO;
	if (!f->all->own || u->macro_off == DW_NO_OFFSET)
		return;
	vec_push(&m.todo, u->macro_off);
	while (m.todo.count > 0) {
		const uint64_t off = m.todo.data[--m.todo.count];
		uint64_t size;
		if (find_first(f, m.in, off) &&
		    macro_walk(u->dwarf, m.in, off, u->str_offsets_base, &refs, &size))
			find_sized(f, m.in, off, size, f->unit_label);
	}
	vec_release(&m.todo);
}

/* Reads a line program of a package now, because its unit's struct dwarf is soon reused. */
static void read_line_program(struct findings *f, const struct unit *u)
{
	struct line_program p;
	if (line_open(&p, u->dwarf, u->line_off, u->address_size, u->comp_dir,
		      u->str_offsets_base)) {
		find_line_program(f, &p);
		line_release(&p);
	} else {
		find_open(f, DW_LINE, u->line_off, f->unit_label);
	}
}

/* Claims the unit's line program. If it must be read, lists it, or in a package reads it now. */
static void line_bytes(struct debug_bytes *b, const struct unit *u)
{
	struct findings *f = &b->found;
	/* A split unit's file table comes first. It has no rows, because only DW_AT_decl_file uses
	 * it (7.3.2.2). */
	if (b->own && u->line_off == DW_NO_OFFSET && u->dwarf->split)
		find_open(f, DW_LINE, 0, f->unit_label);
	if (!b->own || u->line_off == DW_NO_OFFSET || !find_first(f, DW_LINE, u->line_off))
		return;
	if (!b->by_symbol && b->info->dwarf.size[DW_LINE_STR] == 0)
		find_open(f, DW_LINE, u->line_off, f->unit_label);
	else if (f->base)
		read_line_program(f, u);
	else
		vec_push(&b->lines, (struct line_use){ .off = u->line_off,
						       .comp_dir = STR(""),
						       .str_offsets_base = u->str_offsets_base,
						       .address_size = u->address_size,
						       .mark = f->unit_label });
}

/* A job of line programs. It begins with a line_job. */
struct line_findings {
	struct line_job job;
	struct findings found;
};

static void debug_bytes_work_lines(void *ctx, struct line_job *job, unsigned worker)
{
	const struct debug_bytes *b = ctx;
	struct findings *f = &((struct line_findings *)job)->found;
	f->all = b;
	f->seen = b->job_seen[worker];
	for (size_t i = 0; i < job->count; i++) {
		struct line_program p;
		f->unit_label = job->uses[i].mark;
		if (line_job_open(job, &job->uses[i], &p)) {
			find_line_program(f, &p);
			line_release(&p);
		} else {
			find_open(f, DW_LINE, job->uses[i].off, f->unit_label);
		}
	}
}

/* Drops claims of offsets that an earlier job owns. A thread knows only its own jobs' claims. */
static void keep_first(struct debug_bytes *b, struct claims *c, enum dw_section in)
{
	size_t count = 0;
	if (b->job_seen == &b->seen)
		return;
	for (size_t i = 0; i < c->list.count; i++) {
		const struct claim k = c->list.data[i];
		if (bits_first(&b->seen[in], b->info->dwarf.size[in], k.start))
			c->list.data[count++] = k;
	}
	c->list.count = count;
}

static void debug_bytes_join(struct debug_bytes *b, struct findings *f)
{
	keep_first(b, &f->claims[DW_STR], DW_STR);
	keep_first(b, &f->claims[DW_LINE_STR], DW_LINE_STR);
	for (size_t i = 0; i < DW_SECTIONS; i++)
		claims_join(&b->found.claims[i], &f->claims[i], &f->labels);
	if (b->vm_claims)
		claims_join(b->vm_claims, &f->vm, &f->labels);
	local_labels_clear(&f->labels);
}

/* Copies a job's instances (struct instance_label) to `b`, with new labels of the profile. */
static void instances_take(struct debug_bytes *b, struct findings *f)
{
	for (size_t i = 0; i < f->instances.count; i++) {
		struct instance_label k = f->instances.data[i];
		char text[40];
		snprintf(text, sizeof text, "(entry at 0x%" PRIx64 ")", k.origin);
		const label_id label = label_copy(b->f->labels, str_of(text));
		local_label_settle(&f->labels, k.label, label);
		vec_push(&b->instances,
			 (struct instance_label){ label, k.origin,
						  local_label_joined(&f->labels, k.unit) });
	}
	f->instances.count = 0;
}

static label_id instance_unit(const struct debug_bytes *b, const struct instance_label *k)
{
	const size_t above = vec_upper(&b->units, k->origin);
	const label_id label = above > 0 ? b->units.data[above - 1].label : LABEL_NONE;
	return label != LABEL_NONE ? label : k->unit;
}

/* Replaces the labels of instances in claims. `meant`: by instance label, the label of its unit. */
static void instances_relabel(const keyed_vec *meant, struct claims *claims)
{
	vec_each(struct claim, c, &claims->list) {
		const label_id unit = keyed_find(meant, c->label);
		if (unit != LABEL_NONE)
			c->label = unit;
	}
}

/* Replaces the labels of instances by the labels of their units, which all exist now. */
static void instances_settle(struct debug_bytes *b)
{
	keyed_vec meant = { 0 };
	if (b->instances.count == 0)
		return;
	vec_each(const struct instance_label, k, &b->instances)
		vec_push(&meant, (struct keyed){ k->label, instance_unit(b, k) });
	vec_sort(&meant);
	for (size_t i = 0; i < DW_SECTIONS; i++)
		instances_relabel(&meant, &b->found.claims[i]);
	if (b->vm_claims)
		instances_relabel(&meant, b->vm_claims);
	vec_release(&meant);
}

static void release_findings(struct findings *f)
{
	for (size_t i = 0; i < DW_SECTIONS; i++)
		vec_release(&f->claims[i].list);
	vec_release_all(&f->vm.list, &f->instances);
	local_labels_release(&f->labels);
}

static void debug_bytes_take_lines(void *ctx, struct line_job *job)
{
	debug_bytes_join(ctx, &((struct line_findings *)job)->found);
}

static void debug_bytes_release_lines(void *ctx, struct line_job *job)
{
	(void)ctx;
	release_findings(&((struct line_findings *)job)->found);
}

static void all_lines(struct debug_bytes *b)
{
	const struct line_jobs jobs = { .dwarf = &b->info->dwarf,
					.uses = &b->lines,
					.threads = b->f->threads,
					.job_size = sizeof(struct line_findings),
					.ctx = b,
					.work = debug_bytes_work_lines,
					.take = debug_bytes_take_lines,
					.release = debug_bytes_release_lines };
	if (b->lines.count > 0)
		line_jobs_run(&jobs);
}

/* Greatest number of range list entries that one job may read for functions. Damaged lists may have
 * more. Real jobs have some thousands. */
enum { JOB_RANGES = 1 << 20 };

void debug_bytes_units(struct debug_bytes *b, struct unit_findings *j, unsigned worker)
{
	struct findings *f = &j->found;
	f->all = b;
	f->seen = b->job_seen[j->job.head.alone ? b->job_alone : worker];
	f->range_budget = JOB_RANGES;
	j->units.count = 0;
	for (size_t i = 0; i < j->job.units.count; i++)
		vec_push(&j->units,
			 find_unit(f, &j->job.units.data[i], &j->job.cache, j->job.head.alone));
	if (b->done)
		b->done(b->ctx, f);
}

static void debug_bytes_on_range(void *ctx, uint64_t addr, uint64_t size)
{
	struct debug_bytes *b = ctx;
	uint64_t vm;
	if (debuginfo_addr(b->info, addr, &vm))
		b->code(b->ctx, vm, size, b->found.unit_label, b->vm_claims);
}

/* Claims the code of a unit. Of several units with one range list, only the first claims it. */
static void debug_bytes_unit_code(struct debug_bytes *b, const struct unit *u,
				  const struct die_code *code)
{
	enum dw_section in;
	uint64_t off;
	if (b->code && ranges_offset(u, &code->ranges, &in, &off)) {
		const uint64_t size = b->info->dwarf.size[in];
		off = find_placed(&b->found, in, off);
		if (off < size && !bits_first(&b->lists_seen[in], size, off))
			return;
	}
	if (b->code)
		die_ranges(u, code, debug_bytes_on_range, b);
}

/* Returns the final label of a unit. Records it, and facts about the unit that later units need. */
static label_id debug_bytes_settle(struct debug_bytes *b, struct findings *f, const struct unit *u,
				   label_id label)
{
	if ((label & (LABEL_LOCAL | LABEL_PENDING)) == (LABEL_LOCAL | LABEL_PENDING))
		local_label_settle(&f->labels, label, label_of_nameless(b, u));
	label = local_label_joined(&f->labels, label);
	if (u->line_off != DW_NO_OFFSET && label != LABEL_NONE)
		keyed_add(&b->by_line, find_placed(&b->found, DW_LINE, u->line_off), label);
	if (u->signature && unit_is_type(u))
		vec_push(&b->by_signature, (struct keyed){ u->signature, label });
	b->several = b->several || (b->any && b->sole != label);
	b->sole = label;
	b->any = true;
	return label;
}

void debug_bytes_take(struct debug_bytes *b, struct unit_findings *j)
{
	struct findings *all = &b->found;
	ASSERT(j->units.count == j->job.units.count);
	local_labels_join(&j->found.labels, b->f->labels);
	for (size_t i = 0; i < j->units.count; i++) {
		struct unit_found *found = &j->units.data[i];
		const struct unit *u = &j->job.units.data[i];
		if (found->label == LABEL_NONE) {
			if (u->in == DW_INFO)
				keyed_add(&b->units, u->off, LABEL_NONE);
			continue;
		}
		b->address_size = u->address_size;
		b->offset_size = u->offset_size;
		if (u->addr_base != DW_NO_OFFSET)
			b->addr_version = u->version;
		if (u->str_offsets_base != DW_NO_OFFSET)
			b->str_offsets_version = u->version;
		all->unit_label = found->label = debug_bytes_settle(b, &j->found, u, found->label);
		if (u->in == DW_INFO)
			keyed_add(&b->units, u->off, found->label);
		if (found->label != LABEL_NONE)
			debug_bytes_unit_code(b, u, &found->code);
	}
	instances_take(b, &j->found);
	debug_bytes_join(b, &j->found);
	for (size_t i = 0; i < j->units.count; i++) {
		all->unit_label = j->units.data[i].label;
		if (all->unit_label == LABEL_NONE)
			continue;
		line_bytes(b, &j->job.units.data[i]);
		macro_bytes(all, &j->job.units.data[i]);
	}
}

static void debug_bytes_work_units(void *ctx, struct unit_job *job, unsigned worker)
{
	debug_bytes_units(ctx, (struct unit_findings *)job, worker);
}

static void debug_bytes_take_units(void *ctx, struct unit_job *job)
{
	debug_bytes_take(ctx, (struct unit_findings *)job);
}

void unit_findings_release(struct unit_findings *j)
{
	release_findings(&j->found);
	vec_release(&j->units);
}

static void debug_bytes_release_units(void *ctx, struct unit_job *job)
{
	(void)ctx;
	unit_findings_release((struct unit_findings *)job);
}

static void debug_bytes_progress(void *ctx, uint64_t off)
{
	const struct debug_bytes *b = ctx;
	progress_tell("debug info", off, b->info->dwarf.size[DW_INFO]);
}

static void all_units(struct debug_bytes *b, enum dw_section in)
{
	const struct unit_jobs jobs = { .dwarf = &b->info->dwarf,
					.in = in,
					.threads = b->f->threads,
					.job_size = sizeof(struct unit_findings),
					.ctx = b,
					.work = debug_bytes_work_units,
					.take = debug_bytes_take_units,
					.release = debug_bytes_release_units,
					.progress = in == DW_INFO ? debug_bytes_progress : NULL };
	if (b->info->dwarf.size[in] > 0)
		unit_jobs_run(&jobs);
}

/* An import of a partial unit. The first importing unit owns it. */
struct debug_bytes_import {
	uint64_t to;   /* Offset of the partial unit */
	uint64_t from; /* Offset of the importing unit */
};

typedef VEC(struct debug_bytes_import) import_vec;

/* Lists the imports of a unit. dwz writes them before all other children. */
static void debug_bytes_list_imports(const struct unit *u, import_vec *ret)
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
				vec_push(ret, (struct debug_bytes_import){ v.u, u->off });
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
	struct abbrev_cache cache = { 0 };
	struct unit u;
	uint64_t off = 0;
	while (unit_next(&b->info->dwarf, DW_INFO, &off, &u)) {
		if (!unit_open(&u, &cache, NULL))
			continue;
		const bool partial = u.tag == DW_TAG_partial_unit;
		debug_bytes_list_imports(&u, &imports);
		vec_push(&units,
			 (struct unit_label){ u.off, partial ? LABEL_NONE : label_of_name(b, &u),
					      partial });
	}
	spread_labels(&units, &imports);
	for (size_t i = 0; i < units.count; i++)
		if (units.data[i].partial && units.data[i].label != LABEL_NONE)
			keyed_add(&b->partial, units.data[i].off, units.data[i].label);
	vec_release_all(&units, &imports);
	abbrev_cache_release(&cache);
}

/* Finds the first unit with a name. True if the first unit of all is a partial unit, which is so
 * only in files of dwz. */
static bool look_ahead(struct debug_bytes *b)
{
	struct dwarf *d = &b->info->dwarf;
	struct abbrev_cache cache = { 0 };
	struct unit u;
	uint64_t off = 0;
	bool first = true, partial = false;
	b->first_name = LABEL_NONE;
	dwarf_pass_begin(d, DW_INFO);
	while (b->first_name == LABEL_NONE && unit_next(d, DW_INFO, &off, &u)) {
		dwarf_pass(d, DW_INFO, 0, unit_end(&u));
		const bool there = unit_open(&u, &cache, NULL);
		partial = partial || (first && there && u.tag == DW_TAG_partial_unit);
		first = false;
		if (there)
			b->first_name = label_of_name(b, &u);
	}
	abbrev_cache_release(&cache);
	return partial;
}

/* Claims of code by .debug_aranges, as Bloaty makes them. */
struct arange_claims {
	const struct debug_bytes *b;
	label_id unit; /* The unit of the current set */
	struct claims claims;
};

static void on_arange(void *ctx, const struct index_piece *p)
{
	struct arange_claims *c = ctx;
	const struct debug_bytes *b = c->b;
	uint64_t vm;
	if (p->about == ABOUT_INFO)
		c->unit = keyed_find(&b->units, p->value);
	else if (c->unit != LABEL_NONE &&
		 !dwarf_is_tombstone(&b->info->dwarf, p->value, b->address_size) &&
		 debuginfo_addr(b->info, p->value, &vm))
		b->code(b->ctx, vm, p->length, c->unit, &c->claims);
}

/* Puts the claims of .debug_aranges before those of the units. */
static void claim_aranges(struct debug_bytes *b)
{
	struct arange_claims c = { .b = b, .unit = LABEL_NONE };
	if (b->info->dwarf.size[DW_ARANGES] == 0)
		return;
	aranges_pieces(&b->info->dwarf, on_arange, &c);
	claims_append(&c.claims, b->vm_claims);
	*b->vm_claims = c.claims;
}

static void release_seen(uint64_t *seen[DW_SECTIONS])
{
	for (size_t i = 0; i < DW_SECTIONS; i++) {
		mem_free(seen[i]);
		seen[i] = NULL;
	}
}

void debug_bytes_walk(struct debug_bytes *b)
{
	const unsigned threads = pool_threads(b->f->threads);
	ASSERT(!b->any && !b->job_seen && (!b->by_symbol || b->vm));
	b->found.all = b;
	b->found.seen = b->seen;
	/* Jobs that run alone have a `seen` of their own. They run late, when the thread's other
	 * jobs may have seen offsets of later units. */
	b->job_alone = threads == 1 ? 0 : threads;
	b->job_seen = threads == 1 ? &b->seen : mem_zeroed(threads + 1, sizeof *b->job_seen);
	/* Only the index of a package lists its units. */
	debug_package_walk(b, DW_CU_INDEX);
	debug_package_walk(b, DW_TU_INDEX);
	if (look_ahead(b)) {
		dwarf_pass_end(&b->info->dwarf, DW_INFO);
		find_partial_owners(b);
	}
	all_units(b, DW_INFO);
	all_units(b, DW_TYPES);
	instances_settle(b);
	if (b->f->as_bloaty && b->code)
		claim_aranges(b);
	all_lines(b);
	/* After all units and line programs, the `seen` bits are no longer needed. */
	if (b->job_seen != &b->seen) {
		for (unsigned i = 0; i <= b->job_alone; i++)
			release_seen(b->job_seen[i]);
		mem_free(b->job_seen);
	}
	sort_by_key(b->by_signature.data, b->by_signature.count, sizeof *b->by_signature.data);
}

void debug_bytes_release(struct debug_bytes *b)
{
	release_findings(&b->found);
	for (size_t i = 0; i < DW_SECTIONS; i++) {
		spans_release(&b->owners[i]);
		mem_free(b->lists_seen[i]);
	}
	release_seen(b->seen);
	vec_release_all(&b->lines, &b->by_line, &b->by_signature, &b->partial, &b->units,
			&b->instances);
}
