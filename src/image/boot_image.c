/* Finds the packed kernel in a Linux boot image of x86 machines. */
#include "image/boot_image.h"

enum {
	SETUP_SECTORS = 0x1f1,
	BOOT_FLAG = 0x1fe,
	PAYLOAD_OFFSET = 0x248,
	SECTOR = 512,
	VERSION_WITH_PAYLOAD = 0x208
};

bool boot_image_kernel(struct bytes b, struct bytes *ret_kernel)
{
	struct reader r = reader_of(b, false);
	reader_seek(&r, BOOT_FLAG);
	const bool flag = read_u16(&r) == 0xaa55;
	read_skip(&r, 2); /* Skips a jump */
	const uint8_t *magic = read_take(&r, 4);
	if (!flag || !magic || memcmp(magic, "HdrS", 4) != 0 || read_u16(&r) < VERSION_WITH_PAYLOAD)
		return false;
	reader_seek(&r, SETUP_SECTORS);
	const uint64_t stated = read_u8(&r), sectors = stated > 0 ? stated : 4;
	reader_seek(&r, PAYLOAD_OFFSET);
	const uint64_t off = read_u32(&r), size = read_u32(&r);
	*ret_kernel = bytes_sub(b, (sectors + 1) * SECTOR + off, size);
	return reader_ok(&r) && ret_kernel->size > 0;
}
