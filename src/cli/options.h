/* options.h - parses command lines by tables.
 *
 * One table per command drives parsing and --help. Tests compare the manual page and the shell
 * completions with that --help.
 *
 * Forms: `-x`, `-xVALUE`, `-x VALUE`; flags may share a word (`-wvv`); `--name`, `--name=VALUE`,
 * `--name VALUE`, never abbreviated. Options and operands may be mixed. The word `--` separates two
 * lists of operands and may be given once. Options may also follow it. */
#ifndef HEFT_CLI_OPTIONS_H
#define HEFT_CLI_OPTIONS_H

#include "base/assert.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* An option. An entry that is all zero ends the table. An entry with neither letter nor name is a
 * heading of the help. */
struct opt {
	int id;            /* Number of the option in the command. Never 0 */
	char letter;       /* 0 if there is none */
	bool common;       /* True if `heft --help` lists the option */
	const char *name;  /* Name without "--". NULL if there is none */
	const char *value; /* Name of the value in the help. NULL if the option takes none */
	const char *help;  /* Text of the help. "" hides the option: it is a second spelling */
	/* Words that the value can be: "a|b|c". NULL if `value` lists them or any value is
	 * allowed. */
	const char *choices;
};

enum opt_step {
	OPT_END,
	OPT_OPTION,    /* An option: cursor.opt and cursor.value (NULL if it takes none) */
	OPT_OPERAND,   /* An operand: cursor.value */
	OPT_SEPARATOR, /* The first "--" */
	OPT_BAD,       /* A mistake: cursor.problem says why */
};

struct opt_cursor {
	const struct opt *table;
	int argc;
	char **argv;         /* Remaining words, borrowed */
	const char *cluster; /* Unparsed letters of a word of short options, or NULL */
	bool separated;
	const struct opt *opt;
	const char *value;
	char problem[200];
};

void options_init(struct opt_cursor *c, const struct opt *table, int argc, char **argv);
enum opt_step options_next(struct opt_cursor *c);

/* Prints the table as text of 80 columns, one line per option. `common_only` omits headings and
 * options that are not common. */
void options_print(const struct opt *table, bool common_only, FILE *to);

#endif
