/* Makes the graph of references: its nodes, and what each of them retains. */
#include "graph/graph.h"

#include "attr/attr.h"
#include "base/sort.h"
#include "code/ref_store.h"
#include "image/code_symbols.h"
#include "image/elf/elf_const.h"
#include "program/go_table.h"
#include "program/plt.h"
#include "program/symbol_rule.h"

/* Addresses of symbols in executable sections. */
typedef VEC(uint64_t) variable_vec;

struct graph_maker {
	struct graph *g;
	const struct graph_of *of;
	uint8_t *has_code; /* Per label: number of code symbols that have it, at most 2, without
			    * stubs of imports */
	label_id *same;    /* Per label: the label that stands for it */
	struct unwind_tables unwind;
	size_t place;             /* Index of the last answer of graph_place() */
	variable_vec variables;   /* Sorted */
	variable_vec open;        /* Code symbols that state no size. Sorted */
	const struct section *in; /* Section of the last span */
	bool in_data;             /* True if that section has data */
	uint8_t in_flags;         /* Bits of enum span_flag of its spans that are no variables */
};

static void graph_list_symbols(struct graph_maker *m)
{
	const struct image *im = m->of->im;
	const struct section *table = image_symbols(im);
	struct symtab t;
	uint64_t addr;
	if (!table || !symtab_open(&t, im, table))
		return;
	for (size_t i = 1; i < t.count; i++) {
		const struct symbol s = symtab_get_nameless(&t, i);
		const bool open = s.size == 0 && image_states_sizes(im) &&
				  (s.type == STT_FUNC || s.type == STT_NOTYPE);
		if (!(s.type == STT_OBJECT || open) || !symbol_addr(im, &s, &addr))
			continue;
		const struct section *in = image_section_at(im, addr);
		if (!in || !in->exec)
			continue;
		const struct symbol named = symtab_get(&t, i);
		if (s.type == STT_OBJECT)
			vec_push(&m->variables, addr);
		else if (symbol_mark(&named) == '\0')
			vec_push(&m->open, addr);
	}
	vec_sort(&m->variables);
	vec_sort(&m->open);
}

/* True if words of a section may be pointers. False for tables of the file format, such as unwind
 * tables, which describe code and do not need it. */
static bool graph_has_words(const struct image *im, const struct section *in)
{
	if (in->nobits || section_is_reloc(in) || section_is_got(in))
		return false;
	if (str_starts(in->name, STR(".eh_frame")) || str_starts(in->name, STR(".gcc_except")) ||
	    str_starts(in->name, STR(".ARM.ex")) || str_eq(in->name, STR(".interp")))
		return false;
	return !image_states_sizes(im) || in->type == SHT_PROGBITS || in->type == SHT_INIT_ARRAY ||
	       in->type == SHT_FINI_ARRAY || in->type == SHT_PREINIT_ARRAY;
}

/* Returns the section with an address. Fast if addresses rise. */
static const struct section *graph_section(struct graph_maker *m, uint64_t addr)
{
	if (m->in && addr - m->in->addr < m->in->size)
		return m->in;
	m->in = image_section_at(m->of->im, addr);
	m->in_data = m->in && section_is_data(m->in);
	if (m->in && m->in->exec && !m->in->nobits)
		m->in_flags = section_is_plt(m->in) ? SPAN_CODE | SPAN_STUB : SPAN_CODE;
	else
		m->in_flags = m->in && graph_has_words(m->of->im, m->in) ? SPAN_DATA : 0;
	return m->in;
}

static uint8_t graph_span_flags(const struct graph_maker *m, const struct span *s,
				const struct section *in)
{
	const bool fallback = label_is_fallback(m->of->labels, s->label);
	if (!in)
		return 0;
	if (in->exec && !in->nobits) {
		const uint64_t *variable = vec_before(&m->variables, s->start);
		const uint64_t *open = vec_before(&m->open, s->start);
		if (variable && *variable == s->start)
			return SPAN_DATA;
		return open && *open == s->start ? m->in_flags | SPAN_OPEN : m->in_flags;
	}
	if (section_is_got(in))
		return fallback ? SPAN_GOT : 0;
	return m->in_flags;
}

