/* Tables of a kernel's symbols.  The first byte chooses: bit 0 byte order, bit 1 pointers of 4
 * bytes. */
#include "base/base.h"
#include "runtime/kallsyms.h"

/* Where the bytes stand in memory. */
#define ADDR UINT64_C(0xffffffff82000000)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kallsyms k;
	struct kallsyms_iter it;
	struct kallsyms_part parts[KALLSYMS_PARTS];
	uint64_t last = 0, count = 0;
	if (size == 0 || !kallsyms_find(&k, (struct bytes){ data + 1, size - 1 }, ADDR, data[0] & 1,
					(data[0] & 2) ? 4 : 8))
		return 0;
	kallsyms_parts(&k, parts);
	for (size_t i = 0; i < KALLSYMS_PARTS; i++)
		ASSERT(parts[i].off <= size && parts[i].size <= size - parts[i].off);
	for (kallsyms_iter(&it, &k); kallsyms_next(&it); count++) {
		ASSERT(it.addr >= last && it.name.len < KALLSYMS_NAME_MAX);
		last = it.addr;
	}
	ASSERT(count == k.count);
	return 0;
}
