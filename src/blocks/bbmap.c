/* Reads the entries of a basic-block map. After damage, finds the next valid entry. */
#include "blocks/bbmap.h"

#include "base/sort.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* Feature bits of each version, as of the LLVM release that introduced the version. */
static const uint16_t known_features[BBMAP_VERSION_MAX + 1] = { 0, 0, 0x1f, 0x3f, 0x7f, 0xff };

enum { KNOWN_FLAGS = 0x1f, LOOK_AHEAD = 2 };

#define CERTAIN (UINT32_C(1) << 31) /* The probability 1 */

unsigned bbmap_features(unsigned version)
{
	ASSERT(version < COUNT_OF(known_features));
	return known_features[version];
}

const char *bbmap_fault_text(enum bbmap_fault fault)
{
	static const char *const texts[BBMAP_FAULT_COUNT] = {
		[BBMAP_FINE] = "fine",
		[BBMAP_BAD_VERSION] = "unknown version",
		[BBMAP_BAD_FEATURES] = "unknown features",
		[BBMAP_BAD_COUNT] = "impossible number of blocks or ranges",
		[BBMAP_BAD_NUMBER] = "number out of range",
		[BBMAP_BAD_FLAGS] = "unknown flags of a block",
		[BBMAP_CUT_OFF] = "cut off",
		[BBMAP_BAD_PLACE] = "what follows makes no sense",
	};
	return fault < BBMAP_FAULT_COUNT ? texts[fault] : "?";
}

struct bbmap_head {
	uint8_t version;
	uint16_t features;
	uint64_t range_count;
};

static inline enum bbmap_fault bbmap_read_head(struct reader *r, const struct bbmap_section *s,
					       struct bbmap_head *ret)
{
	*ret = (struct bbmap_head){ .range_count = 1 };
	if (s->form != BBMAP_VERSIONED)
		return BBMAP_FINE;
	ret->version = read_u8(r);
	if (ret->version == 0 || ret->version > BBMAP_VERSION_MAX)
		return BBMAP_BAD_VERSION;
	ret->features = ret->version >= 5 ? read_u16(r) : read_u8(r);
	if (ret->features & ~known_features[ret->version])
		return BBMAP_BAD_FEATURES;
	if (ret->features & BBMAP_MULTI_RANGE)
		ret->range_count = read_uleb(r);
	/* A range has at least an address and a number of blocks. */
	if (ret->range_count == 0 || ret->range_count > reader_left(r) / (s->addr_size + 1u))
		return BBMAP_BAD_COUNT;
	return BBMAP_FINE;
}

static inline uint64_t bbmap_read_address(struct reader *r, const struct bbmap_section *s)
{
	return s->addr_size == 8 ? read_u64(r) : read_u32(r);
}

/* Returns the relocation (fix) of the field at `off`, or NULL. *near is the index of the last fix
 * found. So a series of rising offsets takes O(1) each. */
static const struct bbmap_fix *fix_at(const struct bbmap_section *s, uint64_t off, size_t *near)
{
	size_t lo;
	if (*near < s->fix_count && s->fixes[*near].off == off)
		return &s->fixes[(*near)++];
	BISECT(lo, 0, s->fix_count, mid, s->fixes[mid].off < off);
	*near = lo < s->fix_count ? lo + 1 : lo;
	return lo < s->fix_count && s->fixes[lo].off == off ? &s->fixes[lo] : NULL;
}

/* True if an address may be a function's. Linkers replace the address of a removed function by 0,
 * or by one of the two highest addresses. */
static bool is_place(const struct bbmap_section *s, uint64_t addr)
{
	const uint64_t last = s->addr_size == 8 ? UINT64_MAX : UINT32_MAX;
	return s->relocated || !s->is_code || s->is_code(s->ctx, addr) || addr == 0 ||
	       addr >= last - 1;
}

/* What an entry's address must be, so that heft believes the entry. */
enum trust {
	AT_PLACE, /* An address of code, or of a removed function */
	AT_CODE,
	AT_FUNCTION, /* The start of a known function, if functions are known */
};

