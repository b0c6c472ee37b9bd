/* Opens dumps of any kind and lists their regions and threads. */
#include "heap/dump.h"

#include "base/sort.h"
#include "base/unpack.h"
#include "heap/dump_internal.h"
#include "heap/memory.h"
#include "image/arch.h"
#include "image/elf/elf_const.h"

struct region region_part(const struct region *r, uint64_t from, uint64_t to)
{
	struct region part = *r;
	const uint64_t skip = from - r->addr;
	const uint64_t held = r->bytes.size > skip ? r->bytes.size - skip : 0;
	part.addr = from;
	part.size = to - from;
	part.bytes = bytes_sub(r->bytes, held ? skip : 0, min_u64(held, part.size));
	part.off = add_sat(r->off, skip);
	part.file_off = add_sat(r->file_off, skip);
	return part;
}

void dump_set_regions(struct dump *d, region_vec *regions)
{
	uint64_t end = 0;
	size_t out = 0;
	vec_sort(regions);
	d->size = d->present = 0;
	for (size_t i = 0; i < regions->count; i++) {
		struct region *r = &regions->data[i];
		r->size = min_u64(r->size, UINT64_MAX - r->addr);
		if (r->size == 0 || region_end(r) <= end)
			continue;
		if (r->addr < end)
			*r = region_part(r, end, region_end(r));
		end = region_end(r);
		d->size += r->size;
		d->present += r->bytes.size;
		regions->data[out++] = *r;
	}
	mem_free(d->regions);
	d->regions = regions->data;
	d->region_count = out;
}

const struct region *dump_region(const struct dump *d, uint64_t addr)
{
	const struct region *r = last_record(d->regions, d->region_count, sizeof *d->regions, addr);
	return r && addr - r->addr < r->size ? r : NULL;
}

struct bytes dump_at(const struct dump *d, uint64_t addr, uint64_t size)
{
	const struct region *r = dump_region(d, addr);
	if (!r || addr - r->addr >= r->bytes.size)
		return (struct bytes){ NULL, 0 };
	const uint64_t skip = addr - r->addr;
	return bytes_sub(r->bytes, skip, min_u64(size, r->bytes.size - skip));
}

const struct dump_file *dump_module(const struct dump *d, uint64_t addr)
{
	enum { BETWEEN_MAX = 16 };
	size_t low;
	BISECT(low, 0, d->file_count, mid, d->files[mid].start <= addr);
	for (size_t i = low; i > 0 && low - i < BETWEEN_MAX; i--) {
		const struct dump_file *f = &d->files[i - 1];
		if (f->module)
			return addr < f->end ? f : NULL;
	}
	return NULL;
}

/* Reads the range of a stack from its thread's own structure, at `tp` inside the stack (glibc:
 * stackblock, stackblock_size; musl: map_base, map_size). False if it is not found. */
static bool dump_find_block(const struct dump *d, struct dump_thread *t, uint64_t tp,
			    const struct region *r)
{
	enum { STRUCTURE = 4096, LEAST = 2048 };
	const unsigned word = memory_word_size(d);
	uint64_t start, size, next = 0;
	for (uint64_t at = tp; at < tp + STRUCTURE; at += word) {
		start = next;
		if (!memory_word(d, at, &next))
			return false;
		size = next;
		/* Skips pairs of words that cannot be this stack's start and size. */
		if (at == tp || size < LEAST || size >= start || start > t->sp ||
		    size > region_end(r) - start || start + size <= tp)
			continue;
		t->stack_start = max_u64(start, r->addr);
		t->stack_end = start + size;
		return true;
	}
	return false;
}

/* Finds the range of a thread's stack, if it is certain. The stack pointer alone is not enough: it
 * may point into a coroutine's stack in other memory. The kernel's data shows the first thread's
 * stack. Another thread's structure, at `tp`, lies in its stack and states the stack's range. */
static void dump_find_stack(const struct dump *d, const struct core *c, struct dump_thread *t,
			    uint64_t tp)
{
	enum { PAGE = 4096 };
	const struct region *r = t->sp ? dump_region(d, t->sp) : NULL;
	if (!r)
		return;
	const bool has_tp = tp > t->sp && tp < region_end(r);
	const bool first = c->execfn - r->addr < r->size;
	const bool nothing_known = c->execfn == 0 && tp == 0;
	if (!first && has_tp && t->id != c->pid && dump_find_block(d, t, tp, r))
		return;
	const struct region *g = r > d->regions ? r - 1 : NULL;
	const bool has_guard = g && region_end(g) == r->addr && !g->read && !g->write && !g->exec;
	const bool guarded = (t->id != c->pid || c->execfn == 0) && (has_tp || tp == 0) &&
			     has_guard;
	if (!first && !guarded && !nothing_known)
		return;
	t->stack_start = r->addr;
	t->stack_end = region_end(r);
	if (!first && has_tp)
		t->stack_end = min_u64(t->stack_end, align_up(tp + 1, PAGE));
}

static void take_segments(struct dump *d, const struct image *core)
{
	region_vec regions = { 0 };
	each_segment(s, core) {
		d->missing = add_sat(d->missing, s->missing);
		if (s->type == PT_NOTE && s->missing > 0)
			d->lacks = dump_cut_off;
		if (s->type != PT_LOAD)
			continue;
		vec_push(&regions, (struct region){ .addr = s->addr,
						    .size = s->vm_size,
						    .bytes = segment_bytes(core, s),
						    .off = s->off,
						    .read = s->read,
						    .write = s->write,
						    .exec = s->exec,
						    .cut = s->missing > 0 });
	}
	dump_set_regions(d, &regions);
}

