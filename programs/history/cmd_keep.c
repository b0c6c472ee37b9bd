/* Implements heft history export (writes builds to files) and gc (removes old builds). */
#include "history/choose.h"
#include "history/commands.h"
#include "history/questions.h"

#include <stdlib.h>
#include <string.h>

enum { O_ZSTD = O_OWN, O_OF };

const struct opt history_export_opts[] = {
	{ O_OF, 0, true, "of", "SOURCE", "rows of this source instead: regions, heap .." },
	{ O_ZSTD, 0, false, "zstd", NULL, "pack the rows with Zstandard: rows.csv.zst" },
#include "history/history_opts.inc"
#define OUTPUT_ROWS         "rows at most, 0: all (default)"
#define OUTPUT_FORMATS      "csv|tsv|ndjson|json"
#define OUTPUT_FORMATS_HELP "of rows: csv (default), tsv, ndjson, json"
#define OUTPUT_NO_STACKS
#define OUTPUT_LINES
#include "cli/output_opts.inc"
#include "cli/last_opts.inc"
	{ 0 },
};

const char history_export_manual[] =
	"With BUILD, writes its snapshot as the .size file that was added.  A build is\n"
	"named by a commit or the start of one, a branch, a date, '#NUMBER', or\n"
	"'latest'; '~N' behind it is the N-th before.  Without, writes a row for each\n"
	"symbol that a build changed, with its own bytes before and then, for other\n"
	"tools.\n";

static const struct choice row_formats[] = {
	{ "csv", HEFT_CSV },   { "tsv", HEFT_TSV }, { "ndjson", HEFT_NDJSON },
	{ "json", HEFT_JSON }, { NULL, 0 },
};

struct export_job {
	const struct cli *cli;
	struct history_settings settings;
	struct output out;
	struct history history;
	struct heft_snapshot *snapshot;
	const char *of;    /* Source whose rows are shown. NULL shows symbols */
	const char *build; /* NULL exports rows */
	size_t operands;
	bool zstd;
};

static bool apply_export(void *ctx, const struct opt *o, const char *value)
{
	struct export_job *job = ctx;
	const enum output_answer answer = output_apply(&job->out, job->cli, o, value);
	if (answer != OUTPUT_OTHER)
		return answer == OUTPUT_TAKEN;
	if (o->id == O_ZSTD)
		job->zstd = true;
	if (o->id == O_OF)
		job->of = value;
	return o->id == O_ZSTD || o->id == O_OF || history_apply(&job->settings, o, value);
}

static bool take_build(void *ctx, const char *word)
{
	struct export_job *job = ctx;
	job->build = word;
	job->operands++;
	return true;
}

static bool keep_write_snapshot(void *ctx, FILE *to, struct heft_err *err)
{
	const struct export_job *job = ctx;
	return heft_snapshot_write(job->snapshot, &(struct heft_sink){ outfile_put, to }, err);
}

static bool keep_rows_put(void *ctx, struct heft_answer *to, struct heft_err *err)
{
	struct export_job *job = ctx;
	struct history *h = &job->history;
	return job->of ? rows_tell(&h->store, &h->timeline, job->of, to, err)
		       : changes_tell(&h->store, &h->timeline, to, err);
}

static int run_export(struct export_job *job)
{
	if (!job->build)
		return history_write(job->cli, &job->out, 0, job->zstd, keep_rows_put, job);
	job->snapshot = history_read(job->cli, &job->history, job->build, NULL);
	const int status = job->snapshot ? outfile_write(job->cli, job->out.path,
							 keep_write_snapshot, job)
					 : EXIT_TROUBLE;
	heft_snapshot_free(job->snapshot);
	return status;
}