/* True if an entry with an address as `trust` demands may begin at `off`. */
static bool looks_like_entry(const struct bbmap_cursor *c, uint64_t off, enum trust trust)
{
	const struct bbmap_section *s = c->section;
	struct reader r = reader_of(s->bytes, s->big_endian);
	struct bbmap_head head;
	size_t near = c->fix;
	reader_seek(&r, off);
	if (bbmap_read_head(&r, s, &head) != BBMAP_FINE)
		return false;
	const uint64_t addr_off = r.pos, addr = bbmap_read_address(&r, s);
	if (!reader_ok(&r) || reader_left(&r) == 0)
		return false;
	if (s->relocated)
		return fix_at(s, addr_off, &near) != NULL;
	if (trust == AT_FUNCTION && s->is_start)
		return s->is_start(s->ctx, addr);
	if (trust == AT_PLACE)
		return is_place(s, addr);
	return !s->is_code || s->is_code(s->ctx, addr);
}

/* Which numbers an entry states for each of its blocks */
struct layout {
	bool ids, gaps; /* `gaps`: a block's offset counts from the end of the block before it.
			 * Otherwise it counts from the start of the range */
	bool calls, hash, entry_offset;
};

/* Reads a number below 2^32. Sets *too_large if the number is larger. */
static uint32_t read_u32_uleb(struct reader *r, bool *too_large)
{
	const uint64_t v = read_uleb(r);
	*too_large = *too_large || v > UINT32_MAX;
	return (uint32_t)v;
}

/* Reads the ends of a block's calls, each as its distance from the end before, the first from the
 * start of the block. Returns the last end, from which the size of the block counts. */
static uint64_t bbmap_read_calls(struct bbmap_cursor *c, struct reader *r, struct bbmap_detail *d,
				 bool *too_large)
{
	uint64_t end = 0;
	uint64_t count = read_u32_uleb(r, too_large);
	unsigned empty = 0;
	if (count > reader_left(r)) {
		reader_fail(r);
		return 0;
	}
	d->call_first = c->entry.calls.count;
	for (; count > 0 && reader_ok(r) && !*too_large; count--) {
		const uint32_t size = read_u32_uleb(r, too_large);
		end += size;
		/* A second size of 0 means damage, because calls have bytes. Without this test, a
		 * damaged count could skip other entries, which have many zeros. */
		empty += size == 0;
		*too_large = *too_large || end > UINT32_MAX || empty > 1;
		if (c->detail)
			vec_push(&c->entry.calls, (uint32_t)end);
	}
	d->call_count = c->entry.calls.count - d->call_first;
	return end;
}

/* Reads a block. *end: end of the block before it; becomes this block's end. */
static enum bbmap_fault bbmap_read_block(struct bbmap_cursor *c, struct reader *r,
					 const struct layout *l, uint32_t index, uint64_t *end)
{
	bool too_large = false;
	struct bbmap_detail detail = { 0 };
	const uint32_t id = l->ids ? read_u32_uleb(r, &too_large) : index;
	uint64_t off = index == 0 && !l->entry_offset ? 0 : read_u32_uleb(r, &too_large);
	if (l->gaps)
		off += *end;
	uint64_t size = l->calls ? bbmap_read_calls(c, r, &detail, &too_large) : 0;
	size += read_u32_uleb(r, &too_large);
	const uint32_t flags = read_u32_uleb(r, &too_large);
	if (l->hash)
		detail.hash = read_u64(r);
	*end = off + size;
	if (!reader_ok(r))
		return BBMAP_CUT_OFF;
	if (too_large || *end > UINT32_MAX)
		return BBMAP_BAD_NUMBER;
	if (flags & ~(uint32_t)KNOWN_FLAGS)
		return BBMAP_BAD_FLAGS;
	vec_push(&c->entry.blocks,
		 (struct bbmap_block){ id, (uint32_t)off, (uint32_t)size, flags });
	if (c->detail)
		vec_push(&c->entry.details, detail);
	return BBMAP_FINE;
}

/* State of the fast loops, for blocks whose 3 or 4 numbers have one byte each */
struct quick {
	uint64_t end;   /* End of the previous block */
	uint32_t flags; /* Flags that any of the blocks has */
};

