/* inputs.h - what the commands share that take inputs of every kind: programs, lists of symbols,
 * dumps, and the base of each behind "--". */
#ifndef HEFT_CLI_INPUTS_H
#define HEFT_CLI_INPUTS_H

#include "cli/cli.h"

enum input_option { O_INPUT_DEMANGLE = 100, O_INPUT_PERF };

struct input_files {
	const char **paths;
	size_t count;
};

struct inputs {
	const struct cli *cli;
	struct heft_session *session;
	const char *by, *perf; /* NULL: not given */
	const char *usual;     /* what programs are grouped by unless somebody says */
	bool verbose;
	bool code;           /* pages tell the code of functions */
	unsigned flags;      /* of profiles, enum heft_profile_flag */
	unsigned heap_flags; /* of dumps, enum heft_heap_flag */
	uint32_t pid;        /* input 0 is this process, which runs; 0: all are files */
	uint32_t rows;       /* of a level of profiles; 0: all */
	struct input_files files, bases;
};

enum input_kind { INPUT_PROFILE, INPUT_LIST, INPUT_HEAP };

/* One input with its base, opened. */
struct input {
	enum input_kind kind;
	const char *title;
	struct heft_session *session; /* a copy of that of all; NULL: not opened */
	bool all;                     /* a profile of all inputs against all bases */
	bool dump;                    /* a profile of a dump */
	bool lives;                   /* the heap of a process that runs */
	bool both;                    /* a list that holds its base as well */
	bool matched;                 /* lists of programs that are profiles elsewhere */
	char by[200];                 /* what the rows of its table are grouped by */
	struct heft_profile *profile;
	struct heft_snapshot *before, *after; /* before: NULL without a base */
	struct heft_diff *diff;               /* see input_table */
	struct heft_heap *heap, *base;
	struct heft_heap_report *report; /* see input_table */
	char unknown[80];                /* the data source that does not exist, if that is why */
};

void inputs_init(struct inputs *all, const struct cli *cli);
void inputs_release(struct inputs *all);
/* Takes an option of input_opts.inc, find_opts.inc, exe_opts.inc or O_VERBOSE; false after a
 * message. */
bool inputs_apply(struct inputs *all, const struct opt *o, const char *value);
/* The operands, before "--" and behind it; false after a message.  What perf record wrote becomes
 * `perf`. */
bool inputs_add(struct inputs *all, const char *path, bool base);

/* How rows of an input can be grouped; the first is what is usual.  Ends with NULL. */
const char *const *input_groups(const struct input *in);

/* Opens input i; programs are grouped by `by`, NULL: as is usual.  A recording of a heap is a
 * profile where `by` is nothing that heaps are grouped by.  Close it also where that failed. */
bool cli_input_open(const struct inputs *all, size_t i, const char *by, struct input *in,
		    struct heft_err *err);
/* Opens the symbols of the program and the base that a profile is of, as heft diff does. */
bool input_open_symbols(const struct inputs *all, const struct input *of, struct input *in,
			struct heft_err *err);
void cli_input_close(struct input *in);

/* The table of an opened input; of lists and heaps with rows as `by` says, one of input_groups,
 * NULL: the first of these.  It holds until the next call that succeeds.  *ret_only_now: its
 * base is nothing. */
const struct heft_table *input_table(struct input *in, const char *by, bool *ret_only_now,
				     struct heft_err *err);
/* Adds a tab for it, which is input i; of a program one of what ran as well, where there are
 * samples. */
bool input_add_to(const struct inputs *all, size_t i, const struct input *in,
		  struct heft_page *page, struct heft_err *err);

/* What was odd in an input, on stderr. */
void input_print_notes(const struct inputs *all, const struct input *in);
/* Says why cli_input_open failed; EXIT_TROUBLE. */
int input_failed(const struct inputs *all, const struct input *in, const struct heft_err *err);

#endif
