/* Which compiler made a function: by its habits, and by those of its neighbours, for the functions
 * of an object file stand together. */
#include "blocks/derive_internal.h"

/* A change of compilers between two functions costs as much as a function that contradicts it. */
enum { CHANGE = 2, ENOUGH = 8 };

/* The cheapest way through all functions, as LLVM's or gcc's, where votes against what is chosen
 * and changes cost (Viterbi's algorithm): from front to back with, for each end, where it came
 * from. */
enum derive_convention derive_guess(const struct derive_facts *f, uint8_t *ret_each)
{
	enum { LLVM = 1, GCC = 2 }; /* bits: it is cheaper to come here from the other one */
	uint64_t votes = 0, llvm = 0, gcc = 0;
	for (size_t i = 0; i < f->extent_count; i++) {
		const struct bytes code = f->extents[i].code;
		const int vote = f->isa == CODE_ARM64    ? derive_arm64_vote(code)
				 : f->isa == CODE_X86_64 ? derive_x86_vote(code)
							 : 0;
		const uint64_t from_llvm = llvm, from_gcc = gcc;
		ret_each[i] = (uint8_t)((from_gcc + CHANGE < from_llvm ? LLVM : 0) |
					(from_llvm + CHANGE < from_gcc ? GCC : 0));
		llvm = min_u64(from_llvm, from_gcc + CHANGE) + (vote < 0 ? (unsigned)-vote : 0);
		gcc = min_u64(from_gcc, from_llvm + CHANGE) + (vote > 0 ? (unsigned)vote : 0);
		votes += (unsigned)(vote < 0 ? -vote : vote);
	}
	if (votes < ENOUGH)
		return DERIVE_PURE;
	bool is_llvm = llvm < gcc;
	uint64_t count = 0;
	for (size_t i = f->extent_count; i-- > 0;) {
		const bool changes = ret_each[i] & (is_llvm ? LLVM : GCC);
		ret_each[i] = is_llvm ? DERIVE_LLVM : DERIVE_GCC;
		count += is_llvm;
		is_llvm ^= changes;
	}
	return 2 * count > f->extent_count ? DERIVE_LLVM : DERIVE_GCC;
}
