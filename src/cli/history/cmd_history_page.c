/* heft history page: a history as one page of html, which needs no script. */
#include "cli/history/choose.h"
#include "cli/outfile.h"
#include "cli/output.h"

#include <stdlib.h>
#include <string.h>

enum { O_STEPS = O_OWN, O_OF, MEASURES = 12 };

const struct opt history_page_opts[] = {
	{ O_OUTPUT, 'o', true, "output", "FILE", "write there, all or nothing" },
	{ O_STEPS, 0, true, "steps", "NUM", "builds whose difference is in the page (20)" },
	{ O_OF, 0, true, "of", "NAME", "a chart more: a section, source, symbol .." },
#include "cli/history/history_opts.inc"
#include "cli/last_opts.inc"
	{ 0 },
};

const char history_page_manual[] =
	"Writes a history as one page of html: a chart of the file, the VM image, the\n"
	"largest sections and each NAME over all builds, and a table of the builds.  A\n"
	"click on a step shows the symbols behind it.  The page needs no script and asks\n"
	"no network for anything.\n";

/* A size over the builds. */
struct measure {
	const char *name;
	double *values;
};

struct page_job {
	const struct cli *cli;
	struct history_settings settings;
	struct heft_history *history;
	const char *path;
	const char *names[MEASURES];
	size_t name_count, count; /* count: of builds */
	uint64_t steps;
	struct heft_build *builds;
	size_t *before; /* by build: the one that it is compared with; SIZE_MAX: none */
};

/* ---- text ------------------------------------------------------------------------------------ */

static bool put_escaped(void *ctx, const void *data, size_t size)
{
	FILE *to = ctx;
	const char *p = data;
	for (size_t i = 0; i < size; i++) {
		switch (p[i]) {
		case '<': fputs("&lt;", to); break;
		case '>': fputs("&gt;", to); break;
		case '&': fputs("&amp;", to); break;
		case '"': fputs("&quot;", to); break;
		case '\0': break;
		default: putc(p[i], to);
		}
	}
	return !ferror(to);
}

static void put_text(FILE *to, const char *text)
{
	put_escaped(to, text, strlen(text));
}

static const char head[] =
	"<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
	"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	"style-src 'unsafe-inline'\">\n<meta name=\"viewport\" "
	"content=\"width=device-width, initial-scale=1\">\n<title>heft history</title>\n<style>\n"
	":root { color-scheme: light dark; font: 14px system-ui, sans-serif }\n"
	"body { max-width: 1100px; margin: 1em auto; padding: 0 1em }\n"
	"svg { width: 100%; height: auto; display: block }\n"
	"polyline { fill: none; stroke: #2a78c2; stroke-width: 1.5 }\n"
	"circle { fill: #2a78c2 } a:hover circle, a:focus circle { fill: #d2452d }\n"
	"svg text { font-size: 11px; fill: currentColor }\n"
	"section.step { display: none } section.step:target { display: block }\n"
	"pre { overflow: auto; padding: 1em; border: 1px solid #8886 }\n"
	"table { border-collapse: collapse } td, th { padding: 1px 10px; text-align: right }\n"
	"td.t, th.t { text-align: left }\n</style></head><body>\n";

/* ---- measures -------------------------------------------------------------------------------- */

static bool same(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}

/* The build before, of the same branch if there is one. */
static size_t find_before(const struct heft_build *builds, size_t i)
{
	size_t any = SIZE_MAX;
	for (size_t k = i; k > 0; k--) {
		const struct heft_build *a = &builds[k - 1], *b = &builds[i];
		if (!same(a->product, b->product) || !same(a->config, b->config))
			continue;
		if (same(a->branch, b->branch))
			return k - 1;
		any = any == SIZE_MAX ? k - 1 : any;
	}
	return any;
}

/* Fills in the values of something that is called so; false where nothing is. */
static bool read_measure(const struct page_job *job, struct measure *m)
{
	struct heft_history_query q = job->settings.query;
	struct heft_err err;
	q.of = m->name;
	return heft_history_values(job->history, &q, m->values, job->count, &err);
}

/* ---- charts ---------------------------------------------------------------------------------- */

enum { WIDTH = 1000, HEIGHT = 150, LEFT = 90, RIGHT = 10, EDGE = 14 };

struct scale {
	double low, high;
	size_t count;
};

static double x_of(const struct scale *s, size_t i)
{
	const double room = WIDTH - LEFT - RIGHT;
	const double part = s->count > 1 ? (double)i / (double)(s->count - 1) : 0.5;
	return (double)LEFT + room * part;
}

