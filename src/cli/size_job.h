/* size_job.h - `heft size`: what its command line asks for. */
#ifndef HEFT_CLI_SIZE_JOB_H
#define HEFT_CLI_SIZE_JOB_H

#include "cli/cli.h"
#include "cli/output.h"
#include "heft.h"

#include <stdio.h>

struct size_job {
	const struct cli *cli;
	struct heft_profile *profile;
	struct heft_session *session;
	struct output out;
	bool list_sources; /* and do nothing else */
	bool raw_map, exit_code, sort_given, rows_given, filtered;
	bool by_region;  /* what is in memory counts, unless the user says otherwise */
	bool trace_some; /* an address was named */
	unsigned verbose;
	const char *disassemble; /* a function, instead of the table; NULL: none */
	const char *style;       /* of names, as typed; NULL: not said */
	unsigned flags;          /* enum heft_profile_flag */
	char **pending;          /* sources not yet handed to the profile, oldest first */
	size_t pending_count;    /* they wait for a configuration file to define them */
	size_t source_count, file_count, config_count;
};

/* Reads the words into the job; everything the profile has to know is handed to it.
 * CLI_GO_ON, or the exit status where there is nothing more to do.  Release in both cases. */
int size_job_init(struct size_job *job, const struct cli *cli, int argc, char **argv);
void size_job_release(struct size_job *job);

/* The ranges of every file, as --raw-map shows them. */
void rawmap_print(const struct heft_profile *p, enum heft_domain domain, FILE *to);

#endif
