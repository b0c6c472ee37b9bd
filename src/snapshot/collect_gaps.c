#include "snapshot/collect_internal.h"

#include <stdio.h>

/* Smaller gaps are padding: the thresholds of SuperSize's own report of odd padding. */
static uint64_t gap_limit(const struct collect *c)
{
	const char letter = c->s->sections.data[c->to].letter;
	const uint64_t known = letter == 't' ? 64 : 256;
	return max_u64(known, c->section->align);
}

static void add_gap(struct collect *c, uint64_t from, uint64_t to)
{
	char name[40];
	const bool first = from == c->section->addr,
		   last = to == c->section->addr + c->section->size;
	if (last && c->section->size > to - from && !first) {
		text_set(&c->scratch, STR("** "));
		text_add(&c->scratch, str_of(c->s->sections.data[c->to].name));
		text_add(&c->scratch, STR(" (unattributed)"));
		collect_named(c, from, to - from, text_str(&c->scratch));
		return;
	}
	if (!first && to - from < gap_limit(c))
		return; /* padding of what follows */
	snprintf(name, sizeof name, "** symbol gap %" PRIu32, c->gaps++);
	collect_named(c, from, to - from, str_of(name));
}

/* Data without a symbol of its own go by their owner. */
static void add_owned(struct collect *c, uint64_t from, uint64_t to, struct str owner)
{
	const size_t first = c->s->symbols.count;
	collect_native(c, from, to - from, owner);
	if (c->section->exec)
		return;
	struct snap_symbol *y = &c->s->symbols.data[first];
	uint32_t *const names[] = { &y->full_name, &y->template_name, &y->name };
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		text_set(&c->scratch, snapshot_text(c->s, *names[i]));
		text_add(&c->scratch, STR(" [anonymous data]"));
		*names[i] = intern_add(&c->s->texts, text_str(&c->scratch));
	}
}

/* ---- literals ---------------------------------------------------------------------------------- */

/* Without a linker map: shorter texts (with their ends) are taken for data, unless they stand among others; wide ones
 * of fewer characters, their end included, always. */
enum { LITERAL_MIN = 4, WIDE_MIN = 4 };

static struct literal text_at(const struct collect *c, uint64_t at, uint64_t to, unsigned width)
{
	return (struct literal){ image_at(c->in->image, at, to - at), width,
				 c->in->image->big_endian };
}

/* Whether one of 2 or 4 bytes a character begins at an address. */
static bool wide_literal(const struct collect *c, uint64_t at, uint64_t to, struct literal *ret)
{
	uint64_t size;
	for (unsigned width = 4; width >= 2; width -= 2) {
		*ret = text_at(c, at, to, width);
		if (at % width != 0 || !literal_size(ret, false, &size) || size < WIDE_MIN * width)
			continue;
		ret->bytes.size = size;
		return true;
	}
	return false;
}

/* A short text that fills what is left, or has another behind it. */
static bool is_among_others(const struct collect *c, uint64_t end, uint64_t to)
{
	const struct literal next = text_at(c, end, to, 1);
	uint64_t size;
	return end == to || (literal_size(&next, false, &size) && size >= LITERAL_MIN);
}

/* The literal at an address; else *ret_skip is how many bytes none begins in.  `close`: at the start of what is
 * referred to, or right behind another literal. */
static bool find_literal(struct collect *c, uint64_t at, uint64_t to, bool close,
			 struct literal *ret, uint64_t *ret_skip)
{
	const unsigned width = collect_string_width(c, at);
	const bool known = width > 0 && at % width == 0;
	*ret = text_at(c, at, to, known ? width : 1);
	const bool found = literal_size(ret, known, ret_skip);
	const uint64_t least = known ? 2 * width : LITERAL_MIN;
	if (!found || *ret_skip < least) {
		struct literal wide;
		if (!known && *ret_skip <= 2 && wide_literal(c, at, to, &wide)) {
			*ret = wide;
			return true;
		}
		if (known || !found || *ret_skip < 2 || !close ||
		    !is_among_others(c, at + *ret_skip, to))
			return false;
	}
	ret->bytes.size = *ret_skip;
	return true;
}

/* What is no string in bytes of one owner, LABEL_NONE: of nobody. */
static void add_plain(struct collect *c, uint64_t from, uint64_t to, label_id owner)
{
	if (from < to && owner == LABEL_NONE)
		add_gap(c, from, to);
	else if (from < to)
		add_owned(c, from, to, label_text(c->in->file->labels, owner));
}

/* Bytes of one owner; strings among them stand for themselves. */
static void add_run(struct collect *c, uint64_t from, uint64_t to, label_id owner)
{
	const bool strings = !c->in->no_literals && !c->section->exec && !c->section->write;
	uint64_t plain = from; /* start of what is no string */
	c->owner = owner;
	for (uint64_t at = from; at < to && strings;) {
		struct literal l;
		uint64_t skip;
		if (!find_literal(c, at, to, at == plain, &l, &skip)) {
			at += skip;
			continue;
		}
		add_plain(c, plain, at, owner);
		literal_name(&c->scratch, &l);
		collect_named(c, at, l.bytes.size, text_str(&c->scratch));
		at += l.bytes.size;
		plain = at;
	}
	add_plain(c, plain, to, owner);
	c->owner = LABEL_NONE;
}

/* ---- gaps -------------------------------------------------------------------------------------- */

static bool is_padding(struct str owner, struct str before, uint64_t size)
{
	return size < 16 && before.len > 0 && str_eq(owner, before);
}

void collect_gap(struct collect *c, uint64_t from, uint64_t to, struct str before)
{
	const struct spans *owners = c->in->symbols;
	const struct labels *labels = c->in->file->labels;
	size_t i = spans_from(owners, from);
	i -= i > 0 && owners->list.data[i - 1].start + owners->list.data[i - 1].size > from;
	uint64_t nobody = from; /* start of what has no owner */
	for (; i < owners->list.count && owners->list.data[i].start < to; i++) {
		const struct span *s = &owners->list.data[i];
		const uint64_t start = max_u64(s->start, from),
			       end = min_u64(s->start + s->size, to);
		if (label_is_fallback(labels, s->label) ||
		    is_padding(label_text(labels, s->label), before, end - start))
			continue;
		if (nobody < start)
			add_run(c, nobody, start, LABEL_NONE);
		add_run(c, start, end, s->label);
		nobody = end;
	}
	if (nobody < to)
		add_run(c, nobody, to, LABEL_NONE);
}
