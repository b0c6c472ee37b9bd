/* A core: its notes, the regions and modules of the dump, and what the recorder left in it. 
 * Regions must be in order and apart, and every look-up must find them. */
#include "heap/heap_layout.h"
#include "image/core.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_regions(const struct dump *d)
{
	uint64_t end = 0, present = 0;
	for (size_t i = 0; i < d->region_count; i++) {
		const struct region *r = &d->regions[i];
		ASSERT(r->size > 0 && r->addr >= end && r->size <= UINT64_MAX - r->addr);
		ASSERT(r->bytes.size <= r->size && r->file <= d->file_count);
		ASSERT(dump_region(d, r->addr) == r);
		end = r->addr + r->size;
		present += r->bytes.size;
	}
	ASSERT(present == d->present);
}

static void check_files(const struct dump *d)
{
	for (size_t i = 0; i < d->file_count; i++) {
		const struct dump_file *f = &d->files[i];
		ASSERT(f->path && f->start <= f->end);
		ASSERT(i == 0 || d->files[i - 1].start <= f->start);
		const struct dump_file *m = dump_module(d, f->start);
		ASSERT(!m || (m->module && m->start <= f->start));
	}
}

struct parts_check {
	const struct dump *d;
	uint64_t end; /* of the part before */
};

static void check_part(void *ctx, const struct heap_part *p, const struct heap_found *block)
{
	struct parts_check *c = ctx;
	(void)block;
	ASSERT(p->addr >= c->end && dump_region(c->d, p->addr) != NULL);
	c->end = p->addr + p->size;
}

/* The parts of the heap lie in memory, in order. */
static void check_heap(const struct dump *d)
{
	struct records r;
	struct calls c;
	struct blocks_found b;
	struct heap_layout l;
	records_read(&r, d, NULL);
	calls_read(&c, d, &r, NULL);
	heap_scan(&b, d, &r, &c, 1, NULL);
	heap_layout_make(&l, d, &r, &b);
	struct parts_check parts = { d, 0 };
	heap_parts_each(&l, check_part, &parts);
	heap_layout_release(&l);
	heap_scan_release(&b);
	calls_release(&c);
	records_release(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct image im;
	struct dump d;
	if (!elf_parse(&im, &(struct image_place){ "core", STR(""), 0, 0 },
		       (struct bytes){ data, size }, NULL, NULL))
		return 0;
	if (im.kind == IMAGE_CORE) {
		dump_of_image(&d, &im, NULL);
		check_regions(&d);
		check_files(&d);
		check_heap(&d);
		dump_close(&d);
	}
	image_release(&im);
	return 0;
}
