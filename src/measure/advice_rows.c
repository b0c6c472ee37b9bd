/* Lists proposals that make a program smaller. */
#include "measure/advice_rows.h"

#include "base/packed_sink.h"
#include "base/sort.h"
#include "image/elf/elf_const.h"
#include "image/patched.h"

const struct heft_text advice_texts[ADVICE_TEXTS] = {
	[ADVICE_TEXT_SURE] = { "sure", false,
			       "how sure it is that the bytes go: `stated`, `proved` or "
			       "`inferred`" },
	[ADVICE_TEXT_WHAT] = { "what", false, "what is so, in a sentence" },
	[ADVICE_TEXT_CHANGE] = { "change", false, "what to do" },
	[ADVICE_TEXT_COST] = { "cost", false, "what it costs. Empty if nothing" },
	[ADVICE_TEXT_LINK] = { "link", false,
			       "options of a link that show it, for a compiler. The last one is "
			       "what it is about. Empty if no link shows it" },
	[ADVICE_TEXT_SAVED] = { "measured", true,
				"with `--prove`: bytes by which the last option made the program "
				"smaller, negative if larger. Missing without a link" },
	[ADVICE_TEXT_PADDING] = { "padding", true,
				  "bytes of `measured` that were padding between segments, which "
				  "depends on where pages begin" },
	[ADVICE_TEXT_FAILURE] = { "failure", false,
				  "with `--prove`: the first line of the linker's error. Empty if "
				  "the link went well" },
};

const struct heft_measure advice_measures[1] = {
	{ "bytes", "saves", HEFT_BYTES, false, false, "bytes that the file could do without" },
};

/* Words for the savings of facts.h, in the order of facts_add_savings() */
static const struct advice_words savings[] = {
	{ "debug info", "Debug info is in the file",
	  "keep it in a file of its own: objcopy --only-keep-debug, strip --strip-debug, objcopy "
	  "--add-gnu-debuglink",
	  "debuggers and profilers need the other file", ADVICE_STATED, "-Wl,--strip-debug" },
	{ "symbol table", "The symbol table names functions that nothing links to",
	  "strip --strip-all; keep a copy with the debug info",
	  "backtraces name exported functions alone", ADVICE_STATED,
	  "-Wl,--strip-debug -Wl,--strip-all" },
	{ "relocations kept by --emit-relocs", "The linker kept relocations that it has applied",
	  "link without --emit-relocs", "BOLT needs them", ADVICE_STATED },
	{ "relative relocations packed as RELR", "Relative relocations take a record each",
	  "link with -Wl,-z,pack-relative-relocs (GNU ld, mold) or --pack-dyn-relocs=relr (lld)",
	  "needs glibc 2.36, musl 1.2.4, Android 9 or later", ADVICE_PROVED,
	  /* A section's header and name, entries of .dynamic, and the version that glibc wants */
	  "-Wl,-z,pack-relative-relocs", 140 },
	{ "old hash table beside the GNU one", "Exported names have two hash tables",
	  "link with -Wl,--hash-style=gnu", "loaders from before 2006 need the old one",
	  ADVICE_STATED, "-Wl,--hash-style=gnu" },
	{ ".comment", "A section names the compilers of all objects",
	  "objcopy --remove-section .comment", "", ADVICE_STATED },
};

/* Adds a proposal, unless it saves too few bytes to be worth a line, or Go has no such option. */
static void advice_push(struct advice_rows *r, struct advice *a)
{
	enum { LEAST = 64 }; /* Smallest proposal that is listed, in bytes */
	if (a->bytes >= LEAST && !(r->go && a->words->not_go))
		vec_push(&r->found, *a);
	else
		vec_release(&a->parts);
}

static void advice_take_savings(struct advice_rows *r, const struct facts *f)
{
	for (size_t i = 0; i < f->saving_count; i++) {
		struct advice a = { .bytes = f->savings[i].bytes };
		for (size_t k = 0; k < COUNT_OF(savings); k++)
			if (strcmp(f->savings[i].what, savings[k].name) == 0)
				a.words = &savings[k];
		ASSERT(a.words);
		a.bytes -= min_u64(a.bytes, a.words->adds);
		if (strstr(f->features, "signed")) {
			struct advice_words *told = arena_new(&r->arena, struct advice_words, 1);
			*told = *a.words;
			told->cost = arena_format(&r->arena, "%s%sthe file has to be signed anew",
						  a.words->cost, *a.words->cost ? "; " : "");
			a.words = told;
		}
		advice_push(r, &a);
	}
}

