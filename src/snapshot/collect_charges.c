/* Charges of a program: a roll-up of its file and VM image by symbol, compile unit and object. */
#include "snapshot/collect_internal.h"

#include "base/sort.h"
#include "map/rollup.h"

enum { BY_SYMBOL, BY_UNIT, BY_OBJECT, BY_DEBUG, CHARGE_LEVELS };

/* The texts of labels, by label; UINT32_MAX: not made yet. */
struct label_texts {
	uint32_t *ids;
	size_t count;
};

struct charging {
	struct snapshot *s;
	uint32_t container;
	const struct collect_input *in;
	size_t level_count;
	struct label_texts names, spaces, paths, objects;
	struct demangler demangler;
	/* The symbols of a label: the first, by label, and the next one, by symbol made. */
	VEC(uint32_t) first_of_label;
	uint32_t *next;
	size_t first; /* of the container in the symbols */
};

static struct label_texts texts_make(const struct labels *l)
{
	struct label_texts t = { NULL, l->kinds.count };
	t.ids = mem_alloc((t.count + 1) * sizeof *t.ids);
	memset(t.ids, 0xff, t.count * sizeof *t.ids);
	return t;
}

/* ---- walking --------------------------------------------------------------------------------- */

/* Covers the file; the label is 1 in sections of debug info, else 0. */
static void debug_spans_find(const struct input *in, struct spans *ret)
{
	struct claims debug = { 0 };
	struct spans found = { 0 };
	uint64_t end = 0;
	for (size_t i = 0; i < in->image_count; i++) {
		const struct image *im = &in->images[i];
		for (size_t k = 1; k < im->section_count; k++)
			if (section_name_is_debug(im->sections[k].name))
				claim(&debug, im->file_off + im->sections[k].off,
				      im->sections[k].file_size, 1, WHY_SECTION);
	}
	claims_resolve(&debug, input_size(in), &found);
	spans_cut(&found, input_size(in));
	for (size_t i = 0; i < found.list.count; i++) {
		const struct span *s = &found.list.data[i];
		spans_push(ret, end, s->start - end, 0);
		spans_push(ret, s->start, s->size, 1);
		end = s->start + s->size;
	}
	spans_push(ret, end, input_size(in) - end, 0);
	spans_release(&found);
}

/* Covers the VM image, which has no debug info. */
static void vm_spans_find(const struct basemap *map, struct spans *ret)
{
	for (size_t i = 0; i < map->ranges.count; i++)
		spans_push(ret, map->ranges.data[i].addr, map->ranges.data[i].size, 0);
}

static struct rollup_walk collect_charges_walk_of(const struct charging *c, enum heft_domain domain,
						  const struct spans *debug,
						  struct rollup_level *levels)
{
	const struct charge_level *const from[] = { &c->in->by_symbol, &c->in->by_unit,
						    &c->in->by_object };
	const size_t sources = c->level_count - 1;
	for (size_t i = 0; i < sources; i++)
		levels[i].spans = domain == HEFT_VM ? &from[i]->layer->vm : &from[i]->layer->file;
	levels[sources].spans = debug;
	return (struct rollup_walk){ .domain = domain,
				     .role = HEFT_INPUT,
				     .levels = levels,
				     .level_count = c->level_count };
}

static void charges_walk(const struct charging *c, struct rollup *r)
{
	struct rollup_level vm_levels[CHARGE_LEVELS] = { { 0 } };
	struct rollup_level file_levels[CHARGE_LEVELS] = { { 0 } };
	struct spans debug = { 0 }, all = { 0 };
	debug_spans_find(c->in->file->input, &debug);
	vm_spans_find(c->in->file->map, &all);
	const struct rollup_walk vm = collect_charges_walk_of(c, HEFT_VM, &all, vm_levels);
	const struct rollup_walk file = collect_charges_walk_of(c, HEFT_FILE, &debug, file_levels);
	rollup_add_both(r, &vm, &file, c->in->file->threads);
	spans_release(&debug);
	spans_release(&all);
}

