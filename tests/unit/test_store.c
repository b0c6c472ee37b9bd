/* Histories: what is added is read back, whatever else is in the store.  HEFT_STORE is the address
 * of a database that may be emptied; without it the store is a file. */
#include "history/store.h"

#include "history/engine.h"
#include "history/pack.h"
#include "history/series.h"
#include "snapshot/sizefile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "../lib/random_program.h"

/* ---- stores ---------------------------------------------------------------------------------- */

static char path[300];

static bool is_server(void)
{
	return strncmp(path, "postgresql:", 11) == 0;
}

/* Runs statements of the engine's own. */
static void run_sql(const char *sql)
{
	struct heft_err err;
	struct db *db = db_open(path, DB_WRITES, &err);
	if (!db)
		fail_msg("%s", err.text);
	db_run(db, sql);
	if (!db_check(db, &err))
		fail_msg("%s: %s", sql, err.text);
	db_close(db);
}

/* Takes the store away. */
static void clear(void)
{
	static const char *const tables[] = { "store",   "paths",  "symbols",  "lists", "sections",
					      "changes", "builds", "measures", "sizes" };
	char sql[100];
	if (!is_server()) {
		unlink(path);
		return;
	}
	for (size_t i = 0; i < 2; i++) {
		snprintf(sql, sizeof sql, "DROP VIEW IF EXISTS %s", i ? "measured" : "steps");
		run_sql(sql);
	}
	for (size_t i = 0; i < COUNT_OF(tables); i++) {
		snprintf(sql, sizeof sql, "DROP TABLE IF EXISTS %s", tables[i]);
		run_sql(sql);
	}
}

static int setup(void **state)
{
	const char *url = getenv("HEFT_STORE");
	(void)state;
	if (url)
		snprintf(path, sizeof path, "%s", url);
	else
		snprintf(path, sizeof path, "/tmp/heft-store-%ld.db", (long)getpid());
	clear();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	clear();
	return 0;
}

static struct store open_store(bool writes)
{
	struct store s;
	struct heft_err err;
	if (!store_open(&s, path, writes ? DB_WRITES : 0, &err))
		fail_msg("%s", err.text);
	if (!is_server())
		db_run(s.db, "PRAGMA synchronous = OFF");
	return s;
}

static struct build_facts facts_of(const char *commit, const char *parent, const char *branch)
{
	return (struct build_facts){ .product = "app",
				     .config = "",
				     .branch = branch,
				     .commit = commit,
				     .parent = parent,
				     .machine = "m",
				     .time = 1000 };
}

static struct text text_of(const struct program *p)
{
	struct snapshot made;
	make(p, &made);
	const struct text text = sizefile_text(&made);
	snapshot_release(&made);
	return text;
}

/* The program as a user of the library has it. */
static struct heft_snapshot *open_program(const struct program *p)
{
	struct text text = text_of(p);
	const struct heft_input in = {
		.size = sizeof in, .name = "made", .data = text.p, .data_size = text.len
	};
	struct heft_session *session = heft_session_new();
	struct heft_snapshot *snapshot = heft_snapshot_new(session);
	struct heft_err err;
	assert_true(heft_finder_add_input(heft_session_finder(session), &in, &err));
	if (!heft_snapshot_open(snapshot, "made", &err))
		fail_msg("%s", err.text);
	heft_session_free(session);
	text_release(&text);
	return snapshot;
}

static enum store_outcome add_facts(struct store *s, const struct program *p,
				    const struct build_facts *facts)
{
	struct heft_snapshot *snapshot = open_program(p);
	enum store_outcome outcome = STORE_SAME;
	struct heft_err err;
	if (!store_add(s, snapshot, facts, &outcome, &err))
		fail_msg("%s", err.text);
	heft_snapshot_free(snapshot);
	return outcome;
}

static enum store_outcome add(struct store *s, const struct program *p, const char *commit,
			      const char *parent)
{
	const struct build_facts facts = facts_of(commit, parent, "main");
	return add_facts(s, p, &facts);
}

