/* Implements heft diff: compares two snapshots. */
#include "cli/diff_job.h"

#include <string.h>

const struct opt diff_opts[] = {
#define OUTPUT_BY_MORE                                                                             \
	",\n"                                                                                      \
	"                              or data sources of heft size, one a level"
#include "cli/diff_opts.inc"
	{ 0, 0, false, "why", NULL, "by whom what was added came in",
	  SETS(struct diff_job, query.came_in) },
	{ 0, 0, false, "stacks", NULL, "stacks of functions too, and whose changed",
	  ADDS(struct diff_job, open.flags, HEFT_SNAPSHOT_STACKS) },
#include "cli/find_opts.inc"
#include "cli/stack_opts.inc"
#include "cli/notes_opts.inc"
};

const char diff_manual[] =
	"Tells what changed between two programs or .size files, symbol by symbol.\n"
	"Rows show charged bytes, as 'heft size' counts them.  A .sizediff file may\n"
	"stand for both.\n";

static bool diff_add_source(void *ctx, const char *name)
{
	struct diff_job *job = ctx;
	struct heft_err err;
	if (strcmp(name, "regions") == 0)
		heft_profile_set_sort_domain(job->profile, HEFT_VM);
	if (heft_profile_add_source(job->profile, name, &err))
		return true;
	return err.code == HEFT_EARG ? cli_unknown_source(job->open.run.cli, name)
				     : (cli_failed(job->open.run.cli, &err), false);
}

static bool profile_write(void *ctx, FILE *to, struct heft_err *err)
{
	const struct diff_job *job = ctx;
	const struct heft_sink sink = output_sink(&job->open.run.out, to);
	return heft_profile_write(job->profile, &job->open.run.out.write, &sink, err);
}

/* Returns the option or file for which the diff must compare lists of symbols, or NULL. */
static const char *lists_needed(const struct diff_job *job)
{
	if (job->query.section || job->query.min > 0)
		return job->query.section ? "--section" : "--min";
	if (job->save || job->flags & HEFT_DIFF_SUPERSIZE)
		return job->save ? "--save" : "--supersize";
	if (job->open.flags & HEFT_SNAPSHOT_STACKS)
		return "--stacks";
	for (size_t i = 0; i < job->open.run.word_count; i++) {
		enum heft_input_kind kind = HEFT_INPUT_PROGRAM;
		heft_input_look(job->open.run.session, job->open.run.words[i], &kind, NULL);
		if (kind == HEFT_INPUT_LIST || kind == HEFT_INPUT_LISTS)
			return job->open.run.words[i];
	}
	return NULL;
}

/* Measures both programs by data sources, as heft size does. */
static bool sources_measure(struct diff_job *job, struct heft_err *err)
{
	struct heft_profile *p = job->profile;
	heft_profile_set_flags(p, job->query.debug ? 0 : HEFT_PROFILE_NO_DEBUG);
	heft_profile_set_rows(p, output_rows(&job->open.run.out, 20));
	heft_profile_set_sort(p, job->query.sort);
	return heft_profile_add_file(p, job->open.run.words[1], HEFT_INPUT, err) &&
	       heft_profile_add_file(p, job->open.run.words[0], HEFT_BASE, err) &&
	       heft_profile_run(p, err);
}

static int sources_run(struct diff_job *job, const char *needs_lists)
{
	struct heft_err err;
	int status = EXIT_TROUBLE;
	job->profile = cli_made(job->open.run.cli, heft_profile_new(job->open.run.session));
	job->open.run.out.write.domain = HEFT_BOTH;
	job->open.run.out.write.base_columns = true;
	if (!cli_each_name(job->open.run.cli, job->sources, diff_add_source, job))
		status = EXIT_TROUBLE;
	else if (needs_lists)
		status = cli_error(job->open.run.cli,
				   "%s: lists of symbols do not tell '%s'; they go by symbol, "
				   "source, package, library and the like",
				   needs_lists, job->sources);
	else
		status = sources_measure(job, &err)
				 ? outfile_write(job->open.run.cli, job->open.run.out.path,
						 profile_write, job)
				 : cli_failed(job->open.run.cli, &err);
	if (status == EXIT_FINE) {
		const struct heft_row *top = heft_profile_table(job->profile)->top;
		notes_print(job->open.run.cli, job->open.run.session, job->open.run.verbose);
		status = job->exit_code && top->child_count > 0 ? EXIT_NO : EXIT_FINE;
	}
	heft_profile_free(job->profile);
	return status;
}

static int diff_run(struct diff_job *job)
{
	struct heft_snapshot *old = NULL, *now = NULL;
	ASSERT(job->diff == NULL);
	const char **words = job->open.run.words;
	const size_t word_count = job->open.run.word_count;
	if (!run_has_words(&job->open.run, 1, 2, "two files, or a .sizediff file"))
		return EXIT_TROUBLE;
	if (job->sources) {
		const char *needs_lists = lists_needed(job);
		if (!needs_lists && word_count < 2)
			return cli_error(job->open.run.cli, "must specify two programs");
		if (!needs_lists || job->query.by != HEFT_DIFF_BY_SECTION)
			return sources_run(job, needs_lists);
	}
	if (word_count == 1)
		now = snapshot_open(&job->open, words[0]);
	else
		(void)snapshot_open_pair(&job->open, words, &old, &now);
	return now ? diff_pair(job, old, now) : EXIT_TROUBLE;
}

int cmd_diff(const struct cli *cli, int argc, char **argv)
{
	static const struct cli_words words = { .option = diff_apply };
	struct diff_job job = diff_job_new(cli);
	job.takes_sources = true;
	int status = cli_parse_output(&job, argc, argv, &words);
	if (status == CLI_GO_ON)
		status = diff_run(&job);
	run_release(&job.open.run);
	return status;
}
