/* Implements heft rows: writes the contents of files as rows for databases. */
#include "cli/notes.h"
#include "cli/outfile.h"

#include <stdlib.h>
#include <string.h>

enum {
	O_DEMANGLE = O_OWN,
	O_DEBUG_INFO,
	O_INCLUDE,
	O_EXCLUDE,
	O_NO_DEBUG,
	O_SURE,
	O_THREADS,
};

const struct opt rows_opts[] = {
	{ O_BY, 'd', false, "by", "A,B,..", "data sources, one a level (default: sections)" },
	{ O_INCLUDE, 0, false, "source-filter", "REGEX", "count only what has a matching label" },
	{ O_EXCLUDE, 0, false, "exclude-filter", "REGEX", "leave out what has a matching label" },
	{ O_NO_DEBUG, 0, false, "no-debug", NULL, "leave out sections of debug info" },
#include "cli/sure_opts.inc"
	{ O_DEMANGLE, 'C', false, "demangle", "none|short|full",
	  "names of symbols (default: short)" },
	{ O_DEBUG_INFO, 0, false, "debug-info", "sections|owners",
	  "whose debug sections are by symbol" },
	{ O_OUTPUT, 'o', false, "output", "FILE", "write there, all or nothing" },
#include "cli/find_opts.inc"
	{ O_THREADS, 0, false, "threads", "NUM", "threads to use (default: one a processor)" },
	{ O_VERBOSE, 'v', false, NULL, NULL, "notes on the files" },
#include "cli/last_opts.inc"
	{ 0 },
};

const char rows_manual[] =
	"Measures files one by one and writes a row a label, an object of JSON a line:\n"
	"the path of the file, its build id, the labels from the first data source to the\n"
	"last, the bytes in the file and in the VM image.  A file that is no program is\n"
	"passed over, one that cannot be read makes the exit status 2; the others have\n"
	"their rows.  heft push rows posts them.\n";

enum { SOURCES_MOST = 16 };

struct rows_job {
	const struct cli *cli;
	struct heft_session *session;
	char *sources[SOURCES_MOST]; /* Allocated names */
	size_t source_count;
	const char *include, *exclude, *output;
	unsigned flags; /* Bits of enum heft_profile_flag */
	unsigned sure;  /* Bits of enum heft_sure */
	bool verbose;
	FILE *to;
	const char **files; /* Paths of the files. Has room for as many paths as there are
			     * arguments */
	size_t file_count;
	size_t measured, passed_over, failed; /* Numbers of files */
};

static bool source_add(void *ctx, const char *name)
{
	struct rows_job *job = ctx;
	ASSERT(job->source_count <= SOURCES_MOST);
	if (job->source_count == SOURCES_MOST)
		return cli_error(job->cli, "more than %d data sources", SOURCES_MOST), false;
	char *copy = strdup(name);
	if (!copy)
		return cli_error(job->cli, "out of memory"), false;
	job->sources[job->source_count++] = copy;
	return true;
}

static bool debug_info_apply(struct rows_job *job, const struct opt *o, const char *value)
{
	static const struct choice infos[] = { { "sections", 0 },
					       { "owners", HEFT_PROFILE_DEBUG_OWNERS },
					       { NULL, 0 } };
	unsigned n = 0;
	if (!cli_choice(job->cli, o, value, infos, &n))
		return false;
	job->flags = (job->flags & ~(unsigned)HEFT_PROFILE_DEBUG_OWNERS) | n;
	return true;
}

static bool rows_apply(void *ctx, const struct opt *o, const char *value)
{
	struct rows_job *job = ctx;
	unsigned style;
	uint64_t n = 0;
	switch (o->id) {
	case O_BY: return cli_each_name(job->cli, value, source_add, job);
	case O_INCLUDE: job->include = value; break;
	case O_EXCLUDE: job->exclude = value; break;
	case O_SURE: return cli_choices(job->cli, o, value, sure_choices, &job->sure);
	case O_NO_DEBUG: job->flags |= HEFT_PROFILE_NO_DEBUG; break;
	case O_OUTPUT: job->output = value; break;
	case O_VERBOSE: job->verbose = true; break;
	case O_DEMANGLE:
		if (!cli_choice(job->cli, o, value, style_choices, &style))
			return false;
		heft_session_set_demangle(job->session, (enum heft_demangle)style);
		break;
	case O_DEBUG_INFO: return debug_info_apply(job, o, value);
	case O_THREADS:
		if (!cli_number(job->cli, o, value, 4096, &n))
			return false;
		heft_session_set_threads(job->session, (unsigned)n);
		break;
	default: return cli_find(job->cli, job->session, o, value);
	}
	return true;
}

