/* microsoft.h - demangles names of Microsoft's scheme: "?f@A@@QEAAXH@Z", as cl and clang-cl
 * decorate C++.
 *
 * The texts equal those of undname and llvm-undname, except for "(anonymous namespace)". Examples:
 *
 * - full: public: void __cdecl A<int>::f(int)
 * - short: A<>::f()
 * - full: const A::`vftable'{for `B'}
 * - short: A
 *
 * The format is Microsoft's own. Sources: Agner Fog, "Calling conventions for different C++
 * compilers and operating systems", section 8.1, and the output of the compilers.
 *
 * This file uses no demangler library. LLVM's demangler recurses on its input, and a name of 157
 * bytes can expand to more text than memory can hold. Here depth, nodes and text are limited. Any
 * number of threads. */
#pragma once

#include "base/base.h"

/* Scratch memory and stack that microsoft_name() needs, in bytes. */
#define MICROSOFT_ROOM  ((size_t)192 << 10)
#define MICROSOFT_STACK ((size_t)64 << 10)

/* True if a name begins as in this scheme. */
static inline bool microsoft_likely(struct str raw)
{
	return raw.len > 3 && raw.p[0] == '?';
}

/* True if a full name is a member of a class, or a table of one, such as a vftable. */
bool microsoft_is_member(struct str full);

/* Writes at most `room` bytes to `out`, and returns their number. 0 if the name is not of this
 * scheme, or exceeds a limit. `scratch` has MICROSOFT_ROOM bytes, aligned for pointers. */
size_t microsoft_name(struct str raw, bool brief, void *scratch, char *out, size_t room);
