/* questions.h - answers about a series of sizes, as rows. */
#ifndef HEFT_HISTORY_QUESTIONS_H
#define HEFT_HISTORY_QUESTIONS_H

#include "history/answer.h"
#include "history/series.h"

/* Steps, each with its share of the change of all. */
bool steps_write(const struct steps *steps, struct heft_answer *to, struct heft_err *err);
/* The changes of builds, symbol by symbol. */
bool changes_tell(struct store *s, const struct timeline *t, struct heft_answer *to,
		  struct heft_err *err);
/* The same of rows of a source. */
bool rows_tell(struct store *s, const struct timeline *t, const char *source,
	       struct heft_answer *to, struct heft_err *err);
/* Numbers whose `was` is not their `now`, the largest change first. */
bool rows_compare(const struct measures *m, struct heft_answer *to, struct heft_err *err);
/* A row of the slope, with the day when it reaches `limit` bytes (0: none); then one a change of
 * level.  HEFT_EARG where the builds are of several products or configurations. */
bool trend_write(const struct series *s, uint64_t limit, struct heft_answer *to,
		 struct heft_err *err);

#endif
