/* advice.h - part of heft.h: proposes changes that make a program smaller. */
#ifndef HEFT_H
#include "heft.h" /* heft.h includes this file. */
#elif !defined(HEFT_PART_ADVICE_H)
#define HEFT_PART_ADVICE_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- advice ---------------------------------------------------------------- */

/* Proposals for one program, with the bytes that each saves, who owns them, what to do, and what it
 * costs.
 *
 *     heft_snapshot_set_flags(s, HEFT_SNAPSHOT_ALONE | HEFT_SNAPSHOT_CONTENTS);
 *     if (heft_snapshot_open(s, "a.out", &err) && heft_info_add(info, "a.out", &err))
 *             a = heft_advice_new(s, info, &err);
 *     if (a)
 *             heft_advice_write(a, 10, &opts, &sink, &err);
 *     heft_advice_free(a);
 *
 * One thread per handle. */
struct heft_advice;

/* Finds the proposals for a program. `s`: its snapshot with contents of symbols. `info`: a table
 * whose only row describes the same program (heft_info_add()). Both are read, and may be freed
 * afterwards. NULL on failure: HEFT_EARG if they are not open, HEFT_EUNSUPPORTED if heft was built
 * without SQLite. Free the handle with heft_advice_free(), which accepts NULL. */
HEFT_API struct heft_advice *heft_advice_new(const struct heft_snapshot *s,
					     const struct heft_info *info, struct heft_err *err);
/* Adds the proposal to leave out what no root reaches. `g`: the references of the same program. It
 * may be freed afterwards. HEFT_EARG if `g` has no open program. */
HEFT_API bool heft_advice_add_graph(struct heft_advice *a, struct heft_graph *g,
				    struct heft_err *err);
HEFT_API void heft_advice_free(struct heft_advice *a);

/* Returns a row per proposal, the largest first, and below it the owners of the bytes. `rows`: at
 * most so many rows per level, 0 for all. Measure: "bytes" that the file could do without.
 * Proposals overlap, so the top row has no sum. Texts: "sure" ("stated", "proved", "inferred"),
 * "what", "change", "cost", "link": options of a link that show what the proposal saves. Belongs to
 * the handle; valid until the next call. */
HEFT_API const struct heft_table *heft_advice_table(struct heft_advice *a, uint32_t rows);
/* Keeps what came of a link with the options of the proposal with this label. `saved`: the bytes by
 * which the program became smaller because of the last option, negative if larger. `padding`: those
 * of them that were padding between segments. `failure`: why the link failed, or NULL. The texts
 * "measured", "padding" and "failure" show them. If several options helped, there is one more
 * proposal, "together", for a link with all of them. HEFT_EARG if the proposal does not exist, or
 * names no option. */
HEFT_API bool heft_advice_prove(struct heft_advice *a, const char *label, int64_t saved,
				int64_t padding, const char *failure, struct heft_err *err);
/* Writes the table: HEFT_TABLE, HEFT_CSV, HEFT_TSV, HEFT_JSON or HEFT_MARKDOWN. */
HEFT_API bool heft_advice_write(struct heft_advice *a, uint32_t rows,
				const struct heft_write_opts *opts, const struct heft_sink *sink,
				struct heft_err *err);

#ifdef __cplusplus
}
#endif
#endif
