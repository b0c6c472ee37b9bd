/* Turns samples into counts per block and per edge between blocks. */
#include "blocks/block_profile.h"

#include "image/elf/elf_const.h"
#include "base/sort.h"
#include "blocks/block_samples.h"
#include "blocks/tally.h"

static uint64_t translate(const struct mappings *m, uint64_t addr)
{
	uint64_t ret;
	return mappings_translate(m, addr, &ret) ? ret : PROFILE_OUTSIDE;
}

static void add_branches(struct profile *p, const struct mappings *m, const struct perf_event *e)
{
	uint64_t next = PROFILE_OUTSIDE; /* Address of the branch that was taken after this one */
	bool inside = false;
	for (uint64_t i = 0; i < e->branch_count; i++) {
		const struct perf_branch b = perf_branch_get(e, i);
		const uint64_t from = translate(m, b.from), to = translate(m, b.to);
		if (from != PROFILE_OUTSIDE || to != PROFILE_OUTSIDE) {
			tally_add(&p->branches, from, to, 1, b.mispredicted);
			inside = true;
		}
		if (to != PROFILE_OUTSIDE && next != PROFILE_OUTSIDE)
			tally_add(&p->ranges, to, next, 1, 0);
		next = from;
	}
	p->samples_inside += inside;
}

static void add_events(struct profile *p, struct mappings *m, struct samples *s)
{
	struct perf_event e;
	bool any_branches = false;
	while (samples_next(s, &e)) {
		if (e.type == PERF_LOST || e.type == PERF_LOST_SAMPLES)
			p->lost += e.lost;
		if (e.type != PERF_SAMPLE)
			continue;
		mappings_select(m, &e);
		p->samples += e.weight;
		any_branches = any_branches || e.branch_count > 0;
		if (e.branch_count > 0)
			add_branches(p, m, &e);
		const uint64_t addr = e.has_ip && !e.has_branches ? translate(m, e.ip)
								  : PROFILE_OUTSIDE;
		if (addr != PROFILE_OUTSIDE) {
			tally_add(&p->addrs, addr, 0, e.weight, 0);
			p->samples_inside += e.weight;
		}
	}
	p->estimated = !any_branches;
	tally_sort(&p->branches);
	tally_sort(&p->ranges);
	tally_sort(&p->addrs);
}

struct join {
	struct profile *p;
	const struct blockmap *b;
	struct bbindex index;
	struct tally arrivals; /* Per start of a block, as pairs (address, 0): number of branches
			        * to it. `extra`: number of returns among them */
	uint32_t *stops;       /* Per block: among all blocks before it, the number of those from
				* which control never continues in the next block */
	bool no_flags;         /* True if the map has no flags. Then `stops` is unknown */
};

/* Returns the index of the block that contains the instruction at addr. */
static uint32_t block_at(const struct join *j, uint64_t addr)
{
	if (j->b->blocks.count == 0 || addr == PROFILE_OUTSIDE)
		return BBINDEX_NONE;
	const uint32_t i = bbindex_find(&j->index, addr);
	return i != BBINDEX_NONE && addr - (blockmap_range_of(j->b, i)->addr +
					    j->b->blocks.data[i].off) <
					    j->b->blocks.data[i].size
		       ? i
		       : BBINDEX_NONE;
}

/* Returns the block that a branch goes to. It is the first block that starts at the address. If
 * there is none, it is the block that contains the address, or that ends there, because a call may
 * end a block. */
static uint32_t block_to(const struct join *j, uint64_t addr, bool *ret_at_start)
{
	*ret_at_start = false;
	if (j->b->blocks.count == 0 || addr == PROFILE_OUTSIDE)
		return BBINDEX_NONE;
	uint32_t i = bbindex_find(&j->index, addr);
	if (i == BBINDEX_NONE)
		return i;
	const struct blockmap_range *r = blockmap_range_of(j->b, i);
	const struct bbmap_block *blocks = j->b->blocks.data;
	const uint64_t off = addr - r->addr;
	*ret_at_start = off == blocks[i].off;
	while (*ret_at_start && i > r->first && blocks[i - 1].off == off)
		i--;
	return off - blocks[i].off <= blocks[i].size ? i : BBINDEX_NONE;
}

