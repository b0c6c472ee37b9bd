/* Implements how often basic blocks ran: heft_samples_*. */
#include "api/structs.h"
#include "blocks/block_counts.h"
#include "report/profile_report.h"

struct heft_samples *heft_samples_new(struct heft_blocks *b, const char *path,
				      enum heft_samples_form form, unsigned flags,
				      struct heft_err *err)
{
	const enum samples_form is = form == HEFT_SAMPLES_SCRIPT      ? SAMPLES_SCRIPT
				     : form == HEFT_SAMPLES_ADDRESSES ? SAMPLES_ADDRESSES
								      : SAMPLES_PERF;
	const struct profile_wish wish = { path, is, flags & HEFT_SAMPLES_ANY_BUILD };
	struct heft_samples *s = NULL;
	return GUARDED(b->memory, err, counts_read(&s, b, &wish, err)) ? s : NULL;
}

/* Frees samples. Samples of broken blocks are freed with the blocks. */
void heft_samples_free(struct heft_samples *s)
{
	if (s && !memory_is_broken(s->blocks->memory))
		counts_release(s);
}

const struct heft_samples_info *heft_samples_info(const struct heft_samples *s)
{
	return &s->info;
}

bool heft_samples_counts(struct heft_samples *s, size_t i, const struct heft_block_count **ret,
			 size_t *ret_count, struct heft_err *err)
{
	if (i >= s->map->functions.count)
		return fail(err, HEFT_ENOTFOUND, HEFT_NO_OFFSET, "no function has this number");
	if (!GUARDED(s->blocks->memory, err, (counts_list(s, i), true)))
		return false;
	*ret = s->counts.data;
	*ret_count = s->counts.count;
	return true;
}

size_t heft_samples_edge_count(const struct heft_samples *s)
{
	return s->profile.edges.count;
}

bool heft_samples_edge(const struct heft_samples *s, size_t i, struct heft_block_edge *ret,
		       struct heft_err *err)
{
	if (!STATED(heft_block_edge, ret, err))
		return false;
	if (i >= s->profile.edges.count)
		return absent(err);
	const struct heft_block_edge made = counts_edge(s, i);
	return give(ret, &made, sizeof made);
}

static bool samples_write(struct heft_samples *s, const struct heft_samples_query *query,
			  const struct heft_write_opts *opts, const struct heft_sink *sink,
			  struct heft_err *err)
{
	struct heft_samples_query q = { 0 };
	struct heft_write_opts o = { 0 };
	struct sink out;
	if (!TAKE(heft_samples_query, &q, query, err) || !TAKE(heft_write_opts, &o, opts, err))
		return false;
	sink_start(&out, sink);
	return profile_report_write(s, &q, &o, &out, err);
}

bool heft_samples_write(struct heft_samples *s, const struct heft_samples_query *query,
			const struct heft_write_opts *opts, const struct heft_sink *sink,
			struct heft_err *err)
{
	return GUARDED(s->blocks->memory, err, samples_write(s, query, opts, sink, err));
}
