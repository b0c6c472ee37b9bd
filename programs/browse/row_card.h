/* row_card.h - finds more facts about a row of a profile: address ranges of its bytes, parts of its
 * size, source line, instructions.
 *
 * The ranges come from the profile (HEFT_PROFILE_RANGES). Other facts come from heft_where and
 * heft_blocks, which open the file at the first query and keep it open. One thread. */
#pragma once

#include "browse/browse.h"
#include "cli/inputs.h"

struct row_card {
	const struct inputs *inputs;
	struct heft_where *where;   /* NULL if not opened */
	struct heft_blocks *blocks; /* NULL if not opened */
	char *path;                 /* File that both have open */
};

/* Frees the open handles. */
void row_card_release(struct row_card *c);

/* Writes lines with facts about a row. Writes nothing if none is known. */
void row_card_put(struct row_card *c, const struct input *in, const struct browse_row *row,
		  FILE *to);
/* Writes the first 32 functions in a row's bytes, with their blocks and instructions. */
bool row_card_code(struct row_card *c, const struct input *in, const struct browse_row *row,
		   FILE *to, struct heft_err *err);
