/* spark.h - a course of values in one line of text. */
#ifndef HEFT_BASE_SPARK_H
#define HEFT_BASE_SPARK_H

#include <stddef.h>

/* Values from left to right as blocks of eight heights, UTF-8: 3 bytes a value.  `room` has 3 *
 * count + 1 bytes. */
void spark_line(const double *values, size_t count, char *room);

#endif
