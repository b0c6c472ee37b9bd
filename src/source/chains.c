/* Implements the data source `dominators`: each byte belongs to the chain of owners that keep it.
 * The label is "A;B;C" for the bytes of C, if only B keeps C, and only A keeps B. */
#include "code/ref_store.h"
#include "graph/graph.h"
#include "source/source.h"

#define NOT_REACHED "(not reached from a root)"

/* Limits of a chain: owners, and bytes of its text. Bytes beyond belong to its last owner. */
enum { CHAIN_STEPS = 16, CHAIN_TEXT = 1024 };

struct chain {
	label_id label, last; /* `last`: its last owner */
	uint32_t steps, size; /* Owners, and bytes of text */
};

static struct chain chain_of(const struct labels *labels, label_id owner)
{
	return (struct chain){ owner, owner, 1, (uint32_t)label_text(labels, owner).len };
}

/* Returns the chain of an owner below the chain `above`. */
static struct chain chain_below(struct labels *labels, struct chain above, label_id owner)
{
	const uint64_t size = above.size + UINT64_C(1) + label_text(labels, owner).len;
	if (above.last == owner || above.steps == CHAIN_STEPS || size > CHAIN_TEXT)
		return above;
	return (struct chain){ label_chain(labels, above.label, owner), owner, above.steps + 1,
			       (uint32_t)size };
}

/* Returns the chain of each node. Node 0 has none. */
static struct chain *chains_find(struct labels *labels, const struct graph *g)
{
	struct chain *of = mem_zeroed(g->nodes.count, sizeof *of);
	const struct chain dead = chain_of(labels, label_borrow(labels, STR(NOT_REACHED)));
	for (uint32_t i = 1; i < g->reached; i++) {
		const uint32_t node = g->order[i], above = g->dominators[node];
		const label_id owner = g->nodes.data[node].label;
		of[node] = above == 0 ? chain_of(labels, owner)
				      : chain_below(labels, of[above], owner);
		ASSERT(of[node].steps > 0 && of[node].steps <= CHAIN_STEPS);
	}
	for (uint32_t i = 1; i < g->nodes.count; i++) {
		const label_id owner = g->nodes.data[i].label;
		if (of[i].steps == 0)
			of[i] = label_is_fallback(labels, owner) ? chain_of(labels, owner)
								 : chain_below(labels, dead, owner);
	}
	return of;
}

/* Adds the file's spans, labelled with chains. `parts`: spans of further nodes of owners, labelled
 * with these nodes. An owner's other bytes, such as its name, belong to its first node. */
static void chains_of_file(const struct graph *g, const struct chain *of, const struct spans *parts,
			   const struct spans *owners, struct spans *ret)
{
	size_t k = 0;
	vec_each(const struct span, s, &owners->list) {
		for (uint64_t at = s->start, end; at < s->start + s->size; at = end) {
			while (k < parts->list.count &&
			       parts->list.data[k].start + parts->list.data[k].size <= at)
				k++;
			const struct span *n = k < parts->list.count ? &parts->list.data[k] : NULL;
			const bool here = n && n->start <= at;
			uint32_t node = g->node_of[s->label];
			if (here && g->nodes.data[n->label].label == s->label)
				node = n->label;
			ASSERT(node != NODE_NONE);
			end = s->start + s->size;
			if (n)
				end = min_u64(end, here ? n->start + n->size : n->start);
			spans_push(ret, at, end - at, of[node].label);
		}
	}
	ASSERT(spans_total(ret) == spans_total(owners));
}

/* Makes a layer with the chains of owners. `file`: spans of the owners in `g`. ret->vm may have the
 * memory of g->spans: no span is written before it is read. */
static void layer_set_chains(const struct source_file *f, const struct graph *g,
			     const struct spans *file, struct layer *ret)
{
	struct chain *of = chains_find(f->labels, g);
	struct spans parts = { 0 }, of_file;
	for (size_t i = 0; i < g->spans.list.count; i++) {
		const struct span s = g->spans.list.data[i];
		if (g->owner[i] != g->node_of[s.label])
			spans_push(&parts, s.start, s.size, g->owner[i]);
		spans_push(&ret->vm, s.start, s.size, of[g->owner[i]].label);
	}
	basemap_translate(f->map, &parts, &of_file);
	chains_of_file(g, of, &of_file, file, &ret->file);
	spans_release(&parts);
	spans_release(&of_file);
	mem_free(of);
	basemap_check_vm(f->map, &ret->vm);
	basemap_check_file(f->map, &ret->file);
}

void source_graph_make(const struct source_file *f, const struct layer *symbols,
		       struct ref_store *refs, struct graph *g)
{
	const struct graph_of of = { .im = refs->im,
				     .vm = &symbols->vm,
				     .file = &symbols->file,
				     .labels = f->labels,
				     .refs = refs,
				     .debug = graph_debug(f),
				     .go = f->go,
				     .threads = f->threads };
	graph_read(g, &of);
	graph_find_roots(g, &of);
	graph_finish(g);
}

bool source_graph(const struct source_file *f, struct layer *ret, struct graph *g)
{
	struct ref_store refs = { .im = graph_image(f->input) };
	if (!refs.im)
		return false;
	struct source_file symbols = *f;
	symbols.refs = &refs;
	source_symbols(&symbols, ret);
	source_graph_make(f, ret, &refs, g);
	return true;
}

void source_dominators(const struct source_file *f, struct layer *ret)
{
	struct layer symbols = { .exact = false };
	struct graph g = { 0 };
	if (f->graph && f->symbols && !f->origins && !f->trace) {
		layer_set_chains(f, f->graph, &f->symbols->file, ret);
	} else if (source_graph(f, &symbols, &g)) {
		/* Memory that was written already is faster than new memory. */
		ret->vm = g.spans;
		ret->file = symbols.vm;
		ret->vm.list.count = ret->file.list.count = 0;
		layer_set_chains(f, &g, &symbols.file, ret);
		g.spans = symbols.vm = (struct spans){ 0 };
		graph_release(&g);
		layer_release(&symbols);
	} else {
		source_symbols(f, ret);
		note(f->notes, f->path, HEFT_NO_OFFSET, 0,
		     "references are read in a program, a library or an object: nothing keeps "
		     "these symbols");
		return;
	}
	for (size_t i = 0; f->origins && i < f->origins->claims.list.count; i++) {
		struct claim *c = &f->origins->claims.list.data[i];
		const label_id chain = spans_label(&ret->vm, c->start);
		c->label = chain == LABEL_NONE ? c->label : chain;
	}
}
