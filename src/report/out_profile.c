/* Profiles of basic blocks as tables, CSV, JSON and folded stacks. */
#include "report/profile_report.h"

#include "report/label_text.h"

#include <stdlib.h>

static const char *const hotness_names[] = { "never", "cold", "warm", "hot" };
static const char *const kind_names[] = { "jump", "call", "return" };

uint64_t profile_block_addr(const struct profile_report *r, uint64_t i)
{
	return blockmap_range_of(r->map, i)->addr + r->map->blocks.data[i].off;
}

static const char *hotness_name(const struct profile_report *r, uint64_t count)
{
	return hotness_names[hotness_of(&r->limits, count)];
}

/* ---- functions in order --------------------------------------------------------------------------- */

static struct profile_rank rank_of(const struct profile_report *r, uint64_t function)
{
	const struct blockmap_function *f = &r->map->functions.data[function];
	struct profile_rank rank = { .function = function };
	for (uint32_t k = f->range_first; k < f->range_first + f->range_count; k++) {
		const struct blockmap_range *range = &r->map->ranges.data[k];
		for (uint64_t i = range->first; i < range->first + range->count; i++) {
			const uint64_t count = r->profile->counts[i];
			rank.total = add_sat(rank.total, count);
			rank.hottest = max_u64(rank.hottest, count);
			rank.seen += count > 0;
		}
	}
	return rank;
}

static int by_rank(uint64_t a, uint64_t b, const struct profile_rank *x,
		   const struct profile_rank *y)
{
	if (a != b)
		return a < b ? 1 : -1;
	return x->function < y->function ? -1 : x->function > y->function;
}

static int by_total(const void *x, const void *y)
{
	const struct profile_rank *a = x, *b = y;
	return by_rank(a->total, b->total, a, b);
}

static int by_hottest_block(const void *x, const void *y)
{
	const struct profile_rank *a = x, *b = y;
	return by_rank(a->hottest, b->hottest, a, b);
}

struct profile_rank *profile_ranks(const struct profile_report *r, bool by_hottest,
				   size_t *ret_count)
{
	VEC(struct profile_rank) list = { 0 };
	vec_reserve(&list, 1);
	for (uint64_t i = 0; i < r->map->functions.count; i++) {
		const struct profile_rank rank = rank_of(r, i);
		if (rank.seen > 0)
			vec_push(&list, rank);
	}
	qsort(list.data, list.count, sizeof *list.data, by_hottest ? by_hottest_block : by_total);
	*ret_count = list.count;
	return list.data;
}

/* ---- for people ----------------------------------------------------------------------------------- */

static void put_percent(struct sink *s, uint64_t part, uint64_t whole)
{
	sink_printf(s, "%5.1f%%", whole > 0 ? 100.0 * (double)part / (double)whole : 0.0);
}

static void table_block(const struct profile_report *r, uint64_t i, uint64_t whole, struct sink *s)
{
	const struct bbmap_block *b = &r->map->blocks.data[i];
	const uint64_t count = r->profile->counts[i];
	sink_printf(s, "%12" PRIu64 " ", count);
	put_percent(s, count, whole);
	sink_printf(s, "  %-5s  %6" PRIu32 "  0x%08" PRIx64 " %8" PRIu32 "\n",
		    hotness_name(r, count), b->id, profile_block_addr(r, i), b->size);
}

static void table_function(const struct profile_report *r, const struct profile_rank *rank,
			   uint64_t whole, struct sink *s)
{
	const struct blockmap_function *f = &r->map->functions.data[rank->function];
	sink_printf(s, "%12" PRIu64 " ", rank->total);
	put_percent(s, rank->total, whole);
	sink_text(s, STR("  "));
	label_put(s, str_of(r->shown[rank->function]), 0);
	sink_printf(s, " at 0x%" PRIx64 "\n", f->addr);
	for (uint32_t k = f->range_first; k < f->range_first + f->range_count; k++) {
		const struct blockmap_range *range = &r->map->ranges.data[k];
		for (uint64_t i = range->first; i < range->first + range->count; i++)
			table_block(r, i, whole, s);
	}
}

