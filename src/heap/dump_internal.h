/* dump_internal.h - declarations that the files dump_*.c share. */
#pragma once

#include "heap/dump.h"
#include "image/core.h"

typedef VEC(struct region) region_vec;

/* Sets the dump's regions and takes them over. Sorts them, removes those that are empty or inside
 * an earlier one, and computes the sums. */
void dump_set_regions(struct dump *d, region_vec *regions);
struct region region_part(const struct region *r, uint64_t from, uint64_t to);

/* Returns the file that a region maps. NULL if unknown. */
static inline struct dump_file *region_file(const struct dump *d, const struct region *r)
{
	ASSERT(r->file <= d->file_count);
	return r->file > 0 ? &d->files[r->file - 1] : NULL;
}

/* dump_files.c: lists mapped files from the notes, and splits regions where files begin and end. */
void dump_add_files(struct dump *d, const struct core *c);
/* dump_modules.c: finds the modules among the files, and modules that no note lists. */
void dump_find_modules(struct dump *d, const struct core *c);
/* Reads facts from the ELF header in memory at file->start. False if there is no header, or if its
 * segments do not describe how the file is mapped. */
bool dump_read_header(const struct dump *d, struct dump_file *file);

/* dump_lacks.c: sets dump.lacks. Needs regions, modules and threads. */
void dump_find_lacks(struct dump *d);
extern const char dump_cut_off[];
/* True if the dump has the dynamic section that a module's headers name, and it is not all zero.
 * Also true if they name none. */
bool dump_has_dynamic(const struct dump *d, const struct dump_file *file);

/* dump_raw.c: makes regions of a file that is not a core. The bytes are those of d->inputs[0], and
 * of the files in `wish`. False if one cannot be read. */
bool dump_read_raw(struct dump *d, const struct dump_wish *wish, struct heft_err *err);
/* dump_base.c: finds an address for an image's first byte at which at least two block headers
 * verify. d->word and d->big_endian must be set. False if there is none below 2^48. Cost: a pass
 * over the image, and up to a second if it is large and all headers are damaged. */
bool dump_find_base(const struct dump *d, struct bytes b, uint64_t *ret);
