/* questions.h - writes answers about builds and series of sizes, as rows. */
#pragma once

#include "history/answer.h"
#include "history/series.h"

/* Writes builds as rows, latest first: size, change from the previous build, spark line. `of` is
 * the listed series; NULL means the size of the file. */
bool log_write(const struct timeline *t, const struct series *of, struct heft_answer *to,
	       struct heft_err *err);
/* Writes a row per step (change between two builds), with its share of the total change. */
bool steps_write(const struct steps *steps, struct heft_answer *to, struct heft_err *err);
/* Writes the changes of builds, symbol by symbol. */
bool changes_tell(struct store *s, const struct timeline *t, struct heft_answer *to,
		  struct heft_err *err);
/* Writes the changed rows of a data source, build by build. */
bool rows_tell(struct store *s, const struct timeline *t, const char *source,
	       struct heft_answer *to, struct heft_err *err);
/* Writes the numbers of `m` that changed, largest change first. */
bool rows_compare(const struct measures *m, struct heft_answer *to, struct heft_err *err);
/* Writes a row with the slope, and the day when the size reaches `limit` bytes (0 for no limit).
 * Then writes a row per change of level. `for_people`: if there are no changes, omits their table.
 * With fewer than TREND_LEAST builds, only the slope is known. HEFT_EARG if the builds are of
 * several products or configurations. */
bool trend_write(const struct series *s, uint64_t limit, bool for_people, struct heft_answer *to,
		 struct heft_err *err);
