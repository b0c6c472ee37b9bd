/* Implements facts about files: heft_info_*. */
#include "api/structs.h"
#include "measure/info_rows.h"
#include "report/report.h"

struct heft_info *heft_info_new(struct heft_session *session)
{
	return context_handle_new(session, CONTEXT_HANDLE(struct heft_info));
}

void heft_info_free(struct heft_info *info)
{
	CONTEXT_FREE(struct heft_info, info);
}

bool heft_info_add(struct heft_info *info, const char *path, struct heft_err *err)
{
	return GUARDED(info->memory, err, info_add(info, path, err));
}

void heft_info_set_sort(struct heft_info *info, enum heft_info_sort sort)
{
	info_set_rows(info, (unsigned)sort <= HEFT_INFO_COPIED ? sort : HEFT_INFO_ADDED,
		      info->row_limit);
}

void heft_info_set_rows(struct heft_info *info, uint32_t rows)
{
	info_set_rows(info, info->sort, rows);
}

const struct heft_table *heft_info_table(struct heft_info *info)
{
	return GUARDED(info->memory, NULL, info_table(info) != NULL) ? &info->table : NULL;
}

static bool info_write(struct heft_info *info, const struct heft_write_opts *opts,
		       const struct heft_sink *sink, struct heft_err *err)
{
	struct heft_write_opts o = { 0 };
	struct sink s;
	if (!TAKE(heft_write_opts, &o, opts, err))
		return false;
	sink_start(&s, sink);
	return info_report_write(info_table(info), &o, &s, err);
}

bool heft_info_write(struct heft_info *info, const struct heft_write_opts *opts,
		     const struct heft_sink *sink, struct heft_err *err)
{
	return GUARDED(info->memory, err, info_write(info, opts, sink, err));
}