static bool text_put(void *ctx, const void *data, size_t size)
{
	/* The text outlives the handle whose call writes. */
	struct memory *mine = memory_enter(NULL);
	text_add(ctx, (struct str){ data, size });
	memory_enter(mine);
	return true;
}

static void assert_reads_back(struct store *s, uint32_t build, const struct program *p)
{
	struct text wanted = text_of(p), got = { 0 };
	struct heft_err err;
	struct heft_snapshot *snapshot = store_read(s, build, NULL, NULL, &err);
	if (!snapshot)
		fail_msg("build %u: %s", build, err.text);
	assert_true(
		heft_snapshot_write_text(snapshot, &(struct heft_sink){ text_put, &got }, &err));
	assert_int_equal(wanted.len, got.len);
	assert_memory_equal(wanted.p, got.p, got.len);
	heft_snapshot_free(snapshot);
	text_release(&wanted);
	text_release(&got);
}

static uint32_t id_of(const struct store *s, const char *commit)
{
	for (size_t i = 0; i < s->builds.count; i++)
		if (strcmp(s->builds.data[i].facts.commit, commit) == 0)
			return s->builds.data[i].id;
	fail_msg("no build of %s", commit);
	return 0;
}

/* Of every symbol: the value before is what the base says, and what is told of no symbol is as it
 * was. */
static double own_sum(struct store *s, uint32_t build)
{
	double sum = 0;
	for (const struct build *b = store_build(s, build); b; b = store_build(s, b->base)) {
		static const char sql[] = "SELECT sum(now - was) FROM changes WHERE build = $1";
		struct db_query *q = db_query(s->db, sql);
		db_put(q, b->id);
		sum += db_row(q) ? db_real(q, 0) : 0;
		db_do(q);
	}
	return sum;
}

static double true_own_sum(const struct program *p)
{
	double sum = 0;
	for (size_t i = 0; i < p->count; i++)
		sum += p->pieces[i].size + 1;
	return sum;
}

enum { BUILDS = 200 };

static void a_random_history_is_read_back_to_the_byte(void **state)
{
	(void)state;
	static struct program builds[BUILDS];
	char commits[BUILDS][16];
	const unsigned count = BUILDS;
	for (unsigned round = 1; round <= 3; round++) {
		clear();
		seed = round;
		struct store s = open_store(true);
		for (unsigned i = 0; i < count; i++) {
			/* Now and then from an older build, which then has two after it. */
			const unsigned from = i > 3 && random_below(9) == 0 ? random_below(i)
									    : i - 1;
			if (i > 0)
				builds[i] = builds[from];
			else
				builds[i] = (struct program){ .components = round == 2 };
			change(&builds[i], i == 0 ? 300 : random_below(12));
			snprintf(commits[i], sizeof commits[i], "c%u", i);
			add(&s, &builds[i], commits[i], i > 0 ? commits[from] : "");
		}
		store_close(&s);
		s = open_store(false);
		for (unsigned n = 0; n < count; n++) {
			const unsigned i = random_below(count);
			const uint32_t id = id_of(&s, commits[i]);
			assert_reads_back(&s, id, &builds[i]);
			assert_true(own_sum(&s, id) == true_own_sum(&builds[i]));
		}
		store_close(&s);
	}
}

/* ---- questions ------------------------------------------------------------------------------- */

static struct series series_of(struct store *s, const struct timeline *t, const char *what)
{
	struct series series;
	struct heft_err err;
	if (!series_make(&series, s, t, what, &err))
		fail_msg("%s: %s", what, err.text);
	return series;
}

static double true_sum(const struct program *p, unsigned name)
{
	double sum = 0;
	for (size_t i = 0; i < p->count; i++)
		sum += p->pieces[i].name == name ? p->pieces[i].size + 1 : 0;
	return sum;
}

