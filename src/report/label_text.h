/* label_text.h - labels as a terminal may see them.
 *
 * A label is any run of bytes; base/tame.h says what of it becomes a visible escape. */
#ifndef HEFT_REPORT_LABEL_TEXT_H
#define HEFT_REPORT_LABEL_TEXT_H

#include "report/report.h"

/* Columns the label takes on a terminal, escapes included. */
size_t label_width(struct str label);

/* Writes the label; where it takes more than `width` columns (0 = any number), its middle
 * is replaced by "...".  Characters and escapes are never split. */
void label_put(struct sink *s, struct str label, size_t width);

/* Each part of a list on a line of its own, after `first` or `next`.  A part ends at `apart`, if
 * `ends` says so; NULL: at each. */
void label_list(struct sink *s, struct str list, struct str apart,
		bool (*ends)(struct str part, struct str behind), const char *first,
		const char *next);

#endif
