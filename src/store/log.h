/* log.h - builds as rows, the latest first: size, change from the build before, spark line. */
#ifndef HEFT_STORE_LOG_H
#define HEFT_STORE_LOG_H

#include "store/answer.h"
#include "store/series.h"

/* `of`: what is listed instead of the size of the file; NULL: that. */
bool log_write(const struct timeline *t, const struct series *of, const struct query_visitor *to,
	       struct heft_err *err);

#endif