static double true_section(const struct program *p, unsigned section)
{
	struct snapshot s;
	double sum = 0;
	make(p, &s);
	for (size_t i = 0; i < s.symbols.count; i++) {
		const struct snap_symbol *y = &s.symbols.data[i];
		if (strcmp(s.sections.data[y->section].name, sections[section]) == 0 &&
		    y->alias_place == 0)
			sum += (double)y->size + (double)y->padding;
	}
	snapshot_release(&s);
	return sum;
}

/* Of every symbol in turn, over a history with branches. */
static void blame_finds_every_step_and_no_other(void **state)
{
	(void)state;
	enum { N = 40 };
	static struct program builds[N];
	char commits[N][16], name[40];
	seed = 31;
	struct store s = open_store(true);
	for (unsigned i = 0; i < N; i++) {
		const unsigned from = i > 3 && i % 7 == 0 ? i - 3 : i - 1;
		if (i > 0)
			builds[i] = builds[from];
		change(&builds[i], i == 0 ? 150 : 6);
		snprintf(commits[i], sizeof commits[i], "c%u", i);
		add(&s, &builds[i], commits[i], i > 0 ? commits[from] : "");
	}
	struct timeline t;
	timeline_make(&t, &s, &(struct build_filter){ NULL, NULL, NULL });
	unsigned told = 0;
	for (unsigned n = 0; n < 300; n += 3) {
		bool any = false;
		for (unsigned i = 0; i < N; i++)
			any |= true_sum(&builds[i], n) > 0;
		if (!any)
			continue;
		snprintf(name, sizeof name, n % 2 ? "ns::f%u" : "symbol:ns::f%u(int)", n);
		struct series series = series_of(&s, &t, name);
		struct steps steps;
		steps_make(&steps, &series);
		size_t at = 0;
		for (unsigned i = N; i > 0; i--) {
			const double now = true_sum(&builds[i - 1], n);
			const double was = i > 1 ? true_sum(&builds[i - 2], n) : 0;
			assert_true(series.values.data[i - 1] == now);
			if (now == was)
				continue;
			assert_true(at < steps.list.count);
			assert_string_equal(steps.list.data[at].build->facts.commit,
					    commits[i - 1]);
			assert_true(steps.list.data[at].was == was &&
				    steps.list.data[at].now == now);
			at++, told++;
		}
		assert_int_equal(at, steps.list.count);
		steps_release(&steps);
		series_release(&series);
	}
	assert_true(told > 100);
	for (unsigned section = 0; section < 4; section++) {
		struct series series = series_of(&s, &t, sections[section]);
		for (unsigned i = 0; i < N; i++)
			assert_true(series.values.data[i] == true_section(&builds[i], section));
		series_release(&series);
	}
	timeline_release(&t);
	store_close(&s);
}

/* What a call says that cannot open a store. */
static const char *why_not(unsigned flags)
{
	static struct heft_err err;
	struct store s;
	assert_false(store_open(&s, path, flags, &err));
	return err.text;
}

/* ---- numbers of sources ---------------------------------------------------------------------- */

static double folder_sum(const struct program *p, int source)
{
	double sum = 0;
	for (size_t i = 0; i < p->count; i++)
		if (source < 0 || p->pieces[i].source == (unsigned)source)
			sum += p->pieces[i].size + 1;
	return sum;
}

/* Every build has the sum of its folders, those of sources or of objects. */
static void assert_folders_of(const char *kind_word, const char *top, struct store *s,
			      const struct program *builds, const unsigned *which, size_t count)
{
	struct timeline t;
	char name[40];
	timeline_make(&t, s, &(struct build_filter){ NULL, NULL, NULL });
	assert_int_equal(t.list.count, count);
	for (int source = -1; source < 12; source++) {
		if (source < 0)
			snprintf(name, sizeof name, "%s", top);
		else
			snprintf(name, sizeof name, "%s:%sd%d/", kind_word, top, source);
		struct series series = series_of(s, &t, name);
		for (size_t i = 0; i < count; i++)
			assert_true(series.values.data[i] == folder_sum(&builds[which[i]], source));
		series_release(&series);
	}
	timeline_release(&t);
}

