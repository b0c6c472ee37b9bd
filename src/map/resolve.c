/* resolve.c - turns claims into spans (see space.h).
 *
 * Sweeps over the claims by ascending start. If claims come in sorted groups, like rows of line
 * programs, sorts the groups and sweeps only those that overlap. Otherwise cuts a large set of
 * claims into parts and sweeps the parts in parallel. Cuts are at starts of claims. A claim
 * across a cut is in both parts. A claim of unknown size never crosses a cut: it ends at the
 * next start. */
#include "map/space.h"

#include "base/pool.h"
#include "base/sort.h"

/* The claims that cover the current position: a binary heap, lowest seq (highest priority) first */
struct active {
	VEC(struct claim) heap;
};

static void active_push(struct active *a, struct claim c)
{
	vec_push(&a->heap, c);
	size_t i = a->heap.count - 1;
	struct claim *h = a->heap.data;
	while (i > 0 && h[(i - 1) / 2].seq > h[i].seq) {
		const struct claim t = h[i];
		h[i] = h[(i - 1) / 2];
		h[(i - 1) / 2] = t;
		i = (i - 1) / 2;
	}
}

static void active_pop(struct active *a)
{
	struct claim *h = a->heap.data;
	h[0] = h[--a->heap.count];
	for (size_t i = 0;;) {
		size_t best = i;
		for (size_t k = 2 * i + 1; k <= 2 * i + 2; k++)
			if (k < a->heap.count && h[k].seq < h[best].seq)
				best = k;
		if (best == i)
			return;
		const struct claim t = h[i];
		h[i] = h[best];
		h[best] = t;
		i = best;
	}
}

static uint64_t resolve_claim_end(const struct claim *c)
{
	return c->start + c->size;
}

/* Returns the claim of highest priority that ends after `addr`, or NULL. Removes ended claims of
 * higher priority from the heap. */
static const struct claim *active_best(struct active *a, uint64_t addr)
{
	while (a->heap.count > 0 && resolve_claim_end(&a->heap.data[0]) <= addr)
		active_pop(a);
	return a->heap.count > 0 ? &a->heap.data[0] : NULL;
}

/* Gives [from, to) to the active claims, by priority. */
static void active_emit(struct active *a, uint64_t from, uint64_t to, struct spans *ret)
{
	while (from < to) {
		const struct claim *best = active_best(a, from);
		if (!best)
			return;
		const uint64_t end = min_u64(resolve_claim_end(best), to);
		spans_push(ret, from, end - from, best->label);
		from = end;
	}
}

/* Returns the size of claim c, which states none. It ends at `next`, or at the end of a claim that
 * covers its start. 0 if an earlier claim starts at the same address. */
static uint64_t unknown_size(const struct active *a, const struct claim *c, uint64_t next)
{
	uint64_t end = next;
	vec_each(const struct claim, k, &a->heap) {
		if (resolve_claim_end(k) <= c->start)
			continue;
		if (k->seq < c->seq)
			return 0;
		end = min_u64(end, resolve_claim_end(k));
	}
	return end > c->start ? end - c->start : 0;
}

/* Adds the claims that start at one address. `next`: the next start of any claim. */
static void active_add(struct active *a, const struct claim *c, size_t count, uint64_t next)
{
	for (size_t i = 0; i < count; i++)
		if (c[i].size != SIZE_UNKNOWN)
			active_push(a, c[i]);
	for (size_t i = 0; i < count; i++) {
		if (c[i].size != SIZE_UNKNOWN)
			continue;
		struct claim known = c[i];
		known.size = unknown_size(a, &c[i], next) & SIZE_UNKNOWN;
		if (known.size > 0)
			active_push(a, known);
	}
}

static bool sorted_apart(const struct claims *c)
{
	for (size_t i = 0; i < c->list.count; i++) {
		const struct claim *k = &c->list.data[i];
		if (k->size == SIZE_UNKNOWN)
			return false;
		if (i > 0 && k->start < resolve_claim_end(k - 1))
			return false;
	}
	return true;
}

