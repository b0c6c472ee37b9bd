/* itanium.h - C++ names of the Itanium ABI through a library: LLVM's demangler in
 * libc++abi (HEFT_HAVE_CXXABI), or libiberty's.
 *
 * Both recurse on their input and print without a limit, and a name of 200 bytes can stand
 * for gigabytes (each S_ may double what stands before).  Hence three guards:
 *   - names over ITANIUM_MAX_RAW bytes are refused: depth is at most their size, and a call needs
 *     ITANIUM_STACK bytes of stack for each byte of the name;
 *   - itanium_bound estimates the text's size from above; over ITANIUM_MAX_BOUND,
 *   - libiberty, whose printing can be stopped, must get through within NAME_MAX_SIZE. */
#ifndef HEFT_NAMES_ITANIUM_H
#define HEFT_NAMES_ITANIUM_H

#include "names/demangle.h"

/* Bytes.  The longest names of LLVM, Clang and libstdc++ have 611 bytes. */
#define ITANIUM_MAX_RAW ((size_t)8 << 10)

/* Bytes of stack for a byte of a hostile name: up to 600 for LLVM's demangler (runs of Z), 170 for
 * libiberty's. */
#define ITANIUM_STACK 600

/* Bytes.  Of 98,000 names of LLVM, Clang, Z3 and libstdc++ 0.15 % are over it. */
#define ITANIUM_MAX_BOUND ((uint64_t)1 << 20)

/* An upper estimate of the size of the text of a mangled name (without suffix), which
 * counts every visit of the name's parts; saturates.  About a quarter of
 * what the demangler takes. */
uint64_t itanium_bound(struct str mangled);

/* The text of `mangled` (NUL-terminated, starts with _Z or ___Z, no suffix); an empty
 * string where it is no such name, or over a limit.  Lies in d->library. */
struct str itanium_demangle(struct demangler *d, const char *mangled);

#endif
