/* Reads the command line of heft size. */
#include "cli/size_job.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	O_CONFIG = O_OWN,
	O_INCLUDE,
	O_EXCLUDE,
	O_NO_DEBUG,
	O_SURE,
	O_PERF,
	O_DEPTH,
	O_VMADDR,
	O_FILEOFF,
	O_DEBUG_INFO,
};

static const struct choice domains[] = {
	{ "vm", HEFT_VM }, { "file", HEFT_FILE }, { "both", HEFT_BOTH }, { NULL, 0 }
};

const struct opt size_opts[] = {
	{ .help = "What is measured:" },
	{ O_BY, 'd', true, "by", "A,B,..", "data sources, one a level (default: sections)" },
	{ 0, 0, true, "list-sources", NULL, "show the data sources there are",
	  SETS(struct size_job, list_sources) },
	{ O_INCLUDE, 0, true, "source-filter", "REGEX", "count only what has a matching label" },
	{ O_EXCLUDE, 0, false, "exclude-filter", "REGEX", "leave out what has a matching label" },
	{ O_NO_DEBUG, 0, false, "no-debug", NULL, "leave out sections of debug info" },
#include "cli/sure_opts.inc"
	{ O_CONFIG, 'c', false, NULL, "FILE", "read a configuration file: own data sources .." },
#include "cli/find_opts.inc"
#include "cli/exe_opts.inc"
#include "cli/region_opts.inc"
#include "cli/stack_opts.inc"
	{ O_DEBUG_INFO, 0, false, "debug-info", "sections|owners",
	  "whose debug sections are by symbol: their own\n"
	  "                              (default), or that of the symbols they describe" },
	{ 0, 0, false, "section-headers", NULL, "count each section's header with it",
	  ADDS(struct size_job, flags, HEFT_PROFILE_SECTION_HEADERS) },
	{ O_PERF, 0, false, "perf", "FILE", "samples of perf record, for the source hotness" },
	{ O_DEPTH, 0, false, "depth", "NUM", "directories, dominators, stacks: so many levels" },
	{ .help = "What is shown:" },
	{ 0, 0, true, "domain", "vm|file|both", "columns to show, and to sort by",
	  PICKS(struct size_job, run.out.write.domain, domains) },
	{ O_DEMANGLE, 'C', true, "demangle", "none|short|full",
	  "names of symbols (default: short)" },
	{ 0, 0, false, "count", NULL, "a column with the number of symbols",
	  ADDS(struct size_job, flags, HEFT_PROFILE_COUNT) },
	{ 0, 0, false, "code", NULL, "a column with the bytes of code, and their share",
	  ADDS(struct size_job, flags, HEFT_PROFILE_CODE) },
	{ 0, 0, false, "how-sure", NULL, "columns with bytes by how sure their owners are",
	  ADDS(struct size_job, flags, HEFT_PROFILE_HOW_SURE) },
	{ 0, 0, false, "stacks", NULL, "a column with the stack that functions take",
	  ADDS(struct size_job, flags, HEFT_PROFILE_STACKS) },
	{ 0, 0, false, "retained", NULL, "a column with the bytes that would go with the row",
	  ADDS(struct size_job, flags, HEFT_PROFILE_RETAINED) },
	{ 0, 0, false, "aliases", NULL, "other symbols of the same bytes, below their owner",
	  ADDS(struct size_job, flags, HEFT_PROFILE_ALIASES) },
	{ 0, 0, false, "old-new", NULL, "a diff shows old and new sizes as well",
	  SETS(struct size_job, run.out.write.old_new) },
#define OUTPUT_ROWS "rows a level, 0 for all (default: 20)"
#define OUTPUT_SORT "vm|file|both|size|delta|growth|old|name"
#define OUTPUT_SORT_HELP                                                                           \
	"by vm, file or both (default: the larger); size,\n"                                       \
	"                              delta, growth (default of diffs), old, name"
#define OUTPUT_FORMATS "table|csv|tsv|json|markdown|folded|pprof|svg"
#define OUTPUT_FORMATS_HELP                                                                        \
	"table (default), csv, tsv, json, markdown,\n"                                             \
	"                              folded (all rows, for flame graphs), pprof, svg"
#include "cli/output_opts.inc"
	{ 0, 0, false, "disassemble", "FUNC", "instructions of a function, no table (heft blocks)",
	  KEEPS(struct size_job, disassemble) },
	{ 0, 0, false, "raw-map", NULL, "every range with its labels, no table",
	  SETS(struct size_job, raw_map) },
	{ .help = "Why is it so:" },
	{ O_VERBOSE, 'v', false, NULL, NULL, "notes with offsets, raw map; -vv every claim" },
	{ O_VMADDR, 0, false, "debug-vmaddr", "ADDR", "claims for this virtual address" },
	{ O_FILEOFF, 0, false, "debug-fileoff", "OFF", "claims for this file offset" },
	{ .help = "Other:" },
	{ 0, 0, false, "exit-code", NULL, "status 1 if a diff finds differences",
	  SETS(struct size_job, exit_code) },
	{ O_THREADS, 0, false, "threads", "NUM", "threads to use (default: one a processor)" },
#include "cli/last_opts.inc"
};

