/* Finds the recorder's pages in a dump, verifies them and reads their entries. */
#include "heap/records.h"

#include "base/sort.h"
#include "heap/memory.h"

enum {
	PAGE_ROOM = HEAP_PAGE_SIZE - HEAP_PAGE_HEADER,
	PAGES_MAX = 1 << 17, /* Maximal number of pages of a kind. Page numbers are below it */
	SLOTS_MAX = 1 << 15,
	THREADS_A_PAGE = PAGE_ROOM / sizeof(struct heap_thread),
};

static const uint32_t entry_sizes[] = {
	[HEAP_PAGE_PROCESS] = sizeof(struct heap_process),
	[HEAP_PAGE_MODULES] = sizeof(struct heap_module),
	[HEAP_PAGE_THREADS] = sizeof(struct heap_thread),
	[HEAP_PAGE_NODES] = sizeof(struct heap_node),
	[HEAP_PAGE_STACKS] = sizeof(struct heap_stack),
	[HEAP_PAGE_REMOTE] = sizeof(struct heap_remote),
	[HEAP_PAGE_TIMELINE] = sizeof(struct heap_moment),
	[HEAP_PAGE_GONE] = sizeof(struct heap_gone),
};

struct records_seen {
	uint64_t process;
	uint64_t addr, off;
	struct heap_page head;
	struct bytes entries;
};

struct records_search {
	const struct dump *d;
	struct notes *notes;
	VEC(struct records_seen) pages;
};

struct heap_page record_head(struct reader *r)
{
	struct heap_page p;
	p.magic = read_u64(r);
	p.self = read_u64(r);
	p.process = read_u64(r);
	p.kind = read_u32(r);
	p.number = read_u32(r);
	p.entry_size = read_u32(r);
	p.used = read_u32(r);
	p.slot = read_u32(r);
	p.epoch = read_u32(r);
	p.version = read_u32(r);
	p.check = read_u32(r);
	p.reserved = read_u64(r);
	return p;
}

/* Returns why a page is invalid, although it begins with the magic number. NULL if it is valid. */
static const char *what_is_wrong(const struct heap_page *p, uint64_t addr)
{
	if (p->check != heap_page_check(p))
		return "its check does not agree";
	if (p->version != HEAP_VERSION)
		return "its version is not known";
	if (p->self != addr)
		return "it is a copy from another address";
	if (p->kind == 0 || p->kind >= COUNT_OF(entry_sizes) ||
	    p->entry_size != entry_sizes[p->kind])
		return "its kind is not known";
	if (p->number == 0 || p->number >= PAGES_MAX || p->slot >= SLOTS_MAX)
		return "its number is too large";
	if (p->used > PAGE_ROOM / p->entry_size)
		return "it has more entries than room";
	return NULL;
}

static void records_look_at(struct records_search *s, struct bytes page, uint64_t addr,
			    uint64_t off)
{
	struct reader r = reader_of(page, s->d->big_endian);
	const uint64_t magic = read_u64(&r);
	if (magic != HEAP_PAGE_MAGIC + 4 && magic != HEAP_PAGE_MAGIC + 8)
		return;
	reader_seek(&r, 0);
	const struct heap_page head = record_head(&r);
	const char *wrong = reader_ok(&r) ? what_is_wrong(&head, addr) : "it is cut off";
	if (wrong != NULL) {
		note(s->notes, s->d->path, off, HEAP_PAGE_SIZE,
		     "a page of the recorder is left out: %s", wrong);
		return;
	}
	const uint64_t want = (uint64_t)head.used * head.entry_size;
	uint64_t have = min_u64(want, reader_left(&r));
	have -= have % head.entry_size;
	if (have < want)
		note(s->notes, s->d->path, off, want - have, "a page of the recorder is cut off");
	vec_push(&s->pages, (struct records_seen){ head.process, addr, off, head,
						   bytes_sub(page, HEAP_PAGE_HEADER, have) });
}

/* Searches a region for the recorder's pages, which begin at multiples of their size. */
static void search_region(struct records_search *s, const struct region *region)
{
	const uint64_t first = align_up(region->addr, HEAP_PAGE_SIZE);
	if (!region_is_data(region) || first == UINT64_MAX)
		return;
	for (uint64_t at = first - region->addr; at < region->bytes.size; at += HEAP_PAGE_SIZE) {
		const uint64_t size = min_u64(HEAP_PAGE_SIZE, region->bytes.size - at);
		records_look_at(s, bytes_sub(region->bytes, at, size), region->addr + at,
				region->off + at);
	}
}

/* Returns the address of the process page that most pages name. If pages are named equally often,
 * returns the lowest. */
