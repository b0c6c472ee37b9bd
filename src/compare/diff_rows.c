/* Makes the rows of a diff. */
#define _GNU_SOURCE /* For memmem(). */

#include "compare/diff_rows.h"

#include "compare/match.h"
#include "image/image.h"

const struct heft_measure diff_measures[DIFF_MEASURES] = {
	[HEFT_DIFF_CHARGED] = { .name = "charged",
				.title = "charged",
				.unit = HEFT_PARTS,
				.what = "bytes that the file holds because of it" },
	[HEFT_DIFF_VM] = { .name = "vm",
			   .title = "vm",
			   .unit = HEFT_PARTS,
			   .what = "bytes that the VM image holds because of it" },
	[HEFT_DIFF_PADDED] = { .name = "padded",
			       .title = "padded",
			       .unit = HEFT_PARTS,
			       .what = "bytes of the symbol and its padding (PSS)" },
	[HEFT_DIFF_OWN] = { .name = "own",
			    .title = "own",
			    .unit = HEFT_PARTS,
			    .what = "bytes of the symbol (PSS)" },
	[HEFT_DIFF_PADDING] = { .name = "padding",
				.title = "padding",
				.unit = HEFT_PARTS,
				.what = "bytes of padding (PSS)" },
#define COUNT(change, word)                                                                        \
	[DIFF_COUNTS + (int)(change)] = { .name = (word),                                          \
					  .title = (word),                                         \
					  .unit = HEFT_COUNT,                                      \
					  .of_change = true,                                       \
					  .what = "rows by symbol that became that" }
	COUNT(HEFT_UNCHANGED, "unchanged"),
	COUNT(HEFT_CHANGED, "changed"),
	COUNT(HEFT_ADDED, "added"),
	COUNT(HEFT_REMOVED, "removed"),
	COUNT(HEFT_MOVED, "moved"),
	COUNT(HEFT_RENAMED, "renamed"),
#undef COUNT
};

#define COMMON_TEXTS                                                                               \
	[DIFF_SECTION] = { "in_section", false, "section that has the symbol" },                   \
	[DIFF_PATH] = { "path", false, "of the source" },                                          \
	[DIFF_COMPONENT] = { "in_component", false, "owner of the folder" },                       \
	[DIFF_CONTAINER] = { "in_container", false, "file that has the symbol" },                  \
	[DIFF_WAS] = { "was", false,                                                               \
		       "the old name if it was renamed, the old path if it was moved" },           \
	[DIFF_PAIRED_BY] = { "paired_by", false,                                                   \
			     "what made both sides one if that is not the name: `contents`, "      \
			     "`neighbours`, `references`, `function`, `address` or `likeness`" }

static const struct heft_text texts[DIFF_ALL_TEXTS] = {
	COMMON_TEXTS,
	[DIFF_FLAGS] = { "flags", false, "marks of the symbol" },
	[DIFF_CODE] = { "disassembly", false, "what changed in the code" },
};

const struct heft_text diff_texts_of_stacks[DIFF_ALL_TEXTS] = {
	COMMON_TEXTS,
	[DIFF_STACK] = { "stack", true, "bytes of stack that it takes" },
	[DIFF_STACK_WAS] = { "base_stack", true, "bytes of stack that it took" },
};
#undef COMMON_TEXTS

static const char *const by_words[] = {
	[HEFT_DIFF_BY_SYMBOL] = "symbol",       [HEFT_DIFF_BY_SOURCE] = "source",
	[HEFT_DIFF_BY_DIRECTORY] = "directory", [HEFT_DIFF_BY_OBJECT] = "object",
	[HEFT_DIFF_BY_COMPONENT] = "component", [HEFT_DIFF_BY_SECTION] = "section",
	[HEFT_DIFF_BY_CONTAINER] = "container", [HEFT_DIFF_BY_NAMESPACE] = "namespace or class",
	[HEFT_DIFF_BY_LIBRARY] = "library",     [HEFT_DIFF_BY_PACKAGE] = "package",
};

struct grouping {
	const struct snapshot_diff *d;
	const struct heft_diff_query *q;
	struct diff_rows *out;
	struct intern keys; /* Keys of rows. The node of a row is the key's id plus 1 */
	struct text key, work;
};

