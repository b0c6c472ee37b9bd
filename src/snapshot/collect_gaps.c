/* Makes symbols for bytes that no symbol table covers: string literals, data named after its owner,
 * gaps and padding. */
#include "snapshot/collect_internal.h"

#include <stdio.h>

/* Returns the size below which a gap counts as padding. As SuperSize does. */
static uint64_t gap_limit(const struct collect *c)
{
	const char letter = c->s->sections.data[c->to].letter;
	const uint64_t known = letter == 't' ? 64 : 256;
	return max_u64(known, c->section->align);
}

static void collect_gaps_add(struct collect *c, uint64_t from, uint64_t to)
{
	char name[40];
	const bool first = from == c->begin, last = to == c->limit;
	if (!first && !last && to - from < gap_limit(c))
		return; /* The bytes are padding of the next symbol */
	if (last) {
		collect_set_mark(c, first);
		text_add(&c->scratch, str_of(c->s->sections.data[c->to].name));
		text_add(&c->scratch, first ? STR("") : STR(" (unattributed)"));
	} else {
		snprintf(name, sizeof name, "** symbol gap %" PRIu32, c->gaps++);
		text_set(&c->scratch, str_of(name));
	}
	collect_take(c, from, to - from);
	collect_named(c, from, to - from, text_str(&c->scratch));
}

/* Returns the names for data of an owner. Caches them, because an owner may have many ranges. */
static const struct owned_name *name_of_owned(struct collect *c, label_id owner)
{
	while (c->owned.count <= owner)
		vec_push(&c->owned, (struct owned_name){ 0 });
	struct owned_name *o = &c->owned.data[owner];
	if (o->full == 0) {
		struct snap_symbol y = { 0 };
		collect_name(c, label_text(c->in->file->labels, owner), &y);
		text_set(&c->scratch, snapshot_text(c->s, y.full_name));
		text_add(&c->scratch, STR(" [anonymous data]"));
		collect_forms(c, text_str(&c->scratch), &y);
		*o = (struct owned_name){ y.full_name, y.template_name, y.name, y.flags };
	}
	return o;
}

/* Adds data without a symbol, named after its owner. */
static void add_owned(struct collect *c, uint64_t from, uint64_t to, label_id owner)
{
	collect_take(c, from, to - from);
	if (c->section->exec) {
		collect_native(c, from, to - from, owner);
		return;
	}
	const struct owned_name *o = name_of_owned(c, owner);
	struct snap_symbol y = { .addr = from,
				 .size = to - from,
				 .padding = (int64_t)c->padding,
				 .section = c->to,
				 .full_name = o->full,
				 .template_name = o->template_name,
				 .name = o->name,
				 .flags = o->flags };
	collect_place(c, &y);
}

/* Smallest literal if there is no linker map: LITERAL_MIN bytes, or WIDE_MIN characters of 2 or 4
 * bytes, with the end. Shorter texts are data, except 1-byte texts next to another text. */
enum { LITERAL_MIN = 4, WIDE_MIN = 4 };

static struct literal collect_gaps_text_at(const struct collect *c, uint64_t at, uint64_t to,
					   unsigned width)
{
	const uint64_t from = min_u64(at - c->begin, c->bytes.size);
	const uint64_t size = min_u64(to - at, c->bytes.size - from);
	return (struct literal){ bytes_sub(c->bytes, from, size), width, c->image->big_endian };
}

/* True if a text of 2 or 4 bytes per character begins at an address. */
static bool wide_literal(struct collect *c, uint64_t at, uint64_t to, struct literal *ret)
{
	for (unsigned width = 4; width >= 2; width -= 2) {
		uint64_t *not_wide = &c->not_wide[width / 4];
		uint64_t size;
		if (at % width != 0 || at < *not_wide)
			continue;
		*ret = collect_gaps_text_at(c, at, to, width);
		if (!literal_size(ret, false, &size)) {
			*not_wide = at + size;
		} else if (size >= WIDE_MIN * width) {
			ret->bytes.size = size;
			return true;
		}
	}
	return false;
}

/* True if a short text ends with the gap, or if another text follows it. */
static bool is_among_others(const struct collect *c, uint64_t end, uint64_t to)
{
	const struct literal next = collect_gaps_text_at(c, end, to, 1);
	uint64_t size;
	return end >= to || (literal_size(&next, false, &size) && size >= LITERAL_MIN);
}