static void assert_folders(struct store *s, const struct program *builds, const unsigned *which,
			   size_t count)
{
	assert_folders_of("source", "src/", s, builds, which, count);
	assert_folders_of("object", "obj/", s, builds, which, count);
}

static void folders_are_summed_up(void **state)
{
	(void)state;
	enum { N = 30 };
	static struct program builds[N];
	char commits[N][16];
	unsigned which[N];
	seed = 77;
	struct store s = open_store(true);
	for (unsigned i = 0; i < N; i++) {
		const unsigned from = i > 3 && i % 7 == 0 ? i - 3 : i - 1;
		if (i > 0)
			builds[i] = builds[from];
		change(&builds[i], i == 0 ? 150 : random_below(8));
		snprintf(commits[i], sizeof commits[i], "c%u", i);
		add(&s, &builds[i], commits[i], i > 0 ? commits[from] : "");
		which[i] = i;
	}
	assert_folders(&s, builds, which, N);
	store_close(&s);
}

enum { ROW_BUILDS = 40, ROW_LABELS = 6 };

/* What each build has of two sources, "a" with two kinds, one of which is not always measured. */
struct given {
	bool measured;
	double used[ROW_LABELS], limit[ROW_LABELS], other;
};

static enum store_outcome add_given(struct store *s, const struct program *p,
				    const struct build_facts *facts, const struct given *g)
{
	static const char *const labels[ROW_LABELS] = { "FLASH", "RAM", "x > y", "z", "", "a:b" };
	struct build_facts f = *facts;
	struct measured_row rows[2 * ROW_LABELS + 1];
	for (size_t i = 0; i < ROW_LABELS; i++) {
		rows[2 * i + 1] = (struct measured_row){ "a", "used", labels[i], g->used[i] };
		rows[2 * i + 2] = (struct measured_row){ "a", "limit", labels[i], g->limit[i] };
	}
	rows[0] = (struct measured_row){ "b", "live", "main", g->other };
	f.rows = rows;
	f.row_count = g->measured ? COUNT_OF(rows) : 1;
	return add_facts(s, p, &f);
}

static void assert_given(struct store *s, const struct given *given, const unsigned *which,
			 size_t count)
{
	struct timeline t;
	timeline_make(&t, s, &(struct build_filter){ NULL, NULL, NULL });
	assert_int_equal(t.list.count, count);
	struct series flash = series_of(s, &t, "FLASH"), limit = series_of(s, &t, "a.limit:x > y");
	struct series colon = series_of(s, &t, "a:a:b"), other = series_of(s, &t, "b.live:main");
	for (size_t i = 0; i < count; i++) {
		const struct given *g = &given[which[i]];
		assert_true(flash.values.data[i] == g->used[0]);
		assert_true(limit.values.data[i] == g->limit[2]);
		assert_true(colon.values.data[i] == g->used[5]);
		assert_true(other.values.data[i] == g->other);
	}
	series_release(&flash);
	series_release(&limit);
	series_release(&colon);
	series_release(&other);
	timeline_release(&t);
}