static bool is_zero(struct bytes b)
{
	return b.size > 0 && b.p[0] == 0 && memcmp(b.p, b.p + 1, b.size - 1) == 0;
}

static bool advice_count_bytes(void *ctx, const void *data, size_t size)
{
	uint64_t *count = ctx;
	(void)data;
	*count += size;
	return true;
}

/* Returns the size of the bytes when packed. Returns their own size if this build cannot pack. */
static uint64_t packed_size(struct bytes b)
{
	uint64_t count = 0;
	const struct heft_sink counter = { advice_count_bytes, &count };
	struct packed_sink *p = packed_sink_open(&counter, 0, NULL);
	if (!p)
		return b.size;
	const struct heft_sink in = packed_sink_of(p);
	const bool good = in.write(in.ctx, b.p, b.size) && packed_sink_end(p);
	packed_sink_close(p);
	return good ? count : b.size;
}

/* Proposals about the contents of constants and variables */
enum data_advice { DATA_ZEROS, DATA_PACKABLE, DATA_NAMES, DATA_ADVICES };

static const struct advice_words data_words[DATA_ADVICES] = {
	[DATA_ZEROS] = { "zeros", "Variables in .data hold zeros alone",
			 "leave their initializers out, and name no section, so that they are in "
			 ".bss",
			 "", ADVICE_PROVED },
	[DATA_PACKABLE] = { "packable-data",
			    "Large constants take less than half of their room if packed",
			    "store them packed (zstd, deflate), and unpack when they are needed",
			    "time and memory for unpacking, and the code that unpacks",
			    ADVICE_INFERRED },
	[DATA_NAMES] = { "function-names", "Texts hold the names of functions for messages",
			 "compile with -DNDEBUG, or let macros use __FILE__ and __LINE__",
			 "failed assertions tell less, or are not checked", ADVICE_INFERRED },
};

static bool text_has(struct str text, struct str word)
{
	return str_find(text, word) < text.len;
}

/* True for the text of __func__ or __PRETTY_FUNCTION__: a variable of that name, or a literal that
 * ends with template arguments, such as "void f(T) [with T = int]". */
static bool is_function_name(struct str name, struct bytes text)
{
	static const char *const variables[] = { "__PRETTY_FUNCTION__", "__func__",
						 "__FUNCTION__" };
	for (size_t i = 0; i < COUNT_OF(variables); i++)
		if (text_has(name, str_of(variables[i])))
			return true;
	const struct str t = { (const char *)text.p, text.size > 0 ? text.size - 1 : 0 };
	return snap_is_literal(name) && str_ends(t, STR("]")) && text_has(t, STR(" = ")) &&
	       (text_has(t, STR(") [")) || text_has(t, STR(") const [")));
}

/* Adds the bytes of a variable or constant to the advice that would save them, if there is one. */
static void advice_look_at(struct advice all[DATA_ADVICES], const struct snapshot *s,
			   const struct snap_symbol *y, struct bytes b,
			   const struct section *section, struct arena *arena)
{
	enum { BLOB_MIN = 16 << 10 }; /* Packing smaller constants does not pay off */
	const struct str name = snapshot_text(s, y->full_name);
	enum data_advice to;
	uint64_t bytes = b.size;
	if (section->write) {
		if (!str_eq(section->name, STR(".data")) || !is_zero(b))
			return;
		to = DATA_ZEROS;
	} else if (is_function_name(name, b)) {
		to = DATA_NAMES;
	} else {
		const uint64_t packed = b.size >= BLOB_MIN ? packed_size(b) : b.size;
		if (packed >= b.size / 2)
			return;
		to = DATA_PACKABLE;
		bytes -= packed;
	}
	all[to].bytes = add_sat(all[to].bytes, bytes);
	const char *owner = snap_is_star(name) ? arena_format(arena, "[section " STR_FMT "]",
							      STR_ARG(section->name))
					       : arena_copy(arena, name);
	vec_push(&all[to].parts, (struct advice_part){ owner, bytes });
}

