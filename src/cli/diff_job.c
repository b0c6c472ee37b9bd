/* Handles the options of commands that compare two snapshots, and writes the diff. */
#include "cli/diff_job.h"

#include "base/nearest.h"

#include <string.h>

static const struct choice by_choices[] = {
	{ "symbol", HEFT_DIFF_BY_SYMBOL },
	{ "source", HEFT_DIFF_BY_SOURCE },
	{ "directory", HEFT_DIFF_BY_DIRECTORY },
	{ "object", HEFT_DIFF_BY_OBJECT },
	{ "component", HEFT_DIFF_BY_COMPONENT },
	{ "section", HEFT_DIFF_BY_SECTION },
	{ "container", HEFT_DIFF_BY_CONTAINER },
	{ "namespace", HEFT_DIFF_BY_NAMESPACE },
	{ "library", HEFT_DIFF_BY_LIBRARY },
	{ "package", HEFT_DIFF_BY_PACKAGE },
	{ NULL, 0 },
};

const struct choice diff_sorts[] = {
	{ "delta", HEFT_SORT_DELTA },
	{ "growth", HEFT_SORT_GROWTH },
	{ "size", HEFT_SORT_SIZE },
	{ "new", HEFT_SORT_SIZE },
	{ "old", HEFT_SORT_BASE },
	{ "name", HEFT_SORT_NAME },
	{ NULL, 0 },
};

struct diff_job diff_job_new(const struct cli *cli)
{
	return (struct diff_job){ .open.run = run_new(cli, table_formats),
				  .query = { .size = sizeof(struct heft_diff_query) } };
}

/* Finds what --by names: one of by_choices, or its plural. False for other words. */
static bool group_find(const char *word, enum heft_diff_by *ret)
{
	if (strcmp(word, "compileunits") == 0 || strcmp(word, "compileunit") == 0)
		word = "source";
	for (const struct choice *c = by_choices; c->word; c++)
		if (strcmp(word, c->word) == 0 || is_plural_of(word, c->word, strlen(c->word))) {
			*ret = (enum heft_diff_by)c->value;
			return true;
		}
	return false;
}

static bool by_apply(struct diff_job *job, const struct opt *o, const char *value)
{
	unsigned none;
	job->query.by = HEFT_DIFF_BY_SYMBOL;
	const bool group = group_find(value, &job->query.by);
	/* The data source "sections" has more detail than rows of symbols by section. */
	const bool source = job->takes_sources && (!group || strcmp(value, "sections") == 0);
	job->sources = source ? value : NULL;
	return group || source || cli_choice(job->open.run.cli, o, value, by_choices, &none);
}

bool diff_apply(void *ctx, const struct opt *o, const char *value)
{
	struct diff_job *job = ctx;
	const struct cli *cli = job->open.run.cli;
	unsigned style = 0;
	switch (o->id) {
	case O_BY: return by_apply(job, o, value);
	case O_MIN: return cli_size(cli, o, value, UINT64_MAX / 20, &job->query.min);
	case O_DIFF_DEMANGLE:
		if (!cli_choice(cli, o, value, style_choices + 1, &style))
			return false;
		job->query.names = (enum heft_demangle)style;
		heft_session_set_demangle(job->open.run.session, job->query.names);
		return true;
	case O_SUPERSIZE:
		job->flags |= HEFT_DIFF_SUPERSIZE;
		job->open.flags |= HEFT_SNAPSHOT_WHOLE_PATHS;
		return true;
	default: return run_apply(job, o, value);
	}
}

static bool diff_job_report_write(void *ctx, FILE *to, struct heft_err *err)
{
	const struct diff_job *job = ctx;
	const struct heft_sink sink = output_sink(&job->open.run.out, to);
	return heft_diff_write(job->diff, &job->open.run.out.write, &sink, err);
}

static bool save_write(void *ctx, FILE *to, struct heft_err *err)
{
	return heft_diff_save(((const struct diff_job *)ctx)->diff,
			      &(struct heft_sink){ outfile_put, to }, err);
}

/* False if neither snapshot has the section that the user named. Accepts any letter: a letter
 * stands for a kind of section. */
static bool section_exists(const struct diff_job *job)
{
	struct heft_diff_section s = { .size = sizeof s };
	const char *wanted = job->query.section;
	if (!wanted || (wanted[0] && !wanted[1]))
		return true;
	for (size_t i = 0; heft_diff_section(job->diff, i, &s, NULL); i++)
		if (strcmp(s.name, wanted) == 0)
			return true;
	return false;
}

static int diff_report(struct diff_job *job)
{
	struct heft_err err;
	ASSERT(job->diff != NULL);
	if (!section_exists(job))
		return cli_error(job->open.run.cli, "--section: no section is called '%s'",
				 job->query.section);
	job->query.rows = output_rows(&job->open.run.out, 20);
	if (!heft_diff_rows(job->diff, &job->query, &err))
		return cli_failed(job->open.run.cli, &err);
	int status = outfile_write(job->open.run.cli, job->open.run.out.path, diff_job_report_write,
				   job);
	if (status == EXIT_FINE && job->save)
		status = outfile_write(job->open.run.cli, job->save, save_write, job);
	uint64_t changes = 0;
	for (size_t i = 0; i < HEFT_CHANGES; i++)
		if (i != HEFT_UNCHANGED)
			changes += heft_diff_section_changes(job->diff, HEFT_DIFF_TOTAL,
							     (enum heft_change)i);
	if (status == EXIT_FINE && job->exit_code && changes > 0)
		status = EXIT_NO;
	return status;
}

int diff_pair(struct diff_job *job, struct heft_snapshot *old, struct heft_snapshot *now)
{
	struct heft_err err;
	int status = EXIT_TROUBLE;
	ASSERT(now != NULL);
	job->diff = heft_diff_new(old, now, job->flags, &err);
	if (job->diff)
		status = diff_report(job);
	else if (!old)
		cli_error(job->open.run.cli, "%s: no .sizediff file; must specify two files",
			  job->open.run.words[0]);
	else
		cli_failed(job->open.run.cli, &err);
	heft_diff_free(job->diff);
	heft_snapshot_free(old);
	heft_snapshot_free(now);
	return status;
}
