/* generic.h - finds the name that all instances of a generic or template share.
 *
 * An instance is recognized by the arguments in its name: "<>" in the short name of C++, Rust and
 * D, brackets in a name of Go. Any number of threads, with one demangler each. */
#pragma once

#include "base/text.h"
#include "names/demangle.h"

/* Returns the short name of an instance, in which Go's arguments are "[...]". It is the same for
 * both manglings of Rust. Returns the full name of a symbol that is no instance. Valid until the
 * next call with this demangler or room. */
struct str generic_name(struct demangler *d, struct str raw, struct text *room);
