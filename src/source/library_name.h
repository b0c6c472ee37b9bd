/* library_name.h - what library an object or compile unit is of, by its name alone. */
#ifndef HEFT_SOURCE_LIBRARY_NAME_H
#define HEFT_SOURCE_LIBRARY_NAME_H

#include "base/base.h"

/* "DIR/libx.a(y.o)" is of "libx.a". */
bool unit_of_archive(struct str unit, struct str *ret);
/* "libc.so.6", whose symbols are used. */
bool unit_is_shared_library(struct str unit);
/* rustc calls its units "src/lib.rs/@/CRATE.HASH-cgu.0". */
bool unit_of_crate(struct str unit, struct str *ret);
/* An object that link-time optimization made of several: lld's with a cache and without, GCC's. */
bool unit_is_lto(struct str unit);
/* The archive (also of "DIR/libx.a/y.o"), the crate (also of "libCRATE-HASH.rlib(y.o)"), the shared
 * library or cmake's target ("CMakeFiles/TARGET.dir/..."); a word for what link-time optimization
 * made, whose directory is a temporary one; of anything else its directory, "." where it has none.
 * Part of `unit`, or a constant. */
struct str library_name(struct str unit);

#endif
