/* Where functions of Thumb and RISC-V code end: the first byte chooses the machine, the rest is
 * code and its data in one segment. */
#include "code/extent.h"
#include "image/elf_const.h"
#include "image/elf_internal.h"

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
	code_ref_vec jumps = { 0 };
	const uint64_t limit = ADDR + size;
	for (uint64_t at = ADDR, end; at < limit; at = end) {
		end = extent_of(im, isa, at, limit, &jumps);
		ASSERT(end > at && end <= limit);
	}
	uint64_t budget = size;
	for (uint64_t at = ADDR; isa == CODE_THUMB && at < limit; at += 2)
		(void)extent_takes_first(im, at, &budget);
	ASSERT(budget <= size);
	for (size_t i = 0; i < jumps.count; i++)
		ASSERT(jumps.data[i].from >= ADDR && jumps.data[i].from < limit);
	vec_release(&jumps);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const bool arm = size > 0 && data[0] % 2 == 0;
	const struct image_place place = { .path = "fuzz", .member = STR("") };
	struct image im;
	struct heft_err err;
	if (size < 3)
		return 0;
	uint8_t *file = mem_alloc(HEADERS + size - 1);
	put_headers(file, size - 1, arm ? EM_ARM : EM_RISCV);
	memcpy(file + HEADERS, data + 1, size - 1);
	ASSERT(elf_parse(&im, &place, (struct bytes){ file, HEADERS + size - 1 }, NULL, &err));
	check(&im, arm ? CODE_THUMB : CODE_RISCV32, size - 1);
	image_release(&im);
	mem_free(file);
	return 0;
}
