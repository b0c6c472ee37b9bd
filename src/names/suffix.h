/* suffix.h - what compilers and linkers put behind the name of a function that they split or copy.
 *
 * A suffix is a run of words, each with a dot in front: ".cold", ".part.0", ".isra.0.constprop.1",
 * ".llvm.123", ".0" of a static variable of a function.  Any number of threads. */
#ifndef HEFT_NAMES_SUFFIX_H
#define HEFT_NAMES_SUFFIX_H

#include "base/base.h"

/* Bytes of the name without its suffixes; name.len where it has none, and where nothing else would
 * be left. */
size_t suffix_start(struct str name);

#endif
