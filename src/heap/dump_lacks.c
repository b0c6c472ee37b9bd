/* Finds memory of the program that a dump should have but lacks, for three causes. The file was cut
 * off (a limit, a full disk, a broken copy). The writer omitted memory on purpose (coredump_filter,
 * MADV_DONTDUMP). Zeros replace memory (a sparse copy).
 *
 * The headers show the first two causes. Zeros are recognized at places that are never all zero: a
 * thread's frames, a module's header, and its dynamic section. */
#include "heap/dump_internal.h"

#include "heap/memory.h"

const char dump_cut_off[] = "the dump file was cut off";

static const char left_out[] = "memory that the program wrote was left out of the dump";
static const char zeroed[] = "the dump has zeros where the process had memory";

/* True if the writer omitted memory that the program can write. The dump needs no bytes of a mapped
 * file: they are unchanged. */
static bool is_left_out(const struct dump *d, const struct region *g)
{
	return !d->compact && !g->cut && g->write && g->bytes.size < g->size &&
	       (g->file == 0 || g->bytes.size != 0);
}

bool dump_is_lacking(const struct dump *d, uint64_t addr)
{
	const struct region *g = dump_region(d, addr);
	return g != NULL && addr - g->addr >= g->bytes.size && region_is_data(g) &&
	       (g->cut || is_left_out(d, g));
}

static bool dump_lacks_has_zeros(const struct dump *d)
{
	enum { HEADER = 64 };
	for (size_t i = 0; i < d->thread_count; i++) {
		/* Above sp is at least the frame of a caller, so a stack is never all zeros. */
		const struct dump_thread *t = &d->threads[i];
		const bool known = t->stack_start < t->stack_end && t->sp < t->stack_end;
		const struct bytes b = dump_at(d, t->sp, known ? t->stack_end - t->sp : 0);
		if (b.size > 0 && bytes_are_zeros(b))
			return true;
	}
	for (size_t i = 0; i < d->region_count; i++) {
		const struct region *g = &d->regions[i];
		const struct dump_file *f = region_file(d, g);
		if (f && f->module && g->file_off == 0 && f->start == g->addr &&
		    g->bytes.size >= HEADER && bytes_are_zeros(bytes_sub(g->bytes, 0, HEADER)))
			return true;
	}
	for (size_t i = 0; i < d->file_count; i++)
		if (d->files[i].module && !dump_has_dynamic(d, &d->files[i]))
			return true;
	return false;
}

void dump_find_lacks(struct dump *d)
{
	const char *why = d->lacks;
	for (size_t i = 0; i < d->region_count; i++) {
		const struct region *g = &d->regions[i];
		if (g->cut && region_is_data(g) && g->bytes.size < g->size)
			why = dump_cut_off;
		if (!is_left_out(d, g))
			continue;
		d->left_out = add_sat(d->left_out, g->size - g->bytes.size);
		why = why != NULL ? why : left_out;
	}
	d->lacks = why != NULL ? why : dump_lacks_has_zeros(d) ? zeroed : NULL;
}