static uint32_t graph_add_node(struct graph *g, label_id label, uint64_t addr)
{
	ASSERT(g->nodes.count < NODE_NONE);
	vec_push(&g->nodes, (struct graph_node){ .label = label, .addr = addr });
	return (uint32_t)(g->nodes.count - 1);
}

/* True if a symbol begins where the span begins. If not, the span is a further part of its
 * symbol. */
static bool graph_is_symbol(const struct graph_maker *m, const struct span *s)
{
	struct ref_store *kept = m->of->refs;
	const uint64_t *at = kept ? vec_before(&kept->symbols, s->start) : NULL;
	return at && *at == s->start;
}

uint64_t graph_file_bytes(const struct span *s, const struct section *in)
{
	const uint64_t end = in && !in->nobits ? in->addr + in->file_size : 0;
	return end > s->start ? min_u64(s->size, end - s->start) : 0;
}

static uint32_t graph_node_of_span(struct graph_maker *m, size_t i, const struct section *in)
{
	struct graph *g = m->g;
	const struct span *s = &m->g->spans.list.data[i];
	const bool code = g->flags[i] & SPAN_CODE;
	const bool data = in && !code && (in->nobits || m->in_data);
	const label_id label = m->same[s->label];
	uint32_t *first = &g->node_of[label];
	if (*first == NODE_NONE)
		*first = graph_add_node(g, label, s->start);
	struct graph_node *main = &g->nodes.data[*first];
	/* A stub of a function of the same image leads to this function. */
	const bool stub = g->flags[i] & SPAN_STUB && m->has_code[label] == 1;
	if (label_is_fallback(m->of->labels, s->label) || stub || !(code || data))
		return *first;
	/* The first range of code, or of data without code, stands for the owner. */
	if (!main->placed && (code || !m->has_code[label])) {
		main->placed = true;
		main->addr = s->start;
		return *first;
	}
	const uint32_t node = graph_add_node(g, label, s->start);
	struct graph_node *n = &g->nodes.data[node];
	n->part = true;
	n->own.file = graph_file_bytes(s, in);
	if (!graph_is_symbol(m, s)) {
		n->constant = !code && (m->has_code[label] || m->of->refs);
		edges_add(&g->edges, *first, node, EDGE_PART, s->start);
	}
	return node;
}

/* Returns the size of the text at the start of some bytes, with the zeros after it. 0 if there is
 * no text with an end. */
static uint64_t graph_text_size(struct bytes b)
{
	uint64_t size = 0;
	while (size < b.size && (b.p[size] >= 0x20 || b.p[size] == '\t' || b.p[size] == '\n') &&
	       b.p[size] != 0x7f)
		size++;
	if (size == 0 || size == b.size || b.p[size] != 0)
		return 0;
	while (size < b.size && b.p[size] == 0)
		size++;
	return size;
}

/* True if a word of data is the address of a function. Its bytes may look like a text. */
static bool graph_is_pointer(const struct graph_maker *m, uint64_t addr)
{
	uint64_t to;
	if (addr % pointer_size(m->of->im) != 0 || !load_pointer(m->of->im, addr, &to))
		return false;
	const struct span *at = spans_find(m->of->vm, to);
	return at && at->start == to && m->has_code[m->same[at->label]];
}

/* Adds a span of constants. Each text gets a span of its own, because functions share texts. */
static void graph_cut_texts(struct graph_maker *m, struct span rest)
{
	const struct bytes all = image_at(m->of->im, rest.start, rest.size);
	for (uint64_t done = 0, size = 1; done < all.size && size > 0; done += size) {
		size = graph_text_size((struct bytes){ all.p + done, all.size - done });
		if (size == 0 || size == rest.size ||
		    (size <= pointer_size(m->of->im) && graph_is_pointer(m, rest.start)))
			break;
		vec_push(&m->g->spans.list, (struct span){ rest.start, size, rest.label });
		rest.start += size;
		rest.size -= size;
	}
	vec_push(&m->g->spans.list, rest);
}

