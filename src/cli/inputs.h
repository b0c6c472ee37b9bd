/* inputs.h - opens inputs of every kind for commands: programs, lists of symbols, dumps. The
 * words after "--" are the older files that they are compared with. */
#pragma once

#include "cli/run.h"

struct input_files {
	const char **paths;
	size_t count;
};

struct inputs {
	struct command_run run;
	const char *by, *perf; /* `by`: value of --by. `perf`: file of perf samples. Or NULL */
	const char *usual;     /* Default of `by` for programs: names of data sources */
	bool code;             /* True if pages show the code of functions */
	unsigned flags;        /* For profiles: bits of enum heft_profile_flag */
	unsigned heap_flags;   /* For dumps: bits of enum heft_heap_flag */
	uint32_t pid;          /* Id of the running process that is input 0. 0 if there is none */
	uint32_t rows;         /* Rows per level of profiles. 0 means all */
	struct input_files files, bases;
};

enum input_kind { INPUT_PROFILE, INPUT_LIST, INPUT_HEAP };

/* An opened input with its base. */
struct input {
	enum input_kind kind;
	const char *title;
	struct heft_session *session; /* A copy of the session of all inputs. NULL if not opened */
	bool all;                     /* True for a profile of all inputs against all bases */
	bool dump;                    /* True for a profile of a dump's memory */
	bool lives;                   /* True for the heap of a running process, which changes */
	bool both;                    /* True for a list of symbols with its base (.sizediff) */
	bool matched;                 /* True if made by input_open_symbols() from a profile */
	char by[200];                 /* What the table's rows are grouped by, like inputs.by */
	struct heft_profile *profile;
	struct heft_snapshot *before, *after; /* `before` is NULL without a base */
	struct heft_diff *diff;               /* Made by the first input_table() */
	struct heft_heap *heap, *base;
	struct heft_heap_report *report; /* Made by the last input_table() */
	char unknown[80];                /* Unknown data source that caused a failure, or "" */
};

struct inputs inputs_new(const struct cli *cli);
void inputs_release(struct inputs *all);
/* Adds an operand. `base`: true for an operand after "--". Samples before "--" become all->perf.
 * False after a message. */
bool inputs_add(struct inputs *all, const char *path, bool base);

/* Returns the names of the possible groups of an input, the default first. NULL ends the list. */
const char *const *input_groups(const struct input *in);

/* Opens input `i`. Programs are grouped by `by`; NULL means the default. A heap dump becomes a
 * profile if heaps cannot be grouped by `by`. The caller closes the input, even after a failure. */
bool cli_input_open(const struct inputs *all, size_t i, const char *by, struct input *in,
		    struct heft_err *err);
/* Opens the symbols of the program that a profile measured, and of its base, as heft diff does. */
bool input_open_symbols(const struct inputs *all, const struct input *of, struct input *in,
			struct heft_err *err);
void cli_input_close(struct input *in);

/* Returns the table of an opened input. For lists and heaps, `by` is one of input_groups(); NULL
 * means the first. Valid until the next successful call. *ret_only_now: true if the base is
 * empty. */
const struct heft_table *input_table(struct input *in, const char *by, bool *ret_only_now,
				     struct heft_err *err);
/* Adds a tab for input `i`. If a program has samples, adds a second tab of the blocks that ran. */
bool input_add_to(const struct inputs *all, size_t i, const struct input *in,
		  struct heft_page *page, struct heft_err *err);

/* Prints the notes of an input on stderr. */
void input_print_notes(const struct inputs *all, const struct input *in);
/* Prints why cli_input_open() failed. Returns EXIT_TROUBLE. */
int input_failed(const struct inputs *all, const struct input *in, const struct heft_err *err);
