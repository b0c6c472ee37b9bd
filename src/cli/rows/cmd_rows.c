#include "cli/notes.h"
#include "cli/outfile.h"
#include "cli/rows/rows_to.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	O_TO = O_OWN,
	O_DONE,
	O_TAG,
	O_FORMAT_OF_ROWS,
	O_DEMANGLE,
	O_DEBUG_INFO,
	O_INCLUDE,
	O_EXCLUDE,
	O_NO_DEBUG,
	O_THREADS,
};

const struct opt rows_opts[] = {
	{ O_BY, 'd', false, "by", "A,B,..", "data sources, one a level (default: sections)" },
	{ O_FORMAT_OF_ROWS, 0, false, "format", "ndjson|rowbinary",
	  "ndjson (default), or ClickHouse's RowBinary" },
	{ O_TO, 0, false, "to", "URL",
	  "post them: clickhouse://HOST:8123/DATABASE.TABLE,\n"
	  "                              or any http or https address" },
	{ O_DONE, 0, false, "done", "FILE", "pass over what it lists; add what was taken" },
	{ O_TAG, 0, false, "tag", "NAME=VALUE", "one more column, with this text" },
	{ O_INCLUDE, 0, false, "source-filter", "REGEX", "count only what has a matching label" },
	{ O_EXCLUDE, 0, false, "exclude-filter", "REGEX", "leave out what has a matching label" },
	{ O_NO_DEBUG, 0, false, "no-debug", NULL, "leave out sections of debug info" },
	{ O_DEMANGLE, 'C', false, "demangle", "none|short|full",
	  "names of symbols (default: short)" },
	{ O_DEBUG_INFO, 0, false, "debug-info", "sections|owners",
	  "whose debug sections are by symbol" },
	{ O_OUTPUT, 'o', false, "output", "FILE", "write there, all or nothing" },
#include "cli/find_opts.inc"
	{ O_THREADS, 0, false, "threads", "NUM", "threads to use (default: one a processor)" },
	{ O_VERBOSE, 'v', false, NULL, NULL, "notes on the files" },
#include "cli/last_opts.inc"
	{ 0 },
};

const char rows_manual[] =
	"Measures files one by one and writes a row a label, for stores: the path of the\n"
	"file, its build id, the labels from the first data source to the last, the bytes\n"
	"in the file and in the VM image.  A file that is no program is passed over, one\n"
	"that cannot be read makes the exit status 2; the others have their rows.\n";

enum { TAGS_MOST = 16, SOURCES_MOST = 16 };

struct rows_job {
	const struct cli *cli;
	struct heft_finder *finder;
	const char *sources[SOURCES_MOST];
	size_t source_count;
	struct heft_constant columns[TAGS_MOST + 2]; /* the last two: program, build_id */
	size_t tag_count;
	const char *include, *exclude, *output;
	unsigned format, style, flags, threads; /* enum heft_format, heft_demangle, _profile_flag */
	bool verbose;
	struct rows_to to;
	const char **files; /* room for all arguments */
	size_t file_count;
	char **owned; /* copies of words */
	size_t owned_count;
	size_t measured, passed_over, failed; /* files */
};

/* ---- the command line ------------------------------------------------------------------------ */

static const char *own(struct rows_job *job, const char *text, size_t size)
{
	char **grown = realloc(job->owned, (job->owned_count + 1) * sizeof *grown);
	if (grown)
		job->owned = grown;
	char *copy = grown ? strndup(text, size) : NULL;
	if (!copy) {
		cli_error(job->cli, "out of memory");
		return NULL;
	}
	job->owned[job->owned_count++] = copy;
	return copy;
}

static bool add_source(void *ctx, const char *name)
{
	struct rows_job *job = ctx;
	if (job->source_count == SOURCES_MOST)
		return cli_error(job->cli, "more than %d data sources", SOURCES_MOST), false;
	const char *copy = own(job, name, strlen(name));
	if (copy)
		job->sources[job->source_count++] = copy;
	return copy != NULL;
}

static bool has_column(const struct rows_job *job, const char *name)
{
	static const char *const names[] = { "program", "build_id", "labels", "file", "vm" };
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (strcmp(names[i], name) == 0)
			return true;
	for (size_t i = 0; i < job->tag_count; i++)
		if (strcmp(job->columns[i].name, name) == 0)
			return true;
	return false;
}

