/* generic.h - the name that all instances of a generic or template have in common.
 *
 * An instance is told by arguments in its name: "<>" in the short name of C++, Rust and D, brackets
 * in a name of Go.  Any number of threads, one demangler each. */
#ifndef HEFT_NAMES_GENERIC_H
#define HEFT_NAMES_GENERIC_H

#include "base/text.h"
#include "names/demangle.h"

/* The short name of an instance, of Rust the same by both manglings; "[...]" for the arguments
 * of Go; of what is no instance the full name.  Valid until the next call with the same demangler
 * or room. */
struct str generic_name(struct demangler *d, struct str raw, struct text *room);

#endif
