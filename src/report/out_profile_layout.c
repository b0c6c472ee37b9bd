/* Writes profiles for other tools: lists of clusters (Propeller), symbol order, AutoFDO's text. */
#include "report/profile_report.h"

/* Returns the first name that only this function has. NULL without one. */
static const struct profile_name *own_name(const struct profile_report *r, uint64_t function)
{
	const size_t first = r->names->first[function], end = r->names->first[function + 1];
	for (size_t i = first; i < end; i++)
		if (!r->names->list.data[i].shared)
			return &r->names->list.data[i];
	return NULL;
}

static void out_profile_layout_put_names(const struct profile_report *r, uint64_t function,
					 const char *glue, struct sink *s)
{
	const size_t first = r->names->first[function], end = r->names->first[function + 1];
	const char *between = "";
	ASSERT(first <= end);
	for (size_t i = first; i < end; i++) {
		if (r->names->list.data[i].shared)
			continue;
		sink_text(s, str_of(between));
		sink_text(s, str_of(r->names->list.data[i].text));
		between = glue;
	}
}

/* Writes the cluster of a function's blocks, entry first. */
static void put_cluster(const struct profile_report *r, uint64_t function, struct sink *s)
{
	const struct blockmap_function *f = &r->map->functions.data[function];
	const struct blockmap_range *ranges = &r->map->ranges.data[f->range_first];
	sink_text(s, STR("0"));
	for (uint32_t k = 0; k < f->range_count; k++)
		for (uint64_t i = ranges[k].first; i < ranges[k].first + ranges[k].count; i++)
			if (r->profile->counts[i] > 0 && r->map->blocks.data[i].id != 0)
				sink_printf(s, " %" PRIu32, r->map->blocks.data[i].id);
}

void out_profile_propeller(const struct profile_report *r, struct sink *s)
{
	size_t count;
	struct profile_rank *ranks = profile_ranks(r, true, &count);
	sink_text(s, STR("v1\n"));
	for (size_t i = 0; i < count && !s->failed; i++) {
		const uint64_t f = ranks[i].function;
		if (!own_name(r, f))
			continue;
		sink_text(s, STR("f "));
		out_profile_layout_put_names(r, f, " ", s);
		sink_text(s, STR("\nc"));
		put_cluster(r, f, s);
		sink_text(s, STR("\n"));
	}
	mem_free(ranks);
}

/* True if some blocks of the function are not in its cluster. */
static bool has_cold(const struct profile_report *r, const struct profile_rank *rank)
{
	const struct blockmap_function *f = &r->map->functions.data[rank->function];
	uint64_t blocks = 0, entry = 0;
	for (uint32_t k = f->range_first; k < f->range_first + f->range_count; k++) {
		const struct blockmap_range *range = &r->map->ranges.data[k];
		blocks += range->count;
		for (uint64_t i = range->first; i < range->first + range->count; i++)
			entry += r->map->blocks.data[i].id == 0 && r->profile->counts[i] == 0;
	}
	return rank->seen + entry < blocks;
}

void out_profile_order(const struct profile_report *r, struct sink *s)
{
	size_t count;
	struct profile_rank *ranks = profile_ranks(r, true, &count);
	for (size_t i = 0; i < count && !s->failed; i++) {
		if (!own_name(r, ranks[i].function))
			continue;
		out_profile_layout_put_names(r, ranks[i].function, "\n", s);
		sink_text(s, STR("\n"));
	}
	for (size_t i = 0; i < count && !s->failed; i++) {
		const struct profile_name *name = own_name(r, ranks[i].function);
		if (name && has_cold(r, &ranks[i]))
			sink_printf(s, "%s.cold\n", name->text);
	}
	mem_free(ranks);
}

void out_profile_autofdo(const struct profile_report *r, struct sink *s)
{
	const struct profile *p = r->profile;
	size_t inside = 0;
	sink_printf(s, "%zu\n", p->ranges.pairs.count);
	for (size_t i = 0; i < p->ranges.pairs.count; i++)
		sink_printf(s, "%" PRIx64 "-%" PRIx64 ":%" PRIu64 "\n", p->ranges.pairs.data[i].a,
			    p->ranges.pairs.data[i].b, p->ranges.pairs.data[i].count);
	sink_printf(s, "%zu\n", p->addrs.pairs.count);
	for (size_t i = 0; i < p->addrs.pairs.count; i++)
		sink_printf(s, "%" PRIx64 ":%" PRIu64 "\n", p->addrs.pairs.data[i].a,
			    p->addrs.pairs.data[i].count);
	for (size_t i = 0; i < p->branches.pairs.count; i++)
		inside += p->branches.pairs.data[i].a != PROFILE_OUTSIDE &&
			  p->branches.pairs.data[i].b != PROFILE_OUTSIDE;
	sink_printf(s, "%zu\n", inside);
	vec_each(const struct tally_pair, b, &p->branches.pairs) {
		if (b->a != PROFILE_OUTSIDE && b->b != PROFILE_OUTSIDE)
			sink_printf(s, "%" PRIx64 "->%" PRIx64 ":%" PRIu64 "\n", b->a, b->b,
				    b->count);
	}
}
