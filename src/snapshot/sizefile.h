/* sizefile.h - reads and writes `.size` files (v1, v1.1, sparse) and `.sizediff` files of
 * SuperSize.
 *
 * Output is one gzip member without name and time. Its level is 9, or 5 for snapshots made by heft.
 * The text is ASCII, byte for byte as SuperSize writes the same symbols. Reading and writing a file
 * preserves it, including unknown metadata. Bytes of names that are not ASCII, tabs and line ends
 * become \xNN escapes.
 *
 * SuperSize's source is the only definition of the format. docs/size-format.md describes it. */
#ifndef HEFT_SNAPSHOT_SIZEFILE_H
#define HEFT_SNAPSHOT_SIZEFILE_H

#include "base/text.h"
#include "snapshot/snapshot.h"

/* Reads a .size file. If the text is damaged: false, and an error with line and file
 * (HEFT_EFORMAT). */
bool sizefile_read(struct snapshot *ret, const char *path, struct bytes b, struct notes *notes,
		   struct heft_err *err);
/* Reads a .size file without its charges. */
bool sizefile_read_uncharged(struct snapshot *ret, const char *path, struct bytes b,
			     struct notes *notes, struct heft_err *err);
/* Output of the writers. They append to `bytes`. The snapshot must be finished. */
struct sizefile_out {
	VEC(uint8_t) bytes;
	/* Number of threads that pack large lists. 0: one per processor. Does not affect the
	 * bytes. */
	unsigned threads;
};
bool sizefile_write(struct sizefile_out *ret, const struct snapshot *s, struct heft_err *err);

/* Returns the text of the file before it is packed. sizefile_read() accepts it as well. The caller
 * releases it. */
struct text sizefile_text(const struct snapshot *s);

/* Reads a .sizediff file. Its two halves are sparse snapshots. */
bool sizediff_read(struct snapshot *ret_before, struct snapshot *ret_after, const char *path,
		   struct bytes b, struct notes *notes, struct heft_err *err);
bool sizediff_write(struct sizefile_out *ret, const struct snapshot *before,
		    const struct snapshot *after, const char *const *removed_sources,
		    const char *const *added_sources, struct heft_err *err);

#endif
