/* Raw memory and files of the recorder's pages.  The last bytes choose what the user knows: 0
 * nothing, 1 the address, 2 a second piece, and the word and order. */
#include "heap/block_scan.h"

#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct dump *d)
{
	uint64_t end = 0;
	ASSERT(d->word == 0 || d->word == 4 || d->word == 8);
	for (size_t i = 0; i < d->region_count; i++) {
		const struct region *r = &d->regions[i];
		ASSERT(r->size > 0 && r->addr >= end && r->size <= UINT64_MAX - r->addr);
		ASSERT(r->bytes.size == r->size && r->off <= d->file_size &&
		       r->size <= d->file_size - r->off);
		end = r->addr + r->size;
	}
	ASSERT(d->present <= d->file_size);
}

static void scan(const struct dump *d)
{
	struct records r;
	struct calls c;
	struct blocks_found b;
	records_read(&r, d, NULL);
	calls_read(&c, d, &r, NULL);
	heap_scan(&b, d, &r, &c, 1, NULL);
	for (size_t i = 0; i < b.live.count; i++)
		ASSERT(dump_region(d, heap_live(&b, i).addr - 1) != NULL);
	heap_scan_release(&b);
	calls_release(&c);
	records_release(&r);
}

static void open_dump(const char *path, const uint8_t *data, size_t size)
{
	const uint8_t how = data[size - 1];
	const struct dump_piece pieces[] = {
		{ path, true, (uint64_t)data[0] << 12, 0 },
		{ path, true, (uint64_t)data[size / 2] << 20, size / 2 },
	};
	const struct dump_wish wish = { .pieces = pieces,
					.piece_count = how % 3,
					.word = how & 8    ? 4
						: how & 16 ? 8
							   : 0,
					.order = how & 32 ? DUMP_BIG : DUMP_ANY_ORDER };
	struct dump d;
	struct heft_err err = { 0 };
	if (!dump_open(&d, path, &wish, NULL, &err)) {
		ASSERT(err.text[0] != '\0');
		return;
	}
	if (d.kind != DUMP_CORE)
		check(&d);
	scan(&d);
	dump_close(&d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[] = "/tmp/heft-fuzz-XXXXXX";
	const int fd = size > 0 ? mkstemp(path) : -1;
	if (fd < 0)
		return 0;
	if (write(fd, data, size) == (ssize_t)size)
		open_dump(path, data, size);
	close(fd);
	unlink(path);
	return 0;
}
