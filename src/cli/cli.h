/* cli.h - what the commands share: who we are in messages, exit statuses, the table of commands.
 *
 * cli/ is an ordinary user of the library: it includes heft.h and its own headers, nothing else. */
#ifndef HEFT_CLI_CLI_H
#define HEFT_CLI_CLI_H

#include "cli/options.h"
#include "heft.h"

#include <stdbool.h>

enum exit_status {
	EXIT_FINE = 0,
	EXIT_NO = 1,      /* the answer is no: with --exit-code, there are differences */
	EXIT_TROUBLE = 2, /* usage, unreadable or damaged input, output that cannot be written */
};

struct command;

/* How this process was called. */
struct cli {
	const char *program; /* first word of every message: "heft" or "bloaty" */
	const char *usage;   /* what comes before the operands: "heft size", "bloaty" */
	const struct command *command;
};

struct command {
	const char *name;     /* one word, or two: "heap show" */
	const char *operands; /* for the usage line */
	const char *summary;  /* for the list of commands */
	const char *manual;   /* printed above the options; newline at the end */
	const struct opt *opts;
	int (*run)(const struct cli *cli, int argc,
		   char **argv); /* argv: the words after the name */
};

extern const struct opt size_opts[];
extern const char size_manual[];
int cmd_size(const struct cli *cli, int argc, char **argv);

extern const struct opt where_opts[];
extern const char where_manual[];
int cmd_where(const struct cli *cli, int argc, char **argv);

extern const struct opt blocks_opts[];
extern const char blocks_manual[];
int cmd_blocks(const struct cli *cli, int argc, char **argv);

/* Prints the usage line, the manual and every option of the command on stdout. */
void cli_help(const struct cli *cli);
void cli_version(const struct cli *cli);

/* Prints "program: text" on stderr and returns EXIT_TROUBLE. */
int cli_error(const struct cli *cli, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* "--NAME: 'VALUE' is not WANTED", of an option.  Returns false. */
bool cli_bad_value(const struct cli *cli, const struct opt *o, const char *value,
		   const char *wanted);

/* A word that an option takes; a list ends with NULL. */
struct choice {
	const char *word;
	unsigned value;
};

extern const struct choice style_choices[]; /* enum heft_demangle */
/* False, and said, where the value is none of the choices. */
bool cli_choice(const struct cli *cli, const struct opt *o, const char *value,
		const struct choice *choices, unsigned *ret);
/* What the library says, as cli_error, with the place in the file if it has one. */
int cli_failed(const struct cli *cli, const struct heft_err *err);

#endif
