#include "store/list.h"

enum step { COPY, MOVE, CHANGE, PUT };
enum field { SIZE = 1, PADDING = 2, ALIASES = 4, GAP = 8 };

uint64_t list_place(const struct entry *before, uint64_t addr, bool member, int64_t padding)
{
	if (!before || addr == 0)
		return 0;
	return member ? addr : addr + before->size + (uint64_t)padding;
}

/* ---- numbers --------------------------------------------------------------------------------- */

static uint64_t zigzag(int64_t v)
{
	return (uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0);
}

static int64_t unzigzag(uint64_t v)
{
	return (int64_t)(v >> 1 ^ (v & 1 ? UINT64_MAX : 0));
}

static int64_t minus(uint64_t a, uint64_t b)
{
	return (int64_t)(a - b);
}

bool entry_same(const struct entry *a, const struct entry *b)
{
	return a->symbol == b->symbol && a->size == b->size && a->padding == b->padding &&
	       a->gap == b->gap && a->aliases == b->aliases;
}

/* The values of an entry beside its symbol, as those of another one and what is to be added. */
static void add_values(struct text *out, enum step step, const struct entry *from,
		       const struct entry *to)
{
	const int64_t by[] = { minus(to->size, from->size),
			       minus((uint64_t)to->padding, (uint64_t)from->padding),
			       minus(to->aliases, from->aliases),
			       minus((uint64_t)to->gap, (uint64_t)from->gap) };
	unsigned bits = 0;
	for (unsigned i = 0; i < COUNT_OF(by); i++)
		bits |= by[i] != 0 ? 1u << i : 0;
	text_add_varint(out, (uint64_t)bits << 2 | step);
	if (step == PUT)
		text_add_varint(out, zigzag(minus(to->symbol, from->symbol)));
	for (unsigned i = 0; i < COUNT_OF(by); i++)
		if (by[i] != 0)
			text_add_varint(out, zigzag(by[i]));
}

