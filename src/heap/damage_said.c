/* Finds the message that the C library left when it ended the process. glibc keeps it in a mapping
 * for dumps (stdlib/abort.h, "abort_msg_s"): its size, then the text. `__abort_msg` in the
 * library's data points to it. */
#include "heap/damage_internal.h"

#include "heap/memory.h"

enum {
	PAGE = 4096,
	SAID_MOST = 64 << 10,   /* Limit in bytes of a message and its size field. */
	NEAR_ARENA = 256 << 10, /* Distance in bytes from the first arena within which the
				 * library's data is searched */
	STACK_LOOKED = 16 << 10,
};

/* Returns the message whose mapping begins at an address, or NULL. The message ends with a line
 * end, and zeros follow. */
static const char *said_at(const struct dump *d, uint64_t at)
{
	const struct bytes b = dump_at(d, at, SAID_MOST);
	uint64_t size = 0;
	if (at % PAGE != 0 || !memory_uint(d, at, 4, &size) || size == 0 || size % PAGE != 0 ||
	    size > b.size)
		return NULL;
	const struct bytes text = bytes_sub(b, 4, size - 4);
	const size_t length = strnlen((const char *)text.p, text.size);
	bool is_text = length > 1 && length < text.size && text.p[length - 1] == '\n';
	for (size_t i = 0; i < length && is_text; i++)
		is_text = text.p[i] >= ' ' || text.p[i] == '\t' || text.p[i] == '\n';
	return is_text && bytes_are_zeros(bytes_sub(text, length, min_u64(text.size - length, 16)))
		       ? (const char *)text.p
		       : NULL;
}

/* Returns the message that a word near the arena points to. NULL if there is none. */
static const char *said_by_pointer(const struct dump *d, const struct heap_arena *a)
{
	const unsigned word = memory_word_size(d);
	const uint64_t from = a->addr > NEAR_ARENA ? a->addr - NEAR_ARENA : 0;
	const char *said = NULL;
	for (uint64_t at = align_up(from, word); at < a->addr + NEAR_ARENA && said == NULL;
	     at += word) {
		uint64_t v;
		if (!memory_word(d, at, &v))
			at = align_up(at + 1, PAGE) - word;
		else if (v != 0 && v % PAGE == 0)
			said = said_at(d, v);
	}
	return said;
}

/* Searches all writable memory without a file for a message, and returns it or NULL. A static
 * program needs this: the word that points to the message may be far from the arena. */
static const char *said_in_memory(const struct dump *d)
{
	const char *said = NULL;
	for (size_t i = 0; i < d->region_count && said == NULL; i++) {
		const struct region *g = &d->regions[i];
		uint64_t at = align_up(g->addr, PAGE);
		for (; g->write && g->file == 0 && at - g->addr < g->bytes.size && said == NULL;
		     at += PAGE)
			said = said_at(d, at);
	}
	return said;
}

/* Beginnings of malloc's messages (malloc.c, "malloc_printerr", glibc 2.17 to 2.42). */
static const char *const of_malloc[] = {
	"free(): ",
	"malloc(): ",
	"realloc(): ",
	"calloc(): ",
	"memalign(): ",
	"munmap_chunk(): ",
	"mremap_chunk(): ",
	"malloc_consolidate(): ",
	"tcache_thread_shutdown(): ",
	"double free or corruption",
	"corrupted size vs. prev_size",
	"corrupted double-linked list",
	"corrupted unsorted chunks",
	"invalid fastbin entry (free)",
	"break adjusted to free malloc space",
	"malloc_check_get_size: ",
	"malloc: top chunk is corrupt",
};

struct suspect {
	uint64_t addr;
	bool several;
};

/* If `v` is the address of a freed chunk, or of its user bytes, stores the chunk in `s`. */
static void suspect_take(const struct finding *g, uint64_t v, struct suspect *s)
{
	const uint64_t head = 2 * memory_word_size(g->d);
	uint64_t addr = 0;
	if (g->b->kept.count == 0)
		return;
	if (block_map_has(&g->b->kept, v))
		addr = v + head;
	else if (v >= head && block_map_has(&g->b->kept, v - head))
		addr = v;
	s->several |= addr != 0 && s->addr != 0 && addr != s->addr;
	s->addr = addr != 0 ? addr : s->addr;
}

/* Returns the address of a freed block, if a register or the stack of the thread that died holds
 * it. 0 if there is none, or several. */
static uint64_t block_at_hand(const struct finding *g)
{
	ASSERT(g->d->thread_count > 0);
	const struct dump_thread *t = &g->d->threads[0];
	const unsigned word = memory_word_size(g->d);
	struct suspect s = { 0, false };
	uint64_t v;
	for (size_t i = 0; i < t->reg_count; i++)
		suspect_take(g, t->regs[i], &s);
	for (uint64_t off = 0; off < STACK_LOOKED; off += word)
		if (memory_word(g->d, (t->sp & ~(uint64_t)(word - 1)) + off, &v))
			suspect_take(g, v, &s);
	return s.several ? 0 : s.addr;
}

/* Removes the damages DAMAGE_FREED_WRITTEN, and returns the address of the last one, or 0. They
 * are not the cause: with MALLOC_PERTURB_, a second free overwrites the block before glibc
 * detects it. */
static uint64_t drop_written(struct damages *d)
{
	uint64_t addr = 0;
	size_t kept = 0;
	for (size_t i = 0; i < d->list.count; i++) {
		if (d->list.data[i].kind == DAMAGE_FREED_WRITTEN)
			addr = d->list.data[i].addr;
		else
			d->list.data[kept++] = d->list.data[i];
	}
	d->list.count = kept;
	return addr;
}

/* Adds the damage that the C library's message reports, unless another damage explains it. */
void damage_said(const struct finding *g)
{
	const char *said = NULL;
	for (size_t i = 0; i < g->b->arenas.count && said == NULL; i++)
		said = said_by_pointer(g->d, &g->b->arenas.data[i]);
	if (said == NULL && g->d->signal == SIGNAL_ABRT)
		said = said_in_memory(g->d);
	g->to->said = said;
	if (said == NULL || g->d->thread_count == 0)
		return;
	/* Since glibc 2.36, malloc's assertions also print "Fatal glibc error: malloc.c:2593
	 * (sysmalloc): ...". */
	bool mallocs = strstr(said, "malloc.c:") != NULL && strstr(said, "ssertion") != NULL;
	for (size_t i = 0; i < COUNT_OF(of_malloc) && !mallocs; i++)
		mallocs = strstr(said, of_malloc[i]) != NULL;
	if (!mallocs)
		return;
	/* Either message always means a double free. */
	if (strstr(said, "double free detected in tcache") != NULL ||
	    strstr(said, "double free or corruption (fasttop)") != NULL) {
		const uint64_t written = drop_written(g->to), addr = block_at_hand(g);
		if (g->to->list.count == 0)
			damage_add(g, DAMAGE_DOUBLE_FREE, addr != 0 ? addr : written)->count = 1;
	} else if (g->to->list.count == 0) {
		const size_t i = damage_header_at_hand(g, STACK_LOOKED);
		const uint64_t addr = i != SIZE_MAX ? heap_live(g->b, i).addr : 0;
		damage_add(g, DAMAGE_ALLOCATOR, addr)->block = i;
	}
}
