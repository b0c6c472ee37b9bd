/* Implements heap_run.h in a build without the recorder: always fails. */
#include "cli/heap_run.h"

#include <string.h>

int heap_run(struct heap_run *job, int argc, char **argv)
{
	struct heft_err err;
	if (argc > 0 && (strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0)) {
		cli_help(job->cli);
		return EXIT_FINE;
	}
	job->recorder = cli_made(job->cli, heft_recorder_new());
	struct heft_recorder_end end = { .size = sizeof end };
	heft_recorder_run(job->recorder, argv, &end, &err);
	heft_recorder_free(job->recorder);
	return cli_failed(job->cli, &err);
}
