/* Implements heft blocks: lists basic blocks. */
#include "cli/functions.h"
#include "cli/run.h"

#include <inttypes.h>
#include <stdlib.h>

enum { O_FUNCTION = O_OWN, O_DERIVE, O_CONVENTION };

struct blocks_job {
	struct command_run run;
	struct heft_blocks *blocks;
	bool disassemble;
	const char **functions; /* Wanted functions. Empty means all */
	bool *wanted;           /* Per function of the file: true if wanted. NULL means all */
	bool missing;           /* True if a name belongs to no function */
	size_t function_count;
};

const struct opt blocks_opts[] = {
	{ O_FUNCTION, 0, false, "function", "NAME", "this function alone; may be repeated" },
	{ O_DEMANGLE, 'C', false, "demangle", "none|short|full", "names (default: full)" },
	{ O_DERIVE, 0, false, "derive", NULL,
	  "derive blocks from the code even if there is a map" },
	{ O_CONVENTION, 0, false, "convention", "auto|llvm|gcc|pure",
	  "what ends a derived block (default: auto)" },
#define OUTPUT_ROWS    "functions to list, 0: all (default)"
#define OUTPUT_FORMATS "table|csv|tsv|json|markdown"
#define OUTPUT_FORMATS_HELP                                                                        \
	"table (default), csv, tsv, markdown: a line a\n"                                          \
	"                              block, json: an object a function"
#define OUTPUT_NO_STACKS
#define OUTPUT_LINES
#include "cli/output_opts.inc"
	{ 0, 0, false, "disassemble", NULL, "below each block its instructions",
	  SETS(struct blocks_job, disassemble) },
#include "cli/find_opts.inc"
#include "cli/notes_opts.inc"
};

const char blocks_manual[] =
	"Lists functions and their machine basic blocks, as the compiler wrote them\n"
	"down: in sections .llvm_bb_addr_map (clang -fbasic-block-address-map), their\n"
	"older forms, or symbols of blocks (LLVM up to 11).  Where there is no map they\n"
	"are derived from the code (x86-64, i386, AArch64).\n";

static bool blocks_apply(void *ctx, const struct opt *o, const char *value)
{
	struct blocks_job *job = ctx;
	unsigned choice;
	switch (o->id) {
	case O_FUNCTION: job->functions[job->function_count++] = value; break;
	case O_DERIVE: heft_blocks_set_derive(job->blocks, HEFT_DERIVE_ALWAYS); break;
	case O_CONVENTION:
		if (!cli_choice(job->run.cli, o, value, convention_choices, &choice))
			return false;
		heft_blocks_set_convention(job->blocks, (enum heft_convention)choice);
		break;
	default: return run_apply(job, o, value);
	}
	return true;
}

struct blocks_sums {
	uint64_t functions, blocks, bytes;
	uint64_t listed; /* Number of functions that were written */
};

/* Marks the functions that have this name. */
static void name_mark(struct blocks_job *job, const char *name)
{
	struct heft_err err;
	const size_t *numbers;
	size_t count;
	if (!heft_blocks_named(job->blocks, name, &numbers, &count, &err)) {
		say_no_function(job->run.cli, job->blocks, name, &err);
		job->missing = true;
		return;
	}
	for (size_t i = 0; i < count; i++) {
		ASSERT(numbers[i] < heft_blocks_function_count(job->blocks));
		job->wanted[numbers[i]] = true;
	}
}

/* Marks the functions of all names. False if there is no memory. */
static bool names_mark(struct blocks_job *job)
{
	const size_t count = heft_blocks_function_count(job->blocks);
	if (job->function_count == 0 || count == 0)
		return true;
	job->wanted = calloc(count, sizeof *job->wanted);
	for (size_t i = 0; job->wanted != NULL && i < job->function_count; i++)
		name_mark(job, job->functions[i]);
	return job->wanted != NULL;
}

static const char *plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