static void add_amount(struct grouping *g, uint32_t node, enum heft_role role, struct amount a)
{
	double *sums = tree_exact(&g->out->tree, node, role);
	sums[HEFT_DIFF_OWN] += a.size;
	sums[HEFT_DIFF_PADDING] += a.padding;
	sums[HEFT_DIFF_PADDED] += a.size + a.padding;
}

static void add_count(struct grouping *g, uint32_t node, enum heft_change change)
{
	tree_sums(&g->out->tree, node, HEFT_INPUT)[DIFF_COUNTS + (int)change]++;
}

static bool has_debug(const struct snapshot *s)
{
	for (size_t i = 0; i < s->sections.count; i++)
		if (section_name_is_debug(str_of(s->sections.data[i].name)))
			return true;
	return false;
}

static bool wants(const struct grouping *g, const struct snapshot *s, const struct snap_symbol *y)
{
	const struct heft_diff_query *q = g->q;
	const struct snap_section *sec = &s->sections.data[y->section];
	if (g->out->hides_debug && section_name_is_debug(str_of(sec->name)))
		return false;
	const bool letter = q->section && q->section[0] && !q->section[1];
	return !q->section || strcmp(q->section, sec->name) == 0 ||
	       (letter && q->section[0] == sec->letter);
}

static const char *diff_rows_copy_text(struct grouping *g, const struct snapshot *s, uint32_t id)
{
	return id ? arena_copy(&g->out->arena, snapshot_text(s, id)) : "";
}

/* Sets to NaN the measures that g->out->counting does not have. */
static void node_drop_measures(struct grouping *g, uint32_t node)
{
	const bool charged = g->out->counting == DIFF_CHARGED;
	for (size_t role = 0; role < 2; role++) {
		double *sums = tree_exact(&g->out->tree, node, (enum heft_role)role);
		for (unsigned m = 0; m < DIFF_COUNTS; m++)
			if (charged != (m == HEFT_DIFF_CHARGED || m == HEFT_DIFF_VM))
				sums[m] = (double)NAN;
	}
}

static uint32_t diff_rows_new_node(struct grouping *g)
{
	vec_push(&g->out->facts, (struct diff_fact){ .label = "" });
	const uint32_t node = tree_add(&g->out->tree, 0, 0);
	ASSERT(node + 1 == g->out->facts.count);
	node_drop_measures(g, node);
	return node;
}

static uint32_t node_of_key(struct grouping *g, struct str key, bool *ret_new)
{
	const size_t known = g->keys.entries.count;
	const uint32_t id = intern_add(&g->keys, key);
	*ret_new = id == known;
	return *ret_new ? diff_rows_new_node(g) : id + 1;
}

static uint32_t group_node(struct grouping *g, const struct snapshot *s,
			   const struct snap_symbol *y)
{
	bool fresh;
	const struct str label = snap_label(s, y, g->q->by, &g->work);
	const uint32_t node = node_of_key(g, label, &fresh);
	if (fresh)
		g->out->facts.data[node].label = arena_copy(&g->out->arena, label);
	return node;
}

/* True if an earlier alias of the symbol has the same name: several objects define the function. */
static bool repeats(const struct snap_symbol *y)
{
	const struct snap_symbol *first = y - y->alias_place;
	for (uint32_t i = 0; i < y->alias_count && i < 100; i++)
		if (&first[i] != y && first[i].full_name == y->full_name)
			return true;
	return false;
}

static void add_key_part(struct grouping *g, struct str s)
{
	text_add(&g->key, s);
	text_add_char(&g->key, '\n');
}

static const char *diff_rows_flags_text(struct grouping *g, const struct snapshot *s,
					const struct snap_symbol *y)
{
	static const char *const marks[] = { "vtable", "VTT", "typeinfo", "typeinfo name" };
	const struct str name = snapshot_text(s, y->full_name);
	g->work.len = 0;
	snap_flag_words(&g->work, y->flags);
	for (size_t i = 0; i < COUNT_OF(marks) && str_ends(name, STR("]")); i++)
		if (str_ends(str_upto(name, name.len - 1), str_of(marks[i])))
			snap_flag_add(&g->work, marks[i]);
	if (y->alias_count > 1)
		snap_flag_add(&g->work, "shared by names");
	if (y->size == 0 && y->padding > 0)
		snap_flag_add(&g->work, "padding");
	return g->work.len > 0 ? arena_copy(&g->out->arena, text_str(&g->work)) : "";
}

