#include "../lib/coregen.h"
#include "heap/block.h"
#include "../lib/sessions.h"
#include "heft.h"
#include "image/elf/elf_const.h"
#include "process/process.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#define BIAS  UINT64_C(0x7f0000100000)
#define HEAP  UINT64_C(0x7f0000200000)
#define STACK UINT64_C(0x7ffd00000000)
#define DEEP  UINT64_C(0x7ffe00000000)

/* A library of one page with a function at 0x500, and a variable in .bss at 0x2000. */
static struct bytes make_library(const char *build_id)
{
	struct elfgen e = elfgen_make(64, false, ET_DYN, EM_X86_64);
	static const uint8_t code[0x100] = { 0xc3 };
	uint8_t note[24] = { 4, 0, 0, 0, 8, 0, 0, 0, NT_GNU_BUILD_ID, 0, 0, 0, 'G', 'N', 'U', 0 };
	memcpy(note + 16, build_id, 8);
	elfgen_section(&e, ".note.gnu.build-id", SHT_NOTE, SHF_ALLOC, 0x400, note, sizeof note);
	const uint32_t text = elfgen_section(&e, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR,
					     0x500, code, sizeof code);
	const uint32_t bss = elfgen_section(&e, ".bss", SHT_NOBITS, SHF_ALLOC | SHF_WRITE, 0x2000,
					    NULL, 0x1000);
	for (size_t i = 1; i <= text; i++)
		e.sections.data[i].off = e.sections.data[i].addr;
	elfgen_symbol(&e, "buzz", 0x500, 0x40, STB_GLOBAL << 4 | STT_FUNC, (uint16_t)text);
	elfgen_symbol(&e, "honey", 0x2100, 0x200, STB_GLOBAL << 4 | STT_OBJECT, (uint16_t)bss);
	vec_push(&e.segments, (struct elfgen_segment){ .type = PT_LOAD,
						       .flags = PF_R | PF_X,
						       .file_size = 0x600,
						       .vm_size = 0x600,
						       .align = 0x1000 });
	elfgen_load(&e, PF_R | PF_W, bss);
	vec_push(&e.segments, (struct elfgen_segment){ .type = PT_NOTE,
						       .off = 0x400,
						       .addr = 0x400,
						       .file_size = sizeof note,
						       .vm_size = sizeof note,
						       .align = 4 });
	return elfgen_finish(&e);
}

struct files {
	char library[32], core[32];
	struct bytes bytes; /* of the library that ran */
	uint8_t heap[0x2000];
};

static void write_temporary(char *path, struct bytes b)
{
	strcpy(path, "/tmp/heft-test-XXXXXX");
	const int fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, b.p, b.size), b.size);
	close(fd);
}

/* The library on disk has `on_disk`; the one that ran "abcdefgh". */
static void set_up(struct files *f, const char *on_disk)
{
	static const uint64_t frames[] = { BIAS + 0x511, BIAS + 0x551, 0x1235 };
	memset(f, 0, sizeof *f);
	f->bytes = make_library("abcdefgh");
	const struct bytes other = make_library(on_disk);
	write_temporary(f->library, other);
	mem_free((void *)(uintptr_t)other.p);
	coregen_inline(f->heap, 0x400, 8, false, HEAP, 0x123, frames, COUNT_OF(frames));
	struct coregen g = coregen_make(64, false, EM_X86_64);
	g.pid = 70;
	vec_push(&g.threads, (struct coregen_thread){ 70, BIAS + 0x510, STACK + 0x100, 0, 0 });
	coregen_region(&g, BIAS, 0x1000, f->bytes.p, min_u64(f->bytes.size, 0x1000), PF_R | PF_X)
		->path = f->library;
	coregen_region(&g, BIAS + 0x2000, 0x1000, NULL, 0, PF_R | PF_W);
	coregen_region(&g, BIAS + 0x8000, 0x1000, NULL, 0, PF_R | PF_W);
	coregen_region(&g, HEAP, sizeof f->heap, f->heap, sizeof f->heap, PF_R | PF_W);
	coregen_region(&g, HEAP + 0x4000, 0x1000, NULL, 0, 0);
	coregen_region(&g, STACK, 0x1000, NULL, 0, PF_R | PF_W);
	vec_push(&g.threads, (struct coregen_thread){ 71, 0, DEEP + 0x6100, 0, 0 });
	coregen_region(&g, DEEP, 0x8000, NULL, 0, PF_R | PF_W);
	const struct bytes core = coregen_finish(&g);
	write_temporary(f->core, core);
	mem_free((void *)(uintptr_t)core.p);
}

