#include "map/basemap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../lib/elfgen.h"
#include "image/elf/elf_const.h"

/* An input, its base map and the labels. */
struct fixture {
	struct bytes file;
	struct input input;
	struct labels labels;
	struct basemap map;
};

static void fixture_open_by(struct fixture *f, struct elfgen *g,
			    const struct memory_regions *regions)
{
	memset(f, 0, sizeof *f);
	f->file = elfgen_finish(g);
	assert_true(input_parse(&f->input, "test", f->file, NULL, NULL));
	basemap_build(&f->map, &f->input, &f->labels, regions);
}

static void fixture_open(struct fixture *f, struct elfgen *g)
{
	fixture_open_by(f, g, NULL);
}

static void fixture_close(struct fixture *f)
{
	basemap_release(&f->map);
	labels_release(&f->labels);
	input_close(&f->input);
	mem_free((void *)(uintptr_t)f->file.p);
}

/* Range i of the map. */
static void assert_range(const struct fixture *f, size_t i, uint64_t addr, uint64_t size,
			 uint64_t off, uint64_t file_size, const char *label)
{
	assert_true(i < f->map.ranges.count);
	const struct base_range *r = &f->map.ranges.data[i];
	assert_int_equal(r->addr, addr);
	assert_int_equal(r->size, size);
	assert_int_equal(r->off, off);
	assert_int_equal(r->file_size, file_size);
	assert_string_equal(label_text(&f->labels, r->label).p, label);
}

static const char *file_label(const struct fixture *f, uint64_t off)
{
	const struct span *s = spans_find(&f->map.file, off);
	assert_non_null(s);
	return label_text(&f->labels, s->label).p;
}

static const uint8_t bytes[4096];

enum { OFF = 0x1000 }; /* where the first section of the generated files is */

static struct elfgen linked(void)
{
	struct elfgen g = elfgen_make(64, false, ET_DYN, EM_X86_64);
	const uint32_t text = elfgen_section(&g, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR,
					     0x1000, bytes, 256);
	g.sections.data[text].off = OFF;
	return g;
}

/* A PT_LOAD anywhere. */
static void load(struct elfgen *g, uint64_t off, uint64_t addr, uint64_t file_size,
		 uint64_t vm_size, uint32_t flags)
{
	vec_push(&g->segments, (struct elfgen_segment){ .type = PT_LOAD,
							.flags = flags,
							.off = off,
							.addr = addr,
							.file_size = file_size,
							.vm_size = vm_size,
							.align = 1 });
}

static void segments_are_the_ranges_of_a_linked_image(void **state)
{
	struct fixture f;
	struct elfgen g = linked();
	(void)state;
	load(&g, OFF, 0x1000, 256, 256, PF_R | PF_X);
	load(&g, OFF + 256, 0x5000, 16, 96, PF_R | PF_W);
	fixture_open(&f, &g);
	assert_int_equal(f.map.ranges.count, 2);
	assert_range(&f, 0, 0x1000, 256, OFF, 256, "LOAD #0 [RX]");
	assert_range(&f, 1, 0x5000, 96, OFF + 256, 16, "LOAD #1 [RW]");
	assert_int_equal(f.map.vm_size, 256 + 96);
	assert_int_equal(f.map.file_size, f.file.size);
	fixture_close(&f);
}

static void every_byte_of_the_file_has_a_label(void **state)
{
	struct fixture f;
	struct elfgen g = linked();
	(void)state;
	load(&g, OFF, 0x1000, 256, 256, PF_R | PF_X);
	fixture_open(&f, &g);
	assert_int_equal(spans_total(&f.map.file), f.file.size);
	assert_string_equal(file_label(&f, 0), "[ELF Header]");
	assert_string_equal(file_label(&f, 64), "[ELF Program Headers]");
	assert_string_equal(file_label(&f, OFF), "LOAD #0 [RX]");
	assert_string_equal(file_label(&f, OFF - 1), "[Unmapped]");
	assert_string_equal(file_label(&f, f.file.size - 1), "[ELF Section Headers]");
	fixture_close(&f);
}

static void where_segments_overlap_the_first_has_the_addresses(void **state)
{
	struct fixture f;
	struct elfgen g = linked();
	(void)state;
	load(&g, OFF, 0x1010, 32, 32, PF_R);
	load(&g, OFF + 32, 0x1000, 64, 64, PF_W);
	fixture_open(&f, &g);
	assert_int_equal(f.map.ranges.count, 3);
	assert_range(&f, 0, 0x1000, 16, OFF + 32, 16, "LOAD #1 [W]");
	assert_range(&f, 1, 0x1010, 32, OFF, 32, "LOAD #0 [R]");
	assert_range(&f, 2, 0x1030, 16, OFF + 32 + 48, 16, "LOAD #1 [W]");
	assert_int_equal(f.map.vm_size, 64);
	fixture_close(&f);
}