static void rows_of_sources_are_kept_whatever_is_taken_out(void **state)
{
	(void)state;
	static struct given given[ROW_BUILDS];
	static struct program p;
	char commit[16], parent[16];
	unsigned which[ROW_BUILDS], left = 0;
	struct heft_err err;
	VEC(uint32_t) gone = { 0 };
	seed = 12;
	p.count = 0;
	change(&p, 30);
	struct store s = open_store(true);
	for (unsigned i = 0; i < ROW_BUILDS; i++) {
		const unsigned from = i > 3 && i % 5 == 0 ? i - 3 : i - 1;
		struct given *g = &given[i];
		if (i > 0)
			*g = given[from];
		g->measured = i == 0 || random_below(4) > 0;
		for (size_t k = 0; k < ROW_LABELS && g->measured; k++) {
			g->used[k] = random_below(3) ? g->used[k] : random_below(4);
			g->limit[k] = random_below(3) ? g->limit[k] : 0.25 * random_below(9);
		}
		g->other = random_below(3);
		snprintf(commit, sizeof commit, "c%u", i);
		parent[0] = '\0';
		if (i > 0)
			snprintf(parent, sizeof parent, "c%u", from);
		const struct build_facts facts = facts_of(commit, parent, "main");
		change(&p, random_below(3));
		assert_int_equal(add_given(&s, &p, &facts, g), STORE_ADDED);
		assert_int_equal(add_given(&s, &p, &facts, g), STORE_SAME);
		which[i] = i;
	}
	assert_given(&s, given, which, ROW_BUILDS);
	for (unsigned i = 0; i < ROW_BUILDS; i++) {
		snprintf(commit, sizeof commit, "c%u", i);
		if (i % 3 == 1)
			which[left++] = i;
		else
			vec_push(&gone, id_of(&s, commit));
	}
	assert_true(store_remove(&s, gone.data, gone.count, &err));
	assert_given(&s, given, which, left);
	given[which[2]].used[0] = 4711;
	given[which[2]].measured = true;
	assert_int_equal(which[2], 7);
	const struct build_facts facts = facts_of("c7", "c4", "main");
	assert_int_equal(add_given(&s, &p, &facts, &given[which[2]]), STORE_REPLACED);
	struct measures m;
	assert_true(store_measures(&s, &m, "a", 0, id_of(&s, "c7"), &err));
	assert_true(measures_get(&m, STR("a"), STR("used"), STR("FLASH"))->now == 4711);
	assert_true(measures_get(&m, STR("b"), STR("live"), STR("main"))->now == 0);
	measures_release(&m);
	vec_release(&gone);
	store_close(&s);
}

/* ---- steps ----------------------------------------------------------------------------------- */

static void bisect_tells_the_largest_step_first_and_what_lies_between(void **state)
{
	(void)state;
	static struct program p;
	seed = 3;
	p.count = 0;
	struct store s = open_store(true);
	change(&p, 50);
	add(&s, &p, "c0", "");
	/* The parent of c2 was not built. */
	static const struct {
		const char *commit, *parent;
		unsigned growth;
	} made[] = {
		{ "c1", "c0", 10 }, { "c2", "x", 5000 }, { "c3", "c2", 0 }, { "c4", "c3", 700 }
	};
	for (size_t i = 0; i < COUNT_OF(made); i++) {
		p.pieces[0].size += made[i].growth;
		add(&s, &p, made[i].commit, made[i].parent);
	}
	struct timeline t;
	struct heft_err err;
	struct steps steps;
	timeline_make(&t, &s, &(struct build_filter){ NULL, NULL, NULL });
	char name[40];
	snprintf(name, sizeof name, "ns::f%u", p.pieces[0].name);
	struct series series = series_of(&s, &t, name);
	const struct build *from = timeline_find(&t, "#1", &err),
			   *to = timeline_find(&t, "latest", &err);
	assert_true(steps_between(&steps, &series, from, to, &err));
	assert_int_equal(steps.list.count, 3);
	assert_string_equal(steps.list.data[0].build->facts.commit, "c2");
	assert_true(steps.list.data[0].apart && !steps.list.data[1].apart);
	assert_string_equal(steps.list.data[1].build->facts.commit, "c4");
	assert_string_equal(steps.list.data[2].build->facts.commit, "c1");
	steps_release(&steps);
	assert_false(steps_between(&steps, &series, to, from, &err));
	assert_non_null(strstr(err.text, "is not before"));
	series_release(&series);
	assert_false(series_make(&series, &s, &t, "nothing of the kind", &err));
	assert_int_equal(err.code, HEFT_ENOTFOUND);
	timeline_release(&t);
	store_close(&s);
}