/* Returns the index of the first unwind place at or after an address. Fast if addresses rise. */
static size_t graph_place(struct graph_maker *m, uint64_t addr)
{
	const struct unwind_place *list = m->unwind.places.data;
	if (m->place > 0 && list[m->place - 1].addr >= addr)
		m->place = vec_lower(&m->unwind.places, addr);
	while (m->place < m->unwind.places.count && list[m->place].addr < addr)
		m->place++;
	return m->place;
}

/* Returns the unwind place of an entry that begins where span `s` does. NULL if there is none, or
 * if it surely belongs to the span's owner: not shared, and one function has the label. */
static const struct unwind_place *graph_table_entry(struct graph_maker *m, const struct span *s)
{
	const size_t i = graph_place(m, s->start);
	if (i == m->unwind.places.count || m->unwind.places.data[i].addr != s->start)
		return NULL;
	const struct unwind_place *p = &m->unwind.places.data[i];
	return p->func == UNWIND_SHARED || m->has_code[m->same[s->label]] > 1 ? p : NULL;
}

/* Cuts a span of an unwind table. An entry that several functions share becomes a span. So does
 * each entry if several functions have the label of the span. */
static void graph_cut_table(struct graph_maker *m, struct span rest)
{
	const bool twice = m->has_code[m->same[rest.label]] > 1;
	const struct unwind_place *list = m->unwind.places.data;
	for (size_t i = graph_place(m, rest.start + 1); i < m->unwind.places.count; i++) {
		const uint64_t size = list[i].addr - rest.start;
		if (size >= rest.size)
			break;
		if (size == 0 || !(twice || list[i].func == UNWIND_SHARED ||
				   (i > 0 && list[i - 1].func == UNWIND_SHARED)))
			continue;
		vec_push(&m->g->spans.list, (struct span){ rest.start, size, rest.label });
		rest.start += size;
		rest.size -= size;
	}
	vec_push(&m->g->spans.list, rest);
}

/* Lets the label of an import, NAME, stand for the label NAME@VERSION, which symbol tables have. */
static void graph_join_labels(struct graph_maker *m)
{
	const struct labels *labels = m->of->labels;
	for (label_id i = 0; i < m->g->label_count; i++) {
		const struct str name = label_is_numbered(labels, i) ? STR("")
								     : label_text(labels, i);
		const char *at = name.len > 1 ? memchr(name.p + 1, '@', name.len - 1) : NULL;
		uint32_t plain;
		m->same[i] = i;
		if (at &&
		    intern_find(&labels->names, (struct str){ name.p, (size_t)(at - name.p) },
				&plain) &&
		    plain < m->g->label_count && !label_is_fallback(labels, plain))
			m->same[i] = plain;
	}
}

/* Copies the spans of owners, and cuts constants of functions into texts. */
static void graph_cut_spans(struct graph_maker *m)
{
	const struct spans *vm = m->of->vm;
	for (size_t i = 0; i < vm->list.count; i++) {
		const struct span *s = &vm->list.data[i];
		const struct section *in = graph_section(m, s->start);
		uint8_t *count = &m->has_code[m->same[s->label]];
		if ((graph_span_flags(m, s, in) & (SPAN_CODE | SPAN_STUB)) == SPAN_CODE &&
		    (*count == 0 || graph_is_symbol(m, s)))
			*count = (uint8_t)min_u64(2, *count + 1U);
	}
	for (size_t i = 0; i < vm->list.count; i++) {
		const struct span *s = &vm->list.data[i];
		const struct section *in = graph_section(m, s->start);
		if (in && !in->exec && !in->write && !m->in_data)
			graph_cut_table(m, *s);
		else if (m->has_code[m->same[s->label]] && in && !in->exec && !in->write)
			graph_cut_texts(m, *s);
		else
			vec_push(&m->g->spans.list, *s);
	}
	ASSERT(spans_total(&m->g->spans) == spans_total(vm));
}

