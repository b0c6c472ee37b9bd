/* References that code makes of constants: the first byte chooses the machine, the rest is code. */
#include "code/data_refs.h"
#include "image/elf/elf_const.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct image images[] = {
		{ .machine = EM_ARM, .bits = 32 },
		{ .machine = EM_RISCV, .bits = 64 },
		{ .machine = EM_MIPS, .bits = 64 },
		{ .machine = EM_PPC64, .bits = 64, .big_endian = true },
		{ .machine = EM_S390, .bits = 64, .big_endian = true },
		{ .machine = EM_PPC, .bits = 32 },
		{ .machine = EM_ARM, .bits = 32, .type = ET_DYN },
		{ .machine = EM_MIPS, .bits = 32, .type = ET_DYN },
		{ .machine = EM_PPC64, .bits = 64, .type = ET_DYN },
	};
	code_ref_vec found = { 0 };
	if (size == 0)
		return 0;
	const struct image *im = &images[data[0] % COUNT_OF(images)];
	const uint64_t addr = 0x400000 + data[0] / COUNT_OF(images) * 2;
	data_refs(im, (struct bytes){ data + 1, size - 1 }, addr, &found);
	/* ARM's are those of both sets, one after the other. */
	ASSERT(found.count <= size);
	for (size_t i = 0; i < found.count; i++) {
		const struct code_ref *r = &found.data[i];
		ASSERT(r->from >= addr && r->from - addr + 2 <= size - 1);
		ASSERT(im->bits == 64 || r->to <= UINT32_MAX);
		ASSERT(im->machine == EM_ARM || i == 0 || r->from >= found.data[i - 1].from);
	}
	vec_release(&found);
	return 0;
}
