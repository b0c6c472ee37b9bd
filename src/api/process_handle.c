/* Makes dumps of living processes: heft_process_dump. */
#include "base/mem.h"
#include "api/structs.h"
#include "process/live.h"

static bool dump_process(uint32_t pid, const char *path, const struct heft_dump_opts *opts,
			 struct heft_dump_facts *ret, struct heft_err *err)
{
	struct heft_dump_opts o = { .size = sizeof o };
	struct live_facts f;
	if (!TAKE(heft_dump_opts, &o, opts, err) || (ret && !STATED(heft_dump_facts, ret, err)))
		return false;
	const struct live_wish wish = {
		.full = o.full, .stream = o.stream, .no_stop = o.no_stop, .level = o.level
	};
	const bool good = live_snapshot(pid, path, &wish, &f, err);
	const struct heft_dump_facts made = { .bytes = f.bytes,
					      .file_size = f.file_size,
					      .pause_ns = f.pause_ns,
					      .unread = f.unread,
					      .threads = f.threads,
					      .unstopped = f.unstopped,
					      .buffer = f.buffer,
					      .available = f.available,
					      .streamed = f.streamed };
	if (ret != NULL)
		give(ret, &made, sizeof made);
	return good;
}

bool heft_process_dump(uint32_t pid, const char *path, const struct heft_dump_opts *opts,
		       struct heft_dump_facts *ret, struct heft_err *err)
{
	return GUARDED_ALONE(err, dump_process(pid, path, opts, ret, err));
}
