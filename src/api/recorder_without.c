/* Stands in for the recorder in a build without it: accepts every setting and runs no program. */
#include "api/structs.h"
#include "base/err.h"

struct heft_recorder {
	struct memory *memory;
};

struct heft_recorder *heft_recorder_new(void)
{
	return handle_new(sizeof(struct heft_recorder));
}

static void recorder_release(void *handle)
{
	mem_free(handle);
}

void heft_recorder_free(struct heft_recorder *r)
{
	handle_free(r, recorder_release);
}

void heft_recorder_set(struct heft_recorder *r, enum heft_recorder_setting what, uint64_t value)
{
	(void)r;
	(void)what;
	(void)value;
}

void heft_recorder_set_library(struct heft_recorder *r, const char *path)
{
	(void)r;
	(void)path;
}

void heft_recorder_set_output(struct heft_recorder *r, const char *pattern)
{
	(void)r;
	(void)pattern;
}

void heft_recorder_set_signal(struct heft_recorder *r, const char *name)
{
	(void)r;
	(void)name;
}

void heft_recorder_set_timer(struct heft_recorder *r, uint64_t every_ms, heft_recorder_tick_fn fn,
			     void *ctx)
{
	(void)r;
	(void)every_ms;
	(void)fn;
	(void)ctx;
}

bool heft_recorder_run(struct heft_recorder *r, char *const *argv, struct heft_recorder_end *ret,
		       struct heft_err *err)
{
	(void)r;
	(void)argv;
	if (!STATED(heft_recorder_end, ret, err))
		return false;
	return fail(err, HEFT_EUNSUPPORTED, HEFT_NO_OFFSET,
		    "this heft was built without the recorder, which is for Linux: record the "
		    "program there, and read the recording here");
}

size_t heft_recorder_file_count(const struct heft_recorder *r)
{
	(void)r;
	return 0;
}

bool heft_recorder_file(const struct heft_recorder *r, size_t i, struct heft_recorder_file *ret,
			struct heft_err *err)
{
	(void)r;
	(void)i;
	return STATED(heft_recorder_file, ret, err) && absent(err);
}
