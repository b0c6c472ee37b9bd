/* Implements heft why: shows why symbols are in a program, and what would go with them. */
#include "cli/run.h"

struct why_job {
	struct command_run run; /* Its operands are the file, then names */
	struct heft_graph *graph;
	const char *by; /* Data source of the names. NULL: symbols */
	bool references, unknown;
};

const struct opt why_opts[] = {
	{ 0, 0, true, "references", NULL, "all references of the program, a line each",
	  SETS(struct why_job, references) },
	{ 0, 0, false, "by", "SOURCE",
	  "names of packages, libraries, objects, namespaces,\n"
	  "                              directories, compileunits ...: each as a whole",
	  KEEPS(struct why_job, by) },
	{ O_DEMANGLE, 'C', false, "demangle", "none|short|full", "names (default: full)" },
#define OUTPUT_FORMATS "table|csv|tsv|json|markdown"
#define OUTPUT_FORMATS_HELP                                                                        \
	"table (default), json: an object a symbol,\n"                                             \
	"                              csv, tsv, markdown: a line a symbol"
#define OUTPUT_NO_STACKS
#define OUTPUT_LINES
#include "cli/output_opts.inc"
#include "cli/find_opts.inc"
#include "cli/exe_opts.inc"
#include "cli/notes_opts.inc"
};

const char why_manual[] =
	"Tells why symbols are in a program, library or object: the shortest chain of\n"
	"references from a root, who else refers to the symbol, and which bytes would go\n"
	"with it, because nothing else reaches them.\n"
	"\n"
	"A root is the entry, an export, a constructor, an interrupt vector, or what\n"
	"linkers keep.  NAME is as in 'heft where': the linker's name, 'ns::f', 'f(int)',\n"
	"sub_ADDRESS, an address, or a pattern for one group of symbols: 'json_*'.\n";

static bool why_write_names(struct why_job *job, const struct heft_sink *sink, struct heft_err *err)
{
	const struct heft_write_opts *opts = &job->run.out.write;
	bool good = heft_graph_write(job->graph, NULL, opts, sink, err);
	for (size_t i = 1; i < job->run.word_count && good; i++) {
		struct heft_err unknown;
		size_t count = 0;
		const char *name = job->run.words[i];
		if (job->by ? heft_graph_ask_by(job->graph, job->by, name, &unknown)
			    : heft_graph_ask(job->graph, name, &count, &unknown)) {
			count = job->by ? 1 : count;
		} else {
			cli_failed(job->run.cli, &unknown);
			job->unknown = true;
		}
		for (size_t k = 0; k < count && good; k++) {
			struct heft_why why = { .size = sizeof why };
			good = heft_graph_why(job->graph, k, &why, err) &&
			       heft_graph_write(job->graph, &why, opts, sink, err);
		}
	}
	return good;
}

static bool why_write(void *ctx, FILE *to, struct heft_err *err)
{
	struct why_job *job = ctx;
	const struct heft_sink sink = output_sink(&job->run.out, to);
	return job->references
		       ? heft_graph_write_references(job->graph, &job->run.out.write, &sink, err)
		       : why_write_names(job, &sink, err);
}

static int why_run(struct why_job *job)
{
	struct heft_err err;
	const char **words = job->run.words;
	if (job->references
		    ? !run_has_words(&job->run, 1, 1, "one file")
		    : !run_has_words(&job->run, 2, SIZE_MAX, "a file and at least one name"))
		return EXIT_TROUBLE;
	if (!heft_graph_open(job->graph, words[0], &err))
		return cli_failed(job->run.cli, &err);
	const int status = outfile_write(job->run.cli, job->run.out.path, why_write, job);
	notes_print(job->run.cli, job->run.session, job->run.verbose);
	return job->unknown ? EXIT_TROUBLE : status;
}

int cmd_why(const struct cli *cli, int argc, char **argv)
{
	struct why_job job = { .run = run_new(cli, list_formats) };
	job.graph = cli_made(cli, heft_graph_new(job.run.session));
	int status = cli_parse(&job, argc, argv, NULL);
	if (status == CLI_GO_ON)
		status = why_run(&job);
	run_release(&job.run);
	heft_graph_free(job.graph);
	return status;
}