static void read_core(struct dump *d, const struct image *core)
{
	struct core c;
	ASSERT(core->kind == IMAGE_CORE);
	d->kind = DUMP_CORE;
	d->word = core->bits / 8;
	d->big_endian = core->big_endian;
	d->arch = image_arch(core);
	d->file_size = core->bytes.size;
	core_read(&c, core);
	take_segments(d, core);
	dump_add_files(d, &c);
	dump_find_modules(d, &c);
	d->thread_count = c.threads.count;
	d->threads = arena_new(&d->arena, struct dump_thread, c.threads.count + 1);
	for (size_t i = 0; i < c.threads.count; i++) {
		const struct core_thread *from = &c.threads.data[i];
		struct dump_thread *t = &d->threads[i];
		*t = (struct dump_thread){ .id = from->id,
					   .name = from->id == c.pid ? c.name : "",
					   .pc = from->pc,
					   .sp = from->sp,
					   .fp = from->fp,
					   .regs = from->regs,
					   .reg_count = from->reg_count };
		dump_find_stack(d, &c, t, from->tp);
	}
	d->command = c.command;
	d->pid = c.pid ? c.pid : c.threads.count ? c.threads.data[0].id : 0;
	d->signal = c.signal;
	d->has_fault = c.has_fault;
	d->fault_addr = c.fault_addr;
	d->entry = c.entry;
	d->compact = c.compact;
	d->machine_wide = c.machine_wide;
	dump_find_lacks(d);
	arena_adopt(&d->arena, &c.arena);
	core_release(&c);
}

void dump_of_image(struct dump *d, const struct image *core, struct notes *notes)
{
	*d = (struct dump){ .path = core->path, .command = "", .notes = notes };
	read_core(d, core);
}

/* Reads the dump file. False, with *err, on failure. Memory may begin with any bytes, even those of
 * another file format. Such a file is read as memory only if the user says so. */
static bool dump_read_input(struct dump *d, const struct dump_wish *wish, struct heft_err *err)
{
	struct input *in = d->inputs;
	struct file f;
	if (!file_open(&f, d->path, err))
		return false;
	if (!unpack_in_place(&f, d->notes, err)) {
		file_close(&f);
		return false;
	}
	if (f.cut)
		d->lacks = "what was packed in the dump file is cut off or damaged";
	const struct file_format *format = file_format_of_plain(f.bytes);
	if (!(wish && dump_is_told(wish)) && format->kind != KIND_UNKNOWN &&
	    format->kind != KIND_RECORDING) {
		if (!input_adopt(in, &f, USE_HEAP, d->notes, err))
			return false;
		read_core(d, &in->images[0]);
		/* Refuses a dump of a whole machine: it has many processes, and the kernel has its
		 * own allocators. */
		return !d->machine_wide ||
		       fail(err, HEFT_EUNSUPPORTED, HEFT_NO_OFFSET,
			    "%s: the memory of a whole machine or kernel, no dump of a process",
			    d->path);
	}
	in->file = f;
	d->file_size = f.bytes.size;
	return dump_read_raw(d, wish ? wish : &(struct dump_wish){ .piece_count = 0 }, err);
}

static void dump_verify(const struct dump *d)
{
	uint64_t end = 0, size = 0, present = 0;
	for (size_t i = 0; i < d->region_count; i++) {
		const struct region *r = &d->regions[i];
		ASSERT(r->addr >= end && r->size > 0);
		ASSERT(r->size <= UINT64_MAX - r->addr);
		ASSERT(r->bytes.size <= r->size);
		ASSERT(r->file <= d->file_count);
		end = r->addr + r->size;
		size += r->size;
		present += r->bytes.size;
	}
	ASSERT(size == d->size && present == d->present);
	ASSERT(d->word == 0 || d->word == 4 || d->word == 8);
	for (size_t i = 0; i < d->file_count; i++)
		ASSERT(d->files[i].path && d->files[i].start <= d->files[i].end);
	for (size_t i = 0; i < d->thread_count; i++)
		ASSERT(d->threads[i].stack_start <= d->threads[i].stack_end);
}

bool dump_open(struct dump *d, const char *path, const struct dump_wish *wish, struct notes *notes,
	       struct heft_err *err)
{
	*d = (struct dump){ .command = "", .notes = notes };
	d->path = arena_copy(&d->arena, str_of(path));
	d->inputs = mem_zeroed(1 + (wish ? wish->piece_count : 0), sizeof *d->inputs);
	d->input_count = 1;
	if (!dump_read_input(d, wish, err)) {
		dump_close(d);
		return false;
	}
	if (HEFT_CHECKS)
		dump_verify(d);
	return true;
}

void dump_close(struct dump *d)
{
	for (size_t i = 0; i < d->input_count; i++)
		input_close(&d->inputs[i]);
	mem_free_all(d->inputs, d->regions);
	arena_release(&d->arena);
	memset(d, 0, sizeof *d);
}

bool dump_is_fatal(const struct dump *d)
{
	return d->signal == SIGNAL_SEGV || d->signal == SIGNAL_ABRT || d->signal == SIGNAL_BUS ||
	       d->signal == SIGNAL_ILL;
}
