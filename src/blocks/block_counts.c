/* Counts how often a program's blocks ran. */
#include "blocks/block_counts.h"

bool counts_read(struct heft_samples **ret, struct heft_blocks *b, const struct profile_wish *wish,
		 struct heft_err *err)
{
	const struct blockmap *map;
	if (!blocks_serve(b, USE_PROFILE, &map, err))
		return false;
	if (!map)
		return fail(err, HEFT_EUNSUPPORTED, HEFT_NO_OFFSET,
			    "samples are counted for one program: name a slice with --arch");
	struct heft_samples *s = mem_zeroed(1, sizeof *s);
	s->blocks = b;
	s->map = map;
	if (!profile_read(&s->profile, map, wish, &b->context.notes, err)) {
		counts_release(s);
		return false;
	}
	const struct profile *p = &s->profile;
	s->limits = profile_limits(p, map);
	s->info = (struct heft_samples_info){ .samples = p->samples,
					      .inside = p->samples_inside,
					      .lost = p->lost,
					      .runs = p->range_weight,
					      .runs_unmapped = p->range_unmapped,
					      .runs_refused = p->range_refused,
					      .estimated = p->estimated };
	*ret = s;
	return true;
}

void counts_release(struct heft_samples *s)
{
	profile_release(&s->profile);
	vec_release(&s->counts);
	mem_free(s);
}

void counts_list(struct heft_samples *s, size_t i)
{
	ASSERT(i < s->map->functions.count);
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
}

static uint64_t counts_addr(const struct heft_samples *s, uint32_t block)
{
	if (block == BBINDEX_NONE)
		return HEFT_NO_OFFSET;
	return blockmap_range_of(s->map, block)->addr + s->map->blocks.data[block].off;
}

struct heft_block_edge counts_edge(const struct heft_samples *s, size_t i)
{
	ASSERT(i < s->profile.edges.count);
	const struct profile_edge *e = &s->profile.edges.data[i];
	return (struct heft_block_edge){ .from = counts_addr(s, e->from),
					 .to = counts_addr(s, e->to),
					 .kind = (enum heft_edge_kind)e->kind,
					 .count = e->count,
					 .mispredicted = e->mispredicted };
}

const char **counts_names(const struct heft_samples *s)
{
	const size_t count = s->map->functions.count;
	const char **names = mem_zeroed(count + 1, sizeof *names);
	for (size_t i = 0; i < count; i++)
		names[i] = blocks_name(s->blocks, i);
	return names;
}

bool counts_rows(const struct heft_samples *s, const char *const *names,
		 const struct heft_samples_query *q, struct profile_rows *ret, struct heft_err *err)
{
	*ret = (struct profile_rows){
		.map = s->map, .profile = &s->profile, .shown = names, .limits = s->limits
	};
	if (q->function &&
	    !blocks_named(s->blocks, q->function, &ret->wanted, &ret->wanted_count, err))
		return false;
	profile_rows_make(ret, q);
	return true;
}
