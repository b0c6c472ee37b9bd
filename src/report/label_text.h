/* label_text.h - writes labels for a terminal.
 *
 * A label may contain any bytes; base/tame.h defines which bytes become visible escapes. */
#pragma once

#include "report/report.h"

/* Returns the number of columns that the label takes on a terminal, including escapes. */
size_t label_width(struct str label);

/* Writes the label. If it takes more than `width` columns (0 means no limit), "..." replaces its
 * middle. Characters and escapes are never split. */
void label_put(struct sink *s, struct str label, size_t width);

/* Writes each part of a list on its own line, after `first` (on the first line) or `next`. A part
 * ends at the separator `apart`, if `ends` is NULL or returns true there. */
void label_list(struct sink *s, struct str list, struct str apart,
		bool (*ends)(struct str part, struct str behind), const char *first,
		const char *next);