static const char *stack_text(struct grouping *g, const struct snap_symbol *y)
{
	return y && y->stack > 0 ? arena_format(&g->out->arena, "%" PRIu32, y->stack - 1) : "";
}

static enum heft_row_kind diff_rows_kind_of(struct str name)
{
	return snap_is_literal(name)                        ? HEFT_ROW_LITERAL
	       : snap_is_overhead(name)                     ? HEFT_ROW_FALLBACK
	       : !snap_is_star(name)                        ? HEFT_ROW_NAME
	       : memmem(name.p, name.len, " Section: ", 10) ? HEFT_ROW_SECTION
							    : HEFT_ROW_FALLBACK;
}

/* Stores what is known of a pair in its row, if rows are by symbol. */
static void diff_rows_tell_symbol(struct grouping *g, const struct diff_pair *p, uint32_t node)
{
	const struct snap_symbol *old = diff_before(g->d, p), *new_ = diff_after(g->d, p);
	const struct snapshot *s = new_ ? g->d->after : g->d->before;
	const struct snap_symbol *y = new_ ? new_ : old;
	const struct snap_section *sec = &s->sections.data[y->section];
	const char **list = arena_new(&g->out->arena, const char *, DIFF_ALL_TEXTS);
	list[DIFF_SECTION] = sec->name;
	list[DIFF_CONTAINER] = s->containers.data[sec->container].name;
	list[DIFF_FLAGS] = g->d->has_stacks ? stack_text(g, new_) : diff_rows_flags_text(g, s, y);
	list[DIFF_CODE] = g->d->has_stacks ? stack_text(g, old)
					   : diff_rows_copy_text(g, s, y->disassembly);
	list[DIFF_PATH] = diff_rows_copy_text(g, s, snap_path(y));
	list[DIFF_COMPONENT] = diff_rows_copy_text(g, s, y->component);
	list[DIFF_WAS] = "";
	if (p->change == HEFT_RENAMED)
		list[DIFF_WAS] = diff_rows_copy_text(g, g->d->before, old->full_name);
	else if (p->change == HEFT_MOVED)
		list[DIFF_WAS] = diff_rows_copy_text(g, g->d->before, snap_path(old));
	list[DIFF_PAIRED_BY] = match_pass_word(p->pass);
	struct str label = snap_label(s, y, HEFT_DIFF_BY_SYMBOL, &g->work);
	if (g->q->names == HEFT_NAMES_SHORT && y->name)
		label = snapshot_text(s, y->name);
	g->out->facts.data[node] = (struct diff_fact){ arena_copy(&g->out->arena, label),
						       diff_rows_kind_of(label), list, p->change };
}

/* Returns the row of a pair. Symbols with equal name, section and path share a row, and aliases
 * even with different paths. */
static uint32_t symbol_node(struct grouping *g, const struct diff_pair *p)
{
	const struct snap_symbol *old = diff_before(g->d, p), *new_ = diff_after(g->d, p);
	const struct snapshot *s = new_ ? g->d->after : g->d->before;
	const struct snap_symbol *y = new_ ? new_ : old;
	const struct snap_section *sec = &s->sections.data[y->section];
	const bool many = (old && repeats(old)) || (new_ && repeats(new_));
	bool fresh;
	g->key.len = 0;
	add_key_part(g, str_of(s->containers.data[sec->container].name));
	add_key_part(g, (struct str){ &sec->letter, 1 });
	add_key_part(g, snapshot_text(s, y->full_name));
	add_key_part(g, many ? STR("") : snapshot_text(s, snap_path(y)));
	const uint32_t node = node_of_key(g, text_str(&g->key), &fresh);
	if (fresh)
		diff_rows_tell_symbol(g, p, node);
	else if (g->out->facts.data[node].change != p->change)
		g->out->facts.data[node].change = HEFT_CHANGED;
	return node;
}