/* Reads blocks of 4 one-byte numbers, starting with block `index`. Stops near the end of the bytes,
 * and at a longer number. Returns the index of the next block. */
static uint64_t read_quads(struct reader *reader, struct bbmap_block *out, uint64_t index,
			   uint64_t count, struct quick *q)
{
	struct reader r = *reader; /* A copy, whose address nobody takes, stays in registers */
	uint64_t i = index, end = q->end;
	uint32_t seen = 0;
	r.big_endian = false; /* The four bytes are read as one little-endian number */
	for (; i < count && reader_left(&r) >= 4; i++) {
		const uint32_t w = read_u32(&r), size = w >> 16 & 0x7f;
		if (UNLIKELY(w & 0x80808080)) {
			r.pos -= 4;
			break;
		}
		end += w >> 8 & 0x7f;
		out[i] = (struct bbmap_block){ w & 0x7f, (uint32_t)end, size, w >> 24 };
		end += size;
		seen |= w;
	}
	reader->pos = r.pos;
	q->flags |= seen >> 24;
	q->end = end;
	return i;
}

#if defined(__SSE2__)
/* Writes a block: widens its numbers to 32 bits, and adds the end of the block before to `off`.
 * Updates *end. */
static inline void bbmap_put_wide(struct bbmap_block *out, __m128i block, __m128i *end)
{
	const __m128i at_off = _mm_set_epi32(0, 0, -1, 0);
	const __m128i placed = _mm_add_epi32(block, *end);
	const __m128i room = _mm_add_epi32(block, _mm_srli_si128(block, 4));
	memcpy(out, &placed, sizeof *out);
	*end = _mm_add_epi32(*end, _mm_and_si128(room, at_off));
}

/* Writes four blocks of 4 bytes each. *end: end of the block before them; becomes their end. */
static inline void put_four(struct bbmap_block *out, __m128i bytes, __m128i *end)
{
	const __m128i zero = _mm_setzero_si128();
	const __m128i low = _mm_unpacklo_epi8(bytes, zero), high = _mm_unpackhi_epi8(bytes, zero);
	_Static_assert(sizeof(struct bbmap_block) == sizeof low, "a block is its four numbers");
	bbmap_put_wide(&out[0], _mm_unpacklo_epi16(low, zero), end);
	bbmap_put_wide(&out[1], _mm_unpackhi_epi16(low, zero), end);
	bbmap_put_wide(&out[2], _mm_unpacklo_epi16(high, zero), end);
	bbmap_put_wide(&out[3], _mm_unpackhi_epi16(high, zero), end);
}

/* Writes a block from the lowest 5 bytes of `w`, if its first or third number has two bytes and its
 * other numbers have one. False for other forms. */
static inline bool put_longer(struct bbmap_block *out, uint64_t w, __m128i *end, __m128i *seen)
{
	const uint64_t longer = w & UINT64_C(0x8080808080);
	const bool id = longer == 0x80;
	const uint32_t rest = (uint32_t)(w >> 8);
	const uint32_t kept =
		/* Mask: the one-byte numbers, and 7 bits of the longer number's first byte */
		id ? 0x7f : 0x7fffff;
	const uint32_t bytes = (rest & ~(id ? 0xffu : 0xffffffu)) | ((uint32_t)w & kept);
	const __m128i upper = id ? _mm_set_epi32(0, 0, 0, (int)((rest & 0x7f) << 7))
				 : _mm_set_epi32(0, (int)((rest >> 16 & 0x7f) << 7), 0, 0);
	const __m128i zero = _mm_setzero_si128(), lower = _mm_cvtsi32_si128((int)bytes);
	if (UNLIKELY(!id && longer != 0x800000))
		return false;
	const __m128i wide = _mm_unpacklo_epi16(_mm_unpacklo_epi8(lower, zero), zero);
	bbmap_put_wide(out, _mm_or_si128(wide, upper), end);
	*seen = _mm_or_si128(*seen, lower);
	return true;
}

/* Like read_quads(), but reads four blocks at a time, and blocks with one number of two bytes.
 * `out` has room for `count` + 3 blocks. */