static void advice_look_at_data(struct advice_rows *r, const struct snapshot *s,
				const struct image *im)
{
	struct advice all[DATA_ADVICES] = { { 0 } };
	place_vec patches = { 0 };
	image_list_patched(im, &patches);
	for (size_t i = 0; i < s->symbols.count; i++) {
		const struct snap_symbol *y = &s->symbols.data[i];
		const struct snap_section *in = &s->sections.data[y->section];
		const struct section *section = image_section_at(im, y->addr);
		if (in->code && in->native && y->alias_place == 0 && y->contents.shape != 0)
			vec_push(&r->code,
				 (struct advice_code){ y->contents.shape, y->addr, y->size });
		if (y->addr == 0 || y->size == 0 || y->alias_place > 0 || !in->native ||
		    !in->in_file || !in->in_memory || in->code || !section)
			continue;
		const struct bytes b = image_at(im, y->addr, y->size);
		const size_t patch = vec_lower(&patches, y->addr);
		const bool patched = patch < patches.count &&
				     patches.data[patch] - y->addr < y->size;
		/* What a relocation fills is not zero. */
		if (b.size == y->size && !(section->write && patched))
			advice_look_at(all, s, y, b, section, &r->arena);
	}
	vec_release(&patches);
	/* Without a section such as .bss, .data is where zeros have to be. */
	bool has_bss = false;
	each_section(in, im)
		has_bss |= in->alloc && in->write && in->nobits;
	if (!has_bss) {
		all[DATA_ZEROS].bytes = 0;
		all[DATA_ZEROS].parts.count = 0;
	}
	for (unsigned i = 0; i < DATA_ADVICES; i++) {
		all[i].words = &data_words[i];
		advice_push(r, &all[i]);
	}
}

/* Proposes to pack sections of debug info, as a linker does that packs each one by itself. */
static void advice_look_at_debug(struct advice_rows *r, const struct image *im)
{
	static const struct advice_words words = {
		"uncompressed debug info",
		"Debug info is not compressed",
		"link with -Wl,--compress-debug-sections=zstd, or =zlib for tools from before 2022",
		"debuggers take longer to read it",
		ADVICE_INFERRED,
		"-Wl,--compress-debug-sections=zstd",
		0,
		true
	};
	enum { HEADER = 24 }; /* Bytes of Elf64_Chdr, before the packed bytes */
	struct advice a = { .words = &words };
	each_section(s, im) {
		if (s->alloc || s->compressed || !section_name_is_debug(s->name))
			continue;
		const uint64_t packed = packed_size(section_bytes(im, s)) + HEADER;
		if (packed >= s->file_size)
			continue;
		a.bytes += s->file_size - packed;
		vec_push(&a.parts, (struct advice_part){ arena_copy(&r->arena, section_title(s)),
							 s->file_size - packed });
	}
	advice_push(r, &a);
}

/* A range of the file that a segment, a section or a header has. */
struct advice_range {
	uint64_t off; /* The key for sorting */
	uint64_t end;
	bool load; /* True for a segment that is loaded */
};

/* Proposes a link in which segments do not begin at the next page, or in which pages are smaller.
 * The first is possible if code has a segment apart from that of constants. */
