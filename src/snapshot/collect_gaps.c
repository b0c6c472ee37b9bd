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

/* Bytes of one owner; strings among them stand for themselves. */
static void add_run(struct collect *c, uint64_t from, uint64_t to, struct str owner)
{
	const bool strings = !c->in->no_literals && !c->section->exec && !c->section->write;
	uint64_t plain = from; /* start of what is no string */
	for (uint64_t at = from; at < to;) {
		const struct bytes b = image_at(c->in->image, at, to - at);
		uint64_t size = to - at;
		if (!strings || !literal_size(b, &size) || size < LITERAL_MIN) {
			at += size;
			continue;
		}
		if (plain < at)
			add_owned(c, plain, at, owner);
		literal_name(&c->scratch, (struct bytes){ b.p, size });
		collect_named(c, at, size, text_str(&c->scratch));
		at += size;
		plain = at;
	}
	if (plain < to)
		add_owned(c, plain, to, owner);
}

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
			add_gap(c, nobody, start);
		add_run(c, start, end, label_text(labels, s->label));
		nobody = end;
	}
	if (nobody < to)
		add_gap(c, nobody, to);
}
