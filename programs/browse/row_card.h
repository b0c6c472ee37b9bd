/* row_card.h - what is known of a row of a profile beyond its numbers: where its bytes are, its
 * sizes told apart, the source line, the instructions.
 *
 * The bytes come from the profile's own ranges (HEFT_PROFILE_RANGES), the rest from heft_where and
 * heft_blocks, which open the file when the first row is asked about, and keep it.  One thread. */
#ifndef HEFT_CLI_ROW_CARD_H
#define HEFT_CLI_ROW_CARD_H

#include "browse/browse.h"
#include "cli/inputs.h"

struct row_card {
	const struct inputs *inputs;
	struct heft_where *where;   /* NULL: not opened */
	struct heft_blocks *blocks; /* NULL: not opened */
	char *path;                 /* of the file that these two have open */
};

/* Closes what it opened. */
void row_card_release(struct row_card *c);

/* Writes lines about a row; none where nothing is known. */
void row_card_put(struct row_card *c, const struct input *in, const struct browse_row *row,
		  FILE *to);
/* Writes the functions that a row's bytes are of, the first 32, with their blocks and
 * instructions. */
bool row_card_code(struct row_card *c, const struct input *in, const struct browse_row *row,
		   FILE *to, struct heft_err *err);

#endif
