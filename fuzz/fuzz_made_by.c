/* What programs say of what they were made by.  The first byte chooses the section that the rest
 * is. */
#include "image/build.h"
#include "image/elf/elf_const.h"
#include "program/made_by.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SECTION_ADDR = 0x400000 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = { ".comment", ".go.buildinfo", ".dep-v0" };
	const struct image_place at = { .path = "fuzz" };
	struct made_by made = { { NULL, 0, 0 }, { NULL, 0, 0 }, { NULL, 0, 0 } };
	struct image_build build;
	struct image im;
	struct notes notes;
	if (size == 0)
		return 0;
	const struct bytes b = { data + 1, size - 1 };
	notes_init(&notes);
	build_init(&build, &im, &at, b, &notes);
	im.format = "ELF";
	im.kind = IMAGE_EXEC;
	im.bits = 64;
	const struct segment segment = { .type = PT_LOAD,
					 .read = true,
					 .addr = SECTION_ADDR,
					 .vm_size = b.size,
					 .file_size = b.size };
	const struct section section = { .name = str_of(names[data[0] % COUNT_OF(names)]),
					 .type = SHT_PROGBITS,
					 .flags = SHF_ALLOC,
					 .addr = SECTION_ADDR,
					 .size = b.size,
					 .file_size = b.size };
	build_segment(&build, &segment);
	build_section(&build, &section);
	build_finish(&build, 0, 0);
	made_by_read(&made, &im);
	ASSERT(made.parts.len <= (2u << 20) + 2 * b.size && made.settings.len <= 2 * b.size);
	made_by_release(&made);
	image_release(&im);
	notes_release(&notes);
	return 0;
}