static bool add_tag(struct rows_job *job, const struct opt *o, const char *value)
{
	const size_t size = strspn(value, "abcdefghijklmnopqrstuvwxyz_0123456789");
	if (value[size] != '=' || size == 0 || (value[0] >= '0' && value[0] <= '9'))
		return cli_bad_value(job->cli, o, value,
				     "NAME=VALUE with a name of a-z, 0-9 and _");
	const char *name = own(job, value, size);
	if (!name)
		return false;
	if (has_column(job, name))
		return cli_error(job->cli, "--tag: there is a column %s", name), false;
	if (job->tag_count == TAGS_MOST)
		return cli_error(job->cli, "more than %d tags", TAGS_MOST), false;
	job->columns[job->tag_count++] = (struct heft_constant){ name, value + size + 1 };
	return true;
}

static bool apply_choice(struct rows_job *job, const struct opt *o, const char *value)
{
	static const struct choice formats[] = { { "ndjson", HEFT_NDJSON },
						 { "rowbinary", HEFT_ROWBINARY },
						 { NULL, 0 } };
	static const struct choice infos[] = { { "sections", 0 },
					       { "owners", HEFT_PROFILE_DEBUG_OWNERS },
					       { NULL, 0 } };
	unsigned n = 0;
	if (o->id == O_DEMANGLE)
		return cli_choice(job->cli, o, value, style_choices, &job->style);
	if (o->id != O_DEBUG_INFO)
		return cli_choice(job->cli, o, value, formats, &job->format);
	if (!cli_choice(job->cli, o, value, infos, &n))
		return false;
	job->flags = (job->flags & ~(unsigned)HEFT_PROFILE_DEBUG_OWNERS) | n;
	return true;
}

static bool apply(void *ctx, const struct opt *o, const char *value)
{
	struct rows_job *job = ctx;
	uint64_t n = 0;
	switch (o->id) {
	case O_BY: return cli_each_name(job->cli, value, add_source, job);
	case O_TO: job->to.url = value; break;
	case O_DONE: job->to.done_path = value; break;
	case O_TAG: return add_tag(job, o, value);
	case O_INCLUDE: job->include = value; break;
	case O_EXCLUDE: job->exclude = value; break;
	case O_NO_DEBUG: job->flags |= HEFT_PROFILE_NO_DEBUG; break;
	case O_OUTPUT: job->output = value; break;
	case O_VERBOSE: job->verbose = true; break;
	case O_FORMAT_OF_ROWS:
	case O_DEMANGLE:
	case O_DEBUG_INFO: return apply_choice(job, o, value);
	case O_THREADS:
		if (!cli_number(job->cli, o, value, 4096, &n))
			return false;
		job->threads = (unsigned)n;
		break;
	default: return cli_find(job->cli, job->finder, o, value);
	}
	return true;
}

static bool add_operand(void *ctx, const char *word)
{
	struct rows_job *job = ctx;
	job->files[job->file_count++] = word;
	return true;
}

/* ---- one file -------------------------------------------------------------------------------- */

static bool set_up(const struct rows_job *job, struct heft_profile *p, const char *path,
		   struct heft_err *err)
{
	for (size_t i = 0; i < job->source_count; i++)
		if (!heft_profile_add_source(p, job->sources[i], err))
			return false;
	heft_profile_set_finder(p, job->finder);
	heft_profile_set_demangle(p, (enum heft_demangle)job->style);
	heft_profile_set_flags(p, job->flags | HEFT_PROFILE_LEVELWISE);
	heft_profile_set_threads(p, job->threads);
	heft_profile_set_rows(p, 0);
	heft_profile_set_progress(p, progress_show, job->cli->progress);
	return (!job->include || heft_profile_include(p, job->include, err)) &&
	       (!job->exclude || heft_profile_exclude(p, job->exclude, err)) &&
	       heft_profile_add_file(p, path, HEFT_INPUT, err);
}

static const struct heft_note *get_note(const void *handle, size_t i)
{
	return heft_profile_note(handle, i);
}

