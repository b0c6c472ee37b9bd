/* Profiles of basic blocks as tables, CSV, JSON and folded stacks. */
#include "report/profile_report.h"

#include "base/sort.h"
#include "blocks/profile_rows.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const kind_names[] = { "jump", "call", "return" };

uint64_t profile_block_addr(const struct profile_report *r, uint64_t i)
{
	return blockmap_range_of(r->map, i)->addr + r->map->blocks.data[i].off;
}

static const char *hotness_name(const struct profile_report *r, uint64_t count)
{
	return hotness_names[hotness_of(&r->limits, count)];
}

/* ---- functions in order ---------------------------------------------------------------------- */

static struct profile_rank out_profile_rank_of(const struct profile_report *r, uint64_t function)
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

static int out_profile_by_rank(uint64_t a, uint64_t b, const struct profile_rank *x,
			       const struct profile_rank *y)
{
	if (a != b)
		return a < b ? 1 : -1;
	return x->function < y->function ? -1 : x->function > y->function;
}

static int by_total(const void *x, const void *y)
{
	const struct profile_rank *a = x, *b = y;
	return out_profile_by_rank(a->total, b->total, a, b);
}

static int by_hottest_block(const void *x, const void *y)
{
	const struct profile_rank *a = x, *b = y;
	return out_profile_by_rank(a->hottest, b->hottest, a, b);
}

struct profile_rank *profile_ranks(const struct profile_report *r, bool by_hottest,
				   size_t *ret_count)
{
	VEC(struct profile_rank) list = { 0 };
	vec_reserve(&list, 1);
	for (uint64_t i = 0; i < r->map->functions.count; i++) {
		const struct profile_rank rank = out_profile_rank_of(r, i);
		if (rank.seen > 0)
			vec_push(&list, rank);
	}
	qsort(list.data, list.count, sizeof *list.data, by_hottest ? by_hottest_block : by_total);
	*ret_count = list.count;
	return list.data;
}

/* ---- for people ------------------------------------------------------------------------------ */

static void out_profile_put_label(const struct report *r, const struct heft_row *row,
				  struct text *out)
{
	char addr[40];
	(void)r;
	snprintf(addr, sizeof addr, " at 0x%" PRIx64,
		 (uint64_t)strtoull(row->texts[PROFILE_ADDRESS], NULL, 10));
	text_add(out, str_of(row->label));
	text_add(out, str_of(addr));
}

static void out_profile_put_sums(const struct report *report, struct sink *s)
{
	const struct profile_report *r = report->ctx;
	const uint64_t whole = report->table.top->now[HEFT_SAMPLES_COUNT].whole;
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

void profile_report_init(struct report *r)
{
	static const struct report_kind kind = { .label = out_profile_put_label,
						 .below = out_profile_put_sums };
	r->kind = &kind;
	r->indent = 2;
	r->label_gap = 2;
	report_column(r, (struct column){ "count", CELL_NOW, HEFT_SAMPLES_COUNT, 0, 2, false, 0 });
	report_column(r, (struct column){ "", CELL_PART, HEFT_SAMPLES_COUNT, 0, 2, true, 0 });
	report_column(r, (struct column){ "", CELL_TEXT, PROFILE_HOTNESS, 0, 2, false, 0 });
	report_column(r, (struct column){ "size", CELL_NOW, HEFT_SAMPLES_BYTES, 0, 2, false, 1 });
}

/* ---- for programs ---------------------------------------------------------------------------- */

static const char *linkage(const struct profile_report *r, uint64_t function)
{
	const char *name = r->map->functions.data[function].name;
	return name ? name : "";
}

void out_profile_csv(const struct profile_report *r, char separator, bool safe, struct sink *s)
{
	static const char *const names[] = { "function", "linkage_name", "function_address",
					     "block",    "address",      "size",
					     "count",    "fall_through", "hotness" };
	const char c = separator;
	for (size_t i = 0; i < COUNT_OF(names); i++)
		sink_printf(s, i + 1 < COUNT_OF(names) ? "%s%c" : "%s\n", names[i], c);
	for (uint64_t i = 0; i < r->map->blocks.count && !s->failed; i++) {
		const struct bbmap_block *b = &r->map->blocks.data[i];
		const struct blockmap_range *range = blockmap_range_of(r->map, i);
		field_put(s, r->shown[range->function], c, safe);
		sink_text(s, (struct str){ &c, 1 });
		field_put(s, linkage(r, range->function), c, safe);
		sink_printf(s,
			    "%c%" PRIu64 "%c%" PRIu32 "%c%" PRIu64 "%c%" PRIu32 "%c%" PRIu64
			    "%c%" PRIu64 "%c%s\n",
			    c, r->map->functions.data[range->function].addr, c, b->id, c,
			    range->addr + b->off, c, b->size, c, r->profile->counts[i], c,
			    r->profile->falls[i], c, hotness_name(r, r->profile->counts[i]));
	}
}

static void out_profile_json_block(struct json *j, const struct profile_report *r, uint64_t i)
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
	size_t lo;
	BISECT(lo, 0, p->edges.count, mid, p->edges.data[mid].from < i);
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
			out_profile_json_block(&j, r, i);
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
	mem_free(ranks);
}
