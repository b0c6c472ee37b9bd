/* Finds the allocators of a process other than glibc's malloc: by names of modules, by symbols, by
 * texts in the program, by data in memory. */
#define _GNU_SOURCE /* memmem */
#include "process/process_internal.h"

#include "base/filename.h"
#include "heap/memory.h"
#include "image/elf/elf_const.h"

/* An allocator. It is in a module that defines one of `symbols`. */
struct allocator {
	const char *name;
	const char *files[3];   /* Prefixes of the file name of its module. */
	const char *symbols[5]; /* Symbols that only this allocator defines. */
	const char *text;       /* Text that its code contains. NULL if none is known. */
	bool beside;            /* True if programs use malloc beside this allocator, so malloc's
				 * blocks are found */
};

static const struct allocator allocators[] = {
	{ "jemalloc",
	  { "libjemalloc" },
	  { "mallocx", "je_malloc", "je_mallocx", "_rjem_malloc", "_rjem_mallocx" },
	  "<jemalloc>" },
	{ "tcmalloc",
	  { "libtcmalloc" },
	  { "tc_malloc", "TCMallocInternalMalloc", "MallocExtension_Internal_GetNumericProperty" },
	  "tcmalloc: large alloc" },
	{ "mimalloc",
	  { "libmimalloc" },
	  { "mi_malloc", "mi_heap_malloc", "mi_new", "_mi_malloc_generic" },
	  "mimalloc: " },
	{ "musl's malloc",
	  { "ld-musl-", "libc.musl-" },
	  { "__libc_malloc_impl", "__malloc_alloc_meta", "__malloc_donate", "__simple_malloc" } },
	{ "snmalloc", { "libsnmalloc" }, { "sn_malloc", "sn_rust_alloc" } },
	{ "rpmalloc", { "librpmalloc" }, { "rpmalloc", "rpmalloc_initialize" } },
	{ "Hoard", { "libhoard" }, { "xxmalloc" } },
	{ "Scudo",
	  { "libscudo", "libclang_rt.scudo" },
	  { "__scudo_print_stats", "__scudo_get_error_info" },
	  "Scudo ERROR" },
	{ "AddressSanitizer",
	  { "libasan.", "libclang_rt.asan", "libclang_rt.hwasan" },
	  { "__asan_init", "__hwasan_init" } },
	{ "ThreadSanitizer", { "libtsan.", "libclang_rt.tsan" }, { "__tsan_init" } },
	{ "MemorySanitizer", { "libclang_rt.msan" }, { "__msan_init" } },
	{ "LeakSanitizer", { "liblsan." }, { "__lsan_init" } },
	{ "dlmalloc", { "libdlmalloc" }, { "dlmalloc" } },
	{ "uClibc's malloc", { "libuClibc", "ld-uClibc" }, { "__uClibc_main" } },
	{ "Go's runtime", { "libgo.so" }, { "runtime.mallocgc" }, "\xff Go buildinf:" },
	{ "the Java VM", { "libjvm.so" }, { "JNI_CreateJavaVM" }, .beside = true },
	{ "V8", { "libv8.so" }, { "_ZN2v87Isolate8AllocateEv" }, .beside = true },
	{ ".NET's runtime", { "libcoreclr.so" }, { "coreclr_initialize" }, .beside = true },
	{ "Python", { "libpython" }, { "PyObject_Malloc" }, .beside = true },
	{ "PHP", { "libphp" }, { "_emalloc" }, .beside = true },
	{ "OCaml's runtime", { "libasmrun" }, { "caml_alloc_shr" }, .beside = true },
	{ "Boehm's collector", { "libgc.so" }, { "GC_malloc" }, .beside = true },
};

enum { LETTERS = 128, LENGTHS = 64 };

/* Filter of symbol names, per first letter: one bit for each length of the names searched for. */
struct sought {
	uint64_t lengths[LETTERS];
};

/* What a module's own symbols tell about allocators. */
struct marks {
	const struct sought *sought;
	uint64_t defined;          /* Defined names: one bit per allocator */
	uint64_t malloc, own;      /* Values of two symbols: malloc, and glibc's second name for
				    * its own malloc */
	bool is_glibc, is_library; /* True if the module is glibc, or any C library */
};

