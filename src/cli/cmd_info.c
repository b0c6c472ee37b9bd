/* Implements heft info: lists facts about files. */
#include "base/os/os.h"
#include "cli/run.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { SORT_UNSAID = 99 };

struct info_job {
	struct command_run run;
	struct heft_info *info;
	unsigned sort; /* enum heft_info_sort, or SORT_UNSAID */
	bool details, failed;
	bool stopped; /* True after memory ran out: the handle cannot be used any more */
	size_t row_count;
	char **todo; /* Paths below directories that are still to be read, as a stack: the last
		      * is read next. Each path is malloc'ed */
	size_t todo_count, todo_room;
};

static const struct choice info_sorts[] = {
	{ "path", HEFT_INFO_PATH },          { "size", HEFT_INFO_SIZE },
	{ "relocs", HEFT_INFO_RELOCATIONS }, { "savings", HEFT_INFO_SAVINGS },
	{ "copied", HEFT_INFO_COPIED },      { NULL, 0 },
};

const struct opt info_opts[] = {
	{ 0, 0, true, "details", NULL, "lines below each file with all that is known",
	  SETS(struct info_job, details) },
#define OUTPUT_ROWS       "rows, the largest unless -s says else"
#define OUTPUT_SORT       "path|size|relocs|savings|copied"
#define OUTPUT_SORT_HELP  "path, size, relocs, savings, copied"
#define OUTPUT_SORT_PICKS PICKS(struct info_job, sort, info_sorts)
#include "cli/output_opts.inc"
#include "cli/find_opts.inc"
#include "cli/notes_opts.inc"
};

const char info_manual[] =
	"Tells what files are, a line each: linked how, which symbols and debug info\n"
	"they have, how they are protected, how many relocations they need, how many\n"
	"bytes they could do without, and which are copies of others.  Of a directory,\n"
	"all programs, libraries, objects, archives and cores below it.\n";

/* Adds a file. Skips a file that is no program, but fails if the user named it. */
static void info_add_file(struct info_job *job, const char *path, bool named)
{
	struct heft_err err;
	ASSERT(path[0] != '\0' || named);
	if (job->stopped)
		return;
	if (heft_info_add(job->info, path, &err)) {
		job->row_count++;
	} else if (named || err.code != HEFT_EUNSUPPORTED) {
		cli_failed(job->run.cli, &err);
		job->failed = true;
		job->stopped = err.code == HEFT_ENOMEM || err.code == HEFT_EINTERNAL;
	}
}

static bool info_failed(struct info_job *job, const char *path)
{
	job->stopped = errno == ENOMEM;
	cli_error(job->run.cli, "%s: %s", path, strerror(errno));
	job->failed = true;
	return false;
}

/* Pushes "directory/name" on the stack of paths. False, after a message, without memory. */
static bool info_remember(struct info_job *job, const char *directory, const char *name)
{
	const size_t size = strlen(directory) + strlen(name) + 2;
	if (job->todo_count == job->todo_room) {
		const size_t room = 2 * job->todo_room + 64;
		char **grown = realloc(job->todo, room * sizeof *grown);
		if (grown == NULL)
			return info_failed(job, directory);
		job->todo = grown;
		job->todo_room = room;
	}
	char *path = malloc(size);
	if (path == NULL)
		return info_failed(job, directory);
	const bool slash = directory[strlen(directory) - 1] == '/';
	snprintf(path, size, "%s%s%s", directory, slash ? "" : "/", name);
	ASSERT(job->todo_count < job->todo_room);
	job->todo[job->todo_count++] = path;
	return true;
}

static int by_path_backwards(const void *a, const void *b)
{
	return strcmp(*(char *const *)b, *(char *const *)a);
}

static void add_directory(struct info_job *job, const char *path)
{
	DIR *d = opendir(path);
	const struct dirent *e;
	const size_t first = job->todo_count;
	if (d == NULL) {
		info_failed(job, path);
		return;
	}
	while (!job->stopped && (e = readdir(d)) != NULL)
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			info_remember(job, path, e->d_name);
	closedir(d);
	if (job->todo_count > first)
		qsort(&job->todo[first], job->todo_count - first, sizeof *job->todo,
		      by_path_backwards);
}

/* Adds the files below a directory. Skips links, because their targets would count twice. */
static void add_below(struct info_job *job, const char *path)
{
	struct os_file is;
	if (!os_entry_look(path, &is))
		info_failed(job, path);
	else if (is.kind == OS_FOLDER)
		add_directory(job, path);
	else if (is.kind == OS_FILE && is.size > 0)
		info_add_file(job, path, false);
}

static void info_add_path(struct info_job *job, const char *path)
{
	struct os_file is;
	if (!os_path_look(path, &is) || is.kind != OS_FOLDER) {
		info_add_file(job, path, true);
		return;
	}
	add_directory(job, path);
	while (job->todo_count > 0) {
		char *next = job->todo[--job->todo_count];
		add_below(job, next);
		free(next);
	}
}

static bool info_write_table(void *ctx, FILE *to, struct heft_err *err)
{
	const struct info_job *job = ctx;
	const struct heft_sink sink = output_sink(&job->run.out, to);
	return heft_info_write(job->info, &job->run.out.write, &sink, err);
}

static int info_run(struct info_job *job)
{
	if (!run_has_words(&job->run, 1, SIZE_MAX, "a file or directory"))
		return EXIT_TROUBLE;
	for (size_t i = 0; i < job->run.word_count; i++)
		info_add_path(job, job->run.words[i]);
	if (job->row_count == 0 && !job->failed)
		return cli_error(job->run.cli,
				 "%s: no program, library, object, archive or core is there",
				 job->run.words[0]);
	if (job->stopped)
		return EXIT_TROUBLE;
	if (job->sort == SORT_UNSAID)
		job->sort = job->run.out.rows > 0 ? HEFT_INFO_SIZE : HEFT_INFO_ADDED;
	heft_info_set_sort(job->info, (enum heft_info_sort)job->sort);
	heft_info_set_rows(job->info, job->run.out.rows);
	job->run.out.write.full = job->details || job->row_count == 1;
	int status = EXIT_FINE;
	if (job->row_count > 0)
		status = outfile_write(job->run.cli, job->run.out.path, info_write_table, job);
	notes_print(job->run.cli, job->run.session, job->run.verbose);
	return status == EXIT_FINE && job->failed ? EXIT_TROUBLE : status;
}

int cmd_info(const struct cli *cli, int argc, char **argv)
{
	struct info_job job = { .run = run_new(cli, list_formats), .sort = SORT_UNSAID };
	job.info = cli_made(cli, heft_info_new(job.run.session));
	int status = cli_parse_output(&job, argc, argv, NULL);
	if (status == CLI_GO_ON)
		status = info_run(&job);
	free(job.todo);
	run_release(&job.run);
	heft_info_free(job.info);
	return status;
}