static void advice_look_at_gaps(struct advice_rows *r, const struct image *im)
{
	enum { PAGE = 4096 };
	static const struct advice_words apart = { "page-alignment",
						   "Bytes between segments reach the next page",
						   "link with -Wl,-z,noseparate-code",
						   "headers and constants can be executed as code",
						   ADVICE_INFERRED,
						   "-Wl,-z,noseparate-code",
						   .not_go = true };
	static const struct advice_words pages = {
		"page-alignment",
		"Bytes between segments reach the next page of the largest size",
		"link with -Wl,-z,max-page-size=4096",
		"does not start where the system's pages are larger",
		ADVICE_INFERRED,
		"-Wl,-z,max-page-size=4096",
		.not_go = true
	};
	enum { HEADER = 64, SEGMENT_HEADER = 56 }; /* Bytes of Elf64_Ehdr and Elf64_Phdr */
	struct advice a = { .words = NULL };
	VEC(struct advice_range) ranges = { 0 };
	uint64_t gaps = 0, whole = 0, align = 0;
	uint64_t end = HEADER + im->segment_count * SEGMENT_HEADER;
	bool code = false, constants = false;
	for (size_t i = 0; i < im->segment_count; i++) {
		const struct segment *g = &im->segments[i];
		if (g->type != PT_LOAD || g->file_size == 0)
			continue;
		vec_push(&ranges, (struct advice_range){ g->off, g->off + g->file_size, true });
		align = max_u64(align, g->align);
		code |= g->exec && !g->write;
		constants |= !g->exec && !g->write;
	}
	each_section(s, im)
		vec_push(&ranges,
			 (struct advice_range){ s->off, add_sat(s->off, s->file_size), false });
	vec_sort(&ranges);
	vec_each(const struct advice_range, x, &ranges) {
		const uint64_t gap = x->load ? x->off - min_u64(x->off, end) : 0;
		gaps += gap;
		whole += gap / PAGE * PAGE;
		if (x->end > x->off)
			end = max_u64(end, x->end);
	}
	vec_release(&ranges);
	/* The last segment begins where it did within a page, so whole pages go. */
	a.words = code && constants ? &apart : &pages;
	a.bytes = code && constants ? gaps / PAGE * PAGE : align > PAGE ? whole : 0;
	if (a.bytes > 0)
		vec_push(&a.parts, (struct advice_part){ "[Unmapped]", a.bytes });
	advice_push(r, &a);
}

bool advice_rows_find(struct advice_rows *r, const struct snapshot *s, const struct info_file *file,
		      struct heft_err *err)
{
	struct program p;
	struct program_wish wish = { 0 };
	struct notes notes = { 0 };
	ASSERT(r->found.count == 0);
	r->go = strncmp(file->facts.made_by, "go1", 3) == 0;
	advice_take_savings(r, &file->facts);
	advice_vec asked = { 0 };
	if (!advice_ask(s, &r->arena, &asked, err))
		return false;
	for (size_t i = 0; i < asked.count; i++)
		advice_push(r, &asked.data[i]);
	vec_release(&asked);
	const bool good = program_open(&p, file->path, USE_ADVICE, &wish, &notes, err);
	if (good && program_image(&p)) {
		advice_look_at_data(r, s, program_image(&p));
		advice_look_at_debug(r, program_image(&p));
		if (strncmp(file->facts.format, "ELF", 3) == 0)
			advice_look_at_gaps(r, program_image(&p));
	}
	program_close(&p);
	notes_release(&notes);
	return good;
}

static struct advice *advice_find(struct advice_rows *r, const char *name)
{
	for (size_t i = 0; i < r->found.count; i++)
		if (strcmp(r->found.data[i].words->name, name) == 0)
			return &r->found.data[i];
	return NULL;
}

static const char *advice_node_name(struct advice_rows *r, struct heft_graph *g, uint32_t node)
{
	struct heft_why w = { .name = "" };
	struct memory *mine = memory_enter(g->memory);
	why_symbol(g, node - 1, &w);
	memory_enter(mine);
	return arena_copy(&r->arena, str_of(w.name));
}

/* Returns the bytes of debug info of each node, which linkers keep when the node goes. */
static uint64_t *advice_debug_bytes(const struct heft_graph *g)
{
	const struct image *im = program_image(&g->program);
	const struct spans *file = &g->layer.file;
	uint64_t *ret = mem_zeroed(g->graph.nodes.count, sizeof *ret);
	each_section(s, im) {
		const uint64_t end = add_sat(s->off, s->file_size);
		const struct span *at = s->alloc || !section_name_is_debug(s->name)
						? NULL
						: spans_find(file, s->off);
		for (; at && at < file->list.data + file->list.count && at->start < end; at++) {
			const uint64_t from = max_u64(at->start, s->off);
			const uint32_t node = g->graph.node_of[at->label];
			if (node != NODE_NONE)
				ret[node] += min_u64(at->start + at->size, end) - from;
		}
	}
	return ret;
}