static void table_sums(const struct profile_report *r, uint64_t whole, struct sink *s)
{
	uint64_t blocks[HOTNESS_COUNT] = { 0 }, bytes[HOTNESS_COUNT] = { 0 };
	for (uint64_t i = 0; i < r->map->blocks.count; i++) {
		const enum hotness h = hotness_of(&r->limits, r->profile->counts[i]);
		blocks[h]++;
		bytes[h] += r->map->blocks.data[i].size;
	}
	sink_printf(s, "%12" PRIu64 " %s of %" PRIu64 " samples, %" PRIu64 " of them here\n", whole,
		    r->profile->estimated ? "counts (estimated)" : "counts", r->profile->samples,
		    r->profile->samples_inside);
	for (int h = HOTNESS_COUNT; h-- > 0;)
		sink_printf(s, "%12" PRIu64 " bytes in %" PRIu64 " block%s %s\n", bytes[h],
			    blocks[h], blocks[h] == 1 ? "" : "s", hotness_names[h]);
}

void out_profile_table(const struct profile_report *r, struct sink *s)
{
	size_t count;
	struct profile_rank *ranks = profile_ranks(r, false, &count);
	uint64_t whole = 0;
	for (size_t i = 0; i < count; i++)
		whole = add_sat(whole, ranks[i].total);
	for (size_t i = 0; i < count && !s->failed; i++)
		table_function(r, &ranks[i], whole, s);
	table_sums(r, whole, s);
	free(ranks);
}

void out_profile_folded(const struct profile_report *r, struct sink *s)
{
	size_t count;
	struct profile_rank *ranks = profile_ranks(r, false, &count);
	for (size_t n = 0; n < count && !s->failed; n++) {
		const struct blockmap_function *f = &r->map->functions.data[ranks[n].function];
		for (uint32_t k = f->range_first; k < f->range_first + f->range_count; k++) {
			const struct blockmap_range *range = &r->map->ranges.data[k];
			for (uint64_t i = range->first; i < range->first + range->count; i++) {
				if (r->profile->counts[i] == 0)
					continue;
				folded_put(s, r->shown[ranks[n].function], false);
				sink_printf(s, ";#%" PRIu32 " %" PRIu64 "\n",
					    r->map->blocks.data[i].id, r->profile->counts[i]);
			}
		}
	}
	free(ranks);
}

/* ---- for programs --------------------------------------------------------------------------------- */

static const char *linkage(const struct profile_report *r, uint64_t function)
{
	const char *name = r->map->functions.data[function].name;
	return name ? name : "";
}

void out_profile_csv(const struct profile_report *r, struct sink *s)
{
	sink_text(s, STR("function,linkage_name,function_address,block,address,size,count,"
			 "fall_through,hotness\n"));
	for (uint64_t i = 0; i < r->map->blocks.count && !s->failed; i++) {
		const struct bbmap_block *b = &r->map->blocks.data[i];
		const struct blockmap_range *range = blockmap_range_of(r->map, i);
		field_put(s, r->shown[range->function], ',', false);
		sink_text(s, STR(","));
		field_put(s, linkage(r, range->function), ',', false);
		sink_printf(s,
			    ",%" PRIu64 ",%" PRIu32 ",%" PRIu64 ",%" PRIu32 ",%" PRIu64 ",%" PRIu64
			    ",%s\n",
			    r->map->functions.data[range->function].addr, b->id,
			    range->addr + b->off, b->size, r->profile->counts[i],
			    r->profile->falls[i], hotness_name(r, r->profile->counts[i]));
	}
}

