/* cli.h - declares what the commands share: the program's name in messages, exit statuses, the
 * table of commands.
 *
 * cli/ uses the library as other programs do: it includes only heft.h and its own headers. */
#pragma once

#include "cli/options.h"
#include "cli/term.h"
#include "heft.h"

#include <stdbool.h>
#include <string.h>

enum exit_status {
	EXIT_FINE = 0,
	EXIT_NO = 1,      /* The answer is no. Also, with --exit-code: there are differences */
	EXIT_TROUBLE = 2, /* Wrong usage, bad input, or output that cannot be written */
};

struct command;

/* The name and the words by which this process was called. */
struct cli {
	const char *program; /* First word of every message: "heft" or "bloaty" */
	char usage[40];      /* Words before the operands: "heft size", "bloaty" */
	const struct command *command;
	struct progress *progress; /* Progress line of the command's handles (term.h) */
};

/* True if heft was called as "bloaty". The exit status for trouble is 1 then. */
static inline bool cli_is_bloaty(const struct cli *cli)
{
	return strcmp(cli->program, "bloaty") == 0;
}

/* Writes the text of an error to `room`, which has `size` bytes, in Bloaty's wording. */
void cli_as_bloaty(const struct heft_err *err, char *room, size_t size);
/* Prints what is wrong on the command line, or what replaced a removed option. */
void cli_bad_word(const struct cli *cli, const char *problem);
/* Returns the command of this name. NULL if there is none. */
const struct command *cli_command(const char *name);

struct command {
	const char *name;     /* One word, or two: "heap show" */
	const char *operands; /* Operands in the usage line */
	const char *summary;  /* One line for the list of commands */
	const char *manual;   /* Text before the options. Ends with a newline */
	const struct opt *opts;
	int (*run)(const struct cli *cli, int argc,
		   char **argv); /* `argv`: the words after the name */
};

/* Declares the parts of a command, and makes its entry of a table of commands. */
#define DECLARE_COMMAND(id)                                                                        \
	extern const struct opt id##_opts[];                                                       \
	extern const char id##_manual[];                                                           \
	int cmd_##id(const struct cli *cli, int argc, char **argv)
