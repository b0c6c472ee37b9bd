/* Finds by whom what a change added came in. */
#include "measure/came_in.h"

#include "base/filename.h"
#include "base/sort.h"
#include "compare/align_paths.h"
#include "map/paths.h"

/* Most answers per group. To find several, at most so many references and steps upwards are looked
 * at. */
enum { ANSWERS_MOST = 3, USERS_MOST = 64, STEPS_MOST = 1024 };
/* Only the first rows have answers, because each costs a search. */
enum { GROUPS_MOST = 64 };

/* Returns the least part of some bytes that answers must explain. */
static uint64_t came_in_least(uint64_t size)
{
	return size - size / 10;
}

static struct graph *came_in_graph(struct came_in_finder *f)
{
	return &f->program.graph;
}

static const struct charge_pair *came_in_pair(const struct came_in_finder *f, uint32_t node)
{
	const uint32_t charge = f->charge[node];
	return charge == SNAP_NO_SYMBOL ? NULL
					: &f->d->charges.list.data[f->d->charges.of[1][charge]];
}

static bool came_in_is_added(const struct came_in_finder *f, uint32_t node)
{
	const struct charge_pair *p = came_in_pair(f, node);
	return p && p->before == SNAP_NO_SYMBOL;
}

struct came_in_place {
	_Alignas(8) uint64_t addr;
	uint32_t charge;
};

/* Finds the charge of each node: by address, or by name for parts and imports. */
static void came_in_find_charges(struct came_in_finder *f)
{
	const struct graph *g = came_in_graph(f);
	const struct snapshot *s = &f->after->snapshot;
	uint32_t *of_name = mem_zeroed(s->texts.entries.count + 1, sizeof *of_name), text;
	VEC(struct came_in_place) places = { 0 };
	for (uint32_t i = 0; i < s->charges.count; i++) {
		const struct snap_charge *c = &s->charges.data[i];
		if (c->debug)
			continue;
		if (c->symbol != SNAP_NO_SYMBOL)
			vec_push(&places,
				 (struct came_in_place){ s->symbols.data[c->symbol].addr, i });
		if (of_name[c->name] == 0)
			of_name[c->name] = i + 1;
	}
	vec_sort(&places);
	f->charge = mem_alloc(g->nodes.count * sizeof *f->charge);
	for (uint32_t i = 0; i < g->nodes.count; i++) {
		const struct graph_node *n = &g->nodes.data[i];
		const size_t at = vec_lower(&places, n->addr);
		f->charge[i] = at < places.count && places.data[at].addr == n->addr
				       ? places.data[at].charge
				       : SNAP_NO_SYMBOL;
	}
	for (uint32_t i = 1; i < g->nodes.count; i++) {
		const struct graph_node *n = &g->nodes.data[i];
		if (f->charge[i] != SNAP_NO_SYMBOL)
			continue;
		if (n->part)
			f->charge[i] = f->charge[g->node_of[n->label]];
		else if (intern_find(&s->texts,
				     demangle(&f->program.locator.demangler,
					      label_text(&f->program.labels, n->label),
					      HEFT_NAMES_SHORT),
				     &text))
			f->charge[i] = of_name[text] - 1; /* 0 becomes SNAP_NO_SYMBOL */
	}
	vec_release(&places);
	mem_free(of_name);
}

/* From where an added node is reached at the latest: references from code explain more than those
 * from tables, such as a list of all types, and these more than exports. */
enum came_in_level { FROM_CODE, FROM_DATA, FROM_EXPORT, FROM_ANY, CAME_IN_LEVELS };

/* Edges while they are chosen */
struct came_in_levels {
	const struct came_in_finder *f;
	const struct graph *g;
	uint8_t *level; /* Per node: value of enum came_in_level. Others have no level yet */
	bool *inner;    /* Per node: another node refers to it */
	node_vec line;
};

static void levels_mark(struct came_in_levels *l, uint32_t node, enum came_in_level level)
{
	if (l->level[node] != CAME_IN_LEVELS || !came_in_is_added(l->f, node))
		return;
	l->level[node] = (uint8_t)level;
	vec_push(&l->line, node);
}

