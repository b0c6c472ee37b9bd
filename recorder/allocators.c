/* allocators.c - hooks functions of other allocators besides malloc and free: C++'s operators new
 * and delete if the allocator defines them, and the functions of jemalloc, tcmalloc, mimalloc and
 * rpmalloc.
 *
 * Programs mix these functions with malloc and free, so they must handle blocks with a header. The
 * recorder must not define their names: a program may detect its allocator by a name. Instead, the
 * recorder changes the tables through which modules call (global offset tables, gABI "Dynamic
 * Linking"). It changes only entries that point to the allocator that it calls.
 *
 * The process page lists functions that allocate without being recorded. Modules that are loaded
 * later are changed when the program calls dlsym. */
#include "recorder.h"

#if !defined HEFT_WRAP && (defined __x86_64__ || defined __i386__ || defined __aarch64__)
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>

#if defined __x86_64__
enum { SLOT_JUMP = R_X86_64_JUMP_SLOT, SLOT_DATA = R_X86_64_GLOB_DAT };
#define RELOCATION_SYMBOL ELF64_R_SYM
#define RELOCATION_TYPE   ELF64_R_TYPE
#elif defined __aarch64__
enum { SLOT_JUMP = R_AARCH64_JUMP_SLOT, SLOT_DATA = R_AARCH64_GLOB_DAT };
#define RELOCATION_SYMBOL ELF64_R_SYM
#define RELOCATION_TYPE   ELF64_R_TYPE
#else
enum { SLOT_JUMP = R_386_JMP_SLOT, SLOT_DATA = R_386_GLOB_DAT };
#define RELOCATION_SYMBOL ELF32_R_SYM
#define RELOCATION_TYPE   ELF32_R_TYPE
#endif

typedef void (*any_function)(void);
typedef uintptr_t word_function(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t);

static HOT void *allocator_malloc(size_t size)
{
	const struct caller from = CALLER;
	return block_malloc(size, &from);
}

/* Replaces all functions that free. Ignores arguments after the block (size, alignment, flags),
 * because the header has their values. */
static HOT void allocator_free(void *p)
{
	block_free(p, (uintptr_t)__builtin_frame_address(0),
		   (uintptr_t)__builtin_return_address(0));
}

static void *allocator_zalloc(size_t size)
{
	const struct caller from = CALLER;
	return block_calloc(size, &from);
}

/* Returns the bytes of `count` elements. SIZE_MAX on overflow, so that the allocation fails. */
static size_t size_of_all(size_t count, size_t size)
{
	size_t all;
	return __builtin_mul_overflow(count, size, &all) ? SIZE_MAX : all;
}

static void *allocator_calloc(size_t count, size_t size)
{
	const struct caller from = CALLER;
	return block_calloc(size_of_all(count, size), &from);
}

static void *allocator_mallocn(size_t count, size_t size)
{
	const struct caller from = CALLER;
	return block_malloc(size_of_all(count, size), &from);
}

static void *allocator_realloc(void *p, size_t size)
{
	const struct caller from = CALLER;
	return block_realloc(p, size, &from);
}

static void *allocator_reallocn(void *p, size_t count, size_t size)
{
	const struct caller from = CALLER;
	return block_realloc(p, size_of_all(count, size), &from);
}

static void *aligned_block(size_t align, size_t size, const struct caller *from)
{
	return is_power(align) ? block_memalign(align, size, from) : NULL;
}

static void *allocator_memalign(size_t align, size_t size)
{
	const struct caller from = CALLER;
	return aligned_block(align, size, &from);
}

/* Allocates aligned memory. Some allocators have the size as the first parameter. */
static void *allocator_malloc_aligned(size_t size, size_t align)
{
	const struct caller from = CALLER;
	return aligned_block(align, size, &from);
}

static void *allocator_zalloc_aligned(size_t size, size_t align)
{
	const struct caller from = CALLER;
	void *p = aligned_block(align, size, &from);
	return p != NULL ? memset(p, 0, size) : NULL;
}

static int allocator_posix_memalign(void **ret, size_t align, size_t size)
{
	const struct caller from = CALLER;
	if (!is_power(align) || align % sizeof(void *) != 0)
		return EINVAL;
	void *p = block_memalign(align, size, &from);
	if (p == NULL)
		return ENOMEM;
	*ret = p;
	return 0;
}

static size_t allocator_usable_size(void *p)
{
	return block_usable_size(p);
}