static uint64_t find_home(const struct records_search *s)
{
	VEC(uint64_t) names = { 0 };
	for (size_t i = 0; i < s->pages.count; i++)
		vec_push(&names, s->pages.data[i].process);
	vec_sort(&names);
	uint64_t home = 0;
	size_t most = 0;
	for (size_t i = 0, next; i < names.count; i = next) {
		for (next = i; next < names.count && names.data[next] == names.data[i];)
			next++;
		if (next - i > most) {
			most = next - i;
			home = names.data[i];
		}
	}
	vec_release(&names);
	return home;
}

static void read_process(struct heap_process *p, struct reader *r)
{
	p->version = read_u32(r);
	p->pid = read_u32(r);
	p->started = read_u64(r);
	p->started_at = read_u64(r);
	p->sample = read_u64(r);
	p->depth = read_u32(r);
	p->flags = read_u32(r);
	p->live_bytes = read_u64(r);
	p->peak_bytes = read_u64(r);
	p->peak_at = read_u64(r);
	p->peak_epoch = read_u32(r);
	p->module_epoch = read_u32(r);
	p->foreign_frees = read_u64(r);
	p->lost = read_u64(r);
	p->double_frees = read_u64(r);
	p->damaged = read_u64(r);
	p->page_count = read_u64(r);
	p->updated_at = read_u64(r);
}

static void records_read_text(struct reader *r, char *to, size_t size)
{
	const uint8_t *p = read_take(r, size);
	if (p != NULL)
		memcpy(to, p, size);
	to[size - 1] = '\0';
}

static void records_read_module(struct records *to, struct reader *r)
{
	struct heap_module m = { 0 };
	m.start = read_u64(r);
	m.end = read_u64(r);
	m.bias = read_u64(r);
	m.first = read_u32(r);
	m.last = read_u32(r);
	m.build_id_size = (uint32_t)min_u64(read_u32(r), sizeof m.build_id);
	read_skip(r, 4);
	const uint8_t *id = read_take(r, sizeof m.build_id);
	if (id != NULL)
		memcpy(m.build_id, id, sizeof m.build_id);
	records_read_text(r, m.path, sizeof m.path);
	/* Without /proc, the recorder does not know the program's path. */
	if (m.path[0] == '\0')
		strcpy(m.path, HEAP_PROGRAM);
	m.path_size = (uint32_t)strlen(m.path);
	if (m.start < m.end)
		vec_push(&to->modules, m);
}

static void read_thread(struct heap_thread *t, struct reader *r)
{
	t->thread = read_u32(r);
	t->state = read_u32(r);
	t->unrecorded = read_u64(r);
	records_read_text(r, t->name, sizeof t->name);
	t->own = read_u64(r);
	t->own_size = read_u64(r);
	t->small_frees = read_u64(r);
	t->ended_at = read_u64(r);
}

static void read_moment(struct records *to, struct reader *r)
{
	struct heap_moment m;
	m.at = read_u64(r);
	m.live_bytes = read_u64(r);
	m.peak_bytes = read_u64(r);
	m.allocs = read_u64(r);
	if (to->timeline.count == 0 || m.at > to->timeline.data[to->timeline.count - 1].at)
		vec_push(&to->timeline, m);
}

static void read_gone(struct records *to, struct reader *r)
{
	struct heap_gone g = { 0 };
	g.number = read_u64(r);
	g.addr = read_u64(r);
	g.size = read_u64(r) & HEAP_SIZE_MASK;
	g.by = read_u64(r);
	g.stack = read_u32(r);
	g.thread = read_u32(r);
	g.why = read_u32(r);
	read_skip(r, 4);
	if (g.number != 0)
		vec_push(&to->gone, g);
}

static void add_threads(struct records *to, const struct records_seen *page, struct reader *r)
{
	const size_t first = (page->head.number - 1) * (size_t)THREADS_A_PAGE;
	const size_t count = (size_t)(page->entries.size / sizeof(struct heap_thread));
	if (first + count >= SLOTS_MAX + THREADS_A_PAGE)
		return;
	while (to->threads.count < first + count)
		vec_push(&to->threads, (struct heap_thread){ 0 });
	for (size_t i = 0; i < count; i++)
		read_thread(&to->threads.data[first + i], r);
}

static bool add_to(struct record_pages *list, const struct records_seen *page)
{
	while (list->count < page->head.number)
		vec_push(list, (struct record_page){ 0 });
	struct record_page *p = &list->data[page->head.number - 1];
	if (p->entries.size != 0)
		return false;
	*p = (struct record_page){ page->entries, page->head.slot, page->head.epoch };
	return true;
}

