/* Compressed data.  The first byte chooses the method, the next two (little-endian) the stated
 * size. */
#include "base/unpack.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes plain;
	struct heft_err err = { 0 };
	if (size < 3)
		return 0;
	const uint64_t stated = data[1] | (uint64_t)data[2] << 8;
	const enum unpack_method method = data[0] % 3 == 0   ? UNPACK_ZLIB
					  : data[0] % 3 == 1 ? UNPACK_ZSTD
							     : UNPACK_XZ;
	if (unpack(method, (struct bytes){ data + 3, size - 3 }, stated, &plain, &err)) {
		ASSERT(method == UNPACK_XZ || plain.size == stated);
		uint8_t sum = 0;
		for (uint64_t i = 0; i < plain.size; i++)
			sum = (uint8_t)(sum + plain.p[i]);
		(void)sum;
		free((void *)(uintptr_t)plain.p);
	} else {
		ASSERT(plain.p == NULL && plain.size == 0 && err.text[0] != '\0');
	}
	return 0;
}