/* Replaces functions that return the usable bytes of a block for `size` requested bytes. The
 * allocator's own answer would include the header. */
static size_t allocator_good_size(size_t size)
{
	if (size > SIZE_MAX - HEAP_ALIGN)
		return 0;
	return recorder.tail != 0 ? size : (size + HEAP_ALIGN - 1) & ~(size_t)(HEAP_ALIGN - 1);
}

/* The allocator's own forms of operator new. If memory runs out, they call the program's
 * new-handler and throw. */
static struct {
	void *(*plain)(size_t);
	void *(*nothrow)(size_t, const void *);
	void *(*aligned)(size_t, size_t);
	void *(*aligned_nothrow)(size_t, size_t, const void *);
} real_new;

static HOT void *allocator_new(size_t size)
{
	const struct caller from = CALLER;
	void *p = block_malloc(size, &from);
	return LIKELY(p != NULL) ? p : real_new.plain(size);
}

static void *allocator_new_nothrow(size_t size, const void *tag)
{
	const struct caller from = CALLER;
	void *p = block_malloc(size, &from);
	return LIKELY(p != NULL) ? p : real_new.nothrow(size, tag);
}

static void *allocator_new_aligned(size_t size, size_t align)
{
	const struct caller from = CALLER;
	void *p = aligned_block(align, size, &from);
	return LIKELY(p != NULL) ? p : real_new.aligned(size, align);
}

static void *allocator_new_aligned_nothrow(size_t size, size_t align, const void *tag)
{
	const struct caller from = CALLER;
	void *p = aligned_block(align, size, &from);
	return LIKELY(p != NULL) ? p : real_new.aligned_nothrow(size, align, tag);
}

enum { X_ALIGN = 63, X_ZERO = 64, X_PLAIN = X_ALIGN | X_ZERO };

static struct {
	void *(*mallocx)(size_t, int);
	void *(*rallocx)(void *, size_t, int);
	size_t (*xallocx)(void *, size_t, size_t, int);
} real_x;

/* Allocates like mallocx. Blocks of a program's own arena are not recorded, because freeing the
 * arena frees them. */
static void *allocator_mallocx(size_t size, int flags)
{
	const struct caller from = CALLER;
	if ((flags & ~X_PLAIN) != 0) {
		process_note_beside("mallocx");
		return real_x.mallocx(size, flags);
	}
	if ((flags & X_ALIGN) == 0)
		return (flags & X_ZERO) != 0 ? block_calloc(size, &from)
					     : block_malloc(size, &from);
	void *p = block_memalign((size_t)1 << (flags & X_ALIGN), size, &from);
	return p != NULL && (flags & X_ZERO) != 0 ? memset(p, 0, size) : p;
}

static void *allocator_rallocx(void *p, size_t size, int flags)
{
	const struct caller from = CALLER;
	if (!block_is_ours(p))
		return real_x.rallocx(p, size, flags);
	const size_t old = block_usable_size(p);
	const bool aligned = (flags & X_ALIGN) != 0;
	unsigned char *to = aligned ? block_memalign((size_t)1 << (flags & X_ALIGN), size, &from)
				    : block_realloc(p, size, &from);
	if (to == NULL)
		return NULL;
	if (aligned) {
		memcpy(to, p, old < size ? old : size);
		block_free(p, from.sp, from.pc);
	}
	if ((flags & X_ZERO) != 0 && size > old)
		memset(to + old, 0, size - old);
	return to;
}

/* Resizes in place. A block with a header keeps its size, which is returned. */
static size_t allocator_xallocx(void *p, size_t size, size_t extra, int flags)
{
	return block_is_ours(p) ? block_usable_size(p) : real_x.xallocx(p, size, extra, flags);
}

/* Hook of the resizing function `real`, whose argument number `which` (0 or 1) is the block. If the
 * block has a header, copies it to an unrecorded block, which `real` allocates for NULL. */
static uintptr_t resize_beside(word_function *real, unsigned which, uintptr_t args[5],
			       const struct caller *from)
{
	void *p = (void *)args[which];
	if (p == NULL || !block_is_ours(p))
		return real(args[0], args[1], args[2], args[3], args[4]);
	args[which] = 0;
	void *to = (void *)real(args[0], args[1], args[2], args[3], args[4]);
	if (to == NULL)
		return 0;
	const size_t old = block_usable_size(p), room = recorder.real.usable_size(to);
	memcpy(to, p, old < room ? old : room);
	block_free(p, from->sp, from->pc);
	return (uintptr_t)to;
}

