/* Basic-block maps.  The first byte chooses: bits 0 and 1 the form, bit 2 byte order, bit 3 4-byte
 * addresses, bit 4 relocations (where a byte ends in 7), bit 5 that code is known, bit 6 that
 * functions are. */
#include "blocks/bbindex.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_code(void *ctx, uint64_t addr)
{
	(void)ctx;
	return addr % 0x10000 < 0x8000;
}

static bool is_start(void *ctx, uint64_t addr)
{
	return is_code(ctx, addr) && addr % 16 == 0;
}

static bool same_blocks(const struct bbmap_entry *a, const struct bbmap_entry *b)
{
	return a->blocks.count == b->blocks.count &&
	       (a->blocks.count == 0 || memcmp(a->blocks.data, b->blocks.data,
					       a->blocks.count * sizeof *a->blocks.data) == 0);
}

static void check_entry(const struct bbmap_cursor *c, const struct bbmap_section *s)
{
	const struct bbmap_entry *e = &c->entry;
	size_t count = 0;
	ASSERT(e->size > s->addr_size && e->ranges.count > 0);
	ASSERT(e->blocks.count <= e->size / 2);
	for (size_t i = 0; i < e->ranges.count; i++) {
		const struct bbmap_range *r = &e->ranges.data[i];
		ASSERT(r->first == count);
		count += r->count;
		for (size_t k = r->first; k < r->first + r->count; k++) {
			const struct bbmap_block *b = &e->blocks.data[k];
			ASSERT(b->size <= UINT32_MAX - b->off && b->flags < 32);
			/* From version 1 on, blocks follow one another. */
			ASSERT(e->version == 0 || k == r->first ||
			       b->off >= b[-1].off + b[-1].size);
		}
	}
	ASSERT(count == e->blocks.count);
}

/* Read again with all details, an entry is the same. */
static void check_detail(const struct bbmap_section *s, const struct bbmap_entry *e)
{
	struct bbmap_cursor again;
	bbmap_open(&again, s, true);
	ASSERT(bbmap_read(&again, e->off));
	const struct bbmap_entry *d = &again.entry;
	ASSERT(d->size == e->size && d->entry_count == e->entry_count && same_blocks(d, e));
	ASSERT(d->details.count == d->blocks.count);
	for (size_t i = 0; i < d->details.count; i++) {
		const struct bbmap_detail *k = &d->details.data[i];
		ASSERT(k->call_count == 0 || k->call_first + k->call_count <= d->calls.count);
		ASSERT(k->successor_count == 0 ||
		       k->successor_first + k->successor_count <= d->successors.count);
	}
	bbmap_close(&again);
}

static void check_index(const struct bbmap_entry *e)
{
	const struct bbindex_run run = { 0x1000, 0, e->blocks.count };
	struct bbindex x;
	bbindex_build(&x, &run, 1, e->blocks.data);
	for (size_t i = 0; i < e->blocks.count; i++) {
		const uint32_t place = bbindex_find(&x, 0x1000 + (uint64_t)e->blocks.data[i].off);
		ASSERT(place < e->blocks.count);
		ASSERT(e->blocks.data[place].off == e->blocks.data[i].off);
	}
	bbindex_release(&x);
}

static size_t make_fixes(struct bytes b, struct bbmap_fix *fixes)
{
	size_t count = 0;
	for (uint64_t off = 0; off < b.size; off++)
		if (b.p[off] % 16 == 7)
			fixes[count++] = (struct bbmap_fix){ off, off << 40 };
	return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const enum bbmap_form forms[] = { BBMAP_VERSIONED, BBMAP_UNVERSIONED, BBMAP_SEED,
						 BBMAP_VERSIONED };
	if (size == 0)
		return 0;
	const uint8_t mode = data[0];
	struct bbmap_section s = { .bytes = { data + 1, size - 1 },
				   .form = forms[mode & 3],
				   .big_endian = mode & 4,
				   .addr_size = mode & 8 ? 4 : 8,
				   .relocated = mode & 16,
				   .is_code = mode & 32 ? is_code : NULL,
				   .is_start = mode & 64 ? is_start : NULL };
	struct bbmap_fix *fixes = mem_zeroed(size, sizeof *fixes);
	s.fixes = fixes;
	s.fix_count = make_fixes(s.bytes, fixes);
	struct bbmap_cursor c;
	uint64_t covered = 0;
	enum bbmap_step step;
	bbmap_open(&c, &s, false);
	while ((step = bbmap_next(&c)) != BBMAP_END) {
		const bool good = step == BBMAP_FUNCTION;
		ASSERT((good ? c.entry.off : c.skip_off) == covered);
		covered += good ? c.entry.size : c.skip_size;
		ASSERT(good || (c.skip_size > 0 && c.fault != BBMAP_FINE));
		if (!good)
			continue;
		check_entry(&c, &s);
		check_detail(&s, &c.entry);
		check_index(&c.entry);
	}
	ASSERT(covered == s.bytes.size);
	bbmap_close(&c);
	mem_free(fixes);
	return 0;
}
