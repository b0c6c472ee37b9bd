/* sizefile.h - reads and writes `.size` (v1, v1.1, sparse) and `.sizediff` files of SuperSize.
 *
 * What is written: one gzip member (level 9, of large lists made here 6; no name, no time), ASCII,
 * byte for byte what SuperSize writes for the same symbols; what is read and written again is the
 * same bytes, unknown metadata included.  Names with bytes that are not ASCII get \xNN escapes;
 * tabs and line ends in them too.
 *
 * The format is not published but by its implementation; docs/size-format.md states it. */
#ifndef HEFT_SNAPSHOT_SIZEFILE_H
#define HEFT_SNAPSHOT_SIZEFILE_H

#include "base/text.h"
#include "snapshot/snapshot.h"

/* False with line and file where the text is damaged: HEFT_EFORMAT. */
bool sizefile_read(struct snapshot *ret, const char *path, struct bytes b, struct notes *notes,
		   struct heft_err *err);
/* The same without charges. */
bool sizefile_read_uncharged(struct snapshot *ret, const char *path, struct bytes b,
			     struct notes *notes, struct heft_err *err);
/* Appends the file's bytes; the snapshot is finished. */
struct sizefile_out {
	VEC(uint8_t) bytes;
	/* that pack large lists, 0: one a processor; the bytes are the same for any number */
	unsigned threads;
};
bool sizefile_write(struct sizefile_out *ret, const struct snapshot *s, struct heft_err *err);

/* The file before it is packed, which sizefile_read takes as well.  The caller releases it. */
struct text sizefile_text(const struct snapshot *s);

/* The two halves are sparse snapshots. */
bool sizediff_read(struct snapshot *ret_before, struct snapshot *ret_after, const char *path,
		   struct bytes b, struct notes *notes, struct heft_err *err);
bool sizediff_write(struct sizefile_out *ret, const struct snapshot *before,
		    const struct snapshot *after, const char *const *removed_sources,
		    const char *const *added_sources, struct heft_err *err);

#endif
