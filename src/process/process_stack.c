/* Returns call stacks without the allocator's own frames, as users read them. */
#include "process/process.h"

#include "base/filename.h"
#include "names/demangle.h"

#include <stdio.h>

const char process_cut_off[] = "[cut off]";
const char process_no_stack[] = "[no call stack]";

/* Functions of allocators, separated by blanks. Their frames are skipped if innermost. */
static const char allocators[] =
	"malloc calloc realloc reallocarray memalign valloc pvalloc aligned_alloc "
	"posix_memalign libc_malloc libc_calloc libc_realloc libc_memalign "
	"wrap_malloc wrap_calloc wrap_realloc rust_alloc rust_alloc_zeroed "
	"rust_realloc";

/* Functions that allocate for their caller. */
static const char helpers[] =
	"strdup strndup wcsdup asprintf vasprintf asprintf_chk vasprintf_chk "
	"vasprintf_internal getline getdelim IO_getdelim IO_getline realpath "
	"realpath_stk alloc_dir opendir_tail opendir fopen_internal IO_new_fopen "
	"fopen g_malloc g_malloc0 g_realloc g_strdup xmalloc xcalloc xrealloc "
	"xstrdup xstrndup xzalloc xmemdup xreallocarray xasprintf g_malloc_n "
	"g_malloc0_n g_realloc_n g_try_malloc g_strndup g_memdup g_memdup2 "
	"g_slice_alloc g_slice_alloc0 zmalloc zcalloc zcalloc_num zrealloc "
	"zmalloc_usable zcalloc_usable zrealloc_usable ztrymalloc ztrymalloc_usable "
	"ztrycalloc ztryrealloc zstrdup CRYPTO_malloc CRYPTO_zalloc CRYPTO_calloc "
	"CRYPTO_realloc CRYPTO_strdup CRYPTO_strndup CRYPTO_memdup";

/* Prefixes of mangled names in the C++ library (Itanium C++ ABI 5.1.5): nested names in std and
 * __gnu_cxx, members of const type, names of std itself and of its abbreviations. */
static const char *const library_starts[] = {
	"_ZNSt",  "_ZNKSt", "_ZSt",   "_ZNSa",         "_ZNKSa",         "_ZNSb",
	"_ZNKSb", "_ZNSs",  "_ZNKSs", "_ZN9__gnu_cxx", "_ZNK9__gnu_cxx",
};

/* Crates of Rust's library. Its maps come from hashbrown. */
static const char *const crates[] = { "alloc::", "core::", "std::", "hashbrown::" };

static bool is_one_of(struct str name, const char *words)
{
	for (size_t n; *words != '\0'; words += n + (words[n] == ' ')) {
		n = strcspn(words, " ");
		if (n == name.len && memcmp(words, name.p, n) == 0)
			return true;
	}
	return false;
}

static bool process_stack_starts_with(const char *text, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strncmp(text, list[i], strlen(list[i])) == 0)
			return true;
	return false;
}

/* True if a name belongs to Rust's library: "alloc::vec::Vec<>::push" or "<alloc::string::String as
 * core::clone::Clone>::clone". Accepts functions for built-in types too: "<u8 as
 * alloc::...>::from_elem", "<[u8]>::to_vec". */
static bool is_of_rust(const char *name)
{
	const char *type = name + strspn(name, "<"), *as = strstr(type, " as ");
	const size_t closed = strcspn(type, ">");
	const size_t size = as != NULL && (size_t)(as - type) < closed ? (size_t)(as - type)
								       : closed;
	if (process_stack_starts_with(type, crates, COUNT_OF(crates)))
		return true;
	return type > name && memchr(type, ':', size) == NULL;
}

/* True if a frame's function belongs to Rust's library. The name may have any style. */
static bool process_stack_is_of_rust_library(const struct heft_frame *f)
{
	enum { ROOM = 512 }; /* Bytes of a name that are tested. The rest is ignored */
	struct demangler d = { 0 };
	char name[ROOM];
	if (strcmp(f->function, f->linkage) != 0)
		return is_of_rust(f->function);
	const struct str text = demangle(&d, str_of(f->linkage), HEFT_NAMES_SHORT);
	snprintf(name, sizeof name, "%.*s", (int)(text.len < ROOM ? text.len : ROOM - 1), text.p);
	demangler_release(&d);
	return is_of_rust(name);
}

enum process_frame_kind process_frame_kind(const struct heft_frame *f)
{
	static const char *const std[] = { "std::", "__gnu_cxx::" };
	if (strcmp(f->function, process_cut_off) == 0)
		return PROCESS_FRAME_CUT;
	/* Recorder, operator new or operator new[] (Itanium C++ ABI 5.1.5.1: _Znw, _Zna). */
	if (strncmp(file_name(f->module), "libheft-heap.", 13) == 0 ||
	    strncmp(f->linkage, "_Znw", 4) == 0 || strncmp(f->linkage, "_Zna", 4) == 0 ||
	    strncmp(f->function, "operator new", 12) == 0)
		return PROCESS_FRAME_ALLOCATOR;
	/* `plain`: name without "__GI_" of the C library, underscores and a clone's suffix. */
	const char *plain = *f->linkage ? f->linkage : f->function;
	if (strncmp(plain, "__GI_", 5) == 0)
		plain += 5;
	plain += strspn(plain, "_");
	const struct str name = { plain, strcspn(plain, ".@") };
	if (is_one_of(name, allocators))
		return PROCESS_FRAME_ALLOCATOR;
	if (is_one_of(name, helpers))
		return PROCESS_FRAME_HELPER;
	/* A layer of the standard library, between program and allocator, allocates for its caller.
	 * Mangled names of Rust begin with _R (v0), or end with "17h", 16 digits and "E". Inlined
	 * functions may have no mangled name. */
	const size_t size = strlen(f->linkage);
	bool library;
	if (strncmp(f->linkage, "_R", 2) == 0 ||
	    (size > 20 && strncmp(f->linkage + size - 20, "17h", 3) == 0))
		library = process_stack_is_of_rust_library(f);
	else if (size > 0)
		library = process_stack_starts_with(f->linkage, library_starts,
						    COUNT_OF(library_starts));
	else
		library = process_stack_starts_with(f->function, std, COUNT_OF(std));
	return library ? PROCESS_FRAME_HELPER : PROCESS_FRAME_PLAIN;
}

void process_stack(const struct process *p, uint32_t stack, process_frame_vec *ret)
{
	const struct calls *c = &p->heap.calls;
	size_t own = 0;
	ret->count = 0;
	ASSERT(c->nodes.count == 0 || process_spot_count(p) > 0); /* Needs process_name_calls() */
	for (uint32_t n = stack < c->stacks.count ? c->stacks.data[stack].node : 0; n != 0;
	     n = c->nodes.data[n].parent) {
		const struct process_spot *s = process_spot(p, process_spot_of(p, n));
		for (uint32_t i = 0; i < s->count; i++)
			vec_push(ret, process_spot_frames(p, s)[i]);
	}
	while (own < ret->count && process_frame_kind(&ret->data[own]) == PROCESS_FRAME_ALLOCATOR)
		own++;
	if (own == 0 || own == ret->count)
		return;
	ret->count -= own;
	memmove(ret->data, ret->data + own, ret->count * sizeof *ret->data);
}