static void json_block(struct json *j, const struct profile_report *r, uint64_t i)
{
	const struct bbmap_block *b = &r->map->blocks.data[i];
	json_open(j, '{');
	json_member_uint(j, "id", b->id);
	json_member_uint(j, "address", profile_block_addr(r, i));
	json_member_uint(j, "size", b->size);
	json_member_uint(j, "count", r->profile->counts[i]);
	json_member_uint(j, "fall_through", r->profile->falls[i]);
	json_member_text(j, "hotness", str_of(hotness_name(r, r->profile->counts[i])));
	json_close(j, '}');
}

/* The end of an edge: function and block; nothing where it is outside. */
static void json_end(struct json *j, const struct profile_report *r, const char *key,
		     uint32_t block)
{
	json_key(j, key);
	if (block == BBINDEX_NONE) {
		json_null(j);
		return;
	}
	json_open(j, '{');
	json_member_uint(j, "function_address",
			 r->map->functions.data[blockmap_range_of(r->map, block)->function].addr);
	json_member_uint(j, "block", r->map->blocks.data[block].id);
	json_close(j, '}');
}

/* The first edge from block i or a later one. */
static size_t first_edge(const struct profile *p, uint64_t i)
{
	size_t lo = 0, hi = p->edges.count;
	while (lo < hi) {
		const size_t mid = lo + (hi - lo) / 2;
		if (p->edges.data[mid].from < i)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static void json_edge(struct json *j, const struct profile_report *r, const struct profile_edge *e)
{
	json_open(j, '{');
	json_end(j, r, "from", e->from);
	json_end(j, r, "to", e->to);
	json_member_text(j, "kind", str_of(kind_names[e->kind]));
	json_member_uint(j, "count", e->count);
	json_member_uint(j, "mispredicted", e->mispredicted);
	json_close(j, '}');
}

static void json_edges(struct json *j, const struct profile_report *r, uint64_t from, uint64_t end)
{
	const struct profile *p = r->profile;
	for (size_t i = first_edge(p, from); i < p->edges.count && p->edges.data[i].from < end; i++)
		json_edge(j, r, &p->edges.data[i]);
}

static void json_function(const struct profile_report *r, uint64_t function, struct sink *s)
{
	const struct blockmap_function *f = &r->map->functions.data[function];
	const struct blockmap_range *ranges = &r->map->ranges.data[f->range_first];
	struct json j = sink_json(s);
	json_open(&j, '{');
	json_member_text(&j, "function", str_of(r->shown[function]));
	if (*linkage(r, function))
		json_member_text(&j, "linkage_name", str_of(linkage(r, function)));
	json_member_uint(&j, "address", f->addr);
	json_member_bool(&j, "estimated", r->profile->estimated);
	json_key(&j, "blocks");
	json_open(&j, '[');
	for (uint32_t k = 0; k < f->range_count; k++)
		for (uint64_t i = ranges[k].first; i < ranges[k].first + ranges[k].count; i++)
			json_block(&j, r, i);
	json_close(&j, ']');
	json_key(&j, "edges");
	json_open(&j, '[');
	for (uint32_t k = 0; k < f->range_count; k++)
		json_edges(&j, r, ranges[k].first, ranges[k].first + ranges[k].count);
	json_close(&j, ']');
	json_close(&j, '}');
	sink_text(s, STR("\n"));
}

/* Branches into the image from elsewhere belong to no function. */
static void json_outside(const struct profile_report *r, struct sink *s)
{
	struct json j = sink_json(s);
	if (first_edge(r->profile, BBINDEX_NONE) == r->profile->edges.count)
		return;
	json_open(&j, '{');
	json_key(&j, "edges");
	json_open(&j, '[');
	json_edges(&j, r, BBINDEX_NONE, (uint64_t)BBINDEX_NONE + 1);
	json_close(&j, ']');
	json_close(&j, '}');
	sink_text(s, STR("\n"));
}

void out_profile_json(const struct profile_report *r, struct sink *s)
{
	size_t count;
	struct profile_rank *ranks = profile_ranks(r, false, &count);
	for (size_t i = 0; i < count && !s->failed; i++)
		json_function(r, ranks[i].function, s);
	json_outside(r, s);
	free(ranks);
}
