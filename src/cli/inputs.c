/* Opens the inputs of commands: programs, lists of symbols and heap dumps. */
#include "cli/inputs.h"

#include <stdlib.h>
#include <string.h>

static const char *const profile_groups[] = { "sections,symbols",
					      "compileunits,symbols",
					      "namespaces,symbols",
					      "directories,compileunits,symbols",
					      "segments,sections,symbols",
					      "sections,compileunits,symbols",
					      "inputfiles,sections,symbols",
					      "armembers,symbols",
					      "libraries,symbols",
					      "regions,libraries,symbols",
					      "fullsymbols",
					      "dominators",
					      NULL };
static const char *const dump_groups[] = { "modules,mappings,threads", "mappings",
					   "modules,sections,symbols", NULL };
static const char *const list_groups[] = { "symbol",    "source",    "directory",
					   "object",    "component", "section",
					   "container", "namespace", NULL };
static const char *const heap_groups[] = { "tree",   "callers", "function", "file", "line",
					   "module", "thread",  "size",     "age",  NULL };

const char *const *input_groups(const struct input *in)
{
	switch (in->kind) {
	case INPUT_LIST: return list_groups;
	case INPUT_HEAP: return heap_groups;
	default: return in->dump ? dump_groups : profile_groups;
	}
}

/* Sets *ret to the index of `by` in the list `groups`. False if it is not in the list. */
static bool inputs_find_group(const char *const *groups, const char *by, unsigned *ret)
{
	for (unsigned i = 0; groups[i] != NULL; i++) {
		if (strcmp(groups[i], by) != 0)
			continue;
		*ret = i;
		return true;
	}
	return false;
}

struct inputs inputs_new(const struct cli *cli)
{
	const struct inputs ret = { .run = run_new(cli, NULL), .usual = profile_groups[0] };
	/* Rows, facts and code show names in one style, instead of different default styles. */
	heft_session_set_demangle(ret.run.session, HEFT_NAMES_SHORT);
	return ret;
}

void inputs_release(struct inputs *all)
{
	run_release(&all->run);
	free(all->files.paths);
	free(all->bases.paths);
}

/* Sets the perf.data file with samples of the programs. Refuses a second file with a message. */
static bool inputs_add_samples(struct inputs *all, const char *path)
{
	if (all->perf == NULL || strcmp(all->perf, path) == 0) {
		all->perf = path;
		return true;
	}
	cli_error(all->run.cli, "%s and %s are both samples; one file of them can be shown",
		  all->perf, path);
	return false;
}

static bool inputs_add_path(struct inputs *all, struct input_files *f, const char *path)
{
	const char **grown = realloc(f->paths, (f->count + 1) * sizeof *grown);
	if (grown == NULL) {
		cli_error(all->run.cli, "out of memory");
		return false;
	}
	f->paths = grown;
	f->paths[f->count++] = path;
	return true;
}

bool inputs_add(struct inputs *all, const char *path, bool base)
{
	enum heft_input_kind kind = HEFT_INPUT_PROGRAM;
	heft_input_look(all->run.session, path, &kind, NULL);
	if (!base && kind == HEFT_INPUT_SAMPLES)
		return inputs_add_samples(all, path);
	if (kind == HEFT_INPUT_HISTORY) {
		cli_error(all->run.cli,
			  "%s is a history; heft history page --store=%s -o FILE shows it", path,
			  path);
		return false;
	}
	return inputs_add_path(all, base ? &all->bases : &all->files, path);
}

struct sources {
	struct input *in;
	struct heft_err *err;
};

static bool inputs_add_source(void *ctx, const char *name)
{
	const struct sources *s = ctx;
	/* Whether a region is full depends on bytes in memory, so rows are sorted by these. */
	if (strcmp(name, "regions") == 0)
		heft_profile_set_sort_domain(s->in->profile, HEFT_VM);
	if (heft_profile_add_source(s->in->profile, name, s->err))
		return true;
	if (s->err->code == HEFT_EARG)
		snprintf(s->in->unknown, sizeof s->in->unknown, "%s", name);
	return false;
}

static bool inputs_add_paths(struct heft_profile *p, const struct input_files *f,
			     enum heft_role role, struct heft_err *err)
{
	for (size_t i = 0; i < f->count; i++)
		if (!heft_profile_add_file(p, f->paths[i], role, err))
			return false;
	return true;
}

static bool open_profile(const struct inputs *all, struct input *in, const char *path,
			 const char *by, struct heft_err *err)
{
	struct heft_profile *p = in->profile = heft_profile_new(in->session);
	if (p == NULL)
		return cli_no_memory(err);
	struct sources sources = { in, err };
	const struct input_files one = { &path, 1 };
	in->kind = INPUT_PROFILE;
	snprintf(in->by, sizeof in->by, "%s", by);
	in->all = all->bases.count > 0 && !in->dump;
	heft_profile_set_rows(p, all->rows);
	heft_profile_set_flags(p, all->flags);
	/* Pages with facts about symbols (HEFT_PROFILE_RANGES) need symbols as the last level. */
	const bool cards = all->flags & HEFT_PROFILE_RANGES, hot = all->perf != NULL;
	cli_no_memory(err); /* Allocation failed */
	return (!hot || !cards || inputs_add_source(&sources, "hotness")) &&
	       cli_each_name(NULL, by, inputs_add_source, &sources) &&
	       (!hot || cards || inputs_add_source(&sources, "hotness")) &&
	       (!hot || heft_profile_set_samples(p, all->perf, err)) &&
	       inputs_add_paths(p, in->all ? &all->files : &one, HEFT_INPUT, err) &&
	       inputs_add_paths(p, &all->bases, HEFT_BASE, err) && heft_profile_run(p, err);
}