/* Returns a symbol's size and padding. In SuperSize's diff, padding counts as size if the symbol
 * has no partner, else not: diff_rows_add_paddings() adds rows for its changes. */
static struct amount symbol_amount(const struct grouping *g, const struct snap_symbol *y,
				   bool paired)
{
	struct amount a = diff_amount(y, g->d->supersize && !paired);
	if (g->d->supersize)
		a.padding = 0;
	return a;
}

static void add_symbol_pair(struct grouping *g, const struct diff_pair *p)
{
	const struct snap_symbol *old = diff_before(g->d, p), *new_ = diff_after(g->d, p);
	const bool padding = old && new_ && g->out->counting == DIFF_PADDED &&
			     (old->padding != new_->padding);
	const uint32_t node = p->change == HEFT_UNCHANGED && !padding ? 0 : symbol_node(g, p);
	const uint32_t nodes[] = { 0, node };
	for (size_t i = 0; i < (node > 0 ? 2 : 1); i++) {
		if (old && wants(g, g->d->before, old))
			add_amount(g, nodes[i], HEFT_BASE, symbol_amount(g, old, new_ != NULL));
		if (new_ && wants(g, g->d->after, new_))
			add_amount(g, nodes[i], HEFT_INPUT, symbol_amount(g, new_, old != NULL));
		add_count(g, nodes[i], p->change);
	}
}

static uint32_t add_to_group(struct grouping *g, const struct snapshot *s,
			     const struct snap_symbol *y, enum heft_role role)
{
	const uint32_t node = group_node(g, s, y);
	add_amount(g, node, role, diff_amount(y, false));
	add_amount(g, 0, role, diff_amount(y, false));
	return node;
}

static void add_group_pair(struct grouping *g, const struct diff_pair *p)
{
	const struct snap_symbol *old = diff_before(g->d, p), *new_ = diff_after(g->d, p);
	uint32_t node = 0;
	if (old && wants(g, g->d->before, old))
		node = add_to_group(g, g->d->before, old, HEFT_BASE);
	if (new_ && wants(g, g->d->after, new_))
		node = add_to_group(g, g->d->after, new_, HEFT_INPUT);
	add_count(g, node, p->change);
	add_count(g, 0, p->change);
}

static bool wants_pair(const struct grouping *g, const struct diff_pair *p)
{
	const struct snap_symbol *old = diff_before(g->d, p), *new_ = diff_after(g->d, p);
	return (old && wants(g, g->d->before, old)) || (new_ && wants(g, g->d->after, new_));
}

/* Adds rows for the changed padding of paired symbols, as SuperSize does. */
static void diff_rows_add_paddings(struct grouping *g)
{
	const struct snapshot *s = g->d->before;
	vec_each(const struct diff_padding, p, &g->d->paddings) {
		const struct snap_section *sec = &s->sections.data[p->section];
		const struct snap_symbol y = { .section = p->section };
		if (!wants(g, s, &y))
			continue;
		g->out->counts[HEFT_ADDED]++;
		if (g->q->by != HEFT_DIFF_BY_SYMBOL)
			continue;
		const uint32_t node = diff_rows_new_node(g);
		const char **list = arena_new(&g->out->arena, const char *, DIFF_ALL_TEXTS);
		list[DIFF_SECTION] = sec->name;
		list[DIFF_CONTAINER] = s->containers.data[sec->container].name;
		list[DIFF_PATH] = list[DIFF_COMPONENT] = list[DIFF_WAS] = list[DIFF_CODE] = "";
		list[DIFF_PAIRED_BY] = "";
		list[DIFF_FLAGS] = g->d->has_stacks ? "" : "padding";
		g->out->facts.data[node] = (struct diff_fact){ DIFF_PADDING_NAME, HEFT_ROW_FALLBACK,
							       list, HEFT_ADDED };
		for (size_t k = 0; k < 2; k++) {
			const uint32_t to = k == 0 ? node : 0;
			add_amount(g, to, HEFT_INPUT, (struct amount){ (double)p->size, 0 });
			add_count(g, to, HEFT_ADDED);
		}
	}
}