static enum edge_kind block_profile_kind_of(const struct join *j, uint32_t from, uint32_t to,
					    bool at_start, uint64_t addr)
{
	if (to == BBINDEX_NONE)
		return j->b->blocks.data[from].flags & BBMAP_RETURN ? EDGE_RETURN : EDGE_CALL;
	const struct blockmap_range *r = blockmap_range_of(j->b, to);
	if (j->b->functions.data[r->function].addr == addr)
		return EDGE_CALL;
	if (j->b->blocks.data[to].flags & BBMAP_LANDING_PAD)
		return EDGE_JUMP;
	if (!at_start || from == BBINDEX_NONE)
		return EDGE_RETURN;
	return j->b->blocks.data[from].flags & BBMAP_RETURN ? EDGE_RETURN : EDGE_JUMP;
}

static void block_profile_add_edge(struct join *j, const struct tally_pair *pair)
{
	bool at_start;
	struct profile_edge e = { .from = block_at(j, pair->a),
				  .to = block_to(j, pair->b, &at_start),
				  .count = pair->count,
				  .mispredicted = pair->extra };
	if (e.from == BBINDEX_NONE && e.to == BBINDEX_NONE)
		return;
	e.kind = block_profile_kind_of(j, e.from, e.to, at_start, pair->b);
	if (at_start)
		tally_add(&j->arrivals, pair->b, 0, e.count, e.kind == EDGE_RETURN ? e.count : 0);
	vec_push(&j->p->edges, e);
}

COMPARISON(by_ends, struct profile_edge, ORDER(a->from, b->from), ORDER(a->to, b->to),
	   ORDER(a->kind, b->kind))

static void add_edges(struct join *j)
{
	struct profile *p = j->p;
	size_t n = 0;
	for (size_t i = 0; i < p->branches.pairs.count; i++)
		block_profile_add_edge(j, &p->branches.pairs.data[i]);
	vec_sort_by(&p->edges, by_ends);
	for (size_t i = 0; i < p->edges.count; i++) {
		struct profile_edge *last = &p->edges.data[n > 0 ? n - 1 : 0];
		const struct profile_edge *e = &p->edges.data[i];
		if (n > 0 && by_ends(last, e) == 0) {
			last->count = add_sat(last->count, e->count);
			last->mispredicted = add_sat(last->mispredicted, e->mispredicted);
		} else {
			p->edges.data[n++] = *e;
		}
	}
	ASSERT(n <= p->edges.count);
	p->edges.count = n;
}

/* Counts the blocks of a range by differences: adds the count at the first block, and subtracts it
 * after the last. */
static void block_profile_add_range(struct join *j, const struct tally_pair *pair, uint64_t *counts,
				    uint64_t *falls)
{
	bool at_start;
	const uint32_t first = block_to(j, pair->a, &at_start), last = block_at(j, pair->b);
	j->p->range_weight = add_sat(j->p->range_weight, pair->count);
	if (first == BBINDEX_NONE || last == BBINDEX_NONE) {
		j->p->range_unmapped = add_sat(j->p->range_unmapped, pair->count);
		return;
	}
	if (pair->a > pair->b ||
	    !(first <= last && (j->no_flags || j->stops[last] == j->stops[first]) &&
	      blockmap_range_of(j->b, first) == blockmap_range_of(j->b, last))) {
		j->p->range_refused = add_sat(j->p->range_refused, pair->count);
		return;
	}
	/* The range starts where a block starts. A call that ended the block before may have
	 * returned there: then control passed from that block. The share of returns among all
	 * branches to the block estimates how often. */
	const struct tally_pair *a = at_start ? tally_find(&j->arrivals, pair->a, 0) : NULL;
	if (a && a->extra > 0 && first != blockmap_range_of(j->b, first)->first) {
		const double share = (double)a->extra / (double)a->count;
		j->p->falls[first - 1] += (uint64_t)((double)pair->count * share + 0.5);
	}
	ASSERT(first <= last && last < j->b->blocks.count);
	counts[first + !at_start] += pair->count;
	counts[last + 1] -= pair->count;
	falls[first] += pair->count;
	falls[last] -= pair->count;
}

