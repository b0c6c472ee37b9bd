/* Finds why symbols are in a program: heft_graph_*. */
#include "measure/why.h"

#include "base/nearest.h"
#include "base/pool.h"
#include "base/sort.h"
#include "names/namespace.h"

#include <fnmatch.h>

enum { WHY_USERS = 64, WHY_PARTS = 16 };

static const char *const why_kinds[EDGE_KINDS] = {
	[EDGE_ROOT] = "root",
	[EDGE_CALL] = "call",
	[EDGE_JUMP] = "jump",
	[EDGE_ADDRESS] = "address",
	[EDGE_ACCESS] = "access",
	[EDGE_CODE] = "relocation",
	[EDGE_POINTER] = "pointer",
	[EDGE_WORD] = "word",
	[EDGE_NUMBER] = "number",
	[EDGE_PERSONALITY] = "personality",
	[EDGE_TYPE] = "type",
	[EDGE_PART] = "part",
	[EDGE_INDIRECT] = "indirect call",
};

static const char *const why_roots[ROOT_REASONS] = {
	[ROOT_NONE] = "",
	[ROOT_ENTRY] = "entry point",
	[ROOT_EXPORT] = "exported",
	[ROOT_CONSTRUCTOR] = "constructor",
	[ROOT_DESTRUCTOR] = "destructor",
	[ROOT_VECTOR] = "interrupt vector",
	[ROOT_KEPT] = "kept section",
	[ROOT_UNREAD] = "code that is not decoded",
	[ROOT_FORMAT] = "file format",
	[ROOT_TABLES] = "only in tables",
};

const char *why_word(const struct graph *g, const struct graph_edge *e)
{
	return e->kind == EDGE_ROOT ? why_roots[g->nodes.data[edge_to(e)].root]
				    : why_kinds[e->kind];
}

const char *why_unseen(struct heft_graph *g)
{
	static const char *const words[] = {
		"addresses that code makes in ways that are not followed",
		"pointers at odd addresses", "handlers of exceptions"
	};
	const unsigned unseen = edges_unseen_in(program_image(&g->program));
	const char *all = "";
	for (unsigned i = 0; i < COUNT_OF(words); i++)
		if (unseen >> i & 1)
			all = arena_format(&g->arena, "%s%s%s", all, *all ? ", " : "", words[i]);
	return all;
}

bool why_read(struct heft_graph *g, const struct context *c, struct notes *notes)
{
	struct source_file file = measure_input(&g->program, NULL, NEED_SYMBOLS | NEED_DWARF);
	file.notes = notes;
	file.labels = &g->labels;
	file.threads = pool_threads(c->threads);
	progress_tell("references", 0, 0);
	measure_begin(&g->measure, &file, &c->wish);
	if (!program_image(&g->program) || !source_graph(&g->measure.file, &g->layer, &g->graph))
		return false;
	g->locator.style = context_style(c, HEFT_NAMES_FULL);
	g->locator.symbols = program_symbols(&g->program);
	g->locator.symbolizer = program_symbolizer(&g->program);
	return true;
}

bool why_open(struct heft_graph *g, const char *path, struct heft_err *err)
{
	const char *copy = arena_copy(&g->arena, str_of(path));
	if (g->opened)
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "a handle opens one file");
	g->opened = true;
	context_take(&g->context);
	if (!program_open_alone(&g->program, copy, USE_WHY, &g->context.wish, &g->context.notes,
				err))
		return false;
	g->is_read = why_read(g, &g->context, &g->context.notes);
	return g->is_read || fail(err, HEFT_EUNSUPPORTED, HEFT_NO_OFFSET,
				  "%s: has several programs; choose one with --arch=NAME", copy);
}

/* Returns the shown name of a label. Valid at least until the next call. */
static struct str why_label(struct heft_graph *g, label_id label)
{
	const struct str raw = label_text(&g->labels, label);
	if (!label_is_after(raw))
		return demangle(&g->locator.demangler, raw, g->locator.style);
	const struct str whom = demangle(&g->locator.demangler, label_after_whom(raw),
					 g->locator.style);
	return str_of(arena_format(&g->answer, LABEL_AFTER STR_FMT ")", STR_ARG(whom)));
}

