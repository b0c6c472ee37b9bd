/* Implements heft history add and import: stores builds of programs. */
#include "history/choose.h"
#include "history/commands.h"
#include "history/git.h"
#include "history/row_sources.h"

#include "cli/notes.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
	O_COMMIT = O_OWN,
	O_PARENT,
	O_TIME,
	O_MACHINE,
	O_COMPONENTS,
	O_NO_WAIT,
	O_BUDGET_ROWS,
	O_HEAP,
};

const struct opt history_add_opts[] = {
	{ O_STORE, 0, true, "store", "STORE", "a file or postgresql://.. (default: history.db)" },
	{ O_COMMIT, 0, true, "commit", "ID", "what was built (default: what git has checked out)" },
	{ O_PARENT, 0, false, "parent", "ID", "the commit before it (default: asked of git)" },
	{ O_BRANCH, 0, true, "branch", "NAME", "its branch (default: asked of git, or of the CI)" },
	{ O_TIME, 0, false, "time", "TIME", "2026-11-23T18:00 (UTC) (default: asked of git)" },
	{ O_PRODUCT, 0, true, "product", "NAME", "what it is (default: name of the program)" },
	{ O_CONFIG_OF, 0, true, "config", "NAME", "how it was built: release, arm64 .." },
	{ O_MACHINE, 0, false, "machine", "NAME", "where (default: name of this one)" },
	{ O_COMPONENTS, 0, false, "components", "FILE", "who owns which sources, as CODEOWNERS" },
	{ O_BY, 'd', false, "by", "A,B,..", "rows of data sources too: regions, libraries .." },
	{ O_BUDGET_ROWS, 0, false, "budget", "FILE", "what limits allow and find too" },
	{ O_HEAP, 0, false, "heap", "DUMP", "what a core or recording of it holds too" },
	{ O_NO_WAIT, 0, false, "no-wait", NULL, NO_WAIT_HELP },
#include "cli/find_opts.inc"
#include "cli/region_opts.inc"
	{ O_VERBOSE, 'v', false, NULL, NULL, "notes with offsets" },
#include "cli/last_opts.inc"
	{ 0 },
};

const struct opt history_import_opts[] = {
	{ O_STORE, 0, true, "store", "STORE", "a file or postgresql://.. (default: history.db)" },
	{ O_PRODUCT, 0, true, "product", "NAME", "what they are" },
	{ O_CONFIG_OF, 0, true, "config", "NAME", "how they were built: release, arm64 .." },
	{ O_BRANCH, 0, true, "branch", "NAME", "their branch" },
	{ O_MACHINE, 0, false, "machine", "NAME", "where (default: name of this one)" },
	{ O_NO_WAIT, 0, false, "no-wait", NULL, NO_WAIT_HELP },
	{ O_VERBOSE, 'v', false, NULL, NULL, "notes with offsets" },
#include "cli/last_opts.inc"
	{ 0 },
};

const char history_add_manual[] =
	"Keeps a build of each PROGRAM in a history, a file of SQLite or a database of\n"
	"PostgreSQL: all symbols with their sizes, at the cost of what changed.  PROGRAM\n"
	"is what 'heft snapshot' takes, .size files too.  With --product, several are one\n"
	"build.  A build that is there already is replaced if it differs.\n";

struct add_job {
	const struct cli *cli;
	struct heft_session *session;
	struct history history;
	struct history_settings settings;
	const char *components;
	const char *commit, *parent, *branch, *time, *product;
	struct build_facts build;
	const char **files; /* Paths of the files. Has room for as many paths as there are
			     * arguments */
	size_t file_count;
	unsigned flags; /* Bits of enum db_flag */
	bool verbose;
	char *sources[MEASURED_SOURCES];
	size_t source_count;
	const char *budget, *heap; /* NULL if not given */
	/* Output of git. */
	char hash[80], parents[200], when[40], head[200], host[100];
};

