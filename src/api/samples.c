/* Implements how often basic blocks ran: heft_samples_*. */
#include "api/samples.h"
#include "api/blocks_handle.h"
#include "api/structs.h"

#include "report/profile_report.h"
#include "blocks/profile_rows.h"

struct heft_samples {
	struct heft_blocks *blocks;
	const struct blockmap *map;
	struct profile profile;
	struct hotness_limits limits;
	struct heft_samples_info info;
	VEC(struct heft_block_count) counts; /* Counts of the function that was asked for last. */
};

static enum samples_form samples_form_of(enum heft_samples_form form)
{
	switch (form) {
	case HEFT_SAMPLES_SCRIPT: return SAMPLES_SCRIPT;
	case HEFT_SAMPLES_ADDRESSES: return SAMPLES_ADDRESSES;
	default: return SAMPLES_PERF;
	}
}

static void samples_fill_info(struct heft_samples *s)
{
	const struct profile *p = &s->profile;
	s->info = (struct heft_samples_info){ .samples = p->samples,
					      .inside = p->samples_inside,
					      .lost = p->lost,
					      .runs = p->range_weight,
					      .runs_unmapped = p->range_unmapped,
					      .runs_refused = p->range_refused,
					      .estimated = p->estimated };
}

static void samples_release(struct heft_samples *s)
{
	profile_release(&s->profile);
	vec_release(&s->counts);
	mem_free(s);
}

static bool samples_read(struct heft_samples **ret, struct heft_blocks *b,
			 const struct profile_wish *wish, struct heft_err *err)
{
	const struct blockmap *map = blocks_map(b);
	if (!blocks_serve(b, USE_PROFILE, err))
		return false;
	if (!map)
		return fail(err, HEFT_EUNSUPPORTED, HEFT_NO_OFFSET,
			    "samples are counted for one program: name a slice with --arch");
	struct heft_samples *s = mem_zeroed(1, sizeof *s);
	s->blocks = b;
	s->map = map;
	if (!profile_read(&s->profile, map, wish, blocks_notes(b), err)) {
		samples_release(s);
		return false;
	}
	s->limits = profile_limits(&s->profile, map);
	samples_fill_info(s);
	*ret = s;
	return true;
}

static bool guarded_read(struct heft_samples **ret, struct heft_blocks *b,
			 const struct profile_wish *wish, struct heft_err *err)
{
	return GUARDED(blocks_memory(b), err, samples_read(ret, b, wish, err));
}

struct heft_samples *heft_samples_new(struct heft_blocks *b, const char *path,
				      enum heft_samples_form form, unsigned flags,
				      struct heft_err *err)
{
	const struct profile_wish wish = { path, samples_form_of(form),
					   flags & HEFT_SAMPLES_ANY_BUILD };
	struct heft_samples *s = NULL;
	return guarded_read(&s, b, &wish, err) ? s : NULL;
}

/* Frees samples. Samples of broken blocks are freed with the blocks. */
void heft_samples_free(struct heft_samples *s)
{
	if (s && !memory_is_broken(blocks_memory(s->blocks)))
		samples_release(s);
}

const struct heft_samples_info *heft_samples_info(const struct heft_samples *s)
{
	return &s->info;
}

static bool samples_counts(struct heft_samples *s, size_t i, const struct heft_block_count **ret,
			   size_t *ret_count, struct heft_err *err)
{
	if (i >= s->map->functions.count)
		return fail(err, HEFT_ENOTFOUND, HEFT_NO_OFFSET, "no function has this number");
	const struct blockmap_function *f = &s->map->functions.data[i];
	s->counts.count = 0;
	vec_reserve(&s->counts, 1);
	for (uint32_t k = f->range_first; k < f->range_first + f->range_count; k++) {
		const struct blockmap_range *r = &s->map->ranges.data[k];
		for (uint64_t n = r->first; n < r->first + r->count; n++) {
			const uint64_t count = s->profile.counts[n];
			vec_push(&s->counts,
				 (struct heft_block_count){
					 count, s->profile.falls[n],
					 (enum heft_hotness)hotness_of(&s->limits, count) });
		}
	}
	*ret = s->counts.data;
	*ret_count = s->counts.count;
	return true;
}

bool heft_samples_counts(struct heft_samples *s, size_t i, const struct heft_block_count **ret,
			 size_t *ret_count, struct heft_err *err)
{
	return GUARDED(blocks_memory(s->blocks), err, samples_counts(s, i, ret, ret_count, err));
}

