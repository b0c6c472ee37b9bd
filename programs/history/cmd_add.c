/* Implements heft history add and import: stores builds of programs. */
#include "history/choose.h"
#include "history/commands.h"
#include "history/git.h"
#include "history/row_sources.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct add_job {
	struct history_run h;
	const char *components;
	const char *commit, *parent, *branch, *time, *product;
	struct build_facts build;
	unsigned flags; /* Bits of enum db_flag */
	char *sources[MEASURED_SOURCES];
	size_t source_count;
	const char *budget, *heap; /* Paths of files. NULL if not given */
	/* Output of git, and the name of this machine. */
	char hash[80], parents[200], when[40], head[200], host[100];
};

const struct opt history_add_opts[] = {
	{ 0, 0, true, "store", "STORE", "a file or postgresql://.. (default: history.db)",
	  KEEPS(struct add_job, h.settings.store) },
	{ 0, 0, true, "commit", "ID", "what was built (default: what git has checked out)",
	  KEEPS(struct add_job, commit) },
	{ 0, 0, false, "parent", "ID", "the commit before it (default: asked of git)",
	  KEEPS(struct add_job, parent) },
	{ 0, 0, true, "branch", "NAME", "its branch (default: asked of git, or of the CI)",
	  KEEPS(struct add_job, branch) },
	{ 0, 0, false, "time", "TIME", "2026-11-23T18:00 (UTC) (default: asked of git)",
	  KEEPS(struct add_job, time) },
	{ 0, 0, true, "product", "NAME", "what it is (default: name of the program)",
	  KEEPS(struct add_job, product) },
	{ 0, 0, true, "config", "NAME", "how it was built: release, arm64 ..",
	  KEEPS(struct add_job, build.config) },
	{ 0, 0, false, "machine", "NAME", "where (default: name of this one)",
	  KEEPS(struct add_job, build.machine) },
	{ 0, 0, false, "components", "FILE", "who owns which sources, as CODEOWNERS",
	  KEEPS(struct add_job, components) },
	{ O_BY, 'd', false, "by", "A,B,..", "rows of data sources too: regions, libraries .." },
	{ 0, 0, false, "budget", "FILE", "what limits allow and find too",
	  KEEPS(struct add_job, budget) },
	{ 0, 0, false, "heap", "DUMP", "what a core or recording of it holds too",
	  KEEPS(struct add_job, heap) },
	{ 0, 0, false, "no-wait", NULL, NO_WAIT_HELP, ADDS(struct add_job, flags, DB_NO_WAIT) },
#include "cli/find_opts.inc"
#include "cli/region_opts.inc"
#include "cli/notes_opts.inc"
};

const struct opt history_import_opts[] = {
	{ 0, 0, true, "store", "STORE", "a file or postgresql://.. (default: history.db)",
	  KEEPS(struct add_job, h.settings.store) },
	{ 0, 0, true, "product", "NAME", "what they are", KEEPS(struct add_job, product) },
	{ 0, 0, true, "config", "NAME", "how they were built: release, arm64 ..",
	  KEEPS(struct add_job, build.config) },
	{ 0, 0, true, "branch", "NAME", "their branch", KEEPS(struct add_job, branch) },
	{ 0, 0, false, "machine", "NAME", "where (default: name of this one)",
	  KEEPS(struct add_job, build.machine) },
	{ 0, 0, false, "no-wait", NULL, NO_WAIT_HELP, ADDS(struct add_job, flags, DB_NO_WAIT) },
#include "cli/notes_opts.inc"
};

const char history_add_manual[] =
	"Keeps a build of each PROGRAM in a history, a file of SQLite or a database of\n"
	"PostgreSQL: all symbols with their sizes, at the cost of what changed.  PROGRAM\n"
	"is what 'heft snapshot' takes, .size files too.  With --product, several are one\n"
	"build.  A build that is there already is replaced if it differs.\n";

static bool cmd_add_source(void *ctx, const char *name)
{
	struct add_job *job = ctx;
	if (job->source_count == MEASURED_SOURCES)
		return cli_error(job->h.run.cli, "more than %d data sources", MEASURED_SOURCES),
		       false;
	char *copy = strdup(name);
	if (!copy)
		return cli_error(job->h.run.cli, "out of memory"), false;
	job->sources[job->source_count++] = copy;
	return true;
}

static bool apply_add(void *ctx, const struct opt *o, const char *value)
{
	struct add_job *job = ctx;
	return o->id == O_BY ? cli_each_name(job->h.run.cli, value, cmd_add_source, job)
			     : run_apply(job, o, value);
}

/* Reads a field of the commit from git. "" if git does not know the commit. */
static void ask_commit(const struct add_job *job, const char *format, char *ret, size_t size)
{
	const char *const words[] = {
		"git", "log", "-1", format, "--end-of-options", job->commit ? job->commit : "HEAD",
		NULL
	};
	if (!git_line(words, ret, size))
		*ret = '\0';
}

