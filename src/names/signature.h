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
#ifndef HEFT_NAMES_SIGNATURE_H
#define HEFT_NAMES_SIGNATURE_H

#include "base/base.h"

enum sig_language { SIG_CXX, SIG_RUST, SIG_D };

enum sig_keep {
	SIG_PARENS = 1,    /* write "()" in place of a parameter list */
	SIG_ARGUMENTS = 2, /* keep template arguments */
};

/* Bytes that signature_cut() may write for a name of `len` bytes. */
#define SIGNATURE_ROOM(len) ((len) * 2 + 16)

/* Writes the form of `full` that `keep` selects to `out`. `out` must have room for
 * SIGNATURE_ROOM(full.len) bytes. `keep` is a set of enum sig_keep. Returns the size of the form.
 * Returns 0 if the text has no such form (unmatched brackets, a bare function type): use the full
 * name then. */
size_t signature_cut(struct str full, enum sig_language language, unsigned keep, char *out);

/* Removes a special prefix of a C++ or D name. For "vtable for X", returns "vtable" and sets *name
 * to X. Without a prefix, returns an empty text and keeps *name. */
struct str signature_special(struct str *name);

#endif
