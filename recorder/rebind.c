/* rebind.c - redirects the C library's own symbols to the hooks.
 *
 * Symbols are usually searched in the order of modules, where the hooks come before the C library.
 * Some callers search otherwise: modules opened with RTLD_DEEPBIND, and callers that pass the C
 * library's handle to dlsym (ctypes, JNA, P/Invoke). They would pass blocks with headers to the C
 * library's free. So the symbols of the C library get the addresses of the hooks. Later bindings
 * find the hooks. */
#include "recorder.h"

#ifndef HEFT_WRAP
#include <dlfcn.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>

enum { ENTRIES_MAX = 64 };

/* Dynamic symbols of a module. */
struct library {
	uintptr_t at; /* An address in the module */
	uintptr_t bias;
	const ElfW(Phdr) * headers;
	size_t header_count;
	ElfW(Sym) * symbols;
	const char *strings;
	const uint32_t *hash; /* DT_GNU_HASH */
};

/* Symbols, and the hooks that replace their values. */
struct entries {
	size_t count;
	struct {
		ElfW(Sym) * symbol;
		uintptr_t hook;
	} list[ENTRIES_MAX];
};

static const ElfW(Phdr) * segment_find(const struct library *l, uintptr_t at, size_t size)
{
	for (size_t i = 0; i < l->header_count; i++) {
		const ElfW(Phdr) *p = &l->headers[i];
		const uintptr_t distance = at - l->bias - p->p_vaddr;
		if (p->p_type == PT_LOAD && distance < p->p_memsz && size <= p->p_memsz - distance)
			return p;
	}
	return NULL;
}

static bool library_open(struct library *l)
{
	const ElfW(Dyn) *d = NULL;
	for (size_t i = 0; i < l->header_count; i++)
		if (l->headers[i].p_type == PT_DYNAMIC)
			d = (const ElfW(Dyn) *)(l->bias + l->headers[i].p_vaddr);
	for (; d != NULL && d->d_tag != DT_NULL; d++) {
		if (d->d_tag == DT_SYMTAB)
			l->symbols = (ElfW(Sym) *)dynamic_address(l->bias, d->d_un.d_ptr);
		if (d->d_tag == DT_STRTAB)
			l->strings = (const char *)dynamic_address(l->bias, d->d_un.d_ptr);
		if (d->d_tag == DT_GNU_HASH)
			l->hash = (const uint32_t *)dynamic_address(l->bias, d->d_un.d_ptr);
	}
	return l->symbols != NULL && l->strings != NULL && l->hash != NULL;
}

static int library_match(struct dl_phdr_info *info, size_t size, void *ctx)
{
	struct library *l = ctx;
	(void)size;
	*l = (struct library){ .at = l->at,
			       .bias = info->dlpi_addr,
			       .headers = info->dlpi_phdr,
			       .header_count = info->dlpi_phnum };
	return segment_find(l, l->at, 1) != NULL;
}

static bool library_find(struct library *ret, uintptr_t at)
{
	*ret = (struct library){ .at = at };
	return dl_iterate_phdr(library_match, ret) != 0 && library_open(ret);
}

static uint32_t name_hash(const char *name)
{
	uint32_t h = 5381;
	for (; *name != 0; name++)
		h = h * 33 + (unsigned char)*name;
	return h;
}

/* Returns the hook for a symbol of the C library whose value is `now`. 0 to leave the symbol
 * unchanged. If another library's function comes next (RTLD_NEXT), it may call this symbol inside
 * the hook: then returns hook.deep. */
static uintptr_t hook_address(const struct hook *h, uintptr_t now)
{
	if ((uintptr_t)dlsym(RTLD_NEXT, h->name) == now)
		return (uintptr_t)h->own;
	if (h->ret_below == NULL)
		return 0;
	*h->ret_below = (void *)now;
	return (uintptr_t)h->deep;
}

/* Returns the next symbol of a name from symbol *i on (0 to begin). NULL at the end. DT_GNU_HASH
 * has a header of four words, a filter, buckets, then chains of hashes. A hash whose lowest bit is
 * set ends a chain. */
static ElfW(Sym) * symbol_next(const struct library *l, const char *name, uint32_t *i)
{
	const uint32_t *const head = l->hash;
	const uint32_t count = head[0], first = head[1], hash = name_hash(name);
	const uint32_t *const buckets = head + 4 +
					(size_t)head[2] * (sizeof(uintptr_t) / sizeof *head);
	const uint32_t *const chains = buckets + count;
	if (*i == 0)
		*i = count != 0 ? buckets[hash % count] : 0;
	else if ((chains[*i - first] & 1) != 0)
		return NULL;
	else
		++*i;
	for (; *i >= first && *i != 0; ++*i) {
		const uint32_t link = chains[*i - first];
		ElfW(Sym) *s = &l->symbols[*i];
		if ((link | 1) == (hash | 1) && strcmp(l->strings + s->st_name, name) == 0 &&
		    s->st_shndx != SHN_UNDEF)
			return s;
		if ((link & 1) != 0)
			return NULL;
	}
	return NULL;
}

static void symbols_find(const struct library *l, const struct hook *h, struct entries *ret)
{
	ElfW(Sym) * s;
	uint32_t i = 0;
	while ((s = symbol_next(l, h->name, &i)) != NULL && ret->count < ENTRIES_MAX) {
		if ((s->st_info & 15) != STT_FUNC)
			continue;
		ret->list[ret->count].symbol = s;
		ret->list[ret->count].hook = hook_address(h, l->bias + s->st_value);
		ret->count += ret->list[ret->count].hook != 0;
	}
}

bool module_defines(uintptr_t at, const char *name)
{
	struct library l;
	uint32_t i = 0;
	return library_find(&l, at) && symbol_next(&l, name, &i) != NULL;
}

/* Sets the symbols' values to the hooks. Makes their pages writable for this, and not executable,
 * because they contain no code. */
static void symbols_write(const struct library *l, const struct entries *e)
{
	uintptr_t low = UINTPTR_MAX, high = 0;
	for (size_t i = 0; i < e->count; i++) {
		const uintptr_t at = (uintptr_t)e->list[i].symbol;
		low = at < low ? at : low;
		high = at > high ? at : high;
	}
	const ElfW(Phdr) *p = e->count != 0 ? segment_find(l, low, high + sizeof(ElfW(Sym)) - low)
					    : NULL;
	if (p == NULL)
		return;
	const uintptr_t page = ~(uintptr_t)(page_size() - 1);
	void *const start = (void *)(low & page);
	const size_t size = high + sizeof(ElfW(Sym)) - (low & page);
	const int before = ((p->p_flags & PF_R) != 0 ? PROT_READ : 0) |
			   ((p->p_flags & PF_W) != 0 ? PROT_WRITE : 0) |
			   ((p->p_flags & PF_X) != 0 ? PROT_EXEC : 0);
	if (mprotect(start, size, PROT_READ | PROT_WRITE) != 0)
		return;
	for (size_t i = 0; i < e->count; i++)
		e->list[i].symbol->st_value = e->list[i].hook - l->bias;
	mprotect(start, size, before);
}

COLD void rebind(void)
{
	struct library l;
	struct entries e = { 0 };
	if (recorder.c_library == 0 || !library_find(&l, recorder.c_library))
		return;
	for (const struct hook *h = hooks; h->name != NULL; h++)
		symbols_find(&l, h, &e);
	symbols_write(&l, &e);
}
#endif