/* Returns the node of an entry of an unwind table: that of its function, or a part of its own. */
static uint32_t graph_node_of_entry(struct graph_maker *m, const struct span *s)
{
	struct graph *g = m->g;
	const label_id label = m->same[s->label];
	const uint64_t func = graph_table_entry(m, s)->func;
	const uint64_t file = graph_file_bytes(s, graph_section(m, s->start));
	const uint32_t of = func == UNWIND_SHARED ? NODE_NONE : graph_at(g, func);
	uint32_t node = of;
	if (of == NODE_NONE || g->nodes.data[of].label != label) {
		node = graph_add_node(g, label, s->start);
		g->nodes.data[node].part = true;
		if (g->node_of[label] == NODE_NONE)
			g->node_of[label] = node;
	}
	if (g->nodes.data[node].part)
		g->nodes.data[node].own.file += file;
	return node;
}

static void graph_make_nodes(struct graph_maker *m)
{
	struct graph *g = m->g;
	const struct spans *vm = &m->g->spans;
	graph_add_node(g, LABEL_NONE, UINT64_MAX);
	for (size_t i = 0; i < vm->list.count; i++) {
		const struct span *s = &vm->list.data[i];
		g->flags[i] = graph_span_flags(m, s, graph_section(m, s->start));
	}
	for (size_t i = 0; i < vm->list.count; i++) {
		const struct span *s = &vm->list.data[i];
		const struct section *in = graph_section(m, s->start);
		const bool table = in && !(g->flags[i] & SPAN_CODE) && !in->nobits && !m->in_data &&
				   graph_table_entry(m, s);
		g->owner[i] = table ? NODE_NONE : graph_node_of_span(m, i, in);
	}
	/* Unwind entries follow when all functions have nodes. */
	for (size_t i = 0; i < vm->list.count; i++) {
		if (g->owner[i] == NODE_NONE)
			g->owner[i] = graph_node_of_entry(m, &vm->list.data[i]);
		g->nodes.data[g->owner[i]].own.vm += vm->list.data[i].size;
	}
}

/* Adds the bytes in the file to the nodes by label. Parts keep the bytes that they have already. */
static void graph_add_file_bytes(struct graph_maker *m)
{
	struct graph *g = m->g;
	uint64_t *bytes = mem_zeroed(g->label_count + 1, sizeof *bytes);
	for (size_t i = 0; m->of->file && i < m->of->file->list.count; i++)
		bytes[m->same[m->of->file->list.data[i].label]] += m->of->file->list.data[i].size;
	for (size_t i = 1; i < g->nodes.count; i++) {
		struct graph_node *n = &g->nodes.data[i];
		n->own.file = n->part ? min_u64(n->own.file, bytes[n->label]) : 0;
		bytes[n->label] -= n->own.file;
	}
	for (size_t i = 0; i < g->label_count; i++) {
		if (bytes[i] == 0)
			continue;
		if (g->node_of[i] == NODE_NONE)
			g->node_of[i] = graph_add_node(g, (label_id)i, UINT64_MAX);
		g->nodes.data[g->node_of[i]].own.file = bytes[i];
	}
	mem_free(bytes);
}

/* Asserts that the nodes have all bytes of the image. */
static void graph_verify(const struct graph *g, const struct graph_of *of)
{
	struct graph_sum all = { 0 };
	for (size_t i = 1; i < g->nodes.count; i++) {
		all.file += g->nodes.data[i].own.file;
		all.vm += g->nodes.data[i].own.vm;
	}
	ASSERT(all.vm == spans_total(of->vm));
	ASSERT(!of->file || all.file == spans_total(of->file));
}

struct graph_names {
	const struct graph *g;
	const struct graph_of *of;
};

