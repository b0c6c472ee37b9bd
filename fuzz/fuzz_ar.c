/* An archive (or whatever input_parse takes): images and parts cover it once. */
#include "image/input.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct range {
	uint64_t off, size;
};

static int range_cmp(const void *pa, const void *pb)
{
	const struct range *a = pa, *b = pb;
	return a->off < b->off ? -1 : a->off > b->off;
}

static void check_cover(const struct input *in)
{
	const size_t count = in->image_count + in->parts.count;
	struct range *ranges = mem_zeroed(count + 1, sizeof *ranges);
	uint64_t end = 0;
	for (size_t i = 0; i < in->image_count; i++)
		ranges[i] = (struct range){ in->images[i].file_off, in->images[i].bytes.size };
	for (size_t i = 0; i < in->parts.count; i++)
		ranges[in->image_count + i] = (struct range){ in->parts.data[i].off,
							      in->parts.data[i].size };
	qsort(ranges, count, sizeof *ranges, range_cmp);
	for (size_t i = 0; i < count; i++) {
		ASSERT(ranges[i].off == end && ranges[i].size > 0);
		end += ranges[i].size;
	}
	ASSERT(end == input_size(in));
	mem_free(ranges);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in;
	struct notes notes;
	struct heft_err err = { 0 };
	notes_init(&notes);
	if (input_parse(&in, "fuzz", (struct bytes){ data, size }, &notes, &err)) {
		/* A linker map has the bytes of sections alone, its image has headers too. */
		if (!in.linkmap)
			check_cover(&in);
		ASSERT(in.archive || in.image_count == 1);
		ASSERT(in.thin || in.outside.count == 0);
		input_close(&in);
	} else {
		ASSERT(err.code != HEFT_OK && memcmp(err.text, "fuzz", 4) == 0);
	}
	notes_release(&notes);
	return 0;
}
