/* Lists builds in the order of their commits, and finds builds by words. */
#include "history/timeline.h"

#include "base/sort.h"

#include <stdio.h>
#include <time.h>

static bool timeline_matches(const char *wanted, const char *text)
{
	return !wanted || strcmp(wanted, text) == 0;
}

COMPARISON(compare_builds, struct build *const, ORDER((*a)->facts.time, (*b)->facts.time),
	   ORDER((*a)->id, (*b)->id))

/* The latest build seen so far of each product, configuration and branch. */
struct latest {
	struct intern keys;
	VEC(const struct build *) builds;
	struct text key;
};

/* Returns the latest build of the product, configuration and branch (NULL: any branch), and
 * replaces it by `b`. */
static const struct build *swap_latest(struct latest *l, const struct build *b, const char *branch)
{
	l->key.len = 0;
	text_add_part(&l->key, str_of(b->facts.product));
	text_add_part(&l->key, str_of(b->facts.config));
	if (branch)
		text_add_part(&l->key, str_of(branch));
	const uint32_t id = intern_add(&l->keys, text_str(&l->key));
	if (id == l->builds.count)
		vec_push(&l->builds, NULL);
	const struct build *last = l->builds.data[id];
	l->builds.data[id] = b;
	return last;
}

static void timeline_join(struct timeline *t)
{
	struct latest l = { { { 0 } } };
	for (size_t i = 0; i < t->list.count; i++) {
		const struct build *b = t->list.data[i];
		const struct build *any = swap_latest(&l, b, NULL);
		const struct build *near = swap_latest(&l, b, b->facts.branch);
		vec_push(&t->before, near ? near : any);
	}
	intern_release(&l.keys);
	vec_release(&l.builds);
	text_release(&l.key);
}

void timeline_make(struct timeline *ret, const struct store *s, const struct build_filter *f)
{
	*ret = (struct timeline){ { 0 } };
	vec_each(const struct build, b, &s->builds) {
		if (timeline_matches(f->product, b->facts.product) &&
		    timeline_matches(f->config, b->facts.config) &&
		    timeline_matches(f->branch, b->facts.branch))
			vec_push(&ret->list, b);
	}
	vec_sort_by(&ret->list, compare_builds);
	timeline_join(ret);
}

void timeline_release(struct timeline *t)
{
	vec_release_all(&t->list, &t->before);
}

size_t timeline_place(const struct timeline *t, const struct build *b)
{
	const struct build **found = t->list.count == 0
					     ? NULL
					     : bsearch(&b, t->list.data, t->list.count,
						       sizeof *t->list.data, compare_builds);
	return found ? (size_t)(found - t->list.data) : SIZE_MAX;
}

const struct build *timeline_before(const struct timeline *t, const struct build *b)
{
	const size_t at = timeline_place(t, b);
	return at == SIZE_MAX ? NULL : t->before.data[at];
}

