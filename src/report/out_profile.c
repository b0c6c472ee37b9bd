/* Writes profiles of basic blocks as tables, CSV, JSON and folded stacks. */
#include "report/profile_report.h"

#include "report/all_fields.h"
#include "base/sort.h"
#include "blocks/profile_rows.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const kind_names[] = { "jump", "call", "return" };

COMPARISON(by_weight, struct profile_rank, ORDER(b->weight, a->weight),
	   ORDER(a->function, b->function))

struct profile_rank *profile_ranks(const struct profile_report *r, bool by_hottest,
				   size_t *ret_count)
{
	VEC(struct profile_rank) list = { 0 };
	vec_reserve(&list, 1);
	for (uint64_t n = 0; n < r->map->functions.count; n++) {
		const struct blockmap_function *f = &r->map->functions.data[n];
		struct profile_rank rank = { .function = n };
		for (uint32_t k = f->range_first; k < f->range_first + f->range_count; k++) {
			const struct blockmap_range *range = &r->map->ranges.data[k];
			for (uint64_t i = range->first; i < range->first + range->count; i++) {
				const uint64_t count = r->profile->counts[i];
				rank.weight = by_hottest ? max_u64(rank.weight, count)
							 : add_sat(rank.weight, count);
				rank.seen += count > 0;
			}
		}
		if (rank.seen > 0)
			vec_push(&list, rank);
	}
	vec_sort_by(&list, by_weight);
	*ret_count = list.count;
	return list.data;
}

static void out_profile_put_label(const struct report *r, const struct heft_row *row,
				  struct text *out)
{
	char addr[40];
	(void)r;
	snprintf(addr, sizeof addr, " at 0x%" PRIx64,
		 (uint64_t)strtoull(row->texts[PROFILE_ADDRESS], NULL, 10));
	text_adds(out, str_of(row->label), str_of(addr));
}

