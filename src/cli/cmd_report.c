/* heft report: one html file to look at. */
#include "cli/notes.h"
#include "cli/outfile.h"
#include "cli/snapshots.h"
#include "cli/term.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { O_DEMANGLE = O_OWN, O_PERF };

const struct opt report_opts[] = {
	{ O_BY, 'd', true, "by", "A,B,..",
	  "data sources of programs to group by (default:\n"
	  "                              sections,compileunits,namespaces,symbols)" },
	{ O_DEMANGLE, 'C', true, "demangle", "none|short|full",
	  "names of symbols (default: short)" },
	{ O_PERF, 0, false, "perf", "FILE", "samples of perf record, for the source hotness" },
	{ O_OUTPUT, 'o', true, "output", "FILE", "write there, all or nothing" },
	{ .help = "Where things are:" },
#include "cli/find_opts.inc"
#include "cli/exe_opts.inc"
	{ O_VERBOSE, 'v', false, NULL, NULL, "notes with offsets" },
#include "cli/last_opts.inc"
	{ 0 },
};

const char report_manual[] =
	"Writes one html file that shows where the bytes go, for a browser without a\n"
	"network: treemap, flame graph, table, to be grouped and filtered as one looks.\n"
	"INPUT: programs, .size and .sizediff files, cores and recordings of heaps, each\n"
	"a tab.  With BASE files after '--', what changed.\n";

struct files {
	const char **paths;
	size_t count;
};

struct report_job {
	const struct cli *cli;
	struct heft_page *page;
	struct snapshot_settings settings;
	enum heft_demangle style;
	const char *by, *perf, *output;
	struct files inputs, bases;
};

/* ---- the command line ------------------------------------------------------------------------ */

static bool apply(void *ctx, const struct opt *o, const char *value)
{
	struct report_job *job = ctx;
	unsigned style;
	switch (o->id) {
	case O_BY: job->by = value; break;
	case O_PERF: job->perf = value; break;
	case O_OUTPUT: job->output = value; break;
	case O_VERBOSE: job->settings.verbose = true; break;
	case O_DEMANGLE:
		if (!cli_choice(job->cli, o, value, style_choices, &style))
			return false;
		job->style = (enum heft_demangle)style;
		break;
	default: return cli_find(job->cli, job->settings.finder, o, value);
	}
	return true;
}

static bool add_file(struct report_job *job, struct files *f, const char *path)
{
	const char **grown = realloc(f->paths, (f->count + 1) * sizeof *grown);
	if (grown == NULL) {
		cli_error(job->cli, "out of memory");
		return false;
	}
	f->paths = grown;
	f->paths[f->count++] = path;
	return true;
}

static bool add_operand(void *ctx, const char *word)
{
	struct report_job *job = ctx;
	return add_file(job, &job->inputs, word);
}

static bool add_base(void *ctx, const char *word)
{
	struct report_job *job = ctx;
	return add_file(job, &job->bases, word);
}

/* ---- programs -------------------------------------------------------------------------------- */

struct asked {
	const struct cli *cli;
	struct heft_profile *profile;
};

static bool add_source(void *ctx, const char *name)
{
	const struct asked *a = ctx;
	struct heft_err err;
	if (heft_profile_add_source(a->profile, name, &err))
		return true;
	return err.code == HEFT_EARG ? cli_unknown_source(a->cli, name)
				     : cli_failed(a->cli, &err) == EXIT_FINE;
}

static bool add_paths(struct heft_profile *p, const struct files *f, enum heft_role role,
		      struct heft_err *err)
{
	for (size_t i = 0; i < f->count; i++)
		if (!heft_profile_add_file(p, f->paths[i], role, err))
			return false;
	return true;
}

static const struct heft_note *profile_note(const void *handle, size_t i)
{
	return heft_profile_note(handle, i);
}

static bool run_profile(const struct report_job *job, struct heft_profile *p, const char *title,
			const struct files *inputs)
{
	struct heft_err err;
	heft_profile_set_finder(p, job->settings.finder);
	heft_profile_set_demangle(p, job->style);
	heft_profile_set_rows(p, 1); /* a page takes them all */
	bool good = (job->perf == NULL || heft_profile_set_samples(p, job->perf, &err)) &&
		    add_paths(p, inputs, HEFT_INPUT, &err) &&
		    add_paths(p, &job->bases, HEFT_BASE, &err);
	heft_profile_set_progress(p, progress_show, job->cli->progress);
	good = good && heft_profile_run(p, &err) &&
	       heft_page_add_profile(job->page, title, p, &err);
	notes_print(job->cli, p, profile_note, heft_profile_note_count(p), job->settings.verbose);
	if (!good)
		cli_failed(job->cli, &err);
	return good;
}

static bool add_profile(const struct report_job *job, const char *title, const struct files *inputs,
			const char *by)
{
	struct heft_profile *p = heft_profile_new();
	struct asked asked = { job->cli, p };
	const bool good = cli_each_name(job->cli, job->by ? job->by : by, add_source, &asked) &&
			  (job->perf == NULL || add_source(&asked, "hotness")) &&
			  run_profile(job, p, title, inputs);
	heft_profile_free(p);
	return good;
}

