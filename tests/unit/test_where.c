/* Look-ups through the public interface: addresses as text, what is told of them, as text. */
#include "../lib/elfgen.h"
#include "../lib/sessions.h"
#include "heft.h"
#include "image/elf/elf_const.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

enum { FUNC = STB_GLOBAL << 4 | STT_FUNC };

static struct heft_where *open_bytes(struct bytes file)
{
	char path[] = "/tmp/test-where-XXXXXX";
	struct heft_err err;
	struct heft_where *w = ALONE_UNFOUND(heft_where_new);
	const int fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, file.p, file.size), (ssize_t)file.size);
	close(fd);
	mem_free((void *)(uintptr_t)file.p);
	if (!heft_where_open(w, path, &err))
		fail_msg("%s", err.text);
	unlink(path);
	return w;
}

static struct heft_where *open_program(uint16_t type)
{
	static const uint8_t code[0x100];
	struct elfgen g = elfgen_make(64, false, type, EM_X86_64);
	const uint64_t base = type == ET_REL ? 0 : 0x401000;
	const uint32_t text = elfgen_section(&g, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR,
					     base, code, sizeof code);
	if (type != ET_REL)
		elfgen_load(&g, PF_R | PF_X, text);
	elfgen_symbol(&g, "_ZN1a1bEi", base + 0x10, 0x20, FUNC, (uint16_t)text);
	elfgen_symbol(&g, "add", base + 0x30, 0x10, FUNC, (uint16_t)text);
	elfgen_symbol(&g, "_ZN1c3d+eEv", base + 0x40, 0x10, FUNC, (uint16_t)text);
	return open_bytes(elfgen_finish(&g));
}

static void expect_addr(struct heft_where *w, const char *text, uint64_t want)
{
	uint64_t addr = 0;
	struct heft_err err;
	if (!heft_where_parse(w, text, &addr, &err))
		fail_msg("%s", err.text);
	assert_int_equal(addr, want);
}

static void addresses_are_numbers_or_names(void **state)
{
	(void)state;
	struct heft_where *w = open_program(ET_EXEC);
	expect_addr(w, "0", 0);
	expect_addr(w, "401010", 0x401010);
	expect_addr(w, "0x401010", 0x401010);
	expect_addr(w, "0X00000000004010aB", 0x4010ab);
	expect_addr(w, "ffffffffffffffff", UINT64_MAX);
	expect_addr(w, "10#4198416", 4198416);
	expect_addr(w, ".text", 0x401000);
	expect_addr(w, ".text+1f", 0x40101f);
	expect_addr(w, "_ZN1a1bEi+0x4", 0x401014);
	expect_addr(w, "add", 0x401030);
	expect_addr(w, "add+0", 0x401030);
	expect_addr(w, "0xadd", 0xadd);
	expect_addr(w, "ade", 0xade);
	expect_addr(w, "a::b(int)", 0x401010);
	expect_addr(w, "a::b", 0x401010);
	expect_addr(w, "a::b()+4", 0x401014);
	expect_addr(w, "_ZN1c3d+eEv", 0x401040);
	expect_addr(w, "_ZN1c3d+eEv+10#10", 0x40104a);
	static const char *const bad[] = { "",
					   "0x",
					   "10#",
					   "10#1a",
					   "-1",
					   "+1",
					   "nope",
					   "nope+1",
					   "add+",
					   "add+x",
					   "1 2",
					   "0x0x1",
					   ".text+",
					   "10000000000000000",
					   "10#18446744073709551616" };
	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		struct heft_err err;
		uint64_t addr = 77;
		assert_false(heft_where_parse(w, bad[i], &addr, &err));
		assert_int_equal(err.code, HEFT_EARG);
		assert_int_equal(addr, 77);
	}
	heft_where_free(w);
}

