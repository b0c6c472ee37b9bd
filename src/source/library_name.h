#pragma once

#include "base/base.h"

/* Finds a unit's (compile unit's or object's) archive: "libx.a" for "DIR/libx.a(y.o)". Or false. */
bool unit_of_archive(struct str unit, struct str *ret);
/* True if a unit is a shared library, such as "libc.so.6", from which symbols are imported. */
bool unit_is_shared_library(struct str unit);
/* Finds the crate of a unit that rustc named "src/lib.rs/@/CRATE.HASH-cgu.0". False for others. */
bool unit_of_crate(struct str unit, struct str *ret);
/* True for an object that link-time optimization made of many (GCC, or lld with or without
 * cache). */
bool unit_is_lto(struct str unit);
/* Returns the library of a unit. It is an archive ("DIR/libx.a/y.o" too), a crate
 * ("libCRATE-HASH.rlib(y.o)" too), a shared library, or cmake's target
 * ("CMakeFiles/TARGET.dir/..."). Objects of link-time optimization share one name, because their
 * directories are temporary. For other units, it is their directory, or ".". The result is a part
 * of `unit`, or a constant. */
struct str library_name(struct str unit);
