/* pages.c - allocates pages of block.h in private memory, which every core contains. */
#include "recorder.h"

#include <sys/auxv.h>

enum {
	CHUNK = 1 << 20,
	DIRECTORY_MAX = 4 * PAGES_MAX,
};

/* Returns the wanted address of the next chunk: below the program. The kernel writes cores in
 * ascending order of addresses, so a truncated core (RLIMIT_CORE) still has the tables. Returns 0
 * (any address) if the program is at low addresses, where its heap could grow into the tables. */
static uintptr_t place_wanted(void)
{
	const uint64_t apart = UINT64_C(1) << 40, least = UINT64_C(1) << 43;
	if (recorder.place == 0) {
		const uint64_t program = getauxval(AT_PHDR);
		recorder.place = program < least
					 ? 1
					 : (uintptr_t)((program - apart) & ~(apart / 1024 - 1));
	}
	return recorder.place == 1 ? 0 : recorder.place;
}

/* Returns HEAP_PAGE_SIZE new bytes at a multiple of that size. The caller holds the lock. */
static uintptr_t fresh_page(void)
{
	if (recorder.fresh == recorder.fresh_end) {
		const uintptr_t mask = HEAP_PAGE_SIZE - 1, place = place_wanted();
		const uintptr_t p = (uintptr_t)map_memory_at(place, CHUNK);
		if (place != 0)
			recorder.place += CHUNK;
		if (p == 0)
			return 0;
		/* Bytes before the first aligned address are never used. */
		recorder.fresh = (p + mask) & ~mask;
		recorder.fresh_end = (p + CHUNK) & ~mask;
	}
	const uintptr_t page = recorder.fresh;
	recorder.fresh += HEAP_PAGE_SIZE;
	return page;
}

static _Atomic(uintptr_t) *table_of(enum heap_page_kind kind)
{
	switch (kind) {
	case HEAP_PAGE_NODES: return recorder.nodes;
	case HEAP_PAGE_STACKS: return recorder.stacks;
	case HEAP_PAGE_REMOTE: return recorder.remote;
	default: return NULL;
	}
}

static struct heap_page *make(enum heap_page_kind kind, uint32_t number, uint32_t entry_size,
			      uint32_t slot)
{
	if (recorder.directory == NULL)
		recorder.directory = map_memory(DIRECTORY_MAX * sizeof *recorder.directory);
	if (recorder.directory == NULL || recorder.directory_used == DIRECTORY_MAX ||
	    number >= PAGES_MAX)
		return NULL;
	struct heap_page *p = (struct heap_page *)fresh_page();
	if (p == NULL)
		return NULL;
	if (recorder.process_page == NULL)
		recorder.process_page = p;
	p->self = (uintptr_t)p;
	p->process = (uintptr_t)recorder.process_page;
	p->kind = kind;
	p->number = number;
	p->entry_size = entry_size;
	p->slot = slot;
	p->version = HEAP_VERSION;
	p->magic = HEAP_PAGE_MAGIC + sizeof(void *);
	p->check = heap_page_check(p);
	recorder.directory[recorder.directory_used++] = (uintptr_t)p;
	if (recorder.process != NULL)
		recorder.process->page_count = recorder.directory_used;
	if (table_of(kind) != NULL)
		atomic_store_explicit(&table_of(kind)[number], (uintptr_t)p | slot,
				      memory_order_release);
	return p;
}

/* Creates a page. Takes the lock, except for pages of modules, whose callers hold the lock. */
struct heap_page *page_new(enum heap_page_kind kind, uint32_t entry_size, uint32_t slot)
{
	const bool locked = kind == HEAP_PAGE_NODES || kind == HEAP_PAGE_STACKS ||
			    kind == HEAP_PAGE_GONE;
	if (locked)
		lock_take();
	struct heap_page *p = make(kind, recorder.page_numbers[kind] + 1, entry_size, slot);
	if (p != NULL)
		recorder.page_numbers[kind]++;
	if (locked)
		lock_give();
	return p;
}

struct heap_page *page_remote(uint32_t number)
{
	lock_take();
	const uintptr_t known = atomic_load(&recorder.remote[number]);
	struct heap_page *p = known != 0 ? page_at(known)
					 : make(HEAP_PAGE_REMOTE, number,
						sizeof(struct heap_remote), 0);
	if (p != NULL && known == 0) {
		p->used = (HEAP_PAGE_SIZE - HEAP_PAGE_HEADER) / sizeof(struct heap_stack);
		recorder.page_numbers[HEAP_PAGE_REMOTE]++;
	}
	lock_give();
	return p;
}
