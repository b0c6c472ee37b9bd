/* BOLT's address translation tables.  The first byte chooses the byte order. */
#include "code/bat.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bat_cursor c;
	uint64_t pos = 0, pairs = 0;
	if (size == 0)
		return 0;
	if (bat_open(&c, (struct bytes){ data + 1, size - 1 }, data[0] & 1)) {
		while (bat_next(&c)) {
			const struct bat_function *f = &c.function;
			ASSERT(c.reader.pos > pos);
			ASSERT(!f->cold || f->hot < c.hot_count);
			pos = c.reader.pos;
			pairs += f->pairs.count + f->entries.count;
			ASSERT(pairs <= size);
			for (size_t i = 0; i < f->pairs.count; i++)
				ASSERT(!f->pairs.data[i].branch || f->pairs.data[i].hash == 0);
		}
	}
	bat_close(&c);
	return 0;
}
