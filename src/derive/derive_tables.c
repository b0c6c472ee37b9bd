/* Follows jump tables: finds their targets and ends. */
#include "derive/derive_internal.h"

#include "base/sort.h"
#include "code/flow.h"

enum { MOST_ENTRIES = 1 << 16 };

static void table_open(struct table_cursor *c, const struct derive_facts *f,
		       const struct jump_table *t, uint64_t most)
{
	ASSERT(t->width > 0 && t->width <= 8);
	most = min_u64(min_u64(most, t->limit), MOST_ENTRIES);
	*c = (struct table_cursor){ .table = t, .big_endian = f->big_endian, .isa = f->isa };
	c->bytes = f->load(f->ctx, t->addr, most * t->width);
}

void table_open_whole(struct table_cursor *c, const struct derivation *d,
		      const struct jump_table *t)
{
	const size_t next = vec_upper(&d->bases, t->addr);
	const uint64_t most = next < d->bases.count ? d->bases.data[next] - t->addr : UINT64_MAX;
	table_open(c, d->facts, t, most / t->width);
}

bool table_next(struct table_cursor *c, uint64_t *ret)
{
	const struct jump_table *t = c->table;
	if (c->bytes.size / t->width <= c->next)
		return false;
	struct reader r = reader_at(c->bytes, c->big_endian, c->next++ * t->width);
	uint64_t v = read_uint(&r, t->width);
	const unsigned unused = 64 - 8u * t->width;
	if (t->is_signed && unused > 0)
		v = (uint64_t)((int64_t)(v << unused) >> unused);
	v = t->anchor + (v << t->shift);
	v = t->wraps ? t->high | (uint32_t)v : v;
	*ret = flow_entry(c->isa, v);
	return true;
}

void table_set_reach(const struct derive_facts *f, const struct derive_extent *x,
		     struct jump_table *t)
{
	t->wraps = f->fix_count > 0 && t->width <= 4;
	t->high = x->addr & ~UINT64_C(0xffffffff);
}

static bool leads_into(const struct derive_facts *f, const struct derive_extent *x,
		       const struct jump_table *t)
{
	enum { PROBES = 2 };
	struct table_cursor c;
	uint64_t to;
	unsigned fine = 0;
	table_open(&c, f, t, PROBES);
	while (table_next(&c, &to) && extent_has(x, to))
		fine++;
	return fine == PROBES;
}

bool table_guess(const struct derive_facts *f, const struct derive_extent *x, uint64_t addr,
		 struct jump_table *ret)
{
	const uint8_t pointer = f->isa == CODE_X86_64 || f->isa == CODE_ARM64 ? 8 : 4;
	*ret = (struct jump_table){
		.addr = addr, .anchor = addr, .limit = UINT64_MAX, .width = 4, .is_signed = true
	};
	table_set_reach(f, x, ret);
	/* i386 code has no tables whose entries are distances from the table itself. */
	if (f->isa != CODE_I386 && leads_into(f, x, ret))
		return true;
	ret->anchor = 0;
	ret->width = pointer;
	table_set_reach(f, x, ret);
	return leads_into(f, x, ret);
}

/* True if an entry leads to `end`, or shortly after it. */
static bool derive_tables_leads_on(const struct derive_facts *f, const struct derive_extent *x,
				   const struct jump_table *t, uint64_t end)
{
	enum { LOOK_AT = 64, NEAR = 1 << 12 };
	struct table_cursor c;
	uint64_t to;
	table_open(&c, f, t, LOOK_AT);
	while (table_next(&c, &to) && extent_has(x, to))
		if (to >= end && to - end < NEAR)
			return true;
	return false;
}

bool table_of_jump(const struct derive_facts *f, const struct derive_extent *x, uint64_t addr,
		   uint64_t end, bool loaded, struct jump_table *ret)
{
	return table_guess(f, x, addr, ret) && (ret->anchor == 0) == loaded &&
	       derive_tables_leads_on(f, x, ret, end);
}

bool table_of_distances(const struct derive_facts *f, const struct derive_extent *x, uint64_t addr,
			uint64_t anchor, uint64_t end, struct jump_table *ret)
{
	*ret = (struct jump_table){
		.addr = addr, .anchor = anchor, .limit = UINT64_MAX, .width = 4, .is_signed = true
	};
	return leads_into(f, x, ret) && derive_tables_leads_on(f, x, ret, end);
}

static void derive_tables_follow(const struct derivation *d, struct batch *b, size_t function,
				 const struct jump_table *t)
{
	const struct derive_extent *x = &d->facts->extents[function];
	const struct function *fn = &d->functions[function];
	struct table_cursor c;
	uint64_t to;
	table_open_whole(&c, d, t);
	while (table_next(&c, &to) && extent_has(x, to) &&
	       (b->starts ? bit_get(b->starts + fn->word, to - x->addr) : (to - x->addr) % 4 == 0))
		note_target(b, fn, x, to, false);
}

void tables_follow(const struct derivation *d, struct batch *b, size_t function)
{
	const struct function *fn = &d->functions[function];
	const struct jump_table *t = b->tables.data + fn->table_first;
	ASSERT(fn->table_first + fn->table_count <= b->tables.count);
	/* Several jumps may use one table. */
	for (size_t i = 0; i < fn->table_count; i++)
		if (i == 0 || t[i].addr != t[i - 1].addr || t[i].anchor != t[i - 1].anchor)
			derive_tables_follow(d, b, function, &t[i]);
}
