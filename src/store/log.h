/* log.h - builds as rows, the latest first: size, change from the build before, spark line. */
#ifndef HEFT_STORE_LOG_H
#define HEFT_STORE_LOG_H

#include "store/answer.h"
#include "store/timeline.h"

bool log_write(const struct timeline *t, const struct query_visitor *to, struct heft_err *err);

/* Values from left to right as blocks of eight heights, UTF-8: 3 bytes a value.  `room` has 3 *
 * count + 1 bytes. */
void spark_line(const double *values, size_t count, char *room);

#endif