void claims_sort(struct claims *c)
{
	vec_sort(&c->list);
}

/* Numbers the claims by priority. True if they are at most two sorted runs. The second begins at
 * index *second. */
static bool find_runs(struct claims *c, size_t *second)
{
	unsigned runs = 1;
	*second = c->list.count;
	for (size_t i = 0; i < c->list.count; i++) {
		ASSERT(i < UINT32_MAX);
		c->list.data[i].seq = (uint32_t)i;
		if (i > 0 && c->list.data[i].start < c->list.data[i - 1].start && runs++ == 1)
			*second = i;
	}
	return runs <= 2;
}

/* Merges the sorted runs [0, second) and [second, count) through a copy of the first. */
static void merge_runs(struct claims *c, size_t second)
{
	struct claim *list = c->list.data, *first = mem_alloc(second * sizeof *first);
	memcpy(first, list, second * sizeof *first);
	size_t a = 0, b = second;
	for (size_t out = 0; a < second; out++) {
		const bool take_first = b == c->list.count || first[a].start <= list[b].start;
		list[out] = take_first ? first[a++] : list[b++];
	}
	mem_free(first);
}

/* A range of addresses, and the claims in it, clipped */
struct map_resolve_part {
	struct claim *list;
	size_t count;
	uint64_t end;         /* Where a claim of unknown size ends, if no claim starts after it */
	uint64_t limit;       /* End of the part's address range: no span goes beyond it */
	struct active active; /* Claims that start before this part and extend into it */
	struct spans spans;
};

static void sweep(struct map_resolve_part *p)
{
	const struct claim *list = p->list;
	const size_t count = p->count;
	struct active *a = &p->active;
	for (size_t i = 0; i < count;) {
		size_t j = i + 1;
		while (j < count && list[j].start == list[i].start)
			j++;
		const uint64_t next = j < count ? list[j].start : max_u64(p->end, list[i].start);
		if (j == i + 1 && list[i].size != SIZE_UNKNOWN &&
		    resolve_claim_end(&list[i]) <= next && !active_best(a, list[i].start)) {
			/* Usually nothing overlaps. */
			spans_push(&p->spans, list[i].start, list[i].size, list[i].label);
		} else {
			active_add(a, list + i, j - i, next);
			active_emit(a, list[i].start, j < count ? next : p->limit, &p->spans);
		}
		i = j;
	}
	vec_release(&a->heap);
}

/* Converts claims that do not overlap to spans, in place. */
static void convert(struct claims *c, struct spans *ret)
{
	_Static_assert(sizeof(struct claim) == sizeof(struct span), "one stands for the other");
	struct span *out = (struct span *)(void *)c->list.data;
	size_t count = 0;
	for (size_t i = 0; i < c->list.count; i++) {
		struct claim from;
		memcpy(&from, &c->list.data[i], sizeof from);
		if (count > 0 && out[count - 1].label == from.label &&
		    out[count - 1].start + out[count - 1].size == from.start)
			out[count - 1].size += from.size;
		else
			out[count++] = (struct span){ from.start, from.size, from.label };
	}
	ret->list.data = out;
	ret->list.count = count;
	ret->list.cap = c->list.cap;
	memset(c, 0, sizeof *c);
}

enum { SAMPLES = 32 }; /* Samples per part. More make parts more equal */

/* Chooses where to cut: at most parts - 1 distinct starts of claims in ascending order. Not the
 * first start. */
static size_t resolve_find_cuts(const struct claims *c, size_t parts, uint64_t *cuts)
{
	const size_t wanted = parts * SAMPLES, step = c->list.count / wanted + 1;
	uint64_t *starts = mem_alloc((c->list.count / step + 1) * sizeof *starts), last = 0;
	size_t count = 0, found = 0;
	for (size_t i = 0; i < c->list.count; i += step)
		starts[count++] = c->list.data[i].start;
	sort_by_key(starts, count, sizeof *starts);
	last = count > 0 ? starts[0] : 0;
	for (size_t k = 1; k < parts && count > 0; k++) {
		const uint64_t start = starts[k * count / parts];
		if (start > last)
			cuts[found++] = last = start;
	}
	mem_free(starts);
	return found;
}