/* Gives a level to the added nodes that its roots reach, unless they have one already. */
static void levels_spread(struct came_in_levels *l, enum came_in_level level)
{
	const struct graph *g = l->g;
	l->line.count = 0;
	for (size_t i = 0; i < g->edges.count; i++) {
		const uint32_t from = edge_from(&g->edges.data[i]), to = edge_to(&g->edges.data[i]);
		const bool starts =
			from == 0 ? level == FROM_ANY || (level == FROM_EXPORT && !l->inner[to])
				  : l->level[from] == level && !came_in_is_added(l->f, from);
		if (starts)
			levels_mark(l, to, level);
	}
	for (size_t i = 0; i < l->line.count; i++)
		for (size_t k = g->out_first[l->line.data[i]];
		     k < g->out_first[l->line.data[i] + 1]; k++)
			levels_mark(l, g->out[k], level);
}

/* Finds the level of each node. Node 0 has the last one. */
static void levels_find(struct came_in_levels *l)
{
	const struct graph *g = l->g;
	memset(l->level, CAME_IN_LEVELS, g->nodes.count);
	for (uint32_t i = 1; i < g->nodes.count; i++)
		if (!came_in_is_added(l->f, i))
			l->level[i] = FROM_DATA;
	for (size_t i = 0; i < g->spans.list.count; i++)
		if (g->flags[i] & SPAN_CODE && l->level[g->owner[i]] == FROM_DATA)
			l->level[g->owner[i]] = FROM_CODE;
	for (size_t i = 0; i < g->edges.count; i++)
		if (edge_from(&g->edges.data[i]) != 0)
			l->inner[edge_to(&g->edges.data[i])] = true;
	for (unsigned i = 0; i < CAME_IN_LEVELS; i++)
		levels_spread(l, i);
	l->level[0] = FROM_ANY;
	vec_release(&l->line);
}

/* Makes the graph of what the change added. */
static void came_in_make_added(struct came_in_finder *f)
{
	const struct graph *g = came_in_graph(f);
	struct graph *h = &f->added;
	f->level = mem_alloc(g->nodes.count);
	struct came_in_levels l = { .f = f,
				    .g = g,
				    .level = f->level,
				    .inner = mem_zeroed(g->nodes.count, sizeof *l.inner) };
	levels_find(&l);
	for (size_t i = 0; i < g->nodes.count; i++)
		vec_push(&h->nodes, g->nodes.data[i]);
	for (size_t i = 0; i < g->edges.count; i++) {
		const struct graph_edge *e = &g->edges.data[i];
		const uint32_t from = edge_from(e), to = edge_to(e);
		const uint8_t level = from == 0 && !l.inner[to] ? FROM_EXPORT : l.level[from];
		if (!came_in_is_added(f, to) || level == CAME_IN_LEVELS || level > l.level[to])
			continue;
		vec_push(&h->edges, *e);
		if (from != 0 && !came_in_is_added(f, from))
			edges_add(&h->edges, 0, from, EDGE_ROOT, 0);
	}
	mem_free(l.inner);
	graph_finish(h);
	ASSERT(h->nodes.count == g->nodes.count && h->reached > 0);
	f->child = mem_zeroed(h->nodes.count, sizeof *f->child);
	f->next = mem_zeroed(h->nodes.count, sizeof *f->next);
	f->is_own = mem_zeroed(h->nodes.count, sizeof *f->is_own);
	f->sums = mem_zeroed(h->nodes.count, sizeof *f->sums);
	for (uint32_t i = h->reached; i-- > 1;) {
		const uint32_t node = h->order[i], above = h->dominators[node];
		f->next[node] = f->child[above];
		f->child[above] = node;
	}
}

/* Returns the source file with the first line of a function, or that of a variable. "" if it is
 * unknown. Sets the number of the line at `place`, which lies in the node. */
static const char *came_in_source(struct came_in_finder *f, uint64_t place, uint32_t *ret_line)
{
	struct locator *l = &f->program.locator;
	const struct heft_frame *frames;
	const char *unit;
	struct declaration d;
	/* The last frame is the function itself. Those before it are inlined in it. */
	const size_t count = locator_functions(l, place, &frames, &unit);
	if (count == 0 && !locator_variable(l, place, &d))
		return "";
	*ret_line = count > 0 ? frames[count - 1].line : d.line;
	return count > 0 ? frames[count - 1].file : d.file;
}

/* Finds the folder of the program's own sources: that of `main`, or the folder `src` around it. In
 * programs of Go, `main` belongs to the run time. */
static void came_in_find_root(struct came_in_finder *f)
{
	const struct graph *g = came_in_graph(f);
	uint32_t label, line;
	if (intern_find(&f->program.labels.names, STR("main.main"), &label) ||
	    !intern_find(&f->program.labels.names, STR("main"), &label) ||
	    label >= g->label_count || g->node_of[label] == NODE_NONE)
		return;
	const char *file = came_in_source(f, g->nodes.data[g->node_of[label]].addr, &line);
	const struct str path = str_of(arena_copy(&f->arena, str_of(file)));
	const char *src = strstr(path.p, "/src/");
	f->root = path_directory(path, 0);
	if (src)
		f->root = str_upto(path, (size_t)(src - path.p) + 4);
}

