#include "mutate.h"

#include "base/arena.h"
#include "image/input.h"

#include <stdlib.h>

struct copy {
	uint8_t *p;
	uint64_t size;
	bool big_endian;
};

static void put(struct copy *c, uint64_t off, unsigned width, uint64_t v)
{
	for (unsigned i = 0; i < width && off < c->size && i < c->size - off; i++)
		c->p[off + i] = (uint8_t)(v >> 8 * (c->big_endian ? width - 1 - i : i));
}

/* A place in the file that matters: a header, a header table, a small section. */
static struct bytes any_place(struct rng *r, const struct image *im, uint64_t size, uint64_t *off)
{
	struct bytes whole = { NULL, size };
	*off = 0;
	if (!im || rng_once_in(r, 6))
		return whole;
	switch (rng_below(r, 4)) {
	case 0: whole.size = im->ehdr_size; break;
	case 1:
		*off = im->phdr_off;
		whole.size = im->phdr_size;
		break;
	case 2:
		*off = im->shdr_off;
		whole.size = im->shdr_size;
		break;
	default:
		if (im->section_count > 1) {
			const struct section *s =
				&im->sections[1 + rng_below(r, im->section_count - 1)];
			*off = s->off;
			whole.size = s->file_size;
			/* The heads of tables count more than what is in them. */
			if (rng_once_in(r, 2))
				whole.size = min_u64(whole.size, 64);
		}
	}
	*off += im->file_off;
	if (whole.size == 0 || *off >= size)
		*off = 0, whole.size = size;
	return whole;
}

static void damage(struct rng *r, struct copy *c, const struct image *im)
{
	uint64_t off;
	const struct bytes place = any_place(r, im, c->size, &off);
	const uint64_t at = off + rng_below(r, place.size);
	const unsigned width = 1u << rng_below(r, 4);
	if (at >= c->size)
		return;
	switch (rng_below(r, 6)) {
	case 0: c->p[at] ^= (uint8_t)(1u << rng_below(r, 8)); break;
	case 1: put(c, at - at % width, width, rng_odd_number(r)); break;
	case 2: put(c, at - at % width, width, rng_below(r, c->size)); break;
	case 3: c->p[at] = (uint8_t)(c->p[at] + 1 - rng_below(r, 3)); break;
	case 4: /* a run copied from elsewhere in the same file */
		for (uint64_t n = rng_below(r, 64), from = rng_below(r, c->size); n > 0; n--)
			if (at + n < c->size && from + n < c->size)
				c->p[at + n] = c->p[from + n];
		break;
	default: c->p[at] = (uint8_t)rng_next(r);
	}
}

struct bytes mutate(struct rng *r, struct bytes file)
{
	struct input in;
	const bool read = input_parse(&in, "mutate", file, NULL, NULL);
	const struct image *im = NULL;
	struct copy c = { mem_alloc(file.size ? file.size : 1), file.size, false };
	memcpy(c.p, file.p, file.size);
	if (read && in.image_count > 0) {
		im = &in.images[rng_below(r, in.image_count)];
		c.big_endian = im->big_endian;
	}
	const uint64_t rounds = rng_once_in(r, 4) ? 1 + rng_below(r, 40) : 1 + rng_below(r, 4);
	for (uint64_t i = 0; i < rounds; i++)
		damage(r, &c, im);
	if (rng_once_in(r, 25))
		c.size = rng_below(r, c.size);
	if (read)
		input_close(&in);
	return (struct bytes){ c.p, c.size };
}
