/* Implements heft rows: writes the contents of files as rows for databases. */
#include "cli/run.h"

#include <stdlib.h>
#include <string.h>

enum { O_DEBUG_INFO = O_OWN, O_SURE };
enum { SOURCES_MOST = 16 };

struct rows_job {
	struct command_run run;
	char *sources[SOURCES_MOST]; /* Names of data sources, malloc'ed */
	size_t source_count;
	const char *include, *exclude;
	unsigned flags; /* Bits of enum heft_profile_flag */
	unsigned sure;  /* Bits of enum heft_sure */
	FILE *to;
	size_t measured, passed_over, failed; /* Numbers of files: measured, skipped, failed */
};

const struct opt rows_opts[] = {
	{ O_BY, 'd', false, "by", "A,B,..", "data sources, one a level (default: sections)" },
	{ 0, 0, false, "source-filter", "REGEX", "count only what has a matching label",
	  KEEPS(struct rows_job, include) },
	{ 0, 0, false, "exclude-filter", "REGEX", "leave out what has a matching label",
	  KEEPS(struct rows_job, exclude) },
	{ 0, 0, false, "no-debug", NULL, "leave out sections of debug info",
	  ADDS(struct rows_job, flags, HEFT_PROFILE_NO_DEBUG) },
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
};

const char rows_manual[] =
	"Measures files one by one and writes a row a label, an object of JSON a line:\n"
	"the path of the file, its build id, the labels from the first data source to the\n"
	"last, the bytes in the file and in the VM image.  A file that is no program is\n"
	"passed over, one that cannot be read makes the exit status 2; the others have\n"
	"their rows.  heft push rows posts them.\n";

static bool source_add(void *ctx, const char *name)
{
	struct rows_job *job = ctx;
	ASSERT(job->source_count <= SOURCES_MOST);
	if (job->source_count == SOURCES_MOST)
		return cli_error(job->run.cli, "more than %d data sources", SOURCES_MOST), false;
	char *copy = strdup(name);
	if (!copy)
		return cli_error(job->run.cli, "out of memory"), false;
	job->sources[job->source_count++] = copy;
	return true;
}

static bool debug_info_apply(struct rows_job *job, const struct opt *o, const char *value)
{
	static const struct choice infos[] = { { "sections", 0 },
					       { "owners", HEFT_PROFILE_DEBUG_OWNERS },
					       { NULL, 0 } };
	unsigned n = 0;
	if (!cli_choice(job->run.cli, o, value, infos, &n))
		return false;
	job->flags = (job->flags & ~(unsigned)HEFT_PROFILE_DEBUG_OWNERS) | n;
	return true;
}

static bool rows_apply(void *ctx, const struct opt *o, const char *value)
{
	struct rows_job *job = ctx;
	switch (o->id) {
	case O_BY: return cli_each_name(job->run.cli, value, source_add, job);
	case O_SURE: return cli_choices(job->run.cli, o, value, sure_choices, &job->sure);
	case O_DEBUG_INFO: return debug_info_apply(job, o, value);
	default: return run_apply(job, o, value);
	}
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
	if (job->run.verbose)
		notes_print(job->run.cli, job->run.session, false);
	return heft_profile_write(p, &opts, &(struct heft_sink){ outfile_put, job->to }, err);
}

/* Measures a file. False if the run must end. */
static bool file_measure(struct rows_job *job, const char *path)
{
	struct heft_err err = { 0 };
	struct heft_profile *p = heft_profile_new(job->run.session);
	const bool good = p ? rows_measure(job, p, path, &err) : cli_no_memory(&err);
	heft_profile_free(p);
	job->measured += good;
	job->passed_over += !good && err.code == HEFT_EUNSUPPORTED;
	if (good || err.code == HEFT_EUNSUPPORTED)
		return true;
	job->failed++;
	cli_failed(job->run.cli, &err);
	/* A wrong argument or a failed output would repeat for every file. */
	return err.code != HEFT_EARG && !ferror(job->to);
}

static bool files_measure(void *ctx, FILE *to, struct heft_err *err)
{
	struct rows_job *job = ctx;
	bool good = true;
	job->to = to;
	for (size_t i = 0; good && i < job->run.word_count; i++)
		good = file_measure(job, job->run.words[i]);
	if (job->measured > 0 || job->failed == 0)
		return !ferror(to);
	*err = (struct heft_err){ .code = HEFT_EARG, .offset = HEFT_NO_OFFSET };
	snprintf(err->text, sizeof err->text, "nothing was written");
	return false;
}

static int rows_run(struct rows_job *job)
{
	if (!run_has_words(&job->run, 1, SIZE_MAX, "at least one file"))
		return EXIT_TROUBLE;
	if (job->source_count == 0 && !source_add(job, "sections"))
		return EXIT_TROUBLE;
	const int status = outfile_write(job->run.cli, job->run.out.path, files_measure, job);
	progress_erase(job->run.cli->progress);
	fprintf(stderr, "%s: %zu file%s measured", job->run.cli->program, job->measured,
		job->measured == 1 ? "" : "s");
	if (job->passed_over > 0)
		fprintf(stderr, ", %zu passed over", job->passed_over);
	if (job->failed > 0)
		fprintf(stderr, ", %zu failed", job->failed);
	putc('\n', stderr);
	return job->failed > 0 ? EXIT_TROUBLE : status;
}

int cmd_rows(const struct cli *cli, int argc, char **argv)
{
	static const struct cli_words words = { .option = rows_apply };
	struct rows_job job = { .run = run_new(cli, NULL) };
	int status = cli_parse(&job, argc, argv, &words);
	if (status == CLI_GO_ON)
		status = rows_run(&job);
	for (size_t i = 0; i < job.source_count; i++)
		free(job.sources[i]);
	run_release(&job.run);
	return status;
}
