/* answer.h - writes a table about a history, row by row.
 *
 * Cells are added from left to right. answer_row() ends a row. After the first failure, cells are
 * not written. answer_end() returns that failure. */
#pragma once

#include "heft.h"
#include "history/timeline.h"

enum { ANSWER_COLUMNS = 16 };

struct answer {
	struct heft_answer *to;
	struct heft_cell cells[ANSWER_COLUMNS];
	char room[ANSWER_COLUMNS][64];
	size_t columns, put;
	struct heft_err err;
	bool stopped;
};

void answer_start(struct answer *a, struct heft_answer *to, const char *const *names, size_t count);
void answer_int(struct answer *a, int64_t v);
void answer_real(struct answer *a, double v);
/* Adds a text, borrowed until the row ends. */
void answer_text(struct answer *a, const char *text);
/* Adds a copy of a text, cut to 63 bytes. */
void answer_short(struct answer *a, const char *text);
/* Adds three cells for a build: id, date, and commit, cut to 12 digits. */
void answer_build(struct answer *a, const struct build *b);
void answer_null(struct answer *a);
void answer_row(struct answer *a);
bool answer_end(struct answer *a, struct heft_err *err);
