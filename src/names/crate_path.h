/* crate_path.h - the crate that a source file of Rust is of, by its path.
 *
 * Paths are as rustc keeps them for panics and debug info: of a crate that cargo fetched
 * ".../registry/src/INDEX/NAME-VERSION/..." or ".../git/checkouts/NAME-HASH/REVISION/...", of
 * distributions ".../registry/NAME-VERSION/..." and ".../cargo_registry/NAME-VERSION/...", of
 * crates that were copied ".../vendor/NAME/..." with or without a version, of what a build script
 * wrote ".../build/NAME-HASH/out/...", by Bazel "external/RULE__NAME-VERSION/...", of the standard
 * library "/rustc/HASH/library/NAME/...", "library/NAME/..." and before 2020
 * "/rustc/HASH/src/libNAME/...", of the crates that this is made of "/rust/deps/NAME-VERSION/...".
 * Any other is a file of the program that was built, or of a crate beside it, whose folder is the
 * one with the last "src" in it.  "\" separates folders too.
 */
#ifndef HEFT_NAMES_CRATE_PATH_H
#define HEFT_NAMES_CRATE_PATH_H

#include "base/text.h"

enum crate_kind {
	CRATE_OWN,     /* of the program that was built: paths do not tell its name */
	CRATE_NAMED,   /* name, and version where that is known */
	CRATE_LIBRARY, /* core, alloc or std: the name */
};

/* Borrowed from the path, but for names of the library; version "" where the path has none. */
struct crate_path {
	enum crate_kind kind;
	struct str name, version;
};

struct crate_path crate_of_path(struct str path);

#endif
