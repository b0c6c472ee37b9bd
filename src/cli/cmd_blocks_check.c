#include "cli/notes.h"
#include "cli/size_job.h"

#include <inttypes.h>
#include <string.h>

const struct opt blocks_check_opts[] = {
	{ O_JSON, 0, false, "json", NULL, "one JSON object a line: findings, then the sums" },
#include "cli/bolt_opts.inc"
#include "cli/find_opts.inc"
	{ O_VERBOSE, 'v', false, NULL, NULL, "all findings, not the first of each kind" },
#include "cli/last_opts.inc"
	{ 0 },
};

const char blocks_check_manual[] =
	"Holds the map of basic blocks in FILE against its code: are block starts those\n"
	"of instructions, do jumps lead to blocks, do flags fit, is the map that of\n"
	"this code. Exit status 1: the map is wrong.  Findings that are odd, such as\n"
	"functions without a map, do not count there.\n";

enum { SHOWN = 10 }; /* of each kind, without -v */

struct check_job {
	const struct cli *cli;
	struct heft_blocks *blocks;
	struct heft_finder *finder;
	const char *file;
	bool json, verbose;
};

static bool apply(void *ctx, const struct opt *o, const char *value)
{
	struct check_job *job = ctx;
	switch (o->id) {
	case O_JSON: job->json = true; break;
	case O_BOLT_INPUT: heft_blocks_set_bolt_input(job->blocks, value); break;
	case O_VERBOSE: job->verbose = true; break;
	default: return cli_find(job->cli, job->finder, o, value);
	}
	return true;
}

/* ---- output ---------------------------------------------------------------------------------- */

/* Names are those of strangers. */
static void put_json_text(const char *text)
{
	putchar('"');
	for (const char *p = text; *p != '\0'; p++)
		if (*p == '"' || *p == '\\')
			printf("\\%c", *p);
		else if ((unsigned char)*p < 0x20 || (unsigned char)*p >= 0x7f)
			printf("\\u%04x", (unsigned char)*p < 0x80 ? *p : 0xfffd);
		else
			putchar(*p);
	putchar('"');
}

static void put_json(const struct heft_block_finding *f)
{
	printf("{\"id\": \"%s\", \"wrong\": %s, \"address\": %" PRIu64 ", \"function\": ", f->id,
	       f->wrong ? "true" : "false", f->addr);
	put_json_text(f->function);
	fputs(", \"text\": ", stdout);
	put_json_text(f->text);
	fputs("}\n", stdout);
}

static void put_text(const struct heft_block_finding *f)
{
	printf("%s %s 0x%" PRIx64, f->id, f->wrong ? "wrong" : "odd", f->addr);
	if (f->function[0] != '\0') {
		putchar(' ');
		print_tame(f->function, stdout);
	}
	printf(": %s\n", f->text);
}

static void put_findings(const struct check_job *job)
{
	struct heft_block_finding f = { .size = sizeof f };
	size_t seen[100] = { 0 };
	for (size_t i = 0; heft_blocks_finding(job->blocks, i, &f); i++) {
		const unsigned kind = (unsigned)(f.id[2] - '0') * 10 + (unsigned)(f.id[3] - '0');
		seen[kind % 100]++;
		if (job->json)
			put_json(&f);
		else if (job->verbose || seen[kind % 100] <= SHOWN)
			put_text(&f);
	}
	for (size_t i = 0; !job->json && !job->verbose && i < 100; i++)
		if (seen[i] > SHOWN)
			printf("BB%02zu: %zu more (-v)\n", i, seen[i] - SHOWN);
}

/* What became of a map that llvm-bolt copied. */
static void put_rebased(const struct heft_block_check *c)
{
	if (c->rebased + c->lost + c->folded == 0)
		return;
	printf("re-based by llvm-bolt's address translation: %" PRIu64 " functions; "
	       "%" PRIu64 " of their blocks have no code now; %" PRIu64 " functions were folded, "
	       "%" PRIu64 " could not be placed\n",
	       c->rebased, c->vanished, c->folded, c->lost);
}

static void put_sums(const struct check_job *job, const struct heft_block_check *c)
{
	if (job->json)
		printf("{\"functions\": %" PRIu64 ", \"blocks\": %" PRIu64 ", \"decoded\": %" PRIu64
		       ", \"known_functions\": %" PRIu64 ", \"mapped_functions\": %" PRIu64
		       ", \"wrong\": %" PRIu64 ", \"odd\": %" PRIu64 ", \"rebased\": %" PRIu64
		       ", \"folded\": %" PRIu64 ", \"not_rebased\": %" PRIu64
		       ", \"vanished_blocks\": %" PRIu64 "}\n",
		       c->functions, c->blocks, c->decoded, c->known, c->mapped, c->wrong, c->odd,
		       c->rebased, c->folded, c->lost, c->vanished);
	else
		printf("%" PRIu64 " functions, %" PRIu64 " blocks, %" PRIu64
		       " of them decoded; %" PRIu64 " of %" PRIu64
		       " known functions mapped; %" PRIu64 " wrong, %" PRIu64 " odd\n",
		       c->functions, c->blocks, c->decoded, c->mapped, c->known, c->wrong, c->odd);
}

static int run(struct check_job *job)
{
	struct heft_err err;
	struct heft_block_check sums = { .size = sizeof sums };
	heft_blocks_set_finder(job->blocks, job->finder);
	heft_blocks_set_progress(job->blocks, progress_show, job->cli->progress);
	heft_blocks_set_derive(job->blocks, HEFT_DERIVE_NEVER);
	if (!heft_blocks_open(job->blocks, job->file, &err) ||
	    !heft_blocks_check(job->blocks, &sums, &err))
		return cli_failed(job->cli, &err);
	progress_end(job->cli->progress);
	put_findings(job);
	if (!job->json)
		put_rebased(&sums);
	put_sums(job, &sums);
	for (size_t i = 0; i < heft_blocks_note_count(job->blocks); i++)
		note_print(job->cli, heft_blocks_note(job->blocks, i), job->verbose);
	return sums.wrong > 0 ? EXIT_NO : EXIT_FINE;
}

int cmd_blocks_check(const struct cli *cli, int argc, char **argv)
{
	struct check_job job = { .cli = cli,
				 .blocks = heft_blocks_new(),
				 .finder = heft_finder_new() };
	int status = cli_parse_file(cli, argc, argv, apply, &job, &job.file);
	if (status == CLI_GO_ON)
		status = run(&job);
	heft_finder_free(job.finder);
	heft_blocks_free(job.blocks);
	return status;
}