static bool cmd_add_source(void *ctx, const char *name)
{
	struct add_job *job = ctx;
	if (job->source_count == MEASURED_SOURCES)
		return cli_error(job->cli, "more than %d data sources", MEASURED_SOURCES), false;
	char *copy = strdup(name);
	if (!copy)
		return cli_error(job->cli, "out of memory"), false;
	job->sources[job->source_count++] = copy;
	return true;
}

static bool apply_add(void *ctx, const struct opt *o, const char *value)
{
	struct add_job *job = ctx;
	switch (o->id) {
	case O_STORE: job->settings.store = value; break;
	case O_COMMIT: job->commit = value; break;
	case O_PARENT: job->parent = value; break;
	case O_BRANCH: job->branch = value; break;
	case O_TIME: job->time = value; break;
	case O_PRODUCT: job->product = value; break;
	case O_CONFIG_OF: job->build.config = value; break;
	case O_MACHINE: job->build.machine = value; break;
	case O_COMPONENTS: job->components = value; break;
	case O_BY: return cli_each_name(job->cli, value, cmd_add_source, job);
	case O_BUDGET_ROWS: job->budget = value; break;
	case O_HEAP: job->heap = value; break;
	case O_NO_WAIT: job->flags |= DB_NO_WAIT; break;
	case O_VERBOSE: job->verbose = true; break;
	default: return cli_find(job->cli, job->session, o, value);
	}
	return true;
}

