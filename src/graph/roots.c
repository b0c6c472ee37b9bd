/* Finds the roots of a graph: owners that a program needs although nothing in it refers to them. */
#include "graph/roots.h"

#include "attr/attr.h"
#include "base/sort.h"
#include "code/flow.h"
#include "image/arch.h"
#include "image/elf/elf_const.h"

enum { ROOTS_DT_INIT = 12, ROOTS_DT_FINI = 13 };

typedef VEC(uint64_t) roots_addrs;

void roots_add(struct graph_roots *r, uint32_t node, enum root_why why)
{
	struct graph_node *n = node == NODE_NONE ? NULL : &r->g->nodes.data[node];
	if (!n || node == 0)
		return;
	if (n->root == ROOT_NONE)
		edges_add(&r->g->edges, 0, node, EDGE_ROOT, n->addr);
	if (n->root == ROOT_NONE || n->root > why)
		n->root = (uint8_t)why;
}

void roots_add_code(struct graph_roots *r, uint64_t addr, enum root_why why)
{
	const uint64_t start = image_code_addr(r->of->im, addr);
	const struct section *in = image_section_at(r->of->im, start);
	if (in && in->exec)
		roots_add(r, graph_at(r->g, start), why);
}

/* Lists the addresses of variables that the loader copies from libraries. They are imports. */
static void roots_find_copies(const struct image *im, roots_addrs *ret)
{
	for (size_t i = 1; i < im->section_count; i++) {
		struct reloc_iter it;
		struct reloc rel;
		if (!section_is_reloc(&im->sections[i]) || !im->sections[i].alloc ||
		    !reloc_open(&it, im, &im->sections[i]))
			continue;
		while (reloc_next(&it, &rel))
			if (rel.kind == RELOC_COPY)
				vec_push(ret, rel.addr);
	}
	vec_sort(ret);
}

/* Adds what other modules may use by name: the dynamic symbols, and in an object all symbols that
 * are not local. */
static void roots_add_exports(struct graph_roots *r)
{
	const struct image *im = r->of->im;
	const uint32_t type = im->kind == IMAGE_OBJECT ? SHT_SYMTAB : SHT_DYNSYM;
	const struct section *table = image_section_type(im, type, 1);
	roots_addrs copies = { 0 };
	struct symtab t;
	uint64_t addr;
	if (!table || !symtab_open(&t, im, table))
		return;
	roots_find_copies(im, &copies);
	for (size_t i = 1; i < t.count; i++) {
		const struct symbol s = symtab_get_nameless(&t, i);
		if (s.bind == STB_LOCAL || !symbol_addr(im, &s, &addr))
			continue;
		const size_t at = vec_lower(&copies, addr);
		if (at == copies.count || copies.data[at] != addr)
			roots_add(r, graph_at(r->g, addr), ROOT_EXPORT);
	}
	vec_release(&copies);
}

/* Adds the functions in a list of words that ends with 0. The first word is a count. */
static void roots_add_list(struct graph_roots *r, uint64_t addr, enum root_why why)
{
	enum { MOST = 1 << 16 };
	const unsigned word = (unsigned)pointer_size(r->of->im);
	struct reader words = reader_of(image_at(r->of->im, addr, MOST), r->of->im->big_endian);
	read_skip(&words, word);
	for (uint64_t func; (func = read_uint(&words, word)) != 0;)
		roots_add_code(r, func, why);
}

/* Adds what PE programs find by symbols that GNU ld knows: lists of constructors and destructors,
 * which its script puts between functions, and the record of thread-local variables. */
static void roots_add_known(struct graph_roots *r)
{
	const struct image *im = r->of->im;
	const struct section *table = image_symbols(im);
	struct symtab t;
	uint64_t addr;
	if (!im->from_base || !table || !symtab_open(&t, im, table))
		return;
	for (size_t i = 1; i < t.count; i++) {
		const struct symbol s = symtab_get(&t, i);
		struct str name = s.name;
		while (str_starts(name, STR("_")))
			name = (struct str){ name.p + 1, name.len - 1 };
		if (!str_ends(name, STR("_LIST__")) && !str_eq(name, STR("tls_used")))
			continue;
		if (!symbol_addr(im, &s, &addr))
			continue;
		if (str_eq(name, STR("CTOR_LIST__")))
			roots_add_list(r, addr, ROOT_CONSTRUCTOR);
		else if (str_eq(name, STR("DTOR_LIST__")))
			roots_add_list(r, addr, ROOT_DESTRUCTOR);
		else if (str_eq(name, STR("tls_used")))
			roots_add(r, graph_at(r->g, addr), ROOT_CONSTRUCTOR);
	}
}

/* True if a section's name is a C identifier. Code finds the bounds of such a section by symbols
 * that the linker makes (__start_NAME). */
static bool roots_is_identifier(struct str name)
{
	for (size_t i = 0; i < name.len; i++) {
		const char c = name.p[i];
		if (c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') &&
		    (i == 0 || c < '0' || c > '9'))
			return false;
	}
	return name.len > 0;
}