static bool parse_number(const struct size_job *job, const struct opt *o, const char *value,
			 int base, uint64_t max, uint64_t *ret)
{
	char *end = NULL;
	errno = 0;
	const unsigned long long n = strtoull(value, &end, base);
	const bool digit_first = value[0] >= '0' && value[0] <= '9';
	if (errno != 0 || !digit_first || *end != '\0' || n > max)
		return cli_bad_value(job->run.cli, o, value,
				     max == UINT64_MAX ? "an address" : "a number, 0 or more");
	*ret = n;
	return true;
}

static const struct choice debug_infos[] = { { "sections", 0 },
					     { "owners", HEFT_PROFILE_DEBUG_OWNERS },
					     { NULL, 0 } };
static const struct choice sorts[] = { { "size", HEFT_SORT_SIZE },     { "delta", HEFT_SORT_DELTA },
				       { "growth", HEFT_SORT_GROWTH }, { "old", HEFT_SORT_BASE },
				       { "name", HEFT_SORT_NAME },     { NULL, 0 } };

static bool size_job_failed(const struct size_job *job, const struct heft_err *err)
{
	cli_failed(job->run.cli, err);
	return false;
}

/* Adds the data sources in job->pending to the profile, oldest first. Stops at an unknown one,
 * which a configuration file may still define; with `last`, fails after a message. */
static bool flush_sources(struct size_job *job, bool last)
{
	size_t done = 0;
	for (; done < job->pending_count; done++) {
		struct heft_err err;
		if (heft_profile_add_source(job->profile, job->pending[done], &err)) {
			free(job->pending[done]);
			job->pending[done] = NULL;
		} else if (last && err.code == HEFT_EARG)
			return cli_unknown_source(job->run.cli, job->pending[done]);
		else if (last)
			return size_job_failed(job, &err);
		else
			break;
	}
	ASSERT(done <= job->pending_count);
	if (done == 0)
		return true;
	job->pending_count -= done;
	memmove(job->pending, job->pending + done, job->pending_count * sizeof *job->pending);
	return true;
}

static bool queue_source(void *ctx, const char *name)
{
	struct size_job *job = ctx;
	char **grown = realloc(job->pending, (job->pending_count + 1) * sizeof *grown);
	char *copy = strdup(name);
	if (grown != NULL)
		job->pending = grown;
	if (grown == NULL || copy == NULL) {
		free(copy);
		cli_error(job->run.cli, "out of memory");
		return false;
	}
	job->by_region |= strcmp(name, "regions") == 0;
	job->pending[job->pending_count++] = copy;
	job->source_count++;
	return true;
}

static void trace_at(struct size_job *job, enum heft_domain domain, uint64_t addr)
{
	heft_profile_trace_at(job->profile, domain, addr);
	job->trace_some = true;
}

