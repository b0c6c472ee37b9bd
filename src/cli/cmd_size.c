/* Implements heft size: shows where the bytes of a program go. */
#include "cli/size_job.h"

#include <inttypes.h>

static bool print_claim(void *ctx, const struct heft_claim *c)
{
	const struct cli *cli = ctx;
	FILE *to = cli_is_bloaty(cli) ? stdout : stderr;
	progress_erase(cli->progress);
	print_tame(c->path, to);
	fprintf(to, ": %s %s 0x%" PRIx64, c->source, c->domain == HEFT_VM ? "vm" : "file",
		c->start);
	if (c->bytes == UINT64_MAX)
		fputs("-? (size unknown): ", to);
	else
		fprintf(to, "-0x%" PRIx64 " (%" PRIu64 "): ", c->start + c->bytes, c->bytes);
	print_tame(c->label, to);
	fprintf(to, " [%s]\n", c->why);
	return true;
}

static bool size_run(const struct size_job *job)
{
	struct heft_err err;
	if (job->trace_some || job->verbosity >= 2)
		heft_profile_set_trace(job->profile, print_claim, (void *)(uintptr_t)job->run.cli);
	const bool good = heft_profile_run(job->profile, &err);
	if (!good)
		cli_failed(job->run.cli, &err);
	return good;
}

/* Returns whether a row of the first level has a label that begins with `start`. */
static bool has_label(const struct heft_table *t, const char *start)
{
	for (size_t i = 0; i < t->top->child_count; i++)
		if (strncmp(t->top->children[i]->label, start, strlen(start)) == 0)
			return true;
	return false;
}

/* Below a table on a terminal, prints what labels mean that a new user may not know. */
static void size_explain_labels(const struct size_job *job)
{
	static const struct legend {
		const char *start, *text;
	} legends[] = {
		{ ".debug_", ".debug_*: debug info; --no-debug leaves it out" },
		{ "[section .debug_", "[section .debug_*]: debug info; --no-debug leaves it out" },
		{ "[Unmapped]", "[Unmapped]: in no section, segment or header; mostly gaps that "
				"the linker leaves between segments" },
		{ NULL, NULL },
	};
	const struct output *out = &job->run.out;
	if (cli_is_bloaty(job->run.cli) || job->raw_map || out->has_path ||
	    out->write.format != HEFT_TABLE || term_width() == 0)
		return;
	for (const struct legend *l = legends; l->start != NULL; l++)
		if (has_label(heft_profile_table(job->profile), l->start))
			puts(l->text);
}

static bool size_write_report(void *ctx, FILE *to, struct heft_err *err)
{
	const struct size_job *job = ctx;
	const struct heft_sink sink = output_sink(&job->run.out, to);
	if (job->raw_map || job->verbosity > 0)
		rawmap_print(job->profile, job->run.out.write.domain, to);
	return job->raw_map || heft_profile_write(job->profile, &job->run.out.write, &sink, err);
}

static int cmd_size_report(struct size_job *job)
{
	struct heft_file_info info = { .size = sizeof info };
	const char *to = job->run.out.path;
	for (size_t i = 0; to && heft_profile_file(job->profile, i, &info, NULL); i++)
		if (!outfile_spares(job->run.cli, to, info.path))
			return EXIT_TROUBLE;
	const int status = outfile_write(job->run.cli, to, size_write_report, job);
	if (status != EXIT_FINE)
		return status;
	size_explain_labels(job);
	notes_print(job->run.cli, job->run.session, job->verbosity > 0);
	const struct heft_table *t = heft_profile_table(job->profile);
	const uint64_t file = t->top->now[HEFT_SIZE_FILE], vm = t->top->now[HEFT_SIZE_VM],
		       old_file = t->top->base[HEFT_SIZE_FILE], old_vm = t->top->base[HEFT_SIZE_VM];
	if (job->filtered && file == 0 && vm == 0 && old_file == 0 && old_vm == 0) {
		fflush(stdout);
		fprintf(stderr, "%s: note: the filters let nothing through\n",
			job->run.cli->program);
	}
	/* A diff omits unchanged rows, so any row is a difference. */
	const bool differs = t->diff &&
			     (t->top->child_count > 0 || file != old_file || vm != old_vm);
	return job->exit_code && differs ? EXIT_NO : EXIT_FINE;
}

/* Prints the blocks and instructions of job->disassemble. Names have the style of the rows. */
static int size_disassemble(const struct size_job *job)
{
	struct heft_file_info file = { .size = sizeof file };
	if (heft_profile_file_count(job->profile) != 1 ||
	    !heft_profile_file(job->profile, 0, &file, NULL))
		return cli_error(job->run.cli, "--disassemble goes with one file");
	const char *words[] = { "--disassemble",
				"--function",
				job->disassemble,
				"-C",
				job->style != NULL ? job->style : "short",
				file.path };
	struct cli cli = *job->run.cli;
	cli.command = cli_command("blocks");
	return cmd_blocks(&cli, sizeof words / sizeof words[0], (char **)(uintptr_t)words);
}

const char size_manual[] =
	"Tells where the bytes of programs go: one row a label, in the file and in the\n"
	"memory image.  With BASE files after '--', tells what changed.  'man heft' says\n"
	"what labels such as [Unmapped] mean.\n";

int cmd_size(const struct cli *cli, int argc, char **argv)
{
	struct size_job job;
	const char *name, *text;
	int status = size_job_init(&job, cli, argc, argv);
	if (status == CLI_GO_ON && job.list_sources) {
		for (size_t i = 0; heft_source(i, &name, &text); i++)
			printf("%-15s %s\n", name, text);
		status = EXIT_FINE;
	} else if (status == CLI_GO_ON && job.disassemble != NULL && job.source_count == 0)
		status = size_disassemble(&job);
	else if (status == CLI_GO_ON && job.disassemble != NULL && !cli_is_bloaty(cli))
		status = cli_error(cli, "--disassemble prints no table; leave out -d");
	else if (status == CLI_GO_ON)
		status = size_run(&job) ? cmd_size_report(&job) : EXIT_TROUBLE;
	size_job_release(&job);
	return status;
}
