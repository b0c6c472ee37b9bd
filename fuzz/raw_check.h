/* raw_check.h - what raw.h promises of every raw image. */
#ifndef HEFT_FUZZ_RAW_CHECK_H
#define HEFT_FUZZ_RAW_CHECK_H

#include "image/raw/raw.h"

static inline void raw_check(const uint8_t *data, size_t size)
{
	struct raw r;
	struct image im;
	struct heft_err err;
	struct notes notes;
	const struct image_place at = { .path = "fuzz", .member = STR("") };
	uint64_t end = 0;
	notes_init(&notes);
	if (raw_parse(&r, "fuzz", (struct bytes){ data, size }, &notes, &err)) {
		ASSERT(r.chunks.count <= RAW_CHUNKS_MAX);
		for (size_t i = 0; i < r.chunks.count; i++) {
			const struct raw_chunk *c = &r.chunks.data[i];
			ASSERT(c->size > 0 && c->addr >= end && c->size <= UINT64_MAX - c->addr);
			ASSERT(c->off <= r.bytes.size && c->size <= r.bytes.size - c->off);
			end = c->addr + c->size;
		}
		raw_image(&im, &at, &r, &notes);
		uint64_t total = 0;
		for (size_t i = 1; i < im.section_count; i++)
			total += im.sections[i].size;
		for (size_t i = 0; i < r.chunks.count; i++)
			total -= r.chunks.data[i].size;
		ASSERT(total == 0);
		image_release(&im);
	}
	raw_release(&r);
	notes_release(&notes);
}

#endif