#define RESIZES(name, which)                                                                       \
	static word_function *real_##name;                                                         \
	static uintptr_t resizing_##name(uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d,       \
					 uintptr_t e)                                              \
	{                                                                                          \
		const struct caller from = CALLER;                                                 \
		uintptr_t args[5] = { a, b, c, d, e };                                             \
		return resize_beside(real_##name, which, args, &from);                             \
	}

/* clang-format off */
#define RESIZING(X) \
	X(mi_reallocf, 0) X(mi_rezalloc, 0) X(mi_recalloc, 0) X(mi_realloc_aligned, 0) \
	X(mi_realloc_aligned_at, 0) X(mi_rezalloc_aligned, 0) X(mi_rezalloc_aligned_at, 0) \
	X(mi_recalloc_aligned, 0) X(mi_recalloc_aligned_at, 0) X(mi_aligned_recalloc, 0) \
	X(mi_aligned_offset_recalloc, 0) X(mi_new_realloc, 0) X(mi_new_reallocn, 0) \
	X(mi_heap_realloc, 1) X(mi_heap_reallocn, 1) X(mi_heap_reallocf, 1) X(mi_heap_rezalloc, 1) \
	X(mi_heap_recalloc, 1) X(mi_heap_realloc_aligned, 1) X(mi_heap_realloc_aligned_at, 1) \
	X(mi_heap_rezalloc_aligned, 1) X(mi_heap_rezalloc_aligned_at, 1) \
	X(mi_heap_recalloc_aligned, 1) X(mi_heap_recalloc_aligned_at, 1) X(reallocf, 0) \
	X(rpaligned_realloc, 0)
/* clang-format on */
RESIZING(RESIZES)

/* Replaces mi_expand(), which resizes a block in place or returns NULL. Returns NULL for a block
 * that has a header of the recorder. */
static word_function *real_expand;
static void *allocator_expand(void *p, size_t size)
{
	return block_is_ours(p) ? NULL : (void *)real_expand((uintptr_t)p, size, 0, 0, 0);
}

#define F(function) (any_function)(function)
#if defined __LP64__
#define SIZE_LETTER "m"
#else
#define SIZE_LETTER "j"
#endif
#define NOTHROW "RKSt9nothrow_t"
#define ALIGNED "St11align_val_t"

/* Hooked functions. `hook` is NULL for functions that allocate without being recorded. `real`
 * receives the allocator's own function, or is NULL. */
static const struct name {
	const char *name;
	any_function hook;
	void *real;
} names[] = {
	/* C++ operators: Itanium C++ ABI, 5.1.5 */
	{ "_Znw" SIZE_LETTER, F(allocator_new), &real_new.plain },
	{ "_Zna" SIZE_LETTER, F(allocator_new), &real_new.plain },
	{ "_Znw" SIZE_LETTER NOTHROW, F(allocator_new_nothrow), &real_new.nothrow },
	{ "_Zna" SIZE_LETTER NOTHROW, F(allocator_new_nothrow), &real_new.nothrow },
	{ "_Znw" SIZE_LETTER ALIGNED, F(allocator_new_aligned), &real_new.aligned },
	{ "_Zna" SIZE_LETTER ALIGNED, F(allocator_new_aligned), &real_new.aligned },
	{ "_Znw" SIZE_LETTER ALIGNED NOTHROW, F(allocator_new_aligned_nothrow),
	  &real_new.aligned_nothrow },
	{ "_Zna" SIZE_LETTER ALIGNED NOTHROW, F(allocator_new_aligned_nothrow),
	  &real_new.aligned_nothrow },
	{ "_ZdlPv", F(allocator_free), NULL },
	{ "_ZdaPv", F(allocator_free), NULL },
	{ "_ZdlPv" SIZE_LETTER, F(allocator_free), NULL },
	{ "_ZdaPv" SIZE_LETTER, F(allocator_free), NULL },
	{ "_ZdlPv" NOTHROW, F(allocator_free), NULL },
	{ "_ZdaPv" NOTHROW, F(allocator_free), NULL },
	{ "_ZdlPv" ALIGNED, F(allocator_free), NULL },
	{ "_ZdaPv" ALIGNED, F(allocator_free), NULL },
	{ "_ZdlPv" SIZE_LETTER ALIGNED, F(allocator_free), NULL },
	{ "_ZdaPv" SIZE_LETTER ALIGNED, F(allocator_free), NULL },
	{ "_ZdlPv" ALIGNED NOTHROW, F(allocator_free), NULL },
	{ "_ZdaPv" ALIGNED NOTHROW, F(allocator_free), NULL },
	/* jemalloc */
	{ "mallocx", F(allocator_mallocx), &real_x.mallocx },
	{ "rallocx", F(allocator_rallocx), &real_x.rallocx },
	{ "xallocx", F(allocator_xallocx), &real_x.xallocx },
	{ "sallocx", F(allocator_usable_size), NULL },
	{ "dallocx", F(allocator_free), NULL },
	{ "sdallocx", F(allocator_free), NULL },
	{ "sdallocx_noflags", F(allocator_free), NULL },
	{ "nallocx", F(allocator_good_size), NULL },
	{ "malloc_size", F(allocator_usable_size), NULL },
	{ "malloc_good_size", F(allocator_good_size), NULL },
	/* tcmalloc */
	{ "tc_malloc", F(allocator_malloc), NULL },
	{ "tc_malloc_skip_new_handler", F(allocator_malloc), NULL },
	{ "tc_calloc", F(allocator_calloc), NULL },
	{ "tc_realloc", F(allocator_realloc), NULL },
	{ "tc_memalign", F(allocator_memalign), NULL },
	{ "tc_posix_memalign", F(allocator_posix_memalign), NULL },
	{ "tc_free", F(allocator_free), NULL },
	{ "tc_cfree", F(allocator_free), NULL },
	{ "tc_free_sized", F(allocator_free), NULL },
	{ "tc_malloc_size", F(allocator_usable_size), NULL },
	{ "tc_nallocx", F(allocator_good_size), NULL },
	{ "tc_new", F(allocator_new), &real_new.plain },
	{ "tc_newarray", F(allocator_new), &real_new.plain },
	{ "tc_new_nothrow", F(allocator_new_nothrow), &real_new.nothrow },
	{ "tc_newarray_nothrow", F(allocator_new_nothrow), &real_new.nothrow },
	{ "tc_new_aligned", F(allocator_new_aligned), &real_new.aligned },
	{ "tc_newarray_aligned", F(allocator_new_aligned), &real_new.aligned },
	{ "tc_new_aligned_nothrow", F(allocator_new_aligned_nothrow), &real_new.aligned_nothrow },
	{ "tc_newarray_aligned_nothrow", F(allocator_new_aligned_nothrow),
	  &real_new.aligned_nothrow },
	{ "tc_delete", F(allocator_free), NULL },
	{ "tc_deletearray", F(allocator_free), NULL },
	{ "tc_delete_sized", F(allocator_free), NULL },
	{ "tc_deletearray_sized", F(allocator_free), NULL },
	{ "tc_delete_nothrow", F(allocator_free), NULL },
	{ "tc_deletearray_nothrow", F(allocator_free), NULL },
	{ "tc_delete_aligned", F(allocator_free), NULL },
	{ "tc_deletearray_aligned", F(allocator_free), NULL },
	{ "tc_delete_sized_aligned", F(allocator_free), NULL },
	{ "tc_deletearray_sized_aligned", F(allocator_free), NULL },
	{ "tc_delete_aligned_nothrow", F(allocator_free), NULL },
	{ "tc_deletearray_aligned_nothrow", F(allocator_free), NULL },
	{ "tc_valloc", NULL, NULL },
	{ "tc_pvalloc", NULL, NULL },
	/* mimalloc */
	{ "mi_malloc", F(allocator_malloc), NULL },
	{ "mi_malloc_small", F(allocator_malloc), NULL },
	{ "mi_zalloc", F(allocator_zalloc), NULL },
	{ "mi_zalloc_small", F(allocator_zalloc), NULL },
	{ "mi_calloc", F(allocator_calloc), NULL },
	{ "mi_mallocn", F(allocator_mallocn), NULL },
	{ "mi_realloc", F(allocator_realloc), NULL },
	{ "mi_reallocn", F(allocator_reallocn), NULL },
	{ "mi_reallocarray", F(allocator_reallocn), NULL },
	{ "mi_malloc_aligned", F(allocator_malloc_aligned), NULL },
	{ "mi_zalloc_aligned", F(allocator_zalloc_aligned), NULL },
	{ "mi_memalign", F(allocator_memalign), NULL },
	{ "mi_aligned_alloc", F(allocator_memalign), NULL },
	{ "mi_posix_memalign", F(allocator_posix_memalign), NULL },
	{ "mi_expand", F(allocator_expand), &real_expand },
	{ "mi_new", F(allocator_new), &real_new.plain },
	{ "mi_new_nothrow", F(allocator_new_nothrow), &real_new.nothrow },
	{ "mi_new_aligned", F(allocator_new_aligned), &real_new.aligned },
	{ "mi_new_aligned_nothrow", F(allocator_new_aligned_nothrow), &real_new.aligned_nothrow },
	{ "mi_free", F(allocator_free), NULL },
	{ "mi_cfree", F(allocator_free), NULL },
	{ "mi_free_size", F(allocator_free), NULL },
	{ "mi_free_aligned", F(allocator_free), NULL },
	{ "mi_free_size_aligned", F(allocator_free), NULL },
	{ "mi_usable_size", F(allocator_usable_size), NULL },
	{ "mi_malloc_size", F(allocator_usable_size), NULL },
	{ "mi_malloc_usable_size", F(allocator_usable_size), NULL },
	{ "mi_good_size", F(allocator_good_size), NULL },
	{ "mi_malloc_good_size", F(allocator_good_size), NULL },
	/* rpmalloc */
	{ "rpmalloc", F(allocator_malloc), NULL },
	{ "rpzalloc", F(allocator_zalloc), NULL },
	{ "rpcalloc", F(allocator_calloc), NULL },
	{ "rprealloc", F(allocator_realloc), NULL },
	{ "rpaligned_alloc", F(allocator_memalign), NULL },
	{ "rpmemalign", F(allocator_memalign), NULL },
	{ "rpposix_memalign", F(allocator_posix_memalign), NULL },
	{ "rpfree", F(allocator_free), NULL },
	{ "rpmalloc_usable_size", F(allocator_usable_size), NULL },
#define RESIZES_NAME(name, which) { #name, F(resizing_##name), &real_##name },
	RESIZING(RESIZES_NAME)
	/* Memory in heaps that may be freed as a whole, and other unrecorded functions. */
	{ "mi_heap_malloc", NULL, NULL },
	{ "mi_heap_malloc_small", NULL, NULL },
	{ "mi_heap_malloc_aligned", NULL, NULL },
	{ "mi_heap_malloc_aligned_at", NULL, NULL },
	{ "mi_heap_mallocn", NULL, NULL },
	{ "mi_heap_zalloc", NULL, NULL },
	{ "mi_heap_zalloc_aligned", NULL, NULL },
	{ "mi_heap_calloc", NULL, NULL },
	{ "mi_heap_calloc_aligned", NULL, NULL },
	{ "mi_heap_alloc_new", NULL, NULL },
	{ "mi_heap_strdup", NULL, NULL },
	{ "mi_heap_strndup", NULL, NULL },
	{ "mi_strdup", NULL, NULL },
	{ "mi_strndup", NULL, NULL },
	{ "mi_realpath", NULL, NULL },
	{ "mi_new_n", NULL, NULL },
	{ "mi_calloc_aligned", NULL, NULL },
	{ "mi_malloc_aligned_at", NULL, NULL },
	{ "mi_zalloc_aligned_at", NULL, NULL },
	{ "mi_calloc_aligned_at", NULL, NULL },
	{ "rpaligned_calloc", NULL, NULL },
	{ "rpmalloc_heap_alloc", NULL, NULL },
	{ "je_malloc", NULL, NULL },
	{ "je_calloc", NULL, NULL },
	{ "je_realloc", NULL, NULL },
	{ "je_mallocx", NULL, NULL },
	{ "je_aligned_alloc", NULL, NULL },
	{ "je_posix_memalign", NULL, NULL },
	{ "scalable_malloc", NULL, NULL },
	{ "scalable_calloc", NULL, NULL },
	{ "scalable_realloc", NULL, NULL },
	{ "scalable_aligned_malloc", NULL, NULL },
};
enum { NAMES = sizeof names / sizeof names[0] };

/* Per name: its address in the global scope when the process started, or NULL */
static any_function found_at[NAMES];
static bool of_allocator[NAMES]; /* True if that address is in the real allocator */
static struct tables below;      /* Address range of the module of the real allocator */

static bool is_below(uintptr_t at)
{
	return at >= below.start && at < below.end;
}

/* Finds the addresses of all hooked functions. Calls dlsym only for names that exist. */
static void names_find(void)
{
	for (uint32_t i = 0; i < NAMES && below.start != 0; i++) {
		if (!module_defines(below.start, names[i].name))
			continue;
		void *at = dlsym(RTLD_DEFAULT, names[i].name);
		memcpy(&found_at[i], &at, sizeof at);
		of_allocator[i] = names[i].hook != NULL && is_below((uintptr_t)at);
		if (of_allocator[i] && names[i].real != NULL)
			memcpy(names[i].real, &at, sizeof at);
	}
}

struct module {
	uintptr_t bias, start, end;
	uintptr_t relro, relro_end; /* Range that is read-only after relocation */
	const ElfW(Sym) * symbols;
	const char *texts;
};

/* Writes an entry of a global offset table (slot), even if it is already read-only. */
static void slot_write(const struct module *m, uintptr_t *slot, any_function f)
{
	const uintptr_t page = (uintptr_t)slot & ~(uintptr_t)(PAGE_STEP - 1);
	const bool closed = (uintptr_t)slot >= m->relro && (uintptr_t)slot < m->relro_end;
	if (closed && mprotect((void *)page, PAGE_STEP, PROT_READ | PROT_WRITE) != 0)
		return;
	__atomic_store_n(slot, (uintptr_t)f, __ATOMIC_RELEASE);
	if (closed)
		mprotect((void *)page, PAGE_STEP, PROT_READ);
}

static void *(*real_dlsym)(void *, const char *);
static void *allocator_dlsym(void *handle, const char *name);

/* True if a table entry with this value points to `f`, or still to the module's own lazy binding
 * code. False if the module itself defines the symbol. */
static bool leads_to(const struct module *m, const ElfW(Sym) * symbol, uintptr_t value,
		     any_function f)
{
	if (value == (uintptr_t)f)
		return true;
	return value >= m->start && value < m->end &&
	       (symbol->st_shndx == SHN_UNDEF || value != m->bias + symbol->st_value);
}

/* True if a table entry points to another module, bound or lazy. 0 is an undefined weak name. */
static bool leads_outside(const struct module *m, const ElfW(Sym) * symbol, uintptr_t value)
{
	return value != 0 &&
	       (value < m->start || value >= m->end || leads_to(m, symbol, value, NULL));
}

static void slot_look_at(const struct module *m, uintptr_t *slot, const ElfW(Sym) * symbol)
{
	const char *name = m->texts + symbol->st_name;
	if (recorder.foreign && strcmp(name, "dlsym") == 0) {
		if (leads_to(m, symbol, *slot, F(real_dlsym)))
			slot_write(m, slot, F(allocator_dlsym));
		return;
	}
	for (uint32_t i = 0; i < NAMES; i++) {
		if (names[i].name[1] != name[1] || strcmp(names[i].name, name) != 0)
			continue;
		if (of_allocator[i] && leads_to(m, symbol, *slot, found_at[i]))
			slot_write(m, slot, names[i].hook);
		else if (!of_allocator[i] && name[0] != '_' && leads_outside(m, symbol, *slot))
			process_note_beside(name);
		return;
	}
}

static void relocations_look_at(const struct module *m, uintptr_t at, size_t size, size_t step)
{
	for (size_t off = 0; at != 0 && off + step <= size; off += step) {
		const ElfW(Rel) *r = (const ElfW(Rel) *)(at + off); /* Rela begins with the
								     * fields of Rel */
		const unsigned type = (unsigned)RELOCATION_TYPE(r->r_info);
		const size_t symbol = (size_t)RELOCATION_SYMBOL(r->r_info);
		if ((type == SLOT_JUMP || type == SLOT_DATA) && symbol != 0)
			slot_look_at(m, (uintptr_t *)(m->bias + r->r_offset), &m->symbols[symbol]);
	}
}

static void dynamic_look_at(struct module *m, const ElfW(Dyn) * first)
{
	uintptr_t rel = 0, rela = 0, jump = 0;
	size_t rel_size = 0, rela_size = 0, jump_size = 0, jump_step = sizeof(ElfW(Rel));
	for (const ElfW(Dyn) *d = first; d->d_tag != DT_NULL; d++) {
		const uintptr_t at = dynamic_address(m->bias, d->d_un.d_ptr);
		switch (d->d_tag) {
		case DT_SYMTAB: m->symbols = (const ElfW(Sym) *)at; break;
		case DT_STRTAB: m->texts = (const char *)at; break;
		case DT_REL: rel = at; break;
		case DT_RELSZ: rel_size = d->d_un.d_val; break;
		case DT_RELA: rela = at; break;
		case DT_RELASZ: rela_size = d->d_un.d_val; break;
		case DT_JMPREL: jump = at; break;
		case DT_PLTRELSZ: jump_size = d->d_un.d_val; break;
		case DT_PLTREL:
			jump_step = d->d_un.d_val == DT_RELA ? sizeof(ElfW(Rela)) : jump_step;
			break;
		default: break;
		}
	}
	if (m->symbols == NULL || m->texts == NULL)
		return;
	relocations_look_at(m, rel, rel_size, sizeof(ElfW(Rel)));
	relocations_look_at(m, rela, rela_size, sizeof(ElfW(Rela)));
	relocations_look_at(m, jump, jump_size, jump_step);
}

static int module_look_at(struct dl_phdr_info *info, size_t size, void *ctx)
{
	struct module m = { .bias = info->dlpi_addr, .start = UINTPTR_MAX };
	const ElfW(Dyn) *dynamic = NULL;
	(void)size;
	(void)ctx;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		const uintptr_t start = info->dlpi_addr + p->p_vaddr;
		if (p->p_type == PT_DYNAMIC)
			dynamic = (const ElfW(Dyn) *)start;
		if (p->p_type == PT_GNU_RELRO) {
			m.relro = start & ~(uintptr_t)(PAGE_STEP - 1);
			m.relro_end = start + p->p_memsz;
		}
		if (p->p_type != PT_LOAD)
			continue;
		m.start = start < m.start ? start : m.start;
		m.end = start + p->p_memsz > m.end ? start + p->p_memsz : m.end;
	}
	const uintptr_t own = (uintptr_t)&recorder;
	const bool allocator = below.start >= m.start && below.start < m.end;
	if (dynamic != NULL && !allocator && (own < m.start || own >= m.end))
		dynamic_look_at(&m, dynamic);
	return 0;
}