static struct entry read_values(struct reader *r, unsigned bits, const struct entry *from)
{
	struct entry e = *from;
	if (bits & SIZE)
		e.size += (uint64_t)unzigzag(read_uleb(r));
	if (bits & PADDING)
		e.padding = (int64_t)((uint64_t)e.padding + (uint64_t)unzigzag(read_uleb(r)));
	if (bits & ALIASES)
		e.aliases += (uint32_t)unzigzag(read_uleb(r));
	if (bits & GAP)
		e.gap = (int64_t)((uint64_t)e.gap + (uint64_t)unzigzag(read_uleb(r)));
	return e;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Where a symbol stands in the old list. */
struct seat {
	uint32_t symbol, at;
};

struct encoder {
	struct text *out;
	const struct entries *old;
	struct seat *seats; /* sorted; NULL: not asked for yet */
	bool *taken;        /* by place in the old list */
	size_t cursor;
	uint64_t copied; /* entries before the cursor that are not written yet */
	struct entry put;
};

static int compare_seats(const void *pa, const void *pb)
{
	const struct seat *a = pa, *b = pb;
	if (a->symbol != b->symbol)
		return a->symbol < b->symbol ? -1 : 1;
	return a->at < b->at ? -1 : a->at > b->at;
}

static void sort_seats(struct encoder *e)
{
	const size_t count = e->old->list.count;
	e->seats = mem_alloc((count + 1) * sizeof *e->seats);
	for (size_t i = 0; i < count; i++)
		e->seats[i] = (struct seat){ e->old->list.data[i].symbol, (uint32_t)i };
	qsort(e->seats, count, sizeof *e->seats, compare_seats);
}

/* The first seat that is not before one. */
static size_t seat_from(const struct encoder *e, struct seat s)
{
	size_t low = 0, high = e->old->list.count;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (compare_seats(&e->seats[middle], &s) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* A place of the symbol that is not taken, from `from` on; a name that thousands of symbols have is
 * given up after a few. */
static bool find_from(const struct encoder *e, uint32_t symbol, size_t from, size_t *ret)
{
	enum { TRIES = 16 };
	size_t i = seat_from(e, (struct seat){ symbol, (uint32_t)from });
	for (unsigned n = 0; n < TRIES && i < e->old->list.count; n++, i++) {
		if (e->seats[i].symbol != symbol)
			return false;
		if (!e->taken[e->seats[i].at]) {
			*ret = e->seats[i].at;
			return true;
		}
	}
	return false;
}

static bool find_place(struct encoder *e, uint32_t symbol, size_t *ret)
{
	const size_t at = e->cursor;
	if (at < e->old->list.count && !e->taken[at] && e->old->list.data[at].symbol == symbol) {
		*ret = at;
		return true;
	}
	if (!e->seats)
		sort_seats(e);
	return find_from(e, symbol, at, ret) || find_from(e, symbol, 0, ret);
}

static void flush_copied(struct encoder *e)
{
	if (e->copied > 0)
		text_add_varint(e->out, e->copied << 2 | COPY);
	e->copied = 0;
}

static void encode_entry(struct encoder *e, const struct entry *now)
{
	size_t at;
	if (!find_place(e, now->symbol, &at)) {
		flush_copied(e);
		add_values(e->out, PUT, &(struct entry){ .symbol = e->put.symbol }, now);
		e->put = *now;
		return;
	}
	const struct entry *old = &e->old->list.data[at];
	if (at != e->cursor) {
		flush_copied(e);
		text_add_varint(e->out, zigzag(minus(at, e->cursor)) << 2 | MOVE);
	}
	e->taken[at] = true;
	e->cursor = at + 1;
	if (entry_same(old, now)) {
		e->copied++;
		return;
	}
	flush_copied(e);
	add_values(e->out, CHANGE, old, now);
}

enum column { SYMBOL, SIZE_LOW, SIZE_HIGH, PADDINGS, ALIAS_COUNT, GAPS, COLUMNS };

static void encode_cell(struct text *out, enum column column, const struct entry *e,
			uint32_t before)
{
	switch (column) {
	case SYMBOL: text_add_varint(out, zigzag(minus(e->symbol, before))); break;
	case SIZE_LOW: text_add_char(out, (char)e->size); break;
	case SIZE_HIGH: text_add_varint(out, e->size >> 8); break;
	case PADDINGS: text_add_varint(out, zigzag(e->padding)); break;
	case ALIAS_COUNT: text_add_varint(out, e->aliases); break;
	case GAPS: text_add_varint(out, zigzag(e->gap)); break;
	case COLUMNS: break;
	}
}

static void encode_columns(struct text *out, const struct entries *now)
{
	const size_t count = now->list.count;
	text_add_varint(out, COPY);
	text_add_varint(out, count);
	for (unsigned column = 0; column < COLUMNS; column++)
		for (size_t i = 0; i < count; i++)
			encode_cell(out, (enum column)column, &now->list.data[i],
				    i > 0 ? now->list.data[i - 1].symbol : 0);
}

void list_encode(struct text *out, const struct entries *old, const struct entries *now)
{
	struct encoder e = { .out = out, .old = old };
	if (old->list.count == 0) {
		encode_columns(out, now);
		return;
	}
	e.taken = mem_zeroed(old->list.count + 1, sizeof *e.taken);
	for (size_t i = 0; i < now->list.count; i++)
		encode_entry(&e, &now->list.data[i]);
	flush_copied(&e);
	mem_free(e.taken);
	mem_free(e.seats);
}

/* ---- reading --------------------------------------------------------------------------------- */

struct decoder {
	struct reader r;
	struct entries *to;
	const struct entries *old;
	uint64_t cursor, left; /* left: entries of the old list that may still be taken */
	uint32_t put;          /* the symbol put last */
};

/* Takes entries at the cursor, which then is behind them; NULL of none, and where there are not so
 * many. */
static const struct entry *take(struct decoder *d, uint64_t count)
{
	const uint64_t at = d->cursor;
	if (count > d->left || at > d->old->list.count || count > d->old->list.count - at) {
		reader_fail(&d->r);
		return NULL;
	}
	d->left -= count;
	d->cursor += count;
	return count > 0 ? d->old->list.data + at : NULL; /* of an empty list there is no address */
}

static void decode_cell(struct reader *r, enum column column, struct entry *e, uint32_t before)
{
	switch (column) {
	case SYMBOL: e->symbol = before + (uint32_t)unzigzag(read_uleb(r)); break;
	case SIZE_LOW: e->size = read_u8(r); break;
	case SIZE_HIGH: e->size |= read_uleb(r) << 8; break;
	case PADDINGS: e->padding = unzigzag(read_uleb(r)); break;
	case ALIAS_COUNT: e->aliases = (uint32_t)read_uleb(r); break;
	case GAPS: e->gap = unzigzag(read_uleb(r)); break;
	case COLUMNS: break;
	}
}

/* Each entry has a byte in each column at least. */
static void decode_columns(struct decoder *d)
{
	const uint64_t count = read_uleb(&d->r);
	if (count > reader_left(&d->r) / COLUMNS) {
		reader_fail(&d->r);
		return;
	}
	vec_reserve(&d->to->list, count);
	struct entry *e = d->to->list.data;
	d->to->list.count = count;
	for (unsigned column = 0; column < COLUMNS; column++)
		for (uint64_t i = 0; i < count; i++)
			decode_cell(&d->r, (enum column)column, &e[i], i > 0 ? e[i - 1].symbol : 0);
}

static void decode_step(struct decoder *d)
{
	const uint64_t head = read_uleb(&d->r), rest = head >> 2;
	const struct entry *from;
	struct entry made = { .symbol = d->put };
	switch ((enum step)(head & 3)) {
	case MOVE: d->cursor += (uint64_t)unzigzag(rest); return;
	case COPY:
		if (rest == 0 && d->old->list.count + d->to->list.count == 0) {
			decode_columns(d);
			return;
		}
		from = take(d, rest);
		if (!from)
			return;
		vec_reserve(&d->to->list, rest);
		memcpy(d->to->list.data + d->to->list.count, from, rest * sizeof *from);
		d->to->list.count += rest;
		return;
	case CHANGE:
		from = take(d, 1);
		if (from)
			vec_push(&d->to->list, read_values(&d->r, (unsigned)rest, from));
		return;
	case PUT:
		made.symbol += (uint32_t)unzigzag(read_uleb(&d->r));
		made = read_values(&d->r, (unsigned)rest, &made);
		vec_push(&d->to->list, made);
		d->put = made.symbol;
	}
}

bool list_decode(struct entries *ret, const struct entries *old, struct bytes steps)
{
	struct decoder d = {
		.r = reader_of(steps, false), .to = ret, .old = old, .left = old->list.count
	};
	while (reader_ok(&d.r) && reader_left(&d.r) > 0)
		decode_step(&d);
	return reader_ok(&d.r);
}
