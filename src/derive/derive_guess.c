/* Guesses the compiler of each function by its habits, and by its neighbours: functions of one
 * object are adjacent. */
#include "derive/derive_internal.h"

/* CHANGE: cost if neighbours have different compilers, the same as for one strong vote against a
 * function's compiler. ENOUGH: least number of votes for a guess. */
enum { CHANGE = 2, ENOUGH = 8 };

/* Assigns LLVM or gcc to all functions at the lowest cost (Viterbi's algorithm). Votes against the
 * assigned compiler, and changes between neighbours, have a cost. The first pass stores the cheaper
 * compiler of the function before, per function and compiler. */
enum derive_convention derive_guess(const struct derive_facts *f, uint8_t *ret_each)
{
	/* Bits per extent. LLVM: if LLVM made the extent, gcc probably made the extent before it.
	 * GCC: the reverse. */
	enum { LLVM = 1, GCC = 2 };
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
