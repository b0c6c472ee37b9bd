#include "store/log.h"

#include <stdio.h>

enum { SPARKS = 10 };

void spark_line(const double *values, size_t count, char *room)
{
	double low = count > 0 ? values[0] : 0, high = low;
	for (size_t i = 1; i < count; i++) {
		low = values[i] < low ? values[i] : low;
		high = values[i] > high ? values[i] : high;
	}
	for (size_t i = 0; i < count; i++) {
		const int step = high > low ? (int)((values[i] - low) / (high - low) * 7.999) : 0;
		*room++ = '\xe2';
		*room++ = '\x96';
		*room++ = (char)(0x81 + step);
	}
	*room = '\0';
}

/* Which facts differ among the builds, and are worth a column. */
struct shown {
	bool product, config, branch;
};

static struct shown what_differs(const struct timeline *t)
{
	struct shown s = { false, false, false };
	for (size_t i = 1; i < t->list.count; i++) {
		const struct build_facts *a = &t->list.data[0]->facts;
		const struct build_facts *b = &t->list.data[i]->facts;
		s.product |= strcmp(a->product, b->product) != 0;
		s.config |= strcmp(a->config, b->config) != 0;
		s.branch |= strcmp(a->branch, b->branch) != 0;
	}
	return s;
}

/* The sizes of the builds up to one, of its own product and configuration. */
static void put_spark(struct answer *a, const struct timeline *t, const struct build *b)
{
	double values[SPARKS];
	char room[3 * SPARKS + 1];
	size_t first = SPARKS;
	for (; b && first > 0; b = timeline_before(t, b))
		values[--first] = (double)b->file;
	spark_line(values + first, SPARKS - first, room);
	answer_short(a, room);
}

static void put_build(struct answer *a, const struct timeline *t, const struct build *b,
		      const struct shown *shown)
{
	const struct build *before = timeline_before(t, b);
	answer_build(a, b);
	if (shown->branch)
		answer_text(a, b->facts.branch);
	if (shown->product)
		answer_text(a, b->facts.product);
	if (shown->config)
		answer_text(a, b->facts.config);
	answer_int(a, (int64_t)b->file);
	if (before)
		answer_int(a, (int64_t)(b->file - before->file));
	else
		answer_null(a);
	answer_int(a, (int64_t)b->vm);
	answer_int(a, (int64_t)b->symbols);
	put_spark(a, t, b);
	answer_row(a);
}

bool log_write(const struct timeline *t, const struct query_visitor *to, struct heft_err *err)
{
	const struct shown s = what_differs(t);
	const char *names[ANSWER_COLUMNS] = { "build", "date", "commit" };
	size_t count = 3;
	struct answer a;
	if (s.branch)
		names[count++] = "branch";
	if (s.product)
		names[count++] = "product";
	if (s.config)
		names[count++] = "config";
	for (size_t i = 0; i < 5; i++)
		names[count++] = (const char *const[]){ "file", "change", "vm", "symbols",
							"course" }[i];
	answer_start(&a, to, names, count);
	for (size_t i = t->list.count; i > 0 && !a.stopped; i--)
		put_build(&a, t, t->list.data[i - 1], &s);
	return answer_end(&a, err);
}
