/* Implements heft query: runs SQL over the symbols of a snapshot. */
#include "base/nearest.h"
#include "cli/snapshots.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

struct query_job {
	struct snapshot_run open; /* Its operands are the file and SQL */
	struct heft_query_opts opts;
	bool list;
	struct heft_query *query;
	const char *sql; /* Current statement */
};

const struct opt query_opts[] = {
	{ 0, 0, false, "list", NULL, "list the ready-made queries", SETS(struct query_job, list) },
#define OUTPUT_ROWS         "rows at most, 0: all (default: 0, ready-made: 30)"
#define OUTPUT_FORMATS      "table|csv|tsv|json|markdown|svg"
#define OUTPUT_FORMATS_HELP "table (default), csv, tsv, json, markdown, svg"
#define OUTPUT_NO_STACKS
#define OUTPUT_SVG
#include "cli/output_opts.inc"
#include "cli/find_opts.inc"
#include "cli/stack_opts.inc"
#include "cli/notes_opts.inc"
};

const char query_manual[] =
	"Asks the symbols of a program or .size file by SQL (SQLite's), or by the name\n"
	"of a ready-made query: heft query a.out @largest.  Without SQL, statements come\n"
	"from standard input; '.help' tells what else may stand there.\n";

static const struct choice formats[] = { LIST_FORMATS, { "svg", HEFT_SVG }, { NULL, 0 } };

/* Returns the SQL of a predefined query, or NULL. */
static const char *named_sql(const char *name)
{
	const char *known, *text, *sql;
	for (size_t i = 0; heft_named_query(i, &known, &text, &sql); i++)
		if (strcmp(known, name) == 0)
			return sql;
	return NULL;
}

static int unknown_name(const struct query_job *job, const char *name)
{
	const char *names[64], *text, *sql;
	size_t count = 0;
	while (count < sizeof names / sizeof *names &&
	       heft_named_query(count, &names[count], &text, &sql))
		count++;
	const char *nearest = nearest_of(name, names, count);
	return cli_error(job->open.run.cli, "no query is called '@%s'%s%s%s", name,
			 nearest ? "; did you mean '@" : "", nearest ? nearest : "",
			 nearest ? "'?" : "; see heft query --list");
}

static bool write_result(void *ctx, FILE *to, struct heft_err *err)
{
	const struct query_job *job = ctx;
	const struct heft_sink sink = output_sink(&job->open.run.out, to);
	return heft_query_run(job->query, job->sql, &job->opts, &sink, err);
}

/* Runs SQL or a predefined query. Returns the exit status. */
static int run_text(struct query_job *job, const char *text)
{
	ASSERT(job->query != NULL);
	job->opts.rows = job->open.run.out.rows;
	job->sql = text;
	if (named_sql(text) != NULL)
		return cli_error(job->open.run.cli,
				 "'%s' is no SQL; the ready-made query is called '@%s'", text,
				 text);
	if (text[0] == '@') {
		job->sql = named_sql(text + 1);
		if (job->sql == NULL)
			return unknown_name(job, text + 1);
		job->opts.rows = output_rows(&job->open.run.out, 30);
	}
	return outfile_write(job->open.run.cli, job->open.run.out.path, write_result, job);
}

static int list_queries(void)
{
	const char *name, *text, *sql;
	for (size_t i = 0; heft_named_query(i, &name, &text, &sql); i++)
		printf("@%-15s %s\n", name, text);
	return EXIT_FINE;
}

static int show_schema(struct query_job *job, const char *name)
{
	char sql[400];
	snprintf(sql, sizeof sql,
		 "SELECT t.name \"table\", c.name \"column\", c.type FROM "
		 "(SELECT 'symbols' name UNION SELECT 'charges' UNION SELECT name FROM "
		 "pragma_table_list WHERE schema = 'main' AND name NOT LIKE 'sqlite%%' "
		 "AND name <> 'names') t, pragma_table_info(t.name) c "
		 "WHERE '%.60s' IN ('', t.name)",
		 strchr(name, '\'') ? "" : name);
	return run_text(job, sql);
}

/* Runs a line that begins with a dot. False if the line ends the session. */
static bool run_dot(struct query_job *job, const char *line)
{
	if (strcmp(line, ".quit") == 0 || strcmp(line, ".exit") == 0)
		return false;
	if (strcmp(line, ".help") == 0)
		fputs("SQL statements end with ';'.  @NAME runs a ready-made query.\n"
		      "  .list           the ready-made queries\n"
		      "  .tables         the tables\n"
		      "  .schema [NAME]  their columns\n"
		      "  .quit           leave\n",
		      stdout);
	else if (strcmp(line, ".list") == 0)
		list_queries();
	else if (strcmp(line, ".tables") == 0)
		puts("symbols  charges  aliases  sections  sources  components  containers  "
		     "metadata  section_sizes  refs  kept");
	else if (strncmp(line, ".schema", 7) == 0)
		show_schema(job, line[7] == ' ' ? line + 8 : "");
	else
		cli_error(job->open.run.cli, "'%s' is not known; try .help", line);
	return true;
}

struct typed {
	char *text; /* Text of the statement up to now */
	size_t size;
};

