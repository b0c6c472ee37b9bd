/* options.h - command lines by table.
 *
 * One table a command drives parsing and --help; tests hold the manual page and the shell
 * completions against that --help.
 *
 * Words: `-x`, `-xVALUE`, `-x VALUE`, flags may share a word (`-wvv`); `--name`,
 * `--name=VALUE`, `--name VALUE`, never abbreviated.  Options and operands mix.  `--` does not
 * end the options: it separates two lists of operands and may be given once. */
#ifndef HEFT_CLI_OPTIONS_H
#define HEFT_CLI_OPTIONS_H

#include "base/assert.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* A table ends with an entry that is all zero.  An entry with neither letter nor name is a
 * heading of the help. */
struct opt {
	int id;            /* the command's; not 0 */
	char letter;       /* 0: none */
	bool common;       /* among the few shown by `heft --help` */
	const char *name;  /* without "--"; NULL: none */
	const char *value; /* what the help calls the value; NULL: takes none */
	const char *help;  /* "": one of several spellings, which the help does not list */
	/* words that the value can be, "a|b|c", where `value` is a mere name; NULL: it has them, or
	 * it is free */
	const char *choices;
};

enum opt_step {
	OPT_END,
	OPT_OPTION,    /* cursor.opt, cursor.value (NULL where it takes none) */
	OPT_OPERAND,   /* cursor.value */
	OPT_SEPARATOR, /* the first "--" */
	OPT_BAD,       /* cursor.problem says why */
};

struct opt_cursor {
	const struct opt *table;
	int argc;
	char **argv;         /* words that remain, borrowed */
	const char *cluster; /* rest of a word of short options, or NULL */
	bool separated;
	const struct opt *opt;
	const char *value;
	char problem[200];
};

void options_init(struct opt_cursor *c, const struct opt *table, int argc, char **argv);
enum opt_step options_next(struct opt_cursor *c);

/* The table as text, one line an option, 80 columns; `common_only` leaves out the rest and the
 * headings. */
void options_print(const struct opt *table, bool common_only, FILE *to);

#endif