static void advice_add_unreached(struct advice_rows *r, struct heft_graph *g)
{
	static const struct advice_words words = {
		"unreached",
		"Nothing reaches these functions and variables from a root",
		"compile with -ffunction-sections -fdata-sections, link with -Wl,--gc-sections",
		"code that is only found by computed addresses would go too",
		ADVICE_INFERRED,
		"-Wl,--gc-sections",
		.not_go = true
	};
	static const struct advice_words old_words = {
		"bolt-old-code",
		"llvm-bolt moved these functions, and kept what they were before",
		"run llvm-bolt with --use-old-text",
		"the new code has to fit into the place of the old",
		ADVICE_INFERRED,
	};
	struct advice_words *told = arena_new(&r->arena, struct advice_words, 1);
	struct advice unreached = { .words = told }, old = { .words = &old_words };
	const char *unseen = why_unseen(g);
	uint64_t *debug = advice_debug_bytes(g);
	*told = words;
	if (*unseen)
		told->cost = arena_format(&r->arena, "%s; not looked at: %s", words.cost, unseen);
	for (uint32_t i = 1; i < g->graph.nodes.count; i++) {
		const struct graph_node *n = &g->graph.nodes.data[i];
		const uint64_t bytes = n->own.file - min_u64(n->own.file, debug[i]);
		if (graph_reaches(&g->graph, i) || bytes == 0 ||
		    label_is_fallback(&g->labels, n->label))
			continue;
		const struct section *in = image_section_at(program_image(&g->program), n->addr);
		const bool is_old = in && str_starts(in->name, STR(".bolt.org."));
		struct advice *a = is_old ? &old : &unreached;
		a->bytes += bytes;
		vec_push(&a->parts, (struct advice_part){ advice_node_name(r, g, i), bytes });
	}
	mem_free(debug);
	advice_push(r, &unreached);
	advice_push(r, &old);
}

/* A reference from a function that has the same instructions as another function. */
struct advice_ref {
	uint32_t from, to; /* Nodes. `to`: NODE_NONE if the target is no start of a function */
	uint64_t target;
};
typedef VEC(struct advice_ref) advice_ref_vec;

/* Lists what the functions refer to, in their order. */
static void advice_read_refs(const struct advice_rows *r, const struct heft_graph *g,
			     const bool *is_code, advice_ref_vec *ret)
{
	const struct image *im = program_image(&g->program);
	const enum code_isa isa = code_isa_of(im);
	const struct ref_wish wish = { REF_MEM | REF_ADDR | REF_CALL | REF_JUMP, 0, UINT64_MAX };
	code_ref_vec refs = { 0 };
	for (size_t i = 0; i < r->code.count; i++) {
		const struct advice_code *c = &r->code.data[i];
		const uint32_t from = graph_at(&g->graph, c->addr);
		if (from == NODE_NONE || !is_code[from])
			continue;
		refs.count = 0;
		code_refs(isa, image_at(im, c->addr, c->size), c->addr, &wish, &refs);
		for (size_t k = 0; k < refs.count; k++) {
			const uint64_t target = refs.data[k].to;
			const uint32_t to = graph_at(&g->graph, target);
			const bool start = to != NODE_NONE && is_code[to] &&
					   g->graph.nodes.data[to].addr == target;
			/* The instructions tell what lies within the function. */
			if (target - c->addr >= c->size || target == c->addr)
				vec_push(ret, (struct advice_ref){ from, start ? to : NODE_NONE,
								   target });
		}
	}
	vec_release(&refs);
}

/* Returns a class for each node: functions with one class do the same. First, functions of equal
 * instructions have one class. Then each round tells those apart that refer to different classes.
 * Sets `is_code` for functions that linkers may fold: those without exception tables, whose
 * instructions another function has too. */