/* Prints, below the list, the share of the code that all blocks cover. */
static void blocks_put_sums(const struct blocks_job *job, const struct blocks_sums *sums, FILE *to)
{
	struct heft_block_sums of = { .size = sizeof of };
	heft_blocks_sum(job->blocks, &of, NULL);
	ASSERT(sums->listed <= sums->functions);
	if (sums->listed < sums->functions)
		fprintf(to, "[%" PRIu64 " more functions]\n", sums->functions - sums->listed);
	fprintf(to, "%" PRIu64 " function%s, %" PRIu64 " block%s, %" PRIu64 " byte%s\n",
		sums->functions, plural(sums->functions), sums->blocks, plural(sums->blocks),
		sums->bytes, plural(sums->bytes));
	fprintf(to,
		"%" PRIu64 " byte%s of code: %" PRIu64 " in blocks, %" PRIu64
		" in landing pads, %" PRIu64 " padding, %" PRIu64 " unmapped\n",
		of.code, plural(of.code), of.blocks, of.landing_pads, of.padding, of.unmapped);
}

static bool blocks_put_head(const struct blocks_job *job, const struct heft_sink *sink,
			    struct heft_err *err)
{
	return heft_block_function_write(NULL, &job->run.out.write, sink, err);
}

/* Counts the blocks of all wanted functions, and writes at most as many functions as the user asked
 * for. False if a function cannot be read or the output fails. */
static bool blocks_list_functions(struct blocks_job *job, struct blocks_sums *sums,
				  const struct heft_sink *sink, struct heft_err *err)
{
	const uint32_t most = output_rows(&job->run.out, 0);
	struct heft_block_function f = { .size = sizeof f };
	const size_t count = heft_blocks_function_count(job->blocks);
	for (size_t i = 0; i < count; i++) {
		if (job->wanted != NULL && !job->wanted[i])
			continue;
		if (!heft_blocks_function(job->blocks, i, &f, err))
			return false;
		sums->functions++;
		sums->blocks += f.block_count;
		for (size_t k = 0; k < f.block_count; k++)
			sums->bytes += f.blocks[k]->size;
		if (most > 0 && sums->functions > most)
			continue;
		if (sums->listed++ == 0 && job->run.out.write.format == HEFT_TABLE &&
		    !blocks_put_head(job, sink, err))
			return false;
		if (!(job->disassemble
			      ? heft_blocks_disassemble(job->blocks, i, sink, err)
			      : heft_block_function_write(&f, &job->run.out.write, sink, err)))
			return false;
	}
	return true;
}

/* Writes the list. Called by outfile_write(). */
static bool blocks_list(void *ctx, FILE *to, struct heft_err *err)
{
	struct blocks_job *job = ctx;
	const struct heft_sink sink = output_sink(&job->run.out, to);
	const bool table = job->run.out.write.format == HEFT_TABLE;
	struct blocks_sums sums = { 0 };
	if (!table && !blocks_put_head(job, &sink, err))
		return false;
	if (!blocks_list_functions(job, &sums, &sink, err))
		return false;
	if (table && job->function_count == 0 && sums.functions > 0)
		blocks_put_sums(job, &sums, to);
	return true;
}

static int blocks_run(struct blocks_job *job)
{
	struct heft_err err;
	if (!run_has_words(&job->run, 1, 1, "one file"))
		return EXIT_TROUBLE;
	if (job->disassemble && job->run.out.write.format != HEFT_TABLE)
		return cli_error(job->run.cli, "--disassemble goes with --format=table alone");
	heft_blocks_set_whole(job->blocks, job->disassemble);
	if (!heft_blocks_open(job->blocks, job->run.words[0], &err))
		return cli_failed(job->run.cli, &err);
	if (!names_mark(job))
		return cli_error(job->run.cli, "out of memory");
	int status = outfile_write(job->run.cli, job->run.out.path, blocks_list, job);
	notes_print_each(job->run.cli, job->run.session, job->run.verbose);
	if (status == EXIT_FINE && heft_blocks_function_count(job->blocks) == 0) {
		cli_error(job->run.cli, "%s: no basic blocks", job->run.words[0]);
		return EXIT_NO;
	}
	return status == EXIT_FINE && job->missing ? EXIT_NO : status;
}

int cmd_blocks(const struct cli *cli, int argc, char **argv)
{
	static const struct cli_words words = { .option = blocks_apply };
	struct blocks_job job = { .run = run_new(cli, list_formats) };
	job.blocks = cli_made(cli, heft_blocks_new(job.run.session));
	job.functions = cli_made(cli, calloc((size_t)argc + 1, sizeof *job.functions));
	int status = cli_parse(&job, argc, argv, &words);
	if (status == CLI_GO_ON)
		status = blocks_run(&job);
	free(job.functions);
	free(job.wanted);
	run_release(&job.run);
	heft_blocks_free(job.blocks);
	return status;
}