static uint64_t read_fours(struct reader *reader, struct bbmap_block *out, uint64_t index,
			   uint64_t count, struct quick *q)
{
	struct reader r = *reader;
	uint64_t i = index;
	__m128i end = _mm_set_epi32(0, 0, (int)(uint32_t)q->end, 0), seen = _mm_setzero_si128();
	r.big_endian = false;
	while (i < count && reader_left(&r) >= sizeof end) {
		__m128i bytes;
		uint64_t good = 4;
		memcpy(&bytes, r.base + r.pos, sizeof bytes);
		const unsigned longer = (unsigned)_mm_movemask_epi8(bytes);
		if (UNLIKELY(longer & 0xf)) {
			if (!put_longer(out + i, read_u64(&r), &end, &seen)) {
				r.pos -= 8;
				break;
			}
			r.pos -= 3;
			i++;
			continue;
		}
		if (UNLIKELY(longer != 0 || count - i < 4)) {
			good = min_u64((unsigned)__builtin_ctz(longer | 0x10000) / 4, count - i);
			const __m128i number = _mm_set_epi32(3, 2, 1, 0);
			bytes = _mm_and_si128(bytes,
					      _mm_cmpgt_epi32(_mm_set1_epi32((int)good), number));
		}
		put_four(out + i, bytes, &end);
		seen = _mm_or_si128(seen, bytes);
		r.pos += 4 * good;
		i += good;
	}
	ASSERT(i <= count);
	reader->pos = r.pos;
	uint32_t words[4];
	memcpy(words, &seen, sizeof words);
	q->flags |= (words[0] | words[1] | words[2] | words[3]) >> 24;
	memcpy(words, &end, sizeof words);
	q->end = words[1];
	if (i < count && reader_left(reader) < sizeof end)
		return read_quads(reader, out, i, count, q);
	return i;
}
#endif

/* Calls the faster loop if ends of blocks fit its 32 bits. A block adds at most 2^15 to the end. */
static uint64_t read_short_quads(struct reader *r, struct bbmap_block *out, uint64_t index,
				 uint64_t count, struct quick *q)
{
#if defined(__SSE2__)
	if (LIKELY(count - index < (UINT32_MAX - q->end) / 32768))
		return read_fours(r, out, index, count, q);
#endif
	return read_quads(r, out, index, count, q);
}

/* Like read_quads(), for blocks of 3 numbers. */
static uint64_t read_triples(struct reader *reader, struct bbmap_block *out, uint64_t index,
			     uint64_t count, struct quick *q)
{
	struct reader r = *reader;
	uint64_t i = index, end = q->end;
	uint32_t seen = 0;
	r.big_endian = false;
	for (; i < count && reader_left(&r) >= 4; i++) {
		const uint32_t w = read_u32(&r);
		r.pos--;
		if (UNLIKELY(w & 0x808080)) {
			r.pos -= 3;
			break;
		}
		const uint32_t size = w >> 8 & 0x7f;
		end += w & 0x7f;
		out[i] = (struct bbmap_block){ (uint32_t)i, (uint32_t)end, size, w >> 16 & 0x7f };
		end += size;
		seen |= w;
	}
	reader->pos = r.pos;
	q->flags |= seen >> 16 & 0x7f;
	q->end = end;
	return i;
}

/* Reads a ULEB128 number. Most numbers here have two bytes. */
static inline uint64_t read_short(struct reader *r)
{
	const uint8_t *p = r->base + r->pos;
	if (UNLIKELY(reader_left(r) < 2 || (p[0] & p[1] & 0x80)))
		return read_uleb(r);
	r->pos += 1 + (p[0] >> 7);
	return p[0] & 0x80 ? (p[0] & 0x7f) | (uint64_t)p[1] << 7 : p[0];
}