static bool cmd_add_operand(void *ctx, const char *word)
{
	struct add_job *job = ctx;
	job->files[job->file_count++] = word;
	return true;
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

/* Finds the branch that is checked out, or the branch of a checked out commit (in CI). */
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

static bool find_time(struct add_job *job)
{
	char at[50];
	snprintf(at, sizeof at, "@%s", job->when);
	const char *text = job->time ? job->time : *job->when ? at : NULL;
	job->build.time = (int64_t)time(NULL);
	if (!text || time_parse(text, false, &job->build.time))
		return true;
	cli_error(job->cli, "'%s' is no time: write 2026-11-23, 2026-11-23T18:00 (UTC) or @SECONDS",
		  text);
	return false;
}

/* Fills in the facts that the user did not give. */
static bool find_facts(struct add_job *job)
{
	ask_commit(job, "--format=%H", job->hash, sizeof job->hash);
	ask_commit(job, "--format=%P", job->parents, sizeof job->parents);
	ask_commit(job, "--format=%ct", job->when, sizeof job->when);
	job->parents[strcspn(job->parents, " ")] = '\0';
	if (!*job->hash && !job->commit) {
		cli_error(job->cli, "git knows no commit here: say --commit ID");
		return false;
	}
	job->build.commit = *job->hash ? job->hash : job->commit;
	job->build.parent = job->parent ? job->parent : job->parents;
	job->build.branch = job->branch ? job->branch : find_branch(job);
	if (!*job->build.machine && gethostname(job->host, sizeof job->host - 1) == 0)
		job->build.machine = job->host;
	return find_time(job);
}

static const char *last_component(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash && slash[1] ? slash + 1 : path;
}

/* Returns the build with these facts. NULL if the history does not have it. */
static const struct build *build_of(const struct add_job *job)
{
	const struct store *s = &job->history.store;
	for (size_t i = s->builds.count; i > 0; i--) {
		const struct build_facts *f = &s->builds.data[i - 1].facts;
		if (strcmp(f->commit, job->build.commit) == 0 &&
		    strcmp(f->product, job->build.product) == 0 &&
		    strcmp(f->config, job->build.config) == 0)
			return &s->builds.data[i - 1];
	}
	return NULL;
}

static bool cmd_add_snapshot(struct add_job *job, const struct heft_snapshot *s)
{
	static const char *const said[] = { "added", "there already", "replaced" };
	enum store_outcome outcome = STORE_ADDED;
	struct heft_err err;
	if (*job->build.commit == '\0' || *job->build.product == '\0')
		return cli_error(job->cli, "a build needs a product and a commit"), false;
	if (!store_add(&job->history.store, s, &job->build, &outcome, &err)) {
		cli_failed(job->cli, &err);
		return false;
	}
	progress_end(job->cli->progress);
	const struct build *b = build_of(job);
	ASSERT(b != NULL);
	printf("#%" PRIu32 " %s %.12s: %s, %" PRIu64 " bytes, %" PRIu64 " symbols\n", b->id,
	       b->facts.product, b->facts.commit, said[outcome], b->file, b->symbols);
	return true;
}

/* Reads the parent of the build, for limits of growth. NULL if the history does not have it. */
static struct heft_snapshot *read_parent(struct add_job *job)
{
	struct history *h = &job->history;
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
		if (heft_input_look(job->session, files[i], &kind, &err) &&
		    kind == HEFT_INPUT_LISTS)
			return cli_error(job->cli,
					 "%s: a history takes snapshots that are whole, and no "
					 ".sizediff file",
					 files[i]) == EXIT_TROUBLE;
	return false;
}

static bool cmd_add_files(struct add_job *job, const char *const *files, size_t count,
			  const char *product)
{
	struct measured m = { .cli = job->cli, .session = job->session, .verbose = job->verbose };
	struct heft_session *session = cli_made(job->cli, heft_session_copy(job->session));
	struct heft_snapshot *s = cli_made(job->cli, heft_snapshot_new(session));
	struct heft_err err;
	job->build.product = product;
	if (job->components)
		heft_snapshot_set_components(s, job->components);
	bool ok = !has_difference(job, files, count);
	if (ok && !heft_snapshot_open_all(s, files, count, &err))
		ok = cli_failed(job->cli, &err) == EXIT_FINE;
	notes_print(job->cli, session, job->verbose);
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
	if (job->file_count == 0)
		return cli_error(job->cli, "must specify a program; try '%s --help'",
				 job->cli->usage);
	if (!find_facts(job))
		return EXIT_TROUBLE;
	if (!history_open(job->cli, &job->settings, job->flags, &job->history))
		return EXIT_TROUBLE;
	if (job->product)
		ok = cmd_add_files(job, job->files, job->file_count, job->product);
	for (size_t i = 0; i < job->file_count && !job->product && ok; i++)
		ok = cmd_add_files(job, &job->files[i], 1, last_component(job->files[i]));
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
		return cli_error(job->cli, "out of memory") == EXIT_FINE;
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
		cli_error(job->cli, "%s: %s", folder, strerror(errno));
		return false;
	}
	if (count == 0)
		cli_error(job->cli, "%s: no file here ends in .size", folder);
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
	if (job->file_count == 0 || !job->product)
		return cli_error(job->cli, "must specify a folder and --product; try '%s --help'",
				 job->cli->usage);
	if (!history_open(job->cli, &job->settings, job->flags, &job->history))
		return EXIT_TROUBLE;
	for (size_t i = 0; i < job->file_count && ok; i++)
		ok = import_folder(job, job->files[i]);
	return ok ? EXIT_FINE : EXIT_TROUBLE;
}

static int run_words(const struct cli *cli, int argc, char **argv, int (*run)(struct add_job *))
{
	static const struct cli_words words = { apply_add, cmd_add_operand };
	struct add_job job = { .cli = cli,
			       .session = cli_session(cli),
			       .flags = DB_WRITES,
			       .build = { .config = "", .machine = "" } };
	job.files = calloc((size_t)argc + 1, sizeof *job.files);
	int status = job.files == NULL ? cli_error(cli, "out of memory")
				       : cli_parse(cli, argc, argv, &words, &job);
	if (status == CLI_GO_ON)
		status = run(&job);
	history_close(&job.history);
	heft_session_free(job.session);
	for (size_t i = 0; i < job.source_count; i++)
		free(job.sources[i]);
	free(job.files);
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
