/* output.h - handles the options that all reports share: format, number and order of rows, output
 * file.
 *
 * A table of options includes output_opts.inc, after these definitions:
 *
 *     OUTPUT_FORMATS: the formats, "table|csv|json"; OUTPUT_FORMATS_HELP. Default: those of lists
 *     OUTPUT_BY: values of -d and --by; OUTPUT_BY_HELP
 *     OUTPUT_SORT: values of -s and --sort; OUTPUT_SORT_HELP; OUTPUT_SORT_PICKS, if a member of the
 *         job keeps the value
 *     OUTPUT_ROWS: help text of -n
 *     OUTPUT_LINES: defined if lines are written as they are found, without widths and colours
 *     OUTPUT_FEW: defined if the only formats are table and json
 *
 * run_apply() passes each option to output_apply(). */
#pragma once

#include "cli/cli.h"
#include "cli/outfile.h"
#include "cli/term.h"

struct output {
	struct heft_write_opts write;
	const struct choice *formats; /* Formats of the command. The first one is the default */
	const struct opt *format_opt; /* The format option that was given. NULL if none */
	uint32_t rows;
	bool has_rows, wide;
	bool has_path; /* True if -o was given, also with "-" */
	enum term_when color;
	const char *path; /* NULL means standard output */
};

/* Formats of every list. A command's formats begin with these. */
#define LIST_FORMATS                                                                               \
	{ "table", HEFT_TABLE }, { "csv", HEFT_CSV }, { "tsv", HEFT_TSV }, { "json", HEFT_JSON },  \
	{                                                                                          \
		"markdown", HEFT_MARKDOWN                                                          \
	}

/* Formats of reports whose rows are a table. */
extern const struct choice table_formats[];
/* Formats of lists, which write each line as it is found. */
extern const struct choice list_formats[];

void output_init(struct output *out, const struct choice *formats);

enum output_answer { OUTPUT_OTHER, OUTPUT_TAKEN, OUTPUT_BAD };
/* Applies an option. OUTPUT_OTHER: it is not an option of output_opts.inc. OUTPUT_BAD, after a
 * message: its value is wrong or contradicts an earlier option. */
enum output_answer output_apply(struct output *out, const struct cli *cli, const struct opt *o,
				const char *value);
/* Sets what depends on the terminal. Call it after the last option. False, after a message, if the
 * format must not go to a terminal. */
bool output_settle(struct output *out, const struct cli *cli);
/* Returns the number of rows to show: the user's number if given. Otherwise `usual` in the formats
 * of lists (LIST_FORMATS), and all rows in other formats. */
uint32_t output_rows(const struct output *out, uint32_t usual);
/* Returns the sink of the output for outfile_write(). Escapes control characters for a terminal. */
struct heft_sink output_sink(const struct output *out, FILE *to);