/* Opens the later program and reads its references. False if it is no single program. */
static bool came_in_open(struct came_in_finder *f)
{
	const struct heft_snapshot *s = f->after;
	struct heft_err err;
	if (f->tried)
		return f->charge != NULL;
	f->tried = true;
	notes_init(&f->notes);
	if (!s || s->is_diff || s->snapshot.containers.count != 1 || s->programs.count != 1 ||
	    !s->programs.data[0])
		return false;
	if (!program_open(&f->program.program, s->programs.data[0], USE_WHY, &s->context.wish,
			  &f->notes, &err) ||
	    !why_read(&f->program, &s->context, &f->notes))
		return false;
	f->own = align_main_package(&s->snapshot);
	came_in_find_charges(f);
	came_in_make_added(f);
	came_in_find_root(f);
	return true;
}

/* A group while its answers are found */
struct came_in_group {
	struct came_in_finder *f;
	const uint32_t *group; /* Per pair of charges */
	uint32_t number;
	uint32_t by[ANSWERS_MOST]; /* Nodes that brought it in */
	size_t count;
};

static bool group_has_node(const struct came_in_group *k, uint32_t node)
{
	const struct charge_pair *p = came_in_pair(k->f, node);
	return p && p->before == SNAP_NO_SYMBOL &&
	       k->group[p - k->f->d->charges.list.data] == k->number;
}

/* Adds up the bytes of the group that each node dominates. Returns those of all its nodes. */
static uint64_t group_sum(const struct came_in_group *k)
{
	const struct graph *h = &k->f->added;
	uint64_t *sums = k->f->sums, all = 0;
	for (uint32_t i = 0; i < h->nodes.count; i++) {
		const struct graph_sum own = h->nodes.data[i].own;
		sums[i] = i > 0 && group_has_node(k, i) ? max_u64(own.file, own.vm) : 0;
		all += sums[i];
	}
	for (uint32_t i = h->reached; i-- > 1;)
		sums[h->dominators[h->order[i]]] += sums[h->order[i]];
	return all;
}

/* True if a reader knows the node by its name. */
static bool came_in_has_name(const struct came_in_finder *f, uint32_t node)
{
	const struct snapshot *s = &f->after->snapshot;
	if (f->charge[node] == SNAP_NO_SYMBOL)
		return false;
	const struct str name = snapshot_text(s, s->charges.data[f->charge[node]].name);
	return name.len > 0 && !strchr("[(\"", name.p[0]) && !snap_is_made_up(name);
}

/* True for the program's own code: from sources in the folder of `main`, or without debug info of
 * its package. Parts of templates are from the headers that define them. */
static bool came_in_find_own(struct came_in_finder *f, uint32_t node)
{
	const struct snapshot *s = &f->after->snapshot;
	uint32_t line;
	if (!came_in_has_name(f, node))
		return false;
	if (f->root.len == 0)
		return f->own.len > 0 &&
		       str_eq(snapshot_text(s, s->charges.data[f->charge[node]].package), f->own);
	const struct str file = str_of(
		came_in_source(f, came_in_graph(f)->nodes.data[node].addr, &line));
	return str_starts(file, f->root) && file.len > f->root.len && file.p[f->root.len] == '/';
}

static bool came_in_is_own(struct came_in_finder *f, uint32_t node)
{
	enum { UNKNOWN, OTHER, OWN };
	if (f->is_own[node] == UNKNOWN)
		f->is_own[node] = came_in_find_own(f, node) ? OWN : OTHER;
	return f->is_own[node] == OWN;
}

/* True if a node may be an answer. Tables of others tell nothing: a linker may make them. */
static bool came_in_tells(struct came_in_finder *f, uint32_t node)
{
	return came_in_has_name(f, node) &&
	       (f->own.len + f->root.len == 0 || f->level[node] == FROM_CODE ||
		came_in_is_own(f, node));
}

/* Returns who brought in most of the part of the group that node `top` dominates: the last symbol
 * of the program's own code on the way to it, otherwise the first symbol. 0 if there is none
 * outside of the group. */
