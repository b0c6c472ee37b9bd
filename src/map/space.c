/* Collects claims, and overlays and searches spans. */
#include "map/space.h"

#include "base/sort.h"

const char *why_text(enum why why)
{
#define WHY_TEXT(why, text, sure) [why] = text,
	static const char *const texts[] = { WHY_LIST(WHY_TEXT) };
	ASSERT(why < WHY_COUNT);
	return texts[why];
}

const char *const sure_words[SURE_WORDS] = { "stated", "proved", "inferred" };

unsigned why_sure(enum why why)
{
	enum { STATED, PROVED, INFERRED, UNOWNED };
#define WHY_SURE(why, text, sure) [why] = sure,
	static const uint8_t sure[] = { WHY_LIST(WHY_SURE) };
	_Static_assert((int)UNOWNED == SURE_WORDS, "words for all but bytes without an owner");
	ASSERT(why < WHY_COUNT);
	return sure[why];
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

void spans_cut(struct spans *s, uint64_t end)
{
	while (s->list.count > 0 && s->list.data[s->list.count - 1].start >= end)
		s->list.count--;
	if (s->list.count > 0) {
		struct span *last = &s->list.data[s->list.count - 1];
		last->size = min_u64(last->size, end - last->start);
	}
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

static uint64_t space_span_end(const struct span *s)
{
	return s->start + s->size;
}

/* Number of spans to test before a binary search */
enum { NEAR = 4 };

/* Returns the index of the first span from s[i] on that ends after `addr`. */
static size_t skip_before(const struct spans *s, size_t i, uint64_t addr)
{
	const size_t count = s->list.count;
	size_t step = 1;
	for (unsigned k = 0; k < NEAR; k++, i++)
		if (i == count || space_span_end(&s->list.data[i]) > addr)
			return i;
	while (step <= count - i && space_span_end(&s->list.data[i + step - 1]) <= addr) {
		i += step;
		step *= 2;
	}
	for (; step > 0; step /= 2)
		if (step <= count - i && space_span_end(&s->list.data[i + step - 1]) <= addr)
			i += step;
	return i;
}

/* Returns the number of parts of `below` in the gaps of `top`. */
static size_t space_count_pieces(const struct spans *top, const struct spans *below)
{
	size_t pieces = 0, t = 0;
	for (size_t i = 0; i < below->list.count; i++) {
		const struct span *s = &below->list.data[i];
		uint64_t from = s->start;
		t = skip_before(top, t, from);
		for (; t < top->list.count && top->list.data[t].start < space_span_end(s); t++) {
			pieces += top->list.data[t].start > from;
			from = space_span_end(&top->list.data[t]);
			if (from > space_span_end(s))
				break;
		}
		pieces += from < space_span_end(s);
	}
	return pieces;
}

/* Returns the index of the first span of list[0..i] that begins at or after `addr`, or i. */
static size_t skip_back(const struct span *list, size_t i, uint64_t addr)
{
	size_t step = 1;
	for (unsigned k = 0; k < NEAR; k++, i--)
		if (i == 0 || list[i - 1].start < addr)
			return i;
	while (step <= i && list[i - step].start >= addr) {
		i -= step;
		step *= 2;
	}
	for (; step > 0; step /= 2)
		if (step <= i && list[i - step].start >= addr)
			i -= step;
	return i;
}

/* An overlay that is filled from the last span to the first. Spans before list[left] are unchanged,
 * and those from list[left + gap] on are done */
struct filling {
	struct span *list;
	size_t left, gap, count;
};

static bool space_continues(const struct span *a, const struct span *b)
{
	return a->label == b->label && space_span_end(a) == b->start;
}

/* Inserts a part of a span of the lower layer before list[i]. */
static void space_put_piece(struct filling *f, size_t i, struct span piece)
{
	struct span *list = f->list;
	if (i < f->left)
		memmove(list + i + f->gap, list + i, (f->left - i) * sizeof *list);
	f->left = i;
	struct span *next = i + f->gap < f->count ? &list[i + f->gap] : NULL;
	if (next && space_continues(&piece, next)) {
		next->start = piece.start;
		next->size += piece.size;
	} else {
		next = &list[i + --f->gap];
		*next = piece;
	}
	if (i > 0 && space_continues(&list[i - 1], next)) {
		list[i - 1].size += next->size;
		f->gap++;
	}
}

/* Inserts a span of the lower layer into the gaps that it covers. `i`: index of the first span
 * after it. Returns this index for the lower layer's span before `s`. */
static size_t fill_gaps(struct filling *f, size_t i, const struct span *s)
{
	uint64_t end = space_span_end(s);
	i = skip_back(f->list, i, end);
	for (; i > 0 && space_span_end(&f->list[i - 1]) > s->start; i--) {
		const struct span before = f->list[i - 1];
		const uint64_t from = space_span_end(&before);
		if (from < end)
			space_put_piece(f, i, (struct span){ from, end - from, s->label });
		end = min_u64(end, before.start);
	}
	if (s->start < end)
		space_put_piece(f, i, (struct span){ s->start, end - s->start, s->label });
	return min_u64(i + 1, f->left);
}

/* Works in place: moves the spans of `top` apart to make room. */
void spans_overlay(struct spans *top, struct spans *below)
{
	if (top->list.count == 0) {
		spans_release(top);
		*top = *below;
		memset(below, 0, sizeof *below);
		return;
	}
	const size_t pieces = space_count_pieces(top, below), had = top->list.count;
	vec_reserve(&top->list, pieces);
	struct filling f = { top->list.data, had, pieces, had + pieces };
	for (size_t b = below->list.count, i = had; b-- > 0 && f.gap > 0;)
		i = fill_gaps(&f, i, &below->list.data[b]);
	memmove(f.list + f.left, f.list + f.left + f.gap,
		(f.count - f.left - f.gap) * sizeof *f.list);
	top->list.count = f.count - f.gap;
	spans_release(below);
}

void spans_append(struct spans *top, struct spans *below)
{
	if (top->list.count == 0 || below->list.count == 0 ||
	    below->list.data[0].start < space_span_end(&top->list.data[top->list.count - 1])) {
		spans_overlay(top, below);
		return;
	}
	const struct span first = below->list.data[0];
	spans_push(top, first.start, first.size, first.label);
	vec_reserve(&top->list, below->list.count - 1);
	memcpy(top->list.data + top->list.count, below->list.data + 1,
	       (below->list.count - 1) * sizeof first);
	top->list.count += below->list.count - 1;
	spans_release(below);
}

size_t spans_from(const struct spans *s, uint64_t addr)
{
	return vec_lower(&s->list, addr);
}

const struct span *spans_find(const struct spans *s, uint64_t addr)
{
	const size_t low = vec_upper(&s->list, addr);
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
	const bool rises = c->i < count && list[c->i].start <= addr;
	for (unsigned steps = 0; rises && steps < 8; steps++, c->i++) {
		if (addr - list[c->i].start < list[c->i].size)
			return list[c->i].label;
		if (c->i + 1 == count || list[c->i + 1].start > addr)
			return LABEL_NONE;
	}
	const size_t above = vec_upper(&c->spans->list, addr);
	if (above == 0)
		return LABEL_NONE;
	/* The next address is near this span, also if no span contains this address. */
	c->i = above - 1;
	return addr - list[c->i].start < list[c->i].size ? list[c->i].label : LABEL_NONE;
}

enum { PADDING_MAX = 16 };

void spans_pad(struct spans *s, const struct labels *labels, unsigned what, const uint64_t *starts,
	       size_t start_count)
{
	struct span *list = s->list.data;
	size_t out = 0, next = 0;
	for (size_t i = 0; i < s->list.count; i++) {
		const struct span k = list[i];
		struct span *last = out ? &list[out - 1] : NULL;
		while (next < start_count && starts[next] < k.start)
			next++;
		const bool touches = last && last->start + last->size == k.start;
		bool joins = touches && last->label == k.label;
		if (touches && !joins && k.size <= PADDING_MAX &&
		    (next == start_count || starts[next] != k.start)) {
			/* True for padding after an owner, or after a section's unowned bytes. */
			joins = (what & PAD_OWNERS && label_is_fallback(labels, k.label) &&
				 !label_is_fallback(labels, last->label)) ||
				(what & PAD_SECTIONS && !label_is_numbered(labels, k.label) &&
				 str_eq(label_text(labels, k.label), STR("[Unmapped]")) &&
				 str_starts(label_text(labels, last->label), STR("[section ")));
		}
		/* Bytes from one of `starts` on are no padding. */
		uint64_t padding = k.size;
		if (joins && last->label != k.label && next < start_count)
			padding = min_u64(padding, starts[next] - k.start);
		if (joins)
			last->size += padding;
		if (!joins)
			list[out++] = k;
		else if (padding < k.size)
			list[out++] = (struct span){ k.start + padding, k.size - padding, k.label };
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

void claims_verify(const struct claims *c)
{
	vec_each(const struct claim, k, &c->list) {
		ASSERT(k->label != LABEL_NONE && k->size > 0 && k->why < WHY_COUNT);
		ASSERT(k->size == SIZE_UNKNOWN || k->size - 1 <= UINT64_MAX - k->start);
	}
}

void spans_verify(const struct spans *s)
{
	uint64_t end = 0;
	vec_each(const struct span, k, &s->list) {
		ASSERT(k->start >= end && k->size > 0);
		ASSERT(k->size <= UINT64_MAX - k->start);
		ASSERT(k->label != LABEL_NONE);
		end = k->start + k->size;
	}
}