static const char *why_name(struct heft_graph *g, uint32_t node)
{
	const struct graph_node *n = &g->graph.nodes.data[node];
	if (node == 0)
		return "";
	const struct str name = why_label(g, n->label);
	return n->constant ? arena_format(&g->answer, "data of " STR_FMT, STR_ARG(name))
			   : arena_copy(&g->answer, name);
}

typedef VEC(const char *) name_vec;

/* Fails because nothing of this kind (`kind`) is called `text`. The message proposes a similar name
 * of `names`. */
static bool why_unknown(const struct heft_graph *g, const char *kind, const char *text,
			name_vec *names, struct heft_err *err)
{
	const char *near = nearest_of(text, names->data, names->count);
	vec_release(names);
	return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "%s: no %s is called '%.200s'%s%.200s%s",
		    g->program.path, kind, text, near ? "; did you mean '" : "", near ? near : "",
		    near ? "'?" : "");
}

static void why_add_asked(struct heft_graph *g, uint32_t node)
{
	for (size_t i = 0; i < g->asked.count; i++)
		if (g->asked.data[i] == node)
			return;
	if (node != NODE_NONE)
		vec_push(&g->asked, node);
}

static bool why_begin(struct heft_graph *g, struct heft_err *err)
{
	g->asked.count = 0;
	g->by = NULL;
	arena_reset(&g->answer);
	return g->is_read || fail(err, HEFT_EARG, HEFT_NO_OFFSET, "no program is open");
}

/* Adds all symbols whose names match a shell pattern, as one group. */
static void why_add_pattern(struct heft_graph *g, const char *pattern)
{
	for (uint32_t i = 1; i < g->graph.nodes.count; i++) {
		const struct graph_node *n = &g->graph.nodes.data[i];
		if (n->placed && !n->constant && !label_is_fallback(&g->labels, n->label) &&
		    fnmatch(pattern, why_name(g, i), 0) == 0)
			vec_push(&g->asked, i);
	}
	if (g->asked.count > 0)
		g->by = arena_copy(&g->arena, str_of(pattern));
}

/* Adds the symbol that the linker calls so, if it is the only one. Saves reading all names. */
static void why_add_raw(struct heft_graph *g, const char *text)
{
	uint32_t label, count = 0, node = NODE_NONE;
	if (!intern_find(&g->labels.names, str_of(text), &label) ||
	    label_is_fallback(&g->labels, label))
		return;
	for (uint32_t i = 1; i < g->graph.nodes.count; i++) {
		if (g->graph.nodes.data[i].label != label || g->graph.nodes.data[i].constant)
			continue;
		node = i;
		count++;
	}
	if (count == 1 && g->graph.nodes.data[node].placed)
		why_add_asked(g, node);
}

bool why_ask(struct heft_graph *g, const char *text, size_t *ret_count, struct heft_err *err)
{
	struct text_places *p = &g->places;
	uint32_t label;
	if (!why_begin(g, err))
		return false;
	why_add_raw(g, text);
	if (g->asked.count == 0 && text_places_find(program_names(&g->program, 0), text, p)) {
		if (p->is_number)
			why_add_asked(g, graph_at(&g->graph, p->number));
		if (p->section)
			why_add_asked(g, graph_at(&g->graph, p->section->addr + p->offset));
		for (size_t i = 0; i < p->surest; i++)
			why_add_asked(g, graph_at(&g->graph, p->matches.data[i].addr + p->offset));
	}
	/* If no symbol has the name, tries names of imports, and labels that are no symbols. */
	for (label = 0; g->asked.count == 0 && label < g->graph.label_count; label++)
		if (str_eq(label_text(&g->labels, label), str_of(text)) ||
		    str_eq(why_label(g, label), str_of(text)))
			why_add_asked(g, g->graph.node_of[label]);
	if (g->asked.count == 0 && strpbrk(text, "*?["))
		why_add_pattern(g, text);
	*ret_count = g->by ? 1 : g->asked.count;
	if (*ret_count > 0)
		return true;
	name_vec names = { 0 };
	for (uint32_t i = 1; i < g->graph.nodes.count; i++)
		if (g->graph.nodes.data[i].placed && !g->graph.nodes.data[i].part)
			vec_push(&names, why_name(g, i));
	return why_unknown(g, "symbol", text, &names, err);
}