static void block_profile_add_ranges(struct join *j)
{
	const uint64_t n = j->b->blocks.count;
	uint64_t *counts = mem_zeroed(n + 2, sizeof *counts),
		 *falls = mem_zeroed(n + 2, sizeof *falls);
	for (size_t i = 0; i < j->p->ranges.pairs.count; i++)
		block_profile_add_range(j, &j->p->ranges.pairs.data[i], counts, falls);
	uint64_t count = 0, fall = 0;
	for (uint64_t i = 0; i < n; i++) {
		count += counts[i];
		fall += falls[i];
		j->p->counts[i] = count;
		j->p->falls[i] += fall;
	}
	mem_free_all(counts, falls);
}

/* Sets `stops` and `no_flags`. Block symbols, and maps whose flags are all 0, show no stops. */
static void count_stops(struct join *j)
{
	const uint64_t n = j->b->blocks.count;
	uint32_t stops = 0;
	j->stops = mem_zeroed(n + 1, sizeof *j->stops);
	for (uint64_t i = 0; i < n; i++) {
		j->stops[i] = stops;
		stops += !(j->b->blocks.data[i].flags & BBMAP_FALL_THROUGH);
	}
	j->no_flags = stops == n;
}

static void join_blocks(struct profile *p, const struct blockmap *b)
{
	struct join j = { .p = p, .b = b };
	p->counts = mem_zeroed(b->blocks.count + 1, sizeof *p->counts);
	p->falls = mem_zeroed(b->blocks.count + 1, sizeof *p->falls);
	if (b->blocks.count == 0)
		return;
	blockmap_index(b, &j.index);
	count_stops(&j);
	if (p->estimated) {
		vec_each(const struct tally_pair, pair, &j.p->addrs.pairs) {
			const uint32_t block = block_at(&j, pair->a);
			if (block != BBINDEX_NONE)
				j.p->counts[block] = add_sat(j.p->counts[block], pair->count);
		}
	} else {
		add_edges(&j);
		block_profile_add_ranges(&j);
	}
	mem_free(j.stops);
	tally_release(&j.arrivals);
	bbindex_release(&j.index);
}

static void note_oddities(const struct profile *p, const struct image *im,
			  const struct profile_wish *wish, struct notes *notes)
{
	if (p->lost > 0)
		note(notes, wish->path, HEFT_NO_OFFSET, 0,
		     "samples that the kernel lost while recording: %" PRIu64, p->lost);
	if (p->samples_inside == 0) {
		/* Text samples have right addresses only if the program ran where it was linked. */
		const bool anywhere = wish->form != SAMPLES_PERF && im->type == ET_DYN;
		note(notes, wish->path, HEFT_NO_OFFSET, 0, "no sample is in the file asked for%s",
		     anywhere ? ", which may be loaded anywhere: "
				"perf script --show-mmap-events tells where it was"
			      : "");
	} else if (p->estimated)
		note(notes, wish->path, HEFT_NO_OFFSET, 0,
		     "no branch stacks: counts are samples, an estimate of time spent and not of "
		     "how often blocks ran");
	if (p->range_refused > p->range_weight / 10 * 3)
		note(notes, wish->path, HEFT_NO_OFFSET, 0,
		     "%" PRIu64 " of %" PRIu64
		     " runs between branches cannot be: perhaps the map is not that of this code",
		     p->range_refused, p->range_weight);
}

bool profile_read(struct profile *p, const struct blockmap *b, const struct profile_wish *wish,
		  struct notes *notes, struct heft_err *err)
{
	struct samples s;
	struct mappings m;
	memset(p, 0, sizeof *p);
	if (b->image->kind != IMAGE_EXEC)
		return fail(err, HEFT_EUNSUPPORTED, HEFT_NO_OFFSET,
			    "%s: profiles are read for programs and shared objects only",
			    b->image->path);
	if (!samples_open(&s, wish->path, wish->form, notes, err))
		return false;
	const bool ok = mappings_read(&m, &s, b->image, wish->force, err);
	if (ok) {
		add_events(p, &m, &s);
		mappings_release(&m);
		join_blocks(p, b);
		note_oddities(p, b->image, wish, notes);
		ASSERT(p->samples_inside <= p->samples);
		ASSERT(p->range_unmapped <= p->range_weight && p->range_refused <= p->range_weight);
	}
	samples_close(&s);
	return ok;
}

void profile_release(struct profile *p)
{
	mem_free_all(p->counts, p->falls);
	vec_release(&p->edges);
	tally_release(&p->branches);
	tally_release(&p->ranges);
	tally_release(&p->addrs);
}

#define HOT_SHARE  0.90 /* Hot blocks have this share of the sum of all counts */
#define WARM_SHARE 0.99

