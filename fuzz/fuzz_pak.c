/* Input: a data pack of Chromium.  Entries follow one another inside the file, aliases name
 * entries. */
#include "package/pak.h"

static void check(const struct pak *p, size_t size)
{
	uint64_t end = 0, sum = 0;
	for (size_t i = 0; i < p->entries.count; i++) {
		const struct pak_entry *e = &p->entries.data[i];
		ASSERT(e->off >= end && e->off <= size && e->size <= size - e->off);
		end = e->off + e->size;
		sum += e->size + PAK_ENTRY_SIZE;
	}
	for (size_t i = 0; i < p->aliases.count; i++)
		ASSERT(p->aliases.data[i].entry < p->entries.count);
	ASSERT(sum + p->aliases.count * PAK_ALIAS_SIZE <= size);
	ASSERT(p->version == 4 || p->version == 5);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pak p;
	struct heft_err err = { 0 };
	const struct bytes b = { data, size };
	(void)pak_matches(b);
	if (pak_parse(&p, "fuzz", b, &err)) {
		check(&p, size);
		pak_release(&p);
	} else {
		ASSERT(err.code == HEFT_EFORMAT && memcmp(err.text, "fuzz:", 5) == 0);
	}
	return 0;
}