/* ---- texts ----------------------------------------------------------------------------------- */

static uint32_t collect_charges_path_text(struct charging *c, struct label_texts *t,
					  const struct labels *l, label_id label)
{
	if (t->ids[label] == UINT32_MAX)
		t->ids[label] = intern_add(&c->s->texts, label_text(l, label));
	return t->ids[label];
}

static void symbol_texts_make(struct charging *c, label_id label)
{
	const struct str raw = label_text(c->in->by_symbol.labels, label);
	const struct str name = demangle(&c->demangler, raw, HEFT_NAMES_SHORT);
	c->names.ids[label] = intern_add(&c->s->texts, name);
	c->spaces.ids[label] = 0;
	if (!label_is_fallback(c->in->by_symbol.labels, label))
		c->spaces.ids[label] = intern_add(&c->s->texts,
						  namespace_of(c->in->spaces, &c->demangler, raw));
}

/* What all names tell of namespaces, as a roll-up by them learns it: from the VM image before the
 * file. */
static void symbol_texts_make_all(struct charging *c, const struct spans *spans)
{
	VEC(label_id) todo = { 0 };
	for (size_t i = 0; i < spans->list.count; i++) {
		const label_id label = spans->list.data[i].label;
		if (c->names.ids[label] != UINT32_MAX)
			continue;
		c->names.ids[label] = 0;
		vec_push(&todo, label);
		namespaces_learn(c->in->spaces, &c->demangler,
				 label_text(c->in->by_symbol.labels, label));
	}
	for (size_t i = 0; i < todo.count; i++)
		symbol_texts_make(c, todo.data[i]);
	vec_release(&todo);
}

/* ---- cells ----------------------------------------------------------------------------------- */

/* So many symbols of one label are looked at; what is in none of their sources is of the first. */
enum { LOOKED_AT = 1000 };

/* The symbol of a label, in that source if there is one. */
static uint32_t collect_charges_symbol_of(const struct charging *c, label_id label, uint32_t source)
{
	uint32_t best = SNAP_NO_SYMBOL;
	if (label >= c->first_of_label.count)
		return best;
	uint32_t i = c->first_of_label.data[label];
	for (size_t left = LOOKED_AT; i != SNAP_NO_SYMBOL && left > 0;
	     i = c->next[i - c->first], left--) {
		if (c->s->symbols.data[i].source == source)
			return i;
		best = best == SNAP_NO_SYMBOL ? i : best;
	}
	return best;
}

static void charge_add(struct charging *c, const label_id *path, const union heft_value *sums)
{
	const size_t sources = c->level_count - 1;
	struct snap_charge y = { .file = sums[HEFT_SIZE_FILE].whole,
				 .vm = sums[HEFT_SIZE_VM].whole,
				 .name = c->names.ids[path[BY_SYMBOL]],
				 .space = c->spaces.ids[path[BY_SYMBOL]],
				 .container = c->container,
				 .debug = path[sources] != 0 };
	y.source = collect_charges_path_text(c, &c->paths, c->in->by_unit.labels, path[BY_UNIT]);
	if (sources > BY_OBJECT)
		y.object = collect_charges_path_text(c, &c->objects, c->in->by_object.labels,
						     path[BY_OBJECT]);
	y.symbol = collect_charges_symbol_of(c, path[BY_SYMBOL], y.source);
	vec_push(&c->s->charges, y);
}

/* The nodes of the last level are the cells. */
static void charges_add(struct charging *c, const struct tree *t)
{
	uint8_t *depth = mem_zeroed(t->nodes.count, sizeof *depth);
	uint64_t file = 0, vm = 0;
	for (uint32_t i = 1; i < t->nodes.count; i++) {
		label_id path[CHARGE_LEVELS];
		depth[i] = depth[t->nodes.data[i].parent] + 1;
		if (depth[i] < c->level_count)
			continue;
		uint32_t node = i;
		for (size_t k = c->level_count; k-- > 0; node = t->nodes.data[node].parent)
			path[k] = t->nodes.data[node].key;
		const union heft_value *sums = tree_sums(t, i, HEFT_INPUT);
		charge_add(c, path, sums);
		file += sums[HEFT_SIZE_FILE].whole;
		vm += sums[HEFT_SIZE_VM].whole;
	}
	ASSERT(file == input_size(c->in->file->input));
	ASSERT(vm == c->in->file->map->vm_size);
	mem_free(depth);
}

