/* Implements look-ups by address: heft_where_*. */
#include "api/structs.h"
#include "measure/where.h"
#include "report/report.h"

struct heft_where *heft_where_new(struct heft_session *session)
{
	struct heft_where *w = context_handle_new(session, CONTEXT_HANDLE(struct heft_where));
	if (!w)
		return NULL;
	w->at = &w->program;
	return w;
}

void heft_where_free(struct heft_where *w)
{
	CONTEXT_FREE(struct heft_where, w);
}

bool heft_where_add_source(struct heft_where *w, const char *source, struct heft_err *err)
{
	return GUARDED(w->memory, err, owners_add(&w->owners, source, err));
}

void heft_where_set_flags(struct heft_where *w, unsigned flags)
{
	w->flags = flags;
}

const char *heft_where_debug_path(const struct heft_where *w)
{
	return program_debug_path(w->at);
}

bool heft_where_open(struct heft_where *w, const char *path, struct heft_err *err)
{
	return GUARDED(w->memory, err, where_open(w, path, err));
}

bool heft_where_ask(struct heft_where *w, const char *text, uint64_t *ret_addr, size_t *ret_count,
		    struct heft_err *err)
{
	return GUARDED(w->memory, err, where_ask(w, text, ret_addr, ret_count, err));
}

bool heft_where_parse(struct heft_where *w, const char *text, uint64_t *ret_addr,
		      struct heft_err *err)
{
	return GUARDED(w->memory, err, where_parse(w, text, ret_addr, err));
}

bool heft_where_answer(struct heft_where *w, size_t i, struct heft_location *ret,
		       struct heft_err *err)
{
	if (!STATED(heft_location, ret, err))
		return false;
	struct heft_location made = { .addr = HEFT_NO_ADDRESS };
	const bool found = GUARDED(w->memory, err, where_answer(w, i, &made, err));
	give(ret, &made, sizeof made);
	return found;
}

bool heft_where_find(struct heft_where *w, uint64_t addr, struct heft_location *ret,
		     struct heft_err *err)
{
	if (!STATED(heft_location, ret, err))
		return false;
	struct heft_location made = { .addr = addr };
	const bool found = GUARDED(w->memory, err, where_find(w, addr, &made, err));
	give(ret, &made, sizeof made);
	return found;
}

static bool where_write(const struct heft_where *w, const struct heft_location *at,
			const struct heft_write_opts *opts, const struct heft_sink *sink,
			struct heft_err *err)
{
	struct heft_write_opts o = { 0 };
	struct heft_location known = { 0 };
	struct sink s;
	if (!TAKE(heft_write_opts, &o, opts, err) || !TAKE(heft_location, &known, at, err) ||
	    !list_has_format(o.format, HEFT_TERSE, err))
		return false;
	const struct source_names sources = { w->owners.names.data, w->owners.names.count };
	sink_start(&s, sink);
	out_where(at ? &known : NULL, &o, sources, &s);
	return sink_end(&s, err);
}

bool heft_where_write(const struct heft_where *w, const struct heft_location *at,
		      const struct heft_write_opts *opts, const struct heft_sink *sink,
		      struct heft_err *err)
{
	return GUARDED_BARE(err, where_write(w, at, opts, sink, err));
}
