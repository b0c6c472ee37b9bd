/* microsoft.h - names of Microsoft's scheme: "?f@A@@QEAAXH@Z", as cl and clang-cl decorate C++.
 *
 * The texts are those of undname and llvm-undname, but "(anonymous namespace)":
 *   full   public: void __cdecl A<int>::f(int)      const A::`vftable'{for `B'}
 *   short  A<>::f()                                 A
 *
 * The form is Microsoft's own; it is described by Agner Fog, "Calling conventions for different C++
 * compilers and operating systems", section 8.1, and by what the compilers write.
 *
 * No library is asked: LLVM's recurses on its input, and a name of 157 bytes whose parameters refer
 * to each other stands for more text than there is memory.  Here depth, parts and text are limited.
 * Any number of threads. */
#ifndef HEFT_NAMES_MICROSOFT_H
#define HEFT_NAMES_MICROSOFT_H

#include "base/base.h"

/* Bytes of scratch that microsoft_name needs, and of stack. */
#define MICROSOFT_ROOM  ((size_t)192 << 10)
#define MICROSOFT_STACK ((size_t)64 << 10)

/* By the first bytes: whether a name may be of this scheme. */
static inline bool microsoft_likely(struct str raw)
{
	return raw.len > 3 && raw.p[0] == '?';
}

/* Whether the text is of a member function or of a table of a class. */
bool microsoft_is_member(struct str full);

/* Writes at most `room` bytes to `out` and returns their number; 0 where the name is none of this
 * scheme, or beyond a limit.  `scratch`: MICROSOFT_ROOM bytes, aligned for pointers. */
size_t microsoft_name(struct str raw, bool brief, void *scratch, char *out, size_t room);

#endif
