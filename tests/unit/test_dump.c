#include "../lib/coregen.h"
#include "heap/block.h"
#include "heap/dump.h"
#include "heap/records.h"
#include "image/elf/elf_const.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

static struct notes notes;

/* A file with these bytes; open_bytes unlinks it. */
static bool open_bytes(struct dump *d, const void *p, size_t size, const struct dump_wish *wish)
{
	char path[] = "/tmp/heft-test-XXXXXX";
	const int fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, p, size), size);
	close(fd);
	struct dump_piece piece;
	struct dump_wish own = wish ? *wish : (struct dump_wish){ .piece_count = 0 };
	if (own.piece_count == 1) {
		piece = own.pieces[0];
		piece.path = path;
		own.pieces = &piece;
	}
	const bool ok = dump_open(d, path, &own, &notes, NULL);
	unlink(path);
	return ok;
}

static void check_invariants(const struct dump *d)
{
	uint64_t end = 0, size = 0, present = 0;
	for (size_t i = 0; i < d->region_count; i++) {
		const struct region *r = &d->regions[i];
		assert_true(r->addr >= end && r->size > 0 && r->size <= UINT64_MAX - r->addr);
		assert_true(r->bytes.size <= r->size && r->file <= d->file_count);
		assert_true(dump_region(d, r->addr) == r);
		assert_true(dump_region(d, r->addr + r->size - 1) == r);
		end = r->addr + r->size;
		size += r->size;
		present += r->bytes.size;
	}
	assert_int_equal(d->size, size);
	assert_int_equal(d->present, present);
}

static struct coregen new_core(unsigned bits, bool big_endian)
{
	struct coregen g = coregen_make(bits, big_endian, bits == 64 ? EM_X86_64 : EM_386);
	g.pid = 7;
	g.name = "bee";
	vec_push(&g.threads, (struct coregen_thread){ 7, 0x11000, 0x80100, 0, 0 });
	return g;
}

static void open_core(struct dump *d, struct coregen *g)
{
	const struct bytes file = coregen_finish(g);
	assert_true(open_bytes(d, file.p, file.size, NULL));
	mem_free((void *)(uintptr_t)file.p);
	check_invariants(d);
}

static void regions_are_sorted_and_know_what_the_dump_holds(void **state)
{
	(void)state;
	static const uint8_t held[0x1000] = { 1, 2, 3 };
	struct coregen g = new_core(64, false);
	struct dump d;
	coregen_region(&g, 0x80000, 0x2000, held, sizeof held, PF_R | PF_W);
	coregen_region(&g, 0x10000, 0x1000, NULL, 0, PF_R | PF_X);
	open_core(&d, &g);
	assert_int_equal(d.region_count, 2);
	assert_int_equal(d.regions[0].addr, 0x10000);
	assert_true(d.regions[0].exec && !d.regions[0].write);
	assert_int_equal(d.present, 0x1000);
	assert_int_equal(dump_at(&d, 0x80001, 10).p[0], 2);
	assert_int_equal(dump_at(&d, 0x80ff0, 0x100).size, 0x10);
	assert_int_equal(dump_at(&d, 0x81000, 1).size, 0);
	assert_int_equal(dump_at(&d, 0x7ffff, 1).size, 0);
	assert_null(dump_region(&d, 0x82000));
	dump_close(&d);
}

static void overlapping_segments_keep_every_address_once(void **state)
{
	(void)state;
	static const uint8_t held[0x3000] = { 9 };
	struct coregen g = new_core(64, false);
	struct dump d;
	coregen_region(&g, 0x10000, 0x3000, held, 0x1800, PF_R);
	coregen_region(&g, 0x11000, 0x4000, held, 0x3000, PF_R | PF_W);
	coregen_region(&g, 0x12000, 0x1000, held, 0x1000, PF_R);
	coregen_region(&g, UINT64_MAX - 0xfff, 0x1000, held, 0x1000, PF_R);
	open_core(&d, &g);
	assert_int_equal(d.regions[0].size, 0x3000);
	assert_int_equal(d.regions[1].addr, 0x13000);
	assert_int_equal(d.regions[1].size, 0x2000);
	assert_int_equal(d.regions[1].bytes.size, 0x1000);
	assert_int_equal(d.size, 0x5000 + 0xfff);
	dump_close(&d);
}

