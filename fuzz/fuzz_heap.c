/* The heap of a dump: pages, blocks, chunks, leaks.  The first byte chooses: bit 0 byte order, bit
 * 1 4-byte words, bit 2 regions without holes between them, bit 3 checks are made good first, so
 * that what is behind them is reached; bits 4 to 6 the size of the regions the rest is cut to. */
#include "../tests/lib/heap_invariants.h"

#include "heap/damage.h"
#include "heap/glibc.h"
#include "heap/records.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { REGIONS = 64, LOW = 0x100000 };

struct maker {
	struct dump d;
	struct region regions[REGIONS];
	uint8_t *memory;
};

static uint64_t get(const struct maker *m, const uint8_t *p, unsigned width)
{
	struct reader r = reader_make(p, width, m->d.big_endian);
	return read_wide(&r, width);
}

static void set(const struct maker *m, uint8_t *p, unsigned width, uint64_t v)
{
	for (unsigned i = 0; i < width; i++)
		p[m->d.big_endian ? width - 1 - i : i] = (uint8_t)(v >> 8 * i);
}

/* A page that states where it stands, and its check. */
static void mend_page(const struct maker *m, uint8_t *p, uint64_t addr)
{
	static const uint32_t sizes[] = { 0, 120, 504, 64, 16, 64, 16, 32 };
	struct heap_page h = { .self = addr, .process = LOW, .version = HEAP_VERSION };
	if (get(m, p, 8) >> 8 != HEAP_PAGE_MAGIC >> 8)
		return;
	h.magic = HEAP_PAGE_MAGIC + 8;
	h.kind = (uint32_t)get(m, p + 24, 4) & 7;
	h.number = (uint32_t)get(m, p + 28, 4);
	h.entry_size = sizes[h.kind];
	h.slot = (uint32_t)get(m, p + 40, 4);
	set(m, p, 8, h.magic);
	set(m, p + 8, 8, h.self);
	set(m, p + 16, 8, h.process);
	set(m, p + 24, 4, h.kind);
	set(m, p + 32, 4, h.entry_size);
	set(m, p + 48, 4, h.version);
	set(m, p + 52, 4, heap_page_check(&h));
}

static void mend_header(const struct maker *m, uint8_t *h, uint64_t room, uint64_t p)
{
	const uint64_t mark = get(m, h + 8, 8);
	const uint32_t stack = (uint32_t)get(m, h, 8);
	uint64_t wide = 0;
	if ((mark & HEAP_MARK_MASK) != HEAP_MARK)
		return;
	if ((mark >> HEAP_FLAG_SHIFT & (HEAP_WIDE | HEAP_FREED)) == HEAP_WIDE && room >= 16)
		wide = get(m, h - 16, 8) ^ get(m, h - 8, 8);
	set(m, h, 8, (uint64_t)heap_check(p, mark, stack, wide) << 32 | stack);
}

static void mend(const struct maker *m)
{
	for (size_t i = 0; i < m->d.region_count; i++) {
		const struct region *g = &m->regions[i];
		uint8_t *p = m->memory + (g->bytes.p - m->memory);
		if (g->addr % HEAP_PAGE_SIZE == 0 && g->bytes.size >= HEAP_PAGE_HEADER)
			mend_page(m, p, g->addr);
		for (uint64_t off = 0; off + 16 <= g->bytes.size; off += 16)
			mend_header(m, p + off, off, g->addr + off + 16);
	}
}

static void make(struct maker *m, uint8_t mode, size_t size)
{
	const uint64_t each = UINT64_C(64) << (mode >> 4 & 7);
	m->d = (struct dump){ .path = "fuzz",
			      .big_endian = mode & 1,
			      .word = mode & 2 ? 4 : 8,
			      .regions = m->regions };
	uint64_t addr = LOW;
	for (uint64_t off = 0; off < size && m->d.region_count < REGIONS; off += each) {
		const uint64_t n = min_u64(each, size - off);
		m->regions[m->d.region_count++] = (struct region){
			.addr = addr, .size = n, .bytes = { m->memory + off, n }, .write = true
		};
		addr += mode & 4 ? n : HEAP_PAGE_SIZE;
	}
}

static void check(const struct dump *d)
{
	struct records r;
	struct calls c;
	struct blocks_found b;
	struct heap_layout l;
	struct damages damages;
	uint8_t *reach;
	const char *why;
	records_read(&r, d, NULL);
	calls_read(&c, d, &r, NULL);
	heap_scan(&b, d, &r, &c, 1, NULL);
	struct glibc_heaps glibc = { 0 };
	if (b.live.count == 0 && b.freed.count == 0)
		glibc_heaps_find(&glibc, &b, &c, d);
	ASSERT(glibc.chunks == b.live.count || glibc.arenas == 0);
	heap_layout_make(&l, d, &r, &b);
	heap_damage_find(&damages, d, &r, &c, &b, &l);
	ASSERT(heap_invariants(d, &c, &b, &l) == NULL);
	for (size_t i = 0; i < damages.list.count; i++) {
		const struct damage *g = &damages.list.data[i];
		ASSERT(g->block == SIZE_MAX || g->block < b.live.count);
		ASSERT(g->victim == SIZE_MAX || g->victim < b.live.count);
		ASSERT(g->freed == SIZE_MAX || g->freed < b.freed.count);
	}
	ASSERT(heap_reach(&reach, &why, d, &r, &b, &l));
	ASSERT(heap_reach_invariants(reach, &b) == NULL);
	mem_free(reach);
	heap_damage_release(&damages);
	heap_layout_release(&l);
	heap_scan_release(&b);
	calls_release(&c);
	records_release(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct maker m = { 0 };
	struct dump_thread thread = { 0 };
	uint64_t regs[4] = { 0 };
	if (size < 2)
		return 0;
	m.memory = mem_alloc(size - 1);
	memcpy(m.memory, data + 1, size - 1);
	make(&m, data[0], size - 1);
	if (data[0] & 8)
		mend(&m);
	for (unsigned i = 0; i < COUNT_OF(regs) && 8 * (i + 1) < size; i++)
		regs[i] = get(&m, m.memory + 8 * i, 8);
	thread.regs = regs;
	thread.reg_count = COUNT_OF(regs);
	thread.stack_start = LOW;
	thread.stack_end = LOW + size;
	thread.sp = regs[0];
	m.d.threads = &thread;
	m.d.thread_count = 1;
	m.d.signal = (int)(regs[1] % 12);
	m.d.has_fault = true;
	m.d.fault_addr = regs[2];
	check(&m.d);
	mem_free(m.memory);
	return 0;
}