/* Returns why the owners of a section's bytes are roots. ROOT_NONE if they are not. */
static enum root_why roots_of_section(const struct section *in)
{
	/* Runtimes read lists of classes, categories and protocols, and Swift's metadata. */
	const bool objc = str_starts(in->name, STR(".data.__objc_"));
	const bool swift = str_starts(in->name, STR(".data.__swift5_"));
	if (in->type == SHT_INIT_ARRAY || in->type == SHT_PREINIT_ARRAY ||
	    str_starts(in->name, STR(".ctors")) || str_eq(in->name, STR(".CRT")))
		return ROOT_CONSTRUCTOR; /* .CRT has constructors and TLS callbacks of PE */
	if (in->type == SHT_FINI_ARRAY || str_starts(in->name, STR(".dtors")))
		return ROOT_DESTRUCTOR;
	if (in->type == SHT_NOTE || str_eq(in->name, STR(".init")) ||
	    str_eq(in->name, STR(".fini")) || swift || (objc && str_ends(in->name, STR("list"))) ||
	    (in->type == SHT_PROGBITS && roots_is_identifier(in->name)))
		return ROOT_KEPT;
	return ROOT_NONE;
}

/* Adds the owners of sections that are kept, and those of tables of the file format. */
static void roots_add_sections(struct graph_roots *r)
{
	const struct spans *vm = &r->g->spans;
	const struct section *in = NULL;
	enum root_why of_section = ROOT_NONE;
	bool table = true;
	const bool known = code_split_isa_of(r->of->im) != CODE_NONE;
	for (size_t i = 0; i < vm->list.count; i++) {
		const struct span *s = &vm->list.data[i];
		if (!in || s->start - in->addr >= in->size) {
			in = image_section_at(r->of->im, s->start);
			of_section = in ? roots_of_section(in) : ROOT_NONE;
			table = !in || !(section_is_data(in) || in->exec || in->nobits);
		}
		enum root_why why = of_section;
		const bool unread = !known && r->g->flags[i] & SPAN_CODE;
		const uint32_t node = r->g->owner[i];
		/* Bytes of unwind tables that functions share are a part with its own address. */
		const bool shared = r->g->nodes.data[node].part &&
				    r->g->nodes.data[node].addr == s->start;
		if (why == ROOT_NONE && unread)
			why = ROOT_UNREAD;
		if (why == ROOT_NONE && table &&
		    (shared || label_is_fallback(r->of->labels, s->label)))
			why = ROOT_FORMAT;
		if (why != ROOT_NONE)
			roots_add(r, node, why);
	}
}

/* Adds the table of interrupt vectors (ARMv7-M B1.5.3), and the handlers in it. The table begins
 * with the stack pointer. It ends before the first word that is neither a handler nor 0. */
static void roots_add_vectors(struct graph_roots *r)
{
	enum { MOST = 512 };
	const struct image *im = r->of->im;
	const struct section *low = NULL;
	if (im->kind != IMAGE_EXEC || im->type != ET_EXEC || !image_arch(im)->is_firmware)
		return;
	for (size_t i = 1; i < im->section_count; i++) {
		const struct section *s = &im->sections[i];
		if (s->alloc && !s->nobits && s->size > 0 && (!low || s->addr < low->addr))
			low = s;
	}
	if (!low || low->type != SHT_PROGBITS)
		return;
	struct reader words = reader_of(image_at(im, low->addr, MOST * 4), im->big_endian);
	const uint32_t stack = read_u32(&words);
	const struct section *code = image_section_at(im, stack);
	if (image_arch(im)->two_sets && (stack % 4 != 0 || (code && code->exec)))
		return;
	roots_add(r, graph_at(r->g, low->addr), ROOT_VECTOR);
	if (!image_arch(im)->two_sets)
		return;
	while (reader_left(&words) >= 4) {
		const uint32_t word = read_u32(&words);
		const struct section *in = word & 1 ? image_section_at(im, word - 1) : NULL;
		if (in && in->exec)
			roots_add_code(r, word, ROOT_VECTOR);
		else if (word != 0)
			return;
	}
}

/* Adds nodes of which only tables (unwind, notes, symbols) have bytes, and that nothing refers
 * to. */
static void roots_add_rest(struct graph_roots *r)
{
	struct graph *g = r->g;
	bool *used = mem_zeroed(g->nodes.count, sizeof *used);
	for (size_t i = 0; i < g->edges.count; i++)
		used[edge_to(&g->edges.data[i])] = true;
	for (uint32_t i = 1; i < g->nodes.count; i++)
		if (!used[i] && !g->nodes.data[i].placed && !g->nodes.data[i].part)
			roots_add(r, i,
				  label_is_fallback(r->of->labels, g->nodes.data[i].label)
					  ? ROOT_FORMAT
					  : ROOT_TABLES);
	mem_free(used);
}

void graph_find_roots(struct graph *g, const struct graph_of *of)
{
	struct graph_roots r = { g, of };
	uint64_t addr;
	/* 0 is an entry too, if it is code. */
	if (of->im->kind != IMAGE_OBJECT)
		roots_add_code(&r, of->im->entry, ROOT_ENTRY);
	roots_add_exports(&r);
	if (of->im->kind != IMAGE_OBJECT) {
		/* What tables of exports name, in images that are not ELF */
		for (size_t i = 0; i < of->im->entry_count; i++)
			if (image_export(of->im, &of->im->entries[i], &addr))
				roots_add(&r, graph_at(g, addr), ROOT_EXPORT);
		roots_add_known(&r);
		roots_add_kernel(&r);
	}
	if (image_dynamic(of->im, ROOTS_DT_INIT, &addr))
		roots_add_code(&r, addr, ROOT_CONSTRUCTOR);
	if (image_dynamic(of->im, ROOTS_DT_FINI, &addr))
		roots_add_code(&r, addr, ROOT_DESTRUCTOR);
	roots_add_vectors(&r);
	roots_add_sections(&r);
	roots_add_rest(&r);
}
