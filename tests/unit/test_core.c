#include "../lib/coregen.h"
#include "image/core.h"
#include "image/elf/elf_const.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

struct parsed {
	struct bytes file;
	struct image im;
	struct core core;
};

static void parse(struct parsed *p, struct coregen *g)
{
	p->file = coregen_finish(g);
	assert_true(elf_parse(&p->im, &(struct image_place){ "core", STR(""), 0, 0 }, p->file, NULL,
			      NULL));
	core_read(&p->core, &p->im);
}

static void release(struct parsed *p)
{
	core_release(&p->core);
	image_release(&p->im);
	mem_free((void *)(uintptr_t)p->file.p);
}

static const struct kind {
	unsigned bits;
	bool big_endian;
	uint16_t machine;
} kinds[] = {
	{ 64, false, EM_X86_64 }, { 32, false, EM_386 }, { 64, false, EM_AARCH64 },
	{ 64, true, EM_AARCH64 }, { 32, true, EM_ARM },  { 64, false, EM_RISCV },
};

static struct coregen two_threads(const struct kind *k)
{
	struct coregen g = coregen_make(k->bits, k->big_endian, k->machine);
	g.pid = 100;
	g.signal = 11;
	g.fault = 0x1234;
	g.name = "worker";
	g.command = "worker --of bees";
	vec_push(&g.threads, (struct coregen_thread){ 100, 0x1000, 0x8010, 0x8020, 0 });
	vec_push(&g.threads, (struct coregen_thread){ 101, 0x2000, 0x9010, 0x9020, 0 });
	vec_push(&g.auxv, AT_PHDR);
	vec_push(&g.auxv, 0x1040);
	vec_push(&g.auxv, AT_EXECFN);
	vec_push(&g.auxv, 0x8ff0);
	return g;
}

static void threads_and_registers_are_read_of_every_machine(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(kinds); i++) {
		struct coregen g = two_threads(&kinds[i]);
		struct parsed p;
		parse(&p, &g);
		assert_int_equal(p.core.threads.count, 2);
		const struct core_thread *t = &p.core.threads.data[1];
		assert_int_equal(t->id, 101);
		assert_int_equal(t->pc, 0x2000);
		assert_int_equal(t->sp, 0x9010);
		assert_int_equal(t->fp, 0x9020);
		assert_true(t->reg_count >= 17);
		release(&p);
	}
}

static void the_process_and_its_end_are_read(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(kinds); i++) {
		struct coregen g = two_threads(&kinds[i]);
		struct parsed p;
		parse(&p, &g);
		assert_int_equal(p.core.pid, 100);
		assert_string_equal(p.core.name, "worker");
		assert_string_equal(p.core.command, "worker --of bees");
		assert_int_equal(p.core.signal, 11);
		assert_true(p.core.has_fault);
		assert_int_equal(p.core.fault_addr, 0x1234);
		assert_int_equal(p.core.phdr, 0x1040);
		assert_int_equal(p.core.execfn, 0x8ff0);
		release(&p);
	}
}

static void mapped_files_have_places_and_paths(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(kinds); i++) {
		struct coregen g = two_threads(&kinds[i]);
		struct coregen_region *r = coregen_region(&g, 0x10000, 0x2000, NULL, 0, PF_R);
		r->path = "/bin/worker";
		r->file_off = 0x3000;
		coregen_region(&g, 0x20000, 0x1000, NULL, 0, PF_R)->path = "/lib/bee.so";
		struct parsed p;
		parse(&p, &g);
		assert_int_equal(p.core.files.count, 2);
		assert_int_equal(p.core.files.data[0].start, 0x10000);
		assert_int_equal(p.core.files.data[0].end, 0x12000);
		assert_int_equal(p.core.files.data[0].off, 0x3000);
		assert_string_equal(p.core.files.data[0].path, "/bin/worker");
		assert_string_equal(p.core.files.data[1].path, "/lib/bee.so");
		release(&p);
	}
}