/* Like literal_size(), without a linker map. Remembers in c->not_text up to where no text begins,
 * so that each byte is read once. */
static bool plain_literal(struct collect *c, const struct literal *l, uint64_t at, uint64_t *ret)
{
	if (at < c->not_text) {
		*ret = c->not_text - at;
		return false;
	}
	const bool found = literal_size(l, false, ret);
	if (!found)
		c->not_text = at + *ret;
	return found;
}

/* Bytes of one owner, in a gap that ends at `limit` */
struct collect_gaps_run {
	uint64_t from, to, limit;
	label_id owner; /* LABEL_NONE without one */
	bool referred;  /* True if the owner refers to the first byte */
};

/* Returns the first slice at or after an address in a run. */
static const struct slice *next_slice(struct collect *c, const struct collect_gaps_run *run,
				      uint64_t at)
{
	for (; c->slice < c->slices.list.count; c->slice++) {
		const struct slice *s = &c->slices.list.data[c->slice];
		if (s->addr >= at && (s->addr >= run->limit || s->size <= run->limit - s->addr))
			return s;
	}
	return NULL;
}

enum { VECTOR = 16 };

/* Returns true if a text may end at the end of its run without a final 0. There are two cases.
 * Rust's texts have no final 0, so only the reference to the next text shows the end. Also, code
 * may copy a text in vectors of 16 bytes. Then the run begins and ends at multiples of 16. */
static bool ends_with_run(const struct collect *c, const struct collect_gaps_run *run)
{
	return c->texts_lack_ends || (run->from % VECTOR == 0 && run->to % VECTOR == 0);
}

/* Finds the literal at an address. If there is none, returns false, and *ret_skip is the number of
 * bytes that the caller can skip. `close` tells that code refers to the address, or that a literal
 * ends there. Then shorter texts count as literals.
 *
 * A literal may extend beyond the run, because a reference to its middle or end starts another run.
 * Linkers merge a string with the end of a longer one, and the two may have different owners. Code
 * that makes a std::string from two pointers refers to start and end of one literal. */
static bool find_literal(struct collect *c, const struct collect_gaps_run *run, uint64_t at,
			 bool close, struct literal *ret, uint64_t *ret_skip)
{
	const struct merged merged = collect_merged(c, at);
	const bool known = merged.width > 0 && at % merged.width == 0;
	const struct slice *slice = known ? NULL : next_slice(c, run, at);
	const uint64_t whole = !known && ends_with_run(c, run) ? run->to : run->limit;
	const uint64_t end = slice ? min_u64(whole, max_u64(slice->addr, at)) : whole;
	const uint64_t to = min_u64(end, merged.end);
	if (merged.constants) {
		*ret_skip = merged.end - at;
		return false;
	}
	if (slice && slice->addr == at) {
		*ret = collect_gaps_text_at(c, at, at + slice->size, 1);
		return true;
	}
	*ret = collect_gaps_text_at(c, at, to, known ? merged.width : 1);
	const bool found = known ? literal_size(ret, true, ret_skip)
				 : plain_literal(c, ret, at, ret_skip);
	const uint64_t least = !known                             ? LITERAL_MIN
			       : run->referred && at == run->from ? merged.width
								  : 2 * merged.width;
	if (!found || *ret_skip < least) {
		struct literal wide;
		if (!known && *ret_skip <= 2 && wide_literal(c, at, to, &wide)) {
			*ret = wide;
			return true;
		}
		if (known || !found || *ret_skip < 2 || !close ||
		    !is_among_others(c, at + *ret_skip, min_u64(to, run->to)))
			return false;
	}
	ret->bytes.size = *ret_skip;
	return true;
}

static bool collect_gaps_is_zero(const struct collect *c, uint64_t from, uint64_t to)
{
	const struct bytes b = image_at(c->image, from, to - from);
	for (size_t i = 0; i < b.size; i++)
		if (b.p[i] != 0)
			return false;
	return c->section->nobits || b.size == to - from;
}

/* True for zeros after a literal that only align the next data. */
static bool collect_gaps_is_alignment(const struct collect *c, uint64_t from, uint64_t to)
{
	return to - from < 8 && to % 8 == 0 && collect_gaps_is_zero(c, from, to);
}

