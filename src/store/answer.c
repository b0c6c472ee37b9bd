#include "store/answer.h"

#include <stdio.h>

void answer_start(struct answer *a, const struct query_visitor *to, const char *const *names,
		  size_t count)
{
	ASSERT(count <= ANSWER_COLUMNS);
	a->to = to;
	a->columns = count;
	a->put = 0;
	a->stopped = !to->columns(to->ctx, names, count);
}

static struct query_cell *next_cell(struct answer *a)
{
	ASSERT(a->put < a->columns);
	return &a->cells[a->put++];
}

void answer_int(struct answer *a, int64_t v)
{
	char *room = a->room[a->put];
	snprintf(room, sizeof a->room[0], "%" PRId64, v);
	*next_cell(a) = (struct query_cell){ .kind = QUERY_INTEGER, v, (double)v, str_of(room) };
}

void answer_real(struct answer *a, double v)
{
	char *room = a->room[a->put];
	snprintf(room, sizeof a->room[0], "%.17g", v);
	*next_cell(a) = (struct query_cell){ .kind = QUERY_REAL, .real = v, .text = str_of(room) };
}

void answer_text(struct answer *a, const char *text)
{
	*next_cell(a) = (struct query_cell){ .kind = QUERY_TEXT, .text = str_of(text) };
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
	*next_cell(a) = (struct query_cell){ .kind = QUERY_NULL };
}

void answer_row(struct answer *a)
{
	ASSERT(a->put == a->columns);
	a->put = 0;
	if (!a->stopped)
		a->stopped = !a->to->row(a->to->ctx, a->cells, a->columns);
}

bool answer_end(struct answer *a, struct heft_err *err)
{
	if (!a->stopped && a->to->end(a->to->ctx))
		return true;
	return fail(err, HEFT_EIO, HEFT_NO_OFFSET, "the output took no more");
}