static const char *diff_rows_path_text(struct grouping *g, const struct snapshot *s,
				       const struct snap_charge *c)
{
	if (c->symbol != SNAP_NO_SYMBOL)
		return diff_rows_copy_text(g, s, snap_path(&s->symbols.data[c->symbol]));
	const uint32_t path = charge_is_fallback(s, c->source) ? c->object : c->source;
	const bool none = charge_is_fallback(s, path) || charge_is_fallback(s, c->name);
	return diff_rows_copy_text(g, s, none ? 0 : path);
}

/* Returns the section of a charge: its symbol's, or NAME of a charge named "[section NAME]". */
static const char *section_text(struct grouping *g, const struct snapshot *s,
				const struct snap_charge *c)
{
	static const struct str begin = { "[section ", 9 };
	const struct str name = snapshot_text(s, c->name);
	if (c->symbol != SNAP_NO_SYMBOL)
		return s->sections.data[s->symbols.data[c->symbol].section].name;
	if (!str_starts(name, begin) || !str_ends(name, STR("]")))
		return "";
	return arena_copy(&g->out->arena,
			  (struct str){ name.p + begin.len, name.len - begin.len - 1 });
}

static const struct snap_charge *charge_at(const struct snapshot *s, uint32_t charge)
{
	return charge == SNAP_NO_SYMBOL ? NULL : &s->charges.data[charge];
}

static const struct snap_symbol *diff_rows_symbol_of(const struct snapshot *s,
						     const struct snap_charge *c)
{
	return c && c->symbol != SNAP_NO_SYMBOL ? &s->symbols.data[c->symbol] : NULL;
}

/* Returns the old name, or for a moved symbol the old path. */
static const char *was_text(struct grouping *g, const struct charge_pair *p)
{
	const struct snap_charge *old = charge_at(g->d->before, p->before);
	const struct snap_charge *new_ = charge_at(g->d->after, p->after);
	if (!old || !new_)
		return "";
	if (!str_eq(snapshot_text(g->d->before, old->name), snapshot_text(g->d->after, new_->name)))
		return diff_rows_copy_text(g, g->d->before, old->name);
	return p->change == HEFT_MOVED ? diff_rows_path_text(g, g->d->before, old) : "";
}

static void tell_charge(struct grouping *g, const struct charge_pair *p, uint32_t node)
{
	const struct snap_charge *old = charge_at(g->d->before, p->before);
	const struct snap_charge *new_ = charge_at(g->d->after, p->after);
	const struct snapshot *s = new_ ? g->d->after : g->d->before;
	const struct snap_charge *c = new_ ? new_ : old;
	ASSERT(c && node < g->out->facts.count);
	const struct snap_symbol *y = diff_rows_symbol_of(s, c);
	const struct snap_symbol *was = diff_rows_symbol_of(g->d->before, old);
	struct str label = charge_label(s, c, HEFT_DIFF_BY_SYMBOL);
	if (g->q->names == HEFT_NAMES_FULL && y)
		label = snapshot_text(s, y->full_name);
	const char **list = arena_new(&g->out->arena, const char *, DIFF_ALL_TEXTS);
	list[DIFF_SECTION] = section_text(g, s, c);
	list[DIFF_PATH] = diff_rows_path_text(g, s, c);
	list[DIFF_COMPONENT] = diff_rows_copy_text(g, s, c->component);
	list[DIFF_CONTAINER] = s->containers.data[c->container].name;
	list[DIFF_WAS] = was_text(g, p);
	list[DIFF_PAIRED_BY] = old && new_ && c->symbol != SNAP_NO_SYMBOL
				       ? match_pass_word(g->d->pairs.data[c->symbol].pass)
				       : "";
	list[DIFF_FLAGS] = g->d->has_stacks ? stack_text(g, new_ ? y : NULL)
			   : y              ? diff_rows_flags_text(g, s, y)
					    : "";
	list[DIFF_CODE] = g->d->has_stacks ? stack_text(g, was)
			  : y              ? diff_rows_copy_text(g, s, y->disassembly)
					   : "";
	g->out->facts.data[node] = (struct diff_fact){ arena_copy(&g->out->arena, label),
						       rows_kind(label), list, p->change };
}