/* Adds a page. False if there is already one of the same kind and number. */
static bool add_page(struct records *to, const struct records_seen *page, bool big_endian)
{
	struct reader r = reader_of(page->entries, big_endian);
	switch ((enum heap_page_kind)page->head.kind) {
	case HEAP_PAGE_PROCESS:
		if (to->found || page->entries.size == 0)
			return !to->found;
		to->found = true;
		read_process(&to->process, &r);
		return true;
	case HEAP_PAGE_MODULES:
		while (reader_left(&r) > 0)
			records_read_module(to, &r);
		return true;
	case HEAP_PAGE_THREADS: add_threads(to, page, &r); return true;
	case HEAP_PAGE_NODES: return add_to(&to->nodes, page);
	case HEAP_PAGE_STACKS: return add_to(&to->stacks, page);
	case HEAP_PAGE_REMOTE: return add_to(&to->remote, page);
	case HEAP_PAGE_TIMELINE:
		while (reader_left(&r) > 0)
			read_moment(to, &r);
		return true;
	case HEAP_PAGE_GONE:
		while (reader_left(&r) > 0)
			read_gone(to, &r);
		vec_sort(&to->gone);
		return true;
	}
	return true;
}

static void records_read_command(struct records *ret, const struct dump *d, uint64_t page)
{
	const uint64_t at = page + HEAP_PAGE_HEADER + sizeof(struct heap_process);
	if (ret->process.page_count > 1) {
		memory_copy(d, at, (uint8_t *)ret->command, HEAP_COMMAND_MOST);
		memory_copy(d, at + HEAP_BESIDE_AT, (uint8_t *)ret->beside, HEAP_BESIDE_MOST);
	}
	ret->command[HEAP_COMMAND_MOST] = '\0';
	ret->beside[HEAP_BESIDE_MOST] = '\0';
}

void records_read(struct records *ret, const struct dump *d, struct notes *notes)
{
	struct records_search s = { .d = d, .notes = notes };
	*ret = (struct records){ 0 };
	for (size_t i = 0; i < d->region_count; i++)
		search_region(&s, &d->regions[i]);
	const uint64_t home = find_home(&s);
	uint64_t found = 0;
	vec_each(const struct records_seen, page, &s.pages) {
		vec_push(&ret->places,
			 (struct record_place){ page->addr, page->head.kind, HEAP_PAGE_SIZE });
		if (page->process != home)
			note(notes, d->path, page->off, HEAP_PAGE_SIZE,
			     "a page of another recorder in the same process is left out");
		else if (!add_page(ret, page, d->big_endian))
			note(notes, d->path, page->off, HEAP_PAGE_SIZE,
			     "a page of the recorder is left out: another has its number");
		else if (page->head.kind == HEAP_PAGE_PROCESS)
			records_read_command(ret, d, page->addr);
		found += page->process == home;
	}
	if (ret->process.page_count > found)
		ret->missing = ret->process.page_count - found;
	vec_each(struct record_place, p, &ret->places) {
		if (p->kind == HEAP_PAGE_PROCESS && ret->process.page_count <= 1)
			p->size = HEAP_PAGE_HEADER + sizeof(struct heap_process);
		ret->page_bytes += p->size;
	}
	vec_release(&s.pages);
}

void records_release(struct records *r)
{
	vec_release_all(&r->modules, &r->threads, &r->timeline, &r->gone, &r->nodes, &r->stacks,
			&r->remote, &r->places);
	*r = (struct records){ 0 };
}

/* Returns a reader at entry `index` of page `number`. It is empty without such an entry. */
static struct reader entry_at(const struct record_pages *list, const struct dump *d,
			      uint32_t number, uint32_t index, uint32_t size)
{
	struct bytes b = { 0 };
	if (number != 0 && number <= list->count)
		b = bytes_sub(list->data[number - 1].entries, (uint64_t)index * size, size);
	return reader_of(b, d->big_endian);
}

bool records_stack(const struct records *r, const struct dump *d, uint32_t id,
		   struct heap_stack *ret, struct heap_remote *ret_remote, uint32_t *ret_slot)
{
	ASSERT(ret && ret_remote && ret_slot);
	const uint32_t number = id >> HEAP_STACK_SHIFT;
	const uint32_t index = id & ((1U << HEAP_STACK_SHIFT) - 1);
	struct reader at = entry_at(&r->stacks, d, number, index, sizeof *ret);
	struct heap_stack s;
	s.allocs = read_u64(&at);
	s.alloc_bytes = read_u64(&at);
	s.frees = read_u64(&at);
	s.freed_bytes = read_u64(&at);
	s.peak_bytes = read_u64(&at);
	s.at_peak_bytes = read_u64(&at);
	s.at_peak_blocks = read_u32(&at);
	s.peak_epoch = read_u32(&at);
	s.node = read_u32(&at);
	s.temporary = read_u32(&at);
	if (!reader_ok(&at))
		return false;
	struct reader far = entry_at(&r->remote, d, number, index, sizeof *ret_remote);
	*ret = s;
	ret_remote->frees = read_u64(&far);
	ret_remote->freed_bytes = read_u64(&far);
	*ret_slot = r->stacks.data[number - 1].slot;
	return true;
}
