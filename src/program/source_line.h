/* source_line.h - finds the source line of many addresses, without functions and inlined calls. For
 * these, symbolize.h reads far more. */
#pragma once

#include "program/symbolize.h"

/* What the last look-up found. All zero at first */
struct source_line {
	size_t unit; /* 1 + the unit's index */
	struct line_table *table;
	const char *file; /* Absolute path. Lives as long as the symbolizer */
	uint32_t line;
};

/* Finds the line of an address. Fast if addresses rise. False if no line is known. */
bool symbolizer_line(struct symbolizer *s, uint64_t vm_addr, struct source_line *at);