static bool inputs_new_snapshot(const struct input *in, struct heft_snapshot **ret,
				struct heft_err *err)
{
	*ret = heft_snapshot_new(in->session);
	return *ret != NULL || cli_no_memory(err);
}

static bool open_list(struct input *in, const char *path, const char *base, struct heft_err *err)
{
	in->kind = INPUT_LIST;
	if (!inputs_new_snapshot(in, &in->after, err))
		return false;
	if (base == NULL)
		return heft_snapshot_open(in->after, path, err);
	return inputs_new_snapshot(in, &in->before, err) &&
	       heft_snapshot_open_pair(in->before, base, in->after, path, err);
}

static bool new_heap(const struct inputs *all, const struct input *in, struct heft_heap **ret,
		     struct heft_err *err)
{
	struct heft_heap *h = *ret = heft_heap_new(in->session);
	if (h == NULL)
		return cli_no_memory(err);
	heft_heap_set_flags(h, all->heap_flags);
	return true;
}

/* Opens a dump. If it has no records of a heap, opens it as a profile of its memory. */
static bool inputs_open_dump(const struct inputs *all, struct input *in, const char *path,
			     const char *by, struct heft_err *err)
{
	struct heft_heap_info info = { .size = sizeof info };
	unsigned group;
	in->kind = INPUT_HEAP;
	if (!new_heap(all, in, &in->heap, err) || !heft_heap_open(in->heap, path, err))
		return false;
	heft_heap_info(in->heap, &info, NULL);
	if (info.recorded && (by == NULL || inputs_find_group(heap_groups, by, &group)))
		return true;
	in->dump = true;
	return open_profile(all, in, path, by != NULL ? by : dump_groups[0], err);
}

static bool open_base_dump(const struct inputs *all, struct input *in, const char *base,
			   struct heft_err *err)
{
	if (base == NULL || in->kind != INPUT_HEAP)
		return true;
	return new_heap(all, in, &in->base, err) && heft_heap_open(in->base, base, err);
}

bool cli_input_open(const struct inputs *all, size_t i, const char *by, struct input *in,
		    struct heft_err *err)
{
	enum heft_input_kind kind;
	const char *path = all->files.paths[i];
	const char *base = i < all->bases.count ? all->bases.paths[i] : NULL;
	ASSERT(i < all->files.count);
	*in = (struct input){ .title = cli_file_name(path),
			      .session = heft_session_copy(all->run.session) };
	if (all->pid != 0) { /* Input 0 is a running process. */
		in->kind = INPUT_HEAP;
		in->lives = true;
		return new_heap(all, in, &in->heap, err) &&
		       heft_heap_open_process(in->heap, all->pid, err) &&
		       open_base_dump(all, in, base, err);
	}
	if (!heft_input_look(all->run.session, path, &kind, err))
		return false;
	switch (kind) {
	case HEFT_INPUT_LIST:
	case HEFT_INPUT_LISTS:
		in->both = kind == HEFT_INPUT_LISTS;
		return open_list(in, path, base, err);
	case HEFT_INPUT_DUMP:
		return inputs_open_dump(all, in, path, by, err) &&
		       open_base_dump(all, in, base, err);
	default: return open_profile(all, in, path, by != NULL ? by : all->usual, err);
	}
}

bool input_open_symbols(const struct inputs *all, const struct input *of, struct input *in,
			struct heft_err *err)
{
	*in = (struct input){ .kind = INPUT_LIST, .title = of->title, .matched = true };
	in->session = heft_session_copy(all->run.session);
	return inputs_new_snapshot(in, &in->after, err) &&
	       inputs_new_snapshot(in, &in->before, err) &&
	       heft_snapshot_open_measured(in->before, in->after, of->profile, err);
}

void cli_input_close(struct input *in)
{
	heft_diff_free(in->diff);
	heft_heap_report_free(in->report);
	heft_profile_free(in->profile);
	heft_snapshot_free(in->before);
	heft_snapshot_free(in->after);
	heft_heap_free(in->base);
	heft_heap_free(in->heap);
	heft_session_free(in->session);
	*in = (struct input){ 0 };
}

static bool unknown_group(struct heft_err *err, const char *by)
{
	*err = (struct heft_err){ .code = HEFT_EARG, .offset = HEFT_NO_OFFSET };
	snprintf(err->text, sizeof err->text, "rows cannot be grouped by '%.100s' here", by);
	return false;
}