static uint64_t of_file(const char *path)
{
	const struct str name = str_of(file_name(path));
	uint64_t ret = 0;
	for (size_t i = 0; i < COUNT_OF(allocators); i++)
		for (size_t k = 0; k < COUNT_OF(allocators[i].files); k++)
			if (allocators[i].files[k] != NULL &&
			    str_starts(name, str_of(allocators[i].files[k])))
				ret |= UINT64_C(1) << i;
	return ret;
}

/* True if a file is part of glibc or the recorder. The dynamic linker has its own malloc. The
 * recorder's malloc calls the next malloc in the lookup order. */
static bool is_part_of_glibc(const char *path)
{
	static const char *const names[] = {
		"ld-linux",           "ld-2.",         "ld64.so",  "ld.so",
		"libc_malloc_debug.", "libheft-heap.", "libc.so.6"
	};
	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (str_starts(str_of(file_name(path)), str_of(names[i])))
			return true;
	return false;
}

static uint64_t of_symbol(struct str name)
{
	for (size_t i = 0; i < COUNT_OF(allocators); i++)
		for (size_t k = 0; k < COUNT_OF(allocators[i].symbols); k++)
			if (allocators[i].symbols[k] != NULL &&
			    str_eq(name, str_of(allocators[i].symbols[k])))
				return UINT64_C(1) << i;
	return 0;
}

static void sought_add(struct sought *to, const char *name)
{
	const size_t size = name != NULL ? strlen(name) : 0;
	ASSERT(size < LENGTHS);
	if (size > 0)
		to->lengths[name[0] & (LETTERS - 1)] |= UINT64_C(1) << size;
}

/* Makes a filter, which rejects most symbols without a search. */
static void sought_make(struct sought *ret)
{
	static const char *const others[] = { "malloc", "__libc_malloc", "gnu_get_libc_version",
					      "__libc_start_main", "__libc_init" };
	*ret = (struct sought){ { 0 } };
	for (size_t i = 0; i < COUNT_OF(allocators); i++)
		for (size_t k = 0; k < COUNT_OF(allocators[i].symbols); k++)
			sought_add(ret, allocators[i].symbols[k]);
	for (size_t i = 0; i < COUNT_OF(others); i++)
		sought_add(ret, others[i]);
}

static void symbol_mark(struct marks *m, const struct symbol *s)
{
	const struct str name = s->name;
	if (s->section == SYM_NO_SECTION || name.len == 0 || name.len >= LENGTHS ||
	    (m->sought->lengths[name.p[0] & (LETTERS - 1)] >> name.len & 1) == 0)
		return;
	m->defined |= of_symbol(s->name);
	if (s->bind == STB_LOCAL)
		return;
	if (str_eq(s->name, STR("malloc")))
		m->malloc = s->value;
	else if (str_eq(s->name, STR("__libc_malloc")))
		m->own = s->value;
	else if (str_eq(s->name, STR("gnu_get_libc_version")))
		m->is_glibc = true;
	else if (str_eq(s->name, STR("__libc_start_main")) || str_eq(s->name, STR("__libc_init")))
		m->is_library = true;
}

static void table_mark(struct marks *m, const struct image *im, uint32_t type)
{
	struct symtab t;
	const struct section *s = image_section_type(im, type, 1);
	if (s == NULL || !symtab_open(&t, im, s))
		return;
	for (size_t i = 1; i < t.count; i++) {
		const struct symbol symbol = symtab_get(&t, i);
		symbol_mark(m, &symbol);
	}
}

/* Finds allocators of a program without symbols by texts in its code. Returns a bit for each. */
static uint64_t of_texts(const struct image *im)
{
	uint64_t ret = 0;
	each_segment(s, im) {
		const struct bytes b = s->type == PT_LOAD && !s->write ? segment_bytes(im, s)
								       : (struct bytes){ NULL, 0 };
		for (size_t k = 0; k < COUNT_OF(allocators) && b.size > 0; k++)
			if (allocators[k].text != NULL &&
			    memmem(b.p, b.size, allocators[k].text, strlen(allocators[k].text)))
				ret |= UINT64_C(1) << k;
	}
	return ret;
}

/* True if a page is musl's meta area (mallocng, "struct meta_area"). A meta area has a check word
 * of 8 bytes, the next area, and a count of slots that fill the page. A slot ("struct meta") has
 * two links, then its group. The group's first word points back to the slot. */