/* Moves the claims that start before `cut` to the front. Returns their number. */
static size_t divide(struct claim *list, size_t count, uint64_t cut)
{
	size_t low = 0, high = count;
	for (;;) {
		while (low < high && list[low].start < cut)
			low++;
		while (low < high && list[high - 1].start >= cut)
			high--;
		if (low == high)
			return low;
		const struct claim t = list[low];
		list[low++] = list[--high];
		list[high] = t;
	}
}

/* Gives each part the claims that start in it. parts[i] is from cuts[i - 1] to cuts[i]. */
static void divide_all(const struct claims *c, const uint64_t *cuts, size_t cut_count, uint64_t end,
		       struct map_resolve_part *parts)
{
	struct claim *list = c->list.data;
	size_t count = c->list.count;
	for (size_t i = 0; i <= cut_count; i++) {
		const bool is_last = i == cut_count;
		struct map_resolve_part *p = &parts[i];
		p->list = list;
		p->count = is_last ? count : divide(list, count, cuts[i]);
		p->end = is_last ? end : cuts[i];
		p->limit = is_last ? UINT64_MAX : cuts[i];
		list += p->count;
		count -= p->count;
	}
}

/* Gives claims of parts[i] that extend beyond its end to the parts after it, too. */
static void reach_over(struct map_resolve_part *parts, const uint64_t *cuts, size_t cut_count,
		       size_t i)
{
	for (size_t k = 0; k < parts[i].count; k++) {
		const struct claim *c = &parts[i].list[k];
		if (c->size == SIZE_UNKNOWN)
			continue;
		for (size_t cut = i; cut < cut_count && resolve_claim_end(c) > cuts[cut]; cut++)
			active_push(&parts[cut + 1].active, *c);
	}
}

static void resolve_part(void *ctx, size_t i, unsigned worker)
{
	struct map_resolve_part *p = (struct map_resolve_part *)ctx + i;
	(void)worker;
	sort_by_key(p->list, p->count, sizeof *p->list);
	sweep(p);
}

static void resolve_in_parts(struct claims *c, uint64_t end, size_t count, struct spans *ret)
{
	uint64_t *cuts = mem_alloc(count * sizeof *cuts);
	const size_t cut_count = resolve_find_cuts(c, count, cuts);
	struct map_resolve_part *parts = mem_zeroed(cut_count + 1, sizeof *parts);
	divide_all(c, cuts, cut_count, end, parts);
	for (size_t i = 0; i < cut_count; i++)
		reach_over(parts, cuts, cut_count, i);
	parallel_for((unsigned)cut_count + 1, cut_count + 1, resolve_part, parts);
	for (size_t i = 0; i <= cut_count; i++)
		spans_append(ret, &parts[i].spans);
	mem_free_all(parts, cuts);
}

/* Resolves an unsorted list, and consumes it. */
static void resolve_unsorted(struct claims *c, uint64_t end, size_t parts, struct spans *ret)
{
	size_t second;
	if (find_runs(c, &second)) {
		if (second < c->list.count)
			merge_runs(c, second);
		struct map_resolve_part all = { .list = c->list.data,
						.count = c->list.count,
						.end = end,
						.limit = UINT64_MAX };
		sweep(&all);
		*ret = all.spans;
	} else {
		resolve_in_parts(c, end, parts > 0 ? parts : 1, ret);
	}
	vec_release(&c->list);
}

/* Consecutive claims that ascend and do not overlap */
struct resolve_stretch {
	uint64_t start, end;
	size_t first, count; /* Range of claims */
};

typedef VEC(struct resolve_stretch) stretch_vec;

/* STRETCH_CLAIMS: smallest mean length of a stretch, in claims, for which sorting stretches instead
 * of claims is faster. */