/* Adds the bytes of a run that are not a string. */
static void add_plain(struct collect *c, const struct collect_gaps_run *run, uint64_t from,
		      uint64_t to)
{
	if (from >= to)
		return;
	if (run->owner == LABEL_NONE ||
	    (from == c->literal_end && collect_gaps_is_alignment(c, from, to)))
		collect_gaps_add(c, from, to);
	else
		add_owned(c, from, to, run->owner);
}

/* Returns the first address from `at` on where a literal can begin. Skips zeros, and bytes that no
 * text has: most data consists of them. */
static uint64_t skip_silent(struct collect *c, const struct collect_gaps_run *run, uint64_t at)
{
	const struct slice *slice = next_slice(c, run, at);
	const uint64_t stop = slice ? min_u64(slice->addr, run->to) : run->to;
	const uint64_t end = min_u64(stop, c->begin + c->bytes.size);
	/* Skips nothing if a map says where texts are, or if wide texts may begin with a zero. */
	if (c->in->map || c->image->big_endian)
		return at;
	for (const uint8_t *p = c->bytes.p; at < end; at++)
		if (p[at - c->begin] >= 0x80 || literal_has_char(p[at - c->begin]))
			break;
	return at;
}

/* Adds the bytes of a run: strings as symbols. Returns the end of the added bytes. */
static uint64_t add_run(struct collect *c, const struct collect_gaps_run *run)
{
	const bool strings = !c->in->no_literals && !c->section->exec && !c->section->write &&
			     c->s->sections.data[c->to].in_memory && !c->section->nobits;
	ASSERT(run->from < run->to && run->to <= run->limit);
	uint64_t plain = run->from; /* Start of bytes before the next string */
	c->owner = run->owner;
	for (uint64_t at = run->from; at < run->to && strings;) {
		struct literal l;
		uint64_t skip;
		at = skip_silent(c, run, at);
		if (at == run->to)
			break;
		if (!find_literal(c, run, at, at == plain, &l, &skip)) {
			ASSERT(skip > 0);
			at += skip;
			continue;
		}
		add_plain(c, run, plain, at);
		literal_name(&c->scratch, &l);
		collect_take(c, at, l.bytes.size);
		collect_named(c, at, l.bytes.size, text_str(&c->scratch));
		collect_string_aliases(c, l.bytes);
		at += l.bytes.size;
		plain = c->literal_end = at;
	}
	add_plain(c, run, plain, run->to);
	c->owner = LABEL_NONE;
	return max_u64(plain, run->to);
}

enum { CODE_PADDING = 16, DATA_PADDING = 63 };

/* True if bytes after a symbol are padding: a few, or zeros before the next aligned symbol. */
static bool collect_gaps_is_padding(const struct collect *c, const struct span *s, uint64_t from,
				    uint64_t to)
{
	return s->start < from &&
	       (to - from <= CODE_PADDING ||
		(to - from <= DATA_PADDING && collect_gaps_is_zero(c, from, to)));
}

static void add_span(struct collect *c, const struct span *s, uint64_t to)
{
	const uint64_t end = min_u64(s->start + s->size, to);
	const bool fallback = label_is_fallback(c->in->file->labels, s->label);
	uint64_t start = max_u64(s->start, c->done);
	if (start >= end || fallback || collect_gaps_is_padding(c, s, start, end))
		return;
	if (c->done < start)
		start = add_run(
			c, &(struct collect_gaps_run){ c->done, start, to, LABEL_NONE, false });
	c->done = start;
	if (start < end)
		c->done = add_run(c, &(struct collect_gaps_run){ start, end, to, s->label,
								 start == s->start });
}

void collect_gap(struct collect *c, uint64_t to)
{
	const struct spans *owners = &c->in->by_symbol.layer->vm;
	c->done = c->end;
	if (c->owned_by_others && c->done < to) {
		size_t i = spans_from(owners, c->done);
		i -= i > 0 &&
		     owners->list.data[i - 1].start + owners->list.data[i - 1].size > c->done;
		for (; i < owners->list.count && owners->list.data[i].start < to; i++)
			add_span(c, &owners->list.data[i], to);
	}
	if (c->done < to)
		add_run(c, &(struct collect_gaps_run){ c->done, to, to, LABEL_NONE, false });
}
