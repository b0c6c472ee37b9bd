/* A Mach-O universal file: slices and parts cover it; what opens keeps what image.h promises. */
#include "image_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_cover(const struct input *in)
{
	uint64_t covered = 0;
	for (size_t i = 0; i < in->image_count; i++)
		covered += in->images[i].bytes.size;
	for (size_t i = 0; i < in->parts.count; i++)
		covered += in->parts.data[i].size;
	ASSERT(covered == in->file.bytes.size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in;
	struct heft_err err;
	const struct bytes bytes = { data, size };
	if (!fat_matches(bytes) || !input_parse(&in, "fuzz", bytes, NULL, &err))
		return 0;
	check_cover(&in);
	for (size_t i = 0; i < in.image_count; i++)
		check_image(&in.images[i]);
	in.image_count = 0;
	input_close(&in);
	return 0;
}
