/* info.h - part of heft.h: what files are, a line each. */
#ifndef HEFT_H
#include "heft.h" /* which includes this file in its turn */
#elif !defined(HEFT_PART_INFO_H)
#define HEFT_PART_INFO_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- what files are ---------------------------------------------------------- */

/* A row for each file: format and machine, how it was linked, what it has of symbols and debug
 * info, how it is protected, how many relocations it has, how many bytes it could do without, and
 * of which other file it is a copy.
 *
 *     struct heft_info *info = heft_info_new(session);
 *     const struct heft_write_opts opts = { .size = sizeof opts, .format = HEFT_CSV };
 *     if (info && heft_info_add(info, "a.out", &err) && heft_info_add(info, "b.so", &err))
 *             heft_info_write(info, &opts, &sink, &err);
 *     heft_info_free(info);
 *
 * docs/json.md says what the columns mean.  One thread a handle. */
struct heft_info;

/* NULL where there is no memory.  Free with heft_info_free; NULL is fine there. */
HEFT_API struct heft_info *heft_info_new(struct heft_session *s);
HEFT_API void heft_info_free(struct heft_info *info);

/* Reads a program, library, object, archive or core, which becomes the next row.  When
 * the table is asked for, a file is read again where another has its size: once to hash it, and
 * once more to compare it with one of the same hash.  Fails as
 * heft_profile_run does where it cannot be read (HEFT_EIO), is no such file (HEFT_EUNSUPPORTED) or
 * is damaged (HEFT_EFORMAT); the rows before stand. */
HEFT_API bool heft_info_add(struct heft_info *info, const char *path, struct heft_err *err);

/* The rows in the order in which they were added.  Measures: "bytes" of the file, "relocations",
 * "savings" in bytes, "copied" (bytes of the file where it is a copy of one before).  Belongs to
 * the handle, until the next call of heft_info_add. */
HEFT_API const struct heft_table *heft_info_table(struct heft_info *info);

/* Writes the table: HEFT_TABLE, HEFT_CSV, HEFT_TSV, HEFT_JSON or HEFT_MARKDOWN; HEFT_EARG for
 * another format, HEFT_EIO where the sink takes no more.  With `full` a table has lines below each
 * row which say all that is known of the file. */
HEFT_API bool heft_info_write(struct heft_info *info, const struct heft_write_opts *opts,
			      const struct heft_sink *sink, struct heft_err *err);

#ifdef __cplusplus
}
#endif
#endif
