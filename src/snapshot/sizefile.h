/* sizefile.h - reads and writes `.size` files (v1, v1.1, sparse) and `.sizediff` files of
 * SuperSize.
 *
 * Output is one gzip member without name and time. Its level is 9, or 5 for snapshots made by heft.
 * The text is ASCII, byte for byte as SuperSize writes the same symbols. Bytes of names that are
 * not ASCII, tabs and line ends become \xNN escapes. A file that is read and written again stays
 * the same, with unknown metadata.
 *
 * SuperSize's source is the only definition of the format. docs/size-format.md describes it. */
#pragma once

#include "base/text.h"
#include "snapshot/snapshot.h"

/* Reads a `.size` file. False, with an error that tells file and line (HEFT_EFORMAT), if the text
 * is damaged. */
bool sizefile_read(struct snapshot *ret, const char *path, struct bytes b, struct notes *notes,
		   struct heft_err *err);
bool sizefile_read_uncharged(struct snapshot *ret, const char *path, struct bytes b,
			     struct notes *notes, struct heft_err *err);
/* What the writers append to. The snapshot must be finished */
struct sizefile_out {
	VEC(uint8_t) bytes;
	/* Threads that pack large lists. 0: one per processor. Does not change the bytes. */
	unsigned threads;
};
bool sizefile_write(struct sizefile_out *ret, const struct snapshot *s, struct heft_err *err);

/* Returns the text of the file before packing, which sizefile_read() accepts too. Release it. */
struct text sizefile_text(const struct snapshot *s);

/* Reads a .sizediff file, whose halves are sparse snapshots. */
bool sizediff_read(struct snapshot *ret_before, struct snapshot *ret_after, const char *path,
		   struct bytes b, struct notes *notes, struct heft_err *err);
bool sizediff_write(struct sizefile_out *ret, const struct snapshot *before,
		    const struct snapshot *after, const char *const *removed_sources,
		    const char *const *added_sources, struct heft_err *err);
