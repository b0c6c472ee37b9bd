/* Reads memory without headers. The recorder's pages or the user give its address. */
#include "heap/dump_internal.h"

#include "base/sort.h"
#include "base/unpack.h"
#include "heap/records.h"

/* An offset in the file whose address is known: by a verified page of the recorder, or by the
 * user */
struct dump_raw_spot {
	uint64_t off, addr;
	bool given; /* True if a part of the memory begins exactly here */
};

typedef VEC(struct dump_raw_spot) spot_vec;

/* A part of the file that is contiguous in memory. The byte at offset `off` has the address off +
 * delta (mod 2^64) */
struct dump_raw_stretch {
	uint64_t off, end, delta;
};

typedef VEC(struct dump_raw_stretch) stretch_vec;

/* Returns the word size that a magic number implies, 4 or 8 bytes. 0 without a magic number. */
static uint8_t dump_raw_word_of(uint64_t v, uint64_t magic)
{
	return v == magic + 4 ? 4 : v == magic + 8 ? 8 : 0;
}

/* True if `v` is the magic number, in one of the byte orders that the user allows. */
static bool dump_raw_is_magic(uint64_t v, uint64_t magic, const struct dump_wish *wish,
			      bool *ret_big, uint8_t *ret_word)
{
	const uint64_t swapped = __builtin_bswap64(v);
	const uint8_t little = wish->order != DUMP_BIG ? dump_raw_word_of(v, magic) : 0;
	const uint8_t big = wish->order != DUMP_LITTLE ? dump_raw_word_of(swapped, magic) : 0;
	*ret_big = big != 0;
	*ret_word = little ? little : big;
	return *ret_word != 0 && (wish->word == 0 || wish->word == *ret_word);
}

/* Lists all pages of the recorder in the file. The first one sets byte order and word size. */
static void find_pages(struct dump *d, const struct dump_wish *wish, struct bytes b, spot_vec *ret)
{
	struct reader r = reader_of(b, false);
	while (reader_left(&r) >= 8) {
		const uint64_t off = r.pos;
		bool big;
		uint8_t word;
		struct dump_raw_spot s = { .off = off };
		if (!dump_raw_is_magic(read_u64(&r), HEAP_PAGE_MAGIC, wish, &big, &word))
			continue;
		struct reader page = reader_of(bytes_sub(b, off, b.size - off), big);
		const struct heap_page p = record_head(&page);
		if (!reader_ok(&page) || p.check != heap_page_check(&p) ||
		    p.version != HEAP_VERSION || p.self % HEAP_PAGE_SIZE != 0 ||
		    p.self > UINT64_MAX - HEAP_PAGE_SIZE)
			continue;
		s.addr = p.self;
		if (ret->count == 0) {
			d->word = word;
			d->big_endian = big;
		}
		if (word == d->word && big == d->big_endian)
			vec_push(ret, s);
	}
}

/* Without pages, sets the dump's byte order and word size from the first inline stack. */
static void find_inline(struct dump *d, const struct dump_wish *wish, struct bytes b)
{
	struct reader r = reader_of(b, false);
	while (reader_left(&r) >= 8)
		if (dump_raw_is_magic(read_u64(&r), HEAP_INLINE_MAGIC, wish, &d->big_endian,
				      &d->word))
			return;
	d->big_endian = wish->order == DUMP_BIG;
	d->word = wish->word;
}

static bool header_fits(struct bytes b, uint64_t off, bool big_endian, uint64_t delta)
{
	struct reader r = reader_of(bytes_sub(b, off, HEAP_HEADER_SIZE), big_endian);
	const uint64_t link = read_u64(&r), mark = read_u64(&r);
	const uint64_t addr = off + delta + HEAP_HEADER_SIZE;
	return reader_ok(&r) && (mark & HEAP_MARK_MASK) == HEAP_MARK && addr % HEAP_ALIGN == 0 &&
	       heap_check(addr, mark, (uint32_t)link, 0) == link >> 32;
}

/* Returns the offset at which one part of memory ends and the next one begins. It lies between two
 * pages of the recorder that belong to different parts. Chooses the end of the last block that fits
 * the first part, or the start of the first block or page of the second. */
static uint64_t find_cut(const struct dump *d, struct bytes b, const struct dump_raw_stretch *a,
			 const struct dump_raw_spot *next)
{
	enum { PAGE = 4096 };
	const uint64_t delta = next->addr - next->off;
	uint64_t low = min_u64(a->end, next->off), high = next->off;
	for (uint64_t off = align_up(low, 8); off + HEAP_HEADER_SIZE <= next->off; off += 8) {
		if (header_fits(b, off, d->big_endian, a->delta))
			low = off + HEAP_HEADER_SIZE;
		else if (off < high && header_fits(b, off, d->big_endian, delta))
			high = off;
	}
	/* Mappings begin at pages. */
	const uint64_t page = high - min_u64((high + delta) % PAGE, high);
	return low <= page ? page : max_u64(low, high);
}

static void add_stretch(const struct dump *d, struct bytes b, const struct dump_raw_spot *s,
			stretch_vec *ret)
{
	const uint64_t delta = s->addr - s->off;
	const uint64_t end = s->given ? s->off : min_u64(s->off + HEAP_PAGE_SIZE, b.size);
	struct dump_raw_stretch *last = vec_last(ret);
	if (last && last->delta == delta) {
		last->end = max_u64(last->end, end);
		return;
	}
	const uint64_t cut = s->given ? s->off : last ? find_cut(d, b, last, s) : 0;
	if (last)
		last->end = cut;
	vec_push(ret, (struct dump_raw_stretch){ cut, end, delta });
}