/* ---- snapshots and dumps --------------------------------------------------------------------- */

static bool add_snapshot(const struct report_job *job, const char *title, const char *path,
			 const char *base)
{
	struct heft_snapshot *before = NULL, *after = NULL;
	struct heft_err err;
	const char *const paths[2] = { base, path };
	if (base != NULL)
		(void)snapshot_open_pair(job->cli, &job->settings, paths, &before, &after);
	else
		after = snapshot_open(job->cli, &job->settings, path);
	bool good = after != NULL;
	if (good && !heft_page_add_snapshot(job->page, title, before, after, &err))
		good = cli_failed(job->cli, &err) == EXIT_FINE;
	heft_snapshot_free(before);
	heft_snapshot_free(after);
	return good;
}

static struct heft_heap *open_heap(const struct report_job *job, const char *path,
				   struct heft_err *err)
{
	struct heft_heap *h = heft_heap_new();
	heft_heap_set_finder(h, job->settings.finder);
	heft_heap_set_demangle(h, job->style);
	heft_heap_set_progress(h, progress_show, job->cli->progress);
	if (heft_heap_open(h, path, err))
		return h;
	heft_heap_free(h);
	return NULL;
}

static bool is_recorded(const struct heft_heap *h)
{
	struct heft_heap_info info = { .size = sizeof info };
	heft_heap_info(h, &info);
	return info.recorded;
}

/* A dump without records of a heap is shown as what is mapped. */
static bool add_dump(const struct report_job *job, const char *title, const char *path,
		     const char *base)
{
	struct heft_err err;
	struct heft_heap *before = NULL, *after = open_heap(job, path, &err);
	const bool recorded = after != NULL && is_recorded(after) && job->by == NULL;
	bool good = after != NULL;
	if (good && base != NULL && recorded)
		good = (before = open_heap(job, base, &err)) != NULL;
	good = good && (!recorded || heft_page_add_heap(job->page, title, after, before, &err));
	for (size_t i = 0; after != NULL && i < heft_heap_note_count(after); i++)
		note_print(job->cli, heft_heap_note(after, i), job->settings.verbose);
	if (!good)
		cli_failed(job->cli, &err);
	heft_heap_free(before);
	heft_heap_free(after);
	if (!good || recorded)
		return good;
	return add_profile(job, title, &(struct files){ &path, 1 }, "modules,mappings,threads");
}

/* ---- all of it ------------------------------------------------------------------------------- */

static const char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

/* Input i; a base of the same place is what it is compared with.  Programs are compared all with
 * all, by the first one. */
static bool add_input(const struct report_job *job, size_t i, bool *ret_all)
{
	static const char usual[] = "sections,compileunits,namespaces,symbols";
	struct heft_err err;
	enum heft_input_kind kind;
	const char *path = job->inputs.paths[i];
	const char *base = i < job->bases.count ? job->bases.paths[i] : NULL;
	if (!heft_input_look(path, &kind, &err))
		return cli_failed(job->cli, &err) == EXIT_FINE;
	switch (kind) {
	case HEFT_INPUT_LIST:
	case HEFT_INPUT_LISTS: return add_snapshot(job, name_of(path), path, base);
	case HEFT_INPUT_DUMP: return add_dump(job, name_of(path), path, base);
	default: break;
	}
	*ret_all = job->bases.count > 0;
	return add_profile(job, name_of(path),
			   *ret_all ? &job->inputs : &(struct files){ &path, 1 }, usual);
}

static bool write_page(void *ctx, FILE *to, struct heft_err *err)
{
	return heft_page_write(((const struct report_job *)ctx)->page,
			       &(struct heft_sink){ outfile_put, to }, err);
}

static int run(struct report_job *job)
{
	bool all = false;
	if (job->inputs.count == 0)
		return cli_error(job->cli, "must specify at least one file; try '%s --help'",
				 job->cli->usage);
	if (job->output == NULL && isatty(STDOUT_FILENO))
		return cli_error(job->cli, "a page is not for a terminal; name a file with -o");
	for (size_t i = 0; i < job->inputs.count && !all; i++)
		if (!outfile_spares(job->cli, job->output, job->inputs.paths[i]) ||
		    !add_input(job, i, &all))
			return EXIT_TROUBLE;
	return outfile_write(job->cli, job->output, write_page, job);
}

int cmd_report(const struct cli *cli, int argc, char **argv)
{
	static const struct cli_words words = { apply, add_operand, add_base };
	struct report_job job = { .cli = cli, .page = heft_page_new(), .style = HEFT_NAMES_SHORT };
	snapshot_settings_init(&job.settings);
	int status = cli_parse(cli, argc, argv, &words, &job);
	if (status == CLI_GO_ON)
		status = run(&job);
	snapshot_settings_release(&job.settings);
	heft_page_free(job.page);
	free(job.inputs.paths);
	free(job.bases.paths);
	return status;
}
