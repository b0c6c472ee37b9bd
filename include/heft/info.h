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
 * number of relocations, bytes that the file could do without, and the earlier file with the same
 * contents.
 *
 *     struct heft_info *info = heft_info_new(session);
 *     const struct heft_write_opts opts = { .size = sizeof opts, .format = HEFT_CSV };
 *     if (info && heft_info_add(info, "a.out", &err) && heft_info_add(info, "b.so", &err))
 *             heft_info_write(info, &opts, &sink, &err);
 *     heft_info_free(info);
 *
 * docs/json.md describes the columns. One thread per handle. */
struct heft_info;

/* Creates a handle. NULL only if memory runs out. Free the handle with heft_info_free(), which
 * accepts NULL. */
HEFT_API struct heft_info *heft_info_new(struct heft_session *s);
HEFT_API void heft_info_free(struct heft_info *info);

/* Reads a program, library, object, archive or core as the next row. HEFT_EIO if the file cannot be
 * read, HEFT_EUNSUPPORTED if it is another kind of file, HEFT_EFORMAT if it is damaged. Earlier
 * rows stay. To find copies, files of equal size are read again for their hashes. Files with equal
 * hashes are read once more and compared. */
HEFT_API bool heft_info_add(struct heft_info *info, const char *path, struct heft_err *err);

/* Order of the rows: as they were added, by path, or by a measure, the largest first. */
enum heft_info_sort {
	HEFT_INFO_ADDED,
	HEFT_INFO_PATH,
	HEFT_INFO_SIZE,
	HEFT_INFO_RELOCATIONS,
	HEFT_INFO_SAVINGS,
	HEFT_INFO_COPIED
};

/* Sets the order of the rows. Default: HEFT_INFO_ADDED. */
HEFT_API void heft_info_set_sort(struct heft_info *info, enum heft_info_sort sort);
/* Sets the limit of rows. "[N Others]" sums up the rows over the limit. 0 (default) means all rows.
 * The order HEFT_INFO_ADDED ignores the limit. */
HEFT_API void heft_info_set_rows(struct heft_info *info, uint32_t rows);

/* Returns the rows. Measures: "bytes" of the file, "relocations", "savings" in bytes, "copied"
 * (bytes of the file if it is a copy of an earlier one). Belongs to the handle; valid until a file
 * is added, or the order or the limit is set. */
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