static bool graph_find_import(void *ctx, struct str name, uint32_t *ret)
{
	const struct graph_names *n = ctx;
	uint32_t label;
	const struct symbol s = { .name = name };
	if (!intern_find(&n->of->labels->names, symbol_owner(&s), &label) ||
	    label >= n->g->label_count)
		return false;
	*ret = n->g->node_of[label];
	return *ret != NODE_NONE;
}

/* Adds a pointer from each slot that MinGW calls __imp_NAME to the import NAME. On i386, symbols
 * have an underscore before the name, and may have the size of the arguments behind it. */
static void graph_add_slots(struct graph *g, const struct graph_of *of)
{
	const struct labels *labels = of->labels;
	const struct str prefix = STR("__imp_");
	for (label_id i = 0; of->im->from_base && i < g->label_count; i++) {
		struct str name = label_text(labels, i);
		uint32_t label;
		if (g->node_of[i] == NODE_NONE || !str_starts(name, prefix))
			continue;
		name = (struct str){ name.p + prefix.len, name.len - prefix.len };
		if (of->im->bits == 32 && str_starts(name, STR("_"))) {
			const char *at = memchr(name.p, '@', name.len);
			const size_t end = at ? (size_t)(at - name.p) : name.len;
			name = (struct str){ name.p + 1, end - 1 };
		}
		if (intern_find(&labels->names, name, &label) && label < g->label_count &&
		    g->node_of[label] != NODE_NONE)
			edges_add(&g->edges, g->node_of[i], g->node_of[label], EDGE_POINTER,
				  g->nodes.data[g->node_of[i]].addr);
	}
}

void graph_read(struct graph *g, const struct graph_of *of)
{
	struct graph_maker m = { .g = g, .of = of };
	ASSERT(g->nodes.count == 0);
	g->label_count = of->labels->kinds.count;
	g->node_of = mem_zeroed(g->label_count + 1, sizeof *g->node_of);
	memset(g->node_of, 0xff, (g->label_count + 1) * sizeof *g->node_of);
	m.has_code = mem_zeroed(g->label_count + 1, sizeof *m.has_code);
	m.same = mem_zeroed(g->label_count + 1, sizeof *m.same);
	graph_join_labels(&m);
	unwind_tables_read(of->im, &m.unwind);
	graph_list_symbols(&m);
	if (of->refs)
		vec_sort(&of->refs->symbols);
	graph_cut_spans(&m);
	g->owner = mem_zeroed(g->spans.list.count + 1, sizeof *g->owner);
	g->flags = mem_zeroed(g->spans.list.count + 1, sizeof *g->flags);
	graph_make_nodes(&m);
	graph_add_file_bytes(&m);
	graph_verify(g, of);
	for (size_t i = 0; i < g->label_count; i++)
		g->node_of[i] = g->node_of[m.same[i]];
	mem_free_all(m.has_code, m.same);
	vec_release_all(&m.variables, &m.open, &m.unwind.places);
	struct graph_names names = { g, of };
	const struct edges_of in = { .im = of->im,
				     .spans = &g->spans,
				     .owner = g->owner,
				     .flags = g->flags,
				     .import = graph_find_import,
				     .ctx = &names,
				     .threads = of->threads,
				     .refs = of->refs };
	const struct go_table *go = of->go ? go_slot_open(of->go, of->im, NULL) : NULL;
	edges_find(&in, &g->edges);
	graph_add_slots(g, of);
	edges_of_unwinding(&in, &m.unwind, &g->edges);
	edges_of_handlers(&in, &g->edges);
	edges_of_call_types(&in, &g->edges);
	edges_of_stubs(&in, &g->edges);
	if (go)
		edges_of_go_types(&in, go, &g->edges);
	vec_release(&m.unwind.uses);
	if (of->refs)
		ref_store_release(of->refs);
	edges_sort(&g->edges);
}