static uint64_t *advice_classes(const struct advice_rows *r, const struct heft_graph *g,
				bool *is_code)
{
	enum { ROUNDS = 16 }; /* Differences that are further away in calls are not seen */
	const size_t count = g->graph.nodes.count;
	uint64_t *of = mem_zeroed(count, sizeof *of), *next = mem_alloc(count * sizeof *next);
	advice_ref_vec refs = { 0 };
	for (size_t i = 0; i < r->code.count; i++) {
		const struct advice_code *c = &r->code.data[i];
		const uint32_t node = graph_at(&g->graph, c->addr);
		const bool alone = (i == 0 || c[-1].shape != c->shape) &&
				   (i + 1 == r->code.count || c[1].shape != c->shape);
		if (alone || node == NODE_NONE || g->graph.nodes.data[node].addr != c->addr)
			continue;
		of[node] = c->shape;
		is_code[node] = true;
	}
	for (size_t i = 0; i < g->graph.edges.count; i++)
		if (g->graph.edges.data[i].kind == EDGE_PERSONALITY)
			is_code[edge_from(&g->graph.edges.data[i])] = false;
	advice_read_refs(r, g, is_code, &refs);
	for (unsigned round = 0; round < ROUNDS; round++) {
		memcpy(next, of, count * sizeof *next);
		for (size_t i = 0; i < refs.count; i++) {
			const struct advice_ref *ref = &refs.data[i];
			const uint64_t to = ref->to == NODE_NONE ? ref->target : of[ref->to];
			next[ref->from] = hash_mix(next[ref->from] ^ to, HASH_ODD_2);
		}
		uint64_t *before = of;
		of = next;
		next = before;
	}
	vec_release(&refs);
	mem_free(next);
	return of;
}

/* A function, for sorting by its class. */
struct advice_equal {
	uint64_t key; /* The class */
	uint32_t node;
};

/* Replaces what is known of equal functions: finds those that are equal because what they call is
 * equal, and counts their unwind tables. */
static void advice_find_equal(struct advice_rows *r, struct heft_graph *g)
{
	const struct graph_node *nodes = g->graph.nodes.data;
	bool *is_code = mem_zeroed(g->graph.nodes.count, sizeof *is_code);
	vec_sort(&r->code);
	uint64_t *classes = advice_classes(r, g, is_code);
	struct advice a = { .words = &advice_identical_code };
	VEC(struct advice_equal) all = { 0 };
	for (uint32_t i = 1; i < g->graph.nodes.count; i++)
		if (is_code[i])
			vec_push(&all, (struct advice_equal){ classes[i], i });
	vec_sort(&all);
	for (size_t i = 0, end; i < all.count; i = end) {
		uint64_t bytes = 0;
		uint32_t largest = all.data[i].node;
		for (end = i; end < all.count && all.data[end].key == all.data[i].key; end++) {
			const uint32_t node = all.data[end].node;
			bytes += nodes[node].own.vm;
			if (nodes[node].own.vm > nodes[largest].own.vm)
				largest = node;
		}
		if (end - i < 2)
			continue;
		bytes -= nodes[largest].own.vm;
		const char *name = arena_format(&r->arena, "%s and %zu more",
						advice_node_name(r, g, largest), end - i - 1);
		a.bytes += bytes;
		vec_push(&a.parts, (struct advice_part){ name, bytes });
	}
	struct advice *before = advice_find(r, a.words->name);
	if (before)
		*before = r->found.data[--r->found.count];
	advice_push(r, &a);
	vec_release(&all);
	mem_free_all(is_code, classes);
}

void advice_rows_add_graph(struct advice_rows *r, struct heft_graph *g)
{
	advice_add_unreached(r, g);
	/* In an object, code does not state what it refers to. */
	if (program_image(&g->program)->kind != IMAGE_OBJECT)
		advice_find_equal(r, g);
}

/* Name of the proposal that joins all options that helped */
static const char together[] = "together";

/* Proposes all options that helped, if there are several. Replaces what it proposed before. */
static void advice_join(struct advice_rows *r)
{
	struct advice all = { 0 };
	const char *link = "";
	size_t count = 0;
	for (size_t i = 0; i < r->found.count; i++) {
		const struct advice *a = &r->found.data[i];
		if (a->saved <= 0 || a->words->alone || a->words->name == together)
			continue;
		const char *last = strrchr(a->words->link, ' ');
		link = arena_format(&r->arena, "%s%s%s", link, count++ > 0 ? " " : "",
				    last ? last + 1 : a->words->link);
		all.bytes = add_sat(all.bytes, a->bytes);
	}
	if (count < 2)
		return;
	struct advice_words *words = arena_new(&r->arena, struct advice_words, 1);
	*words = (struct advice_words){ .name = together,
					.what = "All link options that help, together",
					.change = "link with all of them",
					.cost = "",
					.sure = ADVICE_INFERRED,
					.link = link };
	all.words = words;
	struct advice *before = advice_find(r, together);
	if (before)
		*before = all;
	else
		vec_push(&r->found, all);
}

