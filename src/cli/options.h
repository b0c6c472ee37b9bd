/* options.h - parses command lines by tables.
 *
 * One table per command drives parsing and --help. Tests compare the manual page and the shell
 * completions with that --help.
 *
 * Forms: `-x`, `-xVALUE`, `-x VALUE`; flags may share a word (`-wvv`); `--name`, `--name=VALUE`,
 * `--name VALUE`, never abbreviated. Options and operands may be mixed. `--` does not end the
 * options: it separates two lists of operands, and may be given once. */
#ifndef HEFT_CLI_OPTIONS_H
#define HEFT_CLI_OPTIONS_H

#include "base/assert.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* An option. A table ends with an entry that is all zero. An entry with neither letter nor name is
 * a heading of the help. */
struct opt {
	int id;            /* Number of the option in the command. Never 0. */
	char letter;       /* 0 if there is none. */
	bool common;       /* Shown by `heft --help`. That help lists only common options. */
	const char *name;  /* Without "--". NULL if there is none. */
	const char *value; /* What the help calls the value. NULL if the option takes none. */
	const char *help;  /* "" for another spelling of an option. The help does not list it. */
	/* Words that the value can be, "a|b|c", if `value` is only a name. NULL if `value` lists
	 * them or the value is free. */
	const char *choices;
};

enum opt_step {
	OPT_END,
	OPT_OPTION,    /* An option: cursor.opt, cursor.value (NULL if it takes none). */
	OPT_OPERAND,   /* An operand: cursor.value. */
	OPT_SEPARATOR, /* The first "--". */
	OPT_BAD,       /* A mistake: cursor.problem says why. */
};

struct opt_cursor {
	const struct opt *table;
	int argc;
	char **argv;         /* Remaining words, borrowed. */
	const char *cluster; /* Rest of a word of short options, or NULL. */
	bool separated;
	const struct opt *opt;
	const char *value;
	char problem[200];
};

void options_init(struct opt_cursor *c, const struct opt *table, int argc, char **argv);
enum opt_step options_next(struct opt_cursor *c);

/* Prints the table as text, one line per option, 80 columns. `common_only` leaves out other options
 * and headings. */
void options_print(const struct opt *table, bool common_only, FILE *to);

#endif