static void tls_takes_room_only_where_no_load_is(void **state)
{
	struct fixture f;
	struct elfgen g = linked();
	(void)state;
	load(&g, OFF, 0x1000, 64, 64, PF_R);
	load(&g, OFF, 0x1000, 16, 32, PF_R);
	g.segments.data[1].type = PT_TLS;
	load(&g, OFF, 0x9000, 16, 32, PF_R);
	g.segments.data[2].type = PT_TLS;
	fixture_open(&f, &g);
	assert_int_equal(f.map.ranges.count, 2);
	assert_range(&f, 1, 0x9000, 32, OFF, 16, "TLS");
	fixture_close(&f);
}

static void a_segment_beyond_the_end_of_the_file_keeps_its_memory(void **state)
{
	struct fixture f;
	struct elfgen g = linked();
	(void)state;
	load(&g, OFF, 0x1000, 0x100000, 0x100000, PF_R);
	fixture_open(&f, &g);
	assert_range(&f, 0, 0x1000, 0x100000, OFF, f.file.size - OFF, "LOAD #0 [R]");
	assert_int_equal(f.map.file_size, f.file.size);
	fixture_close(&f);
}

/* The largest address space a file can ask for. */
static void sizes_near_the_end_of_the_address_space_do_no_harm(void **state)
{
	struct fixture f;
	struct elfgen g = linked();
	(void)state;
	load(&g, OFF, 0, 16, UINT64_MAX, PF_R);
	load(&g, OFF, UINT64_MAX - 8, 4, 4, PF_W);
	fixture_open(&f, &g);
	assert_int_equal(f.map.ranges.data[0].addr, 0);
	assert_int_equal(f.map.ranges.data[0].file_size, 16);
	assert_range(&f, f.map.ranges.count - 1, UINT64_MAX - 8, 4, OFF, 4, "LOAD #1 [W]");
	fixture_close(&f);
}

/* Code in flash; data that run in RAM and are stored behind the code, 16 bytes further. */
static void firmware(struct fixture *f, struct memory_regions *r, uint64_t ram_size)
{
	struct elfgen g = linked();
	assert_true(regions_add(r, STR("flash"), 0x8000, 0x1000));
	assert_true(regions_add(r, STR("ram"), 0x20000, ram_size));
	load(&g, OFF, 0x8000, 100, 100, PF_R | PF_X);
	load(&g, OFF + 128, 0x20000, 32, 80, PF_R | PF_W);
	g.segments.data[1].moved = UINT64_C(0x8074) - 0x20000;
	fixture_open_by(f, &g, r);
}

static void bytes_that_are_copied_are_in_memory_twice_and_gaps_are_fill(void **state)
{
	struct fixture f;
	struct memory_regions r = { 0 };
	(void)state;
	firmware(&f, &r, 0x100);
	assert_int_equal(f.map.ranges.count, 4);
	assert_range(&f, 0, 0x8000, 100, OFF, 100, "LOAD #0 [RX]");
	assert_range(&f, 1, 0x8064, 16, 100, 0, "[fill]");
	assert_range(&f, 2, 0x8074, 32, OFF + 128, 32, "LOAD #1 [RW]");
	assert_range(&f, 3, 0x20000, 80, OFF + 128, 0, "LOAD #1 [RW]");
	assert_int_equal(f.map.ranges.data[2].runs_at, 0x20000);
	assert_int_equal(basemap_region_used(&f.map, 0), 0x94);
	assert_int_equal(basemap_region_used(&f.map, 1), 80);
	assert_int_equal(f.map.vm_size, 0x94 + 80);
	fixture_close(&f);
	regions_release(&r);
}

static void what_is_stored_has_the_owner_of_where_it_runs(void **state)
{
	struct fixture f;
	struct memory_regions r = { 0 };
	struct spans vm = { 0 }, file;
	(void)state;
	firmware(&f, &r, 0x100);
	const label_id code = label_borrow(&f.labels, STR("code"));
	const label_id table = label_borrow(&f.labels, STR("table"));
	spans_push(&vm, 0x8000, 100, code);
	spans_push(&vm, 0x20008, 72, table);
	basemap_add_stored(&f.map, &vm);
	basemap_check_vm(&f.map, &vm);
	assert_int_equal(spans_label(&vm, 0x807c), table);
	assert_int_equal(spans_label(&vm, 0x8093), table);
	assert_string_equal(label_text(&f.labels, spans_label(&vm, 0x8074)).p, "LOAD #1 [RW]");
	basemap_translate(&f.map, &vm, &file);
	assert_int_equal(spans_label(&file, OFF + 128 + 8), table);
	spans_release(&vm);
	spans_release(&file);
	fixture_close(&f);
	regions_release(&r);
}

