/* spark.h - draws the trend of values in one line of text. */
#pragma once

#include <stddef.h>

/* Writes a block character of 3 bytes per value, eight heights. `room` has 3 * count + 1 bytes. */
void spark_line(const double *values, size_t count, char *room);
