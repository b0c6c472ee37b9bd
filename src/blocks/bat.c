#include "blocks/bat.h"

#include "base/sort.h"

bool bat_open(struct bat_cursor *c, struct bytes section, bool big_endian)
{
	struct reader r = reader_of(section, big_endian);
	memset(c, 0, sizeof *c);
	const uint32_t name_size = read_u32(&r), size = read_u32(&r);
	read_u32(&r); /* type */
	const uint8_t *name = read_take(&r, name_size);
	read_skip(&r, align_up(name_size, 4) - name_size);
	if (!name || name_size != 5 || memcmp(name, "BOLT", 5) != 0)
		return false;
	c->reader = read_sub(&r, size);
	c->left = c->hot_count = read_uleb(&c->reader);
	return reader_ok(&r) && reader_ok(&c->reader);
}

/* Of the first pairs whose offsets did not change, a bit each says whether it is a branch. */
static bool is_branch(const uint8_t *bits, uint64_t i)
{
	return bits[i / 8] >> i % 8 & 1;
}

static void read_pairs(struct bat_cursor *c, uint64_t count, uint64_t skew)
{
	struct reader *r = &c->reader;
	struct bat_function *f = &c->function;
	const uint64_t equal = read_uleb(r);
	if (equal > count || count > reader_left(r)) {
		reader_fail(r);
		return;
	}
	const uint8_t *bits = read_take(r, equal / 8 + (equal % 8 != 0));
	uint64_t from = 0, block = 0; /* `from` with its lowest bit: a branch */
	for (uint64_t i = 0; i < count && reader_ok(r); i++) {
		struct bat_pair p = { .addr = c->addr += read_uleb(r) };
		if (i < equal)
			from = (p.addr - f->addr + skew) << 1 | is_branch(bits, i);
		else
			from += (uint64_t)read_sleb(r);
		p.from = from >> 1;
		p.branch = from & 1;
		if (!p.branch) {
			p.hash = read_u64(r);
			p.block = block += read_uleb(r);
		}
		vec_push(&f->pairs, p);
	}
}

static void read_function(struct bat_cursor *c)
{
	struct reader *r = &c->reader;
	struct bat_function *f = &c->function;
	uint64_t entries = 0, skew = 0, entry = 0;
	f->addr = c->addr += read_uleb(r);
	f->cold = c->cold;
	f->hot = f->hash = f->blocks = 0;
	if (c->cold) {
		f->hot = c->hot += read_uleb(r);
		skew = read_uleb(r);
		if (f->hot >= c->hot_count)
			reader_fail(r);
	} else {
		f->hash = read_u64(r);
		f->blocks = read_uleb(r);
		entries = read_uleb(r);
	}
	const uint64_t count = read_uleb(r);
	read_pairs(c, count, skew);
	if (entries > reader_left(r))
		reader_fail(r);
	for (; entries > 0 && reader_ok(r); entries--)
		vec_push(&f->entries, entry += read_uleb(r));
}

bool bat_next(struct bat_cursor *c)
{
	if (c->left == 0 && !c->cold) {
		c->cold = true;
		c->left = read_uleb(&c->reader);
	}
	if (c->left == 0 || !reader_ok(&c->reader))
		return false;
	c->left--;
	c->function.pairs.count = c->function.entries.count = 0;
	read_function(c);
	return reader_ok(&c->reader);
}

void bat_close(struct bat_cursor *c)
{
	vec_release(&c->function.pairs);
	vec_release(&c->function.entries);
}

/* ---- the whole table ------------------------------------------------------------------------- */

static bool add_places(struct bat_table *t, const struct bat_function *f)
{
	uint64_t last = 0;
	for (size_t i = 0; i < f->pairs.count; i++) {
		const struct bat_pair *k = &f->pairs.data[i];
		const uint64_t to = k->addr - f->addr;
		if (to < last || to > UINT32_MAX || k->from > INT32_MAX)
			return false;
		vec_push(&t->places,
			 (struct bat_place){ (uint32_t)to, (uint32_t)k->from & INT32_MAX,
					     k->branch });
		last = to;
	}
	return true;
}

static bool add_part(struct bat_table *t, const struct bat_function *f)
{
	struct bat_part p = { .addr = f->addr,
			      .size = UINT64_MAX,
			      .function = f->cold ? (uint32_t)f->hot : (uint32_t)t->parts.count,
			      .place = (uint32_t)t->parts.count,
			      .first = t->places.count,
			      .count = f->pairs.count,
			      .cold = f->cold };
	if (t->parts.count >= UINT32_MAX || !add_places(t, f))
		return false;
	if (f->cold) {
		struct bat_part *hot = &t->parts.data[f->hot];
		p.next = hot->next;
		hot->next = (uint32_t)t->parts.count;
	} else {
		t->function_count++;
	}
	vec_push(&t->parts, p);
	return true;
}

bool bat_read(struct bat_table *t, struct bytes section, bool big_endian)
{
	struct bat_cursor c;
	memset(t, 0, sizeof *t);
	if (bat_open(&c, section, big_endian)) {
		while (!t->damaged && bat_next(&c))
			t->damaged = !add_part(t, &c.function);
		t->damaged = t->damaged || !reader_ok(&c.reader);
	}
	bat_close(&c);
	if (t->parts.count == 0) {
		vec_release(&t->places);
		return false;
	}
	t->by_addr = mem_zeroed(t->parts.count, sizeof *t->by_addr);
	memcpy(t->by_addr, t->parts.data, t->parts.count * sizeof *t->by_addr);
	sort_by_key(t->by_addr, t->parts.count, sizeof *t->by_addr);
	return true;
}

void bat_release(struct bat_table *t)
{
	vec_release(&t->parts);
	vec_release(&t->places);
	mem_free(t->by_addr);
	t->by_addr = NULL;
}

const struct bat_part *bat_part_before(const struct bat_table *t, uint64_t addr)
{
	const size_t i = upper_bound(t->by_addr, t->parts.count, sizeof *t->by_addr, addr);
	return i > 0 ? &t->by_addr[i - 1] : NULL;
}

bool bat_translate(const struct bat_table *t, const struct bat_part *p, uint64_t to, bool branch,
		   uint64_t *ret_from)
{
	const struct bat_place *list = t->places.data + p->first;
	size_t low;
	BISECT(low, 0, p->count, mid, list[mid].to <= to);
	if (low == 0)
		return false;
	/* Empty blocks stand where the one with bytes does, whose pair is behind theirs. */
	const struct bat_place *at = &list[low - 1];
	if (at->to == to && at->branch != branch && low > 1 && list[low - 2].to == to)
		at--;
	*ret_from = branch ? at->from : at->from + (to - at->to);
	return true;
}
