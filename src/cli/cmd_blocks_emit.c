#include "cli/notes.h"
#include "cli/outfile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
	O_HELP = 1,
	O_VERSION,
	O_OUTPUT,
	O_MAP_VERSION,
	O_DERIVE,
	O_CONVENTION,
	O_REPLACE,
	O_DEBUG_FILE,
	O_DEBUG_DIR,
	O_NO_SEARCH,
	O_VERBOSE,
};

const struct opt blocks_emit_opts[] = {
	{ O_OUTPUT, 'o', false, "output", "FILE", "the copy" },
	{ O_MAP_VERSION, 0, false, "map-version", "1|2|3|4|5",
	  "of the map (default: 2, which LLVM 16 to 22 read)" },
	{ O_DERIVE, 0, false, "derive", NULL,
	  "derive blocks from the code even if there is a map" },
	{ O_CONVENTION, 0, false, "convention", "auto|llvm|gcc|pure",
	  "what ends a derived block (default: auto)" },
	{ O_REPLACE, 0, false, "replace", NULL, "in place of a map that is there" },
	{ O_DEBUG_FILE, 0, false, "debug-file", "FILE", "separate debug file, same build id" },
	{ O_DEBUG_DIR, 'D', false, "debug-dir", "DIR", "look for debug files here first" },
	{ O_NO_SEARCH, 0, false, "no-debug-search", NULL, "use no debug file that was not named" },
	{ O_VERBOSE, 'v', false, NULL, NULL, "notes with offsets" },
	{ O_HELP, 'h', false, "help", NULL, "show this and stop" },
	{ O_VERSION, 0, false, "version", NULL, "show heft's version and stop" },
	{ 0 },
};

const char blocks_emit_manual[] =
	"Copies a program or shared object and gives the copy a section\n"
	".llvm_bb_addr_map with its machine basic blocks, for tools that read such\n"
	"maps.  Code and data stay as they are: the copy runs as the file does.  Blocks\n"
	"are those that 'heft blocks' shows; with --replace a map is written again in\n"
	"another version.\n";

struct emit_job {
	const struct cli *cli;
	struct heft_blocks *blocks;
	const char *file, *output;
	size_t file_count;
	unsigned map_version;
	bool replace, verbose;
};

static const struct choice versions[] = { { "1", 1 }, { "2", 2 }, { "3", 3 },
					  { "4", 4 }, { "5", 5 }, { NULL, 0 } };

static bool apply(void *ctx, const struct opt *o, const char *value)
{
	struct emit_job *job = ctx;
	struct heft_blocks *b = job->blocks;
	unsigned convention;
	switch (o->id) {
	case O_OUTPUT: job->output = value; break;
	case O_MAP_VERSION: return cli_choice(job->cli, o, value, versions, &job->map_version);
	case O_DERIVE: heft_blocks_set_derive(b, HEFT_DERIVE_ALWAYS); break;
	case O_CONVENTION:
		if (!cli_choice(job->cli, o, value, convention_choices, &convention))
			return false;
		heft_blocks_set_convention(b, (enum heft_convention)convention);
		break;
	case O_REPLACE: job->replace = true; break;
	case O_DEBUG_FILE: heft_blocks_add_debug_file(b, value); break;
	case O_DEBUG_DIR: heft_blocks_add_debug_dir(b, value); break;
	case O_NO_SEARCH: heft_blocks_set_find_debug(b, false); break;
	case O_VERBOSE: job->verbose = true; break;
	default: break;
	}
	return true;
}

static bool add_operand(void *ctx, const char *word)
{
	struct emit_job *job = ctx;
	job->file = word;
	job->file_count++;
	return true;
}

static bool put_piece(void *ctx, const void *data, size_t size)
{
	return fwrite(data, 1, size, ctx) == size;
}

static int no_output(const struct emit_job *job)
{
	return cli_error(job->cli, "%s: cannot write: %s", job->output, strerror(errno));
}

/* The copy may be run by those who may run the file. */
static int write_copy(const struct emit_job *job, const struct stat *st)
{
	struct outfile out;
	struct heft_err err;
	if (!outfile_open(&out, job->output))
		return no_output(job);
	if (!heft_blocks_emit(job->blocks, job->map_version, job->replace, put_piece, out.f,
			      &err)) {
		outfile_drop(&out);
		return cli_failed(job->cli, &err);
	}
	if (out.temp != NULL && fchmod(fileno(out.f), st->st_mode & 0777) != 0) {
		const int status = no_output(job);
		outfile_drop(&out);
		return status;
	}
	return outfile_close(&out) ? EXIT_FINE : no_output(job);
}

static int run(struct emit_job *job)
{
	struct heft_err err;
	struct stat in, out;
	if (job->file_count != 1)
		return cli_error(job->cli, "must specify one file; try '%s --help'",
				 job->cli->usage);
	if (job->output == NULL)
		return cli_error(job->cli, "say where to with -o FILE");
	if (stat(job->file, &in) != 0)
		return cli_error(job->cli, "%s: cannot open: %s", job->file, strerror(errno));
	if (stat(job->output, &out) == 0 && in.st_dev == out.st_dev && in.st_ino == out.st_ino)
		return cli_error(job->cli, "%s: is the file itself, which stays as it is",
				 job->output);
	if (!heft_blocks_open(job->blocks, job->file, &err))
		return cli_failed(job->cli, &err);
	const int status = write_copy(job, &in);
	for (size_t i = 0; i < heft_blocks_note_count(job->blocks); i++)
		note_print(job->cli, heft_blocks_note(job->blocks, i), job->verbose);
	return status;
}

int cmd_blocks_emit(const struct cli *cli, int argc, char **argv)
{
	static const struct cli_words words = { apply, add_operand };
	struct emit_job job = { .cli = cli, .blocks = heft_blocks_new(), .map_version = 2 };
	int status = cli_parse(cli, argc, argv, &words, &job);
	if (status == CLI_GO_ON)
		status = run(&job);
	heft_blocks_free(job.blocks);
	return status;
}
