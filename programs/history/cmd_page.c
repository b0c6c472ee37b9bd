/* Implements heft history page: shows a history as one HTML page. */
#include "history/choose.h"
#include "history/commands.h"
#include "history/page.h"

enum { O_STEPS = O_OWN, O_OF, NAMES = 12 };

const struct opt history_page_opts[] = {
	{ O_OUTPUT, 'o', true, "output", "FILE", "write there, all or nothing" },
	{ O_STEPS, 0, true, "steps", "NUM", "builds whose difference is in the page (0: 20)" },
	{ O_OF, 0, true, "of", "NAME", "a chart more: a section, source, symbol .." },
#include "history/history_opts.inc"
#include "cli/last_opts.inc"
};

const char history_page_manual[] =
	"Writes a history as one page of html, a tab for each product and configuration:\n"
	"a chart of the file, the VM image, the usual sections and each NAME over all\n"
	"builds, and a table of the latest ones and the largest steps, with the symbols\n"
	"that each changed.  The page asks no network for anything.  'heft report' has\n"
	"the same tabs beside others.\n";

struct page_job {
	struct history_run h;
	const char *names[NAMES];
	size_t name_count;
	uint64_t steps;
	struct heft_page *page;
};

static bool page_apply(void *ctx, const struct opt *o, const char *value)
{
	struct page_job *job = ctx;
	switch (o->id) {
	case O_STEPS: return cli_number(job->h.run.cli, o, value, 10000, &job->steps);
	case O_OF:
		if (job->name_count == NAMES)
			return cli_bad_value(job->h.run.cli, o, value,
					     "one of twelve charts at most");
		job->names[job->name_count++] = value;
		return true;
	default: return run_apply(job, o, value);
	}
}

static bool cmd_page_write(void *ctx, FILE *to, struct heft_err *err)
{
	return heft_page_write(((const struct page_job *)ctx)->page,
			       &(struct heft_sink){ outfile_put, to }, err);
}

static int page_run(struct page_job *job)
{
	struct heft_err err;
	const struct history_page_opts opts = { .filter = job->h.settings.filter,
						.names = job->names,
						.name_count = job->name_count,
						.steps = (uint32_t)job->steps };
	bool good = history_run_open(&job->h, 0);
	int status = EXIT_TROUBLE;
	if (good && !history_page_add(job->page, &job->h.history, &opts, &err))
		good = cli_failed(job->h.run.cli, &err) == EXIT_FINE;
	if (good)
		status = outfile_write(job->h.run.cli, job->h.run.out.path, cmd_page_write, job);
	return status;
}

int cmd_history_page(const struct cli *cli, int argc, char **argv)
{
	static const struct cli_words words = { .option = page_apply };
	struct page_job job = { .h.run = run_new(cli, NULL) };
	job.page = cli_made(cli, heft_page_new(job.h.run.session));
	int status = cli_parse(&job, argc, argv, &words);
	if (status == CLI_GO_ON && !history_has_no_words(&job.h.run))
		status = EXIT_TROUBLE;
	if (status == CLI_GO_ON)
		status = job.h.run.out.has_path
				 ? page_run(&job)
				 : cli_error(cli,
					     "must specify where to with -o FILE; try '%s --help'",
					     cli->usage);
	heft_page_free(job.page);
	history_run_release(&job.h);
	return status;
}