static bool inputs_list_rows(struct input *in, const char *by, struct heft_err *err,
			     const struct heft_table **ret)
{
	struct heft_diff_query query = { .size = sizeof query, .debug = true };
	unsigned group;
	if (!inputs_find_group(list_groups, by, &group))
		return unknown_group(err, by);
	query.by = (enum heft_diff_by)group;
	const unsigned flags = in->before == NULL && !in->both ? HEFT_DIFF_FROM_NOTHING : 0;
	if (in->diff == NULL)
		in->diff = heft_diff_new(in->before, in->after, flags, err);
	*ret = in->diff != NULL ? heft_diff_rows(in->diff, &query, err) : NULL;
	return *ret != NULL;
}

static bool heap_rows(struct input *in, const char *by, struct heft_err *err,
		      const struct heft_table **ret)
{
	static const enum heft_heap_by values[] = {
		HEFT_HEAP_BY_TREE,   HEFT_HEAP_BY_CALLERS, HEFT_HEAP_BY_FUNCTION,
		HEFT_HEAP_BY_FILE,   HEFT_HEAP_BY_LINE,    HEFT_HEAP_BY_MODULE,
		HEFT_HEAP_BY_THREAD, HEFT_HEAP_BY_SIZE,    HEFT_HEAP_BY_AGE,
	};
	struct heft_heap_query query = { .size = sizeof query };
	unsigned group;
	if (!inputs_find_group(heap_groups, by, &group))
		return unknown_group(err, by);
	ASSERT(group < sizeof values / sizeof *values);
	query.by = values[group];
	struct heft_heap_report *report = heft_heap_report_new(in->heap, in->base, &query, err);
	if (report == NULL)
		return false;
	heft_heap_report_free(in->report);
	in->report = report;
	*ret = heft_heap_report_table(report);
	return true;
}

const struct heft_table *input_table(struct input *in, const char *by, bool *ret_only_now,
				     struct heft_err *err)
{
	const struct heft_table *table = NULL;
	*ret_only_now = in->kind == INPUT_LIST && in->before == NULL && !in->both;
	if (in->kind == INPUT_PROFILE)
		return heft_profile_table(in->profile);
	if (by == NULL)
		by = input_groups(in)[0];
	if (!(in->kind == INPUT_HEAP ? heap_rows(in, by, err, &table)
				     : inputs_list_rows(in, by, err, &table)))
		return NULL;
	snprintf(in->by, sizeof in->by, "%s", by);
	return table;
}

/* The blocks of a program, and the samples that tell how often they ran. */
struct what_ran {
	struct heft_blocks *blocks;
	struct heft_samples *samples;
};

/* Opens blocks and samples of input `i`, if they are needed. */
static bool inputs_open_blocks(const struct inputs *all, size_t i, const struct input *in,
			       struct what_ran *ret, struct heft_err *err)
{
	*ret = (struct what_ran){ NULL, NULL };
	if ((all->perf == NULL && !all->code) || in->dump || in->all)
		return true;
	ret->blocks = heft_blocks_new(in->session);
	if (ret->blocks == NULL)
		return cli_no_memory(err);
	if (!heft_blocks_open(ret->blocks, all->files.paths[i], err))
		return false;
	if (all->perf != NULL)
		ret->samples = heft_samples_new(ret->blocks, all->perf, HEFT_SAMPLES_PERF, 0, err);
	return all->perf == NULL || ret->samples != NULL;
}

static bool inputs_add_profile(const struct inputs *all, size_t i, const struct input *in,
			       struct heft_page *page, struct heft_err *err)
{
	char title[200];
	struct what_ran ran;
	bool good = inputs_open_blocks(all, i, in, &ran, err);
	if (good && all->code && !in->dump)
		good = heft_page_add_profile_code(page, in->title, in->profile, ran.blocks,
						  ran.samples, err);
	else if (good)
		good = heft_page_add_profile(page, in->title, in->profile, err);
	snprintf(title, sizeof title, "%s: what ran", in->title);
	if (good && ran.samples != NULL)
		good = heft_page_add_samples(page, title, ran.samples, err);
	heft_samples_free(ran.samples);
	heft_blocks_free(ran.blocks);
	return good;
}

bool input_add_to(const struct inputs *all, size_t i, const struct input *in,
		  struct heft_page *page, struct heft_err *err)
{
	char title[300];
	ASSERT(in->kind != INPUT_PROFILE || in->profile != NULL);
	switch (in->kind) {
	case INPUT_PROFILE: return inputs_add_profile(all, i, in, page, err);
	case INPUT_HEAP: return heft_page_add_heap(page, in->title, in->heap, in->base, err);
	default:
		snprintf(title, sizeof title, "%s: symbols", in->title);
		return heft_page_add_snapshot(page, in->matched ? title : in->title, in->before,
					      in->after, err);
	}
}

void input_print_notes(const struct inputs *all, const struct input *in)
{
	if (in->session != NULL)
		notes_print(all->run.cli, in->session, all->run.verbose);
}

int input_failed(const struct inputs *all, const struct input *in, const struct heft_err *err)
{
	if (in->unknown[0] == '\0')
		return cli_failed(all->run.cli, err);
	cli_unknown_source(all->run.cli, in->unknown);
	return EXIT_TROUBLE;
}