/* Reads one block of 3 or 4 numbers of any length. */
static enum bbmap_fault bbmap_read_one(struct reader *r, struct bbmap_block *out, bool ids,
				       uint64_t index, struct quick *q)
{
	const uint64_t id = ids ? read_short(r) : index;
	const uint64_t gap = read_short(r), size = read_short(r), flags = read_short(r);
	if (!reader_ok(r))
		return BBMAP_CUT_OFF;
	const uint64_t off = q->end + gap;
	if ((id | gap | size | flags) > UINT32_MAX || off + size > UINT32_MAX)
		return BBMAP_BAD_NUMBER;
	*out = (struct bbmap_block){ (uint32_t)id, (uint32_t)off, (uint32_t)size, (uint32_t)flags };
	q->end = off + size;
	q->flags |= (uint32_t)flags;
	return BBMAP_FINE;
}

static enum bbmap_fault read_plain_blocks(struct bbmap_cursor *c, struct reader *r, bool ids,
					  uint64_t count)
{
	struct bbmap_block *out = c->entry.blocks.data + c->entry.blocks.count;
	struct quick q = { 0 };
	for (uint64_t i = 0;; i++) {
		i = ids ? read_short_quads(r, out, i, count, &q)
			: read_triples(r, out, i, count, &q);
		if (q.flags & ~(uint32_t)KNOWN_FLAGS)
			return BBMAP_BAD_FLAGS;
		if (q.end > UINT32_MAX)
			return BBMAP_BAD_NUMBER;
		if (i == count)
			break;
		const enum bbmap_fault fault = bbmap_read_one(r, out + i, ids, i, &q);
		if (fault != BBMAP_FINE)
			return fault;
	}
	c->entry.blocks.count += count;
	return BBMAP_FINE;
}

static enum bbmap_fault bbmap_read_blocks(struct bbmap_cursor *c, struct reader *r,
					  const struct layout *l, uint64_t count)
{
	const uint64_t least = l->ids ? 4 : 3;
	uint64_t end = 0;
	if (count == 0)
		return BBMAP_FINE;
	/* In the oldest form, the first block has one number less. */
	if (count > UINT32_MAX || count - 1 > reader_left(r) / least)
		return BBMAP_BAD_COUNT;
	vec_reserve(&c->entry.blocks, count + 3);
	if (l->gaps && !l->calls && !l->hash && !c->detail)
		return read_plain_blocks(c, r, l->ids, count);
	for (uint64_t i = 0; i < count; i++) {
		const enum bbmap_fault fault = bbmap_read_block(c, r, l, (uint32_t)i, &end);
		if (fault != BBMAP_FINE)
			return fault;
	}
	return BBMAP_FINE;
}

static enum bbmap_fault read_ranges(struct bbmap_cursor *c, struct reader *r,
				    const struct bbmap_head *h)
{
	const struct layout l = { .ids = h->version >= 2,
				  .gaps = h->version >= 1,
				  .calls = h->features & BBMAP_CALLS,
				  .hash = h->features & BBMAP_HASH,
				  .entry_offset = c->section->form != BBMAP_SEED };
	for (uint64_t i = 0; i < h->range_count; i++) {
		const uint64_t off = r->pos;
		struct bbmap_range range = { .first = c->entry.blocks.count };
		range.addr = bbmap_read_address(r, c->section);
		if (c->section->relocated) {
			const struct bbmap_fix *fix = fix_at(c->section, off, &c->fix);
			range.addr = fix ? fix->addr : 0;
		}
		range.stated = read_uleb(r);
		if (!reader_ok(r))
			return BBMAP_CUT_OFF;
		if (range.stated > UINT32_MAX)
			return BBMAP_BAD_NUMBER;
		if (i > 0 && !is_place(c->section, range.addr))
			return BBMAP_BAD_PLACE;
		if (!(h->features & BBMAP_NO_BLOCKS)) {
			const enum bbmap_fault fault = bbmap_read_blocks(c, r, &l, range.stated);
			if (fault != BBMAP_FINE)
				return fault;
		}
		range.count = c->entry.blocks.count - range.first;
		vec_push(&c->entry.ranges, range);
	}
	return BBMAP_FINE;
}

