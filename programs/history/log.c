/* Writes builds as rows, latest first. */
#include "history/log.h"

#include "base/spark.h"

enum { SPARKS = 10 };

/* Facts that differ among the builds. Each has a column. */
struct log_shown {
	bool product, config, branch;
};

static struct log_shown log_what_differs(const struct timeline *t)
{
	struct log_shown s = { false, false, false };
	for (size_t i = 1; i < t->list.count; i++) {
		const struct build_facts *a = &t->list.data[0]->facts;
		const struct build_facts *b = &t->list.data[i]->facts;
		s.product |= strcmp(a->product, b->product) != 0;
		s.config |= strcmp(a->config, b->config) != 0;
		s.branch |= strcmp(a->branch, b->branch) != 0;
	}
	return s;
}

/* Returns the listed size of a build: its file, or its value in `of`. */
static double log_size_of(const struct timeline *t, const struct series *of, const struct build *b)
{
	return of ? of->values.data[timeline_place(t, b)] : (double)b->file;
}

/* Adds a spark line of the latest builds of one product and configuration, this one last. */
static void put_spark(struct answer *a, const struct timeline *t, const struct series *of,
		      const struct build *b)
{
	double values[SPARKS];
	char room[3 * SPARKS + 1];
	size_t first = SPARKS;
	for (; b && first > 0; b = timeline_before(t, b))
		values[--first] = log_size_of(t, of, b);
	spark_line(values + first, SPARKS - first, room);
	answer_short(a, room);
}

static void put_build(struct answer *a, const struct timeline *t, const struct series *of,
		      const struct build *b, const struct log_shown *shown)
{
	const struct build *before = timeline_before(t, b);
	answer_build(a, b);
	if (shown->branch)
		answer_text(a, b->facts.branch);
	if (shown->product)
		answer_text(a, b->facts.product);
	if (shown->config)
		answer_text(a, b->facts.config);
	answer_real(a, log_size_of(t, of, b));
	if (before)
		answer_real(a, log_size_of(t, of, b) - log_size_of(t, of, before));
	else
		answer_null(a);
	answer_int(a, (int64_t)b->vm);
	answer_int(a, (int64_t)b->symbols);
	put_spark(a, t, of, b);
	answer_row(a);
}

bool log_write(const struct timeline *t, const struct series *of, struct heft_answer *to,
	       struct heft_err *err)
{
	const struct log_shown s = log_what_differs(t);
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
		names[count++] = (const char *const[]){ of ? of->what : "file", "change", "vm",
							"symbols", "course" }[i];
	answer_start(&a, to, names, count);
	for (size_t i = t->list.count; i > 0 && !a.stopped; i--)
		put_build(&a, t, of, t->list.data[i - 1], &s);
	return answer_end(&a, err);
}
