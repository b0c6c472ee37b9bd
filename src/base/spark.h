/* spark.h - draws the trend of values in one line of text. */
#ifndef HEFT_BASE_SPARK_H
#define HEFT_BASE_SPARK_H

#include <stddef.h>

/* Writes values from left to right as blocks of eight heights, in UTF-8 with 3 bytes per value.
 * `room` has 3 * count + 1 bytes. */
void spark_line(const double *values, size_t count, char *room);

#endif