/* Makes the parts of memory from the sorted offsets with known addresses. Each part ends where the
 * next one begins. */
static void dump_raw_find_stretches(const struct dump *d, struct bytes b, const spot_vec *spots,
				    stretch_vec *ret)
{
	for (size_t i = 0; i < spots->count; i++)
		add_stretch(d, b, &spots->data[i], ret);
	if (ret->count > 0)
		ret->data[ret->count - 1].end = b.size;
	if (ret->count > 0 && ret->data[0].off > 0)
		note(d->notes, d->path, 0, ret->data[0].off,
		     "bytes in front of the first piece have no address");
}

/* Adds a region with all access rights, because raw memory does not tell them. */
static void push_region(struct dump *d, region_vec *out, struct bytes b, uint64_t off, uint64_t end,
			uint64_t delta)
{
	ASSERT(end <= b.size);
	uint64_t addr = off + delta;
	if (off < end && addr > addr + (end - off - 1)) { /* Part of the range is below address 0 */
		const uint64_t skip = UINT64_MAX - addr + 1;
		note(d->notes, d->path, off, skip, "memory in front of address 0 is left out");
		off += skip;
		addr = 0;
	}
	if (off >= end)
		return;
	vec_push(out, (struct region){ .addr = addr,
				       .size = end - off,
				       .bytes = bytes_sub(b, off, end - off),
				       .off = off,
				       .read = true,
				       .write = true,
				       .exec = true });
}

static void place_by_spots(struct dump *d, struct bytes b, const spot_vec *spots, region_vec *out)
{
	stretch_vec stretches = { 0 };
	ASSERT(spots->count > 0);
	/* True for a file that the recorder wrote: it has only the recorder's pages. */
	bool all_pages = spots->count == (b.size + HEAP_PAGE_SIZE - 1) / HEAP_PAGE_SIZE;
	for (size_t i = 0; i < spots->count && all_pages; i++)
		all_pages = !spots->data[i].given && spots->data[i].off == i * HEAP_PAGE_SIZE;
	if (all_pages) {
		d->kind = DUMP_PAGES;
		vec_each(const struct dump_raw_spot, s, spots) {
			push_region(d, out, b, s->off, min_u64(s->off + HEAP_PAGE_SIZE, b.size),
				    s->addr - s->off);
		}
		return;
	}
	dump_raw_find_stretches(d, b, spots, &stretches);
	vec_each(const struct dump_raw_stretch, s, &stretches)
		push_region(d, out, b, s->off, s->end, s->delta);
	vec_release(&stretches);
}

/* Adds the addresses that the user stated for a file, and sorts. */
static void add_given(const struct dump_wish *wish, const char *path, uint64_t size, bool first,
		      spot_vec *spots)
{
	for (size_t i = 0; i < wish->piece_count; i++) {
		const struct dump_piece *p = &wish->pieces[i];
		const bool here = p->path ? strcmp(p->path, path) == 0 : first;
		if (here && p->has_addr && p->off < size)
			vec_push(spots, (struct dump_raw_spot){ p->off, p->addr, true });
	}
	vec_sort(spots);
}

static void place_file(struct dump *d, const struct dump_wish *wish, const char *path,
		       struct bytes b, bool first, region_vec *out)
{
	spot_vec spots = { 0 };
	find_pages(d, wish, b, &spots);
	if (first && spots.count == 0)
		find_inline(d, wish, b);
	add_given(wish, path, b.size, first, &spots);
	uint64_t base;
	if (spots.count == 0 && dump_find_base(d, b, &base))
		vec_push(&spots, (struct dump_raw_spot){ 0, base, true });
	if (spots.count > 0) {
		place_by_spots(d, b, &spots, out);
	} else {
		note(d->notes, path, HEFT_NO_OFFSET, b.size,
		     "nothing tells where this memory lay; it stands at address 0");
		push_region(d, out, b, 0, b.size, 0);
	}
	vec_release(&spots);
}

/* Adds one more file, whose offsets continue after the files before it. False if unreadable. */
static bool dump_raw_add_file(struct dump *d, const struct dump_wish *wish, const char *path,
			      region_vec *out, struct heft_err *err)
{
	struct file *f = &d->inputs[d->input_count].file;
	if (!file_open(f, path, err))
		return false;
	d->input_count++;
	if (!unpack_in_place(f, d->notes, err))
		return false;
	const size_t from = out->count;
	place_file(d, wish, path, f->bytes, false, out);
	for (size_t i = from; i < out->count; i++)
		out->data[i].off += d->file_size;
	d->file_size += f->bytes.size;
	return true;
}

bool dump_read_raw(struct dump *d, const struct dump_wish *wish, struct heft_err *err)
{
	region_vec regions = { 0 };
	bool ok = true;
	d->kind = DUMP_RAW;
	d->file_size = d->inputs[0].file.bytes.size;
	place_file(d, wish, d->path, d->inputs[0].file.bytes, true, &regions);
	for (size_t i = 0; ok && i < wish->piece_count; i++) {
		const char *path = wish->pieces[i].path;
		bool known = path == NULL;
		for (size_t k = 0; k < d->input_count && !known; k++)
			known = strcmp(d->inputs[k].file.path, path) == 0;
		if (!known)
			ok = dump_raw_add_file(d, wish, path, &regions, err);
	}
	dump_set_regions(d, &regions);
	return ok;
}
