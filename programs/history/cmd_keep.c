/* Implements heft history export (writes builds to files) and gc (removes old builds). */
#include "history/choose.h"
#include "history/commands.h"
#include "history/questions.h"

#include <string.h>

struct export_job {
	struct history_run h;
	struct heft_snapshot *snapshot;
	const char *of;    /* Data source whose rows are shown. NULL shows symbols */
	const char *build; /* Build whose snapshot is written. NULL writes rows instead */
	bool zstd;
};

const struct opt history_export_opts[] = {
	{ 0, 0, true, "of", "SOURCE", "rows of this source instead: regions, heap ..",
	  KEEPS(struct export_job, of) },
	{ 0, 0, false, "zstd", NULL, "pack the rows with Zstandard: rows.csv.zst",
	  SETS(struct export_job, zstd) },
#include "history/history_opts.inc"
#define OUTPUT_ROWS         "rows at most, 0: all (default)"
#define OUTPUT_FORMATS      "csv|tsv|ndjson|json"
#define OUTPUT_FORMATS_HELP "of rows: csv (default), tsv, ndjson, json"
#define OUTPUT_NO_STACKS
#define OUTPUT_LINES
#include "cli/output_opts.inc"
#include "cli/last_opts.inc"
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

static bool keep_write_snapshot(void *ctx, FILE *to, struct heft_err *err)
{
	const struct export_job *job = ctx;
	return heft_snapshot_write(job->snapshot, &(struct heft_sink){ outfile_put, to }, err);
}

static bool keep_rows_put(void *ctx, struct heft_answer *to, struct heft_err *err)
{
	struct export_job *job = ctx;
	struct history *h = &job->h.history;
	return job->of ? rows_tell(&h->store, &h->timeline, job->of, to, err)
		       : changes_tell(&h->store, &h->timeline, to, err);
}

static int run_export(struct export_job *job)
{
	if (!job->build)
		return history_write(&job->h.run, 0, job->zstd, keep_rows_put, job);
	job->snapshot = history_read(job->h.run.cli, &job->h.history, job->build, NULL);
	const int status = job->snapshot ? outfile_write(job->h.run.cli, job->h.run.out.path,
							 keep_write_snapshot, job)
					 : EXIT_TROUBLE;
	heft_snapshot_free(job->snapshot);
	return status;
}

int cmd_history_export(const struct cli *cli, int argc, char **argv)
{
	struct export_job job = { .h.run = { .cli = cli } };
	const struct command_run *run = &job.h.run;
	output_init(&job.h.run.out, row_formats);
	int status = cli_parse_output(&job, argc, argv, NULL);
	if (status == CLI_GO_ON && (run->word_count > 1 || (run->words[0] && !run->out.path)))
		status = cli_error(
			cli, "must specify one build, and where to with -o FILE; try '%s --help'",
			cli->usage);
	if (status == CLI_GO_ON) {
		job.build = run->words[0];
		status = history_run_open(&job.h, 0) ? run_export(&job) : EXIT_TROUBLE;
	}
	history_run_release(&job.h);
	return status;
}

enum { O_KEEP = O_OWN };

struct gc_job {
	struct history_run h;
	uint64_t keep;
	unsigned flags; /* Bits of enum db_flag */
	bool told, dry;
};

const struct opt history_gc_opts[] = {
	{ O_KEEP, 0, true, "keep", "NUM", "builds to keep, the latest" },
	{ 0, 0, false, "dry-run", NULL, "only tell what would go", SETS(struct gc_job, dry) },
	{ 0, 0, false, "no-wait", NULL, NO_WAIT_HELP, ADDS(struct gc_job, flags, DB_NO_WAIT) },
#include "history/history_opts.inc"
#include "cli/last_opts.inc"
};

const char history_gc_manual[] =
	"Takes old builds out of a history: of each product, configuration and branch all\n"
	"but the latest NUM.  The others stay as they were, and the file becomes smaller.\n";

static bool apply_gc(void *ctx, const struct opt *o, const char *value)
{
	struct gc_job *job = ctx;
	ASSERT(o->id == O_KEEP);
	job->told = true;
	return cli_number(job->h.run.cli, o, value, UINT64_MAX / 20, &job->keep);
}

/* Returns the number of builds after build `i` that have its product, configuration and branch. */
static uint64_t builds_after(const struct timeline *t, size_t i)
{
	const struct build_facts *f = &t->list.data[i]->facts;
	uint64_t count = 0;
	while (++i < t->list.count) {
		const struct build_facts *next = &t->list.data[i]->facts;
		count += strcmp(next->product, f->product) == 0 &&
			 strcmp(next->config, f->config) == 0 &&
			 strcmp(next->branch, f->branch) == 0;
	}
	return count;
}

static int run_gc(struct gc_job *job)
{
	struct history *h = &job->h.history;
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
		return cli_failed(job->h.run.cli, &err);
	printf("%zu of %zu builds %s\n", count, all, job->dry ? "would go" : "are gone");
	return EXIT_FINE;
}

int cmd_history_gc(const struct cli *cli, int argc, char **argv)
{
	static const struct cli_words words = { .option = apply_gc };
	struct gc_job job = { .h.run = { .cli = cli }, .flags = DB_WRITES };
	int status = cli_parse(&job, argc, argv, &words);
	if (status == CLI_GO_ON && !history_has_no_words(&job.h.run))
		status = EXIT_TROUBLE;
	if (status == CLI_GO_ON && !job.told)
		status = cli_error(cli, "say how many builds to keep with --keep NUM");
	if (status == CLI_GO_ON)
		status = history_run_open(&job.h, job.dry ? 0 : job.flags) ? run_gc(&job)
									   : EXIT_TROUBLE;
	history_run_release(&job.h);
	return status;
}
