/* dump_internal.h - declarations that the files dump_*.c share. */
#ifndef HEFT_HEAP_DUMP_INTERNAL_H
#define HEFT_HEAP_DUMP_INTERNAL_H

#include "heap/dump.h"
#include "image/core.h"

typedef VEC(struct region) region_vec;

/* Sorts the regions, drops those that are empty or inside an earlier one, and sums up. The dump
 * then owns the regions. */
void dump_set_regions(struct dump *d, region_vec *regions);
struct region region_part(const struct region *r, uint64_t from, uint64_t to);

/* Returns the file that a region maps. NULL if unknown. */
static inline struct dump_file *region_file(const struct dump *d, const struct region *r)
{
	ASSERT(r->file <= d->file_count);
	return r->file > 0 ? &d->files[r->file - 1] : NULL;
}

/* dump_files.c: lists mapped files of the notes, and cuts regions where files begin and end. */
void dump_add_files(struct dump *d, const struct core *c);
/* dump_modules.c: finds the modules among the files, and modules that no note lists. */
void dump_find_modules(struct dump *d, const struct core *c);
/* Fills in the facts of the ELF header in memory at file->start. False if there is no header, or if
 * the file was not loaded by it. */
bool dump_read_header(const struct dump *d, struct dump_file *file);

/* dump_lacks.c: finds which of the program's memory is missing. Call it after regions, modules and
 * threads are known. */
void dump_find_lacks(struct dump *d);
extern const char dump_cut_off[];
/* True if the dynamic section that a module's headers state is in the dump and is not all zeros.
 * Also true if no header states one. */
bool dump_has_dynamic(const struct dump *d, const struct dump_file *file);

/* dump_raw.c: makes regions of a file that is no core. The bytes are those of d->inputs[0]. */
bool dump_read_raw(struct dump *d, const struct dump_wish *wish, struct heft_err *err);
/* dump_base.c: finds the address of an image's first byte. At this address, the headers of at least
 * two blocks verify. d->word and d->big_endian must be set. False if there is none below 2^48.
 * Cost: a pass over the image, and up to a second if it is large and all headers are damaged. */
bool dump_find_base(const struct dump *d, struct bytes b, uint64_t *ret);

#endif