/* Returns the branch that git has checked out, or the branch that the CI states. "" if unknown, or
 * if the user gave the commit. */
static const char *find_branch(struct add_job *job)
{
	static const char *const words[] = { "git", "symbolic-ref", "--short", "-q", "HEAD", NULL };
	static const char *const names[] = { "GITHUB_HEAD_REF", "GITHUB_REF_NAME",
					     "CI_COMMIT_REF_NAME" };
	if (job->commit)
		return "";
	if (git_line(words, job->head, sizeof job->head))
		return job->head;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *value = getenv(names[i]);
		if (value && *value)
			return value;
	}
	return "";
}

/* Fills in facts that the user did not give. False, after a message, if the commit is unknown. */
static bool find_facts(struct add_job *job)
{
	ask_commit(job, "--format=%H", job->hash, sizeof job->hash);
	ask_commit(job, "--format=%P", job->parents, sizeof job->parents);
	ask_commit(job, "--format=%ct", job->when, sizeof job->when);
	job->parents[strcspn(job->parents, " ")] = '\0';
	if (!*job->hash && !job->commit) {
		cli_error(job->h.run.cli, "git knows no commit here: say --commit ID");
		return false;
	}
	job->build.commit = *job->hash ? job->hash : job->commit;
	job->build.parent = job->parent ? job->parent : job->parents;
	job->build.branch = job->branch ? job->branch : find_branch(job);
	if (!*job->build.machine && gethostname(job->host, sizeof job->host - 1) == 0)
		job->build.machine = job->host;
	char at[50];
	snprintf(at, sizeof at, "@%s", job->when);
	const char *text = job->time ? job->time : *job->when ? at : NULL;
	job->build.time = (int64_t)time(NULL);
	if (!text || time_parse(text, false, &job->build.time))
		return true;
	cli_error(job->h.run.cli,
		  "'%s' is no time: write 2026-11-23, 2026-11-23T18:00 (UTC) or @SECONDS", text);
	return false;
}

static bool cmd_add_snapshot(struct add_job *job, const struct heft_snapshot *s)
{
	static const char *const said[] = { "added", "there already", "replaced" };
	enum store_outcome outcome = STORE_ADDED;
	struct heft_err err;
	if (*job->build.commit == '\0' || *job->build.product == '\0')
		return cli_error(job->h.run.cli, "a build needs a product and a commit"), false;
	if (!store_add(&job->h.history.store, s, &job->build, &outcome, &err)) {
		cli_failed(job->h.run.cli, &err);
		return false;
	}
	progress_end(job->h.run.cli->progress);
	const struct build *b = store_build_of(&job->h.history.store, &job->build);
	ASSERT(b != NULL);
	printf("#%" PRIu32 " %s %.12s: %s, %" PRIu64 " bytes, %" PRIu64 " symbols\n", b->id,
	       b->facts.product, b->facts.commit, said[outcome], b->file, b->symbols);
	return true;
}

/* Reads the parent of the build, for limits of growth. NULL if the history does not have it. */
static struct heft_snapshot *read_parent(struct add_job *job)
{
	struct history *h = &job->h.history;
	struct heft_err err;
	if (!*job->build.parent)
		return NULL;
	history_select(h, &(struct build_filter){ job->build.product, job->build.config, NULL });
	const struct build *b = timeline_find(&h->timeline, job->build.parent, &err);
	return b ? store_read(&h->store, b->id, NULL, NULL, &err) : NULL;
}

/* Measures the sources, budgets and heaps that the user requested in addition to symbols. */
static bool add_measure(struct add_job *job, struct measured *m, const char *const *files,
			size_t count, const struct heft_snapshot *now)
{
	if (job->source_count > 0 &&
	    !measure_sources(m, (const char *const *)job->sources, job->source_count, files, count))
		return false;
	if (job->heap && !measure_heap(m, job->heap))
		return false;
	if (!job->budget)
		return true;
	struct heft_snapshot *base = read_parent(job);
	const bool ok = measure_budget(m, job->budget, now, base);
	heft_snapshot_free(base);
	return ok;
}

/* True, after a message, if one of the files is a .sizediff file. */
static bool has_difference(const struct add_job *job, const char *const *files, size_t count)
{
	enum heft_input_kind kind;
	struct heft_err err;
	for (size_t i = 0; i < count; i++)
		if (heft_input_look(job->h.run.session, files[i], &kind, &err) &&
		    kind == HEFT_INPUT_LISTS)
			return cli_error(job->h.run.cli,
					 "%s: a history takes snapshots that are whole, and no "
					 ".sizediff file",
					 files[i]) == EXIT_TROUBLE;
	return false;
}

