#include "map/space.h"

#include "base/sort.h"

const char *why_text(enum why why)
{
	static const char *const text[WHY_COUNT] = {
		[WHY_SEGMENT] = "segment",
		[WHY_SECTION] = "section header",
		[WHY_HEADER] = "header table",
		[WHY_FILE] = "input file",
		[WHY_MEMBER] = "archive member",
		[WHY_SYMBOL] = "symbol table",
		[WHY_UNSIZED_SYMBOL] = "symbol without a size",
		[WHY_UNWIND_BOUNDS] = "function bounds from unwind table",
		[WHY_ENTRY_POINT] = "entry point",
		[WHY_PLT] = "PLT stub",
		[WHY_GOT] = "GOT slot",
		[WHY_CODE_REF] = "code reference",
		[WHY_DATA_REF] = "data reference",
		[WHY_POINTER_ARRAY] = "pointer array slot",
		[WHY_SYMBOL_ENTRY] = "symbol table entry",
		[WHY_NAME] = "name",
		[WHY_VERSION] = "symbol version",
		[WHY_HASH] = "hash table",
		[WHY_RELOCATION] = "relocation",
		[WHY_UNWIND] = "unwind table entry",
		[WHY_LSDA] = "exception table",
		[WHY_GROUP] = "section group",
		[WHY_DEBUG] = "debug info",
		[WHY_BLOCK_MAP] = "basic-block map",
		[WHY_MAPPING] = "mapping",
		[WHY_MODULE] = "file of a module",
		[WHY_ALLOCATION] = "heap block",
		[WHY_FALLBACK] = "fallback",
	};
	ASSERT(why < WHY_COUNT);
	return text[why];
}

void claim(struct claims *c, uint64_t start, uint64_t size, label_id label, enum why why)
{
	size = min_u64(size, min_u64(UINT64_MAX - start, SIZE_UNKNOWN - 1));
	if (size == 0)
		return;
	if (c->list.count > 0) {
		struct claim *last = &c->list.data[c->list.count - 1];
		if (last->label == label && last->why == why && last->size != SIZE_UNKNOWN &&
		    last->start + last->size == start && last->size + size < SIZE_UNKNOWN) {
			last->size = (last->size + size) & SIZE_UNKNOWN;
			return;
		}
	}
	vec_push(&c->list, (struct claim){ .start = start,
					   .size = size & SIZE_UNKNOWN,
					   .why = (uint8_t)why,
					   .label = label });
}

void claim_unknown(struct claims *c, uint64_t start, label_id label, enum why why)
{
	vec_push(&c->list, (struct claim){ .start = start,
					   .size = SIZE_UNKNOWN,
					   .why = (uint8_t)why,
					   .label = label });
}

void claims_append(struct claims *c, struct claims *more)
{
	if (c->list.count == 0) {
		vec_release(&c->list);
		*c = *more;
	} else {
		vec_append(&c->list, &more->list);
	}
	memset(more, 0, sizeof *more);
}

void spans_release(struct spans *s)
{
	vec_release(&s->list);
}

void spans_push(struct spans *s, uint64_t start, uint64_t size, label_id label)
{
	if (size == 0)
		return;
	if (s->list.count > 0) {
		struct span *last = &s->list.data[s->list.count - 1];
		ASSERT(start >= last->start && start - last->start >= last->size);
		if (last->label == label && last->start + last->size == start) {
			last->size += size;
			return;
		}
	}
	vec_push(&s->list, (struct span){ start, size, label });
}

/* ---- resolving ------------------------------------------------------------- */

/* The claims that cover the sweep's position, as a binary heap by seq. */
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

static uint64_t claim_end(const struct claim *c)
{
	return c->start + c->size;
}

/* The best claim that reaches beyond `addr`, or NULL; drops better ones that do not. */
static const struct claim *active_best(struct active *a, uint64_t addr)
{
	while (a->heap.count > 0 && claim_end(&a->heap.data[0]) <= addr)
		active_pop(a);
	return a->heap.count > 0 ? &a->heap.data[0] : NULL;
}

/* Gives [from, to) to the active claims, best first. */
static void active_emit(struct active *a, uint64_t from, uint64_t to, struct spans *ret)
{
	while (from < to) {
		const struct claim *best = active_best(a, from);
		if (!best)
			return;
		const uint64_t end = min_u64(claim_end(best), to);
		spans_push(ret, from, end - from, best->label);
		from = end;
	}
}