#define COMMAND(id, name, operands, summary)                                                       \
	{ name, operands, summary, id##_manual, id##_opts, cmd_##id }

DECLARE_COMMAND(size);
DECLARE_COMMAND(where);
DECLARE_COMMAND(why);
DECLARE_COMMAND(info);
DECLARE_COMMAND(blocks);
DECLARE_COMMAND(advise);
DECLARE_COMMAND(stack);
DECLARE_COMMAND(heap_digest);
DECLARE_COMMAND(heap_run);
DECLARE_COMMAND(heap_snapshot);
DECLARE_COMMAND(heap_show);
DECLARE_COMMAND(heap_diff);
DECLARE_COMMAND(heap_at);
DECLARE_COMMAND(heap_check);
DECLARE_COMMAND(blocks_profile);
DECLARE_COMMAND(blocks_emit);
DECLARE_COMMAND(blocks_check);
DECLARE_COMMAND(snapshot);
DECLARE_COMMAND(diff);
DECLARE_COMMAND(report);
DECLARE_COMMAND(query);
DECLARE_COMMAND(check);
DECLARE_COMMAND(rows);
DECLARE_COMMAND(comment);

/* Options that several commands share. Their rows are in the files *_opts.inc. A command numbers
 * its own options from O_OWN. */
enum common_option {
	O_HELP = 1,
	O_VERSION,
	O_VERBOSE,
	O_DEBUG_FILE,
	O_DEBUG_DIR,
	O_NO_SEARCH,
	O_DSYM,
	O_ARCH,
	O_SOURCE_MAP,
	O_MAP,
	O_NO_MAP,
	O_REGION,
	O_CALLS,
	O_STACK_USAGE,
	O_SYSROOT,
	O_PATH_MAP,
	O_STRIP_PREFIX,
	O_EXE,
	O_DUMP_BASE,
	O_DUMP_LOAD,
	O_DUMP_AT,
	O_DUMP_WORD,
	O_DUMP_ENDIAN,
	O_DEMANGLE,
	O_THREADS,
	O_BY,
	O_ROWS,
	O_SORT,
	O_FORMAT,
	O_CSV,
	O_TSV,
	O_JSON,
	O_MARKDOWN,
	O_FOLDED,
	O_PPROF,
	O_SVG,
	O_TERSE,
	O_CSV_SAFE,
	O_COLOR,
	O_WIDE,
	O_OUTPUT,
	O_OWN,
};

/* Calls `take` with each name of a list "a,b" until it refuses one. Returns false then, or if
 * memory runs out. Prints that memory ran out, unless `cli` is NULL. Names may be empty. */
bool cli_each_name(const struct cli *cli, const char *list, bool (*take)(void *job, const char *),
		   void *job);

/* Parses a number: decimal, or hexadecimal with 0x or if `hex`. Sizes may end in a unit: K, Ki,
 * KiB, KB and similar ones. If `text` is not a number, returns false and does not set *ret. */
bool cli_parse_number(const char *text, bool hex, uint64_t *ret);
/* Applies an option of find_opts.inc, exe_opts.inc or raw_opts.inc to the session. Ignores other
 * options. Returns false after a message. */
bool cli_find(const struct cli *cli, struct heft_session *s, const struct opt *o,
	      const char *value);

/* Prints the usage line, the manual and every option of the command on stdout. */
void cli_help(const struct cli *cli);
void cli_version(const struct cli *cli);

/* Prints "program: text" on stderr and returns EXIT_TROUBLE. */
int cli_error(const struct cli *cli, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Prints "--NAME: 'VALUE' is not WANTED" for an option. Returns false. */
bool cli_bad_value(const struct cli *cli, const struct opt *o, const char *value,
		   const char *wanted);

/* Parses a decimal number of at most `max`. Otherwise prints what is wanted and returns false. */
bool cli_number(const struct cli *cli, const struct opt *o, const char *value, uint64_t max,
		uint64_t *ret);

/* Parses a size of at most `max` bytes, such as "4096", "4K" or "4KiB". If the value is not one,
 * prints that and returns false. */
bool cli_size(const struct cli *cli, const struct opt *o, const char *value, uint64_t max,
	      uint64_t *ret);

extern const struct choice style_choices[];      /* Values of enum heft_demangle */
extern const struct choice convention_choices[]; /* Values of enum heft_convention */
/* Finds the value among the choices. Otherwise prints the choices and returns false. */
bool cli_choice(const struct cli *cli, const struct opt *o, const char *value,
		const struct choice *choices, unsigned *ret);
extern const struct choice sure_choices[]; /* Values of enum heft_sure */
/* Reads a list "a,b" of choices. Sets *ret to the bits of all of them. False after a message. */
bool cli_choices(const struct cli *cli, const struct opt *o, const char *list,
		 const struct choice *choices, unsigned *ret);
/* Prints that the data source does not exist, and suggests a similar name. Returns false. */
bool cli_unknown_source(const struct cli *cli, const char *name);
/* If the first operand is not a file and the second is, prints a hint and returns true. */
bool cli_swapped(const struct cli *cli, const char *first, const char *second);
/* Returns the last component of a path, or the path if it ends with a slash. */
const char *cli_file_name(const char *path);
/* Returns `handle`, the result of heft_X_new(). If it is NULL, prints that there is no memory and
 * ends the process. Only for handles that a command makes before it starts anything. */
void *cli_made(const struct cli *cli, void *handle);
/* Makes a session that shows progress. Without memory, ends the process. */
struct heft_session *cli_session(const struct cli *cli);
/* Sets *err to "no memory". Returns false. */
bool cli_no_memory(struct heft_err *err);
/* Prints an error of the library, with its place in the file if known. Returns as cli_error(). */
int cli_failed(const struct cli *cli, const struct heft_err *err);

/* Prints one line: "PROGRAM: note: FILE: text (how often, how many bytes)". If `offsets` is set,
 * adds the file offset of the first note. */
void note_print(const struct cli *cli, const struct heft_note *n, bool offsets);

/* Prints the notes of a session in their order, one per line. */
void notes_print_each(const struct cli *cli, struct heft_session *s, bool offsets);

/* Prints the notes of a session. If more than three files have notes of one kind, prints one line
 * with the first file and the number of other files. `all`: prints every note, with offsets. */
void notes_print(const struct cli *cli, struct heft_session *s, bool all);
