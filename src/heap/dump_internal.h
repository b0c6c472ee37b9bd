/* dump_internal.h - what the files of dump_*.c share. */
#ifndef HEFT_HEAP_DUMP_INTERNAL_H
#define HEFT_HEAP_DUMP_INTERNAL_H

#include "heap/dump.h"
#include "image/core.h"

typedef VEC(struct region) region_vec;

/* Sorts, drops what is empty or lies in one before, and sums up; the dump owns the regions then. */
void dump_set_regions(struct dump *d, region_vec *regions);
/* [from, to) of a region around it. */
struct region region_part(const struct region *r, uint64_t from, uint64_t to);

/* dump_files.c: lists what the notes say is mapped, and cuts the regions where files begin and
 * end. */
void dump_add_files(struct dump *d, const struct core *c);
/* dump_modules.c: tells modules among the files; finds those no note speaks of. */
void dump_find_modules(struct dump *d, const struct core *c);
/* Fills in what an ELF header in memory at file->start says; false where there is none that the
 * file was loaded by. */
bool dump_read_header(const struct dump *d, struct dump_file *file);

/* dump_lacks.c: sets what of the program's memory is not there, once regions, modules and threads
 * are known. */
void dump_find_lacks(struct dump *d);
extern const char dump_cut_off[];
/* Whether the dynamic section that the headers of a module tell of is there, and no zeros; also
 * true where nothing tells. */
bool dump_has_dynamic(const struct dump *d, const struct dump_file *file);

/* dump_raw.c: regions of a file that is no core; the bytes are those of d->inputs[0]. */
bool dump_read_raw(struct dump *d, const struct dump_wish *wish, struct heft_err *err);
/* dump_base.c: the address of the first byte of an image, which d->word and d->big_endian are told
 * of: that at which the headers of at least two blocks verify.  False where there is none below
 * 2^48.  Cost: a pass over the image, and up to a second where it is large and all headers are
 * damaged. */
bool dump_find_base(const struct dump *d, struct bytes b, uint64_t *ret);

#endif