static void add_charged(struct grouping *g, uint32_t node, enum heft_role role, uint64_t file,
			uint64_t vm)
{
	double *sums = tree_exact(&g->out->tree, node, role);
	sums[HEFT_DIFF_CHARGED] += (double)file;
	sums[HEFT_DIFF_VM] += (double)vm;
}

static void add_charge_pair(struct grouping *g, const struct charge_pair *p)
{
	const uint32_t node = p->change == HEFT_UNCHANGED ? 0 : diff_rows_new_node(g);
	const uint32_t nodes[] = { 0, node };
	if (node > 0)
		tell_charge(g, p, node);
	for (size_t i = 0; i < (node > 0 ? 2 : 1); i++) {
		add_charged(g, nodes[i], HEFT_BASE, p->file[0], p->vm[0]);
		add_charged(g, nodes[i], HEFT_INPUT, p->file[1], p->vm[1]);
		add_count(g, nodes[i], p->change);
	}
}

static uint32_t charge_node(struct grouping *g, const struct snapshot *s,
			    const struct snap_charge *c)
{
	bool fresh;
	const struct str label = charge_label(s, c, g->q->by);
	const uint32_t node = node_of_key(g, label, &fresh);
	if (fresh)
		g->out->facts.data[node] = (struct diff_fact){
			.label = arena_copy(&g->out->arena, label), .kind = rows_kind(label)
		};
	return node;
}

/* Adds each charge to its row. Counts the kind of change once per pair: in the row of the new
 * charge, or for a removed one in the row of the old charge. */
static void add_charge_groups(struct grouping *g)
{
	const struct snapshot *const sides[] = { g->d->before, g->d->after };
	for (size_t side = 2; side-- > 0;)
		vec_each(const struct snap_charge, c, &sides[side]->charges) {
			const enum heft_role role = side == 0 ? HEFT_BASE : HEFT_INPUT;
			if (c->debug && g->out->hides_debug)
				continue;
			add_charged(g, charge_node(g, sides[side], c), role, c->file, c->vm);
			add_charged(g, 0, role, c->file, c->vm);
		}
	vec_each(const struct charge_pair, p, &g->d->charges.list) {
		const struct snap_charge *new_ = charge_at(g->d->after, p->after);
		if (p->debug && g->out->hides_debug)
			continue;
		add_count(g,
			  new_ ? charge_node(g, g->d->after, new_)
			       : charge_node(g, g->d->before, charge_at(g->d->before, p->before)),
			  p->change);
		add_count(g, 0, p->change);
	}
}

static void diff_rows_add_charges(struct grouping *g)
{
	/* Headers, gaps and bytes of sections without an owner are no symbols. */
	vec_each(const struct charge_pair, p, &g->d->charges.list) {
		const bool gone = p->after == SNAP_NO_SYMBOL;
		const struct snapshot *s = gone ? g->d->before : g->d->after;
		const struct snap_charge *c = charge_at(s, gone ? p->before : p->after);
		g->out->counts[p->change] += (!p->debug || !g->out->hides_debug) &&
					     !charge_is_fallback(s, c->name);
	}
	if (g->q->by != HEFT_DIFF_BY_SYMBOL) {
		add_charge_groups(g);
		return;
	}
	vec_each(const struct charge_pair, p, &g->d->charges.list)
		if (!p->debug || !g->out->hides_debug)
			add_charge_pair(g, p);
}

static const char *diff_rows_node_label(void *ctx, uint32_t node)
{
	return ((struct diff_rows *)ctx)->facts.data[node].label;
}

static void diff_rows_fill(void *ctx, uint32_t node, uint32_t level, struct heft_row *row)
{
	const struct diff_fact *f = &((struct diff_rows *)ctx)->facts.data[node];
	(void)level;
	row->texts = f->texts;
	row->kind = f->kind;
	row->change = f->change;
}