static void builds_that_are_taken_out_leave_the_others_as_they_were(void **state)
{
	(void)state;
	static struct program builds[60];
	char commits[60][16];
	seed = 9;
	struct store s = open_store(true);
	struct heft_err err;
	for (unsigned i = 0; i < 60; i++) {
		if (i > 0)
			builds[i] = builds[i - 1];
		change(&builds[i], i == 0 ? 200 : 5);
		snprintf(commits[i], sizeof commits[i], "c%u", i);
		add(&s, &builds[i], commits[i], i > 0 ? commits[i - 1] : "");
	}
	VEC(uint32_t) gone = { 0 };
	for (unsigned i = 0; i < 60; i++)
		if (i % 7 != 3)
			vec_push(&gone, id_of(&s, commits[i]));
	assert_true(store_remove(&s, gone.data, gone.count, &err));
	vec_release(&gone);
	assert_int_equal(s.builds.count, 9);
	for (unsigned i = 3; i < 60; i += 7) {
		assert_reads_back(&s, id_of(&s, commits[i]), &builds[i]);
		assert_true(own_sum(&s, id_of(&s, commits[i])) == true_own_sum(&builds[i]));
	}
	store_close(&s);
}

static void the_same_build_again_changes_nothing_and_another_one_takes_its_place(void **state)
{
	(void)state;
	static struct program p, next, other;
	seed = 4;
	struct store s = open_store(true);
	change(&p, 100);
	next = p;
	change(&next, 9);
	assert_int_equal(add(&s, &p, "one", ""), STORE_ADDED);
	assert_int_equal(add(&s, &next, "two", "one"), STORE_ADDED);
	assert_int_equal(add(&s, &p, "one", ""), STORE_SAME);
	other = p;
	change(&other, 9);
	assert_int_equal(add(&s, &other, "one", ""), STORE_REPLACED);
	assert_int_equal(s.builds.count, 2);
	assert_reads_back(&s, id_of(&s, "one"), &other);
	assert_reads_back(&s, id_of(&s, "two"), &next);
	store_close(&s);
}

static void a_file_that_is_no_store_is_told_in_a_line(void **state)
{
	(void)state;
	if (is_server())
		skip();
	assert_non_null(strstr(why_not(0), "cannot be opened"));
	FILE *f = fopen(path, "w");
	for (unsigned i = 0; i < 500; i++)
		fputs("this is a text and no database\n", f);
	fclose(f);
	assert_non_null(strstr(why_not(0), "not a file of SQLite"));
	assert_non_null(strstr(why_not(DB_WRITES), "not a file of SQLite"));
	unlink(path);
	run_sql("CREATE TABLE birds(name TEXT)");
	assert_non_null(strstr(why_not(DB_WRITES), "another database"));
}

static void what_is_no_store_is_told_in_a_line(void **state)
{
	(void)state;
	if (is_server())
		assert_non_null(strstr(why_not(0), "has no builds"));
	run_sql("CREATE TABLE builds(name TEXT)");
	assert_non_null(strstr(why_not(DB_WRITES), "another database"));
	clear();
	struct store s = open_store(true);
	store_close(&s);
	run_sql("UPDATE store SET version = 7");
	assert_non_null(strstr(why_not(0), "has schema 7, and this heft knows 1"));
	assert_non_null(strstr(why_not(DB_WRITES), "has schema 7, and this heft knows 1"));
}

static void who_shall_not_wait_for_another_writer_is_told(void **state)
{
	struct store s = open_store(true);
	(void)state;
	db_begin(s.db);
	assert_non_null(strstr(why_not(DB_WRITES | DB_NO_WAIT), "is locked by another process"));
	assert_true(db_commit(s.db));
	store_close(&s);
	/* An ended transaction, here of the one before, holds nobody up. */
	for (unsigned i = 0; i < 20; i++) {
		struct heft_err err;
		if (!store_open(&s, path, DB_WRITES | DB_NO_WAIT, &err))
			fail_msg("%s", err.text);
		db_begin(s.db);
		assert_true(db_commit(s.db));
		store_close(&s);
	}
}

