/* Makes the charges of a program (struct snap_charge): sums its file and VM image by symbol,
 * compile unit and object. */
#include "snapshot/collect_internal.h"

#include "base/sort.h"
#include "map/rollup.h"
#include "source/packages.h"

enum { BY_SYMBOL, BY_UNIT, BY_OBJECT, CHARGE_SOURCES };

/* Per label: id of its text. UINT32_MAX until needed */
struct label_texts {
	uint32_t *ids;
	size_t count;
};

struct charging {
	struct snapshot *s;
	uint32_t container;
	const struct collect_input *in;
	size_t sources; /* Number of labels of a charge. Without objects, BY_OBJECT is missing */
	size_t charged; /* Number of charges in earlier containers */
	enum heft_domain domain;
	/* Finds a charge by its labels. While sums are made, `name`, `source` and `object` of
	 * charges are labels instead of texts. */
	struct map by_labels;
	size_t guess; /* Index of the charge that is probably next */
	struct label_texts names, spaces, paths, objects;
	struct packages *packages;
	struct labels package_labels;
	VEC(uint32_t) package_ids; /* Per label of a package: id of its text. 0 until needed */
	struct demangler demangler;
	/* Per label: its first symbol. `next`, per symbol: the next one with its label. */
	VEC(uint32_t) first_of_label;
	uint32_t *next;
	size_t first; /* Index of the container's first symbol */
};

static struct label_texts texts_make(const struct labels *l)
{
	struct label_texts t = { NULL, l->kinds.count };
	t.ids = mem_alloc((t.count + 1) * sizeof *t.ids);
	memset(t.ids, 0xff, t.count * sizeof *t.ids);
	return t;
}

/* Makes spans that cover the file. Their label is 1 in sections of debug info, and 0 elsewhere. */
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
	vec_each(const struct span, s, &found.list) {
		spans_push(ret, end, s->start - end, 0);
		spans_push(ret, s->start, s->size, 1);
		end = s->start + s->size;
	}
	spans_push(ret, end, input_size(in) - end, 0);
	spans_release(&found);
}

static bool has_labels(const struct snap_charge *c, const struct snap_charge *like)
{
	return c->name == like->name && c->source == like->source && c->object == like->object &&
	       c->debug == like->debug;
}

/* Returns the index of the charge with the labels of `like`. Adds it if it is new. Tries a guess
 * first, because file and VM image have labels in the same order. */
static size_t charge_of(struct charging *c, const struct snap_charge *like)
{
	const struct snap_charge *charges = c->s->charges.data;
	uint32_t i;
	if (c->guess < c->s->charges.count && has_labels(&charges[c->guess], like))
		return c->guess;
	struct map_at at = map_at(&c->by_labels,
				  hash_pair((uint64_t)like->name << 32 | like->source,
					    (uint64_t)like->object << 1 | like->debug));
	while (map_next(&c->by_labels, &at, &i))
		if (has_labels(&charges[i], like))
			return i;
	ASSERT(c->s->charges.count < UINT32_MAX);
	map_put(&c->by_labels, &at, (uint32_t)c->s->charges.count);
	vec_push(&c->s->charges, *like);
	return c->s->charges.count - 1;
}

static void piece_charge(void *ctx, uint64_t start, uint64_t size, const label_id *labels)
{
	struct charging *c = ctx;
	const struct snap_charge like = { .name = labels[BY_SYMBOL],
					  .source = labels[BY_UNIT],
					  .object = c->sources > BY_OBJECT ? labels[BY_OBJECT] : 0,
					  .container = c->container,
					  .debug = labels[c->sources] != 0 };
	const size_t i = charge_of(c, &like);
	struct snap_charge *charge = &c->s->charges.data[i];
	(void)start;
	*(c->domain == HEFT_VM ? &charge->vm : &charge->file) += size;
	c->guess = i + 1;
}

/* Adds the bytes of the file or VM image to charges. `debug`: tells which bytes are debug info. */
static void domain_charge(struct charging *c, enum heft_domain domain, const struct spans *debug)
{
	const struct charge_level *const from[] = { &c->in->by_symbol, &c->in->by_unit,
						    &c->in->by_object };
	struct rollup_level levels[CHARGE_SOURCES + 1] = { { 0 } };
	for (size_t i = 0; i < c->sources; i++)
		levels[i].spans = domain == HEFT_VM ? &from[i]->layer->vm : &from[i]->layer->file;
	levels[c->sources].spans = debug;
	c->domain = domain;
	c->guess = c->charged;
	rollup_pieces(levels, c->sources + 1, piece_charge, c);
}