static void diff_rows_make_table(struct diff_rows *out, const struct heft_diff_query *q,
				 bool has_stacks)
{
	static const enum heft_diff_measure keys[] = { [DIFF_CHARGED] = HEFT_DIFF_CHARGED,
						       [DIFF_PADDED] = HEFT_DIFF_PADDED,
						       [DIFF_SUPERSIZE] = HEFT_DIFF_OWN };
	const enum heft_diff_measure key = keys[out->counting];
	const bool charged = out->counting == DIFF_CHARGED;
	const uint32_t told = 1u << key | 1u << (charged ? HEFT_DIFF_VM : HEFT_DIFF_PADDING) |
			      1u << (DIFF_COUNTS + (int)HEFT_ADDED) |
			      1u << (DIFF_COUNTS + (int)HEFT_REMOVED);
	const bool symbols = q->by == HEFT_DIFF_BY_SYMBOL, stacks = symbols && has_stacks;
	const struct rows_opts opts = { .measures = diff_measures,
					.limit = q->rows,
					.sort = q->sort != HEFT_SORT_AUTO ? q->sort
									  : HEFT_SORT_DELTA,
					.keys = 1u << key | (charged ? 1u << HEFT_DIFF_VM : 0),
					.told = symbols || q->min > 0 ? 0 : told,
					.diff = true,
					.others_last = true,
					.least = q->min,
					.label = diff_rows_node_label,
					.fill = diff_rows_fill,
					.ctx = out };
	tree_round(&out->tree, diff_measures);
	out->level = by_words[q->by];
	out->table = (struct heft_table){ .size = sizeof out->table,
					  .levels = &out->level,
					  .level_count = 1,
					  .measures = diff_measures,
					  .measure_count = DIFF_MEASURES,
					  .texts = stacks ? diff_texts_of_stacks : texts,
					  .text_count = stacks    ? DIFF_ALL_TEXTS
							: symbols ? DIFF_TEXTS
								  : 0,
					  .sorted_by = key,
					  .diff = true,
					  .has_changes = symbols,
					  .top = rows_build(&out->tree, &opts, &out->arena) };
}

void diff_rows_make(struct diff_rows *ret, const struct snapshot_diff *d,
		    const struct heft_diff_query *query)
{
	struct grouping g = { .d = d, .q = query, .out = ret };
	const int debug = has_debug(d->before) + has_debug(d->after);
	*ret = (struct diff_rows){ .level = "",
				   .hides_debug = !query->debug && !d->supersize &&
						  debug >= (query->no_debug ? 1 : 2) };
	const bool charged = d->charged && !query->section && query->by != HEFT_DIFF_BY_SECTION;
	ret->counting = charged ? DIFF_CHARGED : d->supersize ? DIFF_SUPERSIZE : DIFF_PADDED;
	tree_init(&ret->tree, DIFF_MEASURES, 2);
	tree_keep_fractions(&ret->tree);
	vec_push(&ret->facts, (struct diff_fact){ .label = "TOTAL", .kind = HEFT_ROW_SUM });
	node_drop_measures(&g, 0);
	if (charged)
		diff_rows_add_charges(&g);
	for (size_t i = 0; i < d->pairs.count && !charged; i++) {
		if (!wants_pair(&g, &d->pairs.data[i]))
			continue;
		ret->counts[d->pairs.data[i].change]++;
		if (query->by == HEFT_DIFF_BY_SYMBOL)
			add_symbol_pair(&g, &d->pairs.data[i]);
		else
			add_group_pair(&g, &d->pairs.data[i]);
	}
	if (d->supersize)
		diff_rows_add_paddings(&g);
	diff_rows_make_table(ret, query, d->has_stacks);
	intern_release(&g.keys);
	text_release(&g.key);
	text_release(&g.work);
}

void diff_rows_cut(struct diff_rows *r, const struct heft_diff_query *query)
{
	ASSERT(query->by != HEFT_DIFF_BY_SYMBOL && r->level == by_words[query->by]);
	diff_rows_make_table(r, query, false);
}

void diff_rows_show_all(struct diff_rows *r)
{
	r->table.text_count = DIFF_ALL_TEXTS;
}

void diff_rows_release(struct diff_rows *r)
{
	tree_release(&r->tree);
	vec_release(&r->facts);
	arena_release(&r->arena);
}