static uint64_t samples_block_addr(const struct heft_samples *s, uint32_t block)
{
	if (block == BBINDEX_NONE)
		return HEFT_NO_OFFSET;
	return blockmap_range_of(s->map, block)->addr + s->map->blocks.data[block].off;
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
	const struct profile_edge *e = &s->profile.edges.data[i];
	const struct heft_block_edge made = { .from = samples_block_addr(s, e->from),
					      .to = samples_block_addr(s, e->to),
					      .kind = (enum heft_edge_kind)e->kind,
					      .count = e->count,
					      .mispredicted = e->mispredicted };
	give(ret, &made, sizeof made);
	return true;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* True if blocks have the compiler's numbers. Derived blocks have not. */
static bool has_own_numbers(const struct blockmap *map)
{
	return map->functions.count > 0 && map->functions.data[0].origin != BLOCKS_DERIVED;
}

static bool is_layout(enum heft_format format)
{
	return format == HEFT_PROPELLER || format == HEFT_SYMBOL_ORDER;
}

/* Returns the names of all functions. The caller frees the array. */
static const char **shown_names(const struct heft_samples *s)
{
	const size_t count = s->map->functions.count;
	const char **shown = mem_zeroed(count + 1, sizeof *shown);
	for (size_t i = 0; i < count; i++)
		shown[i] = blocks_name(s->blocks, i);
	return shown;
}

/* Makes the rows. False if the query asks for a function that does not exist. */
static bool samples_make_rows(const struct heft_samples *s, const char *const *shown,
			      const struct heft_samples_query *q, struct profile_rows *ret,
			      struct heft_err *err)
{
	*ret = (struct profile_rows){
		.map = s->map, .profile = &s->profile, .shown = shown, .limits = s->limits
	};
	if (q->function &&
	    !heft_blocks_named(s->blocks, q->function, &ret->wanted, &ret->wanted_count, err))
		return false;
	profile_rows_make(ret, q);
	return true;
}

struct memory *samples_memory(const struct heft_samples *s)
{
	return blocks_memory(s->blocks);
}

void samples_rows_make(struct heft_samples *s, const struct heft_samples_query *q,
		       struct profile_rows *ret, const char ***ret_shown)
{
	*ret_shown = shown_names(s);
	ASSERT(!q->function);
	(void)samples_make_rows(s, *ret_shown, q, ret, NULL);
}

void samples_rows_release(struct profile_rows *rows, const char **shown)
{
	profile_rows_release(rows);
	mem_free(shown);
}

/* Writes the rows as a table. */
static bool samples_write_rows(const struct heft_samples *samples, const struct profile_report *r,
			       const struct heft_samples_query *q,
			       const struct heft_write_opts *opts, struct sink *s,
			       struct heft_err *err)
{
	struct profile_rows rows;
	struct report report = { .opts = *opts, .ctx = r };
	if (!samples_make_rows(samples, r->shown, q, &rows, err))
		return false;
	report.table = rows.table;
	profile_report_init(&report);
	const bool good = report_write(&report, s, err);
	profile_rows_release(&rows);
	return good;
}

static bool write_as(struct heft_samples *samples, const struct profile_report *r,
		     const struct heft_samples_query *q, const struct heft_write_opts *opts,
		     struct sink *s, struct heft_err *err)
{
	switch (opts->format) {
	case HEFT_CSV:
	case HEFT_TSV: out_profile_csv(r, opts, s); break;
	case HEFT_JSON: out_profile_json(r, s); break;
	case HEFT_PROPELLER: out_profile_propeller(r, s); break;
	case HEFT_SYMBOL_ORDER: out_profile_order(r, s); break;
	case HEFT_AUTOFDO: out_profile_autofdo(r, s); break;
	default: return samples_write_rows(samples, r, q, opts, s, err);
	}
	return sink_end(s, err);
}

static bool samples_write(struct heft_samples *s, const struct heft_samples_query *query,
			  const struct heft_write_opts *opts, const struct heft_sink *sink,
			  struct heft_err *err)
{
	struct heft_samples_query q = { 0 };
	struct heft_write_opts o = { 0 };
	struct profile_names names;
	struct sink out; /* Its buffer stays as it is. */
	if (!TAKE(heft_samples_query, &q, query, err))
		return false;
	if (!TAKE(heft_write_opts, &o, opts, err))
		return false;
	if (is_layout(o.format) && !has_own_numbers(s->map))
		return fail(err, HEFT_EUNSUPPORTED, HEFT_NO_OFFSET,
			    "%s: only a compiler's own block numbers can be given back to it",
			    s->map->image->path);
	const char **shown = shown_names(s);
	profile_names_read(&names, s->map, blocks_debug(s->blocks));
	const struct profile_report r = { s->map, &s->profile, &names, shown, s->limits };
	sink_start(&out, sink);
	const bool good = write_as(s, &r, &q, &o, &out, err);
	profile_names_release(&names);
	mem_free(shown);
	return good;
}

bool heft_samples_write(struct heft_samples *s, const struct heft_samples_query *query,
			const struct heft_write_opts *opts, const struct heft_sink *sink,
			struct heft_err *err)
{
	return GUARDED(blocks_memory(s->blocks), err, samples_write(s, query, opts, sink, err));
}