static uint32_t group_bringer(const struct came_in_group *k, uint32_t top)
{
	struct came_in_finder *f = k->f;
	const uint64_t least = came_in_least(f->sums[top]);
	uint32_t first = 0, own = 0;
	for (uint32_t at = top; at != 0;) {
		if (!group_has_node(k, at)) {
			first = first == 0 && came_in_tells(f, at) ? at : first;
			own = came_in_is_own(f, at) ? at : own;
		}
		at = f->child[at];
		while (at != 0 && f->sums[at] < least)
			at = f->next[at];
	}
	return own != 0 ? own : first;
}

/* Adds an answer. False if there are too many. */
static bool group_add(struct came_in_group *k, uint32_t node)
{
	for (size_t i = 0; i < k->count; i++)
		if (k->by[i] == node)
			return true;
	if (k->count == ANSWERS_MOST)
		return false;
	k->by[k->count++] = node;
	return true;
}

/* Adds those who refer to node `top` of the group from outside of what it dominates. For a symbol
 * of another package, adds the program's own one that brought in this symbol. False if they are
 * many, or have no name. */
static bool group_add_users(struct came_in_group *k, uint32_t top)
{
	struct came_in_finder *f = k->f;
	const struct graph *h = &f->added;
	if (h->in_first[top + 1] - h->in_first[top] > USERS_MOST)
		return false;
	for (size_t i = h->in_first[top]; i < h->in_first[top + 1]; i++) {
		uint32_t above = h->in[i], own = 0;
		if (!graph_reaches(h, above))
			continue;
		uint32_t steps = 0;
		for (; above != 0 && above != top && steps < STEPS_MOST; steps++) {
			own = own == 0 && came_in_is_own(f, above) ? above : own;
			above = h->dominators[above];
		}
		if (above == top)
			continue;
		const uint32_t by = own != 0 ? own : h->in[i];
		if (steps == STEPS_MOST || by == 0 || !came_in_tells(f, by) || !group_add(k, by))
			return false;
	}
	return k->count > 0;
}

/* Returns the child of node 0 that dominates most of the group, except those before. 0: none. */
static uint32_t group_largest(const struct came_in_group *k, const uint32_t *before, size_t count)
{
	const struct came_in_finder *f = k->f;
	uint32_t ret = 0;
	for (uint32_t at = f->child[0]; at != 0; at = f->next[at]) {
		bool taken = f->sums[at] == 0 || (ret != 0 && f->sums[at] <= f->sums[ret]);
		for (size_t i = 0; i < count && !taken; i++)
			taken = before[i] == at;
		ret = taken ? ret : at;
	}
	return ret;
}

/* Finds who brought in the group: a symbol, or a few that each brought in a part. False if that is
 * not sure. */
static bool group_find(struct came_in_group *k)
{
	const struct came_in_finder *f = k->f;
	const uint64_t all = group_sum(k), most = f->sums[0];
	uint32_t tops[ANSWERS_MOST];
	uint64_t done = 0;
	ASSERT(most <= all);
	k->count = 0;
	if (most == 0 || most < all / 2)
		return false;
	for (size_t i = 0; i < ANSWERS_MOST && done < came_in_least(most); i++) {
		const uint32_t top = tops[i] = group_largest(k, tops, i);
		const uint32_t by = top != 0 ? group_bringer(k, top) : 0;
		if (top == 0 || !(by != 0 ? group_add(k, by) : group_add_users(k, top)))
			return false;
		done += f->sums[top];
	}
	return done >= came_in_least(most);
}

/* Returns the first node on the shortest way from a node to the group. */
static uint32_t group_step(const struct came_in_group *k, uint32_t by)
{
	const struct graph *h = &k->f->added;
	uint32_t *before = mem_zeroed(h->nodes.count, sizeof *before), ret = 0;
	VEC(uint32_t) line = { 0 };
	vec_push(&line, by);
	before[by] = by;
	for (size_t at = 0; at < line.count && ret == 0; at++)
		for (size_t i = h->out_first[line.data[at]];
		     i < h->out_first[line.data[at] + 1] && ret == 0; i++) {
			const uint32_t to = h->out[i];
			if (before[to] != 0)
				continue;
			before[to] = line.data[at];
			vec_push(&line, to);
			ret = group_has_node(k, to) ? to : 0;
		}
	while (ret != 0 && before[ret] != by)
		ret = before[ret];
	vec_release(&line);
	mem_free(before);
	return ret;
}

