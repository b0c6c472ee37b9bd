/* Descriptions of types of a Go program: the input is all that there is of them.  The first byte
 * chooses: bit 0 byte order, bit 1 pointers of 4 bytes. */
#include "../tests/lib/pclntab_made.h"
#include "names/package_name.h"
#include "program/go_types.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { TYPES_ADDR = 0x100000 };

static bool is_inside(struct bytes b, struct str s)
{
	const uint8_t *const p = (const uint8_t *)s.p;
	return p >= b.p && p <= b.p + b.size && s.len <= (size_t)(b.p + b.size - p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct image im;
	struct notes notes;
	if (size == 0)
		return 0;
	const struct bytes b = { data + 1, size - 1 };
	const unsigned width = data[0] & 2 ? 4 : 8;
	notes_init(&notes);
	make_image(&im, ".rodata", TYPES_ADDR, b, 8 * width, data[0] & 1, &notes);
	const struct go_table table = { .tab = { .pointer = (uint8_t)width },
					.types = { TYPES_ADDR, TYPES_ADDR + b.size } };
	for (uint64_t off = 0; off < b.size + 16; off++) {
		const struct str path = go_type_package(&table, &im, TYPES_ADDR + off);
		ASSERT(path.len == 0 || (is_inside(b, path) && go_package_is_path(path)));
		ASSERT(path.len == 0 || off % width == 0);
	}
	image_release(&im);
	notes_release(&notes);
	return 0;
}