/* One function of each family of allocators. The dynamic linker binds the existing ones when it
 * loads the recorder, which costs less than a search. */
extern char mi_malloc[] __attribute__((weak)), je_malloc[] __attribute__((weak)),
	rpmalloc[] __attribute__((weak)), tc_malloc[] __attribute__((weak)),
	mallocx[] __attribute__((weak)), scalable_malloc[] __attribute__((weak));

/* True if an allocator of these families is loaded. If not, no name is searched. */
static bool has_family(void)
{
	return mi_malloc != NULL || je_malloc != NULL || rpmalloc != NULL || tc_malloc != NULL ||
	       mallocx != NULL || scalable_malloc != NULL;
}

/* Sets *ctx to the number of modules loaded so far. */
static int loads_count(struct dl_phdr_info *info, size_t size, void *ctx)
{
	if (size >= offsetof(struct dl_phdr_info, dlpi_adds) + sizeof info->dlpi_adds)
		*(unsigned long long *)ctx = info->dlpi_adds;
	return 1;
}

static _Atomic(unsigned long long) loads_known;

/* Hooks the global offset tables of all modules, if modules were loaded since the last call. */
static COLD void modules_look_at(void)
{
	unsigned long long loads = 0;
	dl_iterate_phdr(loads_count, &loads);
	if (atomic_exchange(&loads_known, loads) != loads)
		dl_iterate_phdr(module_look_at, NULL);
}

/* Replaces dlsym. Ends with a tail call, because some handles refer to the calling module. */
static void *allocator_dlsym(void *handle, const char *name)
{
	modules_look_at();
	return real_dlsym(handle, name);
}

void allocators_start(void)
{
	if (!recorder.foreign && !has_family())
		return;
	void *at = dlsym(RTLD_DEFAULT, "dlsym");
	memcpy(&real_dlsym, &at, sizeof at);
	if (recorder.foreign && !tables_find((uintptr_t)recorder.real.malloc, &below))
		below = (struct tables){ 0 };
	names_find();
	modules_look_at();
}
#else
void allocators_start(void) {}
#endif
