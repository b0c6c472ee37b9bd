/* What a history costs: builds of a program with many symbols, of which each build changes some.
 *
 *     bench_history FILE.db [BUILDS [SYMBOLS [CHANGES]]]     default 10000, 50000, 200
 *
 * Makes the file, then times what people ask of it; one line of JSON for each number. */
#include "history/questions.h"
#include "history/store.h"

#include "snapshot/sizefile.h"
#include "../tests/lib/snapmaker.h"

#include <stdio.h>
#include <sys/stat.h>
#include <time.h>

static uint64_t seed = 1;

static uint32_t random_below(uint32_t n)
{
	seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)(seed >> 33) % n;
}

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void say(const char *what, double value, const char *unit)
{
	printf("{\"bench\": \"history\", \"what\": \"%s\", \"value\": %.3f, \"unit\": \"%s\"}\n",
	       what, value, unit);
	fflush(stdout);
}

static void stop(const struct heft_err *err)
{
	fprintf(stderr, "bench_history: %s\n", err->text);
	exit(2);
}

/* ---- the program ----------------------------------------------------------------------------- */

/* A symbol keeps its number for life; one of fifty changes takes a symbol out and puts a new one
 * in its place. */
struct program {
	uint32_t *numbers, *sizes;
	uint32_t count, next;
};

static void change(struct program *p)
{
	const uint32_t at = random_below(p->count);
	if (random_below(50) == 0)
		p->numbers[at] = p->next++;
	p->sizes[at] = 16 + random_below(400);
}

/* Opens the `.size` file of the program, as what was measured. */
static struct heft_snapshot *open_text(struct text *text)
{
	const struct heft_input in = {
		.size = sizeof in, .name = "made", .data = text->p, .data_size = text->len
	};
	struct heft_session *session = heft_session_new();
	struct heft_snapshot *s = heft_snapshot_new(session);
	struct heft_err err;
	if (!heft_finder_add_input(heft_session_finder(session), &in, &err))
		stop(&err);
	if (!heft_snapshot_open(s, "made", &err))
		stop(&err);
	heft_session_free(session);
	text_release(text);
	return s;
}

static struct heft_snapshot *make(const struct program *p)
{
	struct snapshot made, *s = &made;
	char name[100], source[60], object[60];
	uint64_t addr = 0x401000;
	snapmaker_init(s);
	const uint32_t section = snapshot_section(s, 0, ".text");
	for (uint32_t i = 0; i < p->count; i++) {
		const uint32_t n = p->numbers[i];
		const uint64_t padding = -addr & 15;
		snprintf(name, sizeof name,
			 "project::module%u::Class%u::function_number_%u(int, char const*)",
			 n / 1000, n / 20, n);
		snprintf(source, sizeof source, "src/module%u/class%u.cc", n / 1000, n / 20);
		snprintf(object, sizeof object, "obj/module%u/class%u.o", n / 1000, n / 20);
		addr += padding;
		vec_push(&s->symbols, (struct snap_symbol){ .addr = addr,
							    .size = p->sizes[i],
							    .padding = (int64_t)padding,
							    .full_name = snapmaker_text(s, name),
							    .source = snapmaker_text(s, source),
							    .object = snapmaker_text(s, object),
							    .section = section,
							    .alias_count = 1 });
		addr += p->sizes[i];
	}
	snapmaker_done(s);
	struct text text = sizefile_text(s);
	snapshot_release(s);
	return open_text(&text);
}

/* ---- the history ----------------------------------------------------------------------------- */

static void add(struct store *s, const struct heft_snapshot *snapshot, unsigned number)
{
	char commit[48], parent[48];
	enum store_outcome outcome;
	struct heft_err err;
	snprintf(commit, sizeof commit, "%08x%032x", number * 2654435761u, number);
	snprintf(parent, sizeof parent, "%08x%032x", (number - 1) * 2654435761u, number - 1);
	const struct build_facts facts = { .product = "app",
					   .config = "",
					   .branch = "main",
					   .commit = commit,
					   .parent = parent,
					   .machine = "bench",
					   .time = 1700000000 + (int64_t)number * 3600 };
	if (!store_add(s, snapshot, &facts, &outcome, &err))
		stop(&err);
}