int cmd_history_export(const struct cli *cli, int argc, char **argv)
{
	static const struct cli_words words = { apply_export, take_build };
	struct export_job job = { .cli = cli };
	output_init(&job.out, row_formats);
	int status = cli_parse(cli, argc, argv, &words, &job);
	if (status != CLI_GO_ON)
		return status;
	if (job.operands > 1 || (job.build && !job.out.path))
		return cli_error(
			cli, "must specify one build, and where to with -o FILE; try '%s --help'",
			cli->usage);
	if (!output_settle(&job.out, cli))
		return EXIT_TROUBLE;
	status = history_open(cli, &job.settings, 0, &job.history) ? run_export(&job)
								   : EXIT_TROUBLE;
	history_close(&job.history);
	return status;
}

enum { O_KEEP = O_OWN, O_DRY, O_NO_WAIT };

const struct opt history_gc_opts[] = {
	{ O_KEEP, 0, true, "keep", "NUM", "builds to keep, the latest" },
	{ O_DRY, 0, false, "dry-run", NULL, "only tell what would go" },
	{ O_NO_WAIT, 0, false, "no-wait", NULL, NO_WAIT_HELP },
#include "history/history_opts.inc"
#include "cli/last_opts.inc"
	{ 0 },
};

const char history_gc_manual[] =
	"Takes old builds out of a history: of each product, configuration and branch all\n"
	"but the latest NUM.  The others stay as they were, and the file becomes smaller.\n";

struct gc_job {
	const struct cli *cli;
	struct history_settings settings;
	uint64_t keep;
	bool told, dry, no_wait;
};

static bool apply_gc(void *ctx, const struct opt *o, const char *value)
{
	struct gc_job *job = ctx;
	if (o->id == O_KEEP) {
		job->told = true;
		return cli_number(job->cli, o, value, UINT64_MAX / 20, &job->keep);
	}
	if (o->id == O_DRY)
		job->dry = true;
	if (o->id == O_NO_WAIT)
		job->no_wait = true;
	return o->id == O_DRY || o->id == O_NO_WAIT || history_apply(&job->settings, o, value);
}

static bool keep_no_operand(void *ctx, const char *word)
{
	const struct gc_job *job = ctx;
	cli_error(job->cli, "'%s': no operand is wanted; try '%s --help'", word, job->cli->usage);
	return false;
}

static bool is_alike(const struct build_facts *a, const struct build_facts *b)
{
	return strcmp(a->product, b->product) == 0 && strcmp(a->config, b->config) == 0 &&
	       strcmp(a->branch, b->branch) == 0;
}

/* Returns the number of builds after build `i` that have its product and configuration. */
static uint64_t builds_after(const struct timeline *t, size_t i)
{
	const struct build_facts *f = &t->list.data[i]->facts;
	uint64_t count = 0;
	while (++i < t->list.count)
		count += is_alike(&t->list.data[i]->facts, f);
	return count;
}

static int run_gc(struct gc_job *job, struct history *h)
{
	struct heft_err err;
	const size_t all = h->timeline.list.count;
	VEC(uint32_t) ids = { 0 };
	for (size_t i = 0; i < all; i++)
		if (builds_after(&h->timeline, i) >= job->keep)
			vec_push(&ids, h->timeline.list.data[i]->id);
	const size_t count = ids.count;
	const bool ok = job->dry || count == 0 || store_remove(&h->store, ids.data, count, &err);
	vec_release(&ids);
	if (!ok)
		return cli_failed(job->cli, &err);
	printf("%zu of %zu builds %s\n", count, all, job->dry ? "would go" : "are gone");
	return EXIT_FINE;
}

int cmd_history_gc(const struct cli *cli, int argc, char **argv)
{
	static const struct cli_words words = { apply_gc, keep_no_operand };
	struct gc_job job = { .cli = cli };
	struct history h = { .timeline = { { 0 } } };
	int status = cli_parse(cli, argc, argv, &words, &job);
	if (status != CLI_GO_ON)
		return status;
	if (!job.told)
		return cli_error(cli, "say how many builds to keep with --keep NUM");
	const unsigned flags = DB_WRITES | (job.no_wait ? DB_NO_WAIT : 0u);
	status = history_open(cli, &job.settings, job.dry ? 0 : flags, &h) ? run_gc(&job, &h)
									   : EXIT_TROUBLE;
	history_close(&h);
	return status;
}