static double y_of(const struct scale *s, double v)
{
	const double room = HEIGHT - 2 * EDGE;
	const double part = s->high > s->low ? (s->high - v) / (s->high - s->low) : 0.5;
	return (double)EDGE + room * part;
}

static void put_point(FILE *to, const struct page_job *job, const struct measure *m,
		      const struct scale *s, size_t i)
{
	const struct heft_build *b = &job->builds[i];
	const double was = job->before[i] == SIZE_MAX ? m->values[i] : m->values[job->before[i]];
	if (m->values[i] == was && i > 0 && i + 1 < job->count)
		return;
	fprintf(to, "<a href=\"#b%llu\"><circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\"><title>",
		(unsigned long long)b->id, x_of(s, i), y_of(s, m->values[i]));
	put_text(to, b->commit);
	fprintf(to, ": %.0f (%+.0f)</title></circle></a>\n", m->values[i], m->values[i] - was);
}

static void put_chart(FILE *to, const struct page_job *job, const struct measure *m)
{
	struct scale s = { m->values[0], m->values[0], job->count };
	for (size_t i = 0; i < job->count; i++) {
		s.low = m->values[i] < s.low ? m->values[i] : s.low;
		s.high = m->values[i] > s.high ? m->values[i] : s.high;
	}
	fputs("<h2>", to);
	put_text(to, m->name);
	fprintf(to,
		"</h2>\n<svg viewBox=\"0 0 %d %d\" role=\"img\"><text x=\"0\" y=\"%d\">%.0f</text>"
		"<text x=\"0\" y=\"%d\">%.0f</text>\n<polyline points=\"",
		WIDTH, HEIGHT, EDGE + 4, s.high, HEIGHT - EDGE + 4, s.low);
	for (size_t i = 0; i < job->count; i++)
		fprintf(to, "%.1f,%.1f ", x_of(&s, i), y_of(&s, m->values[i]));
	fputs("\"/>\n", to);
	for (size_t i = 0; i < job->count; i++)
		put_point(to, job, m, &s, i);
	fputs("</svg>\n", to);
}

static void put_charts(FILE *to, const struct page_job *job)
{
	struct measure m = { "file", calloc(job->count + 1, sizeof *m.values) };
	if (m.values == NULL)
		return;
	for (size_t i = 0; i < job->count; i++)
		m.values[i] = (double)job->builds[i].file;
	put_chart(to, job, &m);
	m.name = "vm";
	for (size_t i = 0; i < job->count; i++)
		m.values[i] = (double)job->builds[i].vm;
	put_chart(to, job, &m);
	for (size_t i = 0; i < job->name_count; i++) {
		m.name = job->names[i];
		if (read_measure(job, &m))
			put_chart(to, job, &m);
	}
	free(m.values);
}

/* ---- builds and their differences ------------------------------------------------------------ */

static struct heft_snapshot *read_build(const struct page_job *job, size_t i)
{
	char word[30];
	snprintf(word, sizeof word, "#%llu", (unsigned long long)job->builds[i].id);
	return history_read(job->cli, job->history, word, NULL);
}

static bool put_diff(FILE *to, const struct page_job *job, size_t i, struct heft_err *err)
{
	const struct heft_diff_query q = { .size = sizeof q, .rows = 30 };
	const struct heft_write_opts opts = { .size = sizeof opts, .width = 150 };
	const struct heft_sink sink = { put_escaped, to };
	struct heft_snapshot *old = read_build(job, job->before[i]), *now = read_build(job, i);
	struct heft_diff *d = old && now ? heft_diff_new(old, now, 0, err) : NULL;
	fputs("<pre>", to);
	const bool ok = d && heft_diff_rows(d, &q, err) && heft_diff_write(d, &opts, &sink, err);
	fputs("</pre>", to);
	heft_diff_free(d);
	heft_snapshot_free(old);
	heft_snapshot_free(now);
	return ok;
}

static bool put_step(FILE *to, const struct page_job *job, size_t i, struct heft_err *err)
{
	const struct heft_build *b = &job->builds[i];
	const bool shown = job->count - i <= job->steps && job->before[i] != SIZE_MAX;
	bool ok = true;
	fprintf(to,
		"<section class=\"step\" id=\"b%llu\"><h2>Build %llu: ", (unsigned long long)b->id,
		(unsigned long long)b->id);
	put_text(to, b->commit);
	fputs("</h2>\n", to);
	if (shown)
		ok = put_diff(to, job, i, err);
	else if (job->before[i] != SIZE_MAX)
		fprintf(to,
			"<p><code>heft history diff '#%llu' '#%llu'</code> tells what changed "
			"(the page has the last %llu differences).</p>",
			(unsigned long long)job->builds[job->before[i]].id,
			(unsigned long long)b->id, (unsigned long long)job->steps);
	else
		fputs("<p>The first build.</p>", to);
	fputs("</section>\n", to);
	return ok;
}

