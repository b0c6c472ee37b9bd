/* Implements heft snapshot: writes a program's symbols to a file. */
#include "cli/snapshots.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { O_BUILD = O_OWN, O_COMPONENTS, O_METADATA };

struct snapshot_job {
	struct command_run run;
	struct heft_snapshot *snapshot;
	bool stats, check;
	unsigned flags; /* Bits of enum heft_snapshot_flag */
};

const struct opt snapshot_opts[] = {
	{ O_OUTPUT, 'o', false, "output", "FILE", "write the snapshot there" },
	{ 0, 0, false, "stats", NULL, "print the totals of each section",
	  SETS(struct snapshot_job, stats) },
	{ 0, 0, false, "check", NULL, "tell what looks wrong in the list, as heft check",
	  SETS(struct snapshot_job, check) },
	{ O_BUILD, 0, false, "build", "FILE", "compile_commands.json or build.ninja: sources" },
	{ O_COMPONENTS, 0, false, "components", "FILE", "who owns which sources, as CODEOWNERS" },
	{ O_METADATA, 0, false, "metadata", "KEY=VALUE", "keep that too: git_revision=1a2b3c" },
	{ 0, 0, false, "no-string-literals", NULL, "no symbols for string literals",
	  ADDS(struct snapshot_job, flags, HEFT_SNAPSHOT_NO_LITERALS) },
	{ 0, 0, false, "path-aliases", NULL, "an alias for each object that has a function",
	  ADDS(struct snapshot_job, flags, HEFT_SNAPSHOT_PATH_ALIASES) },
	{ 0, 0, false, "supersize-names", NULL, "cut names exactly as SuperSize does",
	  ADDS(struct snapshot_job, flags, HEFT_SNAPSHOT_EXACT_NAMES) },
	{ 0, 0, false, "stacks", NULL, "keep how much stack functions take at most",
	  ADDS(struct snapshot_job, flags, HEFT_SNAPSHOT_STACKS) },
#include "cli/find_opts.inc"
#include "cli/region_opts.inc"
#include "cli/stack_opts.inc"
#include "cli/notes_opts.inc"
};

const char snapshot_manual[] =
	"Lists every symbol of a program with size, padding, source and object file and\n"
	"aliases, and keeps the list in a .size file: SuperSize's format, which its\n"
	"console and viewer open, and so do 'heft diff' and 'heft query'. FILE is a\n"
	"program, a shared object, an object file or archive, a zip file (APK), a dex\n"
	"file, a data pack (.pak), or a .size file; several become one snapshot of\n"
	"several containers.\n";

static bool cmd_snapshot_add_metadata(const struct snapshot_job *job, const struct opt *o,
				      const char *value)
{
	struct heft_err err;
	const char *equals = strchr(value, '=');
	char *key = equals != NULL ? strndup(value, (size_t)(equals - value)) : NULL;
	if (key == NULL)
		return cli_bad_value(job->run.cli, o, value, "KEY=VALUE");
	const bool ok = heft_snapshot_add_metadata(job->snapshot, key, equals + 1, &err);
	if (!ok)
		cli_failed(job->run.cli, &err);
	free(key);
	return ok;
}

static bool snapshot_apply(void *ctx, const struct opt *o, const char *value)
{
	struct snapshot_job *job = ctx;
	switch (o->id) {
	case O_BUILD: heft_snapshot_add_build(job->snapshot, value); return true;
	case O_COMPONENTS: heft_snapshot_set_components(job->snapshot, value); return true;
	case O_METADATA: return cmd_snapshot_add_metadata(job, o, value);
	default: return run_apply(job, o, value);
	}
}

static void print_share(uint64_t part, int64_t whole)
{
	if (whole > 0)
		printf("%9.1f%%", 100.0 * (double)part / (double)whole);
	else
		printf("%10s", "-");
}

/* Prints the totals. The last two lines sum up the bytes in the file and in the VM image. */
static void print_stats(const struct snapshot_job *job)
{
	struct heft_snapshot_section sec = { .size = sizeof sec };
	int64_t file = 0, memory = 0;
	const char *container = "";
	printf("%-20s %12s%12s%14s%10s%10s%10s%10s\n", "section", "own", "padding", "padded",
	       "symbols", "source", "object", "aliases");
	for (size_t i = 0; heft_snapshot_section(job->snapshot, i, &sec, NULL); i++) {
		const int64_t size = sec.symbol_size + sec.padding;
		if (strcmp(container, sec.container) != 0)
			printf("%s\n", sec.container);
		container = sec.container;
		ASSERT(sec.unique <= sec.symbols);
		printf("%-20s %12" PRId64 "%12" PRId64 "%14" PRId64 "%10" PRIu64, sec.name,
		       sec.symbol_size, sec.padding, size, sec.unique);
		print_share(sec.with_source, sec.symbol_size);
		print_share(sec.with_object, sec.symbol_size);
		printf("%10" PRIu64 "%s\n", sec.symbols - sec.unique,
		       sec.in_file ? "" : "  (not in the file)");
		file += sec.in_file ? size : 0;
		memory += sec.in_memory ? size : 0;
	}
	printf("%-20s %38" PRId64 "\n", "file", file);
	if (memory > 0)
		printf("%-20s %38" PRId64 "\n", "VM image", memory);
}

static bool cmd_snapshot_write(void *ctx, FILE *to, struct heft_err *err)
{
	const struct snapshot_job *job = ctx;
	return heft_snapshot_write(job->snapshot, &(struct heft_sink){ outfile_put, to }, err);
}

static int snapshot_run(struct snapshot_job *job)
{
	struct heft_err err;
	const struct command_run *run = &job->run;
	const char *output = run->out.path;
	if (!run_has_words(run, 1, SIZE_MAX, "a file"))
		return EXIT_TROUBLE;
	if (!run->out.has_path && !job->stats && !job->check)
		return cli_error(
			run->cli,
			"must specify where to write, with -o FILE, or --stats or --check; "
			"try '%s --help'",
			run->cli->usage);
	for (size_t i = 0; i < run->word_count; i++)
		if (!outfile_spares(run->cli, output, run->words[i]))
			return EXIT_TROUBLE;
	ASSERT(job->snapshot != NULL);
	heft_snapshot_set_flags(job->snapshot, job->flags | HEFT_SNAPSHOT_ALONE);
	if (!heft_snapshot_open_all(job->snapshot, run->words, run->word_count, &err))
		return cli_failed(run->cli, &err);
	notes_print(run->cli, run->session, run->verbose);
	progress_end(run->cli->progress);
	if (job->stats)
		print_stats(job);
	int status = job->check ? snapshot_judge(run->cli, job->snapshot, NULL) : EXIT_FINE;
	if (run->out.has_path &&
	    outfile_write(run->cli, output, cmd_snapshot_write, job) != EXIT_FINE)
		status = EXIT_TROUBLE;
	return status;
}

int cmd_snapshot(const struct cli *cli, int argc, char **argv)
{
	static const struct cli_words words = { .option = snapshot_apply };
	struct snapshot_job job = { .run = run_new(cli, NULL) };
	job.snapshot = cli_made(cli, heft_snapshot_new(job.run.session));
	int status = cli_parse(&job, argc, argv, &words);
	if (status == CLI_GO_ON)
		status = snapshot_run(&job);
	run_release(&job.run);
	heft_snapshot_free(job.snapshot);
	return status;
}