bool advice_rows_prove(struct advice_rows *r, const char *name, int64_t saved, int64_t padding,
		       const char *failure, struct heft_err *err)
{
	struct advice *a = advice_find(r, name);
	if (!a || !a->words->link)
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "no option is proposed as '%.200s'",
			    name);
	a->linked = r->linked = true;
	a->saved = failure ? 0 : saved;
	a->padding = padding;
	a->failure = failure ? arena_copy(&r->arena, str_of(failure)) : NULL;
	if (a->saved > 0 && a->words->name != together)
		advice_join(r);
	return true;
}

static const char *advice_label_of(void *ctx, uint32_t node)
{
	const struct advice_rows *r = ctx;
	return node == 0 ? "TOTAL" : r->labels.data[node - 1];
}

static void advice_fill_row(void *ctx, uint32_t node, uint32_t level, struct heft_row *row)
{
	struct advice_rows *r = ctx;
	const char **texts = arena_new(&r->arena, const char *, ADVICE_TEXTS);
	for (unsigned i = 0; i < ADVICE_TEXTS; i++)
		texts[i] = "";
	if (node > 0 && level == 0) {
		const struct advice *a = &r->found.data[r->tree.nodes.data[node].key];
		const struct advice_words *w = a->words;
		texts[ADVICE_TEXT_SURE] = advice_sure_word(w->sure);
		texts[ADVICE_TEXT_WHAT] = w->what;
		texts[ADVICE_TEXT_CHANGE] = w->change;
		texts[ADVICE_TEXT_COST] = w->cost;
		texts[ADVICE_TEXT_LINK] = w->link ? w->link : "";
		if (a->linked && !a->failure) {
			texts[ADVICE_TEXT_SAVED] = arena_format(&r->arena, "%" PRId64, a->saved);
			texts[ADVICE_TEXT_PADDING] = arena_format(&r->arena, "%" PRId64,
								  a->padding);
		}
		texts[ADVICE_TEXT_FAILURE] = a->failure ? a->failure : "";
	}
	row->texts = texts;
}

static void advice_add_node(struct advice_rows *r, uint32_t parent, uint32_t key, const char *label,
			    uint64_t bytes, uint32_t *ret)
{
	*ret = tree_add(&r->tree, parent, key);
	tree_sums(&r->tree, *ret, HEFT_INPUT)[0] = bytes;
	vec_push(&r->labels, label);
	ASSERT(r->labels.count == *ret);
}

void advice_rows_make(struct advice_rows *r, uint32_t limit)
{
	static const char *const levels[] = { "advice", "owner" };
	tree_release(&r->tree);
	tree_init(&r->tree, 1, 1);
	r->labels.count = 0;
	for (uint32_t i = 0; i < r->found.count; i++) {
		const struct advice *a = &r->found.data[i];
		uint32_t node, below;
		advice_add_node(r, 0, i, a->words->name, a->bytes, &node);
		for (uint32_t k = 0; k < a->parts.count; k++)
			advice_add_node(r, node, k, a->parts.data[k].owner, a->parts.data[k].bytes,
					&below);
	}
	const struct rows_opts how = { .measures = advice_measures,
				       .limit = limit,
				       .keys = 1,
				       .others_last = true,
				       .label = advice_label_of,
				       .fill = advice_fill_row,
				       .ctx = r };
	r->table = (struct heft_table){ .size = sizeof r->table,
					.levels = levels,
					.level_count = COUNT_OF(levels),
					.measures = advice_measures,
					.measure_count = 1,
					.texts = advice_texts,
					.text_count = r->linked ? ADVICE_TEXTS : ADVICE_TEXT_SAVED,
					.top = rows_build(&r->tree, &how, &r->arena) };
}