/* A library of three segments: headers with a build id, code, data with .bss. */
static struct bytes header_page(unsigned bits, bool big_endian)
{
	struct elfgen e = elfgen_make(bits, big_endian, ET_DYN, bits == 64 ? EM_X86_64 : EM_386);
	struct elfgen_out o = { .big_endian = big_endian };
	elfgen_put(&o, 4, 4);
	elfgen_put(&o, 4, 8);
	elfgen_put(&o, 4, NT_GNU_BUILD_ID);
	elfgen_put_bytes(&o, "GNU\0abcdefgh", 12);
	const uint32_t note = elfgen_section(&e, ".note", SHT_NOTE, SHF_ALLOC, 0, o.bytes.data,
					     o.bytes.count);
	vec_push(&e.segments, (struct elfgen_segment){ .type = PT_LOAD,
						       .flags = PF_R,
						       .addr = 0,
						       .file_size = 0x1000,
						       .vm_size = 0x1000,
						       .align = 0x1000 });
	vec_push(&e.segments, (struct elfgen_segment){ .type = PT_LOAD,
						       .flags = PF_R | PF_X,
						       .off = 0x1000,
						       .addr = 0x1000,
						       .file_size = 0x1000,
						       .vm_size = 0x1000,
						       .align = 0x1000 });
	vec_push(&e.segments, (struct elfgen_segment){ .type = PT_LOAD,
						       .flags = PF_R | PF_W,
						       .off = 0x2000,
						       .addr = 0x3000,
						       .file_size = 0x1000,
						       .vm_size = 0x2800,
						       .align = 0x1000 });
	vec_push(&e.segments, (struct elfgen_segment){ .type = PT_NOTE,
						       .section = note,
						       .file_size = o.bytes.count,
						       .align = 4 });
	e.no_section_table = true;
	/* The note's address is its offset, which is known once the file is made. */
	struct bytes file = elfgen_finish(&e);
	const uint64_t ehdr = bits == 64 ? EHDR64_SIZE : EHDR32_SIZE;
	const uint64_t phdr = bits == 64 ? PHDR64_SIZE : PHDR32_SIZE;
	const uint64_t off = ehdr + 4 * phdr;
	elfgen_poke(file, ehdr + 3 * phdr + (bits == 64 ? 16 : 8), bits / 8, big_endian, off);
	vec_release(&o.bytes);
	return file;
}

static void map_library(struct coregen *g, uint64_t at, struct bytes head, const char *path)
{
	static const uint8_t data[0x1000];
	struct coregen_region *r = coregen_region(g, at, 0x1000, head.p, head.size, PF_R);
	r->path = path;
	r = coregen_region(g, at + 0x1000, 0x1000, NULL, 0, PF_R | PF_X);
	r->path = path;
	r->file_off = 0x1000;
	r = coregen_region(g, at + 0x3000, 0x1000, data, sizeof data, PF_R | PF_W);
	r->path = path;
	r->file_off = 0x2000;
	coregen_region(g, at + 0x4000, 0x2000, data, sizeof data, PF_R | PF_W); /* .bss */
}

static void modules_tell_their_bias_build_id_and_end(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		const unsigned bits = i & 1 ? 32 : 64;
		const bool big = i & 2;
		struct coregen g = new_core(bits, big);
		struct dump d;
		const struct bytes head = header_page(bits, big);
		map_library(&g, 0x100000, head, "/lib/bee.so");
		open_core(&d, &g);
		assert_int_equal(d.file_count, 1);
		const struct dump_file *f = &d.files[0];
		assert_true(f->module);
		assert_int_equal(f->bias, 0x100000);
		assert_int_equal(f->start, 0x100000);
		assert_int_equal(f->end, 0x105800);
		assert_int_equal(f->build_id.size, 8);
		assert_memory_equal(f->build_id.p, "abcdefgh", 8);
		assert_ptr_equal(dump_module(&d, 0x104800), f); /* .bss */
		assert_null(dump_module(&d, 0x105800));
		assert_null(dump_module(&d, 0xfffff));
		assert_int_equal(d.regions[2].file_off, 0x2000);
		assert_int_equal(d.regions[3].file, 0);
		dump_close(&d);
		mem_free((void *)(uintptr_t)head.p);
	}
}

