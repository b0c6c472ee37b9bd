/* dump_base.c - finds the address of a memory image from the headers of blocks in it.
 *
 * A header stores a check: the high half of a product, whose only unknown factor is the block's
 * address. Mappings begin at pages, so the low bits of the address are known, and with them the low
 * bits of the product. The code tries all values of the bits between them. Each full product is
 * divided by the known factors, which gives an address.
 *
 * The address at which most headers verify is right, unless another address verifies as many.
 * Headers with one size and stack allow the same addresses. */
#include "heap/dump_internal.h"

#include "heap/block.h"

enum {
	TAKEN_MOST = 4096,         /* Greatest number of headers to read. Others are ignored. */
	SOLVED_MOST = 16,          /* Try all addresses for at most this many headers */
	TRIED_MOST = 2,            /* Like SOLVED_MOST, for images that begin inside a page */
	ANYWHERE_LEAST = 64 << 10, /* Smaller images, in bytes, are assumed to begin at a page */
	PAGE_BITS = 12,
	ALIGN_BITS = 4,
};

/* A possible header. `off`: offset of its block in the image */
struct dump_base_seen {
	uint64_t off, mark, link, wide;
};

typedef VEC(struct dump_base_seen) seen_vec;

struct solving {
	const struct dump *d;
	struct bytes b;
	seen_vec seen;
	size_t count; /* Number of headers that verify at `base`, the best address so far */
	uint64_t base;
	bool several; /* True if another address makes as many headers verify */
};

static uint64_t dump_base_word_at(const struct solving *x, uint64_t off)
{
	struct reader r = reader_of(bytes_sub(x->b, off, 8), x->d->big_endian);
	return read_u64(&r);
}

/* Lists possible headers. If a header names an inline stack, the stack must be there. Refuses the
 * first word of an inline stack, which looks like a mark. */
static void find_headers(struct solving *x)
{
	const uint64_t inlined = HEAP_INLINE_MAGIC + x->d->word;
	for (uint64_t off = HEAP_WIDE_SIZE; off + 8 <= x->b.size; off += 8) {
		struct dump_base_seen s = { .off = off, .mark = dump_base_word_at(x, off - 8) };
		const uint64_t flags = s.mark >> HEAP_FLAG_SHIFT & 15;
		if ((s.mark & HEAP_MARK_MASK) != HEAP_MARK || s.mark == inlined)
			continue;
		s.link = dump_base_word_at(x, off - 16);
		if ((flags & (HEAP_WIDE | HEAP_FREED)) == HEAP_WIDE)
			s.wide = dump_base_word_at(x, off - 32) ^ dump_base_word_at(x, off - 24);
		const uint64_t distance = (uint32_t)s.link;
		if ((flags & HEAP_INLINE) == 0 || (distance % 8 == 0 && distance <= off &&
						   dump_base_word_at(x, off - distance) == inlined))
			vec_push(&x->seen, s);
		if (x->seen.count == TAKEN_MOST)
			return;
	}
}

static bool verifies(const struct dump_base_seen *s, uint64_t base)
{
	const uint64_t addr = base + s->off;
	return addr % HEAP_ALIGN == 0 &&
	       heap_check(addr, s->mark, (uint32_t)s->link, s->wide) == s->link >> 32;
}

static void try_base(struct solving *x, uint64_t base)
{
	size_t count = 0;
	for (size_t i = 0; i < x->seen.count; i++)
		count += verifies(&x->seen.data[i], base);
	if (count == x->count && base != x->base)
		x->several = true;
	if (count <= x->count)
		return;
	x->count = count;
	x->base = base;
	x->several = false;
}

/* Tries each block address for which the header's check is right. `low`: its lowest `bits` bits. */
static void solve(struct solving *x, const struct dump_base_seen *s, uint64_t low, unsigned bits)
{
	ASSERT(bits <= 32);
	const uint64_t third = UINT64_C(0xd6e8feb86659fd93);
	uint64_t back = third; /* Becomes the inverse of `third` mod 2^64 */
	for (unsigned i = 0; i < 6; i++)
		back *= 2 - third * back; /* Doubles the number of right bits */
	const uint64_t first = s->mark * UINT64_C(0x9e3779b97f4a7c15);
	const uint64_t second = ((uint32_t)s->link ^ s->wide) * UINT64_C(0xc2b2ae3d27d4eb4f);
	const uint64_t mask = (UINT64_C(1) << bits) - 1;
	const uint64_t known = (((low ^ first) + second) * third & mask) | (s->link >> 32 << 32);
	const uint64_t most = x->d->word == 4 ? UINT32_MAX : (UINT64_C(1) << 48) - 1;
	uint64_t h = known * back - second;
	for (uint64_t i = 0; i < UINT64_C(1) << (32 - bits); i++, h += back << bits) {
		const uint64_t addr = h ^ first;
		if (UNLIKELY(addr <= most) && addr >= s->off)
			try_base(x, addr - s->off);
	}
}

/* Tries the addresses of about `most` headers, evenly spread over the image. True if at least two
 * headers verify at the best address, and no other address is as good. By chance, two headers
 * verify at one address in one of 2^19 images. */
static bool solve_any(struct solving *x, unsigned bits, size_t most)
{
	const size_t step = x->seen.count > most ? x->seen.count / most : 1;
	x->count = 0;
	for (size_t i = 0; i < x->seen.count && i / step < most; i += step) {
		const struct dump_base_seen *s = &x->seen.data[i];
		solve(x, s, bits == PAGE_BITS ? s->off % (1 << PAGE_BITS) : 0, bits);
		if (x->count > x->seen.count / 2 && x->count > 1 && !x->several)
			break;
	}
	return x->count > 1 && !x->several;
}

/* True if headers with two different marks verify. Headers with the same mark prove less: they
 * verify together at many addresses. */
static bool dump_base_is_sure(const struct solving *x)
{
	const struct dump_base_seen *first = NULL;
	vec_each(const struct dump_base_seen, s, &x->seen) {
		if (!verifies(s, x->base))
			continue;
		if (first && first->mark != s->mark)
			return true;
		first = s;
	}
	return false;
}

/* Finds the best address of the image. False if there is none. Prefers addresses at which the image
 * begins at a page, unless another one verifies more headers. */
static bool solve_all(struct solving *x)
{
	/* To try a header is cheap beside reading a large image, so large images allow more
	 * tries. */
	const size_t most = (size_t)min_u64(1 + x->b.size / (1 << PAGE_BITS), SOLVED_MOST);
	const bool found = solve_any(x, PAGE_BITS, most);
	const size_t count = found ? x->count : 0;
	const uint64_t base = x->base;
	if ((found && dump_base_is_sure(x)) || x->b.size < ANYWHERE_LEAST)
		return found;
	if (solve_any(x, ALIGN_BITS, TRIED_MOST) && x->count > count)
		return true;
	x->base = base;
	return found;
}

bool dump_find_base(const struct dump *d, struct bytes b, uint64_t *ret)
{
	struct solving x = { .d = d, .b = b };
	find_headers(&x);
	const bool found = x.seen.count > 1 && solve_all(&x);
	*ret = x.base;
	vec_release(&x.seen);
	return found;
}
