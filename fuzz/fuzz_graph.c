/* References between the owners of an image.  An ELF file is measured by symbol, and its graph is
 * made from the references that the measurement keeps.  The nodes have all bytes, what a node
 * retains is what it dominates, and each chain follows edges.  Any other input is a list of edges
 * of a made graph: removing a dominator cuts off exactly what it dominates. */
#include "code/ref_store.h"
#include "graph/graph.h"
#include "image/input.h"
#include "source/source.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ROWS_MOST = 64 };

static void check_chain(const struct graph *g, uint32_t node)
{
	node_vec path = { 0 }, to = { 0 };
	uint32_t from = 0;
	vec_push(&to, node);
	graph_path(g, &to, &path);
	ASSERT((path.count > 0) == (node > 0 && graph_reaches(g, node)));
	vec_each(const uint32_t, at, &path) {
		ASSERT(graph_edge_between(g, from, *at));
		from = *at;
	}
	ASSERT(path.count == 0 || from == node);
	vec_release_all(&path, &to);
}

static void check_retained(const struct graph *g, uint32_t node)
{
	bool *gone = mem_zeroed(g->nodes.count, sizeof *gone);
	uint32_t *group = mem_alloc(g->nodes.count * sizeof *group);
	struct graph_sum sum = { 0 };
	memset(group, 0xff, g->nodes.count * sizeof *group);
	group[node] = 0;
	group_gone(g, group, gone);
	for (size_t i = 0; i < g->nodes.count; i++) {
		sum.vm += gone[i] ? g->nodes.data[i].own.vm : 0;
		sum.file += gone[i] ? g->nodes.data[i].own.file : 0;
	}
	ASSERT(sum.vm == g->nodes.data[node].retained.vm);
	ASSERT(sum.file == g->nodes.data[node].retained.file);
	mem_free_all(gone, group);
}

static void check_graph(struct graph *g, const struct graph_of *of)
{
	graph_read(g, of);
	ASSERT(!of->refs || of->refs->parts.count == 0);
	graph_find_roots(g, of);
	graph_finish(g);
	for (size_t i = 1; i < g->edges.count; i++)
		ASSERT(g->edges.data[i - 1].key < g->edges.data[i].key);
	for (size_t i = 0; i < g->edges.count; i++)
		ASSERT(g->edges.data[i].count > 0 && edge_to(&g->edges.data[i]) < g->nodes.count &&
		       edge_from(&g->edges.data[i]) < g->nodes.count);
	for (uint32_t i = 1; i < g->nodes.count && i < ROWS_MOST; i++) {
		check_chain(g, i);
		check_retained(g, i);
	}
	graph_release(g);
}

static void check_image(struct image *im, struct bytes bytes, struct notes *notes)
{
	struct input in = { .file.bytes = bytes, .images = im, .image_count = 1 };
	struct labels labels = { 0 };
	struct ref_store refs = { .im = im };
	struct measure m = { .file.path = NULL };
	struct layer layer = { 0 };
	struct graph g = { 0 };
	const struct program_wish wish = { .flags = 0 };
	const struct source_file of = {
		.path = "fuzz", .input = &in, .labels = &labels, .notes = notes, .threads = 1
	};
	measure_begin(&m, &of, &wish);
	m.file.refs = &refs;
	measure_run(&m, source_find(STR("symbols")), &layer);
	struct graph_of graph = {
		.im = im, .vm = &layer.vm, .file = &layer.file, .labels = &labels, .threads = 1
	};
	check_graph(&g, &graph);
	graph.refs = &refs;
	check_graph(&g, &graph);
	layer_release(&layer);
	measure_release(&m);
	labels_release(&labels);
}

/* Marks what node 0 reaches without passing through a node. */
static void reach_without(const struct links *l, uint32_t without, bool *ret)
{
	node_vec line = { 0 };
	memset(ret, 0, l->count * sizeof *ret);
	if (without != 0)
		vec_push(&line, 0);
	ret[0] = true;
	for (size_t i = 0; i < line.count; i++)
		for (size_t k = l->first[line.data[i]]; k < l->first[line.data[i] + 1]; k++) {
			if (l->to[k] == without || ret[l->to[k]])
				continue;
			ret[l->to[k]] = true;
			vec_push(&line, l->to[k]);
		}
	vec_release(&line);
}

static void check_dominators(const struct links *out, const uint32_t *dominators)
{
	bool with[ROWS_MOST], without[ROWS_MOST];
	reach_without(out, NODE_NONE, with);
	for (uint32_t d = 1; d < out->count; d++) {
		reach_without(out, d, without);
		for (uint32_t v = 1; v < out->count; v++) {
			uint32_t at = v;
			while (at != d && at != 0 && at != NODE_NONE)
				at = dominators[at];
			ASSERT(with[v] == (dominators[v] != NODE_NONE));
			ASSERT(!with[v] || (at == d) == !without[v] || v == d);
		}
	}
}

/* Each two bytes are an edge. */
static void check_made(const uint8_t *data, size_t size)
{
	edge_vec edges = { 0 };
	size_t first[2][ROWS_MOST + 1] = { { 0 } };
	uint32_t dominators[ROWS_MOST], order[ROWS_MOST];
	for (size_t i = 0; i + 1 < size; i += 2)
		edges_add(&edges, data[i] % ROWS_MOST, data[i + 1] % ROWS_MOST,
			  (enum edge_kind)(data[i] >> 6), i);
	edges_sort(&edges);
	edges_sort(&edges);
	uint32_t *out = mem_zeroed(edges.count + 1, sizeof *out);
	uint32_t *in = mem_zeroed(edges.count + 1, sizeof *in);
	for (uint32_t node = 0, o = 0, n = 0; node < ROWS_MOST; node++) {
		for (size_t i = 0; i < edges.count; i++) {
			const struct graph_edge *e = &edges.data[i];
			ASSERT(i == 0 || e[-1].key < e->key);
			if (edge_from(e) == node)
				out[o++] = edge_to(e);
			if (edge_to(e) == node)
				in[n++] = edge_from(e);
		}
		first[0][node + 1] = o;
		first[1][node + 1] = n;
	}
	const struct links outward = { ROWS_MOST, first[0], out };
	const uint32_t reached = dominators_find(
		&outward, &(struct links){ ROWS_MOST, first[1], in }, dominators, order);
	ASSERT(reached >= 1 && reached <= ROWS_MOST && order[0] == 0);
	check_dominators(&outward, dominators);
	mem_free_all(out, in);
	vec_release(&edges);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct image im;
	struct notes notes;
	struct heft_err err = { 0 };
	const struct bytes bytes = { data, size };
	if (size < 4 || memcmp(data, "\177ELF", 4) != 0) {
		check_made(data, min_u64(size, 4096));
		return 0;
	}
	notes_init(&notes);
	if (elf_parse(&im, &(struct image_place){ "fuzz", STR(""), 0, 0 }, bytes, &notes, &err)) {
		if (im.kind != IMAGE_CORE)
			check_image(&im, bytes, &notes);
		image_release(&im);
	}
	notes_release(&notes);
	return 0;
}