static void numbers_in_objects_count_from_their_code(void **state)
{
	(void)state;
	struct heft_where *w = open_program(ET_REL);
	struct heft_location at = { .size = sizeof at };
	uint64_t addr;
	assert_true(heft_where_parse(w, "14", &addr, NULL));
	assert_true(heft_where_find(w, addr, &at, NULL));
	assert_string_equal(at.section, ".text");
	assert_int_equal(at.section_offset, 0x14);
	assert_string_equal(at.symbol, "a::b(int)");
	assert_int_equal(at.symbol_offset, 4);
	assert_null(at.segment);
	assert_true(at.in_file);
	expect_addr(w, "add+2", addr + 0x1e);
	heft_where_free(w);
}

static void a_location_says_what_is_known(void **state)
{
	(void)state;
	struct heft_where *w = open_program(ET_EXEC);
	struct heft_location at = { .size = sizeof at };
	assert_true(heft_where_find(w, 0x401018, &at, NULL));
	assert_int_equal(at.addr, 0x401018);
	assert_string_equal(at.segment, "LOAD #0 [RX]");
	assert_string_equal(at.section, ".text");
	assert_int_equal(at.section_offset, 0x18);
	assert_string_equal(at.symbol_linkage, "_ZN1a1bEi");
	assert_int_equal(at.symbol_offset, 8);
	assert_int_equal(at.symbol_size, 0x20);
	assert_null(at.unit);
	assert_int_equal(at.frame_count, 0);
	assert_true(heft_where_find(w, 0x401000, &at, NULL));
	assert_null(at.symbol);
	assert_false(heft_where_find(w, 0x500000, &at, NULL));
	assert_null(at.section);
	assert_null(at.segment);
	assert_false(at.in_file);
	heft_where_free(w);
}

static bool keep(void *ctx, const void *data, size_t size)
{
	strncat(ctx, data, size);
	return true;
}

static bool refuse(void *ctx, const void *data, size_t size)
{
	(void)ctx;
	(void)data;
	(void)size;
	return false;
}

static bool written(const struct heft_location *at, enum heft_format format,
		    const struct heft_sink *to)
{
	struct heft_where *w = ALONE(heft_where_new);
	const struct heft_write_opts opts = { .size = sizeof opts, .format = format };
	const bool good = heft_where_add_source(w, "symbols", NULL) &&
			  heft_where_write(w, at, &opts, to, NULL);
	heft_where_free(w);
	return good;
}

static void locations_are_written_in_all_formats(void **state)
{
	(void)state;
	const struct heft_frame inner = {
		.function = "in\x1bner", .linkage = "_Zi", .file = "/s/a.h", .line = 3, .column = 7
	};
	const struct heft_frame outer = { .function = "", .linkage = "", .file = "" };
	const struct heft_frame *const frames[] = { &inner, &outer };
	const struct heft_owner mine = { .source = "symbols", .label = "a|b", .why = "made up" };
	const struct heft_owner *const owners[] = { &mine };
	const struct heft_location at = { .size = sizeof at,
					  .addr = 0x1234,
					  .section = ".text",
					  .section_offset = 4,
					  .symbol = "outer()",
					  .symbol_linkage = "_Zo",
					  .symbol_offset = 2,
					  .unit = "/s/a.c",
					  .frames = frames,
					  .frame_count = 2 };
	char text[2000] = "";
	const struct heft_sink to_text = { keep, text }, refusing = { refuse, NULL };
	assert_true(written(&at, HEFT_TABLE, &to_text));
	assert_string_equal(text, "0x1234 .text+0x4\n"
				  "  symbol  outer()+0x2\n"
				  "  unit    /s/a.c\n"
				  "  #0      in\\x1bner at /s/a.h:3:7 (inlined)\n"
				  "  #1      ?? at ??\n");
	text[0] = '\0';
	assert_true(written(&at, HEFT_TERSE, &to_text));
	assert_string_equal(text, "in\\x1bner\n/s/a.h:3:7\nouter()\n??:0:0\n\n");
	text[0] = '\0';
	assert_true(written(&at, HEFT_JSON, &to_text));
	assert_string_equal(
		text,
		"{\"address\": 4660, \"section\": \".text\", \"section_offset\": 4, "
		"\"symbol\": \"outer()\", \"symbol_linkage_name\": \"_Zo\", \"symbol_offset\": 2, "
		"\"symbol_own\": 0, \"unit\": \"/s/a.c\", \"frames\": [{\"function\": "
		"\"in\\u001bner\", \"linkage_name\": \"_Zi\", \"file\": \"/s/a.h\", \"line\": 3, "
		"\"column\": 7}, {\"line\": 0, \"column\": 0}]}\n");
	assert_false(written(&at, HEFT_TABLE, &refusing));
	const struct heft_location plain = { .size = sizeof plain,
					     .addr = 31,
					     .in_file = true,
					     .owners = owners,
					     .owner_count = 1 };
	text[0] = '\0';
	assert_true(written(NULL, HEFT_CSV, &to_text) && written(&at, HEFT_CSV, &to_text) &&
		    written(&plain, HEFT_CSV, &to_text));
	assert_string_equal(text,
			    "address,segment,section,section_offset,file_offset,module,symbol,"
			    "symbol_linkage_name,symbol_offset,symbol_own,block,unit,owner_symbols,"
			    "frame,function,function_linkage_name,file,line,column\n"
			    "4660,,.text,4,,,outer(),_Zo,2,0,,/s/a.c,,0,in\x1bner,_Zi,/s/a.h,3,7\n"
			    "4660,,.text,4,,,outer(),_Zo,2,0,,/s/a.c,,1,,,,,\n"
			    "31,,,,0,,,,,,,,a|b,,,,,,\n");
	text[0] = '\0';
	assert_true(written(NULL, HEFT_MARKDOWN, &to_text) &&
		    written(&plain, HEFT_MARKDOWN, &to_text));
	assert_non_null(strstr(text, "|--:|---|---|--:|--:|---|---|"));
	assert_non_null(strstr(text, "| 0x1f |  |  |  | 0x0 |  |"));
	assert_non_null(strstr(text, "| `a\\|b` |"));
}