static void put_row(FILE *to, const struct page_job *job, size_t i)
{
	const struct heft_build *b = &job->builds[i];
	fprintf(to, "<tr><td><a href=\"#b%llu\">%llu</a></td><td class=\"t\">",
		(unsigned long long)b->id, (unsigned long long)b->id);
	put_text(to, b->commit);
	fputs("</td><td class=\"t\">", to);
	put_text(to, b->branch);
	fprintf(to, "</td><td>%llu</td><td>", (unsigned long long)b->file);
	if (job->before[i] != SIZE_MAX)
		fprintf(to, "%+lld", (long long)(b->file - job->builds[job->before[i]].file));
	fprintf(to, "</td><td>%llu</td><td>%llu</td></tr>\n", (unsigned long long)b->vm,
		(unsigned long long)b->symbols);
}

static bool write_page(void *ctx, FILE *to, struct heft_err *err)
{
	const struct page_job *job = ctx;
	bool ok = true;
	fputs(head, to);
	fputs("<h1>heft history: ", to);
	put_text(to, job->count > 0 ? job->builds[job->count - 1].product : "no build");
	fputs("</h1>\n<p>A click on a point shows the symbols behind the step.</p>\n", to);
	if (job->count > 0)
		put_charts(to, job);
	for (size_t i = job->count; i > 0 && ok; i--)
		ok = put_step(to, job, i - 1, err);
	fputs("<h2>Builds</h2>\n<table><tr><th>build</th><th class=\"t\">commit</th>"
	      "<th class=\"t\">branch</th><th>file</th><th>change</th><th>vm</th>"
	      "<th>symbols</th></tr>\n",
	      to);
	for (size_t i = job->count; i > 0; i--)
		put_row(to, job, i - 1);
	fputs("</table></body></html>\n", to);
	return ok;
}

/* ---- the command ----------------------------------------------------------------------------- */

static bool apply(void *ctx, const struct opt *o, const char *value)
{
	struct page_job *job = ctx;
	switch (o->id) {
	case O_OUTPUT: job->path = value; return true;
	case O_STEPS: return cli_number(job->cli, o, value, 10000, &job->steps);
	case O_OF:
		if (job->name_count == MEASURES)
			return cli_bad_value(job->cli, o, value, "one of seven charts at most");
		job->names[job->name_count++] = value;
		return true;
	default: return history_apply(&job->settings, o, value);
	}
}

static bool no_operand(void *ctx, const char *word)
{
	const struct page_job *job = ctx;
	cli_error(job->cli, "'%s': no operand is wanted; try '%s --help'", word, job->cli->usage);
	return false;
}

static bool take_builds(struct page_job *job)
{
	job->count = heft_history_build_count(job->history);
	job->builds = calloc(job->count + 1, sizeof *job->builds);
	job->before = calloc(job->count + 1, sizeof *job->before);
	if (job->builds == NULL || job->before == NULL)
		return cli_error(job->cli, "out of memory") == EXIT_FINE;
	for (size_t i = 0; i < job->count; i++) {
		job->builds[i].size = sizeof *job->builds;
		heft_history_build(job->history, i, &job->builds[i]);
		job->before[i] = find_before(job->builds, i);
		if (!same(job->builds[i].product, job->builds[0].product) ||
		    !same(job->builds[i].config, job->builds[0].config)) {
			cli_error(job->cli, "the builds are of several products or configurations: "
					    "say --product, --config");
			return false;
		}
	}
	return true;
}

int cmd_history_page(const struct cli *cli, int argc, char **argv)
{
	static const struct cli_words words = { apply, no_operand };
	struct page_job job = { .cli = cli,
				.steps = 20,
				.names = { ".text", ".rodata", ".data", ".bss", ".eh_frame" },
				.name_count = 5 };
	int status = cli_parse(cli, argc, argv, &words, &job);
	if (status != CLI_GO_ON)
		return status;
	if (!job.path)
		return cli_error(cli, "must specify where to with -o FILE; try '%s --help'",
				 cli->usage);
	job.history = history_open(cli, &job.settings);
	status = job.history && take_builds(&job) ? outfile_write(cli, job.path, write_page, &job)
						  : EXIT_TROUBLE;
	free(job.builds);
	free(job.before);
	heft_history_free(job.history);
	return status;
}
