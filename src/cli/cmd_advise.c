/* Implements heft advise: proposes changes that make a program smaller. */
#include "base/os/os.h"
#include "cli/link.h"
#include "cli/snapshots.h"

#include <inttypes.h>
#include <stdlib.h>

/* Bytes of a linked program, and those of them between segments */
struct linked {
	uint64_t size, padding;
};

struct advise_job {
	struct snapshot_run open;
	struct heft_advice *advice;
	bool prove;
	struct link link;     /* With `prove`: the link of the program */
	struct linked linked; /* The program if linked as it was */
};

/* Label of the proposal that has all options that help. It exists after they were proved */
static const char together[] = "together";

const struct opt advise_opts[] = {
	{ 0, 0, true, "prove", NULL,
	  "link the program again for each option that is\n"
	  "                              proposed, by the command after --, and measure",
	  SETS(struct advise_job, prove) },
#define OUTPUT_ROWS "rows of each level, 0: all (default: 5)"
#include "cli/output_opts.inc"
#include "cli/find_opts.inc"
#include "cli/notes_opts.inc"
};

const char advise_manual[] =
	"Proposes changes that make a program smaller, the largest first: the bytes that\n"
	"each saves in the file, how sure that is, who owns them, what to do, and what it\n"
	"costs.  Proposals overlap, so they do not add up.\n"
	"\n"
	"--prove runs the link command in a temporary folder, once for each proposal that\n"
	"names an option of the link.  Nothing that the command writes is changed:\n"
	"    heft advise --prove -- g++ -o prog main.o util.o -lz\n"
	"    heft advise --prove -- \"$(ninja -t commands prog | tail -1)\"\n";

static bool advise_write(void *ctx, FILE *to, struct heft_err *err)
{
	const struct advise_job *job = ctx;
	const struct heft_sink sink = output_sink(&job->open.run.out, to);
	return heft_advice_write(job->advice, output_rows(&job->open.run.out, 5),
				 &job->open.run.out.write, &sink, err);
}

/* Returns the bytes of the linked program, and those of them between segments. */
static bool advise_measure(struct advise_job *job, uint64_t size, struct linked *ret,
			   struct heft_err *err)
{
	const struct cli *cli = job->open.run.cli;
	struct heft_profile *p = cli_made(cli, heft_profile_new(job->open.run.session));
	*ret = (struct linked){ size, 0 };
	heft_profile_set_rows(p, 0);
	const bool good = heft_profile_add_source(p, "sections", err) &&
			  heft_profile_add_file(p, job->link.program, HEFT_INPUT, err) &&
			  heft_profile_run(p, err);
	const struct heft_row *top = good ? heft_profile_table(p)->top : NULL;
	for (size_t i = 0; good && i < top->child_count; i++)
		if (strcmp(top->children[i]->label, "[Unmapped]") == 0)
			ret->padding = top->children[i]->now[0];
	heft_profile_free(p);
	return good;
}

/* Links with these options. *ret_failure: why the link failed, which the caller frees, or NULL. */
static bool advise_link(struct advise_job *job, const char *options, struct linked *ret,
			char **ret_failure, struct heft_err *err)
{
	uint64_t size;
	*ret_failure = link_run(&job->link, options, &size);
	return *ret_failure != NULL || advise_measure(job, size, ret, err);
}

/* Links a program with all options but the last, and with all of them. Keeps by how many bytes the
 * last one makes the program smaller. */
static bool advise_prove_one(struct advise_job *job, const char *label, const char *options,
			     struct heft_err *err)
{
	struct linked base = job->linked, now = { 0, 0 };
	char *before = strdup(options), *failure = NULL;
	char *last = before != NULL ? strrchr(before, ' ') : NULL;
	bool good = before != NULL || cli_no_memory(err);
	if (last != NULL && strcmp(label, together) != 0) {
		*last = '\0';
		good = advise_link(job, before, &base, &failure, err);
	}
	free(before);
	if (good && failure == NULL)
		good = advise_link(job, options, &now, &failure, err);
	good = good && heft_advice_prove(job->advice, label, (int64_t)(base.size - now.size),
					 (int64_t)(base.padding - now.padding), failure, err);
	free(failure);
	return good;
}

/* Proves the proposals with this label that name options of a link. NULL: all. */
static bool advise_prove(struct advise_job *job, const char *label, struct heft_err *err)
{
	const struct heft_table *t = heft_advice_table(job->advice, 0);
	bool good = t != NULL || cli_no_memory(err);
	size_t link = 0;
	while (good && strcmp(t->texts[link].name, "link") != 0)
		link++;
	for (size_t i = 0; good && i < t->top->child_count; i++) {
		const struct heft_row *row = t->top->children[i];
		const char *options = row->texts[link];
		if (*options != '\0' && (label == NULL || strcmp(row->label, label) == 0))
			good = advise_prove_one(job, row->label, options, err);
	}
	return good;
}

