/* generic.h - returns the common name of all instances of a generic or template.
 *
 * An instance is recognized by the arguments in its name: "<>" in the short name of C++, Rust and
 * D, brackets in a name of Go. Any number of threads, with one demangler each. */
#ifndef HEFT_NAMES_GENERIC_H
#define HEFT_NAMES_GENERIC_H

#include "base/text.h"
#include "names/demangle.h"

/* Returns the short name of an instance, with "[...]" for the arguments of Go. Both manglings of
 * Rust give the same name. Returns the full name if the symbol is not an instance. Valid until the
 * next call with the same demangler or room. */
struct str generic_name(struct demangler *d, struct str raw, struct text *room);

#endif