static void read_successors(struct bbmap_cursor *c, struct reader *r, struct bbmap_detail *d,
			    bool *too_large)
{
	uint64_t count = read_u32_uleb(r, too_large);
	if (count > reader_left(r) / 2) {
		reader_fail(r);
		return;
	}
	d->successor_first = c->entry.successors.count;
	for (; count > 0 && reader_ok(r); count--) {
		struct bbmap_successor s = { 0 };
		s.id = read_u32_uleb(r, too_large);
		s.probability = read_u32_uleb(r, too_large);
		*too_large = *too_large || s.probability > CERTAIN;
		if (c->entry.features & BBMAP_POST_LINK)
			s.frequency = read_u32_uleb(r, too_large);
		if (c->detail)
			vec_push(&c->entry.successors, s);
	}
	d->successor_count = c->entry.successors.count - d->successor_first;
}

static enum bbmap_fault read_profile(struct bbmap_cursor *c, struct reader *r)
{
	const unsigned features = c->entry.features;
	bool too_large = false;
	if (features & BBMAP_ENTRY_COUNT)
		c->entry.entry_count = read_uleb(r);
	const bool of_blocks = features & (BBMAP_FREQUENCY | BBMAP_PROBABILITY);
	for (size_t i = 0; of_blocks && i < c->entry.blocks.count && reader_ok(r); i++) {
		struct bbmap_detail none = { 0 };
		struct bbmap_detail *d = c->detail ? &c->entry.details.data[i] : &none;
		if (features & BBMAP_FREQUENCY)
			d->frequency = read_uleb(r);
		if (features & BBMAP_POST_LINK)
			d->post_link = read_u32_uleb(r, &too_large);
		if (features & BBMAP_PROBABILITY)
			read_successors(c, r, d, &too_large);
		if (too_large)
			return BBMAP_BAD_NUMBER;
	}
	return reader_ok(r) ? BBMAP_FINE : BBMAP_CUT_OFF;
}

/* Reads the entry at `off` into c->entry. If it is damaged, returns false, with c->fault and
 * c->fault_off. */
static bool bbmap_read_entry(struct bbmap_cursor *c, uint64_t off)
{
	const struct bbmap_section *s = c->section;
	struct reader r = reader_of(s->bytes, s->big_endian);
	struct bbmap_entry *e = &c->entry;
	struct bbmap_head head;
	reader_seek(&r, off);
	e->ranges.count = e->blocks.count = e->details.count = 0;
	e->calls.count = e->successors.count = 0;
	e->entry_count = 0;
	enum bbmap_fault fault = bbmap_read_head(&r, s, &head);
	e->version = head.version;
	e->features = head.features;
	if (fault == BBMAP_FINE)
		fault = read_ranges(c, &r, &head);
	if (fault == BBMAP_FINE)
		fault = read_profile(c, &r);
	if (!reader_ok(&r) && fault != BBMAP_BAD_COUNT)
		fault = BBMAP_CUT_OFF;
	/* A number with too many bytes makes the reader bad, like the section's end. */
	if (!reader_ok(&r) && r.bad < r.size &&
	    (fault == BBMAP_CUT_OFF || fault == BBMAP_BAD_COUNT))
		fault = BBMAP_BAD_NUMBER;
	e->off = off;
	e->size = r.pos - off;
	c->fault = fault;
	c->fault_off = reader_ok(&r) ? r.pos : r.bad;
	if (fault != BBMAP_FINE)
		return false;
	ASSERT(e->size > 0 && e->ranges.count > 0);
	ASSERT(!c->detail || e->details.count == e->blocks.count);
	return true;
}

/* Counts `size` bytes that are read again. False if they add up to about 16 times the section,
 * which bounds the time. */
static bool may_look(struct bbmap_cursor *c, uint64_t size)
{
	c->work += size;
	return c->work / 16 <= c->section->bytes.size + 4096;
}

/* True if `count` consecutive entries can be read from `off` on. */
static bool reads_on(struct bbmap_cursor *c, uint64_t off, unsigned count)
{
	for (; count > 0 && off < c->section->bytes.size; count--) {
		const bool good = bbmap_read_entry(c, off);
		if (!may_look(c, c->fault_off - off))
			return true;
		if (!good)
			return false;
		off += c->entry.size;
	}
	return true;
}