/* True if a label is the name, or below it: a folder in a folder, a namespace in a namespace, or a
 * version of the package. */
static bool why_is_below(struct str label, struct str name)
{
	if (!str_starts(label, name))
		return false;
	const struct str rest = { label.p + name.len, label.len - name.len };
	return rest.len == 0 || str_starts(rest, STR("/")) || str_starts(rest, STR("::")) ||
	       (rest.len > 1 && rest.p[0] == ' ' && rest.p[1] >= '0' && rest.p[1] <= '9');
}

/* Adds the nodes to which the layer of a data source gives the label `text`, or a label below it.
 * Lists other labels in `others`. */
static void why_add_group(struct heft_graph *g, const struct spans *vm, const struct view *view,
			  const char *text, name_vec *others)
{
	struct span_cursor at = { vm, 0 };
	label_id before = LABEL_NONE;
	for (uint32_t i = 1; i < g->graph.nodes.count; i++) {
		const struct graph_node *n = &g->graph.nodes.data[i];
		const label_id raw = n->addr == UINT64_MAX ? LABEL_NONE
							   : cursor_label(&at, n->addr);
		if (raw == LABEL_NONE || label_is_fallback(&g->labels, n->label))
			continue;
		const label_id shown = view_is_plain(view) ? raw : view->shown[raw];
		if (why_is_below(label_text(&g->labels, shown), str_of(text)))
			vec_push(&g->asked, i);
		else if (shown != before)
			vec_push(others, arena_copy(&g->answer, label_text(&g->labels, shown)));
		before = shown;
	}
}

bool why_ask_by(struct heft_graph *g, const char *source, const char *text, struct heft_err *err)
{
	const struct source *s = source_find(str_of(source));
	struct namespaces spaces = { 0 };
	struct measure m = { .file = { .path = NULL } };
	struct layer layer = { .exact = false };
	name_vec others = { 0 };
	if (!why_begin(g, err))
		return false;
	if (!s)
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "no such data source: '%s'", source);
	struct source_file file = measure_input(&g->program, NULL, source_needs(s));
	file.notes = &g->context.notes;
	file.labels = &g->labels;
	file.threads = g->context.threads;
	file.vm_only = true;
	measure_begin(&m, &file, &g->context.wish);
	measure_run(&m, s, &layer);
	struct view view = source_view(s, g->locator.style);
	view.paths = &g->context.wish.paths;
	view.spaces = &spaces;
	if (view.form == VIEW_NAMESPACE)
		source_namespaces(&m.file, &spaces);
	if (!view_is_plain(&view))
		view_update(&view, &g->labels, &layer.vm, file.threads, file.notes);
	why_add_group(g, &layer.vm, &view, text, &others);
	g->by = arena_copy(&g->arena, str_of(text));
	view_release(&view);
	layer_release(&layer);
	namespaces_release(&spaces);
	measure_release(&m);
	if (g->asked.count == 0)
		return why_unknown(g, arena_format(&g->answer, "row of %s", source), text, &others,
				   err);
	vec_release(&others);
	return true;
}

static struct heft_bytes why_bytes(struct graph_sum s)
{
	return (struct heft_bytes){ s.file, s.vm };
}

static struct heft_reference why_describe(struct heft_graph *g, const struct graph_edge *e)
{
	return (struct heft_reference){
		.from = why_name(g, edge_from(e)),
		.to = why_name(g, edge_to(e)),
		.kind = why_word(&g->graph, e),
		.count = e->count,
		.place = e->place,
		.file = "",
	};
}

