/* Finds the call stacks of threads by the unwind tables of the modules' files. Without tables, uses
 * frame pointers. */
#include "process/process_internal.h"

#include "base/sort.h"
#include "unwind/cfi.h"
#include "heap/memory.h"
#include "image/arch.h"
#include "image/elf/elf_const.h"

enum { FRAMES_MOST = 512, THREADS_MOST = 4096 };

/* A function, and the place of its entry in the unwind section. */
struct unwind_place {
	uint64_t func, size;
	uint64_t off, cie_off;
};

struct unwind_table {
	struct unwind_section section;
	VEC(struct unwind_place) places; /* Sorted by func */
};

/* Lists the section's functions. `ends`: true if an entry of length 0 ends the section, because its
 * size is unknown. */
static void process_threads_list_places(struct unwind_table *t, bool ends)
{
	struct unwind_iter it;
	struct unwind_entry e;
	unwind_init(&it, &t->section);
	while (unwind_next(&it, &e) && !(ends && e.terminator))
		if (e.ok && !e.cie && !e.terminator && e.func_size > 0)
			vec_push(&t->places, (struct unwind_place){ e.func_addr, e.func_size, e.off,
								    e.cie_off });
	unwind_release(&it);
	sort_by_key(t->places.data, t->places.count, sizeof *t->places.data);
	ASSERT(t->places.count <= t->section.bytes.size);
}

static void process_threads_open_table(struct unwind_table *t, const struct image *im,
				       const char *name)
{
	const struct section *s = image_section_find(im, name);
	if (s == NULL || s->nobits)
		return;
	t->section = (struct unwind_section){ .bytes = section_bytes(im, s),
					      .addr = s->addr,
					      .address_size = im->bits / 8,
					      .big_endian = im->big_endian,
					      .debug_frame = name[1] == 'd',
					      .path = im->path,
					      .file_off = im->file_off + s->off };
	process_threads_list_places(t, false);
}

/* Opens the table in the process's memory, for a module without a file. */
static void process_threads_open_memory(struct unwind_table *t, const struct dump *d,
					const struct process_module *m)
{
	const struct dump_file file = { .start = m->start, .bias = m->bias };
	struct unwind_hdr h;
	uint64_t header, size;
	if (!dump_module_segment(d, &file, PT_GNU_EH_FRAME, &header, &size))
		return;
	t->section = (struct unwind_section){ .bytes = dump_at(d, header, size),
					      .addr = header,
					      .address_size = (uint8_t)memory_word_size(d),
					      .big_endian = d->big_endian,
					      .path = d->path };
	if (!unwind_hdr_parse(&h, &t->section) || h.eh_frame_addr == 0)
		return;
	t->section.bytes = dump_at(d, h.eh_frame_addr, UINT64_MAX);
	t->section.addr = h.eh_frame_addr - m->bias;
	process_threads_list_places(t, true);
}

static const struct unwind_table *process_threads_table_of(struct process *p,
							   struct opened_module *o)
{
	if (o->unwind != NULL)
		return o->unwind;
	o->unwind = mem_zeroed(1, sizeof *o->unwind);
	process_open_module(p, &o->module);
	if (o->module.input != NULL)
		process_threads_open_table(o->unwind, &o->module.input->images[0], ".eh_frame");
	if (o->unwind->places.count == 0 && o->module.debug != NULL)
		process_threads_open_table(o->unwind, &o->module.debug->images[0], ".debug_frame");
	if (o->module.input == NULL && !o->module.gone)
		process_threads_open_memory(o->unwind, &p->dump, &o->module);
	return o->unwind;
}

void process_close_table(struct opened_module *o)
{
	if (o->unwind != NULL)
		vec_release(&o->unwind->places);
	mem_free(o->unwind);
	o->unwind = NULL;
}

