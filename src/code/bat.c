#include "code/bat.h"

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
