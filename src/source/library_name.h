/* library_name.h - finds the library of an object or compile unit from its name alone. */
#ifndef HEFT_SOURCE_LIBRARY_NAME_H
#define HEFT_SOURCE_LIBRARY_NAME_H

#include "base/base.h"

/* Finds the archive of a unit: "libx.a" for "DIR/libx.a(y.o)". */
bool unit_of_archive(struct str unit, struct str *ret);
/* True if a unit is a shared library such as "libc.so.6", whose symbols the program imports. */
bool unit_is_shared_library(struct str unit);
/* Finds the crate of a unit. rustc names units "src/lib.rs/@/CRATE.HASH-cgu.0". */
bool unit_of_crate(struct str unit, struct str *ret);
/* True if a unit is an object that link-time optimization merged (GCC's, or lld's with or without a
 * cache). */
bool unit_is_lto(struct str unit);
/* Returns the library of a unit. It is an archive ("DIR/libx.a/y.o" too), a crate
 * ("libCRATE-HASH.rlib(y.o)" too), a shared library, or cmake's target
 * ("CMakeFiles/TARGET.dir/..."). Objects of link-time optimization have a constant name, because
 * their directories are temporary. Other units give their directory, or ".". The result is a part
 * of `unit`, or a constant. */
struct str library_name(struct str unit);

#endif
