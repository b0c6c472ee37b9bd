/* suffix.h - finds the suffix that compilers and linkers add to the name of a function that they
 * split or copy.
 *
 * A suffix is a sequence of words, each after a dot: ".cold", ".part.0", ".isra.0.constprop.1",
 * ".llvm.123". Static variables inside a function may have ".0". Any number of threads. */
#ifndef HEFT_NAMES_SUFFIX_H
#define HEFT_NAMES_SUFFIX_H

#include "base/base.h"

/* Returns the length of the name without its suffixes. If nothing would be left, name.len. */
size_t suffix_start(struct str name);
/* Returns the name without ".llvm." and a number at its end. LLVM's ThinLTO adds them to local
 * names that other modules use. The number depends on the module's contents. */
struct str suffix_without_promotion(struct str name);

#endif
