/* Implements recorder_run.c's functions for a build without the recorder. */
#include "process/recorder.h"

bool recorder_run(struct heft_recorder *r, char *const *argv, struct heft_recorder_end *ret,
		  struct heft_err *err)
{
	(void)r;
	(void)argv;
	(void)ret;
	return fail(err, HEFT_EUNSUPPORTED, HEFT_NO_OFFSET,
		    "this heft was built without the recorder, which is for Linux: record the "
		    "program there, and read the recording here");
}