/* The size of the claim of unknown size c: up to `next`, or to the end of a known claim
 * that covers its start.  0 where something made earlier has its start. */
static uint64_t unknown_size(const struct active *a, const struct claim *c, uint64_t next)
{
	uint64_t end = next;
	for (size_t i = 0; i < a->heap.count; i++) {
		const struct claim *k = &a->heap.data[i];
		if (claim_end(k) <= c->start)
			continue;
		if (k->seq < c->seq)
			return 0;
		end = min_u64(end, claim_end(k));
	}
	return end > c->start ? end - c->start : 0;
}

/* Takes the claims [i, j) which all start at one address; `next` is the start behind them. */
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
		if (i > 0 && k->start < claim_end(k - 1))
			return false;
	}
	return true;
}

void claims_sort(struct claims *c)
{
	sort_by_key(c->list.data, c->list.count, sizeof *c->list.data);
}

/* Numbers the claims by priority and says where the order of starts breaks: the first claim of
 * each of at most two runs is 0 and *second.  False where there are more runs. */
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

/* Merges the runs [0, second) and [second, count) through a copy of the first. */
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

static void sort_claims(struct claims *c)
{
	size_t second;
	if (!find_runs(c, &second))
		claims_sort(c);
	else if (second < c->list.count)
		merge_runs(c, second);
}

static void sweep(const struct claims *c, uint64_t end, struct spans *ret)
{
	struct active a = { 0 };
	const struct claim *list = c->list.data;
	const size_t count = c->list.count;
	for (size_t i = 0; i < count;) {
		size_t j = i + 1;
		while (j < count && list[j].start == list[i].start)
			j++;
		const uint64_t next = j < count ? list[j].start : max_u64(end, list[i].start);
		if (j == i + 1 && list[i].size != SIZE_UNKNOWN && claim_end(&list[i]) <= next &&
		    !active_best(&a, list[i].start)) {
			/* Most claims stand alone. */
			spans_push(ret, list[i].start, list[i].size, list[i].label);
		} else {
			active_add(&a, list + i, j - i, next);
			active_emit(&a, list[i].start, j < count ? next : UINT64_MAX, ret);
		}
		i = j;
	}
	vec_release(&a.heap);
}

/* Claims that are spans already: turned into them where they stand. */
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

void claims_resolve(struct claims *c, uint64_t end, struct spans *ret)
{
	memset(ret, 0, sizeof *ret);
	if (sorted_apart(c)) {
		convert(c, ret);
		return;
	}
	sort_claims(c);
	sweep(c, end, ret);
	vec_release(&c->list);
}

/* ---- spans ------------------------------------------------------------------ */

static uint64_t span_end(const struct span *s)
{
	return s->start + s->size;
}

/* One past the last byte, or 0. */
static uint64_t spans_end(const struct spans *s)
{
	return s->list.count > 0 ? span_end(&s->list.data[s->list.count - 1]) : 0;
}

/* How many spans from s[i] on end at `addr` or before. */
static size_t run_before(const struct spans *s, size_t i, uint64_t addr)
{
	size_t low = i, step = 1;
	while (step <= s->list.count - low && span_end(&s->list.data[low + step - 1]) <= addr) {
		low += step;
		step *= 2;
	}
	for (; step > 0; step /= 2)
		if (step <= s->list.count - low && span_end(&s->list.data[low + step - 1]) <= addr)
			low += step;
	return low - i;
}

/* How many spans from s[i] on follow each other without a gap and start before `end`. */
static size_t run_touching(const struct spans *s, size_t i, uint64_t end)
{
	size_t k = i + 1;
	while (k < s->list.count && s->list.data[k].start < end &&
	       s->list.data[k].start == span_end(&s->list.data[k - 1]))
		k++;
	return k - i;
}

/* Appends `count` spans from s[i] on. */
static void push_run(struct spans *out, const struct spans *s, size_t i, size_t count)
{
	const struct span *from = s->list.data + i;
	if (count == 0)
		return;
	spans_push(out, from->start, from->size, from->label);
	vec_reserve(&out->list, count - 1);
	memcpy(out->list.data + out->list.count, from + 1, (count - 1) * sizeof *from);
	out->list.count += count - 1;
}

/* Appends the parts of s that lie before the spans of top from *t on, and those spans
 * themselves as far as they start inside s. */
