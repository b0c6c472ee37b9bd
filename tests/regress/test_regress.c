/* What once broke heft, as small as it gets.  A finding of tests/prop/ or of a fuzzer becomes a
 * recipe here, or a file in tests/regress/files/ (all of which are measured), before it is fixed.
 * usage: test_regress FOLDER */
#include "../prop/check.h"

#include "../lib/elfgen.h"
#include "../lib/time_limit.h"
#include "image/elf/elf_const.h"

#include <dirent.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

enum {
	SECONDS_MAX = 60
}; /* of processor time, for one file and all sources, also under a sanitizer */

static const char *folder;
static const char *at_work; /* the file that is measured */

static void too_long(int signal)
{
	static const char words[] = ": takes too long\n";
	(void)signal;
	if (write(STDERR_FILENO, at_work, strlen(at_work)) < 0 ||
	    write(STDERR_FILENO, words, sizeof words - 1) < 0)
		_exit(2);
	_exit(1);
}

static void measure(const char *path)
{
	char why[1000] = "";
	struct rng r = { 1 };
	at_work = path;
	signal(SIGPROF, too_long);
	signal(SIGALRM, too_long);
	time_limit(SECONDS_MAX);
	const enum verdict v = check_file(path, EFFORT_WHOLE, &r, why, sizeof why);
	time_limit(0);
	if (v == CHECK_BROKEN)
		fail_msg("%s: %s", path, why);
}

/* Consumes the bytes. */
static void measure_bytes(struct bytes b)
{
	char path[] = "/tmp/heft-regress-XXXXXX";
	const int fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, b.p, b.size), b.size);
	close(fd);
	mem_free((void *)(uintptr_t)b.p);
	measure(path);
	unlink(path);
}

static const uint8_t zeros[64];

/* Sizes of 2^56 - 1 and more were taken for "unknown" when they were claimed. */
static void segments_of_any_size_are_covered(void **state)
{
	static const uint64_t sizes[] = { (UINT64_C(1) << 56) - 2, (UINT64_C(1) << 56) - 1,
					  UINT64_C(1) << 56, UINT64_MAX - 0x1000, UINT64_MAX };
	(void)state;
	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		struct elfgen g = elfgen_make(64, false, ET_EXEC, EM_X86_64);
		const uint32_t s = elfgen_section(&g, ".data", SHT_PROGBITS, SHF_ALLOC, 0x1000,
						  zeros, sizeof zeros);
		elfgen_section(&g, ".bss", SHT_NOBITS, SHF_ALLOC, 0x2000, NULL, sizes[i]);
		elfgen_load(&g, PF_R, s)->vm_size = sizes[i];
		elfgen_load(&g, PF_R, s)->addr = 0;
		g.segments.data[1].vm_size = sizes[i];
		elfgen_symbol(&g, "all", 0x1000, sizes[i], STB_GLOBAL << 4 | STT_OBJECT, 2);
		measure_bytes(elfgen_finish(&g));
	}
}

static void put_member(struct elfgen_out *o, const char *name, struct bytes b)
{
	char head[61];
	snprintf(head, sizeof head, "%-16s%-12d%-6d%-6d%-8o%-10u`\n", name, 0, 0, 0, 0644u,
		 (unsigned)b.size);
	elfgen_put_bytes(o, head, 60);
	elfgen_put_bytes(o, b.p, b.size);
	if (b.size % 2)
		elfgen_put(o, 1, '\n');
	mem_free((void *)(uintptr_t)b.p);
}

static struct bytes program(uint16_t type, uint64_t addr)
{
	struct elfgen g = elfgen_make(64, false, type, EM_X86_64);
	const uint32_t s = elfgen_section(&g, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR,
					  addr, zeros, sizeof zeros);
	if (type != ET_REL)
		elfgen_load(&g, PF_R | PF_X, s);
	elfgen_symbol(&g, "f", addr, 32, STB_GLOBAL << 4 | STT_FUNC, (uint16_t)s);
	return elfgen_finish(&g);
}

/* The members of an archive need not follow each other in memory. */
static void linked_files_in_an_archive_may_share_addresses(void **state)
{
	struct elfgen_out o = { 0 };
	(void)state;
	elfgen_put_bytes(&o, "!<arch>\n", 8);
	put_member(&o, "a.o/", program(ET_REL, 0));
	put_member(&o, "b/", program(ET_EXEC, 0x2000));
	put_member(&o, "c/", program(ET_DYN, 0x1ff0));
	put_member(&o, "d/", program(ET_DYN, 0x2000));
	put_member(&o, "e.o/", program(ET_REL, 0));
	measure_bytes((struct bytes){ o.bytes.data, o.bytes.count });
}

/* The search for functions went through the whole of the memory, a MiB at a time. */
static void code_without_bytes_takes_no_time(void **state)
{
	(void)state;
	for (unsigned type = SHT_PROGBITS; type <= SHT_NOBITS; type += SHT_NOBITS - SHT_PROGBITS) {
		struct elfgen g = elfgen_make(64, false, ET_EXEC, EM_X86_64);
		const uint32_t s = elfgen_section(&g, ".text", type, SHF_ALLOC | SHF_EXECINSTR,
						  0x1000, NULL, UINT64_C(1) << 60);
		elfgen_load(&g, PF_R | PF_X, s);
		measure_bytes(elfgen_finish(&g));
	}
}

static void files_that_broke_heft_once(void **state)
{
	DIR *dir = opendir(folder);
	unsigned measured = 0;
	(void)state;
	assert_non_null(dir);
	for (const struct dirent *e; (e = readdir(dir)) != NULL;) {
		char path[4096];
		snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
		if (e->d_name[0] == '.')
			continue;
		measure(path);
		measured++;
	}
	closedir(dir);
	assert_true(measured > 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(segments_of_any_size_are_covered),
		cmocka_unit_test(linked_files_in_an_archive_may_share_addresses),
		cmocka_unit_test(code_without_bytes_takes_no_time),
		cmocka_unit_test(files_that_broke_heft_once),
	};
	if (argc != 2)
		return 2;
	folder = argv[1];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
