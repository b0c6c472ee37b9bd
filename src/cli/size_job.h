/* size_job.h - reads the command line of `heft size`. */
#pragma once

#include "cli/run.h"

struct size_job {
	struct command_run run; /* Its `verbose` is unused. `verbosity` replaces it */
	struct heft_profile *profile;
	bool list_sources; /* True if the user asked only for the list of data sources */
	bool raw_map, exit_code, sort_given, rows_given, filtered;
	bool by_region;          /* True if rows are sorted by bytes in memory by default */
	bool trace_some;         /* True if the user named an address to trace */
	unsigned verbosity;      /* How often -v was given */
	const char *disassemble; /* Function to show instead of the table. NULL if none */
	const char *style;       /* Style of names, as typed. NULL if not given */
	unsigned flags;          /* Bits of enum heft_profile_flag */
	char **pending;          /* Data sources that are not yet in the profile, oldest first */
	size_t pending_count;
	size_t source_count, file_count, config_count;
};

/* Reads the words into the job and sets up its profile. Returns CLI_GO_ON, or the exit status if
 * nothing is left to do. The caller releases the job in both cases. */
int size_job_init(struct size_job *job, const struct cli *cli, int argc, char **argv);
void size_job_release(struct size_job *job);

/* Prints the ranges of every file, for --raw-map. */
void rawmap_print(const struct heft_profile *p, enum heft_domain domain, FILE *to);
