/* options.h - parses command lines by tables.
 *
 * One table per command drives parsing and --help. Tests compare the manual page and the shell
 * completions with that --help.
 *
 * Forms: `-x`, `-xVALUE`, `-x VALUE`; flags may share a word (`-wvv`); `--name`, `--name=VALUE`,
 * `--name VALUE`, never abbreviated. Options and operands may be mixed. The word `--` separates two
 * lists of operands and may be given once. Options may also follow it. */
#pragma once

#include "base/assert.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* What an option does to the job of its command. */
enum opt_effect {
	OPT_APPLIES, /* The command's function applies the option */
	OPT_SETS,    /* Sets a bool of the job to true */
	OPT_ADDS,    /* Adds `bits` to an unsigned of the job */
	OPT_KEEPS,   /* Keeps the value in a const char * of the job */
	OPT_PICKS,   /* Keeps the value of the chosen word in an enum or unsigned of the job */
};

/* A word that an option accepts. The last entry of a list has the word NULL. */
struct choice {
	const char *word;
	unsigned value;
};

/* An option. An entry that is all zero ends the table. An entry with neither letter nor name is a
 * heading of the help. */
struct opt {
	int id;            /* Number of the option in its command. 0 if `effect` is enough */
	char letter;       /* 0 if there is none */
	bool common;       /* True if `heft --help` lists the option */
	const char *name;  /* Name without "--". NULL if there is none */
	const char *value; /* Name of the value in the help. NULL if the option takes none */
	const char *help;  /* Text of the help. "" hides the option: it is a second spelling */
	/* Words that the value can be: "a|b|c". NULL if `value` lists them, or for any value. */
	const char *choices;
	enum opt_effect effect;
	unsigned bits;
	const struct choice *picks; /* Words of OPT_PICKS */
	size_t at;                  /* Offset in the job of the member that the effect changes */
};

/* Offset of a member, which must have this type. */
#define MEMBER_AT(job, m, type) _Generic(((job *)0)->m, type: offsetof(job, m))
/* Last initializers of a struct opt whose effect is to change a member of a job. */
#define SETS(job, m)     .effect = OPT_SETS, .at = MEMBER_AT(job, m, bool)
#define ADDS(job, m, b)  .effect = OPT_ADDS, .at = MEMBER_AT(job, m, unsigned), .bits = (b)
#define KEEPS(job, m)    .effect = OPT_KEEPS, .at = MEMBER_AT(job, m, const char *)
#define PICKS(job, m, c) .effect = OPT_PICKS, .at = MEMBER_AT(job, m, unsigned), .picks = (c)

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

static inline void options_init(struct opt_cursor *c, const struct opt *table, int argc,
				char **argv)
{
	*c = (struct opt_cursor){ .table = table, .argc = argc, .argv = argv };
}

enum opt_step options_next(struct opt_cursor *c);

/* Prints the table as text of 80 columns, one line per option. `common_only` omits headings and
 * options that are not common. */
void options_print(const struct opt *table, bool common_only, FILE *to);