static void overlay_one(const struct span *s, const struct spans *top, size_t *t, struct spans *out)
{
	const uint64_t end = span_end(s);
	uint64_t from = max_u64(s->start, spans_end(out));
	while (*t < top->list.count && top->list.data[*t].start < end) {
		const uint64_t start = top->list.data[*t].start;
		const size_t count = run_touching(top, *t, end);
		if (from < start)
			spans_push(out, from, start - from, s->label);
		push_run(out, top, *t, count);
		*t += count;
		from = spans_end(out);
	}
	if (from < end)
		spans_push(out, from, end - from, s->label);
}

void spans_overlay(struct spans *top, struct spans *below)
{
	struct spans out = { 0 };
	if (top->list.count == 0 || below->list.count == 0) {
		struct spans *empty = top->list.count == 0 ? top : below;
		const struct spans all = top->list.count == 0 ? *below : *top;
		spans_release(empty);
		*top = all;
		memset(below, 0, sizeof *below);
		return;
	}
	vec_reserve(&out.list, top->list.count + below->list.count);
	size_t t = 0, b = 0;
	while (b < below->list.count) {
		const struct span *s = &below->list.data[b];
		size_t count = run_before(top, t, s->start);
		push_run(&out, top, t, count);
		t += count;
		count = s->start < spans_end(&out) ? 0
			: t == top->list.count     ? below->list.count - b
						   : run_before(below, b, top->list.data[t].start);
		push_run(&out, below, b, count);
		b += count;
		if (count == 0)
			overlay_one(&below->list.data[b++], top, &t, &out);
	}
	push_run(&out, top, t, top->list.count - t);
	spans_release(top);
	spans_release(below);
	*top = out;
}

void spans_append(struct spans *top, struct spans *below)
{
	if (top->list.count == 0 || below->list.count == 0 ||
	    below->list.data[0].start < spans_end(top)) {
		spans_overlay(top, below);
		return;
	}
	push_run(top, below, 0, below->list.count);
	spans_release(below);
}

size_t spans_from(const struct spans *s, uint64_t addr)
{
	const size_t low = lower_bound(s->list.data, s->list.count, sizeof *s->list.data, addr);
	return low;
}

const struct span *spans_find(const struct spans *s, uint64_t addr)
{
	const size_t low = upper_bound(s->list.data, s->list.count, sizeof *s->list.data, addr);
	if (low == 0)
		return NULL;
	const struct span *found = &s->list.data[low - 1];
	return addr - found->start < found->size ? found : NULL;
}

label_id spans_label(const struct spans *s, uint64_t addr)
{
	const struct span *found = spans_find(s, addr);
	return found ? found->label : LABEL_NONE;
}

label_id cursor_label(struct span_cursor *c, uint64_t addr)
{
	const struct span *list = c->spans->list.data;
	const size_t count = c->spans->list.count;
	if (c->i >= count || list[c->i].start > addr)
		return spans_label(c->spans, addr);
	for (unsigned steps = 0; steps < 8; steps++, c->i++) {
		if (addr - list[c->i].start < list[c->i].size)
			return list[c->i].label;
		if (c->i + 1 == count || list[c->i + 1].start > addr)
			return LABEL_NONE;
	}
	const struct span *found = spans_find(c->spans, addr);
	if (!found)
		return LABEL_NONE;
	c->i = (size_t)(found - list);
	return found->label;
}

enum { PADDING_MAX = 16 };

/* Whether `right`, which touches `left`, is padding behind it. */
static bool is_padding(const struct labels *labels, const struct span *left,
		       const struct span *right)
{
	return labels && right->size <= PADDING_MAX && label_is_fallback(labels, right->label) &&
	       !label_is_fallback(labels, left->label);
}

void spans_pad(struct spans *s, const struct labels *labels, const uint64_t *starts,
	       size_t start_count)
{
	struct span *list = s->list.data;
	size_t out = 0, next = 0;
	for (size_t i = 0; i < s->list.count; i++) {
		const struct span k = list[i];
		struct span *last = out ? &list[out - 1] : NULL;
		while (next < start_count && starts[next] < k.start)
			next++;
		const bool begins = next < start_count && starts[next] == k.start;
		if (last && last->start + last->size == k.start &&
		    (last->label == k.label || (!begins && is_padding(labels, last, &k))))
			last->size += k.size;
		else
			list[out++] = k;
	}
	s->list.count = out;
}

uint64_t spans_total(const struct spans *s)
{
	uint64_t total = 0;
	for (size_t i = 0; i < s->list.count; i++)
		total += s->list.data[i].size;
	return total;
}
