/* demangle.h - turns linkage names into the names in the source.
 *
 * Schemes: Itanium C++ (_Z, __Z, with suffixes like .cold, .part.0, .isra.0, .llvm.123, @@VERSION),
 * Microsoft's (microsoft.h), Rust legacy (without the hash) and v0, D, and the languages of
 * module_name.h: OCaml, Free Pascal, Fortran, Swift, GHC. Any other name stays unchanged.
 *
 * - full: libc++abi's text for C++, with a clone suffix as " (.cold)". Rust and D: the text
 *   of their demanglers, with the same suffix.
 * - short: the form of signature.h, with "()" for parameters and "<>" for template arguments. It
 *   has no return type, no qualifiers after the parameters and no clone suffix. "vtable for X",
 *   "typeinfo for X", "guard variable for X" and thunks become X.
 *
 * The result never contains a NUL and has at most NAME_MAX_SIZE bytes. A name whose text would
 * break these rules stays mangled. So does a name over the limits of itanium.h, microsoft.h and
 * rust_v0.c.
 *
 * A call needs 64 KiB of stack. A longer name that needs more runs on its own thread if the
 * caller's stack is too small (base/stack.h). A full C++ name costs about 1.3 times as much as
 * libc++abi alone, a short name 1.6 times. */
#pragma once

#include "base/stack.h"
#include "names/module_name.h"
#include "names/signature.h"
#include "heft.h"

#define NAME_MAX_SIZE ((size_t)64 << 10)

/* Buffers of one thread */
struct demangler {
	char *buffer; /* The last result. Owned */
	size_t capacity;
	char *library; /* Buffer that the C++ demangler reallocates. From malloc */
	size_t library_capacity;
	struct owned *owned;
	struct stack stack; /* Stack of the thread that demangles long names */
};

/* Makes room for `need` bytes in d->library. For files of names/. */
void demangler_room(struct demangler *d, size_t need);
/* Sets d->library, which the C++ demangler has reallocated. */
void demangler_moved(struct demangler *d, char *library);

void demangler_release(struct demangler *d);

/* Returns `raw` in a style: perhaps `raw` itself. Valid until the next call with this demangler. */
struct str demangle(struct demangler *d, struct str raw, enum heft_demangle style);
/* Reads a name of a language of module_name.h. Sets *ret to its text, valid until the next call
 * with this demangler, and *parts to the sizes of its parts. False for other names. */
bool demangle_module(struct demangler *d, struct str raw, struct str *ret,
		     struct module_name *parts);

/* Returns the bytes of `raw` before the suffix of a clone or version: 1 for "f.cold" and
 * "f@@V2". */
size_t demangle_base(struct str raw);
/* Finds the language of a mangled name. False if it is not mangled. */
bool demangle_language(struct str raw, enum sig_language *ret);

/* A suffix is what compilers and linkers append to the name of a function that they split or copy:
 * words, each after a dot, such as ".cold", ".part.0", ".isra.0.constprop.1" or ".llvm.123".
 * Static variables in a function may have ".0".
 *
 * Returns the length of the name without its suffixes. If nothing would be left, name.len. */
size_t suffix_start(struct str name);
/* Returns the name without ".llvm." and a number at its end. LLVM's ThinLTO adds them to local
 * names that other modules use. The number depends on the module's contents. */
struct str suffix_without_promotion(struct str name);
