/* signature.h - writes shorter forms of a demangled name.
 *
 * Works on text, so the same code serves every demangler: LLVM's and libiberty's C++, both schemes
 * of Rust, and D. The caller chooses the parts to keep: template arguments, and "()" in place of a
 * parameter list.
 *
 * - full: std::vector<int, std::allocator<int>>::push_back(int const&)
 * - short (SIG_PARENS): std::vector<>::push_back()
 * - template (SIG_ARGUMENTS): std::vector<int, std::allocator<int>>::push_back
 *
 * Every form drops the return type, the qualifiers after the parameters, and constraints. Every
 * form also drops the parameters of an enclosing function (f()::x). 'lambda0'(int) becomes
 * {lambda()#2}. "vtable for X" and similar names become X. [abi:x], "(anonymous namespace)" and the
 * type of a conversion operator stay.
 *
 * Rust: generic arguments of a path become "<>" (Vec<>, foo::bar::<>). <T as Trait>::f keeps its
 * type and trait, because otherwise all impls of a trait would have one name.
 *
 * D: "!(...)" becomes "!()". */
#pragma once

#include "base/base.h"

enum sig_language { SIG_CXX, SIG_RUST, SIG_D };

enum sig_keep {
	SIG_PARENS = 1,    /* Write "()" instead of a parameter list */
	SIG_ARGUMENTS = 2, /* Keep template arguments */
};

/* How many bytes signature_cut() may write for a name of `len` bytes. */
#define SIGNATURE_ROOM(len) ((len) * 2 + 16)

/* Writes the form of `full` that `keep` (bits of enum sig_keep) selects. `out` has room for
 * SIGNATURE_ROOM(full.len) bytes. Returns its size. 0 if there is no such form (brackets do not
 * match, or a function type without a name): then use the full name. */
size_t signature_cut(struct str full, enum sig_language language, unsigned keep, char *out);

/* For "vtable for X" and similar names of C++ or D: returns "vtable", and sets *name to X. For
 * others: returns "". */
struct str signature_special(struct str *name);