/* Makes the lists of edges by node, in both directions. */
static void graph_link(struct graph *g)
{
	const size_t nodes = g->nodes.count;
	size_t edges = 0;
	g->out_first = mem_zeroed(nodes + 2, sizeof *g->out_first);
	g->in_first = mem_zeroed(nodes + 2, sizeof *g->in_first);
	g->out = mem_zeroed(g->edges.count + 1, sizeof *g->out);
	g->in = mem_zeroed(g->edges.count + 1, sizeof *g->in);
	vec_each(const struct graph_edge, e, &g->edges) {
		if (e->kind == EDGE_INDIRECT)
			continue;
		g->out_first[edge_from(e) + 2]++;
		g->in_first[edge_to(e) + 1]++;
		g->in[edges++] = edge_from(e);
	}
	for (size_t i = 1; i < nodes + 2; i++) {
		g->out_first[i] += g->out_first[i - 1];
		g->in_first[i] += g->in_first[i - 1];
	}
	vec_each(const struct graph_edge, e, &g->edges) {
		if (e->kind != EDGE_INDIRECT)
			g->out[g->out_first[edge_from(e) + 1]++] = edge_to(e);
	}
	ASSERT(g->out_first[nodes] == edges && g->in_first[nodes] == edges);
}

void graph_finish(struct graph *g)
{
	const size_t count = g->nodes.count;
	ASSERT(!g->dominators && count > 0);
	edges_sort(&g->edges);
	graph_link(g);
	g->dominators = mem_zeroed(count, sizeof *g->dominators);
	g->order = mem_zeroed(count, sizeof *g->order);
	g->reached = dominators_find(&(struct links){ (uint32_t)count, g->out_first, g->out },
				     &(struct links){ (uint32_t)count, g->in_first, g->in },
				     g->dominators, g->order);
	for (size_t i = 0; i < count; i++)
		g->nodes.data[i].retained = g->nodes.data[i].own;
	for (uint32_t i = g->reached; i-- > 1;) {
		const struct graph_node *n = &g->nodes.data[g->order[i]];
		struct graph_sum *above = &g->nodes.data[g->dominators[g->order[i]]].retained;
		above->file += n->retained.file;
		above->vm += n->retained.vm;
	}
}

void graph_release(struct graph *g)
{
	spans_release(&g->spans);
	vec_release_all(&g->nodes, &g->edges);
	mem_free_all(g->owner, g->flags, g->node_of, g->out_first, g->in_first, g->out, g->in,
		     g->dominators, g->order);
	*g = (struct graph){ 0 };
}

const struct graph_edge *graph_edge_between(const struct graph *g, uint32_t from, uint32_t to)
{
	const uint64_t key = edge_key(from, to);
	const size_t i = vec_lower(&g->edges, key);
	return i < g->edges.count && g->edges.data[i].key == key ? &g->edges.data[i] : NULL;
}

void graph_path(const struct graph *g, const node_vec *to, node_vec *ret)
{
	/* Searches breadth-first, backwards from `to` to node 0. */
	uint32_t *next = mem_zeroed(g->nodes.count, sizeof *next);
	node_vec line = { 0 };
	memset(next, 0xff, g->nodes.count * sizeof *next);
	for (size_t i = 0; i < to->count; i++) {
		const uint32_t node = to->data[i];
		if (node == 0 || !graph_reaches(g, node) || next[node] != NODE_NONE)
			continue;
		next[node] = node;
		vec_push(&line, node);
	}
	for (size_t at = 0; at < line.count && next[0] == NODE_NONE; at++) {
		const uint32_t after = line.data[at];
		for (size_t i = g->in_first[after]; i < g->in_first[after + 1]; i++) {
			const uint32_t from = g->in[i];
			if (next[from] != NODE_NONE || !graph_reaches(g, from))
				continue;
			next[from] = after;
			vec_push(&line, from);
		}
	}
	ASSERT(line.count == 0 || next[0] != NODE_NONE);
	for (uint32_t at = 0; line.count > 0 && next[at] != at;) {
		at = next[at];
		vec_push(ret, at);
	}
	vec_release(&line);
	mem_free(next);
}
