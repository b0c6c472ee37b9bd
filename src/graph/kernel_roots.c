/* Finds the roots of a kernel of Linux: what it exports, and the lists that its linker script puts
 * together, which code walks between two symbols that the script makes. */
#include "graph/roots.h"

#include "base/intern.h"
#include "base/sort.h"
#include "image/elf/elf_const.h"
#include "program/symbol_rule.h"

/* A symbol that may be a bound of a list. */
struct kernel_bound {
	struct str name;
	uint64_t addr;
};

/* A list between two bounds. */
struct kernel_list {
	_Alignas(8) uint64_t start;
	uint64_t end;
};

struct kernel_bounds {
	VEC(struct kernel_bound) list;
	struct intern names; /* Numbers of names are indexes in `list` */
	VEC(struct kernel_list) found;
};

/* A bound contains a word of `starts`. The other bound has one of `ends` instead. */
static const struct {
	const char *start, *end;
} kernel_words[] = {
	{ "__start_", "__stop_" }, { "__start_", "__end_" }, { "_start", "_end" },
	{ "_start", "_stop" },     { "_begin", "_end" },
};

static void kernel_bounds_read(struct kernel_bounds *b, const struct image *im)
{
	const struct section *table = image_section_type(im, SHT_SYMTAB, 1);
	struct symtab t;
	if (!table || !symtab_open(&t, im, table))
		return;
	for (size_t i = 1; i < t.count; i++) {
		const struct symbol s = symtab_get(&t, i);
		uint64_t addr;
		if (str_starts(s.name, STR("__")) && symbol_addr(im, &s, &addr) &&
		    intern_borrow(&b->names, s.name) == b->list.count)
			vec_push(&b->list, (struct kernel_bound){ s.name, addr });
	}
}

/* Returns the address of the symbol that ends the list which symbol `start` begins. 0 if there is
 * none. */
static uint64_t kernel_bounds_end(const struct kernel_bounds *b, struct str start)
{
	uint32_t id;
	uint64_t ret = 0;
	struct text name = { 0 };
	for (size_t i = 0; i < COUNT_OF(kernel_words) && ret == 0; i++) {
		const struct str word = str_of(kernel_words[i].start);
		const size_t before = str_find(start, word);
		if (before == start.len)
			continue;
		name.len = 0;
		text_adds(&name, (struct str){ start.p, before }, str_of(kernel_words[i].end),
			  str_from(start, before + word.len));
		if (intern_find(&b->names, text_str(&name), &id))
			ret = b->list.data[id].addr;
	}
	text_release(&name);
	return ret;
}

/* Adds the functions to which words of 4 bytes give the distance from themselves. */
static void kernel_add_distances(struct graph_roots *r, uint64_t start, uint64_t end,
				 enum root_why why)
{
	struct reader words = reader_of(image_at(r->of->im, start, end - start),
					r->of->im->big_endian);
	while (reader_left(&words) >= 4) {
		const uint64_t place = start + words.pos;
		const uint64_t addr = place + (uint64_t)(int64_t)(int32_t)read_u32(&words);
		const struct span *at = spans_find(&r->g->spans, addr);
		if (at && at->start == addr)
			roots_add(r, r->g->owner[at - r->g->spans.list.data], why);
	}
}

static void kernel_add_list(struct graph_roots *r, uint64_t start, uint64_t end)
{
	const struct spans *vm = &r->g->spans;
	for (size_t i = vec_lower(&vm->list, start);
	     i < vm->list.count && vm->list.data[i].start < end; i++)
		roots_add(r, r->g->owner[i], ROOT_KEPT);
	kernel_add_distances(r, start, end, ROOT_KEPT);
}

/* Removes the references from the list of all functions that can be traced. It describes code, and
 * keeps nothing. */
static void kernel_forget_traced(struct graph_roots *r, uint64_t start, uint64_t end)
{
	edge_vec *edges = &r->g->edges;
	size_t kept = 0;
	for (size_t i = 0; i < edges->count; i++)
		if (edges->data[i].kind == EDGE_ROOT || edges->data[i].place - start >= end - start)
			edges->data[kept++] = edges->data[i];
	edges->count = kept;
}

/* Adds the lists. A list begins inside a section of data. Bounds at the start of a section are
 * those of the section. */
static void kernel_add_lists(struct graph_roots *r, const struct image *symbols)
{
	struct kernel_bounds b = { 0 };
	kernel_bounds_read(&b, symbols);
	vec_each(const struct kernel_bound, start, &b.list) {
		const uint64_t end = kernel_bounds_end(&b, start->name);
		const struct section *in = end > start->addr
						   ? image_section_at(r->of->im, start->addr)
						   : NULL;
		if (in && !in->exec && !in->nobits && start->addr > in->addr &&
		    end - in->addr <= in->size)
			vec_push(&b.found, (struct kernel_list){ start->addr, end });
		if (in && str_eq(start->name, STR("__start_mcount_loc")))
			kernel_forget_traced(r, start->addr, end);
	}
	/* Lists may overlap. */
	uint64_t done = 0;
	vec_sort(&b.found);
	vec_each(const struct kernel_list, l, &b.found) {
		if (l->end > done)
			kernel_add_list(r, max_u64(l->start, done), l->end);
		done = max_u64(done, l->end);
	}
	vec_release_all(&b.list, &b.found);
	intern_release(&b.names);
}

void roots_add_kernel(struct graph_roots *r)
{
	const struct image *im = r->of->im;
	bool kernel = false;
	each_section(s, im) {
		if (!s->alloc || s->nobits || !str_starts(s->name, STR("__ksymtab")) ||
		    str_eq(s->name, STR("__ksymtab_strings")))
			continue;
		kernel_add_distances(r, s->addr, s->addr + s->size, ROOT_EXPORT);
		kernel = true;
	}
	if (!kernel)
		return;
	/* Code refers to variables of each processor by their distances from the first one. */
	static const char *const whole[] = { ".data..percpu", ".brk", ".pci_fixup" };
	for (size_t i = 0; i < COUNT_OF(whole); i++) {
		const struct section *s = image_section_find(im, whole[i]);
		if (s && s->alloc)
			kernel_add_list(r, s->addr, add_sat(s->addr, s->size));
	}
	/* A kernel states its entry as the machine stores it, before it turns on virtual memory. */
	for (size_t i = 0; i < im->segment_count; i++) {
		const struct segment *s = &im->segments[i];
		if (s->type == PT_LOAD && im->entry - s->load_addr < s->vm_size)
			roots_add_code(r, s->addr + (im->entry - s->load_addr), ROOT_ENTRY);
	}
	kernel_add_lists(r, im);
	if (r->of->debug)
		kernel_add_lists(r, r->of->debug);
}
