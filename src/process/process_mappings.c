/* Lists what is mapped into a process. */
#include "heap/memory.h"
#include "process/process_internal.h"

/* Finds the heap of brk(2): the first region after the program that is neither a file nor the
 * program's .bss. NULL if there is none. */
static const struct region *find_brk(const struct dump *d)
{
	/* The kernel chooses the heap's distance from the program at random, below this limit. */
	static const uint64_t far = UINT64_C(1) << 34;
	const struct dump_file *program = NULL;
	for (size_t i = 0; i < d->file_count && !program; i++)
		if (d->files[i].module && d->files[i].path[0] == '/')
			program = &d->files[i];
	for (size_t i = 0; program && i < d->region_count; i++) {
		const struct region *r = &d->regions[i];
		if (region_end(r) <= align_up(program->end, 4096))
			continue;
		const bool anonymous = r->file == 0 && r->read && r->write && !r->exec;
		return anonymous && r->addr - program->end < far ? r : NULL;
	}
	return NULL;
}

static const char *region_label(struct process *p, const struct region *r)
{
	const struct dump *d = &p->dump;
	if (r->file > 0)
		return d->files[r->file - 1].path;
	const struct dump_file *m = dump_module(d, r->addr);
	if (m && m->path[0] == '[')
		return m->path;
	if (m && m->end != UINT64_MAX) /* The module's end is known (dump_add_program()) */
		return arena_format(&p->modules->arena, "[bss of %s]", m->path);
	return r->read || r->write || r->exec ? "[anonymous]" : "[reserved]";
}

static void push_mapping(struct process *p, struct process_mapping m)
{
	if (m.size > 0)
		vec_push(&p->modules->mappings, m);
}

/* Adds the stack of a thread. The whole stack is mapped, but most of it is unused. The used part
 * begins at the stack pointer, or at the end of the red zone below it (System V ABI, "The Red
 * Zone"). */
static void push_stack(struct process *p, const struct dump_thread *t)
{
	enum { PAGE = 4096, RED_ZONE = 128 };
	ASSERT(t->stack_start < t->stack_end);
	const uint64_t least = (t->sp - min_u64(t->sp, RED_ZONE)) & ~(uint64_t)(PAGE - 1);
	const uint64_t used = max_u64(t->stack_start, least);
	struct arena *a = &p->modules->arena;
	push_mapping(p, (struct process_mapping){
				.addr = used,
				.size = t->stack_end - used,
				.label = arena_format(a, "[stack of thread %" PRIu32 "]", t->id),
				.thread = t->id });
	push_mapping(p, (struct process_mapping){ .addr = t->stack_start,
						  .size = used - t->stack_start,
						  .label = arena_format(a,
									"[unused stack of thread "
									"%" PRIu32 "]",
									t->id) });
}

const struct process_mapping *process_mappings(struct process *p, size_t *ret_count)
{
	const struct dump *d = &p->dump;
	if (p->modules->mappings.count == 0) {
		const struct region *brk = find_brk(d);
		if (brk)
			push_mapping(p,
				     (struct process_mapping){ brk->addr, brk->size, "[heap]", 0 });
		for (size_t i = 0; i < d->thread_count; i++)
			if (d->threads[i].stack_start < d->threads[i].stack_end)
				push_stack(p, &d->threads[i]);
		p->modules->special = p->modules->mappings.count;
		for (size_t i = 0; i < d->region_count; i++)
			push_mapping(
				p, (struct process_mapping){ d->regions[i].addr, d->regions[i].size,
							     region_label(p, &d->regions[i]), 0 });
	}
	*ret_count = p->modules->mappings.count;
	ASSERT(*ret_count >= p->modules->special);
	return p->modules->mappings.data;
}

const struct process_mapping *process_mapping_at(struct process *p, uint64_t addr)
{
	const struct region *r = dump_region(&p->dump, addr);
	size_t count;
	const struct process_mapping *all = process_mappings(p, &count);
	for (size_t i = 0; r && i < p->modules->special; i++)
		if (addr - all[i].addr < all[i].size)
			return &all[i];
	const size_t index = p->modules->special + (r ? (size_t)(r - p->dump.regions) : 0);
	ASSERT(!r || index < count);
	return r ? &all[index] : NULL;
}
