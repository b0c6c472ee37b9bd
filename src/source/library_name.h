/* library_name.h - finds the library of an object or compile unit from its name alone. */
#ifndef HEFT_SOURCE_LIBRARY_NAME_H
#define HEFT_SOURCE_LIBRARY_NAME_H

#include "base/base.h"

/* Finds the archive of a unit: "libx.a" for "DIR/libx.a(y.o)". */
bool unit_of_archive(struct str unit, struct str *ret);
/* True if a unit is a shared library such as "libc.so.6". The program uses its symbols. */
bool unit_is_shared_library(struct str unit);
/* Finds the crate of a unit. rustc names units "src/lib.rs/@/CRATE.HASH-cgu.0". */
bool unit_of_crate(struct str unit, struct str *ret);
/* True if a unit is an object that link-time optimization made of several (GCC's, or lld's
 * with or without a cache). */
bool unit_is_lto(struct str unit);
/* Returns the library of a unit. That is the archive (also of "DIR/libx.a/y.o"), the crate (also of
 * "libCRATE-HASH.rlib(y.o)"), the shared library, or cmake's target ("CMakeFiles/TARGET.dir/...").
 * Objects of link-time optimization lie in temporary directories. They have a constant name. Any
 * other unit has its directory, or "." without one. The result is a part of `unit`, or a
 * constant. */
struct str library_name(struct str unit);

#endif