/* Describes an edge, with the source line of its place. */
static struct heft_reference why_locate(struct heft_graph *g, const struct graph_edge *e)
{
	struct heft_reference r = why_describe(g, e);
	const struct heft_frame *frames;
	const char *unit;
	struct declaration d;
	if (e->kind == EDGE_ROOT)
		return r;
	if (locator_functions(&g->locator, e->place, &frames, &unit) > 0) {
		r.file = arena_copy(&g->answer, str_of(frames[0].file));
		r.line = frames[0].line;
	} else if (locator_variable(&g->locator, e->place, &d)) {
		r.file = arena_copy(&g->answer, str_of(d.file));
		r.line = d.line;
	}
	return r;
}

static void why_find_chain(struct heft_graph *g, const node_vec *nodes)
{
	node_vec path = { 0 };
	graph_path(&g->graph, nodes, &path);
	g->chain.count = 0;
	for (size_t i = 0; i < path.count; i++) {
		const uint32_t from = i > 0 ? path.data[i - 1] : 0;
		const struct graph_edge *e = graph_edge_between(&g->graph, from, path.data[i]);
		ASSERT(e);
		vec_push(&g->chain, why_locate(g, e));
	}
	vec_release(&path);
}

/* Lists in g->users the nodes that refer to `nodes`: by address, those that a root reaches first.
 * `group` is 0 for `nodes` themselves. Returns the number of all. */
static uint64_t why_find_users(struct heft_graph *g, const node_vec *nodes, const uint32_t *group)
{
	uint64_t all = 0;
	g->users.count = 0;
	for (size_t i = 0; i < 2 * nodes->count; i++) {
		size_t count;
		const size_t first = edges_to(&g->graph.edges, nodes->data[i % nodes->count],
					      &count);
		const bool dead = i >= nodes->count;
		for (size_t k = first; k < first + count; k++) {
			const struct graph_edge *e = &g->graph.edges.data[k];
			const uint32_t from = edge_from(e);
			if (from == 0 || group[from] == 0 || graph_reaches(&g->graph, from) == dead)
				continue;
			if (all++ < WHY_USERS)
				vec_push(&g->users, why_locate(g, e));
		}
	}
	return all;
}

/* Bytes of a section or of a label. Sorted by `key` */
struct why_sum {
	uint64_t key; /* Sorts the largest VM size first */
	struct graph_sum bytes;
	uint32_t of; /* Section index or label */
};

typedef VEC(struct why_sum) why_sums;

static void why_sums_sort(why_sums *sums, const struct graph_sum *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (list[i].vm > 0 || list[i].file > 0)
			vec_push(sums,
				 (struct why_sum){ UINT64_MAX - list[i].vm, list[i], (uint32_t)i });
	vec_sort(sums);
}

static void why_find_sections(struct heft_graph *g, const bool *kept)
{
	const struct image *im = program_image(&g->program);
	struct graph_sum *list = mem_zeroed(im->section_count + 1, sizeof *list);
	why_sums sums = { 0 };
	g->sections.count = 0;
	for (size_t i = 0; i < g->graph.spans.list.count; i++) {
		const struct span *s = &g->graph.spans.list.data[i];
		const struct section *in = image_section_at(im, s->start);
		if (!kept[g->graph.owner[i]])
			continue;
		list[in ? in->index : 0].vm += s->size;
		list[in ? in->index : 0].file += graph_file_bytes(s, in);
	}
	why_sums_sort(&sums, list, im->section_count);
	for (size_t i = 0; i < sums.count; i++) {
		const struct str name = section_title(&im->sections[sums.data[i].of]);
		vec_push(&g->sections,
			 (struct heft_kept){ sums.data[i].of ? arena_copy(&g->answer, name) : "",
					     sums.data[i].bytes.file, sums.data[i].bytes.vm });
	}
	vec_release(&sums);
	mem_free(list);
}