static void symbols_by_label(struct charging *c, const uint32_t *label_of)
{
	const size_t count = c->s->symbols.count - c->first;
	c->next = mem_alloc((count + 1) * sizeof *c->next);
	for (size_t i = count; i-- > 0;) {
		const label_id label = label_of[i];
		if (label == LABEL_NONE)
			continue;
		while (c->first_of_label.count <= label)
			vec_push(&c->first_of_label, SNAP_NO_SYMBOL);
		c->next[i] = c->first_of_label.data[label];
		c->first_of_label.data[label] = (uint32_t)(c->first + i);
	}
}

void collect_charges(struct collect *c, size_t first)
{
	const struct collect_input *in = c->in;
	struct charging z = { .s = c->s, .container = c->container, .in = in, .first = first };
	struct rollup r;
	z.level_count = in->by_object.layer ? CHARGE_LEVELS : CHARGE_LEVELS - 1;
	z.names = texts_make(in->by_symbol.labels);
	z.spaces = texts_make(in->by_symbol.labels);
	z.paths = texts_make(in->by_unit.labels);
	if (in->by_object.layer)
		z.objects = texts_make(in->by_object.labels);
	symbol_texts_make_all(&z, &in->by_symbol.layer->vm);
	symbol_texts_make_all(&z, &in->by_symbol.layer->file);
	symbols_by_label(&z, c->labels.data);
	rollup_init(&r, 0, false);
	charges_walk(&z, &r);
	charges_add(&z, &r.tree);
	rollup_release(&r);
	mem_free(z.names.ids);
	mem_free(z.spaces.ids);
	mem_free(z.paths.ids);
	mem_free(z.objects.ids);
	mem_free(z.next);
	vec_release(&z.first_of_label);
	demangler_release(&z.demangler);
}

/* ---- what no source has measured ------------------------------------------------------------- */

void snapshot_charge_symbols(struct snapshot *s, uint32_t container)
{
	for (uint32_t i = 0; i < s->symbols.count; i++) {
		const struct snap_symbol *y = &s->symbols.data[i];
		const struct snap_section *sec = &s->sections.data[y->section];
		const int64_t size = (int64_t)y->size + y->padding;
		if (sec->container != container || y->alias_place > 0 || size <= 0)
			continue;
		vec_push(&s->charges,
			 (struct snap_charge){ .file = sec->in_file ? (uint64_t)size : 0,
					       .vm = sec->in_memory ? (uint64_t)size : 0,
					       .name = y->full_name,
					       .source = y->source,
					       .object = y->object,
					       .component = y->component,
					       .container = container,
					       .symbol = i });
	}
}

struct charge_place {
	uint64_t symbol;
	uint64_t charge;
};

void snapshot_charges_sort(struct snapshot *s)
{
	const size_t count = s->charges.count;
	struct charge_place *order = mem_alloc((count + 1) * sizeof *order);
	struct snap_charge *old = mem_alloc((count + 1) * sizeof *old);
	for (size_t i = 0; i < count; i++) {
		old[i] = s->charges.data[i];
		order[i] = (struct charge_place){ old[i].symbol, i };
	}
	sort_by_key(order, count, sizeof *order);
	for (size_t i = 0; i < count; i++)
		s->charges.data[i] = old[order[i].charge];
	mem_free(order);
	mem_free(old);
}

void snapshot_charges_follow(struct snapshot *s, const uint32_t *to)
{
	for (size_t i = 0; i < s->charges.count; i++) {
		uint32_t *symbol = &s->charges.data[i].symbol;
		if (*symbol != SNAP_NO_SYMBOL)
			*symbol = to[*symbol];
	}
}