static void variables_of_threads_have_nothing_of_what_is_stored_at_their_addresses(void **state)
{
	struct fixture f;
	struct memory_regions r = { 0 };
	struct spans vm = { 0 };
	struct elfgen g = linked();
	(void)state;
	assert_true(regions_add(&r, STR("flash"), 0x8000, 0x1000));
	assert_true(regions_add(&r, STR("ram"), 0x20000, 0x1000));
	load(&g, OFF, 0x8000, 100, 100, PF_R | PF_X);
	load(&g, OFF + 128, 0x20000, 32, 32, PF_R | PF_W);
	g.segments.data[1].moved = UINT64_C(0x8064) - 0x20000;
	load(&g, OFF, 0x8060, 4, 12, PF_R);
	g.segments.data[2].type = PT_TLS;
	fixture_open_by(&f, &g, &r);
	const label_id set = label_borrow(&f.labels, STR("set"));
	const label_id zero = label_borrow(&f.labels, STR("zero"));
	const label_id data = label_borrow(&f.labels, STR("data"));
	spans_push(&vm, 0x8060, 4, set);
	spans_push(&vm, 0x8064, 8, zero);
	spans_push(&vm, 0x20000, 32, data);
	basemap_add_stored(&f.map, &vm);
	assert_int_equal(spans_label(&vm, 0x8060), set);
	assert_int_equal(spans_label(&vm, 0x8064), data);
	assert_int_equal(spans_label(&vm, 0x806b), data);
	spans_release(&vm);
	fixture_close(&f);
	regions_release(&r);
}

static void what_does_not_fit_belongs_to_the_region_it_follows(void **state)
{
	struct fixture f;
	struct memory_regions r = { 0 };
	(void)state;
	firmware(&f, &r, 64);
	assert_int_equal(basemap_region_used(&f.map, 1), 80);
	assert_int_equal(f.map.region_ends[1], 0x20000 + 80);
	fixture_close(&f);
	regions_release(&r);
}

static void of_regions_that_overlap_the_smaller_has_the_bytes(void **state)
{
	struct fixture f;
	struct memory_regions r = { 0 };
	(void)state;
	assert_true(regions_add(&r, STR("boot"), 0x8000, 64));
	firmware(&f, &r, 0x100);
	assert_int_equal(basemap_region_used(&f.map, 0), 64);
	assert_int_equal(basemap_region_used(&f.map, 1), 0x94 - 64);
	fixture_close(&f);
	regions_release(&r);
}

static void a_region_is_not_empty_and_does_not_wrap(void **state)
{
	struct memory_regions r = { 0 };
	(void)state;
	assert_false(regions_add(&r, STR("x"), 0, 0));
	assert_false(regions_add(&r, STR(""), 0, 1));
	assert_false(regions_add(&r, STR("x"), UINT64_MAX, 1 + UINT64_C(1)));
	assert_true(regions_add(&r, STR("x"), 0, UINT64_MAX));
	assert_true(regions_add(&r, STR("x"), 5, 6));
	assert_int_equal(r.list.count, 1);
	assert_int_equal(r.list.data[0].origin, 5);
	regions_release(&r);
}

static void alloc_sections_are_the_ranges_of_an_object(void **state)
{
	struct fixture f;
	struct elfgen g = elfgen_make(64, false, ET_REL, EM_X86_64);
	(void)state;
	elfgen_section(&g, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0, bytes, 20);
	elfgen_section(&g, ".bss", SHT_NOBITS, SHF_ALLOC | SHF_WRITE, 0, NULL, 40);
	elfgen_section(&g, ".comment", SHT_PROGBITS, 0, 0, bytes, 10);
	fixture_open(&f, &g);
	const uint64_t one = UINT64_C(1) << OBJECT_SECTION_SHIFT;
	assert_int_equal(f.map.ranges.count, 2);
	assert_range(&f, 0, one, 20, 64, 20, "Section [AX]");
	assert_int_equal(f.map.ranges.data[1].addr, 2 * one);
	assert_int_equal(f.map.ranges.data[1].size, 40);
	assert_int_equal(f.map.ranges.data[1].file_size, 0);
	assert_string_equal(file_label(&f, 64 + 20), "Section []");
	fixture_close(&f);
}

/* ---- translation ------------------------------------------------------------------------- */

