/* Implements runs under the heap recorder: heft_recorder_*. */
#include "api/structs.h"
#include "process/recorder.h"

struct heft_recorder *heft_recorder_new(void)
{
	return handle_new(sizeof(struct heft_recorder));
}

void heft_recorder_free(struct heft_recorder *r)
{
	handle_free(r);
}

void heft_recorder_set_library(struct heft_recorder *r, const char *path)
{
	GUARDED_VOID(r->memory, r->library = arena_copy(&r->arena, str_of(path)));
}

void heft_recorder_set_output(struct heft_recorder *r, const char *pattern)
{
	GUARDED_VOID(r->memory, r->pattern = arena_copy(&r->arena, str_of(pattern)));
}

void heft_recorder_set_signal(struct heft_recorder *r, const char *name)
{
	GUARDED_VOID(r->memory, r->signal = arena_copy(&r->arena, str_of(name)));
}

void heft_recorder_set(struct heft_recorder *r, enum heft_recorder_setting what, uint64_t value)
{
	if ((unsigned)what < HEFT_RECORD_SETTINGS)
		r->values[what] = value;
}

void heft_recorder_set_timer(struct heft_recorder *r, uint64_t every_ms, heft_recorder_tick_fn fn,
			     void *ctx)
{
	r->tick = fn;
	r->tick_ctx = ctx;
	r->every_ms = every_ms;
}

bool heft_recorder_run(struct heft_recorder *r, char *const *argv, struct heft_recorder_end *ret,
		       struct heft_err *err)
{
	struct heft_recorder_end made = { 0 };
	if (!STATED(heft_recorder_end, ret, err) ||
	    !GUARDED(r->memory, err, recorder_run(r, argv, &made, err)))
		return false;
	ASSERT(made.pid > 0 && (made.signal == 0 || made.status == 0));
	return give(ret, &made, sizeof made);
}

size_t heft_recorder_file_count(const struct heft_recorder *r)
{
	return r->files.count;
}

bool heft_recorder_file(const struct heft_recorder *r, size_t i, struct heft_recorder_file *ret,
			struct heft_err *err)
{
	if (!STATED(heft_recorder_file, ret, err))
		return false;
	if (i >= r->files.count)
		return absent(err);
	return give(ret, &r->files.data[i], sizeof *r->files.data);
}