static void names_of_any_bytes_are_kept(void **state)
{
	static const char *const names[] = {
		"f(char const*)",      "tab\tand\\line\n\r'; DROP TABLE builds; --", "$1 \\N \\.",
		"\xff\xfe latin \xe9", "\xee\xbc\x80 \xee\xbf\xbf \xee\xbd",         "\xed\xa0\x80",
		"\xf0\x9f\x98\x80",
	};
	static const char insert[] = "INSERT INTO paths(path) SELECT CAST($1 AS TEXT)";
	static const char count[] = "SELECT count(*) FROM paths WHERE path = $1";
	static const char all[] = "SELECT path FROM paths ORDER BY id";
	struct store s = open_store(true);
	(void)state;
	db_begin(s.db);
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		struct db_query *q = db_query(s.db, insert);
		db_put_text(q, str_of(names[i]));
		db_do(q);
	}
	assert_true(db_commit(s.db));
	store_close(&s);
	s = open_store(false);
	size_t at = 0;
	for (struct db_query *q = db_query(s.db, all); db_row(q); at++)
		assert_true(str_eq(db_text(q, 0), str_of(names[at])));
	assert_int_equal(at, COUNT_OF(names));
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		struct db_query *q = db_query(s.db, count);
		db_put_text(q, str_of(names[i]));
		assert_true(db_row(q) && db_int(q, 0) == 1);
	}
	struct heft_err err;
	if (!db_check(s.db, &err))
		fail_msg("%s", err.text);
	store_close(&s);
}

static void damaged_lists_are_told_and_nothing_is_made_of_them(void **state)
{
	(void)state;
	static const char *const damages[] = {
		"UPDATE lists SET data = substr(data, 1, 20) WHERE build = 1",
		"UPDATE lists SET data = (SELECT data FROM lists WHERE build = 1) WHERE build = 2",
		"UPDATE lists SET data = (SELECT data FROM lists WHERE build = 2) WHERE build = 1",
		"UPDATE lists SET depth = 1 WHERE build = 1",
		"UPDATE lists SET depth = 0 WHERE build = 2",
		"DELETE FROM lists WHERE build = 1",
	};
	static struct program p;
	for (size_t i = 0; i < COUNT_OF(damages); i++) {
		struct heft_err err;
		clear();
		seed = 5;
		p.count = 0;
		struct store s = open_store(true);
		change(&p, 100);
		add(&s, &p, "one", "");
		change(&p, 9);
		add(&s, &p, "two", "one");
		store_close(&s);
		run_sql(damages[i]);
		s = open_store(false);
		/* A whole list in place of a difference may be read as what it is. */
		struct heft_snapshot *snapshot = store_read(&s, 2, NULL, NULL, &err);
		if (snapshot)
			assert_int_equal(i, 1);
		else
			assert_non_null(strstr(err.text, "is damaged"));
		store_close(&s);
		heft_snapshot_free(snapshot);
	}
}

/* ---- texts that are packed ------------------------------------------------------------------- */

static void texts_are_packed_as_their_difference(void **state)
{
	(void)state;
	static struct program p;
	seed = 8;
	p.count = 0;
	change(&p, 500);
	struct text base = text_of(&p), packed = { 0 }, got = { 0 };
	for (unsigned round = 0; round < 50; round++) {
		change(&p, round);
		struct text text = text_of(&p);
		packed.len = 0;
		assert_true(text_pack(text_str(&text), text_str(&base), &packed));
		assert_true(packed.len < text.len / 4 + 64 * round + 64);
		const struct bytes b = { (const uint8_t *)packed.p, packed.len };
		assert_true(text_unpack(b, text_str(&base), &got));
		assert_true(str_eq(text_str(&got), text_str(&text)));
		if (round > 0)
			assert_false(text_unpack(b, STR("another base"), &got));
		text_release(&text);
	}
	text_release(&base);
	text_release(&packed);
	text_release(&got);
}