static bool cmd_add_files(struct add_job *job, const char *const *files, size_t count,
			  const char *product)
{
	struct measured m = { .cli = job->h.run.cli,
			      .session = job->h.run.session,
			      .verbose = job->h.run.verbose };
	struct heft_session *session = cli_made(job->h.run.cli,
						heft_session_copy(job->h.run.session));
	struct heft_snapshot *s = cli_made(job->h.run.cli, heft_snapshot_new(session));
	struct heft_err err;
	job->build.product = product;
	if (job->components)
		heft_snapshot_set_components(s, job->components);
	bool ok = !has_difference(job, files, count);
	if (ok && !heft_snapshot_open_all(s, files, count, &err))
		ok = cli_failed(job->h.run.cli, &err) == EXIT_FINE;
	notes_print(job->h.run.cli, session, job->h.run.verbose);
	heft_session_free(session);
	ok = ok && add_measure(job, &m, files, count, s);
	if (ok)
		measure_regions(&m, s);
	job->build.rows = m.rows.data;
	job->build.row_count = m.rows.count;
	ok = ok && cmd_add_snapshot(job, s);
	measured_release(&m);
	heft_snapshot_free(s);
	return ok;
}

static int run_add(struct add_job *job)
{
	bool ok = true;
	const char **files = job->h.run.words;
	const size_t count = job->h.run.word_count;
	if (!run_has_words(&job->h.run, 1, SIZE_MAX, "a program") || !find_facts(job) ||
	    !history_run_open(&job->h, job->flags))
		return EXIT_TROUBLE;
	if (job->product)
		ok = cmd_add_files(job, files, count, job->product);
	for (size_t i = 0; i < count && !job->product && ok; i++)
		ok = cmd_add_files(job, &files[i], 1, cli_file_name(files[i]));
	return ok ? EXIT_FINE : EXIT_TROUBLE;
}

const char history_import_manual[] =
	"Keeps the .size files of each folder DIR in a history, in the order of their\n"
	"names: COMMIT.size, as 'heft snapshot' wrote them in builds of old.  What git\n"
	"does not know of a commit is not filled in; its time is that of the file then.\n";

static int compare_names(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_size_file(const struct dirent *d)
{
	const size_t len = strlen(d->d_name);
	return len > 5 && strcmp(d->d_name + len - 5, ".size") == 0;
}

static bool import_file(struct add_job *job, const char *folder, const char *name)
{
	const size_t len = strlen(folder) + strlen(name) + 2;
	char *path = malloc(len), *commit = strndup(name, strlen(name) - 5);
	struct stat st;
	if (commit == NULL || path == NULL) {
		free(commit);
		free(path);
		return cli_error(job->h.run.cli, "out of memory") == EXIT_FINE;
	}
	snprintf(path, len, "%s/%s", folder, name);
	job->commit = commit;
	bool ok = find_facts(job);
	if (ok && !*job->when && stat(path, &st) == 0)
		job->build.time = (int64_t)st.st_mtime;
	ok = ok && cmd_add_files(job, (const char *const[]){ path }, 1, job->product);
	free(commit);
	free(path);
	return ok;
}

static bool import_folder(struct add_job *job, const char *folder)
{
	struct dirent **names;
	bool ok = true;
	const int count = scandir(folder, &names, is_size_file, compare_names);
	if (count < 0) {
		cli_error(job->h.run.cli, "%s: %s", folder, strerror(errno));
		return false;
	}
	if (count == 0)
		cli_error(job->h.run.cli, "%s: no file here ends in .size", folder);
	for (int i = 0; i < count; i++) {
		ok = ok && import_file(job, folder, names[i]->d_name);
		free(names[i]);
	}
	free(names);
	return ok && count > 0;
}

static int run_import(struct add_job *job)
{
	bool ok = true;
	const size_t least = job->product ? 1 : SIZE_MAX;
	if (!run_has_words(&job->h.run, least, SIZE_MAX, "a folder and --product") ||
	    !history_run_open(&job->h, job->flags))
		return EXIT_TROUBLE;
	for (size_t i = 0; i < job->h.run.word_count && ok; i++)
		ok = import_folder(job, job->h.run.words[i]);
	return ok ? EXIT_FINE : EXIT_TROUBLE;
}

static int run_words(const struct cli *cli, int argc, char **argv, int (*run)(struct add_job *))
{
	static const struct cli_words words = { .option = apply_add };
	struct add_job job = { .h.run = run_new(cli, NULL),
			       .flags = DB_WRITES,
			       .build = { .config = "", .machine = "" } };
	int status = cli_parse(&job, argc, argv, &words);
	if (status == CLI_GO_ON)
		status = run(&job);
	for (size_t i = 0; i < job.source_count; i++)
		free(job.sources[i]);
	history_run_release(&job.h);
	return status;
}

int cmd_history_add(const struct cli *cli, int argc, char **argv)
{
	return run_words(cli, argc, argv, run_add);
}

int cmd_history_import(const struct cli *cli, int argc, char **argv)
{
	return run_words(cli, argc, argv, run_import);
}
