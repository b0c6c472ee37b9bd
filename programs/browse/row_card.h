/* row_card.h - finds what is known about a row of a profile beyond its numbers: places of its
 * bytes, parts of its size, source line, instructions.
 *
 * The places come from the profile's own ranges (HEFT_PROFILE_RANGES). The rest comes from
 * heft_where and heft_blocks. They open the file at the first question and keep it open. One
 * thread. */
#ifndef HEFT_CLI_ROW_CARD_H
#define HEFT_CLI_ROW_CARD_H

#include "browse/browse.h"
#include "cli/inputs.h"

struct row_card {
	const struct inputs *inputs;
	struct heft_where *where;   /* NULL if not opened. */
	struct heft_blocks *blocks; /* NULL if not opened. */
	char *path;                 /* File that these two have open. */
};

/* Closes what it opened. */
void row_card_release(struct row_card *c);

/* Writes lines about a row; none if nothing is known. */
void row_card_put(struct row_card *c, const struct input *in, const struct browse_row *row,
		  FILE *to);
/* Writes the first 32 functions that own a row's bytes, with their blocks and instructions. */
bool row_card_code(struct row_card *c, const struct input *in, const struct browse_row *row,
		   FILE *to, struct heft_err *err);

#endif