static bool rows_add_operand(void *ctx, const char *word)
{
	struct rows_job *job = ctx;
	job->files[job->file_count++] = word;
	return true;
}

static bool set_up(const struct rows_job *job, struct heft_profile *p, const char *path,
		   struct heft_err *err)
{
	for (size_t i = 0; i < job->source_count; i++)
		if (!heft_profile_add_source(p, job->sources[i], err))
			return false;
	heft_profile_set_flags(p, job->flags | HEFT_PROFILE_LEVELWISE);
	heft_profile_set_sure(p, job->sure);
	heft_profile_set_rows(p, 0);
	return (!job->include || heft_profile_include(p, job->include, err)) &&
	       (!job->exclude || heft_profile_exclude(p, job->exclude, err)) &&
	       heft_profile_add_file(p, path, HEFT_INPUT, err);
}

static bool rows_measure(struct rows_job *job, struct heft_profile *p, const char *path,
			 struct heft_err *err)
{
	struct heft_file_info info = { .size = sizeof info };
	if (!set_up(job, p, path, err) || !heft_profile_run(p, err))
		return false;
	heft_profile_file(p, 0, &info, NULL);
	const struct heft_constant columns[] = { { "program", path },
						 { "build_id", info.build_id } };
	const struct heft_write_opts opts = { .size = sizeof opts,
					      .format = HEFT_NDJSON,
					      .constants = columns,
					      .constant_count = 2 };
	if (job->verbose)
		notes_print(job->cli, job->session, false);
	return heft_profile_write(p, &opts, &(struct heft_sink){ outfile_put, job->to }, err);
}

/* Measures a file. False if the run must end. */
static bool file_measure(struct rows_job *job, const char *path)
{
	struct heft_err err = { 0 };
	struct heft_profile *p = heft_profile_new(job->session);
	const bool good = p ? rows_measure(job, p, path, &err) : cli_no_memory(&err);
	heft_profile_free(p);
	job->measured += good;
	job->passed_over += !good && err.code == HEFT_EUNSUPPORTED;
	if (good || err.code == HEFT_EUNSUPPORTED)
		return true;
	job->failed++;
	cli_failed(job->cli, &err);
	/* A wrong argument or a failed output would repeat for every file. */
	return err.code != HEFT_EARG && !ferror(job->to);
}

static void say_end(const struct rows_job *job)
{
	progress_erase(job->cli->progress);
	fprintf(stderr, "%s: %zu files measured", job->cli->program, job->measured);
	if (job->passed_over > 0)
		fprintf(stderr, ", %zu passed over", job->passed_over);
	if (job->failed > 0)
		fprintf(stderr, ", %zu failed", job->failed);
	putc('\n', stderr);
}

static bool files_measure(void *ctx, FILE *to, struct heft_err *err)
{
	struct rows_job *job = ctx;
	bool good = true;
	(void)err;
	job->to = to;
	for (size_t i = 0; good && i < job->file_count; i++)
		good = file_measure(job, job->files[i]);
	return !ferror(to);
}

static int rows_run(struct rows_job *job)
{
	if (job->file_count == 0)
		return cli_error(job->cli, "must specify at least one file; try '%s --help'",
				 job->cli->usage);
	if (job->source_count == 0 && !source_add(job, "sections"))
		return EXIT_TROUBLE;
	const int status = outfile_write(job->cli, job->output, files_measure, job);
	say_end(job);
	return job->failed > 0 ? EXIT_TROUBLE : status;
}

int cmd_rows(const struct cli *cli, int argc, char **argv)
{
	static const struct cli_words words = { rows_apply, rows_add_operand };
	struct rows_job job = { .cli = cli, .session = cli_session(cli) };
	job.files = calloc((size_t)argc + 1, sizeof *job.files);
	int status = job.files ? cli_parse(cli, argc, argv, &words, &job)
			       : cli_error(cli, "out of memory");
	if (status == CLI_GO_ON)
		status = rows_run(&job);
	for (size_t i = 0; i < job.source_count; i++)
		free(job.sources[i]);
	free(job.files);
	heft_session_free(job.session);
	return status;
}
