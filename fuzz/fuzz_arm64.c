/* AArch64 references: the input is code. */
#include "code/flow.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool same(const struct code_ref *a, const struct code_ref *b)
{
	return a->from == b->from && a->to == b->to && a->kind == b->kind && a->size == b->size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint64_t addr = 0x400000;
	const struct bytes code = { data, size };
	const unsigned all = REF_MEM | REF_ADDR | REF_CALL | REF_JUMP;
	code_ref_vec inside = { 0 }, outside = { 0 };
	const uint64_t bad = arm64_refs(code, addr, all | REF_INSIDE, &inside);
	ASSERT(bad <= size && bad % 4 == size % 4);
	ASSERT(arm64_refs(code, addr, all, &outside) == bad);
	ASSERT(inside.count <= size / 4);
	/* Those that leave are a part of all, in order. */
	size_t k = 0;
	for (size_t i = 0; i < inside.count; i++) {
		const struct code_ref *r = &inside.data[i];
		ASSERT((r->from - addr) % 4 == 0 && r->from - addr + 4 <= size);
		ASSERT(i == 0 || r->from > inside.data[i - 1].from);
		ASSERT(r->size <= 16 && r->field == 0 && (r->size == 0 || r->kind == REF_MEM));
		if (r->to - addr >= size) {
			ASSERT(k < outside.count && same(&outside.data[k], r));
			k++;
		}
	}
	ASSERT(k == outside.count);
	vec_release(&inside);
	vec_release(&outside);
	return 0;
}
