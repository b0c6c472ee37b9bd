/* Cores that no kernel would write: mappings of real programs at odd places, heaps with and without
 * blocks, notes that contradict the segments. */
#include "../lib/coregen.h"
#include "base/file.h"
#include "generate.h"
#include "heap/block.h"
#include "image/image.h"
#include "image/elf/elf_const.h"

#include <stdlib.h>

enum { HEAP_ROOM = 3 * HEAP_PAGE_SIZE, REGIONS_MAX = 24 };

struct maker {
	struct rng *r;
	struct coregen g;
	struct arena arena;
	uint64_t at; /* where the next region goes */
};

static uint64_t next_place(struct maker *m, uint64_t size)
{
	const uint64_t at = rng_once_in(m->r, 20) ? rng_odd_number(m->r) & ~UINT64_C(0xfff) : m->at;
	if (!rng_once_in(m->r, 6)) /* else they overlap */
		m->at += align_up(size, 0x1000) + (rng_below(m->r, 3) << 12);
	return at;
}

/* Blocks with headers, an inline stack now and then, and the recorder's pages. */
static void add_heap(struct maker *m)
{
	static const uint64_t frames[] = { 0x401234, 0x7f0000001000, HEAP_FRAME_CUT };
	uint8_t *p = arena_calloc(&m->arena, HEAP_ROOM, 1, 16);
	const bool big = m->g.big_endian;
	const unsigned word = m->g.bits / 8;
	m->at = align_up(m->at, HEAP_PAGE_SIZE);
	const uint64_t addr = next_place(m, HEAP_ROOM);
	uint64_t at = 128;
	while (at + 2048 < 2 * HEAP_PAGE_SIZE) {
		const uint64_t size = rng_below(m->r, 600);
		if (rng_once_in(m->r, 3))
			coregen_inline(p, at, word, big, addr, size, frames,
				       1 + (unsigned)rng_below(m->r, 3));
		else
			coregen_block(p, at, big, addr, size,
				      (unsigned)rng_below(m->r, 16) & ~(unsigned)HEAP_INLINE,
				      (uint32_t)(512 + rng_below(m->r, 3)));
		at += align_up(size, 16) + 96 + (rng_below(m->r, 8) << 4);
	}
	if (rng_once_in(m->r, 2))
		coregen_page(p + 2 * HEAP_PAGE_SIZE, word, big, addr + 2 * HEAP_PAGE_SIZE,
			     1 + (uint32_t)rng_below(m->r, 7), 1, (uint32_t)rng_below(m->r, 30));
	coregen_region(&m->g, addr, HEAP_ROOM, p, HEAP_ROOM - rng_below(m->r, 2) * 5000,
		       PF_R | PF_W);
}

/* A program as the kernel maps it, with its first page in the core. */
static void add_program(struct maker *m)
{
	static const char *const paths[] = { "/bin/sh", "/bin/cat", "/no/such/file" };
	const char *path = paths[rng_below(m->r, COUNT_OF(paths))];
	struct heft_err err;
	struct file f;
	struct image im;
	if (!file_open(&f, path, &err)) {
		coregen_region(&m->g, next_place(m, 0x3000), 0x3000, NULL, 0, PF_R | PF_X)->path =
			path;
		return;
	}
	if (elf_parse(&im, &(struct image_place){ path, STR(""), 0, 0 }, f.bytes, NULL, NULL)) {
		const uint64_t bias = next_place(m, 0x200000);
		for (size_t i = 0; i < im.segment_count; i++) {
			const struct segment *s = &im.segments[i];
			const uint64_t skip = s->addr & 0xfff;
			if (s->type != PT_LOAD)
				continue;
			uint8_t *head = arena_calloc(&m->arena, 0x1000, 1, 16);
			memcpy(head, f.bytes.p, min_u64(0x1000, f.bytes.size));
			struct coregen_region *r = coregen_region(
				&m->g, bias + s->addr - skip,
				align_up(s->vm_size + skip, 0x1000) +
					(rng_once_in(m->r, 9) ? 0x5000 : 0),
				head, s->off == 0 && !rng_once_in(m->r, 4) ? 0x1000 : 0,
				(s->read ? PF_R : 0) | (s->write ? PF_W : 0) |
					(s->exec ? PF_X : 0));
			r->path = path;
			r->file_off = s->off - skip;
		}
		m->at = max_u64(m->at, bias + 0x300000);
		image_release(&im);
	}
	file_close(&f);
}

static void add_memory(struct maker *m)
{
	const uint64_t size = (1 + rng_below(m->r, 16)) << 12;
	const uint64_t held = rng_below(m->r, size + 1);
	uint8_t *p = arena_calloc(&m->arena, held + 1, 1, 16);
	struct coregen_region *r = coregen_region(&m->g, next_place(m, size), size, p, held,
						  (uint32_t)rng_below(m->r, 8));
	if (rng_once_in(m->r, 4))
		r->path = rng_once_in(m->r, 2) ? "/data" : "[odd]";
}

static void add_threads(struct maker *m)
{
	const uint64_t count = rng_below(m->r, 4);
	for (uint64_t i = 0; i < count; i++) {
		const struct coregen_region *r =
			&m->g.regions.data[rng_below(m->r, m->g.regions.count)];
		const uint64_t sp = r->addr + rng_below(m->r, r->size + 64);
		vec_push(&m->g.threads, (struct coregen_thread){ 70 + (uint32_t)i, r->addr, sp, sp,
								 sp + rng_below(m->r, 9000) });
	}
}

struct bytes generate_core(struct rng *r)
{
	static const uint16_t machines[] = { EM_X86_64, EM_X86_64, EM_AARCH64, EM_S390 };
	const bool wide = !rng_once_in(r, 5);
	const uint16_t machine = wide ? machines[rng_below(r, COUNT_OF(machines))] : EM_386;
	struct maker m = { .r = r, .at = 0x400000 };
	m.g = coregen_make(wide ? 64 : 32, wide && rng_once_in(r, 6), machine);
	m.g.pid = 70;
	m.g.name = "thread;one";
	m.g.no_files = rng_once_in(r, 6);
	const uint64_t count = 1 + rng_below(r, REGIONS_MAX);
	for (uint64_t i = 0; i < count; i++) {
		const uint64_t what = rng_below(r, 8);
		if (what == 0)
			add_heap(&m);
		else if (what == 1)
			add_program(&m);
		else
			add_memory(&m);
	}
	add_threads(&m);
	vec_push(&m.g.auxv, AT_PHDR);
	vec_push(&m.g.auxv, m.g.regions.data[0].addr + 64);
	struct bytes file = coregen_finish(&m.g);
	if (rng_once_in(r, 5))
		file.size -= rng_below(r, file.size / 2);
	arena_release(&m.arena);
	return file;
}
