/* Input: a file of names by address (process/name_cache.h), whose check is made right.  Addresses
 * are found once each, and their frames are no more than the file can have. */
#include "base/fnv.h"
#include "process/name_cache.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char head[] = "heft names of " HEFT_VERSION ", style 1\n";
	struct name_cache c = { .changed = false };
	const size_t start = sizeof head - 1;
	uint8_t *file = mem_alloc(start + size + 8);
	memcpy(file, head, start);
	if (size > 0)
		memcpy(file + start, data, size);
	const uint64_t check = fnv_add(FNV_START, file, start + size);
	for (unsigned i = 0; i < 8; i++)
		file[start + size + i] = (uint8_t)(check >> 8 * i);
	if (name_cache_parse(&c, (struct bytes){ file, start + size + 8 }, (enum heft_demangle)1)) {
		ASSERT(c.frames.count <= size);
		for (size_t i = 0; i < c.list.count; i++) {
			size_t count;
			const struct heft_frame *f = name_cache_find(&c, c.list.data[i].addr,
								     &count);
			ASSERT(f == &c.frames.data[c.list.data[i].first] && count > 0);
		}
	}
	name_cache_release(&c);
	mem_free(file);
	return 0;
}
