/* Implements heap_run.h in a build without the recorder: always fails. */
#include "cli/heap_run.h"

#include <string.h>

bool heap_run_apply(void *job, const struct opt *o, const char *value)
{
	(void)job;
	(void)o;
	(void)value;
	return true;
}

int heap_run(struct heap_run *job, int argc, char **argv,
	     bool (*apply)(void *job, const struct opt *o, const char *value))
{
	(void)apply;
	struct heft_err err;
	if (argc > 0 && (strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0)) {
		cli_help(job->run.cli);
		return EXIT_FINE;
	}
	job->recorder = cli_made(job->run.cli, heft_recorder_new());
	struct heft_recorder_end end = { .size = sizeof end };
	heft_recorder_run(job->recorder, argv, &end, &err);
	heft_recorder_free(job->recorder);
	return cli_failed(job->run.cli, &err);
}