static void frames_of_strangers_are_refused_or_small(void **state)
{
	(void)state;
	static struct program p;
	seed = 77;
	p.count = 0;
	change(&p, 300);
	struct text base = text_of(&p), packed = { 0 }, got = { 0 };
	change(&p, 20);
	struct text text = text_of(&p);
	assert_true(text_pack(text_str(&text), text_str(&base), &packed));
	for (unsigned round = 0; round < 5000; round++) {
		const size_t at = random_below((uint32_t)packed.len);
		const size_t size = round % 2 ? packed.len : at;
		const char was = packed.p[at];
		packed.p[at] ^= (char)(1 << random_below(8));
		const struct bytes b = { (const uint8_t *)packed.p, size };
		if (text_unpack(b, text_str(&base), &got))
			assert_true(str_eq(text_str(&got), text_str(&text)));
		packed.p[at] = was;
	}
	text_release(&base);
	text_release(&text);
	text_release(&packed);
	text_release(&got);
}

static void builds_are_named_by_commit_branch_date_and_number(void **state)
{
	(void)state;
	static struct program p;
	static const struct {
		const char *commit, *branch;
		int64_t time;
	} made[] = { { "aaaa1111", "main", 86400 },
		     { "aaaa2222", "work", 2 * 86400 },
		     { "bbbb3333", "main", 3 * 86400 } };
	static const struct {
		const char *word, *commit; /* NULL: none */
	} cases[] = { { "latest", "bbbb3333" },
		      { "aaaa1", "aaaa1111" },
		      { "aaaa", NULL },
		      { "aaa", NULL },
		      { "main", "bbbb3333" },
		      { "work", "aaaa2222" },
		      { "latest~1", "aaaa1111" },
		      { "main~", "aaaa1111" },
		      { "main~2", NULL },
		      { "#2", "aaaa2222" },
		      { "1970-01-03", "aaaa2222" },
		      { "1970-01-03T00:00", "aaaa2222" },
		      { "1970-01-02", "aaaa1111" },
		      { "1970-01-01", NULL },
		      { "main~x", NULL },
		      { "", NULL } };
	struct store s = open_store(true);
	for (size_t i = 0; i < COUNT_OF(made); i++) {
		struct build_facts f = facts_of(made[i].commit, "", made[i].branch);
		change(&p, 10);
		f.time = made[i].time;
		add_facts(&s, &p, &f);
	}
	struct timeline t;
	timeline_make(&t, &s, &(struct build_filter){ NULL, NULL, NULL });
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct heft_err err;
		const struct build *b = timeline_find(&t, cases[i].word, &err);
		assert_true((b != NULL) == (cases[i].commit != NULL));
		if (b)
			assert_string_equal(b->facts.commit, cases[i].commit);
	}
	timeline_release(&t);
	store_close(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_random_history_is_read_back_to_the_byte, setup,
						teardown),
		cmocka_unit_test_setup_teardown(blame_finds_every_step_and_no_other, setup,
						teardown),
		cmocka_unit_test_setup_teardown(folders_are_summed_up, setup, teardown),
		cmocka_unit_test_setup_teardown(rows_of_sources_are_kept_whatever_is_taken_out,
						setup, teardown),
		cmocka_unit_test_setup_teardown(
			bisect_tells_the_largest_step_first_and_what_lies_between, setup, teardown),
		cmocka_unit_test_setup_teardown(
			builds_that_are_taken_out_leave_the_others_as_they_were, setup, teardown),
		cmocka_unit_test_setup_teardown(
			the_same_build_again_changes_nothing_and_another_one_takes_its_place, setup,
			teardown),
		cmocka_unit_test_setup_teardown(a_file_that_is_no_store_is_told_in_a_line, setup,
						teardown),
		cmocka_unit_test_setup_teardown(what_is_no_store_is_told_in_a_line, setup,
						teardown),
		cmocka_unit_test_setup_teardown(who_shall_not_wait_for_another_writer_is_told,
						setup, teardown),
		cmocka_unit_test_setup_teardown(names_of_any_bytes_are_kept, setup, teardown),
		cmocka_unit_test_setup_teardown(damaged_lists_are_told_and_nothing_is_made_of_them,
						setup, teardown),
		cmocka_unit_test(texts_are_packed_as_their_difference),
		cmocka_unit_test(frames_of_strangers_are_refused_or_small),
		cmocka_unit_test_setup_teardown(builds_are_named_by_commit_branch_date_and_number,
						setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
