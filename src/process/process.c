/* Opens the process in a dump and reads its heap. */
#include "process/process.h"

#include "process/process_internal.h"

#include "base/filename.h"

/* Adds the modules and threads from the recorder's pages. */
static bool process_begin(struct process *p, const struct process_wish *wish, struct heft_err *err)
{
	ASSERT(!p->open && wish->find);
	p->open = true;
	p->wish = *wish;
	p->modules = mem_zeroed(1, sizeof *p->modules);
	progress_begin(p->dump.file_size);
	progress_tell("records", 0, 4);
	records_read(&p->heap.records, &p->dump, wish->notes);
	dump_learn(&p->dump, &p->heap.records);
	if (process_list_modules(p, err))
		return true;
	process_close(p);
	return false;
}

bool process_open(struct process *p, const char *path, const struct process_wish *wish,
		  struct heft_err *err)
{
	memset(p, 0, sizeof *p);
	return dump_open(&p->dump, path, &wish->find->dump, wish->notes, err) &&
	       process_begin(p, wish, err);
}

bool process_of_image(struct process *p, const struct image *core, const struct process_wish *wish,
		      struct heft_err *err)
{
	memset(p, 0, sizeof *p);
	dump_of_image(&p->dump, core, wish->notes);
	return process_begin(p, wish, err);
}

void process_close(struct process *p)
{
	if (!p->open)
		return;
	process_close_modules(p);
	vec_release(&p->stacks);
	if (p->heap_read) {
		heap_layout_release(&p->heap.layout);
		vec_release(&p->heap.allocators);
		heap_scan_release(&p->heap.blocks);
		calls_release(&p->heap.calls);
	}
	records_release(&p->heap.records);
	dump_close(&p->dump);
	memset(p, 0, sizeof *p);
}

/* Returns a text that says how an allocator other than glibc's malloc gave memory: "jemalloc gave
 * memory past the recorder". NULL if there is no such allocator. */
static const char *foreign_malloc(struct process *p)
{
	const char *how = p->heap.records.found ? "gave memory past the recorder"
						: "gave the memory, which heft cannot read";
	const struct process_heap *h = &p->heap;
	vec_each(const struct process_allocator, a, &h->allocators)
		if (!a->beside)
			return arena_format(&p->modules->arena, "%s %s", a->name, how);
	return NULL;
}

/* Returns why blocks may be missing if the process was not recorded. NULL if all were found. */
static const char *unrecorded_unknown(struct process *p)
{
	const struct process_heap *h = &p->heap;
	const char *foreign = foreign_malloc(p);
	if (p->dump.lacks)
		return p->dump.lacks;
	if (foreign || h->glibc.doubt || h->glibc.arenas > 0)
		return foreign ? foreign : h->glibc.doubt;
	if (h->blocks.live.count > 0 || h->blocks.freed.count > 0)
		return NULL;
	for (size_t i = 0; p->dump.kind == DUMP_CORE && i < p->dump.file_count; i++)
		if (strcmp(file_name(p->dump.files[i].path), "libc.so.6") == 0)
			return NULL;
	return p->dump.kind == DUMP_CORE ? "no heap in it is of an allocator that heft reads"
					 : "it is no core, and has no heap that heft recorded";
}

static const char *process_what_is_unknown(struct process *p)
{
	const struct process_heap *h = &p->heap;
	if (h->calls.counted && !h->records.found)
		return "the page of the recorder that tells of the process is missing";
	if (h->calls.counted && h->records.missing > 0)
		return "pages of the recorder are missing";
	if (h->records.found && h->records.beside[0] != '\0')
		return arena_format(&p->modules->arena,
				    "what these functions gave is not recorded: %s",
				    h->records.beside);
	if (h->calls.counted)
		return foreign_malloc(p);
	if (!h->records.found)
		return unrecorded_unknown(p);
	if (p->dump.kind == DUMP_PAGES && (h->records.process.flags & HEAP_INLINE) != 0)
		return "it has no blocks, which hold the call stacks (--inline)";
	return p->dump.lacks ? p->dump.lacks : foreign_malloc(p);
}

/* Does not look for blocks in a file with only the recorder's pages, which has none. */
const struct process_heap *process_read_heap(struct process *p)
{
	struct process_heap *h = &p->heap;
	ASSERT(p->open);
	if (p->heap_read)
		return h;
	p->heap_read = true;
	if (p->dump.kind == DUMP_PAGES && h->records.process.flags & HEAP_INLINE)
		note(p->wish.notes, p->dump.path, HEFT_NO_OFFSET, 0,
		     "has no call stacks, which were kept in the blocks (--inline): a core or "
		     "snapshot of the process has them, or a recording with --leaks");
	progress_tell("call stacks", 1, 4);
	calls_read(&h->calls, &p->dump, &h->records, p->wish.notes);
	progress_tell("blocks", 2, 4);
	if (p->dump.kind != DUMP_PAGES)
		heap_scan(&h->blocks, &p->dump, &h->records, &h->calls, p->wish.threads,
			  p->wish.notes);
	if (!h->records.found && h->blocks.live.count == 0 && h->blocks.freed.count == 0)
		glibc_heaps_find(&h->glibc, &h->blocks, &h->calls, &p->dump);
	else if (p->dump.kind != DUMP_PAGES)
		glibc_kept_find(&h->blocks, &p->dump);
	if (!(p->wish.no_names && h->records.found))
		process_find_allocators(p, h->glibc.arenas > 0);
	h->unknown = process_what_is_unknown(p);
	progress_tell("layout", 3, 4);
	if (h->blocks.live.count > 0)
		heap_layout_make(&h->layout, &p->dump, &h->records, &h->blocks);
	process_list_gone(p);
	return h;
}
