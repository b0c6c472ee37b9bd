/* Code of GHC.  The first byte chooses: bit 0 byte order, bit 1 where SRTs stand.  The rest is the
 * code, and what it leads to. */
#include "base/base.h"
#include "runtime/ghc_tables.h"

#define ADDR UINT64_C(0x400000)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct bytes fuzz_load(void *ctx, uint64_t addr, uint64_t size)
{
	const struct bytes *all = ctx;
	if (addr < ADDR || addr - ADDR >= all->size)
		return (struct bytes){ 0 };
	return bytes_sub(*all, addr - ADDR, min_u64(size, all->size - (addr - ADDR)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ghc_tables t;
	if (size == 0)
		return 0;
	struct bytes all = { data + 1, size - 1 };
	const struct ghc_code code = { ADDR, all };
	ghc_tables_find(&t, &(struct ghc_image){ .code = &code,
						 .count = 1,
						 .big_endian = data[0] & 1,
						 .inline_srt = data[0] & 2,
						 .load = fuzz_load,
						 .ctx = &all });
	for (size_t i = 0; i < t.list.count; i++) {
		const struct ghc_table *x = &t.list.data[i];
		ASSERT(x->entry - x->size >= ADDR && x->entry < ADDR + all.size);
		ASSERT(i == 0 || x->entry - x->size > x[-1].entry);
	}
	ghc_tables_release(&t);
	return 0;
}