static bool merge_config(struct size_job *job, const char *path)
{
	struct heft_err err;
	struct heft_config config = { .size = sizeof config };
	if (!flush_sources(job, false))
		return false;
	if (!heft_profile_config(job->profile, path, &config, &err))
		return size_job_failed(job, &err);
	job->config_count++;
	for (size_t i = 0; i < config.data_source_count; i++)
		job->by_region |= strcmp(config.data_sources[i], "regions") == 0;
	job->raw_map |= config.raw_map;
	job->sort_given |= config.has_sort;
	job->rows_given |= config.has_rows;
	if (config.disassemble)
		job->disassemble = config.disassemble;
	if (config.verbose > job->verbosity)
		job->verbosity = config.verbose;
	for (size_t i = 0; i < config.debug_vmaddr_count; i++)
		trace_at(job, HEFT_VM, config.debug_vmaddrs[i]);
	for (size_t i = 0; i < config.debug_fileoff_count; i++)
		trace_at(job, HEFT_FILE, config.debug_fileoffs[i]);
	return true;
}

static bool size_job_apply_number(struct size_job *job, const struct opt *o, const char *value)
{
	const bool addr = o->id == O_VMADDR || o->id == O_FILEOFF;
	const uint64_t max = addr ? UINT64_MAX : INT32_MAX;
	uint64_t n = 0;
	if (!parse_number(job, o, value, addr ? 0 : 10, max, &n))
		return false;
	if (o->id == O_DEPTH)
		heft_profile_set_depth(job->profile, (unsigned)n);
	else
		trace_at(job, o->id == O_VMADDR ? HEFT_VM : HEFT_FILE, n);
	return true;
}

/* Applies the value of -s: a key to sort by, or the domain to sort by. False after a message. */
static bool size_job_apply_sort(struct size_job *job, const struct opt *o, const char *value)
{
	unsigned n = 0;
	for (const struct choice *c = domains; c->word != NULL; c++) {
		if (strcmp(c->word, value) != 0)
			continue;
		heft_profile_set_sort_domain(job->profile, (enum heft_domain)c->value);
		job->sort_given = true;
		return true;
	}
	if (!cli_choice(job->run.cli, o, value, sorts, &n))
		return false;
	heft_profile_set_sort(job->profile, (enum heft_sort)n);
	return true;
}

static bool size_job_apply_debug(struct size_job *job, const struct opt *o, const char *value)
{
	unsigned n = 0;
	if (!cli_choice(job->run.cli, o, value, debug_infos, &n))
		return false;
	job->flags = (job->flags & ~(unsigned)HEFT_PROFILE_DEBUG_OWNERS) | n;
	return true;
}

/* Applies an option that filters what is counted. False after a message. */
static bool filter_apply(struct size_job *job, const struct opt *o, const char *value)
{
	struct heft_err err;
	unsigned sure = 0;
	job->filtered = true;
	switch (o->id) {
	case O_NO_DEBUG: job->flags |= HEFT_PROFILE_NO_DEBUG; return true;
	case O_SURE:
		if (!cli_choices(job->run.cli, o, value, sure_choices, &sure))
			return false;
		heft_profile_set_sure(job->profile, sure);
		return true;
	case O_INCLUDE:
		return heft_profile_include(job->profile, value, &err) ||
		       size_job_failed(job, &err);
	default:
		return heft_profile_exclude(job->profile, value, &err) ||
		       size_job_failed(job, &err);
	}
}