struct hotness_limits profile_limits(const struct profile *p, const struct blockmap *b)
{
	struct hotness_limits l = { UINT64_MAX, UINT64_MAX };
	const size_t n = b->blocks.count;
	uint64_t *sorted = mem_zeroed(n + 1, sizeof *sorted);
	double total = 0, sum = 0;
	for (size_t i = 0; i < n; i++) {
		sorted[i] = p->counts[i];
		total += (double)sorted[i];
	}
	sort_by_key(sorted, n, sizeof *sorted);
	for (size_t i = n; i > 0 && sorted[i - 1] > 0; i--) {
		if (sum < total * HOT_SHARE)
			l.hot = sorted[i - 1];
		if (sum < total * WARM_SHARE)
			l.warm = sorted[i - 1];
		sum += (double)sorted[i - 1];
	}
	mem_free(sorted);
	return l;
}

enum hotness hotness_of(const struct hotness_limits *l, uint64_t count)
{
	ASSERT(l->warm <= l->hot);
	if (count == 0)
		return HOTNESS_NEVER;
	if (count >= l->hot)
		return HOTNESS_HOT;
	return count >= l->warm ? HOTNESS_WARM : HOTNESS_COLD;
}

/* Opens a file of samples of any form and reads its events. */

bool samples_open(struct samples *s, const char *path, enum samples_form form, struct notes *notes,
		  struct heft_err *err)
{
	memset(s, 0, sizeof *s);
	s->form = form;
	/* Only a perf file is mapped: its pages can be released. Others may come from a pipe. */
	if (!(form == SAMPLES_PERF ? file_open : file_open_stream)(&s->file, path, err))
		return false;
	if (form != SAMPLES_PERF) {
		perftext_open(&s->text, s->file.path, s->file.bytes,
			      form == SAMPLES_SCRIPT ? PERFTEXT_SCRIPT : PERFTEXT_ADDRESSES, notes);
		return true;
	}
	if (perfdata_open(&s->perf, s->file.path, s->file.bytes, notes, err)) {
		s->perf.mapped = file_is_mapped(&s->file);
		return true;
	}
	file_close(&s->file);
	return false;
}

bool samples_next(struct samples *s, struct perf_event *ret)
{
	return s->form == SAMPLES_PERF ? perfdata_next(&s->perf, ret)
				       : perftext_next(&s->text, ret);
}

void samples_rewind(struct samples *s)
{
	if (s->form == SAMPLES_PERF)
		perfdata_rewind(&s->perf);
	else
		perftext_rewind(&s->text);
}

void samples_close(struct samples *s)
{
	if (s->form == SAMPLES_PERF)
		perfdata_close(&s->perf);
	else
		perftext_close(&s->text);
	file_close(&s->file);
}

/* Returns the entry of (a, b). If there is none, returns NULL, and *at is where to insert it. */
static struct tally_pair *blocks_tally_find(const struct tally *t, uint64_t a, uint64_t b,
					    struct map_at *at)
{
	uint32_t i;
	*at = map_at(&t->map, hash_pair(a, b));
	while (map_next(&t->map, at, &i))
		if (t->pairs.data[i].a == a && t->pairs.data[i].b == b)
			return &t->pairs.data[i];
	return NULL;
}

void tally_add(struct tally *t, uint64_t a, uint64_t b, uint64_t count, uint64_t extra)
{
	struct map_at at;
	if (count == 0)
		return;
	struct tally_pair *p = blocks_tally_find(t, a, b, &at);
	if (!p) {
		ASSERT(t->pairs.count < UINT32_MAX);
		map_put(&t->map, &at, (uint32_t)t->pairs.count);
		vec_push(&t->pairs, (struct tally_pair){ a, b, count, extra });
		return;
	}
	p->count = add_sat(p->count, count);
	p->extra = add_sat(p->extra, extra);
}

const struct tally_pair *tally_find(const struct tally *t, uint64_t a, uint64_t b)
{
	struct map_at at;
	return blocks_tally_find(t, a, b, &at);
}

COMPARISON(by_b, struct tally_pair, ORDER(a->b, b->b))

void tally_sort(struct tally *t)
{
	map_release(&t->map);
	vec_sort_then(&t->pairs, by_b);
}

void tally_release(struct tally *t)
{
	vec_release(&t->pairs);
	map_release(&t->map);
}