static void a_library_mapped_twice_is_two_modules(void **state)
{
	(void)state;
	struct coregen g = new_core(64, false);
	struct dump d;
	const struct bytes head = header_page(64, false);
	map_library(&g, 0x100000, head, "/lib/bee.so");
	map_library(&g, 0x200000, head, "/lib/bee.so");
	open_core(&d, &g);
	assert_int_equal(d.file_count, 2);
	assert_int_equal(d.files[1].bias, 0x200000);
	assert_ptr_equal(dump_module(&d, 0x201000), &d.files[1]);
	dump_close(&d);
	mem_free((void *)(uintptr_t)head.p);
}

static void a_library_that_is_only_read_is_no_module(void **state)
{
	(void)state;
	struct coregen g = new_core(64, false);
	struct dump d;
	const struct bytes head = header_page(64, false);
	coregen_region(&g, 0x100000, 0x8000, head.p, head.size, PF_R)->path = "/lib/bee.so";
	open_core(&d, &g);
	assert_int_equal(d.file_count, 1);
	assert_false(d.files[0].module);
	dump_close(&d);
	mem_free((void *)(uintptr_t)head.p);
}

static void code_without_headers_is_a_module_by_its_mapping(void **state)
{
	(void)state;
	const struct bytes none = { NULL, 0 };
	struct coregen g = new_core(64, false);
	struct dump d;
	map_library(&g, UINT64_C(0x7f0000100000), none, "/lib/bee.so");
	open_core(&d, &g);
	assert_true(d.files[0].module);
	assert_int_equal(d.files[0].bias, UINT64_C(0x7f0000100000));
	assert_int_equal(d.files[0].build_id.size, 0);
	dump_close(&d);
}

static void a_stack_is_as_large_as_its_thread_says(void **state)
{
	(void)state;
	static uint8_t memory[0x10000];
	static const uint8_t block[16] = { 0, 0x10, 8, 0, 0, 0, 0, 0, 0, 0x50 };
	struct coregen g = new_core(64, false);
	struct dump d;
	memcpy(memory + 0x5740 + 0x690, block, sizeof block);
	coregen_region(&g, 0x80000, 0x10000, memory, sizeof memory, PF_R | PF_W);
	vec_push(&g.threads, (struct coregen_thread){ 8, 0, 0x83000, 0, 0x85740 });
	open_core(&d, &g);
	assert_int_equal(d.thread_count, 2);
	assert_string_equal(d.threads[0].name, "bee");
	assert_int_equal(d.threads[0].stack_start, 0x80000);
	assert_int_equal(d.threads[0].stack_end, 0x90000);
	assert_int_equal(d.threads[1].stack_start, 0x81000);
	assert_int_equal(d.threads[1].stack_end, 0x86000);
	assert_string_equal(d.threads[1].name, "");
	dump_close(&d);
}

static void a_stack_that_nothing_proves_is_none(void **state)
{
	(void)state;
	struct coregen g = new_core(64, false);
	struct dump d;
	coregen_region(&g, 0x80000, 0x10000, NULL, 0, PF_R | PF_W);
	vec_push(&g.threads, (struct coregen_thread){ 8, 0, 0x83000, 0, 0x85740 });
	open_core(&d, &g);
	assert_int_equal(d.threads[1].stack_start, d.threads[1].stack_end);
	assert_non_null(d.lacks);
	assert_int_equal(d.left_out, 0x10000);
	dump_close(&d);
}

static void a_core_cut_at_any_place_opens_and_tells_what_is_missing(void **state)
{
	(void)state;
	static const uint8_t held[0x2000] = { 5 };
	struct coregen g = new_core(64, false);
	coregen_region(&g, 0x10000, 0x2000, held, sizeof held, PF_R | PF_W);
	const struct bytes file = coregen_finish(&g);
	for (size_t size = EHDR64_SIZE + 2 * PHDR64_SIZE; size <= file.size; size += 101) {
		struct dump d;
		assert_true(open_bytes(&d, file.p, size, NULL));
		check_invariants(&d);
		assert_int_equal(d.size, 0x2000);
		assert_int_equal(d.lacks != NULL, d.present < d.size);
		assert_true(d.missing >= d.size - d.present);
		assert_int_equal(d.missing + d.present > 0, 1);
		dump_close(&d);
	}
	mem_free((void *)(uintptr_t)file.p);
}

/* ---- raw images ------------------------------------------------------------------------------ */

