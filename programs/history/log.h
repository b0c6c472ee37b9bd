/* log.h - builds as rows, the latest first: size, change from the build before, spark line. */
#ifndef HEFT_HISTORY_LOG_H
#define HEFT_HISTORY_LOG_H

#include "history/answer.h"
#include "history/series.h"

/* `of`: what is listed instead of the size of the file; NULL: that. */
bool log_write(const struct timeline *t, const struct series *of, struct heft_answer *to,
	       struct heft_err *err);

#endif
