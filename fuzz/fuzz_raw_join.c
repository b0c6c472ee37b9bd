/* Input: where plain bytes lie (3 bytes, the lowest first), how many bytes of the ELF file behind
 * the fourth they leave out.  The image of the bytes joined with the file is sound. */
#include "image/raw/raw.h"
#include "image_check.h"

static void join(struct input *in, struct bytes elf, struct notes *notes)
{
	const struct image_place at = { .path = "fuzz", .member = STR("") };
	struct image im;
	struct heft_err err;
	uint64_t lowest;
	if (elf_parse(&im, &at, elf, notes, &err)) {
		const struct raw_match m = raw_compare(in->raw, &im);
		ASSERT(raw_lowest(&im, &lowest) || m.same + m.differing == 0);
		image_release(&im);
	}
	if (!input_join(in, "dir/fuzz.elf", elf, &err))
		return;
	check_sections(&in->images[0]);
	check_segments(&in->images[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct notes notes;
	struct input in;
	struct heft_err err;
	if (size < 5 || data[3] >= size - 4)
		return 0;
	const struct bytes elf = { data + 4, size - 4 };
	const uint64_t base = data[0] | (uint64_t)data[1] << 8 | (uint64_t)data[2] << 16;
	if (!elf_matches(elf))
		return 0;
	struct file f = { .path = memcpy(mem_alloc(5), "fuzz", 5),
			  .bytes = bytes_sub(elf, data[3], elf.size - data[3]) };
	notes_init(&notes);
	if (input_adopt_plain(&in, &f, base, &notes, &err)) {
		join(&in, elf, &notes);
		input_close(&in);
	}
	notes_release(&notes);
	return 0;
}