static void raw_memory_finds_its_address_by_its_pages(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		const unsigned word = i & 1 ? 4 : 8;
		const bool big = i & 2;
		uint8_t *raw = mem_zeroed(4, HEAP_PAGE_SIZE);
		const uint64_t at = HEAP_PAGE_SIZE + 0x1008;
		struct dump d;
		coregen_page(raw + at, word, big, 0x40000000, HEAP_PAGE_PROCESS, 1, 1);
		assert_true(open_bytes(&d, raw, 4 * HEAP_PAGE_SIZE, NULL));
		check_invariants(&d);
		assert_int_equal(d.kind, DUMP_RAW);
		assert_int_equal(d.word, word);
		assert_int_equal(d.big_endian, big);
		assert_int_equal(d.region_count, 1);
		assert_int_equal(d.regions[0].addr, 0x40000000 - at);
		struct records r;
		records_read(&r, &d, NULL);
		assert_true(r.found);
		records_release(&r);
		dump_close(&d);
		mem_free(raw);
	}
}

/* Two pieces; blocks of the second begin in front of its first page. */
static void pieces_of_raw_memory_are_told_apart(void **state)
{
	(void)state;
	uint8_t *raw = mem_zeroed(8, HEAP_PAGE_SIZE);
	const uint64_t a = 0x10000000, b = 0x50000000, cut = 3 * HEAP_PAGE_SIZE;
	struct dump d;
	coregen_page(raw, 8, false, a, HEAP_PAGE_PROCESS, 1, 1);
	coregen_block(raw, HEAP_PAGE_SIZE + 64, false, a, 100, 0, 1);
	coregen_block(raw, cut + 32, false, b - cut, 100, 0, 1);
	coregen_page(raw + cut + 2 * HEAP_PAGE_SIZE, 8, false, b + 2 * HEAP_PAGE_SIZE,
		     HEAP_PAGE_STACKS, 1, 0);
	assert_true(open_bytes(&d, raw, 8 * HEAP_PAGE_SIZE, NULL));
	check_invariants(&d);
	assert_int_equal(d.region_count, 2);
	assert_int_equal(d.regions[0].addr, a);
	assert_int_equal(d.regions[0].size, cut);
	assert_int_equal(d.regions[1].addr, b);
	assert_int_equal(d.regions[1].size, 5 * HEAP_PAGE_SIZE);
	dump_close(&d);
	mem_free(raw);
}

/* The user places the front, the page what is behind it. */
static void pieces_of_the_user_and_pages_complete_each_other(void **state)
{
	(void)state;
	uint8_t *raw = mem_zeroed(4, HEAP_PAGE_SIZE);
	struct dump d;
	coregen_page(raw + 2 * HEAP_PAGE_SIZE, 8, false, 0x40000000, HEAP_PAGE_PROCESS, 1, 1);
	const struct dump_piece piece = { .has_addr = true, .addr = 0x7000, .off = 4096 };
	const struct dump_wish wish = { .pieces = &piece, .piece_count = 1 };
	assert_true(open_bytes(&d, raw, 4 * HEAP_PAGE_SIZE, &wish));
	check_invariants(&d);
	assert_int_equal(d.word, 8);
	assert_int_equal(d.region_count, 2);
	assert_int_equal(d.regions[0].addr, 0x7000);
	assert_int_equal(d.regions[0].size, 2 * HEAP_PAGE_SIZE - 4096);
	assert_int_equal(d.regions[1].addr, 0x40000000);
	assert_int_equal(d.regions[1].size, 2 * HEAP_PAGE_SIZE);
	dump_close(&d);
	mem_free(raw);
}

static void a_page_that_fails_its_check_places_nothing(void **state)
{
	(void)state;
	uint8_t *raw = mem_zeroed(2, HEAP_PAGE_SIZE);
	struct dump d;
	coregen_page(raw + 4096, 8, false, 0x40000000, HEAP_PAGE_PROCESS, 1, 1);
	raw[4096 + 8] ^= 1;
	assert_true(open_bytes(&d, raw, 2 * HEAP_PAGE_SIZE, NULL));
	assert_int_equal(d.regions[0].addr, 0);
	assert_int_equal(d.word, 0);
	dump_close(&d);
	mem_free(raw);
}

