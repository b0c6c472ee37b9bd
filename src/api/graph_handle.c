/* Implements references between symbols: heft_graph_*. */
#include "api/structs.h"
#include "measure/why.h"
#include "report/report.h"

struct heft_graph *heft_graph_new(struct heft_session *session)
{
	return context_handle_new(session, CONTEXT_HANDLE(struct heft_graph));
}

void heft_graph_free(struct heft_graph *g)
{
	CONTEXT_FREE(struct heft_graph, g);
}

bool heft_graph_open(struct heft_graph *g, const char *path, struct heft_err *err)
{
	return GUARDED(g->memory, err, why_open(g, path, err));
}

bool heft_graph_ask(struct heft_graph *g, const char *text, size_t *ret_count, struct heft_err *err)
{
	return GUARDED(g->memory, err, why_ask(g, text, ret_count, err));
}

bool heft_graph_ask_by(struct heft_graph *g, const char *source, const char *text,
		       struct heft_err *err)
{
	return GUARDED(g->memory, err, why_ask_by(g, source, text, err));
}

bool heft_graph_why(struct heft_graph *g, size_t i, struct heft_why *ret, struct heft_err *err)
{
	if (!STATED(heft_why, ret, err))
		return false;
	struct heft_why made = { .addr = HEFT_NO_ADDRESS };
	const bool found = GUARDED(g->memory, err, why_answer(g, i, &made, err));
	give(ret, &made, sizeof made);
	return found;
}

static bool graph_handle_write(const struct heft_why *why, const struct heft_write_opts *opts,
			       const struct heft_sink *sink, struct heft_err *err)
{
	struct heft_write_opts o = { 0 };
	struct heft_why known = { 0 };
	struct sink s;
	if (!TAKE(heft_write_opts, &o, opts, err) || !TAKE(heft_why, &known, why, err) ||
	    !list_has_format(o.format, HEFT_TABLE, err))
		return false;
	sink_start(&s, sink);
	out_why(why ? &known : NULL, &o, &s);
	return sink_end(&s, err);
}

bool heft_graph_write(const struct heft_graph *g, const struct heft_why *why,
		      const struct heft_write_opts *opts, const struct heft_sink *sink,
		      struct heft_err *err)
{
	(void)g;
	return GUARDED_BARE(err, graph_handle_write(why, opts, sink, err));
}

static bool graph_handle_write_references(struct heft_graph *g, const struct heft_write_opts *opts,
					  const struct heft_sink *sink, struct heft_err *err)
{
	struct heft_write_opts o = { 0 };
	struct heft_reference r;
	struct sink s;
	if (!TAKE(heft_write_opts, &o, opts, err) || !list_has_format(o.format, HEFT_TABLE, err))
		return false;
	if (!g->is_read)
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "no program is open");
	sink_start(&s, sink);
	out_reference(NULL, &o, &s);
	for (size_t i = 0; why_reference(g, i, &r) && !s.failed; i++)
		out_reference(&r, &o, &s);
	return sink_end(&s, err);
}

bool heft_graph_write_references(struct heft_graph *g, const struct heft_write_opts *opts,
				 const struct heft_sink *sink, struct heft_err *err)
{
	return GUARDED(g->memory, err, graph_handle_write_references(g, opts, sink, err));
}
