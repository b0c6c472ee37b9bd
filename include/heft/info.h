/* info.h - part of heft.h: describes files, one line per file. */
#ifndef HEFT_H
#include "heft.h" /* heft.h includes this file. */
#elif !defined(HEFT_PART_INFO_H)
#define HEFT_PART_INFO_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- facts about files ---------------------------------------------------- */

/* A table with a row per file: format and machine, linking, symbols and debug info, protection,
 * number of relocations, bytes that the file could do without, and which other file it is a copy
 * of.
 *
 *     struct heft_info *info = heft_info_new(session);
 *     const struct heft_write_opts opts = { .size = sizeof opts, .format = HEFT_CSV };
 *     if (info && heft_info_add(info, "a.out", &err) && heft_info_add(info, "b.so", &err))
 *             heft_info_write(info, &opts, &sink, &err);
 *     heft_info_free(info);
 *
 * docs/json.md describes the columns. One thread per handle. */
struct heft_info;

/* Makes a handle. NULL only if memory runs out. Free the handle with heft_info_free(), which
 * accepts NULL. */
HEFT_API struct heft_info *heft_info_new(struct heft_session *s);
HEFT_API void heft_info_free(struct heft_info *info);

/* Reads a program, library, object, archive or core. The file becomes the next row. HEFT_EIO if the
 * file cannot be read, HEFT_EUNSUPPORTED if it is no such file, HEFT_EFORMAT if it is damaged;
 * earlier rows stay. When the table is made, a file is read again if another file has the same
 * size: once for its hash. Files with equal hashes are read once more to compare them. */
HEFT_API bool heft_info_add(struct heft_info *info, const char *path, struct heft_err *err);

/* Returns the rows, in the order in which they were added. Measures: "bytes" of the file,
 * "relocations", "savings" in bytes, "copied" (bytes of the file if it is a copy of an earlier
 * one). Belongs to the handle; valid until the next heft_info_add(). */
HEFT_API const struct heft_table *heft_info_table(struct heft_info *info);

/* Writes the table: HEFT_TABLE, HEFT_CSV, HEFT_TSV, HEFT_JSON or HEFT_MARKDOWN. HEFT_EARG for
 * another format, HEFT_EIO if the sink fails. With `full`, a table has lines below each row with
 * all facts about the file. */
HEFT_API bool heft_info_write(struct heft_info *info, const struct heft_write_opts *opts,
			      const struct heft_sink *sink, struct heft_err *err);

#ifdef __cplusplus
}
#endif
#endif
