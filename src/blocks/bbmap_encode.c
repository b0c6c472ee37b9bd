/* Writes the entries of a basic-block map in a version of the caller's choice. */
#include "blocks/bbmap_encode.h"

static void put_byte(struct bbmap_encoder *x, uint64_t v)
{
	vec_push(&x->bytes, (uint8_t)v);
}

static void bbmap_encode_put_wide(struct bbmap_encoder *x, uint64_t v, unsigned width)
{
	for (unsigned i = 0; i < width; i++)
		put_byte(x, v >> 8 * (x->big_endian ? width - 1 - i : i));
}

static void put_uleb(struct bbmap_encoder *x, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		put_byte(x, (v & 0x7f) | 0x80);
	put_byte(x, v);
}

/* Returns the features of the entry that the version can express. */
static unsigned bbmap_encode_features_of(const struct bbmap_encoder *x, const struct bbmap_entry *e)
{
	const unsigned of_details = BBMAP_FREQUENCY | BBMAP_PROBABILITY | BBMAP_CALLS | BBMAP_HASH |
				    BBMAP_POST_LINK;
	unsigned features = e->features & bbmap_features(x->version);
	if (e->details.count < e->blocks.count)
		features &= ~of_details;
	if (x->version >= 2 && e->ranges.count > 1)
		features |= BBMAP_MULTI_RANGE;
	return features;
}

static bool bbmap_encode_in_order(const struct bbmap_entry *e, const struct bbmap_range *r)
{
	uint64_t end = 0;
	for (size_t i = r->first; i < r->first + r->count; i++) {
		const struct bbmap_block *b = &e->blocks.data[i];
		if (b->off < end)
			return false;
		end = (uint64_t)b->off + b->size;
	}
	return end <= UINT32_MAX;
}

static void bbmap_encode_put_head(struct bbmap_encoder *x, unsigned features)
{
	put_byte(x, x->version);
	bbmap_encode_put_wide(x, features, x->version >= 5 ? 2 : 1);
}

/* Writes the ends of calls, each as its distance from the previous end. Returns the last end, from
 * which the size of the block counts. */
static uint32_t put_calls(struct bbmap_encoder *x, const struct bbmap_entry *e,
			  const struct bbmap_detail *d)
{
	uint32_t end = 0;
	ASSERT(d->call_first + d->call_count <= e->calls.count);
	put_uleb(x, d->call_count);
	for (size_t i = 0; i < d->call_count; i++) {
		const uint32_t next = e->calls.data[d->call_first + i];
		put_uleb(x, next - end);
		end = next;
	}
	return end;
}

static void bbmap_encode_put_range(struct bbmap_encoder *x, const struct bbmap_entry *e,
				   const struct bbmap_range *r, unsigned features)
{
	uint32_t end = 0;
	ASSERT(r->first + r->count <= e->blocks.count);
	bbmap_encode_put_wide(x, r->addr, x->addr_size);
	put_uleb(x, features & BBMAP_NO_BLOCKS ? r->stated : r->count);
	for (size_t i = r->first; !(features & BBMAP_NO_BLOCKS) && i < r->first + r->count; i++) {
		const struct bbmap_block *b = &e->blocks.data[i];
		uint32_t size = b->size;
		if (x->version >= 2)
			put_uleb(x, b->id);
		put_uleb(x, b->off - end);
		if (features & BBMAP_CALLS)
			size -= put_calls(x, e, &e->details.data[i]);
		put_uleb(x, size);
		put_uleb(x, b->flags);
		if (features & BBMAP_HASH)
			bbmap_encode_put_wide(x, e->details.data[i].hash, 8);
		end = b->off + b->size;
	}
}

static void bbmap_encode_put_successors(struct bbmap_encoder *x, const struct bbmap_entry *e,
					const struct bbmap_detail *d, unsigned features)
{
	ASSERT(d->successor_first + d->successor_count <= e->successors.count);
	put_uleb(x, d->successor_count);
	for (size_t i = 0; i < d->successor_count; i++) {
		const struct bbmap_successor *s = &e->successors.data[d->successor_first + i];
		put_uleb(x, s->id);
		put_uleb(x, s->probability);
		if (features & BBMAP_POST_LINK)
			put_uleb(x, s->frequency);
	}
}

static void bbmap_encode_put_profile(struct bbmap_encoder *x, const struct bbmap_entry *e,
				     unsigned features)
{
	if (features & BBMAP_ENTRY_COUNT)
		put_uleb(x, e->entry_count);
	if (!(features & (BBMAP_FREQUENCY | BBMAP_PROBABILITY)))
		return;
	for (size_t i = 0; i < e->blocks.count; i++) {
		const struct bbmap_detail *d = &e->details.data[i];
		if (features & BBMAP_FREQUENCY)
			put_uleb(x, d->frequency);
		if (features & BBMAP_POST_LINK)
			put_uleb(x, d->post_link);
		if (features & BBMAP_PROBABILITY)
			bbmap_encode_put_successors(x, e, d, features);
	}
}

bool bbmap_encode(struct bbmap_encoder *x, const struct bbmap_entry *e)
{
	const unsigned features = bbmap_encode_features_of(x, e);
	ASSERT(x->version >= BBMAP_VERSION_MIN && x->version <= BBMAP_VERSION_MAX);
	for (size_t i = 0; i < e->ranges.count; i++)
		if (!bbmap_encode_in_order(e, &e->ranges.data[i]))
			return false;
	if (x->version >= 2)
		bbmap_encode_put_head(x, features);
	if (features & BBMAP_MULTI_RANGE)
		put_uleb(x, e->ranges.count);
	for (size_t i = 0; i < e->ranges.count; i++) {
		if (x->version < 2)
			bbmap_encode_put_head(x, features);
		bbmap_encode_put_range(x, e, &e->ranges.data[i], features);
	}
	bbmap_encode_put_profile(x, e, features);
	return true;
}