static void registers_of_other_machines_are_not_known(void **state)
{
	(void)state;
	const struct kind k = { 64, true, EM_S390 };
	struct coregen g = two_threads(&k);
	struct parsed p;
	parse(&p, &g);
	assert_int_equal(p.core.threads.count, 2);
	assert_int_equal(p.core.threads.data[0].id, 100);
	assert_int_equal(p.core.threads.data[0].sp, 0);
	assert_int_equal(p.core.threads.data[0].reg_count, 0);
	release(&p);
}

/* Offset of the first note's descriptor: behind the headers of the file and of the note. */
static void a_count_of_files_that_cannot_be_is_refused(void **state)
{
	(void)state;
	const struct kind k = { 64, false, EM_X86_64 };
	struct coregen g = two_threads(&k);
	coregen_region(&g, 0x10000, 0x1000, NULL, 0, PF_R)->path = "/bin/worker";
	const struct bytes file = coregen_finish(&g);
	static const uint8_t type[] = { 'E', 'L', 'I', 'F', 'C', 'O', 'R', 'E' };
	uint64_t at = 0;
	while (at + sizeof type < file.size && memcmp(file.p + at, type, sizeof type) != 0)
		at++;
	assert_true(at + 12 < file.size);
	elfgen_poke(file, at + 12, 8, false, UINT64_MAX / 24);
	struct image im;
	struct core core;
	assert_true(
		elf_parse(&im, &(struct image_place){ "core", STR(""), 0, 0 }, file, NULL, NULL));
	core_read(&core, &im);
	assert_int_equal(core.files.count, 0);
	assert_int_equal(core.threads.count, 2);
	core_release(&core);
	image_release(&im);
	mem_free((void *)(uintptr_t)file.p);
}

/* PN_XNUM: the count is in section 0, which stands at the end and so is missing first. */
static void many_segments_are_counted_without_the_section_headers(void **state)
{
	(void)state;
	const struct kind k = { 64, false, EM_X86_64 };
	for (unsigned cut = 0; cut < 2; cut++) {
		struct coregen g = two_threads(&k);
		for (uint64_t i = 0; i < 3; i++)
			coregen_region(&g, 0x10000 * (i + 1), 0x1000, NULL, 0, PF_R);
		struct bytes file = coregen_finish(&g);
		uint8_t *whole = mem_zeroed(1, file.size + SHDR64_SIZE);
		memcpy(whole, file.p, file.size);
		mem_free((void *)(uintptr_t)file.p);
		const struct bytes longer = { whole, file.size + SHDR64_SIZE };
		elfgen_poke(longer, 40, 8, false, file.size);     /* e_shoff */
		elfgen_poke(longer, 56, 2, false, PN_XNUM);       /* e_phnum */
		elfgen_poke(longer, 58, 2, false, SHDR64_SIZE);   /* e_shentsize */
		elfgen_poke(longer, 60, 2, false, 1);             /* e_shnum */
		elfgen_poke(longer, 62, 2, false, 0);             /* e_shstrndx */
		elfgen_poke(longer, file.size + 44, 4, false, 4); /* sh_info */
		struct image im;
		const struct bytes given = { whole, longer.size - (cut ? 10 : 0) };
		assert_true(elf_parse(&im, &(struct image_place){ "core", STR(""), 0, 0 }, given,
				      NULL, NULL));
		assert_int_equal(im.segment_count, 4);
		assert_int_equal(im.segments[3].addr, 0x30000);
		image_release(&im);
		mem_free(whole);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_and_registers_are_read_of_every_machine),
		cmocka_unit_test(the_process_and_its_end_are_read),
		cmocka_unit_test(mapped_files_have_places_and_paths),
		cmocka_unit_test(registers_of_other_machines_are_not_known),
		cmocka_unit_test(a_count_of_files_that_cannot_be_is_refused),
		cmocka_unit_test(many_segments_are_counted_without_the_section_headers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
