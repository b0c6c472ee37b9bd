/* Chooses the decoder of a machine and collects references of code. */
#include "code/code.h"
#include "code/arm64.h"
#include "code/flow.h"
#include "code/x86.h"
#include "image/arch.h"

enum code_isa code_isa_of(const struct image *im)
{
	switch (image_arch(im)->id) {
	case ARCH_386: return CODE_I386;
	case ARCH_X86_64: return CODE_X86_64;
	case ARCH_ARM64: return CODE_ARM64;
	default: return CODE_NONE;
	}
}

uint64_t code_refs(enum code_isa isa, struct bytes code, uint64_t addr, const struct ref_wish *wish,
		   code_ref_vec *ret)
{
	ASSERT(code.p || code.size == 0);
	switch (isa) {
	case CODE_X86_64: return x86_refs(code, true, addr, wish, ret);
	case CODE_I386: return x86_refs(code, false, addr, wish, ret);
	case CODE_ARM64: return arm64_refs(code, addr, wish->kinds, ret);
	case CODE_NONE: return code.size;
	default: return flow_refs(isa, code, addr, wish->kinds, ret);
	}
}