/* Computes the unwind rules at an address, from CIE and FDE. False if they are damaged. */
static bool process_threads_row_of(const struct unwind_table *t, const struct unwind_place *at,
				   uint64_t addr, struct cfi_row *ret)
{
	struct unwind_iter it;
	struct unwind_entry e;
	unwind_init(&it, &t->section);
	it.reader.pos = at->cie_off;
	bool good = unwind_next(&it, &e) && e.cie;
	it.reader.pos = at->off;
	good = good && unwind_next(&it, &e) && e.ok && cfi_row_at(&t->section, &e, addr, ret);
	unwind_release(&it);
	return good;
}

/* Returns the function that contains `addr`, which is relative to the module's own headers. NULL if
 * the table has none. */
static const struct unwind_place *place_at(const struct unwind_table *t, uint64_t addr)
{
	const size_t i = upper_bound(t->places.data, t->places.count, sizeof *t->places.data, addr);
	const struct unwind_place *at = i > 0 ? &t->places.data[i - 1] : NULL;
	return at != NULL && addr - at->func < at->size ? at : NULL;
}

bool process_function_start(struct process *p, struct opened_module *o, uint64_t addr,
			    uint64_t *ret)
{
	const struct unwind_place *at = place_at(process_threads_table_of(p, o), addr);
	if (at != NULL)
		*ret = at->func;
	return at != NULL;
}

/* Finds the unwind rules at an address of the process. False if no table has it. */
static bool find_row(struct process *p, uint64_t addr, struct cfi_row *ret)
{
	struct opened_module *o = process_opened_at(p, addr);
	if (o == NULL)
		return false;
	const struct unwind_table *t = process_threads_table_of(p, o);
	const uint64_t own = addr - o->module.bias;
	const struct unwind_place *at = place_at(t, own);
	return at != NULL && process_threads_row_of(t, at, own, ret);
}

static bool first_frame(const struct arch_registers *m, const struct dump_thread *t,
			struct cfi_frame *ret)
{
	*ret = (struct cfi_frame){ .pc = t->pc };
	for (unsigned i = 0; i < m->count; i++) {
		const unsigned from = m->index ? m->index[i] : i;
		if (from >= t->reg_count)
			return false;
		ret->regs[i] = t->regs[from];
		ret->known |= UINT64_C(1) << i;
	}
	return t->pc != 0 && t->sp != 0;
}

static bool load_word(void *ctx, uint64_t addr, uint64_t *ret)
{
	return memory_word(ctx, addr, ret);
}

/* Steps to the caller by the frame pointer, which points to the caller's frame pointer. The next
 * word is the return address. */
static bool step_by_pointer(const struct dump *d, const struct arch_registers *m,
			    struct cfi_frame *f)
{
	const uint64_t at = f->regs[m->frame];
	struct cfi_frame caller = { .known = f->known };
	memcpy(caller.regs, f->regs, sizeof caller.regs);
	if ((f->known >> m->frame & 1) == 0 || at < f->regs[m->stack] || at % d->word != 0 ||
	    !memory_word(d, at, &caller.regs[m->frame]) ||
	    !memory_word(d, at + d->word, &caller.pc))
		return false;
	caller.regs[m->stack] = at + 2u * d->word;
	*f = caller;
	return true;
}

/* Steps to the caller from an address without code, as after a call through a wild pointer. The
 * return address is in the link register or on the stack. */
static bool step_out_of_nowhere(const struct dump *d, const struct arch_registers *m,
				struct cfi_frame *f)
{
	if (m->link != 0)
		f->pc = f->regs[m->link];
	else if (!memory_word(d, f->regs[m->stack], &f->pc))
		return false;
	else
		f->regs[m->stack] += d->word;
	return true;
}

static bool process_threads_is_code(const struct process *p, uint64_t pc)
{
	const struct process_module *m = process_module_at(p, pc);
	const struct region *r = dump_region(&p->dump, pc);
	return m != NULL || (r != NULL && r->exec);
}

