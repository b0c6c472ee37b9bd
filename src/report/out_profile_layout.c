/* Profiles as compilers and linkers take them to lay out code: Propeller's lists of clusters and
 * the order of symbols. */
#include "report/profile_report.h"

#include <stdlib.h>

/* A name that stands for this function and no other, the first; NULL where there is none. */
static const struct profile_name *own_name(const struct profile_report *r, uint64_t function)
{
	const size_t first = r->names->first[function], end = r->names->first[function + 1];
	for (size_t i = first; i < end; i++)
		if (!r->names->list.data[i].shared)
			return &r->names->list.data[i];
	return NULL;
}

static void put_names(const struct profile_report *r, uint64_t function, const char *glue,
		      struct sink *s)
{
	const size_t first = r->names->first[function], end = r->names->first[function + 1];
	const char *between = "";
	for (size_t i = first; i < end; i++) {
		if (r->names->list.data[i].shared)
			continue;
		sink_text(s, str_of(between));
		sink_text(s, str_of(r->names->list.data[i].text));
		between = glue;
	}
}

/* The function's blocks in its cluster, entry first. */
static void put_cluster(const struct profile_report *r, uint64_t function, struct sink *s)
{
	const struct blockmap_function *f = &r->map->functions.data[function];
	const struct blockmap_range *ranges = &r->map->ranges.data[f->range_first];
	sink_text(s, STR("0"));
	for (uint32_t k = 0; k < f->range_count; k++)
		for (uint64_t i = ranges[k].first; i < ranges[k].first + ranges[k].count; i++)
			if (r->profile->counts[i] > 0 && r->map->blocks.data[i].id != 0 &&
			    (f->origin != BLOCKS_REBASED || r->map->blocks.data[i].id < f->made))
				sink_printf(s, " %" PRIu32, r->map->blocks.data[i].id);
}

void out_profile_propeller(const struct profile_report *r, bool v1, struct sink *s)
{
	size_t count;
	struct profile_rank *ranks = profile_ranks(r, true, &count);
	if (v1)
		sink_text(s, STR("v1\n"));
	for (size_t i = 0; i < count && !s->failed; i++) {
		const uint64_t f = ranks[i].function;
		if (!own_name(r, f))
			continue;
		sink_text(s, v1 ? STR("f ") : STR("!"));
		put_names(r, f, v1 ? " " : "/", s);
		sink_text(s, v1 ? STR("\nc") : STR("\n!!"));
		put_cluster(r, f, s);
		sink_text(s, STR("\n"));
	}
	mem_free(ranks);
}

/* Whether a part of the function is left out of its cluster. */
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
		put_names(r, ranks[i].function, "\n", s);
		sink_text(s, STR("\n"));
	}
	for (size_t i = 0; i < count && !s->failed; i++) {
		const struct profile_name *name = own_name(r, ranks[i].function);
		if (name && has_cold(r, &ranks[i]))
			sink_printf(s, "%s.cold\n", name->text);
	}
	mem_free(ranks);
}
