/* Opens a file of samples of any form and reads its events. */
#include "blocks/block_samples.h"

bool samples_open(struct samples *s, const char *path, enum samples_form form, struct notes *notes,
		  struct heft_err *err)
{
	memset(s, 0, sizeof *s);
	s->form = form;
	/* Maps files of perf, and releases pages after reading. Reads other forms as streams. */
	if (!(form == SAMPLES_PERF ? file_open : file_open_stream)(&s->file, path, err))
		return false;
	if (form != SAMPLES_PERF) {
		perftext_open(&s->text, s->file.path, s->file.bytes,
			      form == SAMPLES_SCRIPT ? PERFTEXT_SCRIPT : PERFTEXT_ADDRESSES, notes);
		return true;
	}
	if (perfdata_open(&s->perf, s->file.path, s->file.bytes, notes, err)) {
		s->perf.mapped = file_is_mapped(&s->file);
		return true;
	}
	file_close(&s->file);
	return false;
}

bool samples_next(struct samples *s, struct perf_event *ret)
{
	return s->form == SAMPLES_PERF ? perfdata_next(&s->perf, ret)
				       : perftext_next(&s->text, ret);
}

void samples_rewind(struct samples *s)
{
	if (s->form == SAMPLES_PERF)
		perfdata_rewind(&s->perf);
	else
		perftext_rewind(&s->text);
}

void samples_close(struct samples *s)
{
	if (s->form == SAMPLES_PERF)
		perfdata_close(&s->perf);
	else
		perftext_close(&s->text);
	file_close(&s->file);
}