static struct heft_came_in group_answer(const struct came_in_group *k, uint32_t by)
{
	struct came_in_finder *f = k->f;
	const struct snapshot *s = &f->after->snapshot;
	const struct snap_charge *c = &s->charges.data[f->charge[by]];
	const enum heft_change change = came_in_pair(f, by)->change;
	struct heft_came_in ret = {
		.by = arena_copy(&f->arena, charge_label(s, c, HEFT_DIFF_BY_SYMBOL)),
		/* A symbol of the same size has changed: it has a new reference. */
		.change = change == HEFT_UNCHANGED ? HEFT_CHANGED : change,
		.file = "",
	};
	const struct graph_edge *e = graph_edge_between(&f->added, by, group_step(k, by));
	if (e) {
		/* Paths of the snapshot are those that a reader knows from other rows. */
		const char *file = came_in_source(f, e->place, &ret.line);
		const char *known = arena_copy(&f->arena, snapshot_text(s, c->source));
		const bool same = strcmp(file_name(known), file_name(file)) == 0;
		ret.file = same ? known : arena_copy(&f->arena, str_of(file));
	}
	return ret;
}

void came_in_find(struct came_in_finder *f, const uint32_t *group, const char *const *names,
		  uint32_t count, came_in_vec *ret)
{
	uint64_t *bytes = mem_zeroed(count + 1, sizeof *bytes);
	for (size_t i = 0; i < f->d->charges.list.count; i++) {
		const struct charge_pair *p = &f->d->charges.list.data[i];
		if (group[i] != CAME_IN_NONE && p->before == SNAP_NO_SYMBOL)
			bytes[group[i]] += p->file[1] > 0 ? p->file[1] : p->vm[1];
	}
	for (uint32_t i = 0; i < count && i < GROUPS_MOST; i++) {
		if (bytes[i] <= f->least || !came_in_open(f))
			continue;
		struct came_in_group k = { .f = f, .group = group, .number = i };
		const bool sure = group_find(&k);
		for (size_t n = 0; sure && n < k.count; n++) {
			struct heft_came_in answer = group_answer(&k, k.by[n]);
			answer.what = names[i];
			answer.bytes = bytes[i];
			vec_push(ret, answer);
		}
	}
	mem_free(bytes);
}

/* Returns the label of a pair's row. */
static struct str came_in_row_label(const struct came_in_finder *f, const struct charge_pair *p,
				    const struct heft_diff_query *q)
{
	const struct snapshot *s = f->d->after;
	const struct snap_charge *c = &s->charges.data[p->after];
	return q->by == HEFT_DIFF_BY_SYMBOL && q->names == HEFT_NAMES_FULL &&
			       c->symbol != SNAP_NO_SYMBOL
		       ? snapshot_text(s, s->symbols.data[c->symbol].full_name)
		       : charge_label(s, c, q->by);
}

void came_in_find_rows(struct came_in_finder *f, const struct diff_rows *rows,
		       const struct heft_diff_query *query, came_in_vec *ret)
{
	const struct heft_row *top = rows->table.top;
	const size_t pairs = f->d->charges.list.count;
	uint32_t *group = mem_alloc((pairs + 1) * sizeof *group);
	VEC(const char *) names = { 0 };
	struct intern labels = { { 0 } };
	for (size_t i = 0; i < top->child_count && rows->counting == DIFF_CHARGED; i++) {
		const struct heft_row *row = top->children[i];
		if (row->others == 0 &&
		    (row->kind == HEFT_ROW_NAME || row->kind == HEFT_ROW_LITERAL) &&
		    intern_add(&labels, str_of(row->label)) == names.count)
			vec_push(&names, row->label);
	}
	for (size_t i = 0; i < pairs; i++) {
		const struct charge_pair *p = &f->d->charges.list.data[i];
		group[i] = CAME_IN_NONE;
		if (!p->debug && p->before == SNAP_NO_SYMBOL &&
		    !intern_find(&labels, came_in_row_label(f, p, query), &group[i]))
			group[i] = CAME_IN_NONE;
	}
	came_in_find(f, group, names.data, (uint32_t)names.count, ret);
	intern_release(&labels);
	vec_release(&names);
	mem_free(group);
}

void came_in_release(struct came_in_finder *f)
{
	struct heft_graph *p = &f->program;
	graph_release(&p->graph);
	graph_release(&f->added);
	mem_free_all(f->charge, f->level, f->is_own, f->child, f->next, f->sums);
	locator_release(&p->locator);
	layer_release(&p->layer);
	measure_release(&p->measure);
	labels_release(&p->labels);
	program_close(&p->program);
	if (f->tried)
		notes_release(&f->notes);
	arena_release(&f->arena);
	*f = (struct came_in_finder){ .d = f->d };
}