/* Returns the days from 1970-01-01 to a day of the Gregorian calendar. */
static int64_t days_of(int year, int month, int day)
{
	const int64_t y = year - (month <= 2);
	const int64_t era = y / 400, of_era = y - era * 400;
	const int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
	return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

bool time_parse(const char *text, bool end, int64_t *ret)
{
	int year, month, day, hour = 0, minute = 0, used = 0;
	long long seconds;
	if (sscanf(text, "@%lld%n", &seconds, &used) == 1 && text[used] == '\0') {
		*ret = seconds;
		return true;
	}
	if (sscanf(text, "%4d-%2d-%2d%n", &year, &month, &day, &used) != 3 || year < 1970 ||
	    month < 1 || month > 12 || day < 1 || day > 31)
		return false;
	const bool whole = text[used] == '\0';
	int more = 0;
	if (!whole &&
	    (sscanf(text + used, "%*1[T ]%2d:%2d%n", &hour, &minute, &more) != 2 ||
	     text[used + more] != '\0' || hour < 0 || hour > 23 || minute < 0 || minute > 59))
		return false;
	*ret = days_of(year, month, day) * 86400 + hour * 3600 + minute * 60;
	*ret += end ? (whole ? 86399 : 59) : 0;
	return true;
}

void time_text(int64_t time, char room[24])
{
	const time_t t = (time_t)time;
	struct tm tm;
	if (!gmtime_r(&t, &tm) || strftime(room, 24, "%Y-%m-%d %H:%M", &tm) == 0)
		snprintf(room, 24, "@%" PRId64, time);
}

static bool same_line(const struct build *a, const struct build *b)
{
	return strcmp(a->facts.product, b->facts.product) == 0 &&
	       strcmp(a->facts.config, b->facts.config) == 0;
}

/* A word of the user as text, date and build id, to compare it with builds. */
struct timeline_word {
	struct str text;
	int64_t time; /* Seconds since 1970. INT64_MIN if the word is not a date */
	unsigned long long id;
};

enum rank { NONE, BY_START, BY_DATE, BY_BRANCH, EXACT };

static enum rank timeline_rank_of(const struct timeline_word *w, const struct build *b)
{
	const struct str commit = str_of(b->facts.commit);
	if (w->id == b->id || str_eq(w->text, commit) || str_eq(w->text, STR("latest")))
		return EXACT;
	if (str_eq(w->text, str_of(b->facts.branch)))
		return BY_BRANCH;
	if (w->time != INT64_MIN)
		return b->facts.time <= w->time ? BY_DATE : NONE;
	return w->text.len >= 4 && str_starts(commit, w->text) ? BY_START : NONE;
}

static const struct build *ambiguous(const char *word, const char *what, struct heft_err *err)
{
	fail(err, HEFT_EARG, HEFT_NO_OFFSET, "'%s' names builds of several %s", word, what);
	return NULL;
}

enum { OFFERS_MOST = 8 };

/* Fails because a word names builds of several products, or of several configurations of one.
 * Offers the option that selects each. */
static const struct build *several_lines(const struct timeline *t, const char *word,
					 const struct build *other, struct heft_err *err)
{
	const char *const product = t->list.data[0]->facts.product;
	bool products = strcmp(product, other->facts.product) != 0;
	struct text list = { 0 };
	const char *names[OFFERS_MOST];
	size_t count = 0;
	for (size_t i = 0; i < t->list.count && !products; i++)
		products = strcmp(product, t->list.data[i]->facts.product) != 0;
	text_add(&list, products ? STR("products: say") : STR("configurations: say"));
	for (size_t i = 0; i < t->list.count && count < OFFERS_MOST; i++) {
		const struct build_facts *b = &t->list.data[i]->facts;
		size_t k = 0;
		names[count] = products ? b->product : b->config;
		while (strcmp(names[k], names[count]) != 0)
			k++;
		if (k < count)
			continue;
		text_add_all(&list, count > 0 ? " or --" : " --", products ? "product" : "config",
			     " '", names[count], "'");
		count++;
	}
	text_add_char(&list, '\0');
	ambiguous(word, list.p, err);
	text_release(&list);
	return NULL;
}

static const struct build *timeline_find_first(const struct timeline *t, const char *typed,
					       struct heft_err *err)
{
	const struct build *first = t->list.count > 0 ? t->list.data[0] : NULL;
	for (size_t i = 1; i < t->list.count; i++)
		if (!same_line(first, t->list.data[i]))
			return several_lines(t, typed, t->list.data[i], err);
	if (!first)
		fail(err, HEFT_ENOTFOUND, HEFT_NO_OFFSET, "there is no build");
	return first;
}

/* Returns the build that matches a word best; of equal ones, the latest. */
static const struct build *timeline_find_word(const struct timeline *t,
					      const struct timeline_word *w, const char *typed,
					      struct heft_err *err)
{
	const struct build *best = NULL;
	enum rank best_rank = NONE;
	if (str_eq(w->text, STR("first")))
		return timeline_find_first(t, typed, err);
	for (size_t i = 0; i < t->list.count; i++) {
		const struct build *b = t->list.data[i];
		const enum rank rank = timeline_rank_of(w, b);
		if (rank == NONE || rank < best_rank)
			continue;
		if (rank == best_rank && !same_line(b, best))
			return several_lines(t, typed, best, err);
		if (rank == best_rank && rank == BY_START &&
		    strcmp(b->facts.commit, best->facts.commit) != 0)
			return ambiguous(typed, "commits: say more of it", err);
		best = b;
		best_rank = rank;
	}
	if (!best)
		fail(err, HEFT_ENOTFOUND, HEFT_NO_OFFSET,
		     "no build is called '%s': neither commit, branch, date nor #number", typed);
	return best;
}

const struct build *timeline_find(const struct timeline *t, const char *word, struct heft_err *err)
{
	const char *tilde = strrchr(word, '~');
	struct timeline_word w = { .text = { word, tilde ? (size_t)(tilde - word) : strlen(word) },
				   .time = INT64_MIN };
	char date[24];
	unsigned long long back = tilde ? 1 : 0;
	int used = 0;
	if (tilde && tilde[1] &&
	    (sscanf(tilde + 1, "%4llu%n", &back, &used) != 1 || tilde[1 + used] != '\0')) {
		fail(err, HEFT_EARG, HEFT_NO_OFFSET, "'%s' has no number behind '~'", word);
		return NULL;
	}
	snprintf(date, sizeof date, "%.*s", (int)min_u64(w.text.len, 23), word);
	(void)time_parse(date, true, &w.time);
	if (*word == '#' && sscanf(word + 1, "%llu", &w.id) != 1)
		w.id = 0;
	const struct build *b = timeline_find_word(t, &w, word, err);
	for (; b && back > 0; back--) {
		const struct build *before = timeline_before(t, b);
		if (!before)
			fail(err, HEFT_ENOTFOUND, HEFT_NO_OFFSET,
			     "'%s': there are not so many builds before", word);
		b = before;
	}
	return b;
}
