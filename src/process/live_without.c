/* Implements live.h for a build without support for living processes. */
#include "process/live.h"

static bool live_unsupported(struct heft_err *err)
{
	return fail(err, HEFT_EUNSUPPORTED, HEFT_NO_OFFSET,
		    "this heft was built without the recorder, which is for Linux: it reads cores "
		    "and recordings, and no living processes");
}

bool live_snapshot(uint32_t pid, const char *path, const struct live_wish *wish,
		   struct live_facts *ret, struct heft_err *err)
{
	(void)pid;
	(void)path;
	(void)wish;
	*ret = (struct live_facts){ .bytes = 0 };
	return live_unsupported(err);
}

bool live_tables(uint32_t pid, uint8_t **ret, size_t *ret_size, struct heft_err *err)
{
	(void)pid;
	*ret = NULL;
	*ret_size = 0;
	return live_unsupported(err);
}
