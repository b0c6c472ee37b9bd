/* Histories: what is added is read back, whatever else is in the store.  HEFT_STORE is the address
 * of a database that may be emptied; without it the store is a file. */
#include "store/store.h"

#include "store/engine.h"
#include "store/series.h"
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

static enum db_kind kind(void)
{
	return strncmp(path, "postgresql:", 11) == 0   ? DB_POSTGRES
	       : strncmp(path, "clickhouse:", 11) == 0 ? DB_CLICKHOUSE
						       : DB_SQLITE;
}

/* Runs statements of the engine's own. */
static void run_sql(const char *sql)
{
	struct heft_err err;
	struct db *db = db_open(path, DB_WRITES, &err);
	if (!db)
		fail_msg("%s", err.text);
	db->engine->run(db, sql);
	if (!db_check(db, &err))
		fail_msg("%s: %s", sql, err.text);
	db_close(db);
}

/* Takes the store away. */
static void clear(void)
{
	static const char *const tables[] = { "store",    "paths",   "symbols", "lists",
					      "sections", "changes", "builds",  "gone",
					      "measures", "sizes" };
	char sql[100];
	if (kind() == DB_SQLITE) {
		unlink(path);
		return;
	}
	const char *what = kind() == DB_POSTGRES ? "VIEW" : "TABLE";
	for (size_t i = 0; i < 2; i++) {
		snprintf(sql, sizeof sql, "DROP %s IF EXISTS %s", what, i ? "measured" : "steps");
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
	if (kind() == DB_SQLITE)
		s.db->engine->run(s.db, "PRAGMA synchronous = OFF");
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

static enum store_outcome add(struct store *s, const struct program *p, const char *commit,
			      const char *parent)
{
	const struct build_facts facts = facts_of(commit, parent, "main");
	struct snapshot snapshot;
	enum store_outcome outcome = STORE_SAME;
	struct heft_err err;
	make(p, &snapshot);
	if (!store_add(s, &snapshot, &facts, &outcome, &err))
		fail_msg("%s", err.text);
	snapshot_release(&snapshot);
	return outcome;
}

static void assert_reads_back(struct store *s, uint32_t build, const struct program *p)
{
	struct snapshot wanted, got;
	struct text text = { 0 };
	struct heft_err err;
	bool own;
	if (!store_read(s, build, &text, &own, &err))
		fail_msg("build %u: %s", build, err.text);
	if (!sizefile_read(&got, "build", (struct bytes){ (uint8_t *)text.p, text.len }, NULL,
			   &err))
		fail_msg("build %u: %s", build, err.text);
	make(p, &wanted);
	struct sizefile_out a = bytes_of(&wanted), b = bytes_of(&got);
	assert_int_equal(a.bytes.count, b.bytes.count);
	assert_memory_equal(a.bytes.data, b.bytes.data, a.bytes.count);
	vec_release(&a.bytes);
	vec_release(&b.bytes);
	snapshot_release(&wanted);
	snapshot_release(&got);
	text_release(&text);
}

static uint32_t id_of(const struct store *s, const char *commit)
{
	for (size_t i = 0; i < s->builds.count; i++)
		if (!s->builds.data[i].hidden &&
		    strcmp(s->builds.data[i].facts.commit, commit) == 0)
			return s->builds.data[i].id;
	fail_msg("no build of %s", commit);
	return 0;
}

static size_t shown(const struct store *s)
{
	size_t count = 0;
	for (size_t i = 0; i < s->builds.count; i++)
		count += !s->builds.data[i].hidden;
	return count;
}

/* Of every symbol: the value before is what the base says, and what is told of no symbol is as it
 * was. */
static double own_sum(struct store *s, uint32_t build)
{
	double sum = 0;
	for (const struct build *b = store_build(s, build); b; b = store_build(s, b->base)) {
		static const struct sql sql = SQL_ALL(
			"SELECT sum(own - was) FROM changes WHERE build = $1");
		struct db_query *q = db_query(s->db, &sql);
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
	/* A server that knows no transactions takes half a second for each. */
	const bool slow = kind() == DB_CLICKHOUSE;
	const unsigned count = slow ? 30 : BUILDS;
	for (unsigned round = 1; round <= (slow ? 1 : 3); round++) {
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

/* What version 3 added is taken away; with `half` some of it is left, as by a job that was killed
 * where there are no transactions. */
static void back_to_version_2(bool half)
{
#define OBJECTS "(SELECT id FROM measures WHERE source = 'object')"
	static const char *const steps[] = { ("DELETE FROM sizes WHERE measure IN " OBJECTS),
					     "DELETE FROM measures WHERE source = 'object'",
					     "UPDATE store SET version = 2" };
	static const char *const clickhouse[] = {
		"CREATE TABLE other AS sizes",
		("INSERT INTO other SELECT * FROM sizes WHERE measure NOT IN " OBJECTS),
		("INSERT INTO other SELECT * FROM sizes WHERE build % 2 = 0 AND measure "
		 "IN " OBJECTS),
		"DROP TABLE sizes",
		"RENAME TABLE other TO sizes",
		"CREATE TABLE other AS measures",
		"INSERT INTO other SELECT * FROM measures WHERE source != 'object'",
		"INSERT INTO other SELECT * FROM measures WHERE source = 'object'",
		"DROP TABLE measures",
		"RENAME TABLE other TO measures",
		"CREATE TABLE other AS store",
		"INSERT INTO other SELECT toInt64(2), max(edition) + 1 FROM store",
		"DROP TABLE store",
		"RENAME TABLE other TO store",
	};
	for (size_t i = 0; i < COUNT_OF(steps) && kind() != DB_CLICKHOUSE; i++)
		run_sql(steps[i]);
	for (size_t i = 0; i < COUNT_OF(clickhouse) && kind() == DB_CLICKHOUSE; i++)
		if (half || (i != 2 && i != 7))
			run_sql(clickhouse[i]);
}

static void assert_upgraded(const struct program *builds, const unsigned *which, size_t count)
{
	static const struct sql twice = SQL_ALL("SELECT count(*) FROM (SELECT measure, build FROM "
						"sizes GROUP BY measure, build HAVING count(*) > 1)"
						" x");
	static const struct sql rows = SQL_ALL("SELECT count(*) FROM sizes");
	struct store s = open_store(false);
	const int64_t before = db_ask(s.db, &rows);
	assert_int_equal(s.version, 2);
	assert_folders(&s, builds, which, count);
	store_close(&s);
	s = open_store(true);
	assert_int_equal(s.version, 3);
	assert_folders(&s, builds, which, count);
	store_close(&s);
	s = open_store(false);
	assert_int_equal(s.version, 3);
	assert_true(db_ask(s.db, &rows) > before);
	assert_int_equal(db_ask(s.db, &twice), 0);
	store_close(&s);
}

static void back_to_version_1(void)
{
	static const char *const steps[] = { "DROP VIEW measured", "DROP TABLE sizes",
					     "DROP TABLE measures",
					     "UPDATE store SET version = 1" };
	for (size_t i = 0; i < COUNT_OF(steps); i++)
		run_sql(steps[i]);
}

static void folders_are_summed_up_and_in_stores_of_earlier_versions_as_well(void **state)
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
	for (int half = 0; half < 2; half++) {
		back_to_version_2(half);
		assert_upgraded(builds, which, N);
	}
	if (kind() == DB_CLICKHOUSE)
		return;
	back_to_version_1();
	assert_non_null(strstr(why_not(0), "has schema 1, of an older heft"));
	s = open_store(true);
	assert_folders(&s, builds, which, N);
	store_close(&s);
	assert_true(store_open(&s, path, 0, NULL));
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
	struct heft_history_row rows[2 * ROW_LABELS + 1];
	enum store_outcome outcome;
	struct snapshot snapshot;
	struct heft_err err;
	for (size_t i = 0; i < ROW_LABELS; i++) {
		rows[2 * i + 1] = (struct heft_history_row){ "a", "used", labels[i], g->used[i] };
		rows[2 * i + 2] = (struct heft_history_row){ "a", "limit", labels[i], g->limit[i] };
	}
	rows[0] = (struct heft_history_row){ "b", "live", "main", g->other };
	f.rows = rows;
	f.row_count = g->measured ? COUNT_OF(rows) : 1;
	make(p, &snapshot);
	if (!store_add(s, &snapshot, &f, &outcome, &err))
		fail_msg("%s", err.text);
	snapshot_release(&snapshot);
	return outcome;
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
	assert_int_equal(shown(&s), 9);
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
	assert_int_equal(shown(&s), 2);
	assert_reads_back(&s, id_of(&s, "one"), &other);
	assert_reads_back(&s, id_of(&s, "two"), &next);
	store_close(&s);
}

static void a_file_that_is_no_store_is_told_in_a_line(void **state)
{
	(void)state;
	if (kind() != DB_SQLITE)
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
	static const char *const versions[DB_KINDS] = {
		"UPDATE store SET version = 7", "UPDATE store SET version = 7",
		"INSERT INTO store(version, edition) VALUES (7, 0)"
	};
	static const char *const tables[DB_KINDS] = {
		"CREATE TABLE builds(name TEXT)", "CREATE TABLE builds(name TEXT)",
		"CREATE TABLE builds(name String) ENGINE = Log"
	};
	(void)state;
	if (kind() != DB_SQLITE)
		assert_non_null(strstr(why_not(0), "has no builds"));
	run_sql(tables[kind()]);
	assert_non_null(strstr(why_not(DB_WRITES),
			       kind() == DB_CLICKHOUSE ? "fails: " : "another database"));
	clear();
	struct store s = open_store(true);
	store_close(&s);
	run_sql(versions[kind()]);
	assert_non_null(strstr(why_not(0), "has schema 7, and this heft knows 3"));
	assert_non_null(strstr(why_not(DB_WRITES), "has schema 7, and this heft knows 3"));
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
	struct store s = open_store(true);
	(void)state;
	db_begin(s.db);
	uint32_t ids[COUNT_OF(names)];
	for (size_t i = 0; i < COUNT_OF(names); i++)
		ids[i] = catalog_path(&s.catalog, str_of(names[i]));
	assert_true(db_commit(s.db));
	store_close(&s);
	s = open_store(false);
	for (size_t i = 0; i < COUNT_OF(names); i++)
		assert_int_equal(catalog_path(&s.catalog, str_of(names[i])), ids[i]);
	struct heft_err err;
	if (!db_check(s.db, &err))
		fail_msg("%s", err.text);
	store_close(&s);
}

static void damaged_lists_are_told_and_nothing_is_made_of_them(void **state)
{
	(void)state;
	static const char *const damages[][DB_KINDS] = {
		{ "UPDATE lists SET data = substr(data, 1, 20) WHERE build = 1",
		  "UPDATE lists SET data = substr(data, 1, 20) WHERE build = 1", NULL },
		{ "UPDATE lists SET data = x'00' WHERE build = 2",
		  "UPDATE lists SET data = '\\x00' WHERE build = 2", NULL },
		{ "UPDATE lists SET depth = 1 WHERE build = 1",
		  "UPDATE lists SET depth = 1 WHERE build = 1", NULL },
		{ "DELETE FROM lists WHERE build = 1", "DELETE FROM lists WHERE build = 1", NULL },
		{ "DELETE FROM symbols WHERE id = 5", "DELETE FROM symbols WHERE id = 5", NULL },
		{ "DELETE FROM paths WHERE id = 2", "DELETE FROM paths WHERE id = 2", NULL },
	};
	static struct program p;
	for (size_t i = 0; i < COUNT_OF(damages); i++) {
		struct text text = { 0 };
		struct heft_err err;
		bool own;
		clear();
		if (!damages[i][kind()])
			continue;
		seed = 5;
		p.count = 0;
		struct store s = open_store(true);
		change(&p, 100);
		add(&s, &p, "one", "");
		change(&p, 9);
		add(&s, &p, "two", "one");
		store_close(&s);
		run_sql(damages[i][kind()]);
		s = open_store(false);
		assert_false(store_read(&s, 2, &text, &own, &err));
		assert_non_null(strstr(err.text, "is damaged"));
		store_close(&s);
		text_release(&text);
	}
}

static void steps_of_strangers_are_refused_or_small(void **state)
{
	(void)state;
	struct entries old = { { 0 } };
	seed = 77;
	for (unsigned round = 0; round < 20000; round++) {
		uint8_t steps[40];
		const size_t size = random_below(sizeof steps);
		/* Half of the rounds are told from no other list. */
		for (uint32_t i = 0; i < 50 && round == 10000; i++)
			vec_push(&old.list, (struct entry){ .symbol = i + 1, .size = i });
		for (size_t i = 0; i < size; i++)
			steps[i] = (uint8_t)random_below(i < 2 && round < 10000 ? 4 : 256);
		struct entries now = { { 0 } };
		if (list_decode(&now, &old, (struct bytes){ steps, size }))
			assert_true(now.list.count <= old.list.count + size);
		vec_release(&now.list);
	}
	vec_release(&old.list);
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
		struct snapshot snapshot;
		enum store_outcome outcome;
		change(&p, 10);
		make(&p, &snapshot);
		f.time = made[i].time;
		assert_true(store_add(&s, &snapshot, &f, &outcome, NULL));
		snapshot_release(&snapshot);
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
		cmocka_unit_test_setup_teardown(
			folders_are_summed_up_and_in_stores_of_earlier_versions_as_well, setup,
			teardown),
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
		cmocka_unit_test_setup_teardown(steps_of_strangers_are_refused_or_small, setup,
						teardown),
		cmocka_unit_test_setup_teardown(builds_are_named_by_commit_branch_date_and_number,
						setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
