/* Basic blocks of whole files: sections of maps with their relocations, or block symbols. */
#include "image/input.h"
#include "blocks/blockmap.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_function(const struct blockmap *b, size_t i)
{
	const struct blockmap_function *f = &b->functions.data[i];
	ASSERT(i == 0 || f[-1].addr < f->addr);
	ASSERT(f->range_count > 0 && f->range_first + f->range_count <= b->ranges.count);
	ASSERT(b->ranges.data[f->range_first].addr == f->addr);
	for (uint32_t k = f->range_first; k < f->range_first + f->range_count; k++) {
		const struct blockmap_range *r = &b->ranges.data[k];
		ASSERT(r->function == i && r->count <= r->stated);
		ASSERT(r->first <= b->blocks.count && r->count <= b->blocks.count - r->first);
		if (r->count > 0)
			ASSERT(blockmap_range_of(b, r->first) == r);
	}
}

static void check_details(const struct blockmap *b)
{
	struct blockmap_detail d = { 0 };
	for (size_t i = 0; i < b->functions.count; i++) {
		const struct blockmap_function *f = &b->functions.data[i];
		const struct bbmap_entry *e = blockmap_detail_get(&d, b, f);
		ASSERT((e != NULL) == (f->origin == BLOCKS_OF_MAP));
		for (uint32_t k = 0; e && k < f->range_count; k++) {
			const struct blockmap_range *r = &b->ranges.data[f->range_first + k];
			ASSERT(r->number < e->ranges.count);
			ASSERT(e->ranges.data[r->number].count == r->count);
		}
	}
	blockmap_detail_release(&d);
}

static void check_index(const struct blockmap *b)
{
	struct bbindex x;
	blockmap_index(b, &x);
	ASSERT(x.count == b->blocks.count);
	for (uint64_t i = 0; i < b->blocks.count; i++) {
		const uint64_t start = blockmap_range_of(b, i)->addr + b->blocks.data[i].off;
		const uint32_t found = bbindex_find(&x, start);
		ASSERT(found < b->blocks.count);
		ASSERT(blockmap_range_of(b, found)->addr + b->blocks.data[found].off == start);
	}
	bbindex_release(&x);
}

static void check_image(const struct image *im, struct notes *notes)
{
	struct blockmap b;
	uint64_t count = 0;
	blockmap_read(&b, im, NULL, notes);
	blockmap_name(&b, NULL);
	for (size_t i = 0; i < b.functions.count; i++)
		check_function(&b, i);
	for (size_t i = 0; i < b.by_addr.count; i++) {
		const struct blockmap_range *r = &b.ranges.data[b.by_addr.data[i]];
		ASSERT(r->first == count);
		count += r->count;
	}
	ASSERT(count == b.blocks.count);
	check_details(&b);
	check_index(&b);
	blockmap_release(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in;
	struct notes notes;
	notes_init(&notes);
	if (input_parse(&in, "fuzz", (struct bytes){ data, size }, &notes, NULL)) {
		for (size_t i = 0; i < in.image_count; i++)
			check_image(&in.images[i], &notes);
		input_close(&in);
	}
	notes_release(&notes);
	return 0;
}
