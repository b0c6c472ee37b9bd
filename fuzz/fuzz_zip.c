/* Input: a zip file.  Entries lie apart inside the file; what is unpacked has the stated size. */
#include "package/zip.h"

#include <stdlib.h>

enum { UNPACKED_MAX = 1 << 20 };

static void check_entry(const struct zip *z, const struct zip_entry *e)
{
	struct bytes b;
	void *owned;
	struct heft_err err = { 0 };
	if (e->size > UNPACKED_MAX)
		return;
	if (zip_unpack(z, e, &b, &owned, &err)) {
		ASSERT(b.size == (e->method == ZIP_STORED ? e->packed : e->size));
		mem_free(owned);
	} else {
		ASSERT(err.code != 0 && err.text[0] != '\0');
	}
}

static void check(const struct zip *z, size_t size)
{
	uint64_t end = 0;
	for (size_t i = 0; i < z->entries.count; i++) {
		const struct zip_entry *e = &z->entries.data[i];
		ASSERT(e->off >= end && e->data > e->off && e->extra < e->data - e->off);
		ASSERT(e->data <= z->directory && e->packed <= z->directory - e->data);
		ASSERT((const uint8_t *)e->name.p >= z->bytes.p &&
		       (const uint8_t *)e->name.p + e->name.len <= z->bytes.p + size);
		end = e->data + e->packed;
		check_entry(z, e);
	}
	ASSERT(z->directory <= size && z->directory_size <= size - z->directory);
	ASSERT(z->directory_extra <= z->directory_size);
	if (z->signing_size > 0)
		ASSERT(z->signing >= end && z->signing + z->signing_size == z->directory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct zip z;
	struct notes notes;
	struct heft_err err = { 0 };
	notes_init(&notes);
	if (zip_parse(&z, "fuzz", (struct bytes){ data, size }, &notes, &err)) {
		check(&z, size);
		zip_release(&z);
	} else {
		ASSERT(err.code == HEFT_EFORMAT && memcmp(err.text, "fuzz:", 5) == 0);
	}
	notes_release(&notes);
	return 0;
}