/* Adds what no root reaches, unless the file is one whose references are not read: an archive. */
static bool advise_add_graph(struct advise_job *job, struct heft_err *err)
{
	struct heft_graph *g = cli_made(job->open.run.cli, heft_graph_new(job->open.run.session));
	bool good = heft_graph_open(g, job->open.run.words[0], err);
	if (good)
		good = heft_advice_add_graph(job->advice, g, err);
	else
		good = err->code == HEFT_EUNSUPPORTED;
	heft_graph_free(g);
	return good;
}

static int advise_with(struct advise_job *job, const struct heft_snapshot *s,
		       const struct heft_info *info)
{
	const struct command_run *run = &job->open.run;
	struct heft_err err;
	job->advice = heft_advice_new(s, info, &err);
	if (job->advice == NULL)
		return cli_failed(run->cli, &err);
	if (!advise_add_graph(job, &err))
		return cli_failed(run->cli, &err);
	if (job->prove && !(advise_prove(job, NULL, &err) && advise_prove(job, together, &err)))
		return cli_failed(run->cli, &err);
	const int status = outfile_write(run->cli, run->out.path, advise_write, job);
	const struct heft_table *table = heft_advice_table(job->advice, 1);
	if (table != NULL && table->top->child_count == 0)
		cli_error(run->cli, "%s: nothing to propose was found", run->words[0]);
	return status;
}

static int advise_about(struct advise_job *job)
{
	const struct command_run *run = &job->open.run;
	struct heft_err err;
	struct heft_info *info = cli_made(run->cli, heft_info_new(run->session));
	struct heft_snapshot *s = NULL;
	int status = EXIT_TROUBLE;
	if (heft_info_add(info, run->words[0], &err))
		s = snapshot_open(&job->open, run->words[0]);
	else
		cli_failed(run->cli, &err);
	if (s != NULL)
		status = advise_with(job, s, info);
	heft_advice_free(job->advice);
	heft_info_free(info);
	heft_snapshot_free(s);
	return status;
}

/* Links the program as the user does. The program is the operand, by default what the command
 * wrote. If that has another size, the program is what the link makes now. */
static bool advise_link_first(struct advise_job *job)
{
	struct command_run *run = &job->open.run;
	struct os_file there;
	if (!link_open(&job->link, run->cli, run->program))
		return false;
	struct heft_err err;
	char *failure;
	if (!advise_link(job, "", &job->linked, &failure, &err)) {
		cli_failed(run->cli, &err);
		return false;
	}
	if (failure != NULL) {
		cli_error(run->cli, "the link fails as it is: %s", failure);
		free(failure);
		return false;
	}
	const char *of = run->word_count > 0 ? run->words[0] : job->link.original;
	const bool exists = os_path_look(of, &there);
	if (exists && there.size != job->linked.size)
		cli_error(run->cli,
			  "%s: has %" PRIu64 " bytes, but %" PRIu64 " if the command links it", of,
			  there.size, job->linked.size);
	if (run->word_count == 0)
		run->words[run->word_count++] = exists && there.size == job->linked.size
							? of
							: job->link.program;
	return true;
}

static int advise_run(struct advise_job *job)
{
	const struct command_run *run = &job->open.run;
	if (job->prove != (run->program != NULL))
		return cli_error(run->cli,
				 "--prove and -- LINK COMMAND go together; try '%s --help'",
				 run->cli->usage);
	if (!job->prove)
		return run_has_words(run, 1, 1, "one program") ? advise_about(job) : EXIT_TROUBLE;
	if (!run_has_words(run, 0, 1, "one program"))
		return EXIT_TROUBLE;
	const int status = advise_link_first(job) ? advise_about(job) : EXIT_TROUBLE;
	return link_close(&job->link) ? status : EXIT_TROUBLE;
}

int cmd_advise(const struct cli *cli, int argc, char **argv)
{
	struct advise_job job = { .open.run = run_new(cli, list_formats) };
	job.open.flags = HEFT_SNAPSHOT_ALONE | HEFT_SNAPSHOT_CONTENTS;
	const struct cli_words words = { .program_last = true };
	int status = cli_parse_output(&job, argc, argv, &words);
	if (status == CLI_GO_ON)
		status = advise_run(&job);
	run_release(&job.open.run);
	return status;
}
