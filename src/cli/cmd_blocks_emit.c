/* Implements heft blocks emit: writes a copy of a program with a map of its basic blocks. */
#include "base/os/os.h"
#include "base/os/shell.h"
#include "cli/run.h"

#include <errno.h>
#include <string.h>

enum { O_DERIVE = O_OWN, O_CONVENTION };

struct emit_job {
	struct command_run run;
	struct heft_blocks *blocks;
	unsigned map_version;
	unsigned flags; /* Bits of enum heft_emit_flag */
};

static const struct choice versions[] = { { "1", 1 }, { "2", 2 }, { "3", 3 },
					  { "4", 4 }, { "5", 5 }, { NULL, 0 } };

const struct opt blocks_emit_opts[] = {
	{ O_OUTPUT, 'o', false, "output", "FILE", "the copy" },
	{ 0, 0, false, "map-version", "1|2|3|4|5",
	  "of the map (default: 2, which LLVM 16 to 22 read)",
	  PICKS(struct emit_job, map_version, versions) },
	{ O_DERIVE, 0, false, "derive", NULL,
	  "derive blocks from the code even if there is a map" },
	{ O_CONVENTION, 0, false, "convention", "auto|llvm|gcc|pure",
	  "what ends a derived block (default: auto)" },
	{ 0, 0, false, "replace", NULL, "in place of a map that is there",
	  ADDS(struct emit_job, flags, HEFT_EMIT_REPLACE) },
#include "cli/find_opts.inc"
#include "cli/notes_opts.inc"
};

const char blocks_emit_manual[] =
	"Copies a program or shared object and gives the copy a section\n"
	".llvm_bb_addr_map with its machine basic blocks, for tools that read such\n"
	"maps.  Code and data stay as they are: the copy runs as the file does.  Blocks\n"
	"are those that 'heft blocks' shows; with --replace a map is written again in\n"
	"another version.\n";

static bool blocks_emit_apply(void *ctx, const struct opt *o, const char *value)
{
	struct emit_job *job = ctx;
	struct heft_blocks *b = job->blocks;
	unsigned convention;
	switch (o->id) {
	case O_DERIVE: heft_blocks_set_derive(b, HEFT_DERIVE_ALWAYS); break;
	case O_CONVENTION:
		if (!cli_choice(job->run.cli, o, value, convention_choices, &convention))
			return false;
		heft_blocks_set_convention(b, (enum heft_convention)convention);
		break;
	default: return run_apply(job, o, value);
	}
	return true;
}

/* Writes the copy, with the access rights of the file. */
static bool write_copy(void *ctx, FILE *to, struct heft_err *err)
{
	const struct emit_job *job = ctx;
	if (!heft_blocks_emit(job->blocks, job->map_version, job->flags,
			      &(struct heft_sink){ outfile_put, to }, err))
		return false;
	os_copy_rights(to, job->run.words[0]);
	return true;
}

static int blocks_emit_run(struct emit_job *job)
{
	struct heft_err err;
	struct os_file is;
	const char *output = job->run.out.path;
	if (!run_has_words(&job->run, 1, 1, "one file"))
		return EXIT_TROUBLE;
	const char *file = job->run.words[0];
	if (!job->run.out.has_path)
		return cli_error(job->run.cli,
				 "must specify where to write, with -o FILE; try '%s --help'",
				 job->run.cli->usage);
	if (!os_path_look(file, &is))
		return cli_error(job->run.cli, "%s: cannot open: %s", file, strerror(errno));
	if (!outfile_spares(job->run.cli, output, file))
		return EXIT_TROUBLE;
	if (!heft_blocks_open(job->blocks, file, &err))
		return cli_failed(job->run.cli, &err);
	const int status = outfile_write(job->run.cli, output, write_copy, job);
	notes_print_each(job->run.cli, job->run.session, job->run.verbose);
	return status;
}

int cmd_blocks_emit(const struct cli *cli, int argc, char **argv)
{
	static const struct cli_words words = { .option = blocks_emit_apply };
	struct emit_job job = { .run = run_new(cli, NULL), .map_version = 2 };
	job.blocks = cli_made(cli, heft_blocks_new(job.run.session));
	int status = cli_parse(&job, argc, argv, &words);
	if (status == CLI_GO_ON)
		status = blocks_emit_run(&job);
	run_release(&job.run);
	heft_blocks_free(job.blocks);
	return status;
}
