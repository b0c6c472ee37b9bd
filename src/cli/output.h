/* output.h - the options that all reports share: which format, how many rows, in which order, where
 * to.
 *
 * A table of options includes output_opts.inc, behind the definitions of
 *	OUTPUT_FORMATS  the formats, "table|csv|json", or NULL; OUTPUT_FORMATS_HELP for the help
 *	OUTPUT_BY       what -d and --by take; OUTPUT_BY_HELP
 *	OUTPUT_SORT     what -s and --sort take; OUTPUT_SORT_HELP
 *	OUTPUT_ROWS     what the help says of -n
 *	OUTPUT_LINES    where lines are written as they are found: no columns to fit and to colour
 *	OUTPUT_FEW      where the formats are table and json alone
 * and hands each option to output_apply. */
#ifndef HEFT_CLI_OUTPUT_H
#define HEFT_CLI_OUTPUT_H

#include "cli/cli.h"
#include "cli/outfile.h"
#include "cli/term.h"

struct output {
	struct heft_write_opts write;
	const struct choice *formats; /* that the command has; the first one is the default */
	const struct opt *format_opt; /* that was given; NULL: none */
	uint32_t rows;
	bool has_rows, wide;
	enum term_when color;
	const char *path; /* NULL: standard output */
};

/* What every list can be written as: the first choices of a command's formats. */
#define LIST_FORMATS                                                                               \
	{ "table", HEFT_TABLE }, { "csv", HEFT_CSV }, { "tsv", HEFT_TSV }, { "json", HEFT_JSON },  \
	{                                                                                          \
		"markdown", HEFT_MARKDOWN                                                          \
	}

/* The formats of reports whose rows are a table. */
extern const struct choice table_formats[];
/* Those of lists, whose lines are written as they are found. */
extern const struct choice list_formats[];

void output_init(struct output *out, const struct choice *formats);

enum output_answer { OUTPUT_OTHER, OUTPUT_TAKEN, OUTPUT_BAD };
/* OTHER: the option is none of these; BAD: the value is wrong, or contradicts an option before it,
 * and that was said. */
enum output_answer output_apply(struct output *out, const struct cli *cli, const struct opt *o,
				const char *value);
/* After the last option: sets what depends on the terminal.  False, and said, where the format is
 * not for a terminal. */
bool output_settle(struct output *out, const struct cli *cli);
/* Rows to show: as asked for, else all in formats for tools that show all of it, else `usual`. */
uint32_t output_rows(const struct output *out, uint32_t usual);
/* The sink for what is written, see outfile_write: a terminal gets no control characters of
 * strangers. */
struct heft_sink output_sink(const struct output *out, FILE *to);

#endif