/* Lists the largest owners among the retained bytes. Returns the number of all owners. */
static uint64_t why_find_parts(struct heft_graph *g, const bool *kept)
{
	struct graph_sum *list = mem_zeroed(g->graph.label_count + 1, sizeof *list);
	why_sums sums = { 0 };
	g->parts.count = 0;
	for (size_t i = 1; i < g->graph.nodes.count; i++) {
		const struct graph_node *n = &g->graph.nodes.data[i];
		list[n->label].file += kept[i] ? n->own.file : 0;
		list[n->label].vm += kept[i] ? n->own.vm : 0;
	}
	why_sums_sort(&sums, list, g->graph.label_count);
	for (size_t i = 0; i < sums.count && i < WHY_PARTS; i++)
		vec_push(&g->parts,
			 (struct heft_kept){ arena_copy(&g->answer, why_label(g, sums.data[i].of)),
					     sums.data[i].bytes.file, sums.data[i].bytes.vm });
	const uint64_t all = sums.count;
	vec_release(&sums);
	mem_free(list);
	return all;
}

/* Describes a group of nodes. */
static void why_describe_group(struct heft_graph *g, const node_vec *nodes, struct heft_why *ret)
{
	const size_t count = g->graph.nodes.count;
	uint32_t *group = mem_alloc(count * sizeof *group);
	bool *gone = mem_zeroed(count, sizeof *gone);
	struct graph_sum own = { 0 }, retained = { 0 };
	memset(group, 0xff, count * sizeof *group);
	for (size_t i = 0; i < nodes->count; i++) {
		const struct graph_node *n = &g->graph.nodes.data[nodes->data[i]];
		own.file += n->own.file;
		own.vm += n->own.vm;
		/* If others use a constant too, it stays without the group. */
		if (!n->constant || nodes->count == 1)
			group[nodes->data[i]] = 0;
	}
	group_gone(&g->graph, group, gone);
	for (size_t i = 1; i < count; i++) {
		retained.file += gone[i] ? g->graph.nodes.data[i].own.file : 0;
		retained.vm += gone[i] ? g->graph.nodes.data[i].own.vm : 0;
	}
	ret->own = why_bytes(own);
	ret->retained = why_bytes(retained);
	ret->all_users = why_find_users(g, nodes, group);
	why_find_sections(g, gone);
	ret->all_parts = why_find_parts(g, gone);
	mem_free_all(group, gone);
}

bool why_answer(struct heft_graph *g, size_t i, struct heft_why *ret, struct heft_err *err)
{
	if (i >= (g->by ? 1 : g->asked.count))
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "no answer has this number");
	uint32_t node = g->asked.data[i];
	const node_vec one = { .data = &node, .count = 1 }, *nodes = g->by ? &g->asked : &one;
	arena_reset(&g->answer);
	*ret = (struct heft_why){ .size = sizeof *ret,
				  .name = g->by ? g->by : why_name(g, node),
				  .addr = g->by ? HEFT_NO_ADDRESS
						: g->graph.nodes.data[node].addr };
	why_find_chain(g, nodes);
	why_describe_group(g, nodes, ret);
	ret->unseen = g->chain.count == 0 ? why_unseen(g) : "";
	ret->chain = g->chain.data;
	ret->chain_count = g->chain.count;
	ret->users = g->users.data;
	ret->user_count = g->users.count;
	ret->sections = g->sections.data;
	ret->section_count = g->sections.count;
	ret->parts = g->parts.data;
	ret->part_count = g->parts.count;
	return true;
}

bool why_reference(struct heft_graph *g, size_t i, struct heft_reference *ret)
{
	if (i >= g->graph.edges.count)
		return false;
	arena_reset(&g->answer);
	*ret = why_describe(g, &g->graph.edges.data[i]);
	return true;
}

bool why_symbol(struct heft_graph *g, size_t i, struct heft_why *ret)
{
	if (i + 1 >= g->graph.nodes.count)
		return false;
	const struct graph_node *n = &g->graph.nodes.data[i + 1];
	arena_reset(&g->answer);
	*ret = (struct heft_why){ .size = sizeof *ret,
				  .unseen = "",
				  .name = why_name(g, (uint32_t)i + 1),
				  .addr = n->addr,
				  .own = why_bytes(n->own),
				  .retained = why_bytes(n->retained) };
	return true;
}
