/* crate_path.h - finds the Rust crate of a source file by its path.
 *
 * Paths have the form that rustc records for panics and debug info:
 * - crates that cargo fetched: ".../registry/src/INDEX/NAME-VERSION/..." or
 *   ".../git/checkouts/NAME-HASH/REVISION/...";
 * - crates of distributions: ".../registry/NAME-VERSION/..." and
 *   ".../cargo_registry/NAME-VERSION/...";
 * - crates that were copied: ".../vendor/NAME/...", with or without a version;
 * - output of build scripts: ".../build/NAME-HASH/out/...";
 * - crates that Bazel fetched: "external/RULE__NAME-VERSION/...";
 * - the standard library: "/rustc/HASH/library/NAME/...", "library/NAME/..." and before 2020
 *   "/rustc/HASH/src/libNAME/...";
 * - crates that the standard library uses: "/rust/deps/NAME-VERSION/...".
 *
 * Any other path belongs to the program itself, or to another crate of its workspace. The name of
 * that crate is the folder that contains the last "src". "\" separates folders too. */
#pragma once

#include "base/text.h"

enum crate_kind {
	CRATE_OWN,     /* The program that was built. Paths do not tell its name */
	CRATE_NAMED,   /* A crate with a name, and perhaps a version */
	CRATE_LIBRARY, /* core, alloc or std */
};

/* Texts are in the path, or constants for the standard library. The version may be "" */
struct crate_path {
	enum crate_kind kind;
	struct str name, version;
};

struct crate_path crate_of_path(struct str path);