/* True if an entry may begin at `off`, or if the section ends there. */
static bool may_follow(struct bbmap_cursor *c, uint64_t off)
{
	return off >= c->section->bytes.size || looks_like_entry(c, off, AT_PLACE);
}

static bool bbmap_leads_to(struct bbmap_cursor *c, uint64_t off, uint64_t end)
{
	while (off < end) {
		const bool good = bbmap_read_entry(c, off);
		if (!may_look(c, c->fault_off - off) || !good || c->entry.blocks.count == 0)
			return false;
		off += c->entry.size;
	}
	return off == end;
}

/* Finds the next entry at or after `from` that certainly is one. The section's end if none. */
static uint64_t find_certain(struct bbmap_cursor *c, uint64_t from)
{
	const struct bbmap_section *s = c->section;
	const bool sure = s->relocated || s->is_start;
	for (uint64_t off = from; off < s->bytes.size; off++) {
		if (!looks_like_entry(c, off, AT_FUNCTION))
			continue;
		if (!may_look(c, 0))
			return off;
		if (!bbmap_read_entry(c, off)) {
			may_look(c, c->fault_off - off);
			continue;
		}
		const uint64_t size = c->entry.size;
		may_look(c, size);
		if (c->entry.blocks.count > 0 &&
		    (sure || (may_follow(c, off + size) && reads_on(c, off + size, 1))))
			return off;
	}
	return s->bytes.size;
}

/* Finds the next valid entry. `good`: the entry at `off` is valid, but none follows it. Otherwise
 * that entry is damaged. If the next valid entry is inside a good entry, the good entry's end is
 * wrong. */
static enum bbmap_step recover(struct bbmap_cursor *c, uint64_t off, bool good)
{
	const enum bbmap_fault fault = good ? BBMAP_BAD_PLACE : c->fault;
	const uint64_t fault_off = c->fault_off;
	const uint64_t end = off + c->entry.size;
	const uint64_t from = may_look(c, fault_off - off) || good ? off + 1
								   : max_u64(off + 1, fault_off);
	const uint64_t certain = find_certain(c, from);
	/* Accepts earlier entries too, if consecutive entries lead from them to the certain one. */
	const bool known = c->section->is_code || c->section->relocated;
	uint64_t next = known ? from : certain;
	while (next < certain &&
	       !(looks_like_entry(c, next, AT_CODE) && bbmap_leads_to(c, next, certain)))
		next++;
	if (good && next >= end) {
		bbmap_read_entry(c, off);
		c->pos = end;
		return BBMAP_FUNCTION;
	}
	ASSERT(next > off && next <= c->section->bytes.size);
	c->fault = fault;
	c->fault_off = fault_off;
	c->skip_off = off;
	c->skip_size = next - off;
	c->pos = next;
	return BBMAP_DAMAGE;
}

enum bbmap_step bbmap_next(struct bbmap_cursor *c)
{
	const uint64_t off = c->pos;
	if (off >= c->section->bytes.size)
		return BBMAP_END;
	if (!bbmap_read_entry(c, off))
		return recover(c, off, false);
	const uint64_t end = off + c->entry.size;
	if (!may_follow(c, end)) {
		/* Entries at addresses without code are accepted if more entries follow. */
		const bool sound = reads_on(c, end, LOOK_AHEAD);
		bbmap_read_entry(c, off);
		if (!sound)
			return recover(c, off, true);
	}
	c->pos = end;
	return BBMAP_FUNCTION;
}

bool bbmap_read(struct bbmap_cursor *c, uint64_t off)
{
	return off < c->section->bytes.size && bbmap_read_entry(c, off);
}

void bbmap_open(struct bbmap_cursor *c, const struct bbmap_section *s, bool detail)
{
	ASSERT((s->addr_size == 4 || s->addr_size == 8) &&
	       (!s->relocated || s->fixes || s->fix_count == 0));
	memset(c, 0, sizeof *c);
	c->section = s;
	c->detail = detail;
}

void bbmap_close(struct bbmap_cursor *c)
{
	vec_release_all(&c->entry.ranges, &c->entry.blocks, &c->entry.details, &c->entry.calls,
			&c->entry.successors);
}
