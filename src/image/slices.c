/* Finds texts without a terminator by the pointers to them. Keeps a text only if it is certain. */
#include "image/slices.h"

#include "base/sort.h"
#include "base/utf8.h"

enum {
	SLICE_MAX = 1 << 20, /* Limit in bytes of a text. A larger number is no length. */
	ALONE_MIN = 4,       /* Shortest text without neighbours, in bytes. A shorter text needs
			      * an adjacent text. */
	NUMBER_MAX = 16,     /* Largest number that may follow a pointer to a C string by chance.
			      * A longer text is probably a slice. */
};

/* A pointer in data and its target. */
struct slices_pointer {
	uint64_t place, target;
};

typedef VEC(struct slices_pointer) pointer_vec;

static void read_pointers(const struct image *im, const struct section *table, pointer_vec *ret)
{
	struct reloc_iter it;
	struct reloc r;
	uint64_t target;
	if (!table->alloc || !section_is_reloc(table) || !reloc_open(&it, im, table))
		return;
	while (reloc_next(&it, &r))
		if (r.kind == RELOC_RELATIVE && reloc_target(&it, &r, &target))
			vec_push(ret, (struct slices_pointer){ r.addr, target });
}

/* Returns the number of bytes from the start that are text. */
static uint64_t slices_text_size(struct bytes b)
{
	const struct str s = { (const char *)b.p, b.size };
	uint64_t i = 0;
	while (i < b.size) {
		uint32_t c;
		const unsigned n = utf8_decode(s, i, &c);
		const bool blank = c == '\t' || c == '\n' || c == '\r' || c == 0x1b;
		if (n == 0 || !((c >= 0x20 && c < 0x7f) || blank || c >= 0xa0))
			break;
		i += n;
	}
	return i;
}

static uint8_t slices_byte_at(const struct image *im, uint64_t addr)
{
	const struct bytes b = image_at(im, addr, 1);
	return b.size == 1 ? b.p[0] : 0xff;
}

/* The run of text from the last requested address on. If addresses ascend, reads each byte once. */
struct text_run {
	uint64_t from, end;
	bool zero; /* True if a zero byte follows the run */
};

static void move_run(struct text_run *r, const struct image *im, uint64_t addr)
{
	const struct section *s = image_section_at(im, addr);
	if ((addr >= r->from && addr < r->end) || !s)
		return;
	r->from = addr;
	r->end = addr + slices_text_size(image_at(im, addr, s->addr + s->size - addr));
	r->zero = r->end < s->addr + s->size && slices_byte_at(im, r->end) == 0;
}

static bool begins_character(const struct image *im, uint64_t addr)
{
	return (slices_byte_at(im, addr) & 0xc0) != 0x80;
}

COMPARISON(slices_longer_first, struct slice, ORDER(b->size, a->size))

/* True if the program has slices: more than one text in 17 is not followed by a 0. In C programs,
 * all texts end with 0. */
static bool slices_has(const struct slices *s, const struct image *im)
{
	struct text_run r = { 0, 0, false };
	size_t zero = 0;
	for (size_t i = 0; i < s->list.count; i++) {
		move_run(&r, im, s->list.data[i].addr);
		zero += r.zero;
	}
	return (s->list.count - zero) * 16 > zero;
}

/* Keeps the candidates that are text. The candidates must be sorted by address. */
static void keep_texts(struct slices *s, const struct image *im)
{
	struct text_run r = { 0, 0, false };
	size_t kept = 0;
	for (size_t i = 0; i < s->list.count; i++) {
		move_run(&r, im, s->list.data[i].addr);
		/* A slice that ends with the run of text must not be followed by a 0, because then
		 * the text is a C string. */
		const struct slice *y = &s->list.data[i];
		const uint64_t y_end = y->addr + y->size;
		if (y->addr < r.end && y_end <= r.end && begins_character(im, y->addr) &&
		    (y_end == r.end ? !r.zero : begins_character(im, y_end)))
			s->list.data[kept++] = *y;
	}
	s->list.count = kept;
}

static void keep_sure(struct slices *s, const struct image *im)
{
	struct text_run r = { 0, 0, false };
	const bool many = slices_has(s, im);
	struct slices all = *s;
	uint64_t end = 0; /* Highest end of the slices up to now */
	*s = (struct slices){ { 0 } };
	for (size_t i = 0; i < all.list.count; i++) {
		const struct slice *y = &all.list.data[i];
		const uint64_t behind = y->addr + y->size;
		const size_t k = lower_bound(all.list.data, all.list.count, sizeof *y, behind);
		const bool beside = y->addr == end ||
				    (k < all.list.count && all.list.data[k].addr == behind);
		const bool inside = behind <= end;
		end = max_u64(end, behind);
		move_run(&r, im, y->addr);
		/* Text before a 0 may be a C string, followed by an unrelated number. Accepts it
		 * next to another slice, if it is long or the program has many slices. A short text
		 * always needs a neighbour. */
		const bool fine = !r.zero || (beside && (many || y->size >= NUMBER_MAX));
		if (!inside && fine && (beside || y->size >= ALONE_MIN))
			vec_push(&s->list, *y);
	}
	slices_release(&all);
}

static void add_candidates(struct slices *s, const struct image *im, const pointer_vec *all)
{
	const uint64_t word = im->bits / 8;
	for (size_t i = 0; i < all->count; i++) {
		const struct slices_pointer *p = &all->data[i];
		const bool pointer_next = i + 1 < all->count &&
					  all->data[i + 1].place - p->place <= word;
		struct reader after = reader_of(image_at(im, p->place + word, word),
						im->big_endian);
		const struct slice y = { p->target,
					 pointer_next ? 0 : read_wide(&after, im->bits / 8) };
		const struct section *in = y.size > 0 && y.size <= SLICE_MAX
						   ? image_section_at(im, y.addr)
						   : NULL;
		if (in && !in->exec && !in->write && !in->nobits &&
		    y.size <= in->size - (y.addr - in->addr))
			vec_push(&s->list, y);
	}
}

void slices_read(struct slices *ret, const struct image *im)
{
	pointer_vec all = { 0 };
	*ret = (struct slices){ { 0 } };
	for (size_t i = 1; i < im->section_count; i++)
		read_pointers(im, &im->sections[i], &all);
	vec_sort(&all);
	add_candidates(ret, im, &all);
	vec_release(&all);
	vec_sort_then(&ret->list, slices_longer_first);
	keep_texts(ret, im);
	keep_sure(ret, im);
}

void slices_release(struct slices *s)
{
	vec_release(&s->list);
}