static bool is_musl_area(const struct dump *d, uint64_t at)
{
	enum { PAGE = 4096 };
	const uint64_t word = memory_word_size(d), head = 8 + 2 * word;
	const uint64_t slot = 4 * word + 8;
	uint64_t count, group, back;
	if (!memory_uint(d, at + 8 + word, 4, &count) || count != (PAGE - head) / slot)
		return false;
	for (uint64_t m = at + head, end = m + count * slot; m < end; m += slot)
		if (memory_word(d, m + 2 * word, &group) && group != 0 &&
		    memory_word(d, group, &back) && back == m)
			return true;
	return false;
}

/* Finds musl's or Go's allocator in writable memory. Returns the allocator's bit. 0 if there is
 * none. */
static uint64_t of_memory(const struct dump *d)
{
	enum { PAGE = 4096, PAGES = 64 };
	static const uint64_t go_arena = UINT64_C(0xc000000000);
	for (size_t i = 0; i < d->region_count; i++) {
		const struct region *g = &d->regions[i];
		if (!g->write || g->file > 0)
			continue;
		if (g->addr == go_arena && d->word == 8)
			return of_symbol(STR("runtime.mallocgc"));
		for (uint64_t p = 0; p < PAGES && p * PAGE < g->bytes.size; p++)
			if (is_musl_area(d, g->addr + p * PAGE))
				return of_symbol(STR("__malloc_alloc_meta"));
	}
	return 0;
}

static void allocators_push(struct process *p, uint64_t bits, const char *path)
{
	for (size_t i = 0; i < COUNT_OF(allocators); i++) {
		bool known = (bits >> i & 1) == 0;
		for (size_t k = 0; k < p->heap.allocators.count; k++)
			known |= p->heap.allocators.data[k].name == allocators[i].name;
		if (!known)
			vec_push(&p->heap.allocators,
				 (struct process_allocator){ allocators[i].name, path,
							     allocators[i].beside });
	}
}

/* Finds the allocators of a module. With a recorder, a library that gets its memory from malloc is
 * recorded, but an allocator linked into a module is not. */
static void module_find(struct process *p, struct opened_module *o, const struct sought *sought)
{
	const char *path = o->module.path;
	const uint64_t named = of_file(path);
	struct marks m = { .sought = sought };
	process_find_own(p, o);
	if (o->module.input != NULL && !o->module.input->archive) {
		const struct image *im = &o->module.input->images[0];
		table_mark(&m, im, SHT_DYNSYM);
		table_mark(&m, im, SHT_SYMTAB);
		if (image_section_find(im, ".go.buildinfo") != NULL)
			m.defined |= of_symbol(STR("runtime.mallocgc"));
	}
	if (p->heap.records.found && named != 0)
		return;
	allocators_push(p, named | m.defined, path);
	/* Adds a malloc that is not the C library's and not a known allocator's. */
	if (named != 0 || p->heap.records.found || m.malloc == 0 || m.defined != 0 ||
	    is_part_of_glibc(path) || m.malloc == m.own)
		return;
	const char *name = arena_format(&p->modules->arena, "the malloc of %s", file_name(path));
	if (m.is_library && !m.is_glibc)
		name = strstr(path, "musl") ? "musl's malloc" : "the C library's malloc";
	vec_push(&p->heap.allocators, (struct process_allocator){ name, path, false });
}

static void texts_find(struct process *p)
{
	for (size_t i = 0; i < p->dump.file_count; i++) {
		const struct process_module *m = &p->modules->list[i]->module;
		if (m->input != NULL && !m->input->archive)
			allocators_push(p, of_texts(&m->input->images[0]), m->path);
	}
	if (p->heap.allocators.count == 0)
		allocators_push(p, of_memory(&p->dump), "");
}

void process_find_allocators(struct process *p, bool heaps)
{
	struct sought sought;
	ASSERT(p->heap.allocators.count == 0 && p->dump.file_count <= p->modules->count);
	sought_make(&sought);
	for (size_t i = 0; i < p->dump.file_count; i++)
		if (*p->modules->list[i]->module.path)
			module_find(p, p->modules->list[i], &sought);
	if (!heaps && !p->heap.records.found && p->heap.allocators.count == 0)
		texts_find(p);
}
