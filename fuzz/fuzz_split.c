/* Functions in code that nothing describes: the first byte chooses the machine, the rest is code
 * and its data in one segment. */
#include "blocks/derive_map.h"
#include "code/entry.h"
#include "image/elf/elf_const.h"
#include "image/elf/elf_internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ADDR = 0x8000, HEADERS = 84 };

static void put(uint8_t *p, unsigned width, uint64_t v)
{
	for (unsigned i = 0; i < width; i++)
		p[i] = (uint8_t)(v >> 8 * i);
}

/* An ELF header and one program header of 32 bits. */
static void put_headers(uint8_t *p, size_t size, uint16_t machine)
{
	static const uint8_t ident[] = { 0x7f, 'E', 'L', 'F', 1, 1, 1 };
	const uint64_t header[][3] = {
		{ 16, 2, ET_EXEC }, { 18, 2, machine },    { 20, 4, 1 },    { 28, 4, 52 },
		{ 40, 2, 52 },      { 42, 2, 32 },         { 44, 2, 1 },    { 52, 4, PT_LOAD },
		{ 56, 4, HEADERS }, { 60, 4, ADDR },       { 64, 4, ADDR }, { 68, 4, size },
		{ 72, 4, size },    { 76, 4, PF_R | PF_X }
	};
	memset(p, 0, HEADERS);
	memcpy(p, ident, sizeof ident);
	for (size_t i = 0; i < COUNT_OF(header); i++)
		put(p + header[i][0], (unsigned)header[i][1], header[i][2]);
}

static void check(const struct image *im, enum code_isa isa, size_t size)
{
	const struct code_piece all = { .addr = ADDR, .size = size };
	const uint64_t limit = ADDR + size;
	split_function_vec found = { 0 };
	uint64_t budget = size, end = ADDR;
	code_gaps_split(im, isa, &all, 1, &found);
	for (size_t i = 0; i < found.count; i++) {
		ASSERT(found.data[i].addr >= end && found.data[i].size > 0);
		end = found.data[i].addr + found.data[i].size;
		ASSERT(end <= limit);
	}
	for (uint64_t at = ADDR; isa == CODE_THUMB && at < limit; at += 2)
		(void)entry_takes_first(im, at, &budget);
	ASSERT(budget <= size);
	vec_release(&found);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct {
		uint16_t machine;
		enum code_isa isa;
	} kinds[] = {
		{ EM_ARM, CODE_THUMB },    { EM_RISCV, CODE_RISCV32 }, { EM_386, CODE_I386 },
		{ EM_AVR, CODE_AVR },      { EM_ARM, CODE_ARM },       { EM_MIPS, CODE_MIPS },
		{ EM_MIPS, CODE_MIPS_BE }, { EM_PPC, CODE_POWER_BE },  { EM_S390, CODE_S390 }
	};
	const size_t kind = size > 0 ? data[0] % COUNT_OF(kinds) : 0;
	const struct image_place place = { .path = "fuzz", .member = STR("") };
	struct image im;
	struct heft_err err;
	if (size < 3)
		return 0;
	uint8_t *file = mem_alloc(HEADERS + size - 1);
	put_headers(file, size - 1, kinds[kind].machine);
	memcpy(file + HEADERS, data + 1, size - 1);
	ASSERT(elf_parse(&im, &place, (struct bytes){ file, HEADERS + size - 1 }, NULL, &err));
	check(&im, kinds[kind].isa, size - 1);
	image_release(&im);
	mem_free(file);
	return 0;
}
