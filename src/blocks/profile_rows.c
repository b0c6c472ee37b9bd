#include "blocks/profile_rows.h"
#include "blocks/block_counts.h"

const char *const hotness_names[HOTNESS_COUNT] = { "never", "cold", "warm", "hot" };

static const char *linkage_name(const struct profile_rows *r, uint32_t function)
{
	const char *name = r->map->functions.data[function].name;
	return name ? name : "";
}

static void profile_rows_add_block(struct profile_rows *r, uint32_t node, uint64_t block)
{
	uint64_t *sums = tree_sums(&r->tree, node, HEFT_INPUT);
	sums[HEFT_SAMPLES_COUNT] = add_sat(sums[HEFT_SAMPLES_COUNT], r->profile->counts[block]);
	sums[HEFT_SAMPLES_FALLS] = add_sat(sums[HEFT_SAMPLES_FALLS], r->profile->falls[block]);
	sums[HEFT_SAMPLES_BYTES] += r->map->blocks.data[block].size;
}

static void profile_rows_add_function(struct profile_rows *r, uint32_t function)
{
	ASSERT(function < r->map->functions.count);
	const struct blockmap_function *f = &r->map->functions.data[function];
	for (uint32_t k = f->range_first; k < f->range_first + f->range_count; k++) {
		const struct blockmap_range *range = &r->map->ranges.data[k];
		for (uint64_t i = range->first; i < range->first + range->count; i++) {
			if (r->profile->counts[i] == 0)
				continue;
			const uint32_t node = tree_get(&r->tree, 0, function);
			profile_rows_add_block(r, 0, i);
			profile_rows_add_block(r, node, i);
			profile_rows_add_block(r, tree_add(&r->tree, node, (uint32_t)i), i);
		}
	}
}

static const char *profile_rows_node_label(void *ctx, uint32_t node)
{
	struct profile_rows *r = ctx;
	const struct tree_node *n = &r->tree.nodes.data[node];
	if (n->parent == 0)
		return r->shown[n->key];
	return arena_format(&r->arena, "#%" PRIu32, r->map->blocks.data[n->key].id);
}

static void profile_rows_fill(void *ctx, uint32_t node, uint32_t level, struct heft_row *row)
{
	struct profile_rows *r = ctx;
	const uint32_t key = r->tree.nodes.data[node].key;
	const char **texts = arena_new(&r->arena, const char *, PROFILE_TEXTS);
	uint64_t addr = r->map->functions.data[level == 0 ? key : 0].addr;
	texts[PROFILE_LINKAGE] = level == 0 ? linkage_name(r, key) : "";
	texts[PROFILE_HOTNESS] = "";
	if (level > 0) {
		addr = blockmap_range_of(r->map, key)->addr + r->map->blocks.data[key].off;
		texts[PROFILE_HOTNESS] =
			hotness_names[hotness_of(&r->limits, r->profile->counts[key])];
	}
	texts[PROFILE_ADDRESS] = arena_format(&r->arena, "%" PRIu64, addr);
	row->texts = texts;
	row_set_ref(row, key);
}

void profile_rows_make(struct profile_rows *r, const struct heft_samples_query *q)
{
	static const struct heft_measure measures[HEFT_SAMPLES_MEASURES] = {
		[HEFT_SAMPLES_COUNT] = { "count", "count", HEFT_COUNT, false, false },
		[HEFT_SAMPLES_FALLS] = { "fall_through", "fall through", HEFT_COUNT, false, false },
		[HEFT_SAMPLES_BYTES] = { "size", "size", HEFT_BYTES, false, false },
	};
	static const struct heft_text texts[PROFILE_TEXTS] = {
		[PROFILE_LINKAGE] = { "linkage_name", false },
		[PROFILE_ADDRESS] = { "address", true },
		[PROFILE_HOTNESS] = { "hotness", false },
	};
	static const char *const levels[] = { "function", "block" };
	const struct rows_opts opts = {
		.measures = measures,
		.limit = q->rows,
		.sort = q->sort == HEFT_SORT_NAME ? HEFT_SORT_NAME : HEFT_SORT_SIZE,
		.keys = 1u << HEFT_SAMPLES_COUNT,
		.others_last = true,
		.label = profile_rows_node_label,
		.fill = profile_rows_fill,
		.ctx = r,
	};
	ASSERT(r->map && r->profile && r->shown);
	tree_init(&r->tree, HEFT_SAMPLES_MEASURES, 2);
	const size_t count = r->wanted ? r->wanted_count : r->map->functions.count;
	for (size_t i = 0; i < count; i++)
		profile_rows_add_function(r, (uint32_t)(r->wanted ? r->wanted[i] : i));
	r->table = (struct heft_table){ .size = sizeof r->table,
					.levels = levels,
					.level_count = COUNT_OF(levels),
					.measures = measures,
					.measure_count = HEFT_SAMPLES_MEASURES,
					.texts = texts,
					.text_count = PROFILE_TEXTS,
					.sorted_by = HEFT_SAMPLES_COUNT,
					.top = rows_build(&r->tree, &opts, &r->arena) };
}

void profile_rows_release(struct profile_rows *r)
{
	tree_release(&r->tree);
	arena_release(&r->arena);
}

/* Counts how often a program's blocks ran. */

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