static void inline_stacks_tell_word_and_order_and_the_user_the_address(void **state)
{
	(void)state;
	static const uint64_t frames[] = { 0x1234, 0x5678 };
	for (unsigned i = 0; i < 4; i++) {
		const unsigned word = i & 1 ? 4 : 8;
		const bool big = i & 2;
		uint8_t raw[4096] = { 0 };
		struct dump d;
		coregen_inline(raw, 256, word, big, 0x20000000, 64, frames, COUNT_OF(frames));
		const struct dump_piece piece = { .has_addr = true, .addr = 0x20000010, .off = 16 };
		const struct dump_wish wish = { .pieces = &piece, .piece_count = 1 };
		assert_true(open_bytes(&d, raw, sizeof raw, &wish));
		check_invariants(&d);
		assert_int_equal(d.word, word);
		assert_int_equal(d.big_endian, big);
		assert_int_equal(d.regions[0].addr, 0x20000010);
		assert_int_equal(d.regions[0].size, sizeof raw - 16);
		assert_ptr_equal(dump_at(&d, 0x20000100, 1).p, d.regions[0].bytes.p + 240);
		dump_close(&d);
	}
}

/* Without a page: at a page, and anywhere; headers that are all alike allow several addresses. */
static void blocks_of_several_sizes_tell_where_they_lay(void **state)
{
	static const uint64_t frames[] = { 0x1111, 0x2222, 0x3333 };
	static const uint64_t bases[] = { 0x20000000, 0x20000450 };
	(void)state;
	for (unsigned i = 0; i < 8; i++) {
		const unsigned word = i & 1 ? 4 : 8;
		const bool big = i & 2;
		const uint64_t base = bases[i >> 2];
		const size_t size = base % 4096 == 0 ? 4096 : 64 << 10;
		uint8_t *raw = mem_zeroed(1, size);
		struct dump d;
		for (unsigned k = 0; k < 6; k++)
			coregen_inline(raw, 256 + 512 * k, word, big, base, 64 + 8 * k, frames,
				       COUNT_OF(frames));
		assert_true(open_bytes(&d, raw, size, NULL));
		assert_int_equal(d.regions[0].addr, base);
		assert_int_equal(d.regions[0].size, size);
		dump_close(&d);
		mem_free(raw);
	}
}

/* Two of one size verify at many pages together, of which one may be the only one there is. */
static void blocks_of_one_size_do_not_outvote_another(void **state)
{
	static const uint64_t frames[] = { 0x1111, 0x2222, 0x3333 };
	static const uint64_t bases[] = { 0x55dc20b5d030, 0x560639bcb030 };
	enum { SIZE = 64 << 10 };
	(void)state;
	for (size_t i = 0; i < COUNT_OF(bases); i++) {
		uint8_t *raw = mem_zeroed(1, SIZE);
		struct dump d;
		coregen_inline(raw, 0x100, 8, false, bases[i], 0x1000, frames, COUNT_OF(frames));
		coregen_inline(raw, 0x1400, 8, false, bases[i], 0x1000, frames, COUNT_OF(frames));
		coregen_inline(raw, 0x2800, 8, false, bases[i], 0x200, frames, COUNT_OF(frames));
		assert_true(open_bytes(&d, raw, SIZE, NULL));
		assert_int_equal(d.regions[0].addr, bases[i]);
		dump_close(&d);
		mem_free(raw);
	}
}

static void a_snapshot_is_pages_at_their_addresses(void **state)
{
	(void)state;
	uint8_t *file = mem_zeroed(3, HEAP_PAGE_SIZE);
	struct dump d;
	coregen_page(file, 8, false, 0x50000000, HEAP_PAGE_NODES, 1, 0);
	coregen_page(file + HEAP_PAGE_SIZE, 8, false, 0x40000000, HEAP_PAGE_PROCESS, 1, 1);
	coregen_page(file + 2 * HEAP_PAGE_SIZE, 8, false, 0x40008000, HEAP_PAGE_STACKS, 1, 0);
	assert_true(open_bytes(&d, file, 3 * HEAP_PAGE_SIZE, NULL));
	check_invariants(&d);
	assert_int_equal(d.kind, DUMP_PAGES);
	assert_int_equal(d.present, 3 * HEAP_PAGE_SIZE);
	assert_int_equal(d.regions[0].addr, 0x40000000);
	assert_int_equal(d.regions[0].off, HEAP_PAGE_SIZE);
	dump_close(&d);
	mem_free(file);
}

