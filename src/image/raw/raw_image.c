/* The image of bytes at addresses alone. */
#include "image/raw/raw_internal.h"

#include "image/build.h"
#include "image/elf/elf_const.h"

struct alone {
	struct image_build build;
	const struct raw *raw;
	const struct raw_chunk *chunk; /* at work */
};

static void add_run(void *ctx, uint64_t off, uint64_t size, bool padding)
{
	struct alone *a = ctx;
	const uint64_t addr = a->chunk->addr + off;
	const char *name = arena_format(&a->build.im->arena, "0x%08" PRIx64, addr);
	build_section(&a->build,
		      &(struct section){ .name = STR(""),
					 .title = padding ? STR("[padding]") : str_of(name),
					 .type = SHT_PROGBITS,
					 .flags = SHF_ALLOC,
					 .addr = addr,
					 .off = a->chunk->off + off,
					 .size = size,
					 .file_size = size });
}

static void add_chunk(struct alone *a, const struct raw_chunk *c)
{
	const char *name = arena_format(&a->build.im->arena, "0x%08" PRIx64, c->addr);
	a->chunk = c;
	build_segment(&a->build, &(struct segment){ .name = str_of(name),
						    .read = true,
						    .addr = c->addr,
						    .vm_size = c->size,
						    .off = c->off,
						    .file_size = c->size });
	raw_runs(bytes_sub(a->raw->bytes, c->off, c->size), raw_least_run(a->raw->bytes.size),
		 add_run, a);
}

void raw_image(struct image *im, const struct image_place *at, const struct raw *r,
	       struct notes *notes)
{
	struct alone a = { .raw = r };
	build_init(&a.build, im, at, r->bytes, notes);
	im->format = r->format;
	im->kind = IMAGE_EXEC;
	im->type = ET_EXEC;
	im->bits = 32;
	im->machine = r->machine;
	im->entry = r->entry;
	for (size_t i = 0; i < r->parts.count; i++)
		build_part(&a.build, r->parts.data[i].off, r->parts.data[i].size,
			   r->parts.data[i].label);
	for (size_t i = 0; i < r->chunks.count; i++)
		add_chunk(&a, &r->chunks.data[i]);
	build_finish(&a.build, 0, 0);
}
