/* Writes answers about a series of sizes. */
#include "history/questions.h"

#include "base/sort.h"
#include "base/spark.h"
#include "history/trend.h"

#include <math.h>
#include <stdio.h>

static const char *const step_names[] = { "build", "date",   "commit", "branch",       "was",
					  "now",   "change", "share",  "unbuilt_since" };

/* Adds a step with its share of the change `all`. If commits between its builds may be missing,
 * also adds the previous build's commit. */
static void put_step(struct answer *a, const struct step *s, double all)
{
	const double change = s->now - s->was;
	char text[24] = "";
	answer_build(a, s->build);
	answer_text(a, s->build->facts.branch);
	answer_real(a, s->was);
	answer_real(a, s->now);
	answer_real(a, change);
	if (all != 0)
		snprintf(text, sizeof text, "%.1f%%", 100 * change / all);
	answer_short(a, text);
	snprintf(text, sizeof text, "%.12s", s->apart ? s->before->facts.commit : "");
	answer_short(a, text);
	answer_row(a);
}

bool steps_write(const struct steps *steps, struct heft_answer *to, struct heft_err *err)
{
	struct answer a;
	const double all = steps_change(steps);
	answer_start(&a, to, step_names, COUNT_OF(step_names));
	for (size_t i = 0; i < steps->list.count && !a.stopped; i++)
		put_step(&a, &steps->list.data[i], all);
	return answer_end(&a, err);
}

/* First columns of rows about a build, in formats for tools: with the full time and commit. */
#define BUILD_NAMES "build", "time", "commit", "branch", "product", "config"

static void questions_put_facts(struct answer *a, const struct build *b)
{
	char text[24], seconds[30];
	time_text(b->facts.time, text);
	snprintf(seconds, sizeof seconds, "%s:%02d", text, (int)((b->facts.time % 60 + 60) % 60));
	answer_int(a, b->id);
	answer_short(a, seconds);
	answer_text(a, b->facts.commit);
	answer_text(a, b->facts.branch);
	answer_text(a, b->facts.product);
	answer_text(a, b->facts.config);
}

static const char *const change_names[] = { BUILD_NAMES, "section", "name", "source", "object",
					    "component", "was",     "now",  "vm_was", "vm_now" };

struct questions_teller {
	struct store *s;
	const struct timeline *t;
	struct answer a;
	struct text texts[5];
};

static void put_change(struct questions_teller *w, const struct build *b, struct db_query *q)
{
	questions_put_facts(&w->a, b);
	for (int i = 0; i < (int)COUNT_OF(w->texts); i++) {
		w->texts[i].len = 0;
		text_add_part(&w->texts[i], db_text(q, i + 1));
		answer_text(&w->a, w->texts[i].p);
	}
	for (int i = 6; i < 10; i++)
		answer_real(&w->a, db_real(q, i));
	answer_row(&w->a);
}

/* Adds the changes of the builds whose ids are in a range. */
static void put_changes(struct questions_teller *w, uint32_t first, uint32_t last)
{
	static const char sql[] =
		"SELECT build, section, name, source, object, component, was, now, vm_was, vm_now "
		"FROM steps "
		"WHERE build >= $1 AND build <= $2 ORDER BY build, name, source, object, section";
	struct db_query *q = db_query(w->s->db, sql);
	db_put(q, first);
	db_put(q, last);
	while (!w->a.stopped && db_row(q)) {
		const struct build *b = store_build(w->s, (uint32_t)db_int(q, 0));
		if (b && timeline_place(w->t, b) != SIZE_MAX)
			put_change(w, b, q);
	}
	db_do(q);
}

bool changes_tell(struct store *s, const struct timeline *t, struct heft_answer *to,
		  struct heft_err *err)
{
	/* Read builds in parts, because a server returns all rows at once. */
	enum { AT_ONCE = 50 };
	struct questions_teller w = { .s = s, .t = t };
	answer_start(&w.a, to, change_names, COUNT_OF(change_names));
	for (size_t i = 0; i < s->builds.count && !w.a.stopped; i += AT_ONCE) {
		const size_t last = min_u64(i + AT_ONCE, s->builds.count) - 1;
		put_changes(&w, s->builds.data[i].id, s->builds.data[last].id);
	}
	for (size_t i = 0; i < COUNT_OF(w.texts); i++)
		text_release(&w.texts[i]);
	return answer_end(&w.a, err) && db_check(s->db, err);
}

static const char *const row_names[] = { BUILD_NAMES, "source", "kind", "label", "was", "now" };

bool rows_tell(struct store *s, const struct timeline *t, const char *source,
	       struct heft_answer *to, struct heft_err *err)
{
	static const char sql[] = "SELECT build, kind, label, was, now FROM measured WHERE source "
				  "= $1 ORDER BY build, label, kind";
	struct answer a;
	struct text kind = { 0 }, label = { 0 };
	answer_start(&a, to, row_names, COUNT_OF(row_names));
	struct db_query *q = db_query(s->db, sql);
	db_put_text(q, str_of(source));
	while (!a.stopped && db_row(q)) {
		const struct build *b = store_build(s, (uint32_t)db_int(q, 0));
		if (!b || timeline_place(t, b) == SIZE_MAX)
			continue;
		kind.len = label.len = 0;
		text_add_part(&kind, db_text(q, 1));
		text_add_part(&label, db_text(q, 2));
		questions_put_facts(&a, b);
		answer_text(&a, source);
		answer_text(&a, kind.p);
		answer_text(&a, label.p);
		answer_real(&a, db_real(q, 3));
		answer_real(&a, db_real(q, 4));
		answer_row(&a);
	}
	db_do(q);
	text_release(&kind);
	text_release(&label);
	return answer_end(&a, err) && db_check(s->db, err);
}

