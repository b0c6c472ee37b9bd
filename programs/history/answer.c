/* Writes a table about a history, row by row. */
#include "history/answer.h"

#include <stdio.h>

void answer_start(struct answer *a, struct heft_answer *to, const char *const *names, size_t count)
{
	ASSERT(count <= ANSWER_COLUMNS);
	a->to = to;
	a->columns = count;
	a->put = 0;
	a->stopped = !heft_answer_columns(to, names, count, &a->err);
}

static struct heft_cell *cell_next(struct answer *a)
{
	ASSERT(a->put < a->columns);
	return &a->cells[a->put++];
}

void answer_int(struct answer *a, int64_t v)
{
	*cell_next(a) = (struct heft_cell){ .kind = HEFT_CELL_INTEGER, .integer = v };
}

void answer_real(struct answer *a, double v)
{
	*cell_next(a) = (struct heft_cell){ .kind = HEFT_CELL_REAL, .real = v };
}

void answer_text(struct answer *a, const char *text)
{
	*cell_next(a) = (struct heft_cell){ .kind = HEFT_CELL_TEXT, .text = text };
}

void answer_short(struct answer *a, const char *text)
{
	char *room = a->room[a->put];
	snprintf(room, sizeof a->room[0], "%s", text);
	answer_text(a, room);
}

void answer_build(struct answer *a, const struct build *b)
{
	char text[24];
	answer_int(a, b->id);
	time_text(b->facts.time, text);
	answer_short(a, text);
	snprintf(text, sizeof text, "%.12s", b->facts.commit);
	answer_short(a, text);
}

void answer_null(struct answer *a)
{
	*cell_next(a) = (struct heft_cell){ .kind = HEFT_CELL_NULL };
}

void answer_row(struct answer *a)
{
	ASSERT(a->put == a->columns);
	a->put = 0;
	if (!a->stopped)
		a->stopped = !heft_answer_row(a->to, a->cells, &a->err);
}

bool answer_end(struct answer *a, struct heft_err *err)
{
	if (!a->stopped)
		return heft_answer_table_end(a->to, err);
	*err = a->err;
	return false;
}