static bool measure(struct rows_job *job, struct heft_profile *p, const char *path,
		    struct heft_err *err)
{
	struct heft_file_info info = { .size = sizeof info };
	struct heft_write_opts opts = { .size = sizeof opts,
					.format = (enum heft_format)job->format,
					.constants = job->columns,
					.constant_count = job->tag_count + 2 };
	if (!set_up(job, p, path, err) || !heft_profile_run(p, err))
		return false;
	heft_profile_file(p, 0, &info);
	job->columns[job->tag_count] = (struct heft_constant){ "program", path };
	job->columns[job->tag_count + 1] = (struct heft_constant){ "build_id", info.build_id };
	if (job->verbose)
		notes_print(job->cli, p, get_note, heft_profile_note_count(p), false);
	return heft_profile_write(p, &opts, &(struct heft_sink){ rows_to_put, &job->to }, err);
}

/* False where no further file is to be measured. */
static bool take_file(struct rows_job *job, const char *path)
{
	struct heft_err err = { 0 };
	if (rows_to_has(&job->to, path))
		return true;
	struct heft_profile *p = heft_profile_new();
	const bool good = p ? measure(job, p, path, &err) : cli_no_memory(&err);
	heft_profile_free(p);
	if (good) {
		job->measured++;
		return rows_to_end_file(&job->to, path);
	}
	rows_to_drop_file(&job->to);
	if (err.code == HEFT_EUNSUPPORTED) {
		job->passed_over++;
		return rows_to_end_file(&job->to, path);
	}
	job->failed++;
	if (job->to.gone)
		return false;
	cli_failed(job->cli, &err);
	return err.code != HEFT_EARG; /* the same for every file */
}

/* ---- all of them ----------------------------------------------------------------------------- */

static void say_end(const struct rows_job *job)
{
	progress_erase(job->cli->progress);
	fprintf(stderr, "%s: %zu files measured", job->cli->program, job->measured);
	if (job->to.known > 0)
		fprintf(stderr, ", %zu done before", job->to.known);
	if (job->passed_over > 0)
		fprintf(stderr, ", %zu passed over", job->passed_over);
	if (job->failed > 0)
		fprintf(stderr, ", %zu failed", job->failed);
	fprintf(stderr, ", %" PRIu64 " bytes of rows\n", job->to.written);
}

static bool take_files(void *ctx, FILE *to, struct heft_err *err)
{
	struct rows_job *job = ctx;
	(void)err;
	job->to.file = to;
	bool good = true;
	for (size_t i = 0; good && i < job->file_count; i++)
		good = take_file(job, job->files[i]);
	if (!rows_to_flush(&job->to) || !good)
		job->failed += job->failed == 0;
	return !ferror(to);
}

static int run(struct rows_job *job)
{
	if (job->file_count == 0)
		return cli_error(job->cli, "must specify at least one file; try '%s --help'",
				 job->cli->usage);
	if (job->source_count == 0)
		job->sources[job->source_count++] = "sections";
	if (job->to.url && job->output)
		return cli_error(job->cli, "--to and -o name two places for the rows");
	if (job->to.done_path && !job->to.url)
		return cli_error(job->cli, "--done goes with --to");
	job->columns[job->tag_count].name = "program";
	job->columns[job->tag_count + 1].name = "build_id";
	if (!rows_to_open(&job->to, job->cli, job->columns, job->tag_count + 2,
			  (enum heft_format)job->format))
		return EXIT_TROUBLE;
	const int status = outfile_write(job->cli, job->output, take_files, job);
	say_end(job);
	return job->failed > 0 ? EXIT_TROUBLE : status;
}

static void release(struct rows_job *job)
{
	rows_to_close(&job->to);
	for (size_t i = 0; i < job->owned_count; i++)
		free(job->owned[i]);
	free(job->owned);
	free(job->files);
	heft_finder_free(job->finder);
}

int cmd_rows(const struct cli *cli, int argc, char **argv)
{
	static const struct cli_words words = { apply, add_operand };
	struct rows_job job = { .cli = cli,
				.finder = cli_made(cli, heft_finder_new()),
				.format = HEFT_NDJSON,
				.style = HEFT_NAMES_SHORT };
	job.files = calloc((size_t)argc + 1, sizeof *job.files);
	int status = job.files ? cli_parse(cli, argc, argv, &words, &job)
			       : cli_error(cli, "out of memory");
	if (status == CLI_GO_ON)
		status = run(&job);
	release(&job);
	return status;
}
