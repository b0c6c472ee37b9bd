/* answer.h - an answer about a history as rows of cells, for the reports of queries.
 *
 * Cells are put from left to right; answer_row ends a row.  A visitor that takes no more stops the
 * rest, which answer_end tells. */
#ifndef HEFT_STORE_ANSWER_H
#define HEFT_STORE_ANSWER_H

#include "query/query.h"
#include "base/text.h"
#include "store/timeline.h"

enum { ANSWER_COLUMNS = 16 };

struct answer {
	const struct query_visitor *to;
	struct query_cell cells[ANSWER_COLUMNS];
	char room[ANSWER_COLUMNS][64]; /* texts of numbers */
	size_t columns, put;
	bool stopped;
};

void answer_start(struct answer *a, const struct query_visitor *to, const char *const *names,
		  size_t count);
void answer_int(struct answer *a, int64_t v);
void answer_real(struct answer *a, double v);
/* Borrowed until the row ends. */
void answer_text(struct answer *a, const char *text);
/* Copied, and cut to 63 bytes. */
void answer_short(struct answer *a, const char *text);
/* Three cells that tell a build: its id, its date, its commit, cut to 12 digits. */
void answer_build(struct answer *a, const struct build *b);
void answer_null(struct answer *a);
void answer_row(struct answer *a);
bool answer_end(struct answer *a, struct heft_err *err);

#endif
