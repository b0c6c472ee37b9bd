/* Draws values as a line of block characters. */
#include "base/spark.h"

void spark_line(const double *values, size_t count, char *room)
{
	double low = count > 0 ? values[0] : 0, high = low;
	for (size_t i = 1; i < count; i++) {
		low = values[i] < low ? values[i] : low;
		high = values[i] > high ? values[i] : high;
	}
	for (size_t i = 0; i < count; i++) {
		const int step = high > low ? (int)((values[i] - low) / (high - low) * 7.999) : 0;
		*room++ = '\xe2';
		*room++ = '\x96';
		*room++ = (char)(0x81 + step);
	}
	*room = '\0';
}
