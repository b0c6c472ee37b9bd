/* itanium.h - demangles C++ names of the Itanium ABI through a library: LLVM's demangler in
 * libc++abi (HEFT_HAVE_CXXABI), or libiberty's.
 *
 * Both libraries recurse, and write without a limit. A name of 200 bytes can become gigabytes,
 * because each S_ may double the text before it. So there are three guards:
 *
 * - Names over ITANIUM_MAX_RAW bytes are refused. The depth is at most the size of the name. A call
 *   needs ITANIUM_STACK bytes of stack per byte of the name.
 * - itanium_bound() estimates the largest size of the text.
 * - If the estimate exceeds ITANIUM_MAX_BOUND, libiberty must first succeed within NAME_MAX_SIZE.
 *   Its printing can be stopped. */
#pragma once

#include "names/demangle.h"

/* Longer mangled names stay mangled. Names of LLVM, Clang and libstdc++ have up to 611 bytes. */
#define ITANIUM_MAX_RAW ((size_t)8 << 10)

/* Bytes of stack per byte of a malicious name. LLVM's demangler needs up to 600 (runs of Z),
 * libiberty's 170. */
#define ITANIUM_STACK 600

/* Greatest estimate for which LLVM's demangler runs without a check. Of 98,000 names of LLVM,
 * Clang, Z3 and libstdc++, 0.15 % exceed it. */
#define ITANIUM_MAX_BOUND ((uint64_t)1 << 20)

/* Returns an upper bound of the size of a name's text. `mangled` has no suffix. Takes a quarter of
 * the time of demangling. */
uint64_t itanium_bound(struct str mangled);

/* Returns the demangled name, in the buffer d->library. "" if the name is invalid or exceeds a
 * limit. `mangled` ends in NUL, begins with _Z or ___Z, and has no suffix. */
struct str itanium_demangle(struct demangler *d, const char *mangled);