/* Returns the bytes before an address, from the dump or the module's file. */
static struct bytes code_before(struct process *p, uint64_t addr, uint64_t size)
{
	const struct bytes b = dump_at(&p->dump, addr - size, size);
	if (b.size == size)
		return b;
	struct opened_module *o = process_opened_at(p, addr - 1);
	if (o == NULL)
		return b;
	process_open_module(p, &o->module);
	return o->module.input != NULL
		       ? image_at(&o->module.input->images[0], addr - size - o->module.bias, size)
		       : (struct bytes){ NULL, 0 };
}

/* Steps to the caller from a function without a frame. The return address is on top of the stack,
 * and the frame pointer is the caller's. The proof is a call to the function just before the return
 * address (x86-64: E8 and the distance, 4 bytes). */
static bool step_out_of_leaf(struct process *p, const struct arch_registers *m, struct cfi_frame *f)
{
	enum { CALL = 0xe8, SIZE = 5 };
	uint64_t to;
	if (m->link != 0 || !memory_word(&p->dump, f->regs[m->stack], &to) ||
	    !process_threads_is_code(p, to) || to < SIZE)
		return false;
	struct reader r = reader_of(code_before(p, to, SIZE), false);
	const bool call = read_u8(&r) == CALL;
	const uint64_t target = to + (uint64_t)(int64_t)read_i32(&r);
	if (!call || !reader_ok(&r))
		return false;
	const struct process_place at = process_locate(p, f->pc);
	const struct symbol_place *s = at.locator ? locator_symbol(at.locator, at.addr) : NULL;
	if (target != (s != NULL ? s->addr + at.module->bias : 0))
		return false;
	f->pc = to;
	f->regs[m->stack] += p->dump.word;
	return true;
}

/* Steps to the caller. *exact tells whether f->pc is an interrupted instruction instead of a return
 * address. Sets *exact for the caller's pc. `first`: true for the innermost frame. */
static bool process_threads_step(struct process *p, const struct arch_registers *m,
				 struct cfi_frame *f, bool *exact, bool first)
{
	const struct dump *d = &p->dump;
	const struct cfi_memory memory = { load_word, &p->dump, m->stack, d->big_endian, d->word };
	const uint64_t before = f->regs[m->stack];
	struct cfi_row row;
	const bool signal = *exact;
	*exact = false;
	if (first && !process_threads_is_code(p, f->pc))
		return step_out_of_nowhere(d, m, f);
	if (!find_row(p, signal ? f->pc : f->pc - 1, &row))
		return (first && step_out_of_leaf(p, m, f)) || step_by_pointer(d, m, f);
	if (!cfi_step(&row, &memory, f))
		return false;
	*exact = row.signal_frame;
	return *exact || f->regs[m->stack] > before || (first && m->link != 0);
}

/* Walks the stack of a thread. Stores frames as the recorder does: the call is at frame - 1. */
static uint32_t walk(struct process *p, const struct arch_registers *m, const struct dump_thread *t)
{
	uint64_t frames[FRAMES_MOST];
	struct cfi_frame f;
	uint32_t count = 0;
	bool exact = true;
	if (!first_frame(m, t, &f))
		return 0;
	bool more = true;
	while (more && count < FRAMES_MOST) {
		const uint64_t own = f.pc;
		frames[count++] = f.pc + exact;
		more = process_threads_step(p, m, &f, &exact, count == 1) &&
		       process_threads_is_code(p, f.pc);
		/* After a signal handler, the next frame has the interrupted instruction, not a
		 * return address. */
		if (more && exact)
			frames[count - 1] = own + 1;
	}
	return calls_add(&p->heap.calls, frames, count);
}

void process_walk_threads(struct process *p)
{
	const struct dump *d = &p->dump;
	const struct arch_registers *m = d->arch ? d->arch->registers : NULL;
	if (p->stacks.count > 0 || !m || d->word != 8)
		return;
	for (size_t i = 0; i < d->thread_count && i < THREADS_MOST; i++)
		vec_push(&p->stacks, walk(p, m, &d->threads[i]));
}

uint32_t process_thread_stack(const struct process *p, size_t i)
{
	return i < p->stacks.count ? p->stacks.data[i] : 0;
}
