/* signature.h - shorter forms of a demangled name.
 *
 * Works on text, so one code serves every demangler: LLVM's and libiberty's C++, Rust's
 * two schemes and D.  What a form keeps (the argument of a template, "()" where a
 * parameter list was) is the caller's choice:
 *
 *   full      std::vector<int, std::allocator<int>>::push_back(int const&)
 *   short     std::vector<>::push_back()                               SIG_PARENS
 *   template  std::vector<int, std::allocator<int>>::push_back         SIG_ARGUMENTS
 *
 * In every form: the return type, the qualifiers behind the parameters and constraints
 * go; the parameters of an enclosing function go too (f()::x); 'lambda0'(int) becomes
 * {lambda()#2}; "vtable for X" and its like become X.  [abi:x], "(anonymous namespace)"
 * and the type of a conversion operator stay.
 * Rust: a path's generic arguments become "<>" (Vec<>, foo::bar::<>); <T as Trait>::f keeps
 * type and trait, as every impl of a trait would fall together without.
 * D: "!(...)" becomes "!()". */
#ifndef HEFT_NAMES_SIGNATURE_H
#define HEFT_NAMES_SIGNATURE_H

#include "base/base.h"

enum sig_language { SIG_CXX, SIG_RUST, SIG_D };

enum sig_keep {
	SIG_PARENS = 1,    /* "()" in place of a parameter list */
	SIG_ARGUMENTS = 2, /* template arguments as they are */
};

/* Bytes signature_cut may write for a name of `len` bytes. */
#define SIGNATURE_ROOM(len) ((len) * 2 + 16)

/* Writes the form of `full` into `out`, SIGNATURE_ROOM(full.len) bytes, and returns its
 * size; 0 where the text has no such form (brackets that don't match, a bare function
 * type): the full name is then the best there is.  `keep` is a set of enum sig_keep. */
size_t signature_cut(struct str full, enum sig_language language, unsigned keep, char *out);

/* "vtable for X" gives "vtable" and moves *name to X; an empty string, and *name as it
 * was, where nothing of the kind stands in front.  C++ and D. */
struct str signature_special(struct str *name);

#endif