static bool query_append(struct typed *t, const char *line)
{
	const size_t more = strlen(line);
	char *bigger = realloc(t->text, t->size + more + 2);
	if (bigger == NULL)
		return false;
	memcpy(bigger + t->size, line, more);
	t->size += more;
	bigger[t->size++] = '\n';
	bigger[t->size] = '\0';
	t->text = bigger;
	return true;
}

/* Adds a line and runs the statements that are complete. False if the line ends the session. */
static bool query_take_line(struct query_job *job, struct typed *t, char *line, int *status)
{
	line[strcspn(line, "\n")] = '\0';
	if (t->size == 0 && line[0] == '.')
		return run_dot(job, line);
	if (t->size == 0 && line[0] == '@') {
		*status = run_text(job, line);
		return true;
	}
	if (t->size == 0 && line[strspn(line, " \t")] == '\0')
		return true;
	if (!query_append(t, line)) {
		*status = cli_error(job->open.run.cli, "out of memory");
		return false;
	}
	if (heft_query_is_complete(t->text)) {
		*status = run_text(job, t->text);
		t->size = 0;
	}
	return true;
}

static void prompt(bool terminal, const struct typed *t)
{
	if (!terminal)
		return;
	fputs(t->size == 0 ? "heft> " : "  ...> ", stdout);
	fflush(stdout);
}

/* Runs the statements of standard input. An error ends the run, unless input is a terminal. */
static int run_input(struct query_job *job)
{
	const bool terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
	struct typed t = { NULL, 0 };
	char *line = NULL;
	size_t room = 0;
	int status = EXIT_FINE;
	if (terminal)
		puts("'.help' for help, '.quit' to leave");
	prompt(terminal, &t);
	while (getline(&line, &room, stdin) >= 0 && query_take_line(job, &t, line, &status) &&
	       (terminal || status == EXIT_FINE))
		prompt(terminal, &t);
	if (t.size > 0 && status == EXIT_FINE)
		status = run_text(job, t.text);
	free(line);
	free(t.text);
	return terminal ? EXIT_FINE : status;
}

/* True if a statement may use a column that is slow to compute. True for standard input, whose
 * statements are not known yet. */
static bool asks(const struct query_job *job, const char *column)
{
	const char *sql = job->open.run.word_count == 2 ? job->open.run.words[1] : column;
	if (sql[0] == '@')
		sql = named_sql(sql + 1);
	while (sql != NULL && *sql != '\0' && strncasecmp(sql, column, strlen(column)) != 0)
		sql++;
	return sql != NULL && *sql != '\0';
}

/* Adds the references of the program, if a statement may ask for them. If statements come from
 * standard input, a file that cannot have references is no failure. */
static bool query_add_references(struct query_job *job, struct heft_err *err)
{
	const struct command_run *run = &job->open.run;
	if (!asks(job, "refs") && !asks(job, "kept"))
		return true;
	struct heft_graph *g = cli_made(run->cli, heft_graph_new(run->session));
	const bool good = heft_graph_open(g, run->words[0], err);
	const bool added = good && heft_query_add_graph(job->query, g, err);
	heft_graph_free(g);
	return added || (!good && err->code == HEFT_EUNSUPPORTED && run->word_count == 1);
}

static int cmd_query_run(struct query_job *job)
{
	struct heft_err err;
	int status;
	const struct command_run *run = &job->open.run;
	const char **words = run->words;
	if (!run_has_words(run, 1, 2, "one file, and SQL in one word") ||
	    (run->word_count == 2 && cli_swapped(run->cli, words[0], words[1])))
		return EXIT_TROUBLE;
	job->open.flags = HEFT_SNAPSHOT_ALONE |
			  (asks(job, "charges") ? 0u : HEFT_SNAPSHOT_UNCHARGED) |
			  (asks(job, "contents") ? HEFT_SNAPSHOT_CONTENTS : 0u) |
			  (asks(job, "stack") ? HEFT_SNAPSHOT_STACKS : 0u) |
			  (asks(job, "sure") ? HEFT_SNAPSHOT_SURE : 0u);
	struct heft_snapshot *s = snapshot_open(&job->open, words[0]);
	if (s == NULL)
		return EXIT_TROUBLE;
	job->opts.format = run->out.write.format;
	job->opts.width = run->out.write.width;
	job->opts.csv_safe = run->out.write.csv_safe;
	job->query = heft_query_new(s, &err);
	if (job->query == NULL || !query_add_references(job, &err))
		status = cli_failed(run->cli, &err);
	else if (run->word_count == 2 && words[1][0] == '.')
		status = run_dot(job, words[1]) ? EXIT_FINE : EXIT_TROUBLE;
	else
		status = run->word_count == 2 ? run_text(job, words[1]) : run_input(job);
	heft_query_free(job->query);
	heft_snapshot_free(s);
	return status;
}

int cmd_query(const struct cli *cli, int argc, char **argv)
{
	struct query_job job = { .open.run = run_new(cli, formats),
				 .opts = { .size = sizeof job.opts } };
	int status = cli_parse_output(&job, argc, argv, NULL);
	if (status == CLI_GO_ON)
		status = job.list ? list_queries() : cmd_query_run(&job);
	run_release(&job.open.run);
	return status;
}
