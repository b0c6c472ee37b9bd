/* spark.h - draws the trend of values in one line of text. */
#ifndef HEFT_BASE_SPARK_H
#define HEFT_BASE_SPARK_H

#include <stddef.h>

/* Writes one block character per value, left to right, in eight heights. A character has 3 bytes of
 * UTF-8. `room` has 3 * count + 1 bytes. */
void spark_line(const double *values, size_t count, char *room);

#endif