static void a_program_is_no_dump(void **state)
{
	(void)state;
	struct dump d;
	struct heft_err err = { 0 };
	assert_false(dump_open(&d, "/proc/self/exe", NULL, &notes, &err));
	assert_int_equal(err.code, HEFT_EUNSUPPORTED);
}

static void the_recorder_names_modules_the_dump_does_not(void **state)
{
	(void)state;
	uint8_t *raw = mem_zeroed(2, HEAP_PAGE_SIZE);
	struct records r;
	struct dump d;
	coregen_page(raw, 8, false, 0x40000000, HEAP_PAGE_PROCESS, 1, 1);
	coregen_page(raw + HEAP_PAGE_SIZE, 8, false, 0x40008000, HEAP_PAGE_MODULES, 1, 1);
	uint8_t *m = raw + HEAP_PAGE_SIZE + HEAP_PAGE_HEADER;
	const struct bytes all = { m, sizeof(struct heap_module) };
	elfgen_poke(all, 0, 8, false, 0x600000);
	elfgen_poke(all, 8, 8, false, 0x700000);
	elfgen_poke(all, 16, 8, false, 0x5ff000);
	elfgen_poke(all, 32, 4, false, 4);  /* build_id_size */
	elfgen_poke(all, 36, 4, false, 11); /* path_size */
	memcpy(m + 40, "\1\2\3\4", 4);
	memcpy(m + 72, "/lib/bee.so", 11);
	/* The pages of a process name its process page, and the check covers that. */
	struct heap_page p = { .magic = HEAP_PAGE_MAGIC + 8,
			       .self = 0x40008000,
			       .process = 0x40000000,
			       .kind = HEAP_PAGE_MODULES,
			       .number = 1,
			       .entry_size = sizeof(struct heap_module),
			       .version = HEAP_VERSION };
	const struct bytes head = { raw + HEAP_PAGE_SIZE, HEAP_PAGE_HEADER };
	elfgen_poke(head, 16, 8, false, p.process);
	elfgen_poke(head, 52, 4, false, heap_page_check(&p));
	assert_true(open_bytes(&d, raw, 2 * HEAP_PAGE_SIZE, NULL));
	records_read(&r, &d, &notes);
	dump_learn(&d, &r);
	records_release(&r);
	assert_int_equal(d.file_count, 1);
	assert_string_equal(d.files[0].path, "/lib/bee.so");
	assert_int_equal(d.files[0].bias, 0x5ff000);
	assert_int_equal(d.files[0].build_id.size, 4);
	assert_ptr_equal(dump_module(&d, 0x6fffff), &d.files[0]);
	dump_close(&d);
	mem_free(raw);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(regions_are_sorted_and_know_what_the_dump_holds),
		cmocka_unit_test(overlapping_segments_keep_every_address_once),
		cmocka_unit_test(modules_tell_their_bias_build_id_and_end),
		cmocka_unit_test(a_library_mapped_twice_is_two_modules),
		cmocka_unit_test(a_library_that_is_only_read_is_no_module),
		cmocka_unit_test(code_without_headers_is_a_module_by_its_mapping),
		cmocka_unit_test(a_stack_is_as_large_as_its_thread_says),
		cmocka_unit_test(a_stack_that_nothing_proves_is_none),
		cmocka_unit_test(a_core_cut_at_any_place_opens_and_tells_what_is_missing),
		cmocka_unit_test(raw_memory_finds_its_address_by_its_pages),
		cmocka_unit_test(pieces_of_raw_memory_are_told_apart),
		cmocka_unit_test(pieces_of_the_user_and_pages_complete_each_other),
		cmocka_unit_test(a_page_that_fails_its_check_places_nothing),
		cmocka_unit_test(inline_stacks_tell_word_and_order_and_the_user_the_address),
		cmocka_unit_test(blocks_of_several_sizes_tell_where_they_lay),
		cmocka_unit_test(blocks_of_one_size_do_not_outvote_another),
		cmocka_unit_test(a_snapshot_is_pages_at_their_addresses),
		cmocka_unit_test(a_program_is_no_dump),
		cmocka_unit_test(the_recorder_names_modules_the_dump_does_not),
	};
	notes_init(&notes);
	const int failed = cmocka_run_group_tests(tests, NULL, NULL);
	notes_release(&notes);
	return failed;
}