static void vm_spans_become_file_spans_where_the_file_has_bytes(void **state)
{
	struct fixture f;
	struct elfgen g = linked();
	struct spans vm = { 0 }, file;
	(void)state;
	load(&g, OFF, 0x1000, 64, 64, PF_R);
	load(&g, OFF + 128, 0x2000, 16, 96, PF_W);
	fixture_open(&f, &g);
	spans_push(&vm, 0x0ff0, 0x20, 1); /* 16 bytes before the first range */
	spans_push(&vm, 0x1010, 0x10, 2);
	spans_push(&vm, 0x1030, 0xfe0, 3); /* across the hole, to the second */
	spans_push(&vm, 0x2010, 0x40, 4);  /* only memory */
	basemap_translate(&f.map, &vm, &file);
	assert_int_equal(file.list.count, 4);
	assert_int_equal(file.list.data[0].start, OFF);
	assert_int_equal(file.list.data[0].size, 16);
	assert_int_equal(file.list.data[1].start, OFF + 0x10);
	assert_int_equal(file.list.data[2].start, OFF + 0x30);
	assert_int_equal(file.list.data[2].size, 16);
	assert_int_equal(file.list.data[3].start, OFF + 128);
	assert_int_equal(file.list.data[3].size, 16);
	assert_int_equal(file.list.data[3].label, 3);
	spans_release(&file);
	spans_release(&vm);
	fixture_close(&f);
}

static void a_file_byte_in_two_segments_goes_to_the_lower_address(void **state)
{
	struct fixture f;
	struct elfgen g = linked();
	struct spans vm = { 0 }, file;
	(void)state;
	load(&g, OFF, 0x8000, 64, 64, PF_R);
	load(&g, OFF + 32, 0x2000, 64, 64, PF_W);
	fixture_open(&f, &g);
	spans_push(&vm, 0x2000, 64, 1);
	spans_push(&vm, 0x8000, 64, 2);
	basemap_translate(&f.map, &vm, &file);
	assert_int_equal(spans_label(&file, OFF + 31), 2);
	assert_int_equal(spans_label(&file, OFF + 32), 1);
	assert_int_equal(spans_label(&file, OFF + 63), 1);
	assert_int_equal(spans_total(&file), 96);
	spans_release(&file);
	spans_release(&vm);
	fixture_close(&f);
}

static void clipping_keeps_what_is_in_the_map(void **state)
{
	struct fixture f;
	struct elfgen g = linked();
	struct spans vm = { 0 };
	(void)state;
	load(&g, OFF, 0x1000, 64, 64, PF_R);
	load(&g, OFF, 0x2000, 64, 64, PF_R);
	fixture_open(&f, &g);
	spans_push(&vm, 0, 0x1010, 1);
	spans_push(&vm, 0x1020, 0x1000, 2);
	spans_push(&vm, 0x3000, 5, 3);
	basemap_clip_vm(&f.map, &vm);
	assert_int_equal(vm.list.count, 3);
	assert_int_equal(vm.list.data[0].start, 0x1000);
	assert_int_equal(vm.list.data[0].size, 0x10);
	assert_int_equal(vm.list.data[1].start, 0x1020);
	assert_int_equal(vm.list.data[1].size, 0x20);
	assert_int_equal(vm.list.data[2].start, 0x2000);
	assert_int_equal(vm.list.data[2].size, 0x20);
	spans_release(&vm);
	fixture_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(segments_are_the_ranges_of_a_linked_image),
		cmocka_unit_test(every_byte_of_the_file_has_a_label),
		cmocka_unit_test(where_segments_overlap_the_first_has_the_addresses),
		cmocka_unit_test(tls_takes_room_only_where_no_load_is),
		cmocka_unit_test(a_segment_beyond_the_end_of_the_file_keeps_its_memory),
		cmocka_unit_test(sizes_near_the_end_of_the_address_space_do_no_harm),
		cmocka_unit_test(bytes_that_are_copied_are_in_memory_twice_and_gaps_are_fill),
		cmocka_unit_test(what_is_stored_has_the_owner_of_where_it_runs),
		cmocka_unit_test(
			variables_of_threads_have_nothing_of_what_is_stored_at_their_addresses),
		cmocka_unit_test(what_does_not_fit_belongs_to_the_region_it_follows),
		cmocka_unit_test(of_regions_that_overlap_the_smaller_has_the_bytes),
		cmocka_unit_test(a_region_is_not_empty_and_does_not_wrap),
		cmocka_unit_test(alloc_sections_are_the_ranges_of_an_object),
		cmocka_unit_test(vm_spans_become_file_spans_where_the_file_has_bytes),
		cmocka_unit_test(a_file_byte_in_two_segments_goes_to_the_lower_address),
		cmocka_unit_test(clipping_keeps_what_is_in_the_map),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