static void tear_down(struct files *f)
{
	unlink(f->library);
	unlink(f->core);
	mem_free((void *)(uintptr_t)f->bytes.p);
}

static struct heft_profile *measure(const struct files *f, const char *source)
{
	struct heft_profile *p = ALONE_UNFOUND(heft_profile_new);
	heft_profile_set_flags(p, HEFT_PROFILE_RANGES);
	assert_true(heft_profile_add_source(p, source, NULL));
	assert_true(heft_profile_add_file(p, f->core, HEFT_INPUT, NULL));
	assert_true(heft_profile_run(p, NULL));
	return p;
}

static void expect(struct heft_profile *p, uint64_t addr, const char *label)
{
	struct heft_place place = { .size = sizeof place };
	assert_true(heft_profile_lookup(p, 0, HEFT_VM, addr, &place, NULL));
	assert_string_equal(place.labels[0], label);
}

static void memory_is_labelled_by_what_is_mapped(void **state)
{
	(void)state;
	struct files f;
	char bss[64];
	set_up(&f, "abcdefgh");
	snprintf(bss, sizeof bss, "[bss of %s]", f.library);
	struct heft_profile *p = measure(&f, "mappings");
	expect(p, BIAS, f.library);
	expect(p, BIAS + 0x2fff, bss);
	expect(p, BIAS + 0x8000, "[heap]");
	expect(p, HEAP, "[anonymous]");
	expect(p, HEAP + 0x4000, "[reserved]");
	expect(p, STACK, "[stack of thread 70]");
	expect(p, DEEP + 0x5fff, "[unused stack of thread 71]");
	expect(p, DEEP + 0x6000, "[stack of thread 71]");
	expect(p, DEEP + 0x7fff, "[stack of thread 71]");
	heft_profile_free(p);
	tear_down(&f);
}

static void modules_and_threads_own_what_is_theirs(void **state)
{
	(void)state;
	struct files f;
	set_up(&f, "abcdefgh");
	struct heft_profile *p = measure(&f, "modules");
	expect(p, BIAS, f.library);
	expect(p, BIAS + 0x2000, f.library);
	expect(p, HEAP, "[none]");
	heft_profile_free(p);
	p = measure(&f, "threads");
	expect(p, STACK, "thread 70");
	expect(p, DEEP + 0x5fff, "[unused stack of thread 71]");
	expect(p, DEEP + 0x6000, "thread 71");
	expect(p, HEAP, "[anonymous]");
	heft_profile_free(p);
	tear_down(&f);
}

static void sources_of_a_module_are_moved_to_where_it_lies(void **state)
{
	(void)state;
	struct files f;
	set_up(&f, "abcdefgh");
	struct heft_profile *p = measure(&f, "rawsymbols");
	expect(p, BIAS + 0x500, "buzz");
	expect(p, BIAS + 0x53f, "buzz");
	expect(p, BIAS + 0x2100, "honey");
	expect(p, BIAS + 0x22ff, "honey");
	expect(p, HEAP, "[anonymous]");
	heft_profile_free(p);
	p = measure(&f, "sections");
	expect(p, BIAS + 0x500, ".text");
	expect(p, BIAS + 0x2000, ".bss");
	heft_profile_free(p);
	tear_down(&f);
}

static void a_file_of_another_build_is_not_used(void **state)
{
	(void)state;
	struct files f;
	char fallback[64];
	set_up(&f, "ABCDEFGH");
	snprintf(fallback, sizeof fallback, "[%s]", f.library);
	struct heft_profile *p = measure(&f, "rawsymbols");
	expect(p, BIAS + 0x500, fallback);
	heft_profile_free(p);
	tear_down(&f);
}

