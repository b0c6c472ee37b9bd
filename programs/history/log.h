/* log.h - writes builds as rows, latest first: size, change from the previous build, spark line. */
#ifndef HEFT_HISTORY_LOG_H
#define HEFT_HISTORY_LOG_H

#include "history/answer.h"
#include "history/series.h"

/* Writes the rows. `of` is the listed series; NULL means the size of the file. */
bool log_write(const struct timeline *t, const struct series *of, struct heft_answer *to,
	       struct heft_err *err);

#endif
