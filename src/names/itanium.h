/* itanium.h - demangles C++ names of the Itanium ABI through a library: LLVM's demangler in
 * libc++abi (HEFT_HAVE_CXXABI), or libiberty's.
 *
 * Both libraries recurse on their input and print without a limit. A name of 200 bytes can expand
 * to gigabytes, because each S_ may double the text before it. Hence three guards:
 *
 * - Names over ITANIUM_MAX_RAW bytes are refused. The depth is at most the size of the name. A call
 *   needs ITANIUM_STACK bytes of stack per byte of the name.
 * - itanium_bound() estimates the largest size of the text.
 * - If the estimate exceeds ITANIUM_MAX_BOUND, libiberty must first succeed within NAME_MAX_SIZE.
 *   Its printing can be stopped. */
#ifndef HEFT_NAMES_ITANIUM_H
#define HEFT_NAMES_ITANIUM_H

#include "names/demangle.h"

/* Limit in bytes of a mangled name. Longer names stay mangled. The longest names of LLVM, Clang and
 * libstdc++ have 611 bytes. */
#define ITANIUM_MAX_RAW ((size_t)8 << 10)

/* Bytes of stack per byte of a hostile name. LLVM's demangler needs up to 600 (runs of Z),
 * libiberty's 170. */
#define ITANIUM_STACK 600

/* Largest estimated size of a text that LLVM's demangler may print without a check, in bytes. Of
 * 98,000 names of LLVM, Clang, Z3 and libstdc++, 0.15 % exceed it. */
#define ITANIUM_MAX_BOUND ((uint64_t)1 << 20)

/* Returns an upper estimate of the size of a name's text. `mangled` has no suffix. The estimate
 * counts every visit of the name's parts and saturates. Costs about a quarter of the time of the
 * demangler. */
uint64_t itanium_bound(struct str mangled);

/* Returns the text of `mangled`. `mangled` must end in a NUL, begin with _Z or ___Z, and have no
 * suffix. Returns an empty text if the name is invalid or exceeds a limit. The text is in
 * d->library. */
struct str itanium_demangle(struct demangler *d, const char *mangled);

#endif
