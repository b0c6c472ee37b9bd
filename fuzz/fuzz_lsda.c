/* Language-specific data, .ARM.extab and .ARM.exidx.  The first byte chooses: bit 0 byte
 * order, bit 1 4-byte addresses, bit 2 .ARM.extab, bit 3 .ARM.exidx. */
#include "unwind/lsda.h"
#include "unwind/unwind.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool measure(uint8_t mode, struct bytes bytes, uint64_t *ret)
{
	if (mode & 4)
		return extab_size(bytes, mode & 1, ret);
	return lsda_size(bytes, mode & 2 ? 4 : 8, mode & 1, LSDA_SPECS_ULEB, ret);
}

static void check_exidx(bool big_endian, struct bytes bytes)
{
	const struct unwind_section s = {
		.bytes = bytes, .addr = 0x10000, .address_size = 4, .big_endian = big_endian
	};
	uint64_t i = 0, func, extab;
	while (exidx_get(&s, i, &func, &extab)) {
		ASSERT(func <= UINT32_MAX && extab <= UINT32_MAX);
		i++;
	}
	ASSERT(i == bytes.size / 8);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t whole, cut;
	if (size == 0)
		return 0;
	const struct bytes bytes = { data + 1, size - 1 };
	if (data[0] & 8) {
		check_exidx(data[0] & 1, bytes);
		return 0;
	}
	if (!measure(data[0], bytes, &whole))
		return 0;
	ASSERT(whole > 0 && whole <= bytes.size);
	/* What lies behind the table does not matter. */
	ASSERT(measure(data[0], bytes_sub(bytes, 0, whole), &cut) && cut == whole);
	return 0;
}
