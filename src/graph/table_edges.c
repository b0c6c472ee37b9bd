/* Finds the references that tables about code state: jumps of stubs, indirect calls by the types of
 * functions, and methods of Go's types. */
#include "graph/edges.h"

#include "base/sort.h"
#include "image/image.h"
#include "program/go_types.h"
#include "program/plt.h"

struct stub_edges {
	const struct edges_of *in;
	struct symtab symbols;
	edge_vec *to;
};

static void stub_edges_add(void *user, const struct plt_stub *stub)
{
	struct stub_edges *e = user;
	const struct symbol s = symtab_get_nameless(&e->symbols, stub->slot->symbol);
	const uint64_t place = stub->section->addr + stub->off;
	const struct span *list = e->in->spans->list.data;
	uint64_t addr;
	if (!symbol_addr(e->in->im, &s, &addr))
		return;
	const struct span *from = spans_find(e->in->spans, place),
			  *to = spans_find(e->in->spans, addr);
	if (from && to)
		edges_add(e->to, e->in->owner[from - list], e->in->owner[to - list], EDGE_JUMP,
			  place);
}

void edges_of_stubs(const struct edges_of *in, edge_vec *ret)
{
	struct stub_edges e = { .in = in, .to = ret };
	struct plt plt = { 0 };
	plt_read(&plt, in->im);
	if (plt.dynsym && symtab_open(&e.symbols, in->im, plt.dynsym))
		plt_each(&plt, stub_edges_add, &e);
	plt_release(&plt);
}

/* Most edges of indirect calls. Types with too many callers and targets are skipped: who may call
 * whom then says little. */
enum { INDIRECT_MOST = 1 << 20 };

/* A function and a type: its own, or that of functions which it calls through a pointer. */
struct typed_function {
	_Alignas(8) uint64_t type;
	uint64_t place; /* Address of the function */
	uint32_t node;
};

typedef VEC(struct typed_function) typed_vec;

struct call_types {
	typed_vec targets, callers;
};

static void call_types_add(typed_vec *to, const struct edges_of *in, uint64_t type, uint64_t addr)
{
	const struct span *at = spans_find(in->spans, addr);
	if (at && type != 0)
		vec_push(to, (struct typed_function){ type, addr,
						      in->owner[at - in->spans->list.data] });
}

/* Reads .llvm.callgraph of a linked program (LLVM, docs/CallGraphSection.md): per function its
 * address, its type and the types of its indirect calls. */
static void call_types_read(const struct edges_of *in, const struct section *s,
			    struct call_types *ret)
{
	enum { IS_TARGET = 1, HAS_DIRECT = 2, HAS_INDIRECT = 4 };
	const unsigned width = in->im->bits / 8;
	struct reader r = reader_of(section_bytes(in->im, s), in->im->big_endian);
	while (reader_left(&r) > 0 && read_u8(&r) == 0) {
		const unsigned flags = read_u8(&r);
		const uint64_t addr = read_uint(&r, width), type = read_u64(&r);
		if (flags & HAS_DIRECT)
			read_skip(&r, min_u64(read_uleb(&r), r.size) * width);
		uint64_t count = flags & HAS_INDIRECT ? read_uleb(&r) : 0;
		if (!reader_ok(&r))
			return;
		if (flags & IS_TARGET)
			call_types_add(&ret->targets, in, type, addr);
		for (; count > 0 && reader_left(&r) > 0; count--)
			call_types_add(&ret->callers, in, read_u64(&r), addr);
	}
}

void edges_of_call_types(const struct edges_of *in, edge_vec *ret)
{
	struct call_types all = { 0 };
	uint64_t left = INDIRECT_MOST;
	if (in->im->kind == IMAGE_OBJECT)
		return;
	each_section(s, in->im)
		if (str_eq(s->name, STR(".llvm.callgraph")))
			call_types_read(in, s, &all);
	vec_sort(&all.targets);
	vec_sort(&all.callers);
	for (size_t i = 0, end; i < all.callers.count; i = end) {
		const uint64_t type = all.callers.data[i].type;
		const size_t first = vec_lower(&all.targets, type),
			     last = vec_upper(&all.targets, type);
		for (end = i; end < all.callers.count && all.callers.data[end].type == type; end++)
			;
		const uint64_t pairs = (uint64_t)(end - i) * (last - first);
		if (pairs > left)
			continue;
		left -= pairs;
		for (size_t k = i; k < end; k++)
			for (size_t t = first; t < last; t++)
				edges_add(ret, all.callers.data[k].node, all.targets.data[t].node,
					  EDGE_INDIRECT, all.callers.data[k].place);
	}
	vec_release_all(&all.targets, &all.callers);
}

struct go_edges {
	const struct edges_of *in;
	const struct go_table *go;
	edge_vec *to;
	uint32_t from;
	VEC(uint64_t) inside; /* Addresses of types at which no span begins */
};

static void go_edges_add(void *ctx, uint64_t place, uint64_t target)
{
	struct go_edges *g = ctx;
	const struct span *at = spans_find(g->in->spans, target);
	if (!at)
		return;
	edges_add(g->to, g->from, g->in->owner[at - g->in->spans->list.data], EDGE_POINTER, place);
	if (at->start != target && target >= g->go->types.start && target < g->go->types.end)
		vec_push(&g->inside, target);
}

static void go_edges_read(struct go_edges *g, size_t span, uint64_t type)
{
	g->from = g->in->owner[span];
	go_type_refers(g->go, g->in->im, type, go_edges_add, g);
}

void edges_of_go_types(const struct edges_of *in, const struct go_table *go, edge_vec *ret)
{
	enum { ROUNDS = 4 };
	struct go_edges g = { .in = in, .go = go, .to = ret };
	const struct spans *spans = in->spans;
	for (size_t i = vec_lower(&spans->list, go->types.start);
	     i < spans->list.count && spans->list.data[i].start < go->types.end; i++)
		go_edges_read(&g, i, spans->list.data[i].start);
	/* Types inside spans may tell further ones. */
	for (unsigned round = 0; round < ROUNDS && g.inside.count > 0; round++) {
		const size_t count = g.inside.count;
		vec_sort(&g.inside);
		for (size_t i = 0; i < count; i++) {
			const uint64_t type = g.inside.data[i];
			const struct span *at = spans_find(spans, type);
			if (at && (i == 0 || g.inside.data[i - 1] != type))
				go_edges_read(&g, (size_t)(at - spans->list.data), type);
		}
		memmove(g.inside.data, g.inside.data + count,
			(g.inside.count - count) * sizeof *g.inside.data);
		g.inside.count -= count;
	}
	vec_release(&g.inside);
}