static void a_forgotten_size_is_told(void **state)
{
	struct heft_where *w = open_program(ET_EXEC);
	struct heft_location at = { .size = 0, .segment = "as it was" };
	const struct heft_write_opts opts = { .size = offsetof(struct heft_write_opts, width) };
	struct heft_err err;
	char text[100] = "";
	const struct heft_sink to_text = { keep, text };
	(void)state;
	assert_false(heft_where_find(w, 0x401018, &at, &err));
	assert_int_equal(err.code, HEFT_EARG);
	assert_non_null(strstr(err.text, "struct heft_location: its member size is 0"));
	assert_string_equal(at.segment, "as it was");
	at.size = sizeof at;
	assert_false(heft_where_find(w, 0x500000, &at, &err));
	assert_int_equal(err.code, HEFT_ENOTFOUND);
	assert_null(at.segment);
	assert_false(heft_where_write(w, NULL, &opts, &to_text, &err));
	assert_int_equal(err.code, HEFT_EARG);
	assert_non_null(strstr(err.text, "struct heft_write_opts"));
	heft_where_free(w);
}

static void a_handle_opens_one_file(void **state)
{
	(void)state;
	struct heft_where *w = open_program(ET_EXEC);
	struct heft_err err;
	assert_false(heft_where_open(w, "/dev/null", &err));
	assert_int_equal(err.code, HEFT_EARG);
	heft_where_free(w);
	heft_where_free(NULL);
	w = ALONE(heft_where_new);
	uint64_t addr;
	struct heft_location at = { .size = sizeof at };
	assert_false(heft_where_parse(w, "1", &addr, &err));
	assert_false(heft_where_find(w, 1, &at, &err));
	assert_int_equal(err.code, HEFT_ENOTFOUND);
	assert_false(heft_where_open(w, "/nowhere/at/all", &err));
	assert_int_equal(err.code, HEFT_EIO);
	heft_where_free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_are_numbers_or_names),
		cmocka_unit_test(numbers_in_objects_count_from_their_code),
		cmocka_unit_test(a_location_says_what_is_known),
		cmocka_unit_test(locations_are_written_in_all_formats),
		cmocka_unit_test(a_forgotten_size_is_told),
		cmocka_unit_test(a_handle_opens_one_file),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