static void fill(const char *path, struct program *p, unsigned builds, unsigned changes)
{
	struct store s;
	struct heft_err err;
	double in_add = 0;
	if (!store_open(&s, path, DB_WRITES, &err))
		stop(&err);
	const unsigned first = (unsigned)s.builds.count + 1;
	for (unsigned i = first; i <= builds; i++) {
		for (unsigned k = 0; k < changes && i > 1; k++)
			change(p);
		struct heft_snapshot *snapshot = make(p);
		const double start = now();
		add(&s, snapshot, i);
		in_add += now() - start;
		heft_snapshot_free(snapshot);
		if (i % 1000 == 0)
			say("add, in one process, mean so far", in_add / i * 1000, "ms");
	}
	store_close(&s);
}

/* Adds one more in a process that has read nothing yet. */
static void time_add(const char *path, struct program *p, unsigned builds, unsigned changes)
{
	struct store s;
	struct heft_err err;
	for (unsigned k = 0; k < changes; k++)
		change(p);
	struct heft_snapshot *snapshot = make(p);
	const double start = now();
	if (!store_open(&s, path, DB_WRITES, &err))
		stop(&err);
	add(&s, snapshot, builds + 1);
	say("add, in a new process", (now() - start) * 1000, "ms");
	store_close(&s);
	heft_snapshot_free(snapshot);
}

/* ---- the questions --------------------------------------------------------------------------- */

static bool ignore(void *ctx, const void *data, size_t size)
{
	(void)data;
	*(size_t *)ctx += size;
	return true;
}

static void time_read(const char *path, uint32_t build)
{
	struct store s;
	struct heft_err err;
	const double start = now();
	if (!store_open(&s, path, 0, &err))
		stop(&err);
	struct heft_snapshot *snapshot = store_read(&s, build, NULL, NULL, &err);
	if (!snapshot)
		stop(&err);
	say("a build read back, in a new process", (now() - start) * 1000, "ms");
	heft_snapshot_free(snapshot);
	store_close(&s);
}

static void time_blame(const char *path, const char *what)
{
	size_t written = 0;
	const struct heft_query_opts opts = { .size = sizeof opts, .format = HEFT_CSV };
	struct store s;
	struct heft_err err;
	struct timeline t;
	struct series series;
	struct steps steps;
	const double start = now();
	if (!store_open(&s, path, 0, &err))
		stop(&err);
	timeline_make(&t, &s, &(struct build_filter){ NULL, NULL, NULL });
	if (!series_make(&series, &s, &t, what, &err))
		stop(&err);
	steps_make(&steps, &series);
	struct heft_answer *to = heft_answer_new(&opts, &(struct heft_sink){ ignore, &written },
						 &err);
	if (!to || !steps_write(&steps, to, &err))
		stop(&err);
	heft_answer_free(to);
	say(what, (now() - start) * 1000, "ms");
	say("rows of it", (double)steps.list.count, "rows");
	steps_release(&steps);
	series_release(&series);
	timeline_release(&t);
	store_close(&s);
}

int main(int argc, char **argv)
{
	const char *path = argc > 1 ? argv[1] : "bench-history.db";
	const unsigned builds = argc > 2 ? (unsigned)atoi(argv[2]) : 10000;
	const unsigned symbols = argc > 3 ? (unsigned)atoi(argv[3]) : 50000;
	const unsigned changes = argc > 4 ? (unsigned)atoi(argv[4]) : 200;
	struct program p = { .count = symbols, .next = symbols };
	struct stat st;
	p.numbers = mem_alloc(symbols * sizeof *p.numbers);
	p.sizes = mem_alloc(symbols * sizeof *p.sizes);
	for (uint32_t i = 0; i < symbols; i++) {
		p.numbers[i] = i;
		p.sizes[i] = 16 + random_below(400);
	}
	fill(path, &p, builds, changes);
	time_add(path, &p, builds, changes);
	if (stat(path, &st) == 0)
		say("the file", (double)st.st_size / 1e6, "MB");
	time_read(path, builds / 2 + builds / 5);
	time_read(path, builds);
	time_blame(path, "symbol:project::module0::Class1::function_number_27");
	time_blame(path, "source:src/module7/class363.cc");
	time_blame(path, "section:.text");
	time_blame(path, "source:src/");
	time_blame(path, "object:obj/");
	mem_free(p.numbers);
	mem_free(p.sizes);
	return 0;
}