static void bytes_charge(struct charging *c)
{
	const struct basemap *map = c->in->file->map;
	struct spans debug = { 0 }, all = { 0 };
	uint64_t file = 0, vm = 0;
	debug_spans_find(c->in->file->input, &debug);
	/* The VM image has no debug info: spans with label 0 cover it. */
	for (size_t i = 0; i < map->ranges.count; i++)
		spans_push(&all, map->ranges.data[i].addr, map->ranges.data[i].size, 0);
	domain_charge(c, HEFT_VM, &all);
	domain_charge(c, HEFT_FILE, &debug);
	for (size_t i = c->charged; i < c->s->charges.count; i++) {
		file += c->s->charges.data[i].file;
		vm += c->s->charges.data[i].vm;
	}
	ASSERT(file == input_size(c->in->file->input));
	ASSERT(vm == c->in->file->map->vm_size);
	map_release(&c->by_labels);
	spans_release(&debug);
	spans_release(&all);
}

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
	const uint32_t id = intern_add(&c->s->texts,
				       demangle(&c->demangler, raw, HEFT_NAMES_SHORT));
	const struct str name = snapshot_text(c->s, id);
	c->names.ids[label] = id;
	c->spaces.ids[label] = 0;
	if (!label_is_fallback(c->in->by_symbol.labels, label))
		c->spaces.ids[label] = intern_add(
			&c->s->texts, namespace_of_shown(c->in->spaces, &c->demangler, raw, name));
}

/* Makes the texts of all names, first those of the VM image. The order decides which namespaces are
 * known, so it is that of a roll-up. */
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

/* Number of symbols with one label that are tested for a source file. If none has it, the first
 * symbol is used. */
enum { LOOKED_AT = 1000 };

/* Returns a symbol with the label: preferably one whose source file is `source`. */
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

static uint32_t package_text(struct charging *c, label_id package)
{
	while (c->package_ids.count <= package)
		vec_push(&c->package_ids, 0);
	uint32_t *id = &c->package_ids.data[package];
	if (*id == 0)
		*id = intern_add(&c->s->texts, label_text(&c->package_labels, package));
	return *id;
}

/* Replaces the labels of a charge by texts, and sets its symbol. */
static void charge_settle(struct charging *c, struct snap_charge *y)
{
	const label_id label = y->name;
	y->name = c->names.ids[label];
	y->space = c->spaces.ids[label];
	const label_id package = packages_label(c->packages, label, y->source);
	y->package = package == LABEL_NONE ? y->name : package_text(c, package);
	y->source = collect_charges_path_text(c, &c->paths, c->in->by_unit.labels, y->source);
	if (c->sources > BY_OBJECT)
		y->object = collect_charges_path_text(c, &c->objects, c->in->by_object.labels,
						      y->object);
	y->symbol = collect_charges_symbol_of(c, label, y->source);
}

void collect_charges(struct collect *c, size_t first)
{
	const struct collect_input *in = c->in;
	struct charging z = { .s = c->s,
			      .container = c->container,
			      .in = in,
			      .sources = in->by_object.layer ? CHARGE_SOURCES : BY_OBJECT,
			      .charged = c->s->charges.count,
			      .first = first };
	z.names = texts_make(in->by_symbol.labels);
	z.spaces = texts_make(in->by_symbol.labels);
	z.paths = texts_make(in->by_unit.labels);
	if (in->by_object.layer)
		z.objects = texts_make(in->by_object.labels);
	bytes_charge(&z);
	symbol_texts_make_all(&z, &in->by_symbol.layer->vm);
	symbol_texts_make_all(&z, &in->by_symbol.layer->file);
	symbols_by_label(&z, c->labels.data);
	/* Notes of this pass are dropped: the layers have made the same notes. */
	struct notes notes;
	struct source_file file = *in->file;
	notes_init(&notes);
	file.notes = &notes;
	z.packages = packages_new(&file,
				  &(struct package_input){ .symbols = in->by_symbol.layer,
							   .units = in->by_unit.layer,
							   .symbol_labels = in->by_symbol.labels,
							   .unit_labels = in->by_unit.labels,
							   .spaces = in->spaces,
							   .space_of = z.spaces.ids,
							   .space_texts = &c->s->texts,
							   .out = &z.package_labels });
	for (size_t i = z.charged; i < c->s->charges.count; i++)
		charge_settle(&z, &c->s->charges.data[i]);
	packages_free(z.packages);
	labels_release(&z.package_labels);
	vec_release(&z.package_ids);
	notes_release(&notes);
	mem_free_all(z.names.ids, z.spaces.ids, z.paths.ids, z.objects.ids, z.next);
	vec_release(&z.first_of_label);
	demangler_release(&z.demangler);
}

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
	mem_free_all(order, old);
}

void snapshot_charges_follow(struct snapshot *s, const uint32_t *to)
{
	for (size_t i = 0; i < s->charges.count; i++) {
		uint32_t *symbol = &s->charges.data[i].symbol;
		if (*symbol != SNAP_NO_SYMBOL)
			*symbol = to[*symbol];
	}
}
