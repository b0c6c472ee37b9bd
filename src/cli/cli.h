/* cli.h - what the commands share: who we are in messages, exit statuses, the table of commands.
 *
 * cli/ is an ordinary user of the library: it includes heft.h and its own headers, nothing else. */
#ifndef HEFT_CLI_CLI_H
#define HEFT_CLI_CLI_H

#include "cli/options.h"
#include "cli/term.h"
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
	char usage[40];      /* what comes before the operands: "heft size", "bloaty" */
	const struct command *command;
	struct progress *progress; /* the line that the handles of the command write (term.h) */
};

/* Called by the name of Bloaty, whose place heft takes: its exit status for trouble is 1. */
bool cli_is_bloaty(const struct cli *cli);

/* What went wrong, as Bloaty says it. */
void cli_as_bloaty(const struct heft_err *err, char *room, size_t size);
/* Says what is wrong with the words of the command line. */
void cli_bad_word(const struct cli *cli, const char *problem);
/* The command of this name, NULL where there is none. */
const struct command *cli_command(const char *name);

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

extern const struct opt info_opts[];
extern const char info_manual[];
int cmd_info(const struct cli *cli, int argc, char **argv);

extern const struct opt blocks_opts[];
extern const char blocks_manual[];
int cmd_blocks(const struct cli *cli, int argc, char **argv);

extern const struct opt stack_opts[];
extern const char stack_manual[];
int cmd_stack(const struct cli *cli, int argc, char **argv);
extern const struct opt heap_digest_opts[];
extern const char heap_digest_manual[];
int cmd_heap_digest(const struct cli *cli, int argc, char **argv);

extern const struct opt heap_run_opts[];
extern const char heap_run_manual[];
int cmd_heap_run(const struct cli *cli, int argc, char **argv);

extern const struct opt heap_snapshot_opts[];
extern const char heap_snapshot_manual[];
int cmd_heap_snapshot(const struct cli *cli, int argc, char **argv);

extern const struct opt heap_show_opts[], heap_diff_opts[], heap_at_opts[], heap_check_opts[];
extern const char heap_show_manual[], heap_diff_manual[], heap_at_manual[], heap_check_manual[];
int cmd_heap_show(const struct cli *cli, int argc, char **argv);
int cmd_heap_diff(const struct cli *cli, int argc, char **argv);
int cmd_heap_at(const struct cli *cli, int argc, char **argv);
int cmd_heap_check(const struct cli *cli, int argc, char **argv);

extern const struct opt blocks_profile_opts[];
extern const char blocks_profile_manual[];
int cmd_blocks_profile(const struct cli *cli, int argc, char **argv);

extern const struct opt blocks_emit_opts[], blocks_check_opts[];
extern const char blocks_emit_manual[], blocks_check_manual[];
int cmd_blocks_emit(const struct cli *cli, int argc, char **argv);
int cmd_blocks_check(const struct cli *cli, int argc, char **argv);

extern const struct opt snapshot_opts[];
extern const char snapshot_manual[];
int cmd_snapshot(const struct cli *cli, int argc, char **argv);

extern const struct opt diff_opts[];
extern const char diff_manual[];
int cmd_diff(const struct cli *cli, int argc, char **argv);

extern const struct opt report_opts[];
extern const char report_manual[];
int cmd_report(const struct cli *cli, int argc, char **argv);

extern const struct opt query_opts[];
extern const char query_manual[];
int cmd_query(const struct cli *cli, int argc, char **argv);

extern const struct opt check_opts[];
extern const char check_manual[];
int cmd_check(const struct cli *cli, int argc, char **argv);

extern const struct opt rows_opts[];
extern const char rows_manual[];
int cmd_rows(const struct cli *cli, int argc, char **argv);

extern const struct opt comment_opts[];
extern const char comment_manual[];
int cmd_comment(const struct cli *cli, int argc, char **argv);

/* Options of several commands; rows for them are in the files *_opts.inc.  A command's own begin at
 * O_OWN. */
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
	O_TERSE,
	O_CSV_SAFE,
	O_COLOR,
	O_WIDE,
	O_OUTPUT,
	O_STORE,
	O_PRODUCT,
	O_CONFIG_OF,
	O_BRANCH,
	O_OWN,
};

/* How a command takes its words; both return false after a message. */
struct cli_words {
	bool (*option)(void *job, const struct opt *o, const char *value);
	bool (*operand)(void *job, const char *word);
	/* Of words behind "--"; NULL: they are as those before it. */
	bool (*base)(void *job, const char *word);
};

/* Goes through the words of the command.  CLI_GO_ON, or the exit status where there is nothing more
 * to do: after --help and --version, which are answered here, and after a message. */
enum { CLI_GO_ON = -1 };
int cli_parse(const struct cli *cli, int argc, char **argv, const struct cli_words *words,
	      void *job);
/* For commands that take one file and no other word: *file is it. */
int cli_parse_file(const struct cli *cli, int argc, char **argv,
		   bool (*option)(void *job, const struct opt *o, const char *value), void *job,
		   const char **file);

/* Hands over the names of a list "a,b" one by one until one is refused: false then, or where there
 * is no memory, which is said unless `cli` is NULL.  An empty one is a name too. */
bool cli_each_name(const struct cli *cli, const char *list, bool (*take)(void *job, const char *),
		   void *job);

/* A number: decimal, or hexadecimal with 0x or wherever `hex`; sizes may end in K, M or G.  False,
 * and *ret as it was, where it is none. */
bool cli_parse_number(const char *text, bool hex, uint64_t *ret);
/* Tells the finder of a session of an option of find_opts.inc, exe_opts.inc or raw_opts.inc; does
 * nothing for other options.  False after a message. */
bool cli_find(const struct cli *cli, struct heft_session *s, const struct opt *o,
	      const char *value);

/* Prints the usage line, the manual and every option of the command on stdout. */
void cli_help(const struct cli *cli);
void cli_version(const struct cli *cli);

/* Prints "program: text" on stderr and returns EXIT_TROUBLE. */
int cli_error(const struct cli *cli, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* "--NAME: 'VALUE' is not WANTED", of an option.  Returns false. */
bool cli_bad_value(const struct cli *cli, const struct opt *o, const char *value,
		   const char *wanted);

/* A decimal number up to `max`.  False, and said, where the value is none. */
bool cli_number(const struct cli *cli, const struct opt *o, const char *value, uint64_t max,
		uint64_t *ret);

/* A word that an option takes; a list ends with NULL. */
struct choice {
	const char *word;
	unsigned value;
};

extern const struct choice style_choices[];      /* enum heft_demangle */
extern const struct choice convention_choices[]; /* enum heft_convention */
/* False, and said, where the value is none of the choices. */
bool cli_choice(const struct cli *cli, const struct opt *o, const char *value,
		const struct choice *choices, unsigned *ret);
/* Says that there is no such data source, and which one may be meant; false. */
bool cli_unknown_source(const struct cli *cli, const char *name);
/* Passes on what heft_X_new gave.  Where there was no memory for it, says so and ends the process:
 * for what a command makes before it has begun anything. */
void *cli_made(const struct cli *cli, void *handle);
/* A session whose progress is shown. */
struct heft_session *cli_session(const struct cli *cli);
/* Fills *err where there was no memory.  Returns false. */
bool cli_no_memory(struct heft_err *err);
/* What the library says, as cli_error, with the place in the file if it has one. */
int cli_failed(const struct cli *cli, const struct heft_err *err);

#endif