static void out_profile_put_sums(const struct report *report, struct sink *s)
{
	const struct profile_report *r = report->ctx;
	const uint64_t whole = report->table.top->now[HEFT_SAMPLES_COUNT];
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

/* Fields written for a block. */
struct shown_block {
	uint64_t addr, count, falls;
	uint32_t id, size;
	const char *hotness;
};

#define BLOCK(m) FIELD(struct shown_block, m)
static const struct field block_list[] = {
	{ KEY("id", "number of the block in its function"), BLOCK(id), .flags = FIELD_CSV,
	  .column = "block" },
	{ KEY("address", "VM address"), BLOCK(addr), .flags = FIELD_CSV },
	{ KEY("size", "bytes of code"), BLOCK(size), .flags = FIELD_CSV },
	{ KEY("count", "how often it ran"), BLOCK(count), .flags = FIELD_CSV },
	{ KEY("fall_through", "how often control went on to the next block without a branch"),
	  BLOCK(falls), .flags = FIELD_CSV },
	{ KEY("hotness", "`hot`, `warm`, `cold` or `never`"), BLOCK(hotness), .flags = FIELD_CSV },
};
#undef BLOCK
const struct fields profile_block_fields = FIELDS("counted block", block_list);

static struct shown_block profile_shown_block(const struct profile_report *r, uint64_t i)
{
	const uint64_t count = r->profile->counts[i];
	const uint64_t start = blockmap_range_of(r->map, i)->addr;
	ASSERT(i < r->map->blocks.count);
	return (struct shown_block){ .addr = start + r->map->blocks.data[i].off,
				     .count = count,
				     .falls = r->profile->falls[i],
				     .id = r->map->blocks.data[i].id,
				     .size = r->map->blocks.data[i].size,
				     .hotness = hotness_names[hotness_of(&r->limits, count)] };
}

/* One end of an edge. */
struct shown_end {
	bool known;
	uint32_t block;
	uint64_t function_addr;
};

static const struct field end_list[] = {
	{ KEY("function_address", "VM address of the function"),
	  FIELD(struct shown_end, function_addr) },
	{ KEY("block", "`id` of the block"), FIELD(struct shown_end, block) },
};
const struct fields profile_end_fields = FIELDS("end of an edge", end_list);

struct shown_edge {
	struct shown_end from, to;
	const char *kind;
	uint64_t count, mispredicted;
};

#define EDGE(m) FIELD(struct shown_edge, m)
static const struct field edge_list[] = {
	{ KEY("from", "block that ends in the branch. Null if it is outside of all known blocks"),
	  FIELD_AS(FIELD_PART, struct shown_edge, from), .of = &profile_end_fields,
	  .flags = FIELD_NULL, FIELD_IF(struct shown_edge, from.known) },
	{ KEY("to", "block that it goes to. Null if it is outside of all known blocks"),
	  FIELD_AS(FIELD_PART, struct shown_edge, to), .of = &profile_end_fields,
	  .flags = FIELD_NULL, FIELD_IF(struct shown_edge, to.known) },
	{ KEY("kind", "`jump`, `call` or `return`"), EDGE(kind) },
	{ KEY("count", "how often it was taken"), EDGE(count) },
	{ KEY("mispredicted", "how often it was predicted wrong"), EDGE(mispredicted) },
};
#undef EDGE
const struct fields profile_edge_fields = FIELDS("edge", edge_list);

static struct shown_end profile_shown_end(const struct profile_report *r, uint32_t block)
{
	struct shown_end end = { .known = block != BBINDEX_NONE };
	if (end.known) {
		const uint64_t function = blockmap_range_of(r->map, block)->function;
		end.function_addr = r->map->functions.data[function].addr;
		end.block = r->map->blocks.data[block].id;
	}
	return end;
}

/* Returns the first edge that starts at block `i` or a later one. */
static size_t first_edge(const struct profile *p, uint64_t i)
{
	size_t lo;
	BISECT(lo, 0, p->edges.count, mid, p->edges.data[mid].from < i);
	return lo;
}

static void profile_put_edges(struct json *j, const struct profile_report *r, uint64_t from,
			      uint64_t end)
{
	const struct profile *p = r->profile;
	for (size_t i = first_edge(p, from); i < p->edges.count && p->edges.data[i].from < end;
	     i++) {
		const struct profile_edge *e = &p->edges.data[i];
		ASSERT(e->kind < COUNT_OF(kind_names));
		const struct shown_edge shown = { profile_shown_end(r, e->from),
						  profile_shown_end(r, e->to), kind_names[e->kind],
						  e->count, e->mispredicted };
		fields_object(j, &profile_edge_fields, &shown, r);
	}
}

/* A function. `of` is NULL for branches from outside, which belong to no function. */
struct shown_function {
	const struct profile_report *r;
	const struct blockmap_function *of;
	const char *name, *linkage;
	uint64_t addr;
	bool estimated;
};

static void function_put_blocks(const struct field_at *at, struct json *j)
{
	const struct shown_function *f = at->of;
	const struct blockmap_range *ranges = &f->r->map->ranges.data[f->of->range_first];
	json_open(j, '[');
	for (uint32_t k = 0; k < f->of->range_count; k++)
		for (uint64_t i = ranges[k].first; i < ranges[k].first + ranges[k].count; i++) {
			const struct shown_block b = profile_shown_block(f->r, i);
			fields_object(j, &profile_block_fields, &b, f);
		}
	json_close(j, ']');
}

static void function_put_edges(const struct field_at *at, struct json *j)
{
	const struct shown_function *f = at->of;
	json_open(j, '[');
	if (f->of == NULL)
		profile_put_edges(j, f->r, BBINDEX_NONE, (uint64_t)BBINDEX_NONE + 1);
	for (uint32_t k = 0; f->of != NULL && k < f->of->range_count; k++) {
		const struct blockmap_range *range =
			&f->r->map->ranges.data[f->of->range_first + k];
		profile_put_edges(j, f->r, range->first, range->first + range->count);
	}
	json_close(j, ']');
}

#define FUNCTION(m) FIELD(struct shown_function, m)
static const struct field function_list[] = {
	{ KEY("function", "in the style of `-C`"), FUNCTION(name), .flags = FIELD_CSV },
	{ KEY("linkage_name", "as the linker sees it. Missing if no symbol is there"),
	  FUNCTION(linkage), .flags = FIELD_CSV | FIELD_ANY },
	{ KEY("address", "VM address"), FUNCTION(addr), .flags = FIELD_CSV,
	  .column = "function_address" },
	{ KEY("estimated", "there were no branches: counts are samples"), FUNCTION(estimated) },
	{ KEY("blocks", "all of them, parts one after the other"), .kind = FIELD_PUT,
	  .put = function_put_blocks, .type = "array of counted blocks" },
	{ KEY("edges", "branches that were taken from its blocks"), .kind = FIELD_PUT,
	  .put = function_put_edges, .type = "array of edges" },
};
#undef FUNCTION
const struct fields profile_function_fields = FIELDS("counted function", function_list);

static struct shown_function profile_shown_function(const struct profile_report *r, uint64_t i)
{
	const struct blockmap_function *f = &r->map->functions.data[i];
	ASSERT(i < r->map->functions.count);
	return (struct shown_function){
		r, f, r->shown[i], f->name, f->addr, r->profile->estimated
	};
}

static void out_profile_csv(const struct profile_report *r, const struct heft_write_opts *opts,
			    struct sink *s)
{
	struct record line;
	record_open(&line, s, opts, true);
	record_fields(&line, &profile_function_fields, NULL, NULL);
	record_fields(&line, &profile_block_fields, NULL, NULL);
	record_close(&line);
	for (uint64_t i = 0; i < r->map->blocks.count && !s->failed; i++) {
		const struct shown_function f = profile_shown_function(
			r, blockmap_range_of(r->map, i)->function);
		const struct shown_block b = profile_shown_block(r, i);
		record_open(&line, s, opts, false);
		record_fields(&line, &profile_function_fields, &f, NULL);
		record_fields(&line, &profile_block_fields, &b, NULL);
		record_close(&line);
	}
}

static void out_profile_json(const struct profile_report *r, struct sink *s)
{
	/* Branches from outside the image do not belong to a function. */
	const struct fields edges = { "", &function_list[COUNT_OF(function_list) - 1], 1 };
	const struct shown_function outside = { .r = r };
	size_t count;
	struct profile_rank *ranks = profile_ranks(r, false, &count);
	for (size_t i = 0; i < count && !s->failed; i++) {
		const struct shown_function f = profile_shown_function(r, ranks[i].function);
		fields_line(s, &profile_function_fields, &f);
	}
	if (first_edge(r->profile, BBINDEX_NONE) < r->profile->edges.count)
		fields_line(s, &edges, &outside);
	mem_free(ranks);
}

/* Writes the rows as a table. */
static bool profile_write_rows(const struct heft_samples *samples, const struct profile_report *p,
			       const struct heft_samples_query *q,
			       const struct heft_write_opts *opts, struct sink *s,
			       struct heft_err *err)
{
	struct profile_rows rows;
	struct report report = { .opts = *opts, .ctx = p };
	if (!counts_rows(samples, p->shown, q, &rows, err))
		return false;
	report.table = rows.table;
	static const struct report_kind kind = { .label = out_profile_put_label,
						 .below = out_profile_put_sums };
	report.kind = &kind;
	report.indent = 2;
	report.label_gap = 2;
	report_column(&report,
		      (struct column){ "count", CELL_NOW, HEFT_SAMPLES_COUNT, 0, 2, false, 0 });
	report_column(&report, (struct column){ "", CELL_PART, HEFT_SAMPLES_COUNT, 0, 2, true, 0 });
	report_column(&report, (struct column){ "", CELL_TEXT, PROFILE_HOTNESS, 0, 2, false, 0 });
	report_column(&report,
		      (struct column){ "size", CELL_NOW, HEFT_SAMPLES_BYTES, 0, 2, false, 1 });
	const bool good = report_write(&report, s, err);
	profile_rows_release(&rows);
	return good;
}

static bool profile_write_as(const struct heft_samples *samples, const struct profile_report *r,
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
	default: return profile_write_rows(samples, r, q, opts, s, err);
	}
	return sink_end(s, err);
}

bool profile_report_write(struct heft_samples *samples, const struct heft_samples_query *q,
			  const struct heft_write_opts *opts, struct sink *s, struct heft_err *err)
{
	const struct blockmap *map = samples->map;
	const bool layout = opts->format == HEFT_PROPELLER || opts->format == HEFT_SYMBOL_ORDER;
	struct profile_names names;
	if (layout &&
	    (map->functions.count == 0 || map->functions.data[0].origin == BLOCKS_DERIVED))
		return fail(err, HEFT_EUNSUPPORTED, HEFT_NO_OFFSET,
			    "%s: only a compiler's own block numbers can be given back to it",
			    map->image->path);
	const char **shown = counts_names(samples);
	profile_names_read(&names, map, program_debug_in_use(&samples->blocks->program));
	const struct profile_report r = { map, &samples->profile, &names, shown, samples->limits };
	const bool good = profile_write_as(samples, &r, q, opts, s, err);
	profile_names_release(&names);
	mem_free(shown);
	return good;
}