static void a_debug_file_is_taken_by_the_build_id_of_a_module(void **state)
{
	(void)state;
	struct files f;
	char given[32];
	set_up(&f, "ABCDEFGH");
	write_temporary(given, f.bytes);
	struct heft_profile *p = ALONE_WITH_DEBUG(heft_profile_new, given);
	heft_profile_set_flags(p, HEFT_PROFILE_RANGES);
	heft_profile_add_source(p, "rawsymbols", NULL);
	heft_profile_add_file(p, f.core, HEFT_INPUT, NULL);
	assert_true(heft_profile_run(p, NULL));
	expect(p, BIAS + 0x500, "buzz");
	heft_profile_free(p);
	unlink(given);
	tear_down(&f);
}

static void blocks_are_labelled_by_their_call_stack(void **state)
{
	(void)state;
	struct files f;
	char label[96];
	set_up(&f, "abcdefgh");
	snprintf(label, sizeof label, "0x1234;%s+0x550;buzz", strrchr(f.library, '/') + 1);
	struct heft_profile *p = measure(&f, "allocations");
	expect(p, HEAP + 0x400, label);
	expect(p, HEAP + 0x522, label);
	expect(p, HEAP + 0x3ff, "[heap headers]");
	expect(p, STACK, "[stack of thread 70]");
	heft_profile_free(p);
	tear_down(&f);
}

static void a_program_is_no_process(void **state)
{
	(void)state;
	static const char *const sources[] = { "mappings", "modules", "threads", "allocations" };
	for (size_t i = 0; i < COUNT_OF(sources); i++) {
		struct heft_session *s = heft_session_new();
		struct heft_profile *p = heft_profile_new(s);
		heft_finder_set_flags(heft_session_finder(s),
				      HEFT_FIND_NO_DEBUG | HEFT_FIND_NO_MAP);
		heft_profile_add_source(p, sources[i], NULL);
		heft_profile_add_file(p, "/proc/self/exe", HEFT_INPUT, NULL);
		assert_true(heft_profile_run(p, NULL));
		assert_int_equal(heft_session_note_count(s), 1);
		assert_non_null(strstr(heft_session_note(s, 0)->text, "no dump"));
		heft_profile_free(p);
		heft_session_free(s);
	}
}

static void names_say_what_is_not_known(void **state)
{
	(void)state;
	struct files f;
	struct process p;
	struct notes notes;
	struct text name = { 0 };
	set_up(&f, "ABCDEFGH");
	notes_init(&notes);
	const struct program_wish none = { .flags = HEFT_FIND_NO_DEBUG };
	const struct process_wish wish = { .find = &none, .notes = &notes };
	assert_true(process_open(&p, f.core, &wish, NULL));
	const struct process_place place = process_locate(&p, BIAS + 0x510);
	assert_null(place.locator);
	assert_int_equal(place.addr, 0x510);
	assert_string_equal(place.module->path, f.library);
	process_add_name(&name, &(struct heft_frame){ .function = "",
						      .module = place.module->path,
						      .addr = place.addr });
	text_add_char(&name, '\0');
	assert_non_null(strstr(name.p, "+0x510"));
	assert_null(process_locate(&p, 0x99).module);
	text_set(&name, STR(""));
	process_add_name(&name, &(struct heft_frame){ .function = "", .module = "", .addr = 0x99 });
	assert_true(str_eq(text_str(&name), STR("0x99")));
	process_close(&p);
	text_release(&name);
	notes_release(&notes);
	tear_down(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_is_labelled_by_what_is_mapped),
		cmocka_unit_test(modules_and_threads_own_what_is_theirs),
		cmocka_unit_test(sources_of_a_module_are_moved_to_where_it_lies),
		cmocka_unit_test(a_file_of_another_build_is_not_used),
		cmocka_unit_test(a_debug_file_is_taken_by_the_build_id_of_a_module),
		cmocka_unit_test(blocks_are_labelled_by_their_call_stack),
		cmocka_unit_test(a_program_is_no_process),
		cmocka_unit_test(names_say_what_is_not_known),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