struct difference {
	uint32_t key;
	double change;
};

/* Sorts by falling change, then by key. */
COMPARISON(compare_differences, struct difference, ORDER(fabs(b->change), fabs(a->change)),
	   ORDER(a->key, b->key))

static void put_difference(struct answer *a, const struct measures *m, const struct difference *d)
{
	const struct level *l = &m->levels.data[d->key];
	struct str parts[3];
	measures_parts(m, d->key, parts);
	answer_real(a, d->change);
	answer_real(a, l->was);
	answer_real(a, l->now);
	answer_text(a, parts[1].p);
	answer_text(a, parts[2].p);
	answer_row(a);
}

bool rows_compare(const struct measures *m, struct heft_answer *to, struct heft_err *err)
{
	static const char *const names[] = { "change", "was", "now", "kind", "label" };
	VEC(struct difference) list = { 0 };
	struct answer a;
	for (uint32_t i = 0; i < m->levels.count; i++) {
		const struct level *l = &m->levels.data[i];
		if (l->was != l->now)
			vec_push(&list, (struct difference){ i, l->now - l->was });
	}
	vec_sort_by(&list, compare_differences);
	answer_start(&a, to, names, COUNT_OF(names));
	for (size_t i = 0; i < list.count && !a.stopped; i++)
		put_difference(&a, m, &list.data[i]);
	vec_release(&list);
	return answer_end(&a, err);
}

static bool is_one_line(const struct timeline *t)
{
	for (size_t i = 1; i < t->list.count; i++) {
		const struct build_facts *a = &t->list.data[0]->facts;
		const struct build_facts *b = &t->list.data[i]->facts;
		if (strcmp(a->product, b->product) != 0 || strcmp(a->config, b->config) != 0)
			return false;
	}
	return true;
}

/* Adds the day when a value that grows by `per_day` reaches `limit`. Adds nothing if the value does
 * not grow, or needs more than a thousand years. */
static void put_forecast(struct answer *a, const struct build *last, double value, double per_day,
			 uint64_t limit)
{
	char text[24];
	const double days = per_day > 0 ? ((double)limit - value) / per_day : 1e9;
	if (limit == 0 || !(days < 365250)) {
		answer_null(a);
		return;
	}
	time_text(last->facts.time + (days > 0 ? (int64_t)(days * 86400) : 0), text);
	text[10] = '\0';
	answer_short(a, text);
}

static bool put_slope(const struct series *s, const struct trend *trend, uint64_t limit,
		      struct heft_answer *to, struct heft_err *err)
{
	static const char *const names[] = { "of",      "builds", "first",  "last",    "per_build",
					     "per_day", "noise",  "levels", "limit_on" };
	const size_t count = s->values.count;
	struct answer a;
	answer_start(&a, to, names, COUNT_OF(names));
	if (count > 0) {
		const double last = s->values.data[count - 1];
		answer_text(&a, s->what);
		answer_int(&a, (int64_t)count);
		answer_real(&a, s->values.data[0]);
		answer_real(&a, last);
		answer_real(&a, round(trend->per_step * 10) / 10);
		answer_real(&a, round(trend->per_day * 10) / 10);
		if (count < TREND_LEAST) {
			answer_null(&a);
			answer_null(&a);
			answer_null(&a);
		} else {
			answer_real(&a, round(trend->noise * 10) / 10);
			answer_int(&a, (int64_t)trend->changes.count + 1);
			put_forecast(&a, s->timeline->list.data[count - 1], last, trend->per_day,
				     limit);
		}
		answer_row(&a);
	}
	return answer_end(&a, err);
}

static bool questions_put_levels(const struct series *s, const struct trend *trend,
				 struct heft_answer *to, struct heft_err *err)
{
	static const char *const names[] = {
		"build", "date", "commit", "level_was", "now", "change"
	};
	struct answer a;
	answer_start(&a, to, names, COUNT_OF(names));
	for (size_t i = s->values.count < TREND_LEAST ? 0 : trend->changes.count;
	     i > 0 && !a.stopped; i--) {
		const struct level_change *c = &trend->changes.data[i - 1];
		answer_build(&a, s->timeline->list.data[c->at]);
		answer_real(&a, round(c->before));
		answer_real(&a, round(c->now));
		answer_real(&a, round(c->now - c->before));
		answer_row(&a);
	}
	return answer_end(&a, err);
}

bool trend_write(const struct series *s, uint64_t limit, bool for_people, struct heft_answer *to,
		 struct heft_err *err)
{
	struct trend trend;
	if (!is_one_line(s->timeline))
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET,
			    "these builds are of several products or configurations: say "
			    "--product, --config");
	double *times = mem_alloc((s->values.count + 1) * sizeof *times);
	for (size_t i = 0; i < s->values.count; i++)
		times[i] = (double)s->timeline->list.data[i]->facts.time;
	trend_make(&trend, s->values.data, times, s->values.count);
	mem_free(times);
	const bool empty = trend.changes.count == 0 || s->values.count < TREND_LEAST;
	const bool ok = put_slope(s, &trend, limit, to, err) &&
			((empty && for_people) || questions_put_levels(s, &trend, to, err));
	trend_release(&trend);
	return ok;
}

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

/* Returns the listed size of a build: the size of its file, or its value in `of`. */
static double log_size_of(const struct timeline *t, const struct series *of, const struct build *b)
{
	return of ? of->values.data[timeline_place(t, b)] : (double)b->file;
}

/* Adds a spark line of the latest builds of one product and configuration, up to build `b`. */
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