static bool size_job_apply(void *ctx, const struct opt *o, const char *value)
{
	struct size_job *job = ctx;
	struct heft_err err;
	switch (o->id) {
	case O_VERBOSE: job->verbosity++; return true;
	case O_DEPTH:
	case O_FILEOFF: return size_job_apply_number(job, o, value);
	case O_VMADDR: /* As in `heft where`, can be a name. Bloaty accepts only numbers. */
		if (cli_is_bloaty(job->run.cli))
			return size_job_apply_number(job, o, value);
		heft_profile_trace_text(job->profile, value);
		job->trace_some = true;
		return true;
	case O_BY: return cli_each_name(job->run.cli, value, queue_source, job);
	case O_DEBUG_INFO: return size_job_apply_debug(job, o, value);
	case O_SORT: return size_job_apply_sort(job, o, value);
	case O_CONFIG: return merge_config(job, value);
	case O_PERF:
		return heft_profile_set_samples(job->profile, value, &err) ||
		       size_job_failed(job, &err);
	case O_NO_DEBUG:
	case O_SURE:
	case O_INCLUDE:
	case O_EXCLUDE: return filter_apply(job, o, value);
	case O_DEMANGLE: job->style = value; return run_apply(job, o, value);
	default: return run_apply(job, o, value);
	}
}

static bool size_job_add_file(struct size_job *job, const char *path, enum heft_role role)
{
	struct heft_err err;
	return heft_profile_add_file(job->profile, path, role, &err) || size_job_failed(job, &err);
}

static bool size_job_add_input(void *ctx, const char *path)
{
	struct size_job *job = ctx;
	job->file_count++;
	return size_job_add_file(job, path, HEFT_INPUT);
}

static bool size_job_add_base(void *ctx, const char *path)
{
	struct size_job *job = ctx;
	job->run.out.write.base_columns = true;
	return size_job_add_file(job, path, HEFT_BASE);
}

/* Checks what depends on the whole command line. If files and data sources can come from a
 * configuration file, the library checks them later. False after a message. */
static bool size_job_settle(struct size_job *job)
{
	if (job->disassemble != NULL && job->source_count == 0)
		return true;
	if (job->source_count == 0 && job->config_count == 0 && !queue_source(job, "sections"))
		return false;
	if (!flush_sources(job, true))
		return false;
	if (job->file_count == 0 && job->config_count == 0) {
		if (cli_is_bloaty(job->run.cli))
			cli_error(job->run.cli, "must specify at least one file");
		else
			cli_error(job->run.cli, "must specify at least one file; try '%s --help'",
				  job->run.cli->usage);
		return false;
	}
	if (job->run.out.write.domain == 0 && job->by_region)
		job->run.out.write.domain = HEFT_VM;
	if (job->run.out.write.domain != 0 && !job->sort_given)
		heft_profile_set_sort_domain(job->profile, job->run.out.write.domain);
	if (job->run.out.write.domain == 0)
		job->run.out.write.domain = HEFT_BOTH;
	if (job->run.out.has_rows || !job->rows_given)
		heft_profile_set_rows(job->profile, output_rows(&job->run.out, 20));
	if (job->raw_map || job->verbosity > 0)
		job->flags |= HEFT_PROFILE_RANGES;
	if (cli_is_bloaty(job->run.cli))
		job->flags |= HEFT_PROFILE_BLOATY;
	ASSERT(job->run.out.write.domain != 0 && job->pending_count == 0);
	heft_profile_set_flags(job->profile, job->flags);
	return output_settle(&job->run.out, job->run.cli);
}

int size_job_init(struct size_job *job, const struct cli *cli, int argc, char **argv)
{
	static const struct cli_words words = { size_job_apply, size_job_add_input,
						size_job_add_base };
	*job = (struct size_job){ .run = run_new(cli, table_formats) };
	job->profile = cli_made(cli, heft_profile_new(job->run.session));
	job->run.out.write.bloaty = cli_is_bloaty(cli);
	const int status = cli_parse(job, argc, argv, &words);
	if (status != CLI_GO_ON || job->list_sources)
		return status;
	return size_job_settle(job) ? CLI_GO_ON : EXIT_TROUBLE;
}

void size_job_release(struct size_job *job)
{
	for (size_t i = 0; i < job->pending_count; i++)
		free(job->pending[i]);
	free(job->pending);
	run_release(&job->run);
	heft_profile_free(job->profile);
}