enum { STRETCH_CLAIMS = 8, STRETCHES_MIN = 64 };
/* A larger gap ends a stretch, because another function's claims may lie in it. */
enum { STRETCH_GAP = 64 };

/* Finds the stretches. False if they are too short, or if a claim states no size. */
static bool resolve_find_stretches(const struct claims *c, stretch_vec *ret)
{
	struct resolve_stretch *last = NULL;
	for (size_t i = 0; i < c->list.count; i++) {
		const struct claim *k = &c->list.data[i];
		if (k->size == SIZE_UNKNOWN)
			return false;
		if (!last || k->start < last->end || k->start - last->end > STRETCH_GAP) {
			if (ret->count > STRETCHES_MIN + i / STRETCH_CLAIMS)
				return false;
			vec_push(ret, (struct resolve_stretch){ .start = k->start, .first = i });
			last = &ret->data[ret->count - 1];
		}
		last->end = resolve_claim_end(k);
		last->count++;
	}
	return true;
}

/* Returns the number of stretches from s[0] on that overlap, directly or through others. */
static size_t cluster_size(const struct resolve_stretch *s, size_t count)
{
	size_t n = 1;
	for (uint64_t end = s->end; n < count && s[n].start < end; n++)
		end = max_u64(end, s[n].end);
	return n;
}

static size_t count_overlapping(const stretch_vec *v)
{
	size_t claims = 0;
	for (size_t i = 0, n; i < v->count; i += n) {
		n = cluster_size(v->data + i, v->count - i);
		for (size_t k = 0; n > 1 && k < n; k++)
			claims += v->data[i + k].count;
	}
	return claims;
}

COMPARISON(by_first, struct resolve_stretch, ORDER(a->first, b->first))

/* Resolves overlapping stretches. First puts their claims into the order in which they were made,
 * because the first claim wins. */
static void resolve_cluster(const struct claim *list, struct resolve_stretch *s, size_t count,
			    struct spans *ret)
{
	struct claims c = { 0 };
	struct spans spans = { 0 };
	qsort(s, count, sizeof *s, by_first);
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < s[i].count; k++)
			vec_push(&c.list, list[s[i].first + k]);
	resolve_unsorted(&c, UINT64_MAX, 1, &spans);
	spans_append(ret, &spans);
}

/* Resolves stretch by stretch. False, without a change, if sorting claims is faster. */
static bool resolve_stretches(struct claims *c, struct spans *ret)
{
	stretch_vec v = { 0 };
	bool ok = resolve_find_stretches(c, &v);
	if (ok) {
		vec_sort(&v);
		ok = count_overlapping(&v) <= c->list.count / STRETCH_CLAIMS;
	}
	if (ok)
		vec_reserve(&ret->list, c->list.count);
	for (size_t i = 0, n; ok && i < v.count; i += n) {
		n = cluster_size(v.data + i, v.count - i);
		const struct claim *k = c->list.data + v.data[i].first;
		for (size_t left = n == 1 ? v.data[i].count : 0; left > 0; left--, k++)
			spans_push(ret, k->start, k->size, k->label);
		if (n > 1)
			resolve_cluster(c->list.data, v.data + i, n, ret);
	}
	vec_release(&v);
	if (ok)
		vec_release(&c->list);
	return ok;
}

void claims_resolve_parts(struct claims *c, uint64_t end, size_t parts, struct spans *ret)
{
	memset(ret, 0, sizeof *ret);
	if (HEFT_CHECKS)
		claims_verify(c);
	if (sorted_apart(c))
		convert(c, ret);
	else if (!resolve_stretches(c, ret))
		resolve_unsorted(c, end, parts, ret);
	ASSERT(c->list.count == 0);
	if (HEFT_CHECKS)
		spans_verify(ret);
}

void claims_resolve(struct claims *c, uint64_t end, struct spans *ret)
{
	claims_resolve_parts(c, end, 1, ret);
}
